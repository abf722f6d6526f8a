"""Searching lists and association lists, lists without some of their elements, and sorting."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any

from minischeme.data import values
from minischeme.data.values import FALSE, NIL, TRUE, Pair, String, Symbol, Value, Vector, list_of
from minischeme.data.values import Procedure as ProcedureType
from minischeme.primitives import loops
from minischeme.primitives.equivalence import Comparison, eq, equal, equal_standard, eqv, text_key, word_key
from minischeme.primitives.kinds import Kind, List, Procedure, check_procedure, is_list
from minischeme.primitives.pairs import STEPS_BEFORE_CHECKING, elements
from minischeme.primitives.registry import primitive
from minischeme.runtime.resumption import Locals, resumed_loop, transparent
from minischeme.runtime.tail_calls import TailCall

AssociationList = Annotated[
    Any, Kind("not an association list", lambda value: is_list(value) and all(type(entry) is Pair for entry in value))
]

_EQUAL_ONLY_TO_ITSELF = frozenset({Symbol, values.Char, values.Boolean, values.EmptyList})


# ── Members ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def search(same: Comparison, obj: Value, list_: Value, is_alist: bool = False) -> Value:
    """The cell of a list whose element is `same` as an object, or the entry of an association list whose car is that.

    FALSE if there is none. Anything but a list ends in an AttributeError, or a TypeError if it is circular.
    """
    kind = type(obj)
    is_lenient = same is equal  # the others take values of two types for different
    cell = list_
    if kind is int:
        for _ in STEPS_BEFORE_CHECKING:
            if cell is NIL:
                return FALSE
            found = cell.car if is_alist else cell
            item: Any = found.car
            if item == obj if type(item) is int else is_lenient and same(obj, item):
                return found
            cell = cell.cdr
    elif kind in _EQUAL_ONLY_TO_ITSELF and not is_lenient:
        for _ in STEPS_BEFORE_CHECKING:
            if cell is NIL:
                return FALSE
            found = cell.car if is_alist else cell
            if found.car is obj:
                return found
            cell = cell.cdr
    else:
        folded = word_key(obj) if is_lenient else None
        is_text = is_lenient and kind is String
        for _ in STEPS_BEFORE_CHECKING:
            if cell is NIL:
                return FALSE
            found = cell.car if is_alist else cell
            item = found.car
            if item is obj or (
                item.folded == folded
                if type(item) is Symbol
                else text_key(item.text) == folded
                if is_text and type(item) is String
                else (is_lenient or type(item) is kind) and same(obj, item)
            ):
                return found
            cell = cell.cdr
    if not is_list(cell):
        raise TypeError("not a list")
    return search(same, obj, cell, is_alist)


@primitive("memq", example="(memq 'b '(a b c)) → (b c)")
def memq(obj: Value, list_: List) -> Value:
    """The part of a list that begins with that very object, or #f; compares by eq?."""
    return search(eq, obj, list_)


@primitive("memv")
def memv(obj: Value, list_: List) -> Value:
    """The part of a list that begins with the object, or #f; compares by eqv?."""
    return search(eqv, obj, list_)


@primitive("member", example="(member 2 '(1 2 3)) → (2 3)", transparent=True)
def member(obj: Value, list_: List, compare: Procedure = None, *, tail: TailCall) -> Value:
    """The part of a list that begins with the object, or #f; words count as the same only if of the same type."""
    if compare is None:
        return search(equal_standard, obj, list_)
    return _first_equal(compare, cells_to_compare(obj, list_), tail)


Comparisons = list[tuple[Value, Value, Value]]
"""The comparisons by a procedure of the program: the object, another one, and what is found if they are the same."""


@transparent
def _first_equal(compare: Value, rows: Comparisons, tail: TailCall) -> Value:
    columns = [[first for first, _, _ in rows], [second for _, second, _ in rows]]
    return loops.first_found(compare, columns, lambda index, _: rows[index][2], tail)


def cells_to_compare(obj: Value, list_: Value) -> Comparisons:
    """An object with each element of a list, whose cell is found."""
    rows: Comparisons = []
    cell = list_
    for item in elements(list_):
        rows.append((obj, item, cell))
        cell = cell.cdr
    return rows


def entries_to_compare(obj: Value, alist: Value) -> Comparisons:
    """An object with the car of each entry of an association list, which is found."""
    return [(obj, entry.car, entry) for entry in elements(alist)]


# ── Elements that satisfy a predicate ────────────────────────────────────────────────────────────────────────────────
@primitive("find", transparent=True)
def find(predicate: Procedure, list_: List, *, tail: TailCall) -> Value:
    """The first element that satisfies a predicate, or #f."""
    items = elements(list_)
    return loops.first_found(predicate, [items], lambda index, _: items[index], tail)


@primitive("list-index", transparent=True)
def list_index(predicate: Procedure, list_: Value, *lists: Value, tail: TailCall) -> Value:
    """The index, counted from 0, of the first element that satisfies a predicate, or #f."""
    return loops.first_found(predicate, loops.columns_of("list-index", (list_, *lists)), lambda index, _: index, tail)


@primitive("any", transparent=True)
def any_(predicate: Procedure, list_: Value, *lists: Value, tail: TailCall) -> Value:
    """The first value but #f that a predicate gives for the elements of a list, or of n lists together; or #f."""
    return loops.first_found(predicate, loops.columns_of("any", (list_, *lists)), lambda _, answer: answer, tail)


@primitive("ormap", dialect="berkeley", example="(ormap even? '(1 3)) → #f", transparent=True)
def ormap(procedure: Procedure, list_: List, *lists: List, tail: TailCall) -> Value:
    """The first true value that the procedure returns for an element; #f if there is none."""
    return loops.first_found(procedure, loops.equally_long("ormap", (list_, *lists)), lambda _, answer: answer, tail)


@primitive("andmap", dialect="berkeley", example="(andmap even? '(2 4)) → #t")
def andmap(procedure: Procedure, list_: List, *lists: List, tail: TailCall) -> Value:
    """What the procedure returns for the last element, or #f as soon as it returns that."""
    check_procedure(procedure)
    result: Value = TRUE
    for row in zip(*loops.equally_long("andmap", (list_, *lists)), strict=True):
        result = tail.call(procedure, row)
        if result is FALSE:
            break
    return result


@primitive("filter", example="(filter odd? '(1 2 3)) → (1 3)", transparent=True)
def filter_(predicate: Procedure, list_: List, *, tail: TailCall) -> Value:
    """A list of the elements that satisfy a predicate."""
    items = elements(list_)

    def chosen(answers: loops.Results) -> Value:
        return list_of([item for item, answer in zip(items, answers, strict=True) if answer is not FALSE])

    return loops.applied_then(predicate, [items], chosen, tail)


# ── Removing ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def _others(items: list[Value]) -> Callable[[loops.Results], Value]:
    """A function from answers for the items to a list of those for which they are false."""
    return lambda answers: list_of([item for item, answer in zip(items, answers, strict=True) if answer is FALSE])


def _without(same: Comparison, item: Value, list_: Value) -> Value:
    kind = type(item)
    folded = word_key(item) if same is equal else None
    others = [
        each
        for each in elements(list_)
        if (
            each is not item and each.folded != folded
            if type(each) is Symbol
            else each != item
            if type(each) is int is kind
            else not same(item, each)
        )
    ]
    return list_of(others)


@primitive("remove", dialect="berkeley", example="(remove 'a '(b a n a)) → (b n)", transparent=True)
def remove(item: Value, list_: List, *, tail: TailCall) -> Value:
    """A list without the elements that are equal? to an item or, if it is a procedure, that satisfy it."""
    return remove_standard(item, list_, tail=tail) if type(item) is ProcedureType else _without(equal, item, list_)


@primitive("remove", dialect="r7rs", transparent=True)
def remove_standard(predicate: Procedure, list_: List, *, tail: TailCall) -> Value:
    """A list without the elements that satisfy a predicate."""
    items = elements(list_)
    return loops.applied_then(predicate, [items], _others(items), tail)


@primitive("remq", dialect="berkeley")
def remq(item: Value, list_: List) -> Value:
    """A list without the elements that are eq? to an item."""
    return _without(eq, item, list_)


@primitive("delete", "delete!", transparent=True)
def delete(item: Value, list_: List, compare: Procedure = None, *, equal: Comparison, tail: TailCall) -> Value:
    """A list without the elements that are equal? to an item."""
    if compare is None:
        return _without(equal, item, list_)
    items = elements(list_)
    return loops.applied_then(compare, [[item] * len(items), items], _others(items), tail)


@primitive("delete-duplicates")
def delete_duplicates(list_: List, compare: Procedure = None, *, equal: Comparison, tail: TailCall) -> Value:
    """A list with only the first of all elements that are equal?."""
    if compare is not None:
        check_procedure(compare)
    same = equal if compare is None else lambda a, b: tail.call(compare, (a, b)) is not FALSE
    kept: list[Value] = []
    for item in elements(list_):
        for other in kept:  # no any(…), since a Scheme procedure must not be called through C
            if same(other, item):
                break
        else:
            kept.append(item)
    return list_of(kept)


# ── Association lists ────────────────────────────────────────────────────────────────────────────────────────────────
@primitive("assq", example="(assq 'b '((a 1) (b 2))) → (b 2)")
def assq(obj: Value, alist: AssociationList) -> Value:
    """The first pair of an association list whose car is that very object, or #f; compares by eq?."""
    if type(obj) in _EQUAL_ONLY_TO_ITSELF:
        cell = alist
        for _ in STEPS_BEFORE_CHECKING:
            if cell is NIL:
                return FALSE
            entry = cell.car
            if entry.car is obj:
                return entry
            cell = cell.cdr
    return search(eq, obj, alist, True)


@primitive("assv")
def assv(obj: Value, alist: AssociationList) -> Value:
    """The first pair of an association list whose car is the object, or #f; compares by eqv?."""
    return search(eqv, obj, alist, True)


@primitive("assoc", example="(assoc 'b '((a 1) (b 2))) → (b 2)", transparent=True)
def assoc(obj: Value, alist: AssociationList, compare: Procedure = None, *, equal: Comparison, tail: TailCall) -> Value:
    """The first pair of an association list whose car is equal? to the object, or #f."""
    if compare is None:
        return search(equal, obj, alist, True)
    return _first_equal(compare, entries_to_compare(obj, alist), tail)


def _removal(name: str, same: Comparison, comparison: str) -> None:
    help_ = f"An association list without the pairs whose car is {comparison} to key."

    @primitive(name, help_=help_, dialect="berkeley")
    def without(key: Value, alist: AssociationList) -> Value:
        return list_of([entry for entry in elements(alist) if not same(key, entry.car)])


for _name, _same, _comparison in (("del-assq", eq, "eq?"), ("del-assv", eqv, "eqv?"), ("del-assoc", equal, "equal?")):
    _removal(_name, _same, _comparison)


# ── Sorting ──────────────────────────────────────────────────────────────────────────────────────────────────────────
Finish = Callable[[list[Value]], Value]
Sequence = Annotated[Any, Kind("not a list or vector", lambda value: type(value) is Vector or is_list(value))]


@transparent
def merge_sorted(items: Iterable[Value], is_less: Value, tail: TailCall, finish: Finish = list) -> Value:
    """The result of `finish` for the items in order; those that are neither less than the other keep theirs.

    A bottom-up merge sort: Python's own would call the predicate, of two items, through C.
    """
    check_procedure(is_less)
    source = list(items)
    return finish(source) if len(source) < 2 else _merged(source, 1, [], [], [], is_less, tail, finish)


def _merged(
    source: list[Value],
    width: int,
    target: list[Value],
    left: list[Value],
    right: list[Value],
    is_less: Value,
    tail: TailCall,
    finish: Finish,
) -> Value:
    """Merge the sorted runs of the source, of a width, in pairs behind those of twice the width in the target.

    The two runs that are being merged, `left` and `right`, stand in reverse order.
    """
    while True:
        while left and right:
            answer = is_less(right[-1], left[-1])
            if answer is None:
                answer = tail.run()
            target.append((left if answer is FALSE else right).pop())
        target += reversed(left or right)
        if len(target) == len(source):
            source, width, target = target, 2 * width, []
            if width >= len(source):
                return finish(source)
        start = len(target)
        middle = start + width
        left, right = source[start:middle][::-1], source[middle : middle + width][::-1]


@resumed_loop(_merged, "target", "left", "right")
def _go_on_merging(state: Locals, answer: Value) -> None:
    state["target"].append(state["left" if answer is FALSE else "right"].pop())


@primitive("sort", example="(sort '(3 1 2) <) → (1 2 3)", transparent=True)
def sort(sequence: Sequence, less_p: Procedure, *, tail: TailCall) -> Value:
    """The elements of a list or vector in order, as a predicate such as < tells; equal ones keep theirs."""
    if type(sequence) is Vector:
        return merge_sorted(sequence, less_p, tail, Vector)
    return merge_sorted(elements(sequence), less_p, tail, list_of)


@primitive("sort!", transparent=True)
def sort_in_place(sequence: Sequence, less_p: Procedure, *, tail: TailCall) -> Value:
    """Put the elements of a list or vector in order, as a predicate such as < tells; the result is the same object."""

    def fill(items: list[Value]) -> Value:
        if type(sequence) is Vector:
            sequence[:] = items
            return sequence
        cell = sequence
        for item in items:
            cell.car = item
            cell = cell.cdr
        return sequence

    return merge_sorted(sequence if type(sequence) is Vector else elements(sequence), less_p, tail, fill)
