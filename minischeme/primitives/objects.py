"""The course's objects: operations on the classes (DIALECT.md section 1.3) of `define-class` and on programs' own.

A class and an object are procedures from a message to a method. The message ``instantiate`` gives the procedure that
makes a class's objects, ``initialize`` the one that tells an object which whole it is a part of, and initializes it.
"""

from collections.abc import Callable
from types import FunctionType
from typing import cast

from minischeme.data.errors import SchemeError
from minischeme.data.printer import display
from minischeme.data.values import UNSPECIFIED, Pair, Symbol, Value, intern, list_of
from minischeme.data.values import Procedure as ProcedureType
from minischeme.primitives.kinds import Procedure, SymbolArg, Word, is_word, of_type
from minischeme.primitives.loops import applied_for_effect
from minischeme.primitives.registry import predicate, primitive, primitive_of
from minischeme.runtime.resumption import resumed_by, transparent
from minischeme.runtime.tail_calls import TailCall

INSTANTIATE = intern("instantiate")
INITIALIZE = intern("initialize")
NO_METHOD = intern("no-method")


@primitive("no-method", dialect="berkeley", example="(no-method 'counter) → (no-method counter)")
def no_method(class_name: Value) -> Value:
    """What an object answers to a message that it has no method for."""
    return list_of([NO_METHOD, class_name])


def _is_missing(answer: Value) -> bool:
    return type(answer) is Pair and answer.car is NO_METHOD


for _name, _test, _what, _value in (
    ("no-method?", _is_missing, "an answer that says that there is no method", "#t"),
    ("method?", lambda answer: not _is_missing(answer), "an object's answer that is a method", "#f"),
):
    predicate(_name, _test, _what, example=f"({_name} (no-method 'counter)) → {_value}", dialect="berkeley")


@primitive("get-method", dialect="berkeley", transparent=True)
def get_method(class_name: Value, message: Value, *objects: Procedure, tail: TailCall) -> Value:
    """The method of the first of the objects that has one for message, else (no-method class-name)."""
    if not objects:
        return no_method(class_name)
    for object_ in objects:
        if type(object_) is not ProcedureType:
            raise SchemeError("get-method: not an object:", object_)

    def next_one(method: Value) -> Value:
        return get_method(class_name, message, *objects[1:], tail=tail) if _is_missing(method) else method

    return tail.then(objects[0], (message,), next_one)


@primitive("instantiate", "make", dialect="berkeley", transparent=True)
def instantiate(class_: Procedure, *arguments: Value, tail: TailCall) -> Value:
    """A new object of a class, made with the arguments of the class, and initialized."""

    def initialized(made: Value) -> Value:
        def initialize(method: Value) -> Value:
            return made if _is_missing(method) else tail.then(method, (made,), lambda _: made)

        return tail.then(made, (INITIALIZE,), initialize)

    return _made_then("instantiate", class_, arguments, initialized, tail)


@primitive("instantiate-parent", dialect="berkeley", transparent=True)
def instantiate_parent(class_: Procedure, *arguments: Value, tail: TailCall) -> Value:
    """A new object of a class that is not initialized, since it is to be a part of another."""
    return _made_then("instantiate-parent", class_, arguments, lambda made: made, tail)


@transparent
def _made_then(
    name: str, class_: Value, arguments: tuple[Value, ...], finish: Callable[[Value], Value], tail: TailCall
) -> Value:
    """The result of `finish` for a new object; `name` is that of the procedure that makes it."""

    def construct(make: Value) -> Value:
        if _is_missing(make):
            raise SchemeError(f"{name}: not a class:", class_)
        return tail.then(make, arguments, finish)

    if type(class_) is not ProcedureType or primitive_of(class_) is not None:
        return construct(no_method(class_))
    return tail.then(class_, (INSTANTIATE,), construct)


@primitive("ask", dialect="berkeley", tail_calls=True)
def ask(object_: Procedure, message: Value, *arguments: Value, tail: TailCall) -> Value:
    """Send an object a message with arguments."""
    if type(object_) is not ProcedureType or primitive_of(object_) is not None:
        raise SchemeError("ask: not an object:", object_)
    return _sent(tail.call(object_, (message,)), message, arguments, tail)


def _sent(method: Value, message: Value, arguments: tuple[Value, ...], tail: TailCall) -> Value:
    if _is_missing(method):
        class_name = "".join(f" in class {display(name)}" for name in list(method)[1:])
        raise SchemeError(f"No method {display(message)}{class_name}")
    return tail.leave(method, *arguments)


resumed_by(ask)(lambda frame: lambda method: _sent(method, frame["message"], frame["arguments"], frame["tail"]))


@primitive("%initialize-parents", dialect="berkeley", transparent=True)
def initialize_parents(whole: Value, *parents: Value, tail: TailCall) -> Value:
    """Initialize the parents of an object."""

    def initialize_parent(parent: Value) -> Value:
        method = tail.call(parent, (INITIALIZE,))
        return UNSPECIFIED if _is_missing(method) else tail.leave(method, whole)

    return applied_for_effect(cast(FunctionType, initialize_parent), [list(parents)], tail)


@primitive("%usual", dialect="berkeley")
def usual(message: Value, *parents: Value, tail: TailCall) -> Value:
    """The method that a parent has for a message."""
    method = get_method(NO_METHOD, message, *parents, tail=tail)
    if _is_missing(method):
        raise SchemeError(f"No usual method {display(message)}")
    return method


@primitive("maknam", dialect="berkeley", example="(maknam 'my- 'counter) → my-counter")
def make_name(*words: Word) -> Symbol:
    """The symbol whose name is the words one behind the other."""
    if not all(map(is_word, words)):
        raise TypeError("not a word")
    return intern("".join(map(display, words)))


@primitive("show-class", dialect="berkeley")
def show_class(class_name: SymbolArg, *, class_definition: Callable[[Symbol], Value]) -> Value:
    """What the definition of a class by define-class is short for: the procedure that the class is."""
    return class_definition(of_type(Symbol, class_name))
