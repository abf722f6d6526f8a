"""Higher-order procedures: what the calls of each with a `lambda` do as loops over elements.

A rule holds while the program leaves the name of the procedure alone (`CallFacts`). `analysis` chooses the calls, and
`element_loops` makes the code.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NoReturn

import msgspec

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, NIL, TRUE, UNSPECIFIED, Char, String, Value, Vector, list_of
from minischeme.expansion.core import Lambda, Node
from minischeme.primitives import hash_tables, mapping, searching, words
from minischeme.primitives.kinds import WORD_TYPES, as_length
from minischeme.primitives.loops import Columns, columns_of
from minischeme.primitives.pairs import elements
from minischeme.primitives.strings import string_of
from minischeme.runtime.resumption import copied

Rows = Callable[..., list[Any]]


class ElementRule(msgspec.Struct, frozen=True, eq=False):
    """A rule for calls of which the argument `at` an index is a lambda.

    `rows` gives the elements from the other arguments, and fails where the procedure would refuse them. The others are
    Python texts: the `result` at first, its change by the value of the lambda, of which only the truth counts if it is
    called `test`, and the value of the call. `counts` are the numbers of other arguments, and a `position` is that of
    the parameter for the result so far. The lambda has as many parameters as there are other arguments, but not fewer
    than `parameters`. The rows of what `is_search` have what is sought as a last part, which no parameter takes. A rule
    without `rows` goes along the pairs of a sentence, the `source`, and may find only at their end that it is none.
    """

    rows: Rows | None
    first: str
    step: str
    value: str = "result"
    counts: range = range(1, 9)
    position: int | None = None
    at: int = 0
    parameters: int = 1
    is_search: bool = False

    def procedure_in(self, arguments: Sequence[Node]) -> Lambda | None:
        """The lambda among the arguments of a call that the rule applies to; None if it does not."""
        if len(arguments) - 1 not in self.counts or len(arguments) <= self.at:
            return None
        found = arguments[self.at]
        if type(found) is not Lambda or found.rest is not None:
            return None
        count = max(len(arguments) - 1, self.parameters if self.position is None else 2)
        return found if len(found.parameters) == count else None


def _together(columns: Columns) -> list[Any]:
    return columns[0] if len(columns) == 1 else list(zip(*columns, strict=False))


def _of_lists(*lists: Value) -> list[Any]:
    return elements(*lists) if len(lists) == 1 else _together(columns_of("", lists))


def _of_kind(kind: type, column: Callable[[Any], list[Value]]) -> Rows:
    def rows(*arguments: Value) -> list[Any]:
        for argument in arguments:
            if type(argument) is not kind:
                raise TypeError("not of the kind")
        return _together([column(argument) for argument in arguments])

    return rows


_OF_VECTORS = _of_kind(Vector, list.copy)
_OF_STRINGS = _of_kind(String, lambda string: [Char.of(letter) for letter in string.text])


def sentence_of(thing: Value) -> Value:
    """The letters of a word; anything else itself, which should be a sentence."""
    return list_of(words.letters(thing)) if type(thing) in WORD_TYPES else thing


def _from_right(*arguments: Value) -> list[Any]:
    """The elements of a list from the right, behind an initial value if there is one."""
    rows = elements(arguments[-1])
    rows += arguments[:-1]
    if not rows:
        raise TypeError("nothing to combine")
    rows.reverse()
    return rows


def _indexed(*lists: Value) -> list[Any]:
    columns = columns_of("", lists)
    return list(zip(*columns, range(len(columns[0])), strict=False))


_ONE = range(1, 2)
_TWO = range(2, 3)
_MORE = range(2, 9)
_COLLECT = "[]", "result.append(value)", "list_of(result)"
_KEEP = "[]", "if test: result.append(element)"
_REMOVE = "[]", "if not test: result.append(element)", "list_of(result)"
_ADD_WORDS = """
if type(value) in WORD_TYPES:
    result.append(value)
else:
    add_words(result, value, procedure)
"""
_FOLD = "next(elements)", "result = value", "result"
_SEARCH = "FALSE", "if test:\n result = element[-1]\n break", "result"

TABLE: dict[Callable[..., Value], ElementRule] = {
    mapping.map_: ElementRule(_of_lists, *_COLLECT),
    mapping.for_each: ElementRule(_of_lists, "UNSPECIFIED", ""),
    mapping.vector_map: ElementRule(_OF_VECTORS, "[]", "result.append(value)", "Vector(result)"),
    mapping.vector_for_each: ElementRule(_OF_VECTORS, "UNSPECIFIED", ""),
    mapping.string_for_each: ElementRule(_OF_STRINGS, "UNSPECIFIED", ""),
    mapping.string_map: ElementRule(_OF_STRINGS, "[]", "result.append(value)", "string_map(result)"),
    mapping.list_tabulate: ElementRule(lambda n: list(range(as_length("", n))), *_COLLECT, _ONE, at=1),
    mapping.flatmap: ElementRule(elements, "[]", "result.append(value)", "flatmap(result)", _ONE),
    mapping.append_map: ElementRule(elements, "[]", "result.append(value)", "append_map(result)", _ONE),
    mapping.filter_map: ElementRule(
        elements, "[]", "if value is not FALSE: result.append(value)", "list_of(result)", _ONE
    ),
    hash_tables.hash_table_walk: ElementRule(
        hash_tables.entries_of, "UNSPECIFIED", "", counts=_ONE, at=1, parameters=2
    ),
    hash_tables.hash_table_map: ElementRule(hash_tables.entries_of, *_COLLECT, _ONE, at=1, parameters=2),
    searching.filter_: ElementRule(elements, *_KEEP, "list_of(result)", _ONE),
    searching.remove: ElementRule(elements, *_REMOVE, _ONE),
    searching.remove_standard: ElementRule(elements, *_REMOVE, _ONE),
    searching.find: ElementRule(elements, "FALSE", "if test:\n result = element\n break", "result", _ONE),
    searching.list_index: ElementRule(_indexed, *_SEARCH, is_search=True),
    searching.member: ElementRule(searching.cells_to_compare, *_SEARCH, _TWO, at=2, is_search=True),
    searching.assoc: ElementRule(searching.entries_to_compare, *_SEARCH, _TWO, at=2, is_search=True),
    searching.delete: ElementRule(
        lambda item, list_: [(item, each) for each in elements(list_)],
        "[]",
        "if not test: result.append(element[-1])",
        "list_of(result)",
        _TWO,
        at=2,
    ),
    searching.any_: ElementRule(_of_lists, "FALSE", "result = value\nif result is not FALSE: break"),
    searching.ormap: ElementRule(elements, "FALSE", "result = value\nif result is not FALSE: break", "result", _ONE),
    searching.andmap: ElementRule(elements, "TRUE", "result = value\nif result is FALSE: break", "result", _ONE),
    words.every: ElementRule(None, "[]", _ADD_WORDS, "list_of(result)", _ONE),
    words.keep: ElementRule(None, *_KEEP, "kept_of(source, result)", _ONE),
    words.accumulate: ElementRule(lambda *of: _from_right(*of[:-1], sentence_of(of[-1])), *_FOLD, range(1, 3), -1),
    mapping.reduce_: ElementRule(_from_right, *_FOLD, range(1, 3), -1),
    mapping.reduce_standard: ElementRule(lambda initial, list_: elements(list_) or [initial], *_FOLD, _TWO, -1),
    mapping.reduce_left: ElementRule(lambda initial, list_: elements(list_) or [initial], *_FOLD, _TWO, 0),
    mapping.reduce_right: ElementRule(lambda initial, list_: elements(list_)[::-1] or [initial], *_FOLD, _TWO, -1),
    mapping.fold_left: ElementRule(lambda initial, *lists: [initial, *_of_lists(*lists)], *_FOLD, _MORE, 0),
    mapping.fold_right: ElementRule(lambda initial, *lists: [initial, *_of_lists(*lists)[::-1]], *_FOLD, _MORE, -1),
    mapping.fold: ElementRule(lambda initial, *lists: [initial, *_of_lists(*lists)], *_FOLD, _MORE, -1),
    mapping.foldl: ElementRule(lambda initial, list_: [initial, *elements(list_)], *_FOLD, _TWO, -1),
    mapping.foldr: ElementRule(_from_right, *_FOLD, _TWO, -1),
}
"""The rules by the Python functions of the procedures."""


# ── what the code of loops calls ─────────────────────────────────────────────────────────────────────────────────────
def refusal(procedure: Value, given: Callable[[], Value], at: int = 0) -> Callable[..., NoReturn]:
    """A function that has a procedure refuse arguments and, at an index among them, one which it may show, and which is
    made only then."""

    def refuse(*arguments: Value) -> NoReturn:
        procedure(*arguments[:at], given(), *arguments[at:])
        raise AssertionError("arguments that are not refused")

    return refuse


def iterator(rows: Rows, refuse: Callable[..., NoReturn]) -> Callable[..., Iterator[Any]]:
    """A function that gives the elements in arguments, or refuses them."""

    def elements_in(*arguments: Value) -> Iterator[Any]:
        try:
            return iter(rows(*arguments))
        except (AttributeError, SchemeError, TypeError):
            pass
        refuse(*arguments)

    return elements_in


def add_words(found: list[Value], thing: Value, every: Callable[..., Value]) -> None:
    """Add a word, or the words of a sentence, to others, as `every` does."""
    try:
        words.add_words(found, thing)
    except SchemeError:
        pass
    else:
        return
    refusal(every, lambda: lambda _: thing)(list_of([NIL]))


_REFUSING = add_words, refusal(None, list), iterator(elements, refusal(None, list))
HIDDEN = frozenset(id(function.__code__) for function in _REFUSING)
"""The identities of the codes whose frames are of no interest to anyone."""


def from_turn(element: Value, rest: Value) -> Value:
    """The elements from the one whose turn has begun on; a sentence from its pair on."""
    return iter([element, *copied(rest)]) if isinstance(rest, Iterator) else rest


CONSTANTS: dict[str, Any] = {
    "FALSE": FALSE,
    "TRUE": TRUE,
    "UNSPECIFIED": UNSPECIFIED,
    "Vector": Vector,
    "WORD_TYPES": WORD_TYPES,
    "add_words": add_words,
    "append_map": mapping.appended("append-map"),
    "flatmap": mapping.appended("flatmap"),
    "kept_of": words.kept_of,
    "list_of": list_of,
    "next": next,
    "string_map": partial(string_of, "string-map"),
    "type": type,
}
"""The names in the texts of rules that are not those of a loop's own values."""
