"""Calls of the standard procedures as Scheme writes them, made without the compiler, for the tests."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import FunctionType, SimpleNamespace
from typing import Any

from minischeme import primitives
from minischeme.data.printer import write
from minischeme.data.source import Source
from minischeme.data.values import Pair, Symbol, Value, intern
from minischeme.primitives.registry import PRIMITIVES
from minischeme.reading.reader import read
from minischeme.runtime.context import RandomSource
from minischeme.runtime.dynamic_state import DynamicState
from minischeme.runtime.names import scheme_name
from minischeme.runtime.sentence_sharing import Sentences
from minischeme.runtime.tail_calls import TailCall

TAIL = TailCall()


def _keywords() -> Iterator[str]:
    """The names under which the standard procedures ask for objects of their session."""
    for table in PRIMITIVES.values():
        for known in table.values():
            yield from inspect.getfullargspec(known.function).kwonlyargs


OWNED = {
    **dict.fromkeys(_keywords(), SimpleNamespace()),
    "tail": TAIL,
    "dynamic": DynamicState(TAIL),
    "sentences": Sentences(),
    "chance": RandomSource(lambda: 1),
}
LIBRARIES = {
    dialect: {scheme_name(key): value for key, value in primitives.library(dialect, **OWNED).items()}
    for dialect in ("berkeley", "r7rs")
}


def datum(text: str) -> Value:
    """The datum that a text is, letters in upper case kept."""
    (form,) = read(Source(text, "<test>"), fold_case=False)
    return form.datum


def evaluate(expression: str, dialect: str = "berkeley", /, **variables: Value) -> Value:
    """The value of a call whose operands are constants, variables or calls themselves."""
    return _value(datum(expression), {**LIBRARIES[dialect], **variables})


def result(expression: str, dialect: str = "berkeley", /, **variables: Value) -> str:
    """The value of a call as `write` shows it."""
    return write(evaluate(expression, dialect, **variables))


def _value(expression: Value, bindings: dict[str, Value]) -> Value:
    if type(expression) is Symbol:
        return bindings[expression.name]
    if type(expression) is not Pair:
        return expression
    if expression.car is intern("quote"):
        return expression.cdr.car
    operator, *operands = expression
    return bindings[operator.name](*[_value(operand, bindings) for operand in operands])


def pending(function: Callable[..., Any]) -> FunctionType:
    """A procedure that leaves its work to a tail call, as compiled ones do."""

    def procedure(*arguments: Value) -> None:
        TAIL.procedure = function
        TAIL.arguments = arguments

    return procedure
