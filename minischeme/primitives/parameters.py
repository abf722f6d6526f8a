"""Parameters (R7RS 4.2.6) and the procedures behind `parameterize` and `case-lambda`.

A parameter is a plain procedure; what `parameterize` needs of it is kept in its ``__dict__``.
"""

import sys
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import cast

import msgspec

from minischeme.data.cpython import CO_VARARGS
from minischeme.data.errors import SchemeError
from minischeme.data.values import DEFAULT, NIL, UNSPECIFIED, Boolean, Pair, Value, boolean, list_of
from minischeme.primitives.kinds import Procedure, check_procedure
from minischeme.primitives.loops import applied_then
from minischeme.primitives.registry import primitive
from minischeme.runtime.dynamic_state import DynamicState
from minischeme.runtime.ports import Console
from minischeme.runtime.resumption import transparent
from minischeme.runtime.tail_calls import TailCall


class Parameter(msgspec.Struct, eq=False):
    """Access to the value of a parameter, and the procedure that new values go through."""

    get: Callable[[], Value]
    set: Callable[[Value], None]
    converter: Procedure | None = None


@primitive(
    "make-parameter",
    "make-settable-parameter",
    "make-unsettable-parameter",
    example="(let ((depth (make-parameter 1))) (list (parameterize ((depth 2)) (depth)) (depth))) → (2 1)",
    transparent=True,
)
def make_parameter(value: Value, converter: Procedure = None, *, tail: TailCall) -> Value:
    """A procedure that returns value, or what parameterize gives it instead; converter changes each value first."""
    if converter is None:
        return _made(value, None)
    check_procedure(converter)
    return tail.then(converter, (value,), lambda converted: _made(converted, converter))


def _made(current: Value, converter: Procedure | None) -> Value:
    def parameter() -> Value:
        return current

    def change(new: Value) -> None:
        nonlocal current
        current = new

    cast(FunctionType, parameter).__dict__["parameter"] = Parameter(parameter, change, converter)
    return parameter


def _parameter(procedure: Value, console: Console) -> Parameter:
    """The parameter behind a procedure; the current ports are parameters too."""
    found = getattr(procedure, "__dict__", {}).get("parameter")
    if isinstance(found, Parameter):
        return found
    attribute = getattr(procedure, "__dict__", {}).get("port")
    if attribute is None:
        raise SchemeError("parameterize: not a parameter:", procedure)
    return Parameter(lambda: getattr(console, attribute), lambda port: setattr(console, attribute, port))


@primitive("%parameterize", transparent=True)
def parameterize(body: Procedure, *settings: Value, dynamic: DynamicState, console: Console, tail: TailCall) -> Value:
    """Call body while each parameter, of the pairs of parameter and value, has another value."""
    parameters = [_parameter(procedure, console) for procedure in settings[::2]]
    values = settings[1::2]
    if all(parameter.converter is None for parameter in parameters):
        return _with_values(parameters, values, body, dynamic)

    @transparent
    def convert(parameter: Parameter, value: Value) -> Value:
        return value if parameter.converter is None else parameter.converter(value)

    @transparent
    def converted() -> Value:
        return applied_then(convert, [parameters, list(values)], list, tail)

    return tail.then(converted, (), lambda values: _with_values(parameters, values, body, dynamic))


@transparent
def _with_values(parameters: list[Parameter], values: Iterable[Value], body: Procedure, dynamic: DynamicState) -> Value:
    others = list(values)

    def swap() -> Value:
        for index, parameter in enumerate(parameters):
            kept = parameter.get()
            parameter.set(others[index])
            others[index] = kept
        return UNSPECIFIED

    return dynamic.wind(cast(FunctionType, swap), body, cast(FunctionType, swap))


@primitive("%case-lambda")
def case_lambda(*clauses: Procedure, tail: TailCall) -> Value:
    """A procedure that goes on with the first of the clauses that takes as many arguments as it is given."""

    def choose(*arguments: Value) -> Value:
        count = len(arguments)
        for clause in clauses:
            code = clause.__code__
            if code.co_argcount == count or (code.co_argcount < count and code.co_flags & CO_VARARGS):
                tail.procedure = clause
                tail.arguments = arguments
                return None
        raise SchemeError("case-lambda: no clause takes the arguments:", list_of(arguments))

    return choose


@primitive("default-object?", dialect="berkeley", example="((lambda (x #!optional y) (default-object? y)) 1) → #t")
def is_default(value: Value) -> Boolean:
    """Whether value is that of an optional parameter that was given no argument."""
    return boolean(value is DEFAULT)


@primitive("%optional-argument")
def optional_argument(arguments: Value, index: int) -> Value:
    """The argument at an index; the default object if there are not so many."""
    rest = arguments_behind(arguments, index)
    return rest.car if type(rest) is Pair else DEFAULT


@primitive("%arguments-behind")
def arguments_behind(arguments: Value, count: int) -> Value:
    """The arguments without the first ones."""
    for _ in range(count):
        if type(arguments) is not Pair:
            break
        arguments = arguments.cdr
    return arguments


@primitive("%at-most")
def at_most(arguments: Value, count: int) -> Value:
    """Check that there are no more optional arguments than parameters for them."""
    if arguments_behind(arguments, count) is not NIL:
        # In Python's words, which `diagnosis` takes for what happened to the procedure that called this.
        raise TypeError(f"{sys._getframe(1).f_code.co_qualname}() takes fewer arguments")
    return UNSPECIFIED
