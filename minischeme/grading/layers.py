"""The layers of the sandbox: what a process gives up for good before it runs a stranger's program.

None of them needs root, and each holds without the others. What a system lacks is told, not passed over.
"""

import ctypes
import os
import platform
import resource
import struct
import sys
import sysconfig
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from minischeme.modules.files import find_library

LAYERS = ("rlimits", "user", "namespace", "landlock", "seccomp")
"""The names of the layers, in the order in which a process takes them on."""

_NOBODY = 65534

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_FILES_BY_ABI = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 5: 0xFFFF}  # the rights to files that a ruleset can handle
_READ_FILE, _READ = 0b0100, 0b1100  # the second with the names in folders
_WRITE = 0x4000 | 0b1_0010_0000 | _READ | 0b10  # truncate, make, remove, read and write files
_NETWORK_ABI, _SCOPE_ABI = 4, 6

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITY_VERSION = 0x20080522
_CLONE_NEWIPC, _CLONE_NEWUSER, _CLONE_NEWNET = 0x08000000, 0x10000000, 0x40000000

_MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # of the kernel's packet filter language
_KILL, _REFUSE, _ALLOW, _X32 = 0x80000000, 0x00050001, 0x7FFF0000, 0x40000000  # _REFUSE gives EPERM
_PRLIMIT = {"x86_64": 302, "aarch64": 261}

_REFUSED = """
clone 56 220, fork 57, vfork 58, clone3 435 435, execve 59 221, execveat 322 281, ptrace 101 117, kill 62 129,
tkill 200 130, tgkill 234 131, rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240, pidfd_send_signal 424 424,
pidfd_open 434 434, pidfd_getfd 438 438, process_vm_readv 310 270, process_vm_writev 311 271,
process_madvise 440 440, socket 41 198, socketpair 53 199, bind 49 200, listen 50 201, accept 43 202, connect 42 203,
accept4 288 242, io_uring_setup 425 425, io_uring_enter 426 426, io_uring_register 427 427, bpf 321 280,
mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51, unshare 272 97, setns 308 268, keyctl 250 219,
add_key 248 217, request_key 249 218, perf_event_open 298 241, userfaultfd 323 282, memfd_create 319 279,
shmget 29 194, shmat 30 196, msgget 68 186, semget 64 190, mq_open 240 180, personality 135 92,
setpriority 141 140, sched_setaffinity 203 122, sched_setscheduler 144 119, sched_setparam 142 118,
sched_setattr 314 274, ioprio_set 251 30, chmod 90, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452, chown 92,
fchown 93 55, lchown 94, fchownat 260 54, utime 132, utimes 235, utimensat 280 88, futimesat 261, setxattr 188 5,
lsetxattr 189 6, fsetxattr 190 7, removexattr 197 14, lremovexattr 198 15, fremovexattr 199 16,
open_by_handle_at 304 265, symlink 88, symlinkat 266 36, link 86, linkat 265 37, mknod 133, mknodat 259 33,
mkdir 83, mkdirat 258 34
"""
"""System calls that a Scheme program never needs, with their numbers on x86_64 and on aarch64, which lacks some."""

_libc = ctypes.CDLL(None, use_errno=True)

_SYSTEM_FILES = ("/proc/meminfo", "/etc/ld.so.cache")  # the recursion limit follows the memory that is left
_SYSTEM_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64")


def readable_folders() -> list[Path]:
    """The folders that any program needs to read: shared libraries, Python and its packages, minischeme."""
    python = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    python |= {sysconfig.get_config_var("DESTSHARED") or sys.prefix, os.path.dirname(os.path.dirname(msgspec.__file__))}
    package = str(Path(__file__).parents[1])
    return [path for path in map(Path, (*_SYSTEM_LIBRARIES, *sorted(python), package, find_library())) if path.exists()]


class LayerMissing(Exception):
    """A layer of the sandbox that this system does not have, with the reason."""


def unshare_network() -> None:
    """Move this process into a network of its own, without any interface; a LayerMissing where it may not."""
    uid, gid = os.getuid(), os.getgid()
    _call("unshare", _CLONE_NEWNET | _CLONE_NEWIPC | (_CLONE_NEWUSER if uid else 0))
    if uid:  # new files get their owner through these maps
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")


def confine(layers: Iterable[str], folder: Path, readable: Sequence[Path], cpu_seconds: int) -> dict[str, str]:
    """Take the layers on for good; for each that this system lacks, the reason.

    Args:
        layers: those wanted; "namespace" is none of this function's.
        folder: the only place to write.
        readable: folders to read from.
        cpu_seconds: the processor time that is left to this process.
    """
    steps: dict[str, Callable[[], None]] = {
        "rlimits": lambda: _set_limits(cpu_seconds),
        "user": _leave_root,
        "landlock": lambda: _restrict_files(folder, readable),
        "seccomp": _restrict_calls,
    }
    _call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    missing = {}
    for name, step in steps.items():
        if name in layers:
            try:
                step()
            except (LayerMissing, OSError, ValueError) as error:
                missing[name] = str(error)
        if name == "user":  # a change of user clears both
            _call("prctl", _PR_SET_PDEATHSIG, 9, 0, 0, 0)
            _call("prctl", _PR_SET_DUMPABLE, 0, 0, 0, 0)
    return missing


def belongs_to_nobody(path: Path) -> None:
    """Let the user that the layer "user" changes to write to a path, if that layer can hold here."""
    if os.getuid() == 0 and _can_leave_root():
        os.chown(path, _NOBODY, _NOBODY)


def _call(name: str, *arguments: int | bytes | None) -> int:
    result: int = getattr(_libc, name)(*(ctypes.c_long(x) if isinstance(x, int) else x for x in arguments))
    if result < 0:
        raise LayerMissing(f"{name}: {os.strerror(ctypes.get_errno())}")
    return result


def _set_limits(cpu_seconds: int) -> None:
    limits = {
        resource.RLIMIT_CPU: cpu_seconds,
        resource.RLIMIT_AS: 1 << 30,
        resource.RLIMIT_FSIZE: 1 << 20,
        resource.RLIMIT_NPROC: 0,
        resource.RLIMIT_NOFILE: 48,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
    }
    for limit, value in limits.items():
        # The signal at the first limit tells the cause; the second kills.
        resource.setrlimit(limit, (value, value + (limit == resource.RLIMIT_CPU)))


def _leave_root() -> None:
    """Become the user nobody, if this is root, and drop all capabilities."""
    if os.getuid() == 0 and _can_leave_root():
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    if platform.machine() in _CAPSET:  # also those that a namespace has given
        _call("syscall", _CAPSET[platform.machine()], struct.pack("=II", _CAPABILITY_VERSION, 0), bytes(24))
    if os.getuid() == 0:
        raise LayerMissing("other users can't read the folders of Python or minischeme")


def _can_leave_root() -> bool:
    return all(map(_is_open_to_all, readable_folders()))


def _is_open_to_all(folder: Path) -> bool:
    return all(path.stat().st_mode & 0o005 == 0o005 for path in (folder, *folder.resolve().parents))


def _restrict_files(folder: Path, readable: Sequence[Path]) -> None:
    """Landlock: read from some folders, write to one, no TCP, no signals or abstract sockets to processes outside."""
    abi = _call("syscall", _CREATE_RULESET, None, 0, 1)
    files = max(rights for first, rights in _FILES_BY_ABI.items() if first <= abi)
    parts = [files] + [0b11] * (abi >= _NETWORK_ABI) + [0b11] * (abi >= _SCOPE_ABI)
    attribute = struct.pack(f"={len(parts)}Q", *parts)
    rules = _call("syscall", _CREATE_RULESET, attribute, len(attribute), 0)
    paths = [(path, _READ) for path in (*readable, Path("/proc/self"))]
    paths += [(Path(file), _READ_FILE) for file in _SYSTEM_FILES]
    for path, rights in [*paths, (folder, _WRITE & files)]:
        with suppress(FileNotFoundError):
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            _call("syscall", _ADD_RULE, rules, 1, struct.pack("=Qi", rights, descriptor), 0)
            os.close(descriptor)
    _call("syscall", _RESTRICT_SELF, rules, 0)
    os.close(rules)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def _restrict_calls() -> None:
    """Seccomp: refuse the calls that make processes and sockets, send signals or change what belongs to others."""
    machine = platform.machine()
    if machine not in _MACHINES:
        raise LayerMissing(f"the numbers of the system calls on {machine} are not known")
    column = list(_MACHINES).index(machine) + 1
    calls = [words[column] for entry in _REFUSED.split(",") if len(words := entry.split()) > column]
    refuse, allow = (_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)
    steps = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, _MACHINES[machine]), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, 0)]
    steps += [(_AT_LEAST, 0, 1, _X32), refuse]
    for call in calls:
        steps += [(_EQUAL, 0, 1, int(call)), refuse]
    # A process may limit itself, and no other: the first argument must be 0.
    steps += [(_EQUAL, 1, 0, _PRLIMIT[machine]), allow, (_LOAD, 0, 0, 16), (_EQUAL, 0, 1, 0), allow, refuse]
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    program = _Program(len(steps), code)
    if _libc.prctl(_PR_SET_SECCOMP, 2, ctypes.byref(program), 0, 0):
        raise LayerMissing(f"prctl: {os.strerror(ctypes.get_errno())}")
