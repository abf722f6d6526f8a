"""The layers of the sandbox: what a process gives up for good before it runs a stranger's program.

None of them needs root, and each holds without the others. What a system lacks is told, not passed over.
"""

import ctypes
import os
import platform
import resource
import struct
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from minischeme.modules.files import find_library

LAYERS = ("namespace", "rlimits", "user", "landlock", "seccomp")
"""The names of the layers, in the order in which a process takes them on."""

BWRAP = "bwrap"
"""The layer around all of these: bubblewrap's container, which shows only what programs may read."""

_NOBODY = 65534

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_FILES_BY_ABI = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 5: 0xFFFF}  # the rights to files that a ruleset can handle
_READ_FILE, _READ = 0b0100, 0b1100  # the second with the names in folders
_WRITE = 0x4000 | 0b1_0010_0000 | _READ | 0b10  # truncate, make, remove, read and write files
_NETWORK_ABI, _SCOPE_ABI = 4, 6

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_CAPABILITY_VERSION = 0x20080522
_CLONE_NEWIPC, _CLONE_NEWUSER, _CLONE_NEWNET = 0x08000000, 0x10000000, 0x40000000

_MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # of the kernel's packet filter language
_KILL, _REFUSE, _ALLOW, _X32 = 0x80000000, 0x00050001, 0x7FFF0000, 0x40000000  # _REFUSE gives EPERM
_PRLIMIT = {"x86_64": 302, "aarch64": 261}

_REFUSED = Path(__file__).with_name("refused_calls.txt").read_text().splitlines()[1:]

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


def bwrap_command(folder: Path, readable: Iterable[Path]) -> list[str]:
    """The beginning of a command that runs Python in a container; a LayerMissing where bubblewrap can't make it."""
    python = os.path.realpath(sys.executable)
    shown = [python, os.path.dirname(sysconfig.get_path("stdlib")), *readable_folders(), *_SYSTEM_FILES[1:], *readable]
    command = ["bwrap", "--unshare-all", "--die-with-parent", "--uid", f"{_NOBODY}", "--gid", f"{_NOBODY}"]
    for option, paths in (("--ro-bind-try", shown), ("--bind", [folder])):
        command += (text for path in paths for text in (option, str(path), str(path)))
    command += ["--proc", "/proc", "--dev", "/dev"]
    try:
        subprocess.run([*command, python, "-S", "-c", ""], capture_output=True, text=True, check=True)
    except FileNotFoundError:
        raise LayerMissing("it is not installed") from None
    except subprocess.CalledProcessError as error:
        raise LayerMissing(error.stderr.strip() or f"exit status {error.returncode}") from None
    return command


def confine(layers: Iterable[str], folder: Path, readable: Sequence[Path], cpu_seconds: int) -> dict[str, str]:
    """Take the layers on for good; for each that this system lacks, the reason.

    Args:
        layers: those wanted.
        folder: the only place to write.
        readable: folders to read from.
        cpu_seconds: the processor time that is left to this process.
    """
    steps: dict[str, Callable[[], None]] = {
        "namespace": _leave_network,
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
    if os.getuid() == 0 and _closed_folder() is None:
        os.chown(path, _NOBODY, _NOBODY)


def _call(name: str, *arguments: int | bytes | None) -> int:
    result: int = getattr(_libc, name)(*(ctypes.c_long(x) if isinstance(x, int) else x for x in arguments))
    if result < 0:
        raise LayerMissing(f"{name}: {os.strerror(ctypes.get_errno())}")
    return result


def _leave_network() -> None:
    """Move into a network without any interface."""
    uid, gid = os.getuid(), os.getgid()
    _call("unshare", _CLONE_NEWNET | _CLONE_NEWIPC | (_CLONE_NEWUSER if uid else 0))
    if uid:  # new files get their owner through these maps
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")


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
    closed = _closed_folder() if os.getuid() == 0 else None
    if os.getuid() == 0 and closed is None:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    _call("capset", struct.pack("=II", _CAPABILITY_VERSION, 0), bytes(24))  # also those that a namespace has given
    if os.getuid() == 0:
        raise LayerMissing(f"this is root, and others can't read {closed}, where Python or minischeme is")


def _closed_folder() -> Path | None:
    """A folder in the way to Python or minischeme that is closed to other users."""
    folders = {path for folder in readable_folders() for path in (folder.resolve(), *folder.resolve().parents)}
    return next((path for path in sorted(folders) if path.stat().st_mode & 0o005 != 0o005), None)


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


def _restrict_calls() -> None:
    """Seccomp: refuse the calls that make processes and sockets, send signals or change what belongs to others."""
    machine = platform.machine()
    if machine not in _MACHINES:
        raise LayerMissing(f"the numbers of the system calls on {machine} are not known")
    column = list(_MACHINES).index(machine) + 1
    calls = [words[column] for line in _REFUSED if len(words := line.split()) > column]
    refuse, allow = (_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)
    steps = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, _MACHINES[machine]), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, 0)]
    steps += [(_AT_LEAST, 0, 1, _X32), refuse]
    for call in calls:
        steps += [(_EQUAL, 0, 1, int(call)), refuse]
    # A process may limit itself, and no other: the first argument must be 0.
    steps += [(_EQUAL, 1, 0, _PRLIMIT[machine]), allow, (_LOAD, 0, 0, 16), (_EQUAL, 0, 1, 0), allow, refuse]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    _call("prctl", _PR_SET_SECCOMP, 2, struct.pack("@HP", len(steps), ctypes.addressof(code)), 0, 0)
