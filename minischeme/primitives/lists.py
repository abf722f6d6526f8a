"""Lists: making, joining, reversing and copying them, and their parts."""

from collections.abc import Callable
from typing import Any

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, NIL, UNSPECIFIED, Pair, Value, list_of
from minischeme.primitives import kinds, pairs
from minischeme.primitives.kinds import Index, List, Number, PairArg, Real, is_list, of_type
from minischeme.primitives.numbers import real_of
from minischeme.primitives.registry import predicate, primitive

predicate("list?", is_list, "a list: neither dotted nor circular", example="(list? '(1 2)) → #t")


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
    return list_of([fill] * kinds.as_length("make-list", count))


@primitive("iota", example="(iota 3) → (0 1 2)")
def iota(count: Index, start: Number = 0, step: Number = 1) -> Value:
    """A list of so many numbers: start, start + step, and so on."""
    first, difference = real_of(start), real_of(step)
    return list_of([first + index * difference for index in range(kinds.as_length("iota", count))])


@primitive("enumerate-interval", dialect="berkeley", example="(enumerate-interval 1 5) → (1 2 3 4 5)")
def enumerate_interval(low: Real, high: Real) -> Value:
    """A list of the numbers from low to high, in steps of 1."""
    number, last = real_of(low), real_of(high)
    numbers = []
    while number <= last:
        numbers.append(number)
        number = number + 1
    return list_of(numbers)


@primitive("length", example="(length '(a b c)) → 3")
def length(list_: List) -> int:
    """The number of elements of a list."""
    cell = list_
    try:
        for steps in pairs.STEPS_BEFORE_CHECKING:
            if cell is NIL:
                return steps
            cell = cell.cdr
    except AttributeError:
        pass
    if not is_list(cell):
        raise SchemeError("length: not calculable.", list_)
    return len(pairs.STEPS_BEFORE_CHECKING) + length(cell)


@primitive("append", example="(append '(1 2) '(3)) → (1 2 3)")
def append(*lists: Value) -> Value:
    """The elements of all the lists in one list; the last argument becomes its end."""
    if len(lists) == 2 and type(lists[0]) is Pair:
        try:
            return list_of(pairs.elements(lists[0]), lists[1])
        except TypeError:
            pass
    return _appended("append", lists)


@primitive("%splice")
def splice(list_: Value, rest: Value) -> Value:
    """The elements of a list in front of the rest of a template."""
    return _appended("unquote-splicing", (list_, rest))


def _appended(operator: str, lists: tuple[Value, ...]) -> Value:
    *others, result = lists or (NIL,)
    for list_ in reversed(others):
        try:
            result = list_of(pairs.elements(list_), result)
        except TypeError:
            raise SchemeError(f"{operator}: not a list:", list_) from None
    return result


@primitive("append!")
def append_in_place(*lists: Value) -> Value:
    """Join lists by changing the end of each to the next one."""
    *others, result = lists or (NIL,)
    for list_ in others:
        if not is_list(list_):
            raise SchemeError("append!: not a list:", list_)
    for list_ in reversed(others):
        if list_ is not NIL:
            _last_cell(list_).cdr = result
            result = list_
    return result


@primitive("reverse", example="(reverse '(1 2 3)) → (3 2 1)")
def reverse(list_: List) -> Value:
    """The elements of a list in the opposite order."""
    result: Value = NIL
    cell = list_
    for _ in pairs.STEPS_BEFORE_CHECKING:
        if cell is NIL:
            return result
        result = Pair(cell.car, result)
        cell = cell.cdr
    for item in pairs.elements(cell):
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
    return list_of(*_spine("list-copy", list_))


def _spine(operator: str, list_: Value) -> tuple[list[Value], Value]:
    try:
        return pairs.spine(list_)
    except TypeError:
        raise SchemeError(f"{operator}: a circular list:", list_) from None


def _check_end(operator: str, list_: Value) -> None:
    if pairs.is_circular(list_):
        raise SchemeError(f"{operator}: a circular list:", list_)


# ── Parts of lists ───────────────────────────────────────────────────────────────────────────────────────────────────
def _at_index(name: str, operate: Callable[[str, Value, Value], Value], help_: str, **known: Any) -> None:
    @primitive(name, help_=help_, **known)
    def of_list(list_: Value, k: Index) -> Value:
        return operate(name, list_, k)


@primitive("list-ref", example="(list-ref '(a b c) 1) → b")
def list_ref(list_: Value, k: Index) -> Value:
    """The element at index k, counted from 0."""
    if type(k) is int and k >= 0:
        cell = list_
        try:
            for _ in range(k):
                cell = cell.cdr
            return cell.car
        except AttributeError:
            pass
    return pairs.element_at("list-ref", list_, k)


_at_index("list-tail", pairs.cell_after, "The list without its first k elements.", example="(list-tail '(a b) 1) → (b)")
_at_index("list-head", pairs.front_of, "A list of the first k elements.")
for _name, _operate, _help, _example in (
    ("drop", pairs.cell_after, "The list without its first k elements.", "(drop '(a b c) 2) → (c)"),
    ("take", pairs.front_of, "A list of the first k elements.", "(take '(a b c) 2) → (a b)"),
):
    _at_index(_name, _operate, _help, example=_example, dialect="berkeley")


@primitive("nth", dialect="berkeley")
def nth(k: Index, list_: Value) -> Value:
    """The element at index k, counted from 0."""
    return pairs.element_at("nth", list_, k)


@primitive("list-set!")
def list_set(list_: Value, k: Index, value: Value) -> Value:
    """Replace the element at index k, counted from 0."""
    pairs.pair_at("list-set!", list_, k).car = value
    return UNSPECIFIED


def _element_at(index: int, name: str) -> None:
    @primitive(name, help_=f"The {name} element of a list.", dialect="berkeley")
    def element(list_: PairArg) -> Value:
        return pairs.element_at(name, of_type(Pair, list_), index)


for _index, _name in enumerate(("second", "third", "fourth", "fifth"), start=1):
    _element_at(_index, _name)


@primitive("sublist")
def sublist(list_: List, start: Index, end: Index) -> Value:
    """A list of the elements from index start up to, not including, end."""
    items = pairs.elements(list_)
    first, last = kinds.bounds("sublist", len(items), start, kinds.as_index(end))
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
    return list_of(_spine("except-last-pair", of_type(Pair, list_))[0][:-1])
