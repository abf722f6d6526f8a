"""Procedures about procedures and the course of evaluation: apply, call/cc, dynamic-wind, values, force, error."""

from collections.abc import Callable
from sys import exception
from types import FunctionType
from typing import Any, cast

from minischeme.data import values
from minischeme.data.cpython import UNSHARED, inner_codes, reference_count
from minischeme.data.errors import SchemeError, SchemeExit, UserError
from minischeme.data.printer import display, write
from minischeme.data.source import characters
from minischeme.data.values import FALSE, TRUE, UNSPECIFIED, MultipleValues, Promise, String, Symbol, Value, list_of
from minischeme.primitives.exceptions import raise_error
from minischeme.primitives.formatting import formatted
from minischeme.primitives.kinds import EnvironmentArg, Procedure, PromiseArg, check_procedure, is_list
from minischeme.primitives.pairs import elements
from minischeme.primitives.registry import predicate, primitive, unary
from minischeme.runtime import resumption
from minischeme.runtime.context import Context, ContinuationStack, RandomSource
from minischeme.runtime.dynamic_state import DynamicState, Wind
from minischeme.runtime.tail_calls import TailCall
from minischeme.system.tracebacks import remove_traceback

# ── procedures ───────────────────────────────────────────────────────────────────────────────────────────────────────
predicate("procedure?", FunctionType, "a procedure", example="(procedure? car) → #t")


@primitive("procedure-name", dialect="berkeley", example="(procedure-name car) → car")
def name_of_procedure(procedure: Procedure, *, naming_expression: Callable[[Value], Value]) -> Value:
    """The name of procedure; of one that has none, the call that has made it, as far as that is known."""
    check_procedure(procedure)
    return naming_expression(procedure)


@primitive("apply", tail_calls=True, example="(apply + '(1 2 3)) → 6")
def apply(procedure: Procedure, argument: Value, *others: Value, tail: TailCall) -> Value:
    """Call procedure with the arguments; the last argument is a list of the remaining ones."""
    check_procedure(procedure)
    last = others[-1] if others else argument
    try:
        rest = elements(last)
    except TypeError:
        raise SchemeError("apply: last argument is not a list:", last) from None
    tail.procedure = procedure
    tail.arguments = (argument, *others[:-1], *rest) if others else tuple(rest)
    return None


# ── continuations ────────────────────────────────────────────────────────────────────────────────────────────────────
class Escape(BaseException):
    """The exception that unwinds to a call/cc when its continuation is called inside it.

    `left` is the continuation as it was captured when the call/cc was left, and `winds` are those around it;
    `is_awaited` tells that a frame was captured that will call it.
    """

    __slots__ = ("winds",)  # each has these, and most no more
    winds: Wind | None
    value: Value = None
    left: resumption.Continuation | None = None
    is_awaited = False


_TAKES_NEXT = object()
"""The value that a call/cc returns to another one whose receiver has called it in tail position: both have the same
continuation, and the outer one goes on with the inner one's receiver, which it finds in the register."""


@primitive(
    "call-with-current-continuation",
    "call/cc",
    "call-with-escape-continuation",
    stays=True,
    example="(call/cc (lambda (return) (+ 1 (return 5)))) → 5",
    transparent=True,
)
def call_with_current_continuation(
    receiver: Procedure, *, continuations: ContinuationStack, dynamic: DynamicState, tail: TailCall
) -> Value:
    """Call receiver with a procedure that, when called, returns its argument from this call, even a second time."""
    if continuations.active and tail.arguments and tail.arguments[0] is receiver:  # was left pending, it seems
        if type(receiver) is FunctionType and continuations.tail_called_from(_CALL_CC):
            return _TAKES_NEXT
    escape = Escape()
    handlers = dynamic.handlers
    winds = escape.winds = dynamic.winds

    def continuation(*values: Value) -> Value:
        value = values[0] if len(values) == 1 else MultipleValues(values)
        left = escape.left
        if left is not None and left.frames is not None and left.frames.barrier is not None:
            continuations.check(left)
        if dynamic.winds is not escape.winds:
            dynamic.rewind(escape.winds)
        if left is not None:
            raise resumption.Reentry(left, value)
        escape.value = value
        raise escape.with_traceback(None)

    held = (continuation,)  # and nothing else holds it, as long as it is not used
    del continuation
    called = receiver
    continuations.active += 1
    try:
        while True:
            result = called(held[0])
            if result is None:
                result = tail.run()
            if result is not _TAKES_NEXT:
                return result
            called = tail.arguments[0]
    except Escape as caught:
        remove_traceback(caught)  # its frames hold the continuation
        if caught is not escape:
            raise
        dynamic.handlers = handlers
        return escape.value
    finally:
        continuations.active -= 1
        tail.procedure = None
        tail.arguments = ()
        del called  # may hold the continuation of the outer call/cc
        if reference_count(held[0]) > UNSHARED or escape.is_awaited:
            escape.left = _LOST
            failure = exception()
            is_usual = failure is None or type(failure) is resumption.Reentry
            if is_usual or not (isinstance(failure, _WITHOUT_ROOM) or dynamic.is_repeated_interrupt(failure)):
                escape.left = continuations.capture(handlers, winds)
            del failure  # its traceback holds this frame


_WITHOUT_ROOM = MemoryError, RecursionError
_CALL_CC = call_with_current_continuation.__code__
_LOST = resumption.Continuation(resumption.SuspendedPrimitive(None, _CALL_CC), None, None, None)
"""The stand-in for a continuation that there was no room to capture, or whose capture was interrupted: those around it
are not captured either."""


def _resume_rewinding(frame: resumption.Locals) -> resumption.Resume:
    """The resumption of the procedure that `call_with_current_continuation` makes."""
    escape: Escape = frame["escape"]
    escape.is_awaited = True

    def resume(_: Value) -> Value:
        if escape.left is None:  # the call/cc waits, outside of the file that is being loaded
            escape.value = frame["value"]
            raise escape.with_traceback(None)
        frame["continuations"].check(escape.left)
        raise resumption.Reentry(escape.left, frame["value"])

    return resume


resumption.RESUMPTIONS |= dict.fromkeys(inner_codes(_CALL_CC), _resume_rewinding)


@primitive("dynamic-wind", transparent=True)
def dynamic_wind(before: Procedure, thunk: Procedure, after: Procedure, *, dynamic: DynamicState) -> Value:
    """Call before, thunk and after in order; after also when thunk is left by an escape or an error."""
    check_procedure(before, thunk, after)
    return dynamic.wind(before, thunk, after)


@primitive("values")
def values_(*objects: Value) -> Value:
    """Return any number of values at once."""
    return objects[0] if len(objects) == 1 else MultipleValues(objects)


@primitive("call-with-values", tail_calls=True)
def call_with_values(producer: Procedure, consumer: Procedure, *, tail: TailCall) -> Value:
    """Call consumer with the values that producer returns."""
    check_procedure(consumer)
    result = producer()
    return _consumed(tail.run() if result is None else result, consumer, tail)


def _consumed(result: Value, consumer: Procedure, tail: TailCall) -> Value:
    return tail.leave(consumer, *(result.items if type(result) is MultipleValues else (result,)))


resumption.resumed_by(call_with_values)(lambda frame: lambda value: _consumed(value, frame["consumer"], frame["tail"]))


# ── promises ─────────────────────────────────────────────────────────────────────────────────────────────────────────
FORCES_ON = values.SchemeObject()
"""The value of a promise, not forced yet, whose thunk gives a promise to go on with (`delay-force`)."""


def delayed_force(thunk: Procedure) -> Promise:
    """The promise of ``delay-force``: forcing it forces what the thunk gives."""
    return Promise(thunk, FORCES_ON)


def force_promise(promise: Promise, tail: TailCall) -> Value:
    """The value of a promise; its thunk runs at most once. A chain of `delay-force` takes no space."""
    while True:
        thunk = promise.thunk
        if thunk is None:
            return promise.value
        result = thunk()
        if result is None:
            result = tail.run()
        if promise.thunk is not thunk:  # forced meanwhile by its own thunk: the first value stands
            continue
        if promise.value is not FORCES_ON:
            promise.thunk = None
            promise.value = result
            return result
        if type(result) is not Promise:
            raise SchemeError("delay-force: not a promise:", result)
        _go_on(promise, result)


def _go_on(promise: Promise, other: Promise) -> None:
    """Give a promise the state of another one; the other one, if not forced yet, then goes on with this one."""
    promise.thunk, promise.value = other.thunk, other.value
    if other.thunk is not None and other is not promise:
        other.thunk, other.value = cast(FunctionType, lambda: promise), FORCES_ON


@resumption.resumed_loop(force_promise)
def _go_on_forcing(state: resumption.Locals, value: Value) -> None:
    promise = state["promise"]
    if promise.thunk is state["thunk"] and promise.value is not FORCES_ON:
        promise.thunk = None
        promise.value = value
    elif promise.thunk is state["thunk"]:
        _go_on(promise, value)


@primitive("force", dialect="berkeley", example="(force (delay (+ 1 2))) → 3", transparent=True)
def force(promise: PromiseArg, *, tail: TailCall) -> Value:
    """The value of a promise, computed at most once."""
    if type(promise) is not Promise:
        raise SchemeError("Not a promise:", promise)
    return force_promise(promise, tail)


@primitive("force", dialect="r7rs", transparent=True)
def force_any(promise: Value, *, tail: TailCall) -> Value:
    """The value of a promise, computed at most once; any other value is itself."""
    return force_promise(promise, tail) if type(promise) is Promise else promise


@primitive("make-promise")
def make_promise(obj: Value) -> Value:
    """A promise that has the value obj already; a promise is itself."""
    return obj if type(obj) is Promise else Promise(None, obj)


predicate("promise?", Promise, "a promise")


# ── errors and leaving ───────────────────────────────────────────────────────────────────────────────────────────────
@primitive("error", dialect="berkeley", transparent=True)
def error(message: Value, *irritants: Value, dynamic: DynamicState) -> Value:
    """Stop with an error: the arguments are shown one behind the other; a ~ in the first makes it a template."""
    if type(message) is Symbol and irritants and type(irritants[0]) is String:
        shown = f"{message.name}: {_joined(irritants[0], irritants[1:])}"
        raise_error(UserError(irritants[0], *irritants[1:], text=shown), dynamic)
    text = _joined(message, irritants) if type(message) is String else None
    raise_error(UserError(message, *irritants, text=text), dynamic)


def _joined(template: String, arguments: tuple[Value, ...]) -> str:
    if "~" in template.text:
        return formatted("error", template.text, arguments)
    return template.text + "".join(map(display, arguments))


@primitive("error", dialect="r7rs", transparent=True)
def error_r7rs(message: Value, *irritants: Value, dynamic: DynamicState) -> Value:
    """Stop with an error that shows the message and the irritants."""
    text = " ".join([display(message), *map(write, irritants)])
    raise_error(UserError(message, *irritants, text=text), dynamic)


def _status(obj: Value) -> int:
    if obj is TRUE or obj is UNSPECIFIED:
        return 0
    return obj & 255 if type(obj) is int else 1


@primitive("exit", "%exit", "quit", "bye")
def exit_(obj: Value = TRUE) -> Value:
    """Leave minischeme; the exit status is obj, where #t means 0 and #f means 1."""
    raise SchemeExit(_status(obj))


@primitive("emergency-exit")
def emergency_exit(obj: Value = TRUE, *, dynamic: DynamicState) -> Value:
    """Leave minischeme like exit, without the after thunks of dynamic-wind."""
    dynamic.winds = None
    raise SchemeExit(_status(obj))


# ── the session ──────────────────────────────────────────────────────────────────────────────────────────────────────
@primitive("load")
def load(filename: Value, environment: EnvironmentArg | None = None, *, load_file: Callable[[str], None]) -> Value:
    """Run the Scheme file of that name: beside the loading file, in the current folder, or in the library."""
    names = [filename] if type(filename) is String else list(filename) if is_list(filename) else None
    if not names or not all(type(name) is String for name in names):
        raise SchemeError("load: bad file name:", filename)
    if environment is not None and environment.namespace is not None:
        raise SchemeError("load: only the program's own environment can be loaded into:", environment)
    for name in names:
        load_file(name.text)
    return UNSPECIFIED


@primitive("set-random-seed!", "randomize")
def set_random_seed(seed: Any = None, *, chance: RandomSource) -> Value:
    """Start the random numbers anew from a seed, so that a run can be repeated; without one, from chance."""
    if seed is not None and type(seed) is not int:
        raise SchemeError("set-random-seed!: not an integer:", seed)
    chance.random.seed(seed)
    return UNSPECIFIED


@primitive("strings-are-numbers", dialect="berkeley")
def set_strings_are_numbers(flag: Value, *, context: Context) -> Value:
    """Whether arithmetic takes strings of digits for numbers: #t (as at the start) or #f. Returns flag."""
    context.strings_are_numbers = flag is not FALSE
    values.strings_are_numbers.set(context.strings_are_numbers)
    return flag


@primitive("command-line")
def command_line(*, context: Context) -> Value:
    """The words of the command line behind the program's name, as strings."""
    context.arguments_asked = True
    return list_of([String(characters(argument)) for argument in context.arguments])


unary("identity", Value, lambda value: value, "The value itself.", "(identity 5) → 5", "berkeley")


@primitive("void")
def void(*objects: Value) -> Value:
    """No useful value."""
    return UNSPECIFIED
