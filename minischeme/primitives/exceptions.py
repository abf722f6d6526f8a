"""Exceptions: raise, handlers, and what can be asked of a caught error (R7RS 6.11)."""

from collections.abc import Callable
from typing import Annotated, Any, NoReturn

import msgspec

from minischeme.data.errors import FileError, RaisedObject, ReadError, SchemeError, UserError
from minischeme.data.printer import display, write
from minischeme.data.values import FALSE, SchemeObject, String, Symbol, Value, list_of
from minischeme.primitives.kinds import Kind, Procedure, StringArg, SymbolArg, check_procedure, check_type
from minischeme.primitives.registry import predicate, primitive
from minischeme.runtime.dynamic_state import NO_HANDLER, Chosen, DynamicState, Handler
from minischeme.runtime.ports import Console
from minischeme.runtime.resumption import Locals, Resume, extent, resumed_by, transparent
from minischeme.runtime.tail_calls import TailCall
from minischeme.system.tracebacks import remove_traceback


class Condition(SchemeObject, msgspec.Struct, eq=False):
    """An error as a Scheme value: what a handler is given."""

    error: SchemeError

    def __repr__(self) -> str:
        return f"#[condition {self.error}]"


Explain = Callable[[BaseException], SchemeError]
"""The error that a session reports for an exception of Python's."""

ConditionArg = Annotated[Any, Kind("not an error object", lambda value: type(value) is Condition)]


# ── raising ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def raise_object(obj: Value, dynamic: DynamicState) -> NoReturn:
    """Offer an object to the handlers in force; if none of them leaves, raise the error that stands for it."""
    handlers = dynamic.handlers
    _not_taken(obj, dynamic.offer(obj, handlers, handlers, dynamic.winds), handlers, dynamic)


@transparent
def _not_taken(obj: Value, result: Value, handlers: Handler | None, dynamic: DynamicState) -> NoReturn:
    """Raise the error of an object that no handler has taken; a handler that has returned is an error of its own."""
    if result is NO_HANDLER:
        raise error_of(obj)
    is_guard = True
    while handlers is not None and is_guard:
        _, handlers, _, is_guard = handlers
    dynamic.handlers = handlers
    raise_object(Condition(returned_error(obj)), dynamic)


@transparent
def raise_error(error: SchemeError, dynamic: DynamicState) -> NoReturn:
    """Raise an error, to the handlers in force as an object."""
    if dynamic.handlers is None:
        raise error
    raise_object(Condition(error), dynamic)


def error_of(obj: Value) -> SchemeError:
    """The error that stands for a raised object outside of Scheme."""
    return obj.error if type(obj) is Condition else RaisedObject(obj)


def returned_error(obj: Value) -> SchemeError:
    """The error that a handler has returned from what can't be continued."""
    if type(obj) is Condition:
        text = str(obj.error)
        if text.startswith(_RETURNED):  # to a handler around this one, which has returned too
            return obj.error
        return SchemeError(f"{_RETURNED} {text}", span=obj.error.span)
    return SchemeError("raise: the handler returned, but this can't be continued:", obj)


_RETURNED = "the handler returned, but an error can't be continued:"


@primitive("raise", example="(guard (e (#t (list 'caught e))) (raise 'oops)) → (caught oops)")
def raise_(obj: Value, *, dynamic: DynamicState) -> Value:
    """Call the handler in force with obj; it must not return."""
    handlers = dynamic.handlers
    _not_taken(obj, dynamic.offer(obj, handlers, handlers, dynamic.winds), handlers, dynamic)


@resumed_by(raise_object)
@resumed_by(raise_)
def _resume_raise(frame: Locals) -> Resume:
    return lambda result: _not_taken(frame["obj"], result, frame["handlers"], frame["dynamic"])


@primitive("raise-continuable")
def raise_continuable(obj: Value, *, dynamic: DynamicState) -> Value:
    """Call the handler in force with obj; what it returns is the value."""
    return _returned(obj, dynamic.offer(obj, dynamic.handlers, dynamic.handlers, dynamic.winds))


def _returned(obj: Value, result: Value) -> Value:
    if result is NO_HANDLER:
        raise error_of(obj)
    return result


resumed_by(raise_continuable)(lambda frame: lambda result: _returned(frame["obj"], result))


# ── handling ─────────────────────────────────────────────────────────────────────────────────────────────────────────
@primitive(
    "with-exception-handler",
    example="(with-exception-handler (lambda (x) 42) (lambda () (+ (raise-continuable 'oops) 1))) → 43",
    transparent=True,
)
def with_exception_handler(
    handler: Procedure, thunk: Procedure, *, dynamic: DynamicState, explain: Explain, tail: TailCall
) -> Value:
    """Call thunk with handler in force: it is called with each object that is raised meanwhile."""
    check_procedure(handler, thunk)
    own = handler, dynamic.handlers, dynamic.winds, False
    return _handled(thunk, own, dynamic=dynamic, explain=explain, tail=tail)


@extent
def _handled(thunk: Procedure, own: Value, *, dynamic: DynamicState, explain: Explain, tail: TailCall) -> Value:
    """The value of thunk, with a handler in force, or one made of the procedure of a guard; or a pending call of the
    clause with which a guard catches what is raised."""
    if type(own) is tuple:
        outer = own[1]
    else:
        outer = dynamic.handlers
        own = own, outer, dynamic.winds, True
    dynamic.handlers = own
    try:
        result = thunk()
        if result is None:
            result = tail.run()
        dynamic.handlers = outer
        return result
    except Chosen as chosen:
        dynamic.handlers = outer
        handler, clause = chosen.args
        if handler is not own:
            raise
        remove_traceback(chosen)
        tail.procedure = clause
        tail.arguments = ()
        return None
    except OSError:
        raise  # the code that catches it asks whether it happened in the reach of the handler
    except Exception as exception:
        if dynamic.handlers is not own:
            raise
        dynamic.handlers = outer
        error = explain(exception).with_traceback(None)
    except BaseException:
        dynamic.handlers = outer
        raise
    # An error of Python's was unwound to here: the handler may escape from the call or report, but not repair.
    obj = error.payload if isinstance(error, RaisedObject) else Condition(error)  # the inverse of `error_of`
    answer = own[0](obj)
    if answer is None:
        answer = tail.run()
    return _answered(obj, answer, own, dynamic, tail)


def _answered(obj: Value, answer: Value, own: Handler, dynamic: DynamicState, tail: TailCall) -> Value:
    """Continue after a handler has returned, or a guard has chosen a clause or none."""
    *_, is_guard = own
    if not is_guard:
        _not_taken(obj, answer, own, dynamic)
    if answer is FALSE:
        raise_object(obj, dynamic)
    return tail.leave(answer)


_guard = extent(primitive("%guard", tail_calls=True, help_="The value of thunk, or of a guard's clause.")(_handled))


@resumed_by(_guard)
@resumed_by(_handled)
def _resume_handled(frame: Locals) -> Resume | None:
    if "obj" not in frame:
        return None
    return lambda answer: _answered(frame["obj"], answer, frame["own"], frame["dynamic"], frame["tail"])


# ── errors as objects ────────────────────────────────────────────────────────────────────────────────────────────────
def _caught(kind: type[SchemeError]) -> Callable[[Value], bool]:
    return lambda obj: type(obj) is Condition and isinstance(obj.error, kind)


predicate("error-object? condition? error?", Condition, "an error that was caught, not another raised object")
predicate("read-error?", _caught(ReadError), "an error that read raised for text that is not Scheme")
predicate("file-error?", _caught(FileError), "an error about a file that can't be opened, read, written or deleted")


@primitive(
    "error-object-message",
    "error-message",
    "condition/message",
    example='(guard (e (#t (error-object-message e))) (error "Bad thing:" \'x)) → "Bad thing:"',
)
def error_object_message(error: ConditionArg) -> String:
    """The message of a caught error, a string."""
    problem = error.error
    if isinstance(problem, UserError):
        return problem.payload if type(problem.payload) is String else String(display(problem.payload))
    return String(problem.message)


@primitive("error-object-irritants", "error-irritants", "condition/irritants")
def error_object_irritants(error: ConditionArg) -> Value:
    """The list of the values that a caught error shows behind its message."""
    return list_of(error.error.irritants)


@primitive("condition/report-string", "error-message-string")
def condition_report_string(error: ConditionArg) -> String:
    """The whole text of a caught error, as the prompt would show it."""
    return String(str(error.error))


@primitive("access-condition")
def access_condition(error: ConditionArg, field: SymbolArg) -> Value:
    """The field of a caught error: message or irritants."""
    check_type(Condition, error)
    check_type(Symbol, field)
    if field.name == "message":
        return error_object_message(error)
    if field.name == "irritants":
        return error_object_irritants(error)
    raise SchemeError("access-condition: no such field:", field)


@primitive("warn")
def warn(message: StringArg, *irritants: Value, console: Console) -> Value:
    """Print a warning: the message and the irritants."""
    check_type(String, message)
    console.output.fresh_line()
    console.output.write(" ".join([f";Warning: {message.text}", *map(write, irritants)]) + "\n")
    return message
