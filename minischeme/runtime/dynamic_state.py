"""The dynamic state of a run: the exception handlers in force, and the winds that were entered (R7RS 6.10, 6.11).

The procedures for programs are in `primitives.exceptions` and `primitives.control`.
"""

from typing import TypeAlias

from minischeme.data.values import FALSE, UNSPECIFIED, Procedure, SchemeObject, Value
from minischeme.runtime.resumption import Locals, Reentry, Resume, extent, resumed_by, resumed_loop, transparent
from minischeme.runtime.tail_calls import TailCall


class Wind:
    """A ``dynamic-wind`` that was entered and not yet left: its two procedures, the handlers in force while they run,
    and the wind around it."""

    __slots__ = ("after", "before", "depth", "handlers", "outer")

    def __init__(self, before: Procedure, after: Procedure, handlers: "Handler | None", outer: "Wind | None") -> None:
        self.before = before
        self.after = after
        self.handlers = handlers
        self.outer = outer
        self.depth: int = 1 if outer is None else outer.depth + 1


Handler: TypeAlias = tuple[Procedure, "Handler | None", Wind | None, bool]
"""A handler in force, a tuple since that is made fastest: a procedure of the raised object, the handler and the winds
around it, and whether it is that of a ``guard``: its procedure gives the clause to run, a procedure of no arguments, or
#f if none matches."""


class Chosen(BaseException):
    """The unwinding to a ``guard`` that has a clause for the raised object: the arguments are the handler and the
    clause. Not an error: no handler may stop it."""


NO_HANDLER = SchemeObject()
"""The result of `DynamicState.offer` if no handler takes the object."""


class DynamicState:
    """The handlers and winds that are in force in a session's program.

    `handlers` is the innermost handler, `winds` the innermost wind. A frame that installs one removes it when it is
    left; an exception that arrives with a handler already gone was raised outside of that handler's reach. `interrupt`
    is the first interrupt of the run that left a wind or a ``call/cc``: after thunks run, and continuations are
    captured, for that one only, since both may take long.
    """

    __slots__ = ("_tail", "handlers", "interrupt", "winds")

    def __init__(self, tail: TailCall) -> None:
        self.handlers: Handler | None = None
        self.winds: Wind | None = None
        self.interrupt: KeyboardInterrupt | None = None
        self._tail = tail

    def forget(self) -> None:
        """Remove all handlers and winds, at the end of a run from outside."""
        self.handlers = None
        self.winds = None
        self.interrupt = None

    def wind(self, before: Procedure, thunk: Procedure, after: Procedure) -> Value:
        """The value of `thunk`, with `before` called first and `after` whenever it is left."""
        if before() is None:
            self._tail.run()
        own = Wind(before, after, self.handlers, self.winds)
        return self.run_in(own, thunk)

    @extent
    def run_in(self, wind: Wind, thunk: Procedure) -> Value:
        """The value of `thunk` in a wind that was entered, and is left afterwards.

        Code that unwinds the stack to continue elsewhere has called `rewind` before.
        """
        self.winds = wind
        try:
            result = thunk()
            if result is None:
                result = self._tail.run()
        except Reentry:
            raise
        except BaseException as exception:  # its name and `handlers` tell `_leaving` of it
            if not self.is_repeated_interrupt(exception):
                handlers, self.handlers = self.handlers, wind.handlers
                self._leave(wind)
                self.handlers = handlers
            raise
        self._leave(wind)
        return result

    def is_repeated_interrupt(self, exception: BaseException | None) -> bool:
        """Whether an exception is an interrupt, and not the first of the run."""
        if not isinstance(exception, KeyboardInterrupt):
            return False
        if self.interrupt is None:
            self.interrupt = exception
        return exception is not self.interrupt

    @transparent
    def _leave(self, wind: Wind) -> None:
        """Leave a wind, unless `rewind` has left it already."""
        if self.winds is wind:
            self.winds = wind.outer
            if wind.after() is None:
                self._tail.run()

    def rewind(self, target: Wind | None) -> Value:
        """Leave and enter winds, so that those in force are `target` and the ones around it."""
        entered: list[Wind] = []
        common = target
        while common is not None and (self.winds is None or common.depth > self.winds.depth):
            entered.append(common)
            common = common.outer
        while self.winds is not common:
            leaving = self.winds
            assert leaving is not None
            if common is not None and common.depth == leaving.depth:
                entered.append(common)
                common = common.outer
            self.winds = leaving.outer
            self.handlers = leaving.handlers
            if leaving.after() is None:
                self._tail.run()
        for wind in reversed(entered):
            self.handlers = wind.handlers
            if wind.before() is None:
                self._tail.run()
            self.winds = wind
        return UNSPECIFIED

    def offer(self, obj: Value, handler: Handler | None, handlers: Handler | None, winds: Wind | None) -> Value:
        """Give an object to a handler or one around it; the value that it returns, or `NO_HANDLER`.

        A guard is offered the object with its own winds in force, and unwinds to itself if it has a clause for it;
        otherwise the next handler is asked. If none takes it, no handler is in force any more. `handlers` and `winds`
        are those where the object was raised.
        """
        while handler is not None:
            procedure, outer, around, is_guard = handler
            if not is_guard:
                self.handlers = outer
                try:
                    result = procedure(obj)
                    if result is None:
                        result = self._tail.run()
                except Exception:
                    raise  # happened outside the handler: `handlers` stays as it was there
                except BaseException:
                    self.handlers = handlers
                    raise
                self.handlers = handlers
                return result
            if winds is around:
                self._ask_unwound(handler, obj, winds)
            else:
                self._tail.then(self.rewind, (around,), self._asking(handler, obj, winds))
            handler = outer
        self.handlers = None
        return NO_HANDLER

    def _asking(self, guard: Handler, obj: Value, winds: Wind | None) -> Resume:
        return lambda _: self._ask_unwound(guard, obj, winds)

    def _ask_unwound(self, guard: Handler, obj: Value, winds: Wind | None) -> Value:
        procedure, self.handlers, *_ = guard
        clause = procedure(obj)
        if clause is None:
            clause = self._tail.run()
        if clause is not FALSE:
            raise Chosen(guard, clause)
        return self.rewind(winds)


@resumed_by(DynamicState.wind)
def _resume_wind(frame: Locals) -> Resume:
    def resume(_: Value) -> Value:
        dynamic: DynamicState = frame["self"]
        return dynamic.run_in(Wind(frame["before"], frame["after"], dynamic.handlers, dynamic.winds), frame["thunk"])

    return (lambda value: value) if "own" in frame else resume


@resumed_by(DynamicState.run_in)
def _leaving(frame: Locals) -> Resume | None:
    """The rest of `run_in` while the wind is left; before that, the frame is an extent."""

    def fail(_: Value) -> Value:
        frame["self"].handlers = frame["handlers"]
        raise frame["exception"]

    if "exception" in frame:
        return fail
    return None if frame.get("result") is None else lambda _: frame["result"]


@resumed_loop(DynamicState.rewind)
def _go_on_rewinding(state: Locals, _: Value) -> None:
    if "wind" in state:
        state["self"].winds = state["wind"]


@resumed_loop(DynamicState.offer)
def _go_on_offering(state: Locals, value: Value) -> Value | None:
    if state["is_guard"]:
        state["handler"] = state["outer"]
        return None
    state["self"].handlers = state["handlers"]
    return value


@resumed_by(DynamicState._ask_unwound)
def _resume_ask(frame: Locals) -> Resume:
    def resume(clause: Value) -> Value:
        if clause is not FALSE:
            raise Chosen(frame["guard"], clause)
        return frame["self"].rewind(frame["winds"])

    return resume if frame.get("clause") is None else lambda value: value
