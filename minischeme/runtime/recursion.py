"""Deep recursion: the recursion limit, one large chunk of frames, and the C stack, while Scheme runs."""

import gc
import sys
from _thread import allocate_lock, get_ident
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache

from minischeme.data.cpython import with_large_frame
from minischeme.data.values import Promise, Value
from minischeme.system.collector import THRESHOLDS, USUAL_THRESHOLDS
from minischeme.system.memory import available_memory

DEEPEST_RECURSION = 2_200_000
"""The nested calls of Python functions that a program may make: two for each of a million nested Scheme calls, and some
more. A runaway recursion stops there with about 1 GB in use."""

_SHALLOWEST_RECURSION = 1_050_000
_LEAST_RECURSION = 20_000
_USUAL_SLOTS = 16
_HEAD_SLOTS = 9
"""The slots of a frame of the standard procedures that call others, plus the fixed part of every frame."""


def deepest_recursion(slots: int) -> int:
    """The number of nested calls with frames of so many slots that a program may make.

    Their memory stays below 1.5 GB when they fail and below half of that available, and they fit into the large frame
    of `with_deep_recursion`: CPython 3.11 crashes where it finds no memory for a frame. Measured on 3.11: a frame
    takes 313 bytes and 16 for each slot, including what its unwinding keeps of it.
    """
    size = 313 + 16 * slots
    usual = max(_SHALLOWEST_RECURSION, min(DEEPEST_RECURSION, 1_150_000_000 // size))
    return max(_LEAST_RECURSION, min(usual, available_memory() // 64 // (max(slots, _USUAL_SLOTS) + _HEAD_SLOTS)))


def cap_recursion_for_frame_size(slots: int) -> None:
    """Lower the recursion limit for procedures with large frames, while Scheme runs."""
    limit = deepest_recursion(slots)
    if runs_scheme() and limit < sys.getrecursionlimit():
        with suppress(RecursionError):  # deeper already: the limit holds from the next run on
            sys.setrecursionlimit(limit)


_STACK_SLOTS = 1 << (26 if sys.maxsize > 1 << 32 else 22)  # an address has 32 bits in the browser


def _enter(thunk: Callable[[], Value]) -> Value:
    return thunk()


_lock = allocate_lock()
_threads: set[int] = set()
"""The threads that run Scheme."""
_before = (0, USUAL_THRESHOLDS)


@contextmanager
def _raised_limit(limit: int) -> Iterator[None]:
    """The recursion limit of the process is raised inside the ``with`` of any thread.

    Meanwhile the garbage collector runs seldom, unless the embedding program has set its thresholds.
    """
    global _before
    with _lock:
        if not _threads:
            _before = sys.getrecursionlimit(), gc.get_threshold()
            sys.setrecursionlimit(max(limit, _before[0]))
            if _before[1] == USUAL_THRESHOLDS:
                gc.set_threshold(*THRESHOLDS)
        _threads.add(get_ident())
    try:
        yield
    finally:
        with _lock:
            _threads.remove(get_ident())
            if not _threads:
                sys.setrecursionlimit(_before[0])
                if _before[1] == USUAL_THRESHOLDS:
                    gc.set_threshold(*USUAL_THRESHOLDS)


def runs_scheme() -> bool:
    """Whether the current thread is inside `with_deep_recursion`."""
    return get_ident() in _threads


def with_deep_recursion(thunk: Callable[[], Value], slots: int = 0) -> Value:
    """Call `thunk` with a recursion limit and stack for deep recursion, of frames of at most so many slots; the limit
    is restored when no thread needs it."""
    if runs_scheme():
        return thunk()
    _raise_stack_limit()
    with _raised_limit(deepest_recursion(slots)):
        # A chunk's size is a power of two: half of it is left for other frames, at least an eighth of the memory.
        stack = min(_STACK_SLOTS, 1 << max(16, (available_memory() // 32).bit_length() - 1))
        while True:
            entered = False

            def noted() -> Value:
                nonlocal entered
                entered = True
                return thunk()

            try:
                return with_large_frame(_enter, stack)(noted)
            except (MemoryError, SystemError):
                if entered or stack < 1 << 16:
                    raise
                stack >>= 2


def _raise_stack_limit() -> None:
    """Let the main thread's C stack grow, where the platform allows it (Linux does, at run time)."""
    try:
        import resource
    except ImportError:  # Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = _C_STACK if hard == resource.RLIM_INFINITY else min(_C_STACK, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))
    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        _grow_stack()


@cache
def _grow_stack() -> None:
    """Grow the C stack now by the amount that freeing data may take: CPython 3.13 nests that up to 10,000 times, and
    where the address space is limited no stack can grow once memory has run out."""

    def inside(nested: Value) -> Value:
        return lambda: nested

    for shape in (inside, lambda nested: Promise(inside(nested))):
        nested: Value = None
        for _ in range(40_000):
            nested = shape(nested)


_C_STACK = 512 << 20
