"""Suspended frames: what a continuation keeps of the Python frames that wait for a call, to go on with them.

A standard procedure that calls others says by these decorators how its own frames go on. Leaves compiled procedures,
and the capture of whole continuations, to `continuations` (ARCHITECTURE.md section 6).
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, TypeVar

import msgspec

from minischeme.data.values import Value

Locals = dict[str, Any]
Resume = Callable[[Any], Any]
"""What a frame does from the moment when the call that it waits for has a value: to the frame's own value."""

Inside = Callable[[Callable[[], Any]], Any]
"""Runs a thunk inside the frame's dynamic extent (handlers, parameters), restoring it on exit."""

F = TypeVar("F", bound=Callable[..., Any])


class Suspended:
    """A frame that waits for a call; `outer` is the frame around it, None at the base, the top-level form.

    `extent` is the nearest `SuspendedExtent`, itself included; `barrier` the nearest `Barrier`.
    """

    __slots__ = ("barrier", "extent", "outer")

    def __init__(self, outer: Suspended | None) -> None:
        self.outer = outer
        self.extent: SuspendedExtent | None = None if outer is None else outer.extent
        self.barrier: Barrier | None = None if outer is None else outer.barrier


class SuspendedProcedure(Suspended):
    """A frame of compiled code: where it is, and what its locals hold. No variable will change: those that are assigned
    stand in boxes.

    Args:
        names: of the locals that it will need, None if that is not known yet: the others are not kept alive.
    """

    __slots__ = ("code", "globals", "instruction", "locals")

    def __init__(self, outer: Suspended | None, frame: FrameType, names: list[str] | None) -> None:
        super().__init__(outer)
        self.code: CodeType = frame.f_code
        self.instruction: int = frame.f_lasti
        found = frame.f_locals
        self.locals: Locals = dict(found) if names is None else {name: found.get(name) for name in names}
        self.globals: dict[str, Value] = frame.f_globals


class SuspendedPrimitive(Suspended):
    """A frame of Python's that can go on: `resume` takes the value that it waits for."""

    __slots__ = ("resume",)

    def __init__(self, outer: Suspended | None, resume: Resume) -> None:
        super().__init__(outer)
        self.resume = resume


class SuspendedExtent(Suspended):
    """A frame of Python's that keeps something in force meanwhile, such as an exception handler."""

    __slots__ = ("inside",)

    def __init__(self, outer: Suspended | None, inside: Inside) -> None:
        super().__init__(outer)
        self.inside = inside
        self.extent = self


class Barrier(Suspended):
    """A frame of Python's that can't go on a second time."""

    __slots__ = ("code",)

    def __init__(self, outer: Suspended | None, code: CodeType) -> None:
        super().__init__(outer)
        self.code = code
        self.barrier = self


class Continuation(msgspec.Struct, frozen=True):
    """What remains to be done of a top-level form: the frames that wait, the innermost first, what is in force there,
    and who has read the form, and goes on with the next one."""

    frames: Suspended | None
    handlers: Any
    winds: Any
    reader: object


class Reentry(BaseException):
    """A continuation was called after its ``call/cc`` was left: unwinds to the base, which goes on with it."""

    def __init__(self, continuation: Continuation, value: Value) -> None:
        super().__init__()
        self.continuation = continuation
        self.value = value


# ── how the frames of Python functions go on ─────────────────────────────────────────────────────────────────────────

TRANSPARENT: set[CodeType] = set()
RESUMPTIONS: dict[CodeType, Callable[[Locals], Resume | None]] = {}
EXTENTS: dict[CodeType, Callable[[Locals], Inside | None]] = {}


def transparent(function: F) -> F:
    """Mark a function whose frames are transparent: they return the values of the calls that they wait for."""
    TRANSPARENT.add(_code(function))
    return function


def resumed_by(function: Callable[..., Any], table: dict[CodeType, Any] = RESUMPTIONS) -> Callable[[F], F]:
    """Mark what makes, of the locals of a frame of `function`, what the frame does with the value that it waits for.

    None if it can't go on. What it makes may be called any number of times.
    """

    def mark(made: F) -> F:
        table[_code(function)] = made
        return made

    return mark


def extent_of(function: Callable[..., Any]) -> Callable[[F], F]:
    """Mark what makes, of the locals of a frame of `function`, what calls a thunk with the same in force; None if it
    can't go on."""
    return resumed_by(function, EXTENTS)


def _code(function: Callable[..., Any]) -> CodeType:
    code: CodeType = function.__code__
    return code


def suspended(outer: Suspended | None, frame: FrameType) -> Suspended | None:
    """What is kept of a frame of Python's own: `outer` itself if it only passes a value on."""
    code = frame.f_code
    if code in TRANSPARENT:
        return outer
    resume = RESUMPTIONS[code](dict(frame.f_locals)) if code in RESUMPTIONS else None
    if resume is not None:
        return SuspendedPrimitive(outer, resume)
    inside = EXTENTS[code](dict(frame.f_locals)) if code in EXTENTS else None
    return SuspendedExtent(outer, inside) if inside is not None else Barrier(outer, code)
