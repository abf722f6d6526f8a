"""Pairs: making and changing them, walking along chains of them, and the course's trees and tagged data."""

from collections.abc import Callable
from itertools import chain, product
from types import FunctionType
from typing import Annotated, Any

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, NIL, TRUE, UNSPECIFIED, Boolean, Pair, Value, list_of
from minischeme.primitives.kinds import Kind, PairArg, as_index, is_list, of_type
from minischeme.primitives.registry import predicate, primitive

CONSTANTS: dict[str, Value] = {"nil": NIL, "null": NIL}
"""Variables of the berkeley dialect."""

STEPS_BEFORE_CHECKING = range(1_000_000)
"""The number of pairs walked along before a chain is checked for being circular."""


def elements(list_: Value) -> list[Value]:
    """The elements of a proper list; a TypeError for anything else, a dotted or circular list too."""
    items: list[Value] = []
    cell = list_
    try:
        for _ in STEPS_BEFORE_CHECKING:
            if cell is NIL:
                return items
            items.append(cell.car)
            cell = cell.cdr
    except AttributeError:
        pass
    if not is_list(cell):
        raise TypeError("not a list")
    return [*items, *cell]


def spine(value: Value) -> tuple[list[Value], Value]:
    """The elements along a chain of pairs, and its end; a TypeError for a circular one."""
    items: list[Value] = []
    cell = value
    for _ in STEPS_BEFORE_CHECKING:
        if type(cell) is not Pair:
            return items, cell
        items.append(cell.car)
        cell = cell.cdr
    if is_circular(cell):
        raise TypeError("a circular list")
    rest, end = spine(cell)
    return items + rest, end


def is_circular(value: Value) -> bool:
    """Whether a chain of pairs has no end."""
    slow = value
    while type(value) is Pair and type(value.cdr) is Pair:
        value = value.cdr.cdr
        slow = slow.cdr
        if value is slow:
            return True
    return False


def cell_after(operator: str, list_: Value, steps: Value) -> Value:
    """The rest of a list behind its first elements; a SchemeError, which names the operator, if too short."""
    cell = list_
    for _ in range(steps if type(steps) is int and steps >= 0 else as_index(steps)):
        if type(cell) is not Pair:
            raise too_short(operator, list_)
        cell = cell.cdr
    return cell


def too_short(operator: str, list_: Value) -> SchemeError:
    """The error for a list that ends before what is asked for."""
    if type(list_) is not Pair and list_ is not NIL:
        return SchemeError(f"{operator}: not a list:", list_)
    length = len(spine(list_)[0])
    is_index = operator not in ("list-tail", "list-head", "take", "drop")  # these count elements
    hint = f"its length is {length}" + (f", so the last index is {length - 1}" if length and is_index else "")
    return SchemeError(f"{operator}: list too short:", list_, hint=hint)


def front_of(operator: str, list_: Value, count: Value) -> Value:
    """A list of the first elements of a list; a SchemeError as of `cell_after`."""
    items = []
    cell = list_
    for _ in range(as_index(count)):
        if type(cell) is not Pair:
            raise too_short(operator, list_)
        items.append(cell.car)
        cell = cell.cdr
    return list_of(items)


def pair_at(operator: str, list_: Value, k: Value) -> Pair:
    """The pair of a list that has the element at an index; a SchemeError as of `cell_after`."""
    cell = cell_after(operator, list_, k)
    if type(cell) is not Pair:
        raise too_short(operator, list_)
    return cell


def element_at(operator: str, list_: Value, k: Value) -> Value:
    """The element of a list at an index; a SchemeError as of `cell_after`."""
    return pair_at(operator, list_, k).car


# ── Pairs ────────────────────────────────────────────────────────────────────────────────────────────────────────────
@primitive("cons", example="(cons 1 '(2 3)) → (1 2 3)")
def cons(car: Value, cdr: Value) -> Pair:
    """A new pair; with a list as its cdr, the list with one element more in front."""
    return Pair(car, cdr)


@primitive("car", example="(car '(1 2 3)) → 1")
def car(pair: PairArg) -> Value:
    """The first half of a pair; the first element of a list."""
    return pair.car


@primitive("cdr", example="(cdr '(1 2 3)) → (2 3)")
def cdr(pair: PairArg) -> Value:
    """The second half of a pair; a list without its first element."""
    return pair.cdr


@primitive("set-car!")
def set_car(pair: PairArg, value: Value) -> Value:
    """Replace the first half of a pair."""
    of_type(Pair, pair).car = value
    return UNSPECIFIED


@primitive("set-cdr!")
def set_cdr(pair: PairArg, value: Value) -> Value:
    """Replace the second half of a pair."""
    of_type(Pair, pair).cdr = value
    return UNSPECIFIED


_ACCESSOR_MODELS: dict[int, Any] = {2: lambda pair: pair.a.b, 3: lambda pair: pair.a.b.c, 4: lambda pair: pair.a.b.c.d}


def _accessor(letters: str) -> None:
    """Define the procedure that takes several cars and cdrs: ``ad`` gives ``cadr``, the car of the cdr.

    Each has code of its own, as fast as if written by hand, so that a failure tells which one it was.
    """
    model = _ACCESSOR_MODELS[len(letters)]
    parts = tuple(f"c{letter}r" for letter in reversed(letters))
    function = FunctionType(model.__code__.replace(co_names=parts), globals())

    def reaches(value: Value) -> bool:
        for letter in reversed(letters):
            if type(value) is not Pair:
                return False
            value = value.car if letter == "a" else value.cdr
        return True

    function.__annotations__ = {"pair": Annotated[Any, Kind("bad list", reaches)], "return": Value}
    primitive(f"c{letters}r", help_=f"The {' of the '.join(reversed(parts))} of a pair.")(function)


for _letters in chain(product("ad", repeat=2), product("ad", repeat=3), product("ad", repeat=4)):
    _accessor("".join(_letters))


@primitive("null?", example="(null? '()) → #t")
def is_null(value: Value) -> Boolean:
    """Whether the value is the empty list."""
    return TRUE if value is NIL else FALSE


predicate("pair?", Pair, "a pair; every list but the empty one is", example="(pair? '(1 2)) → #t")
predicate("atom?", lambda obj: type(obj) is not Pair, "not a pair", dialect="berkeley")


# ── Mutable pairs of Racket, which all pairs are here ────────────────────────────────────────────────────────────────
for _name, _function, _help in (
    ("mcons", cons, "A new pair, as cons makes it."),
    ("mcar", car, "The first half of a pair."),
    ("mcdr", cdr, "The second half of a pair."),
    ("set-mcar!", set_car, "Replace the first half of a pair."),
    ("set-mcdr!", set_cdr, "Replace the second half of a pair."),
    ("datum", car, "The datum of a tree."),
    ("children", cdr, "The list of a tree's subtrees."),
):
    primitive(_name, help_=_help, dialect="berkeley")(_function)


# ── Trees and tagged data, as the course represents them ─────────────────────────────────────────────────────────────
@primitive("make-node", dialect="berkeley")
def make_node(datum: Value, children: Value) -> Pair:
    """A tree: its datum, and a list of trees."""
    return Pair(datum, children)


@primitive("attach-tag", dialect="berkeley", example="(attach-tag 'polar '(1 2)) → (polar 1 2)")
def attach_tag(tag: Value, contents: Value) -> Pair:
    """Tagged data: the contents, marked with their type."""
    return Pair(tag, contents)


def _tagged(name: str, part: Callable[[Pair], Value], help_: str, example: str) -> None:
    @primitive(name, help_=help_, example=example, dialect="berkeley")
    def part_of(datum: PairArg) -> Value:
        if type(datum) is not Pair:
            raise SchemeError(f"Bad tagged datum -- {name.upper()}", datum)
        return part(datum)


_tagged("type-tag", car, "The type that tagged data is marked with.", "(type-tag '(polar 1 2)) → polar")
_tagged("contents", cdr, "Tagged data without its mark.", "(contents '(polar 1 2)) → (1 2)")


@primitive("tree-copy", "copy-tree", dialect="berkeley")
def tree_copy(tree: Value) -> Value:
    """A copy of a tree of pairs: none of them is shared with it."""
    top = Pair(tree, NIL)
    waiting = [top]
    while waiting:  # each pair here is a copy whose parts may still be pairs of the original
        cell = waiting.pop()
        for part in ("car", "cdr"):
            value = getattr(cell, part)
            if type(value) is Pair:
                copy = Pair(value.car, value.cdr)
                setattr(cell, part, copy)
                waiting.append(copy)
    return top.car
