"""Pairs and lists: making them, taking them apart, and changing them.

Leaves searching and what else is built on lists to `list_library`, procedures that call procedures to
`higher_order`.
"""

from __future__ import annotations

from itertools import product
from types import FunctionType
from typing import Annotated, Any

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, NIL, TRUE, UNSPECIFIED, Boolean, Pair, Value, list_of
from minischeme.primitives.indices import as_index, as_length, bounds
from minischeme.primitives.kinds import Index, Kind, List, PairArg, is_list
from minischeme.primitives.registry import primitive

CONSTANTS: dict[str, Value] = {"nil": NIL, "null": NIL}
"""Variables of the berkeley dialect."""

_STEPS_BEFORE_CHECKING = range(1_000_000)


def elements(list_: Value) -> list[Value]:
    """The elements of a proper list.

    Raises: TypeError for anything else, a dotted or circular list too.
    """
    items: list[Value] = []
    cell = list_
    for _ in _STEPS_BEFORE_CHECKING:
        if type(cell) is not Pair:
            if cell is NIL:
                return items
            raise TypeError("not a list")
        items.append(cell.car)
        cell = cell.cdr
    rest, end = spine(cell)
    if end is not NIL:
        raise TypeError("not a list")
    return items + rest


def spine(value: Value) -> tuple[list[Value], Value]:
    """The elements along a chain of pairs, and what ends it.

    Raises: TypeError for a circular one.
    """
    items: list[Value] = []
    add = items.append
    cell = value
    for _ in _STEPS_BEFORE_CHECKING:
        if type(cell) is not Pair:
            return items, cell
        add(cell.car)
        cell = cell.cdr
    if is_circular(cell):
        raise TypeError("a circular list")
    while type(cell) is Pair:
        add(cell.car)
        cell = cell.cdr
    return items, cell


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
    """What is left of a list without its first elements.

    Raises: TypeError for what is no number of elements; SchemeError, which names the operator, for a list too short.
    """
    cell = list_
    for _ in range(as_index(steps)):
        if type(cell) is not Pair:
            raise _too_short(operator, list_)
        cell = cell.cdr
    return cell


def _too_short(operator: str, list_: Value) -> SchemeError:
    """The error for a list that ends before what is asked for."""
    if type(list_) is not Pair and list_ is not NIL:
        return SchemeError(f"{operator}: not a list:", list_)
    length = len(spine(list_)[0])
    is_index = operator not in ("list-tail", "list-head", "take", "drop")  # these count elements
    hint = f"its length is {length}" + (f", so the last index is {length - 1}" if length and is_index else "")
    return SchemeError(f"{operator}: list too short:", list_, hint=hint)


def front_of(operator: str, list_: Value, count: Value) -> Value:
    """A list of the first elements of a list.

    Raises: as `cell_after`.
    """
    items = []
    cell = list_
    for _ in range(as_index(count)):
        if type(cell) is not Pair:
            raise _too_short(operator, list_)
        items.append(cell.car)
        cell = cell.cdr
    return list_of(items)


def element_at(operator: str, list_: Value, k: Value) -> Value:
    """The element of a list at an index.

    Raises: as `cell_after`.
    """
    cell = cell_after(operator, list_, k)
    if type(cell) is not Pair:
        raise _too_short(operator, list_)
    return cell.car


# Pairs


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
    if type(pair) is not Pair:
        raise TypeError("not a pair")
    pair.car = value
    return UNSPECIFIED


@primitive("set-cdr!")
def set_cdr(pair: PairArg, value: Value) -> Value:
    """Replace the second half of a pair."""
    if type(pair) is not Pair:
        raise TypeError("not a pair")
    pair.cdr = value
    return UNSPECIFIED


def _accessor(letters: str) -> FunctionType:
    """The procedure that takes several cars and cdrs: ``ad`` gives ``cadr``, the car of the cdr.

    Each has code of its own, as fast as if written by hand, so that a failure tells which one it was.
    """
    name = f"c{letters}r"
    scope: dict[str, Any] = {"__name__": __name__}
    exec(f"def {name}(pair):\n    return pair{''.join(f'.c{letter}r' for letter in reversed(letters))}", scope)
    function: FunctionType = scope[name]

    def reaches(value: Value) -> bool:
        for letter in reversed(letters):
            if type(value) is not Pair:
                return False
            value = value.car if letter == "a" else value.cdr
        return True

    function.__annotations__ = {"pair": Annotated[Any, Kind("bad list", reaches)], "return": Value}
    function.__doc__ = f"The {' of the '.join(f'c{letter}r' for letter in letters)} of a pair."
    primitive(name)(function)
    return function


ACCESSORS = {
    f"c{''.join(letters)}r": _accessor("".join(letters))
    for count in (2, 3, 4)
    for letters in product("ad", repeat=count)
}
"""`caar` to `cddddr`, by their names."""

globals().update(ACCESSORS)


# Lists


@primitive("null?", example="(null? '()) → #t")
def is_null(value: Value) -> Boolean:
    """Whether the value is the empty list."""
    return TRUE if value is NIL else FALSE


@primitive("pair?", example="(pair? '(1 2)) → #t")
def is_pair(value: Value) -> Boolean:
    """Whether the value is a pair; every list but the empty one is."""
    return TRUE if type(value) is Pair else FALSE


@primitive("list?", example="(list? '(1 2)) → #t")
def is_proper_list(value: Value) -> Boolean:
    """Whether the value is a list: neither dotted nor circular."""
    return TRUE if is_list(value) else FALSE


@primitive("list", example="(list 1 (+ 1 1) 'c) → (1 2 c)")
def list_(*items: Value) -> Value:
    """A list of the arguments."""
    return list_of(items)


@primitive("cons*", "list*")
def cons_star(first: Value, *more: Value) -> Value:
    """A list of the arguments, in front of the last one."""
    return list_of((first, *more[:-1]), more[-1]) if more else first


@primitive("make-list")
def make_list(count: Index, fill: Value = FALSE) -> Value:
    """A list of so many elements, all of them `fill`."""
    return list_of([fill] * as_length("make-list", count))


@primitive("length", example="(length '(a b c)) → 3")
def length(list_: List) -> int:
    """The number of elements of a list."""
    count = 0
    cell = list_
    for count in _STEPS_BEFORE_CHECKING:  # noqa: B007, the number of steps is what is wanted
        if type(cell) is not Pair:
            break
        cell = cell.cdr
    else:
        count += 1
        if is_circular(cell):
            raise SchemeError("length: not calculable.", list_)
        while type(cell) is Pair:
            cell = cell.cdr
            count += 1
    if cell is not NIL:
        raise SchemeError("length: not calculable.", list_)
    return count


@primitive("append", example="(append '(1 2) '(3)) → (1 2 3)")
def append(*lists: Value) -> Value:
    """The elements of all the lists in one list; the last argument becomes its end."""
    return _appended("append", lists)


@primitive("%splice")
def splice(list_: Value, rest: Value) -> Value:
    """The elements of a list in front of the rest of a template."""
    return _appended("unquote-splicing", (list_, rest))


def _appended(operator: str, lists: tuple[Value, ...]) -> Value:
    result: Value = NIL
    for index in range(len(lists) - 1, -1, -1):
        if index == len(lists) - 1:
            result = lists[index]
            continue
        try:
            items = elements(lists[index])
        except TypeError:
            raise SchemeError(f"{operator}: not a list:", lists[index]) from None
        result = list_of(items, result)
    return result


@primitive("append!")
def append_in_place(*lists: Value) -> Value:
    """Join lists by changing the end of each to the next one."""
    if not lists:
        return NIL
    for list_ in lists[:-1]:
        if not is_list(list_):
            raise SchemeError("append!: not a list:", list_)
    result = lists[-1]
    for list_ in reversed(lists[:-1]):
        if list_ is not NIL:
            _last_cell(list_).cdr = result
            result = list_
    return result


@primitive("reverse", example="(reverse '(1 2 3)) → (3 2 1)")
def reverse(list_: List) -> Value:
    """The elements of a list in the opposite order."""
    result: Value = NIL
    for item in elements(list_):
        result = Pair(item, result)
    return result


@primitive("reverse!")
def reverse_in_place(list_: List) -> Value:
    """Turn a list round by changing its pairs."""
    if not is_list(list_):
        raise TypeError("not a list")
    result: Value = NIL
    cell = list_
    while type(cell) is Pair:
        cell.cdr, result, cell = result, cell, cell.cdr
    return result


@primitive("list-copy")
def list_copy(list_: Value) -> Value:
    """A list with the same elements in new pairs."""
    _check_end("list-copy", list_)
    return list_of(*spine(list_))


def _check_end(operator: str, list_: Value) -> None:
    if is_circular(list_):
        raise SchemeError(f"{operator}: a circular list:", list_)


# Parts of lists


@primitive("list-ref", example="(list-ref '(a b c) 1) → b")
def list_ref(list_: Value, k: Index) -> Value:
    """The element at index k, counted from 0."""
    return element_at("list-ref", list_, k)


@primitive("nth", dialect="berkeley")
def nth(k: Index, list_: Value) -> Value:
    """The element at index k, counted from 0."""
    return element_at("nth", list_, k)


@primitive("list-set!")
def list_set(list_: Value, k: Index, value: Value) -> Value:
    """Replace the element at index k, counted from 0."""
    cell = cell_after("list-set!", list_, k)
    if type(cell) is not Pair:
        raise _too_short("list-set!", list_)
    cell.car = value
    return UNSPECIFIED


@primitive("list-tail", example="(list-tail '(a b c d) 2) → (c d)")
def list_tail(list_: Value, k: Index) -> Value:
    """The list without its first k elements."""
    return cell_after("list-tail", list_, k)


@primitive("list-head")
def list_head(list_: Value, k: Index) -> Value:
    """A list of the first k elements."""
    return front_of("list-head", list_, k)


@primitive("sublist")
def sublist(list_: List, start: Index, end: Index) -> Value:
    """A list of the elements from index start up to, not including, end."""
    items = elements(list_)
    first, last = bounds("sublist", len(items), start, as_index(end))
    return list_of(items[first:last])


@primitive("last-pair")
def last_pair(list_: PairArg) -> Pair:
    """The last pair of a list."""
    _check_end("last-pair", list_)
    return _last_cell(list_)


def _last_cell(list_: Pair) -> Pair:
    cell = list_
    while type(cell.cdr) is Pair:
        cell = cell.cdr
    return cell


@primitive("except-last-pair", "except-last-pair!")
def except_last_pair(list_: PairArg) -> Value:
    """The elements of a list but for the last one."""
    if type(list_) is not Pair:
        raise TypeError("not a pair")
    _check_end("except-last-pair", list_)
    return list_of(spine(list_)[0][:-1])
