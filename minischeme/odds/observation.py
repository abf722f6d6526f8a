"""Observation of strategies: their core is evaluated with symbols for the cards, and each look at a card is recorded.

Its answer depends on the looks alone, so all hands with the same results of the looks get the same answer.
"""

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from types import FunctionType
from typing import Any, NamedTuple, TypeAlias

from minischeme.compiler.assembly import info_of
from minischeme.compiler.names import Names
from minischeme.data.errors import SchemeError
from minischeme.data.values import (
    FALSE,
    NIL,
    TRUE,
    UNSPECIFIED,
    Pair,
    Procedure,
    Symbol,
    Value,
    intern,
    list_of,
    untraced,
)
from minischeme.expansion import core
from minischeme.expansion.core import Lambda, Node, Variable
from minischeme.primitives.equivalence import equal
from minischeme.primitives.pairs import elements
from minischeme.primitives.registry import Primitive, primitive_of
from minischeme.runtime.boxes import Box, UnassignedCheckBox
from minischeme.runtime.names import python_name, standard_value

UP = -1
"""The place of the dealer's card; those of the hand count from 0."""


class Values(NamedTuple):
    """A look at the values of cards, in any order: at their total, or at each."""

    places: tuple[int, ...]
    is_total: bool


class Part(NamedTuple):
    """A look at a part of a card, such as the `last` of its `butlast`: whether it is a word, or what it is."""

    places: tuple[int]
    path: tuple[Procedure, ...] = ()
    word: Value | None = None

    @property
    def place(self) -> int:
        return self.places[0]


Look: TypeAlias = Values | Part
Call: TypeAlias = Callable[[Procedure, tuple[Value, ...]], Value]
"""A function that applies a procedure of the program to arguments."""

Frame: TypeAlias = ChainMap[Variable, Any]

_PARTS = {"first", "last", "butfirst", "butlast"}
_MAKERS = {"cons", "list", "sentence", "%sentence", "append", "not", "apply"}
_OF_LISTS = _PARTS | _MAKERS | {
    "car", "cdr", "null?", "pair?", "list?", "sentence?", "empty?", "count", "length", "reverse", "item", "list-ref",
    "every", "keep", "filter", "map", "for-each", "accumulate", "reduce",
}  # fmt: skip
"""The standard procedures that do not look at the elements of lists."""


class Observer:
    """An evaluator of strategies for one hand.

    Args:
        best_total: the program's procedure, which counts values alone.
        words: the cards by their places.
        look: records a look, and gives its result.
    """

    def __init__(
        self,
        best_total: Procedure,
        words: dict[int, Value],
        look: Callable[[Look], Any],
        call: Call,
    ) -> None:
        self._best_total = untraced(best_total)
        self._words = words
        self._look = look
        self._call = call
        self._symbols: dict[Symbol, Part] = {}
        self._closures: dict[Value, tuple[Lambda, Frame, dict[str, Value]]] = {}

    def answer(self, strategy: Procedure) -> bool:
        """The answer of a strategy."""
        symbols = {place: self._symbol(Part((place,))) for place in self._words}
        up_card = symbols.pop(UP)
        return self._apply(strategy, [list_of(symbols.values()), up_card]) is not FALSE

    def _symbol(self, part: Part) -> Symbol:
        symbol = Symbol("card")
        self._symbols[symbol] = part
        return symbol

    def _part(self, value: Value) -> Part | None:
        return self._symbols.get(value) if type(value) is Symbol else None

    def _apply(self, operator: Value, arguments: Sequence[Value]) -> Value:
        procedure = untraced(operator)
        known = primitive_of(procedure)
        if known is not None:
            return self._standard(known, procedure, arguments)
        if procedure is self._best_total:
            return self._counted(procedure, arguments, is_total=True)
        closure = self._closures.get(procedure) or self._opened(procedure)
        if closure is None:
            return self._call(procedure, tuple(map(self._real, arguments)))
        made, frame, globals_ = closure
        bindings: dict[Variable, Any] = dict(zip(made.parameters, arguments, strict=made.rest is None))
        if made.rest is not None:
            bindings[made.rest] = list_of(arguments[len(made.parameters) :])
        return self._value(made.body, frame.new_child(bindings), globals_)

    def _opened(self, procedure: Value) -> tuple[Lambda, Frame, dict[str, Value]] | None:
        """The lambda, the captured variables and the globals of a compiled procedure."""
        info = info_of(procedure.__code__) if type(procedure) is FunctionType else None
        if info is None or info.procedure is None:
            return None
        cells = dict(zip(procedure.__code__.co_freevars, procedure.__closure__ or (), strict=True))
        names = Names.of_unit(info.unit).variables.items() if cells else ()
        captured = {variable: cells[name].cell_contents for variable, name in names if name in cells}
        self._closures[procedure] = found = info.procedure, ChainMap(captured), procedure.__globals__
        return found

    def _standard(self, known: Primitive, procedure: Procedure, arguments: Sequence[Value]) -> Value:
        """The value of a call of a standard procedure, which gets the cards themselves if it looks at them."""
        name = known.names[0]
        parts = list(map(self._part, arguments))
        if name in _PARTS and parts[0] is not None:
            return self._symbol(parts[0]._replace(path=(*parts[0].path, procedure)))
        if name == "optimal-answer":
            return self._counted(procedure, arguments, is_total=False)
        if name in ("member?", "member", "memq") and parts[0] is None:
            rest = arguments[1]
            while type(rest) is Pair and not self._is(rest.car, arguments[0]):
                rest = rest.cdr
            return FALSE if rest is NIL else TRUE if name == "member?" else rest
        if name in ("equal?", "eq?", "eqv?") and parts.count(None) == 1:
            symbol, word = arguments if parts[1] is None else reversed(arguments)
            return TRUE if self._is(symbol, word) else FALSE
        if name not in _OF_LISTS or (name not in _MAKERS and any(parts)):
            arguments = list(map(self._real, arguments))
        elif known.calls_others:
            arguments = list(map(self._watched, arguments))
        return self._call(procedure, tuple(arguments))

    def _counted(self, procedure: Procedure, arguments: Sequence[Value], *, is_total: bool) -> Value:
        """The value of a procedure that looks at the values of cards alone: those of a hand, and other arguments."""
        hand, *others = arguments
        for cards, at_total in ((elements(hand), is_total), (others, True)):
            parts = [self._part(card) for card in cards]
            places = [part.place for part in parts if part is not None and not part.path]
            if places:
                self._look(Values(tuple(sorted(places)), at_total and None not in parts))
        words = {symbol: self._words[part.place] for symbol, part in self._symbols.items() if not part.path}
        known = list_of([words.get(card, card) for card in elements(hand)]), *(words.get(each, each) for each in others)
        return self._call(procedure, tuple(map(self._real, known)))

    def _is(self, value: Value, word: Value) -> bool:
        part = self._part(value)
        return equal(value, word) if part is None else bool(self._look(part._replace(word=word)))

    def _real(self, value: Value) -> Value:
        """A value with the words in the place of their symbols."""
        part = self._part(value)
        if part is not None:
            self._look(part)
            return word_of(part, self._words, self._call)
        if type(value) is Pair:
            car, cdr = self._real(value.car), self._real(value.cdr)
            return value if car is value.car and cdr is value.cdr else Pair(car, cdr)
        return value

    def _watched(self, value: Value) -> Value:
        return (lambda *arguments: self._apply(value, arguments)) if type(value) is FunctionType else value

    def _value(self, node: Node, frame: Frame, globals_: dict[str, Value]) -> Value:
        if isinstance(node, core.If):
            holds = self._value(node.test, frame, globals_) is not FALSE
            return self._value(node.consequent if holds else node.alternative, frame, globals_)
        if isinstance(node, core.Constant):
            return node.value
        if isinstance(node, core.Local):
            value = frame[node.variable]
            return value.value if type(value) in (Box, UnassignedCheckBox) else value
        if isinstance(node, core.Global):
            key = python_name(node.name)
            return globals_[key] if key in globals_ else globals_["__builtins__"][key]
        if isinstance(node, core.Standard):
            return standard_value(globals_["__builtins__"], node.name)
        if isinstance(node, core.Lambda):
            return self._closure(node, frame, globals_)
        if isinstance(node, core.Or):
            value = self._value(node.first, frame, globals_)
            return value if value is not FALSE else self._value(node.second, frame, globals_)
        values = [self._value(part, frame, globals_) for part in core.children(node)]
        if isinstance(node, core.Call):
            return self._apply(values[0], values[1:])
        return values[-1] if isinstance(node, core.Sequence) else self._assigned(node, values[0], frame, globals_)

    def _closure(self, node: Lambda, frame: Frame, globals_: dict[str, Value]) -> Value:
        def run(*arguments: Value) -> Value:
            return self._real(self._apply(run, arguments))

        self._closures[run] = node, frame, globals_
        return run

    def _assigned(self, node: Any, value: Value, frame: Frame, globals_: dict[str, Value]) -> Value:
        """The value of a definition or an assignment."""
        if isinstance(node, core.Bind):
            frame[node.variable] = value
            return intern(node.variable.name)
        if isinstance(node, core.SetLocal):
            variables = next(variables for variables in frame.maps if node.variable in variables)
            place = variables[node.variable]
            if type(place) is Box:
                place.value = self._real(value)
            else:
                variables[node.variable] = value
            return UNSPECIFIED
        key = python_name(node.name)
        if type(value) is FunctionType or type(globals_.get(key)) is FunctionType:
            raise SchemeError(
                "exact-odds: the strategy gives other procedures to the names that it uses",
                hint="(play-report strategy 10000) plays games with it",
            )
        globals_[key] = self._real(value)
        return UNSPECIFIED


def word_of(part: Part, words: Mapping[int, Value], call: Call) -> Value:
    """A part of a card, as a word."""
    return reduce(lambda word, procedure: call(procedure, (word,)), part.path, words[part.place])
