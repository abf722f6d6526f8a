"""The memory still available to this process under its own limits, its control groups and the machine."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache

SYSTEM = "/"
"""The folder with Linux's ``proc`` and ``sys``."""


def available_memory() -> int:
    """The number of bytes available, at most a second old; a very large number where it is unknown (Windows)."""
    return _available_memory(int(time.monotonic()))


@lru_cache(maxsize=1)
def _available_memory(second: int) -> int:
    return max(0, min([*_left_by_machine(), *_left_by_limits(), *_left_by_groups()], default=sys.maxsize))


def memory_used(*, at_peak: bool = False) -> int | None:
    """The bytes of memory that this process has, or the most since this was last asked without `at_peak`.

    None where the system does not tell.
    """
    try:
        if not at_peak:
            with open(os.path.join(SYSTEM, "proc/self/clear_refs"), "w", encoding="ascii") as file:
                file.write("5")  # the peak is from now on
        return _numbers("proc/self/status")["VmHWM:" if at_peak else "VmRSS:"] * 1024
    except (OSError, KeyError, ValueError):
        return None


def _left_by_machine() -> Iterator[int]:
    try:
        yield _numbers("proc/meminfo")["MemAvailable:"] * 1024
    except (OSError, KeyError):
        with suppress(AttributeError, ValueError, OSError):  # macOS: most of the memory in use can be paged out
            yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


def _left_by_limits() -> Iterator[int]:
    with suppress(ImportError, OSError, IndexError):
        import resource

        pages = _text("proc/self/statm").split()
        for limit, used in ((resource.RLIMIT_AS, pages[0]), (resource.RLIMIT_DATA, pages[5])):
            soft, _ = resource.getrlimit(limit)
            if soft != resource.RLIM_INFINITY:
                yield soft - int(used) * resource.getpagesize()


def _left_by_groups() -> Iterator[int]:
    """The memory left by the control groups, of either version. Cached files don't count: their memory is reclaimed."""
    with suppress(OSError):
        for line in _text("proc/self/cgroup").splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers not in ("", "memory"):
                continue
            groups = [group for group in path.split("/") if group]
            for depth in range(len(groups), -1, -1):
                folder = os.path.join("sys/fs/cgroup", controllers, *groups[:depth])
                with suppress(OSError, KeyError, ValueError):
                    used = _numbers(f"{folder}/memory.stat")
                    if controllers:
                        yield used["hierarchical_memory_limit"] - used["total_rss"]
                    else:
                        yield int(_text(f"{folder}/memory.max")) - used["anon"]


def _text(name: str) -> str:
    with open(os.path.join(SYSTEM, name), encoding="utf-8") as file:
        return file.read()


def _numbers(name: str) -> dict[str, int]:
    lines = [line.split() for line in _text(name).splitlines()]
    return {words[0]: int(words[1]) for words in lines if len(words) > 1 and words[1].isdecimal()}
