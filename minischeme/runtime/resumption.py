"""Suspended frames: the part of a continuation that replaces the Python frames that wait for a call.

A standard procedure that calls others declares by these decorators how its own frames are resumed. Compiled procedures,
and the capture of whole continuations, are the task of `evaluation.continuations` (ARCHITECTURE.md section 6).
"""

from collections.abc import Callable
from copy import copy
from types import CodeType, FrameType
from typing import Any, TypeVar

import msgspec

from minischeme.data.values import Value

Locals = dict[str, Any]
Resume = Callable[[Any], Any]
"""The rest of a frame: from the value of the call that it waits for to the frame's own value."""

Inside = Callable[[Callable[[], Any]], Any]
"""Runs a thunk inside the frame's dynamic extent (handlers, parameters), restoring it on exit."""

F = TypeVar("F", bound=Callable[..., Any])


class Suspended:
    """A frame that waits for a call; `outer` is the frame around it, None at the base, the top-level form.

    `extent` is the nearest frame that keeps something in force, itself included; `barrier` the nearest that can't be
    resumed.
    """

    __slots__ = ("barrier", "extent", "outer")

    def __init__(self, outer: "Suspended | None") -> None:
        self.outer = outer
        self.extent: SuspendedPrimitive | None = None if outer is None else outer.extent
        self.barrier: SuspendedPrimitive | None = None if outer is None else outer.barrier


class Resumption(msgspec.Struct, frozen=True):
    """The resumption of frames of a code object at an instruction.

    `code` is kept since its identity is the key. `procedure` executes the rest, given the value that the frame waits
    for and those of the locals `names`, which loops over elements change if `has_element_loops` is set.
    """

    code: CodeType
    procedure: Callable[..., Value]
    names: list[str]
    has_element_loops: bool


class SuspendedProcedure(Suspended):
    """A frame of compiled code and its locals, which do not change, since assigned variables are in boxes; what loops
    over elements change is copied.

    `values` are those that `resumption` takes. As long as that is not known, they are all `locals`.
    """

    __slots__ = ("code", "globals", "instruction", "locals", "resumption", "values")

    def __init__(
        self, outer: Suspended | None, frame: FrameType, resumption: Resumption | None, has_element_loops: bool
    ) -> None:
        self.outer = outer
        self.extent, self.barrier = (None, None) if outer is None else (outer.extent, outer.barrier)
        self.resumption = resumption
        if resumption is not None:
            values = map(frame.f_locals.get, resumption.names)
            self.values = tuple(map(copied, values) if has_element_loops else values)
            return
        self.code: CodeType = frame.f_code
        self.instruction: int = frame.f_lasti
        found = frame.f_locals.items()
        self.locals: Locals = {name: copied(value) for name, value in found} if has_element_loops else dict(found)
        self.globals: dict[str, Value] = frame.f_globals

    def resumed_by(self, resumption: Resumption) -> None:
        """Set the resumption, and let go of the locals that it does not take."""
        # A name without a local is in no code: of a procedure that only repeats itself, or in an unused branch.
        self.values = tuple(map(self.locals.get, resumption.names))
        self.resumption = resumption
        self.locals = {}


_CHANGED_BY_LOOPS = frozenset({list, type(iter([]))})


def copied(value: Any) -> Any:
    """A copy of the results or the remaining elements of a loop over elements; any other value itself."""
    return copy(value) if type(value) in _CHANGED_BY_LOOPS else value


class SuspendedPrimitive(Suspended):
    """A frame of a Python function: either `resume` takes the value that it waits for, or the frame keeps something in
    force, such as an exception handler, for the thunk that `inside` runs. Without both, it can't be resumed."""

    __slots__ = ("code", "inside", "resume")

    def __init__(
        self, outer: Suspended | None, code: CodeType, resume: Resume | None = None, inside: Inside | None = None
    ) -> None:
        super().__init__(outer)
        self.code = code
        self.resume = resume
        self.inside = inside
        if inside is not None:
            self.extent = self
        elif resume is None:
            self.barrier = self


class Continuation(msgspec.Struct, frozen=True):
    """The rest of a top-level form: the waiting frames, innermost first, the handlers and winds in force, and the
    reader of the form, which continues with the next one."""

    frames: Suspended | None
    handlers: Any
    winds: Any
    reader: object


class Reentry(BaseException):
    """The call of a continuation after its ``call/cc`` was left: unwinds to the base, which resumes it.

    The arguments are the `Continuation` and the value.
    """


# ── resumption of the frames of Python functions ──────────────────────────────────────────────────────────────────────

TRANSPARENT: dict[int, CodeType] = {}  # by the identity of the code, whose hash takes long to compute
RESUMPTIONS: dict[CodeType, Callable[[Locals], Resume | None]] = {}
EXTENTS: dict[CodeType, Callable[..., Any]] = {}


def transparent(function: F) -> F:
    """Mark a function whose frames are transparent: they return the values of the calls that they wait for."""
    TRANSPARENT[id(function.__code__)] = function.__code__
    return function


def extent(function: F) -> F:
    """Mark a function whose frames keep something in force, such as an exception handler, for the call of their
    parameter `thunk`. A frame is resumed by a call of the function with another thunk and the same other arguments."""
    EXTENTS[function.__code__] = function
    return function


def resumed_by(function: Callable[..., Any]) -> Callable[[F], F]:
    """Mark the maker of `Resume` functions for frames of `function`: it gets the locals of a frame.

    It gives None for a frame that can't be resumed. The `Resume` function may be called any number of times.
    """

    def mark(made: F) -> F:
        RESUMPTIONS[function.__code__] = made
        return made

    return mark


def resumed_loop(function: Callable[..., Any], *changed: str) -> Callable[[F], F]:
    """Mark what does the rest of a turn of a loop whose state is its parameters: `function` is then called again.

    It gets the locals of the frame, with copies of those that are `changed` in place, and the value. It changes the
    parameters among them; what it returns, unless that is None, is the value of the frame.
    """
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    def mark(finish_turn: F) -> F:
        def made(frame: Locals) -> Resume:
            before = frame | {name: copy(frame[name]) for name in changed}

            def resume(value: Any) -> Any:
                state = before | {name: copy(before[name]) for name in changed}
                result = finish_turn(state, value)
                return function(**{name: state[name] for name in names}) if result is None else result

            return resume

        RESUMPTIONS[code] = made
        return finish_turn

    return mark


def resumed_alike(code: CodeType, model: CodeType) -> None:
    """Have the frames of a code object resumed as those of another one, with the same locals."""
    if id(model) in TRANSPARENT:
        TRANSPARENT[id(code)] = code
    for table in (RESUMPTIONS, EXTENTS):
        if model in table:
            table[code] = table[model]


def suspended(outer: Suspended | None, frame: FrameType) -> Suspended | None:
    """The suspended frame of a Python function; `outer` if it only returns the value that it waits for."""
    code = frame.f_code
    if id(code) in TRANSPARENT:
        return outer
    found = dict(frame.f_locals)
    resume = RESUMPTIONS[code](found) if code in RESUMPTIONS else None
    if resume is not None:
        return SuspendedPrimitive(outer, code, transparent(resume))
    if code not in EXTENTS:
        return SuspendedPrimitive(outer, code)
    function, names = EXTENTS[code], code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @transparent
    def inside(thunk: Callable[[], Any]) -> Any:
        return function(**{name: thunk if name == "thunk" else found[name] for name in names})

    return SuspendedPrimitive(outer, code, inside=inside)
