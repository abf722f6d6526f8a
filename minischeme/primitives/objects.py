"""The course's objects: what programs do with the classes that `define-class` makes (dialect section 1.3)."""

from __future__ import annotations

from types import FunctionType
from typing import cast

from minischeme.errors import SchemeError
from minischeme.primitives.higher_order import applied_to_each, call
from minischeme.primitives.kinds import Procedure
from minischeme.primitives.registry import primitive, primitive_of
from minischeme.runtime import TailCall
from minischeme.suspension import Locals, Resume, resumed_by
from minischeme.values import FALSE, UNSPECIFIED, Symbol, Value, intern
from minischeme.values import Procedure as ProcedureType

INSTANTIATE = intern("instantiate")
"""The message that makes a class give the procedure that makes its objects."""

FIND = Symbol("find")
"""The message that no program can send: an object answers with the procedure that finds its methods."""

INITIALIZE = Symbol("initialize")
"""Likewise: the answer is the procedure that tells an object which whole it is a part of, and initializes it."""


@primitive("instantiate", dialect="berkeley")
def instantiate(class_: Procedure, *arguments: Value, tail: TailCall) -> Value:
    """A new object of a class, made with the arguments of the class."""
    if type(class_) is not ProcedureType or primitive_of(class_) is not None:
        raise SchemeError("instantiate: not a class:", class_)
    made = instance(class_, *arguments, tail=tail)
    return _initialized(made, tail)


@resumed_by(instantiate)
def _after_instantiate(frame: Locals) -> Resume:
    return (lambda value: value) if "made" in frame else lambda made: _initialized(made, frame["tail"])


def _initialized(made: Value, tail: TailCall) -> Value:
    initialize = call(made, (INITIALIZE,), tail)
    return call(initialize, (made,), tail)


@resumed_by(_initialized)
def _after_initialized(frame: Locals) -> Resume | None:
    return (lambda value: value) if "initialize" in frame else None


@primitive("%instance", dialect="berkeley")
def instance(class_: Procedure, *arguments: Value, tail: TailCall) -> Value:
    """A new object that is not initialized, since it may be a part of another."""
    make = call(class_, (INSTANTIATE,), tail)
    return call(make, arguments, tail)


@resumed_by(instance)
def _after_instance(frame: Locals) -> Resume | None:
    return (lambda made: made) if "make" in frame else None


@primitive("ask", dialect="berkeley", tail_calls=True)
def ask(object_: Procedure, message: Symbol, *arguments: Value, tail: TailCall) -> Value:
    """Send an object a message with arguments."""
    if type(object_) is not ProcedureType or primitive_of(object_) is not None:
        raise SchemeError("ask: not an object:", object_)
    if type(message) is not Symbol:
        raise SchemeError("ask: bad message:", message)
    return _sent(call(object_, (message,), tail), arguments, tail)


def _sent(method: Value, arguments: tuple[Value, ...], tail: TailCall) -> Value:
    tail.procedure = method
    tail.arguments = arguments
    return None


@resumed_by(ask)
def _after_method(frame: Locals) -> Resume:
    return lambda method: _sent(method, frame["arguments"], frame["tail"])


@primitive("%initialize-parents", dialect="berkeley")
def initialize_parents(parents: Value, whole: Value, *, tail: TailCall) -> Value:
    """Initialize the parents of an object."""

    def initialize_parent(parent: Value) -> Value:
        tail.procedure = call(parent, (INITIALIZE,), tail)
        tail.arguments = (whole,)
        return None

    applied_to_each(cast(FunctionType, initialize_parent), [list(parents)], tail)
    return UNSPECIFIED


@resumed_by(initialize_parents)
def _after_parents(frame: Locals) -> Resume:
    return lambda _: UNSPECIFIED


@primitive("%find-in-parents", dialect="berkeley")
def find_in_parents(parents: Value, message: Symbol, *, tail: TailCall) -> Value:
    """The first method that a parent has for a message; #f for none."""
    for parent in parents:
        method = call(call(parent, (FIND,), tail), (message,), tail)
        if method is not FALSE:
            return method
    return FALSE


@primitive("%usual", dialect="berkeley")
def usual(parents: Value, message: Symbol, *, tail: TailCall) -> Value:
    """The method that a parent has for a message."""
    method = find_in_parents(parents, message, tail=tail)
    if method is FALSE:
        raise SchemeError(f"No usual method {message.name}")
    return method


@primitive("%no-method", dialect="berkeley")
def no_method(message: Symbol, class_name: Symbol) -> Value:
    """The method for a message that nobody understands: it complains."""

    def complain(*arguments: Value) -> Value:
        raise SchemeError(f"No method {message.name} in class {class_name.name}")

    return complain
