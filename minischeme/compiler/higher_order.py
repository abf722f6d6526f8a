"""Higher-order procedures: how a call of one with a `lambda` is a loop over elements.

Each rule of the table says where the elements come from, what a turn does with the value of the lambda's body, and what
the loop's result becomes. A rule holds while the program leaves the name of the procedure alone (`CallFacts`), and
`element_loops` makes the code.
"""

from collections.abc import Callable, Iterator
from enum import Enum, auto
from typing import Any

import msgspec

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, NIL, TRUE, UNSPECIFIED, Char, Pair, String, Value, Vector, list_of
from minischeme.primitives import mapping, searching, words
from minischeme.primitives.kinds import WORD_TYPES
from minischeme.primitives.loops import Columns, columns_of, equally_long
from minischeme.primitives.pairs import elements
from minischeme.runtime.resumption import copied

Elements = Iterator[Any]


class Step(Enum):
    """What a turn does with the value of the body, and the result before the first turn."""

    IGNORE = auto()
    COLLECT = auto()
    ADD_WORDS = auto()
    KEEP_IF_TRUE = auto()
    KEEP_IF_FALSE = auto()
    FIND_VALUE = auto()
    FIND_ELEMENT = auto()
    UNTIL_FALSE = auto()
    FOLD_FIRST = auto()  # the result so far is the first argument of the next call
    FOLD_LAST = auto()

    @property
    def folds(self) -> bool:
        return self in (Step.FOLD_FIRST, Step.FOLD_LAST)

    @property
    def position(self) -> int:
        """The position of the result so far among the parameters."""
        return 0 if self is Step.FOLD_FIRST else -1

    @property
    def tests(self) -> bool:
        """Whether nothing but the truth of the value matters."""
        return self in (Step.KEEP_IF_TRUE, Step.KEEP_IF_FALSE, Step.FIND_ELEMENT)

    @property
    def ends_early(self) -> bool:
        return self in (Step.FIND_VALUE, Step.FIND_ELEMENT, Step.UNTIL_FALSE)

    @property
    def initial(self) -> Value | None:
        """The result if there are no elements; None for a list of results."""
        return _INITIAL.get(self)


_INITIAL = {Step.IGNORE: UNSPECIFIED, Step.FIND_VALUE: FALSE, Step.FIND_ELEMENT: FALSE, Step.UNTIL_FALSE: TRUE}


class ElementRule(msgspec.Struct, frozen=True, eq=False):
    """A rule for the calls of a higher-order procedure whose first argument is a lambda.

    `elements` makes an iterator of the elements from the other arguments, of which there are as many as `counts` says,
    or None where the procedure itself has to report an error. A rule with a `step` that folds takes the first element
    for the initial result. `finish` makes the value from the result. A rule that `walks` goes along the pairs of its
    argument instead, and meets what is no list only at its end; its `finish` gets the argument, too.
    """

    elements: Callable[..., Elements | Value | None]
    step: Step
    finish: Callable[..., Value] | None = None
    counts: range = range(1, 9)
    walks: bool = False

    def fits(self, arguments: int, parameters: int) -> bool:
        """Whether the rule applies to so many other arguments, and a lambda with so many parameters."""
        return arguments in self.counts and parameters == max(arguments, 2 if self.step.folds else 1)


_ONE = range(1, 2)
_TWO = range(2, 3)
_ONE_OR_TWO = range(1, 3)
_TWO_OR_MORE = range(2, 9)


def _together(columns: Columns) -> list[Value]:
    return columns[0] if len(columns) == 1 else list(zip(*columns, strict=False))


def _rows(*lists: Value) -> list[Value] | None:
    try:
        return _together(columns_of("", lists)) if len(lists) > 1 else elements(*lists)
    except (SchemeError, TypeError):
        return None


def _in_lists(*lists: Value) -> Elements | None:
    rows = _rows(*lists)
    return None if rows is None else iter(rows)


def _in_equal_lists(*lists: Value) -> Elements | None:
    try:
        return iter(_together(equally_long("", lists)))
    except (SchemeError, TypeError):
        return None


def _in_vectors(*vectors: Value) -> Elements | None:
    are_vectors = all(type(vector) is Vector for vector in vectors)
    return iter(_together([vector[:] for vector in vectors])) if are_vectors else None


def _in_strings(*strings: Value) -> Elements | None:
    if not all(type(string) is String for string in strings):
        return None
    return iter(_together([list(map(Char.of, string.text)) for string in strings]))


def _from_left(initial: Value, *lists: Value) -> Elements | None:
    rows = _rows(*lists)
    return None if rows is None else iter([initial, *rows])


def _from_right(initial: Value, *lists: Value) -> Elements | None:
    rows = _rows(*lists)
    return None if rows is None else iter([initial, *reversed(rows)])


def _accumulated(*arguments: Value) -> Elements | None:
    """The elements of a sentence or word from the right, behind the initial value if there is one."""
    *initial, source = arguments
    rows = words.letters(source) if type(source) in WORD_TYPES else _rows(source)
    return None if rows is None or not (initial or rows) else iter([*initial, *reversed(rows)])


def _reduced(*arguments: Value) -> Elements | None:
    *initial, list_ = arguments
    rows = _rows(list_)
    return None if rows is None or not (initial or rows) else iter([*initial, *reversed(rows)])


def _without_initial(initial: Value, list_: Value) -> Elements | None:
    rows = _rows(list_)
    return None if rows is None else iter(rows or [initial])


def _reversed_without_initial(initial: Value, list_: Value) -> Elements | None:
    rows = _rows(list_)
    return None if rows is None else iter(rows[::-1] or [initial])


def _words_of(thing: Value) -> Value:
    return list_of(words.letters(thing)) if type(thing) in WORD_TYPES else thing


TABLE: dict[Callable[..., Value], ElementRule] = {
    mapping.map_: ElementRule(_in_lists, Step.COLLECT, list_of),
    mapping.for_each: ElementRule(_in_lists, Step.IGNORE),
    mapping.vector_map: ElementRule(_in_vectors, Step.COLLECT, Vector),
    mapping.vector_for_each: ElementRule(_in_vectors, Step.IGNORE),
    mapping.string_for_each: ElementRule(_in_strings, Step.IGNORE),
    searching.filter_: ElementRule(_in_lists, Step.KEEP_IF_TRUE, list_of, _ONE),
    searching.remove: ElementRule(_in_lists, Step.KEEP_IF_FALSE, list_of, _ONE),
    searching.remove_standard: ElementRule(_in_lists, Step.KEEP_IF_FALSE, list_of, _ONE),
    searching.find: ElementRule(_in_lists, Step.FIND_ELEMENT, None, _ONE),
    searching.any_: ElementRule(_in_lists, Step.FIND_VALUE),
    searching.ormap: ElementRule(_in_equal_lists, Step.FIND_VALUE),
    searching.andmap: ElementRule(_in_equal_lists, Step.UNTIL_FALSE),
    words.every: ElementRule(_words_of, Step.ADD_WORDS, lambda _, found: list_of(found), _ONE, walks=True),
    words.keep: ElementRule(_words_of, Step.KEEP_IF_TRUE, words.kept_of, _ONE, walks=True),
    words.accumulate: ElementRule(_accumulated, Step.FOLD_LAST, None, _ONE_OR_TWO),
    mapping.reduce_: ElementRule(_reduced, Step.FOLD_LAST, None, _ONE_OR_TWO),
    mapping.reduce_standard: ElementRule(_without_initial, Step.FOLD_LAST, None, _TWO),
    mapping.reduce_left: ElementRule(_without_initial, Step.FOLD_FIRST, None, _TWO),
    mapping.reduce_right: ElementRule(_reversed_without_initial, Step.FOLD_LAST, None, _TWO),
    mapping.fold_left: ElementRule(_from_left, Step.FOLD_FIRST, None, _TWO_OR_MORE),
    mapping.fold_right: ElementRule(_from_right, Step.FOLD_LAST, None, _TWO_OR_MORE),
    mapping.fold: ElementRule(_from_left, Step.FOLD_LAST, None, _TWO_OR_MORE),
    mapping.foldl: ElementRule(_from_left, Step.FOLD_LAST, None, _TWO),
    mapping.foldr: ElementRule(_from_right, Step.FOLD_LAST, None, _TWO),
}
"""The rules by the Python functions of the procedures. Each names `elements` that fail where the procedure does."""


def words_added(found: list[Value], thing: Value) -> bool:
    """Add a word, or the words of a sentence, to others; returns whether it is one."""
    try:
        words.add_words(found, thing)
    except SchemeError:
        return False
    return True


def giving(value: Value) -> Callable[[Value], Value]:
    """A procedure that gives a value for everything."""
    return lambda _: value


def with_element(element: Value, elements: Value) -> Value:
    """The elements of a turn that has begun and of those after it. They may be asked for again."""
    return Pair(element, elements) if elements is NIL or type(elements) is Pair else iter([element, *copied(elements)])
