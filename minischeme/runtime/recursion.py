"""What compiled code needs while it runs: pending tail calls, and room for deep recursion.

A procedure is a plain Python function. It returns None to say that a tail call is pending in the session's `TailCall`;
whoever called it, and needs the value, runs the pending calls (ARCHITECTURE.md section 4).
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from random import Random
from types import FunctionType
from typing import Any, ClassVar

import msgspec

from minischeme.data.cpython import with_large_frame
from minischeme.data.values import Promise, Symbol, Value
from minischeme.runtime.resumption import passes_on
from minischeme.system.collector import THRESHOLDS
from minischeme.system.memory import available_memory


class TailCall:
    """A session's register of the one tail call that is pending.

    `procedure` and `arguments` (a tuple) are stored right before the caller returns None, and read at once.
    """

    __slots__ = ("arguments", "procedure")

    def __init__(self) -> None:
        self.procedure: Any = None
        self.arguments: tuple[Value, ...] = ()

    def __repr__(self) -> str:
        return "tail_call"

    def forget(self) -> None:
        """Let go of the last call: compiled code refers to the register, where the collector can't see it."""
        self.procedure = None
        self.arguments = ()

    def settling(self, value: Value) -> Value:
        """A procedure that does what a procedure does, and never returns with a tail call pending; other values are
        themselves."""
        if type(value) is not FunctionType:
            return value

        def procedure(*arguments: Value) -> Value:
            self.procedure = value
            self.arguments = arguments
            return self.run()

        procedure.__dict__["settling"] = value
        return passes_on(procedure)

    @passes_on
    def run(self) -> Value:
        """Run the pending call, and all that it leads to, to a value.

        The calls are spelt out by their number of arguments, since ``f(*arguments)`` would use the C stack on 3.11.
        """
        while True:
            procedure = self.procedure
            arguments = self.arguments
            count = len(arguments)
            if count == 1:
                (a,) = arguments
                result = procedure(a)
            elif count == 2:
                a, b = arguments
                result = procedure(a, b)
            elif count == 3:
                a, b, c = arguments
                result = procedure(a, b, c)
            elif count == 0:
                result = procedure()
            elif count == 4:
                a, b, c, d = arguments
                result = procedure(a, b, c, d)
            elif count == 5:
                a, b, c, d, e = arguments
                result = procedure(a, b, c, d, e)
            else:
                result = procedure(*arguments)
            if result is not None:
                return result


class Box(msgspec.Struct):
    """The place of a local variable that is assigned: shared by the closures that use it, and by every continuation of
    the procedure (ARCHITECTURE.md section 6)."""

    value: Value


class LateBox:
    """The place of a local variable that may be used before it has its first value, which is an error."""

    __slots__ = ("name", "value")

    def __init__(self, name: Symbol) -> None:
        self.name = name


class Chance:
    """Where a session's random numbers come from.

    `fraction` gives a random number from 0 to 1, 1 excluded.
    """

    __slots__ = ("fraction", "random")

    def __init__(self, random: Random) -> None:
        self.replace(random)

    def replace(self, random: Random) -> None:
        """Take the numbers from elsewhere."""
        self.random = random
        self.fraction = random.random


_RESERVED = frozenset({"None", "True", "False", "__debug__", "__builtins__"})


def python_name(name: str) -> str:
    """The key of a Scheme global in the dict of globals: its own name, but for the few that Python keeps for itself,
    and those that begin with the mark of these few and of the compiler's own locals."""
    return f"'{name}" if name in _RESERVED or name[:1] == "'" else name


def hidden_key(name: str) -> str:
    """The key of what the library has under a name, but no program can use by it: no symbol has this `python_name`."""
    return f"'{name}"


def standard_value(library: Mapping[str, Value], name: str) -> Value:
    """What the library has under a name, hidden or not.

    Raises: KeyError.
    """
    return library[name] if name in library else library[hidden_key(name)]


def scheme_name(name: str) -> str:
    """The inverse of `python_name`."""
    return name[1:] if name[:1] == "'" else name


DEEPEST_RECURSION = 2_200_000
"""Nested calls of Python functions that a program may make: two for each of a million nested Scheme calls, and some.
A runaway recursion stops there with about 1 GB in use."""

_SHALLOWEST_RECURSION = 1_050_000
_LEAST_RECURSION = 20_000
_USUAL_SLOTS = 16
_HEAD_SLOTS = 9
"""Slots of a frame of the standard procedures that call others, and of what each frame has besides."""


def deepest_recursion(slots: int) -> int:
    """The number of nested calls whose frames, of so many slots, leave memory in use below 1.5 GB when they fail, half
    of what there is for all else, and fit into the large frame of `with_room`: CPython 3.11 crashes where it finds no
    memory for a frame.

    Measured on 3.11: a frame takes 313 bytes and 16 for each slot, with what its unwinding keeps of it.
    """
    size = 313 + 16 * slots
    usual = max(_SHALLOWEST_RECURSION, min(DEEPEST_RECURSION, 1_150_000_000 // size))
    return max(_LEAST_RECURSION, min(usual, available_memory() // 64 // (max(slots, _USUAL_SLOTS) + _HEAD_SLOTS)))


def leave_room_for(slots: int) -> None:
    """Lower the recursion limit for procedures with large frames, while Scheme runs."""
    limit = deepest_recursion(slots)
    if _recursion_limit.is_raised and limit < sys.getrecursionlimit():
        with suppress(RecursionError):  # deeper already: the limit holds from the next run on
            sys.setrecursionlimit(limit)


_STACK_SLOTS = 1 << 26


def _enter(thunk: Callable[[], Value]) -> Value:
    return thunk()


_USUAL_THRESHOLDS = gc.get_threshold()


class _RecursionLimit(threading.local):
    """The recursion limit of the process, which is raised while any thread of it runs Scheme.

    `is_raised` tells it of the current thread. Meanwhile garbage is looked for seldom, unless the program that embeds
    this one has chosen thresholds of its own.
    """

    is_raised = False

    lock: ClassVar[threading.Lock] = threading.Lock()
    threads: ClassVar[int] = 0
    before: ClassVar[int] = 0
    collects_often: ClassVar[bool] = True

    def raise_(self, limit: int) -> None:
        with self.lock:
            if _RecursionLimit.threads == 0:
                _RecursionLimit.before = sys.getrecursionlimit()
                sys.setrecursionlimit(max(limit, self.before))
                _RecursionLimit.collects_often = gc.get_threshold() == _USUAL_THRESHOLDS
                if self.collects_often:
                    gc.set_threshold(*THRESHOLDS)
            _RecursionLimit.threads += 1
        self.is_raised = True

    def put_back(self) -> None:
        self.is_raised = False
        with self.lock:
            _RecursionLimit.threads -= 1
            if _RecursionLimit.threads == 0:
                sys.setrecursionlimit(self.before)
                if self.collects_often:
                    gc.set_threshold(*_USUAL_THRESHOLDS)


_recursion_limit = _RecursionLimit()


def runs_scheme() -> bool:
    """Whether the current thread is inside `with_room`."""
    return _recursion_limit.is_raised


def with_room(thunk: Callable[[], Value], slots: int = 0) -> Value:
    """Call `thunk` with room for deep recursion; the limit of the process is put back when no thread needs it.

    Args: slots: the size of the largest frame to expect.
    """
    if _recursion_limit.is_raised:
        return thunk()
    _raise_stack_limit()
    _recursion_limit.raise_(deepest_recursion(slots))
    try:
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
    finally:
        _recursion_limit.put_back()


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
    """Have the C stack grow now by what the freeing of data may take: CPython 3.13 nests that up to 10,000 times, and
    where the address space is limited no stack can grow once memory has run out."""

    def inside(nested: Value) -> Value:
        return lambda: nested

    for shape in (inside, lambda nested: Promise(inside(nested))):
        nested: Value = None
        for _ in range(40_000):
            nested = shape(nested)


_C_STACK = 512 << 20
