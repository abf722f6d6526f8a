"""Procedures on lists that files for MIT Scheme, Racket and SRFI 1 call, beyond those of the course's Scheme."""

from __future__ import annotations

from minischeme.data.values import FALSE, NIL, Pair, Value, list_of
from minischeme.primitives.equivalence import Comparison, eq, equal, eqv
from minischeme.primitives.higher_order import appended, applied_to_each, check_procedure, folded, folded_right
from minischeme.primitives.indices import as_length
from minischeme.primitives.kinds import Index, List, PairArg, Procedure
from minischeme.primitives.list_library import AssociationList
from minischeme.primitives.pairs import element_at, elements
from minischeme.primitives.registry import primitive
from minischeme.runtime.resumption import Locals, Resume, resumed_by, transparent
from minischeme.runtime.tail_calls import TailCall

# Parts


def _nth(name: str, list_: Value, index: int) -> Value:
    if type(list_) is not Pair:
        raise TypeError("not a pair")
    return element_at(name, list_, index)


@primitive("second", dialect="berkeley")
def second(list_: PairArg) -> Value:
    """The second element of a list."""
    return _nth("second", list_, 1)


@primitive("third", dialect="berkeley")
def third(list_: PairArg) -> Value:
    """The third element of a list."""
    return _nth("third", list_, 2)


@primitive("fourth", dialect="berkeley")
def fourth(list_: PairArg) -> Value:
    """The fourth element of a list."""
    return _nth("fourth", list_, 3)


@primitive("fifth", dialect="berkeley")
def fifth(list_: PairArg) -> Value:
    """The fifth element of a list."""
    return _nth("fifth", list_, 4)


# Making


@primitive("list-tabulate", "make-initialized-list", dialect="berkeley", example="(list-tabulate 4 square) → (0 1 4 9)")
def list_tabulate(n: Index, procedure: Procedure, *, tail: TailCall) -> Value:
    """A list of what procedure returns for 0, 1, … up to n - 1."""
    check_procedure(procedure)
    return list_of(applied_to_each(procedure, [list(range(as_length("list-tabulate", n)))], tail))


@resumed_by(list_tabulate)
def _after_tabulate(frame: Locals) -> Resume:
    return list_of


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


# Mapping


@primitive("append-map", dialect="berkeley", example="(append-map (lambda (x) (list x x)) '(1 2)) → (1 1 2 2)")
def append_map(procedure: Procedure, list_: List, *, tail: TailCall) -> Value:
    """The lists that procedure returns for each element, appended."""
    return appended("append-map", applied_to_each(procedure, [elements(list_)], tail))


@resumed_by(append_map)
def _after_append_map(frame: Locals) -> Resume:
    return lambda lists: appended("append-map", lists)


@primitive("filter-map", dialect="berkeley")
def filter_map(procedure: Procedure, list_: List, *, tail: TailCall) -> Value:
    """A list of what procedure returns for each element, without the #f among it."""
    return _true_ones(applied_to_each(procedure, [elements(list_)], tail))


def _true_ones(results: list[Value]) -> Value:
    return list_of([result for result in results if result is not FALSE])


@resumed_by(filter_map)
def _after_filter_map(frame: Locals) -> Resume:
    return _true_ones


# Combining


@primitive("reduce-left", dialect="berkeley", example="(reduce-left - 0 '(10 3 2)) → 5")
@transparent
def reduce_left(combiner: Procedure, initial: Value, list_: List, *, tail: TailCall) -> Value:
    """Combine the elements from the left, (f (f a b) c); the initial value only if there are none."""
    first, *items = elements(list_) or [initial]
    return folded(combiner, first, [items], tail, result_first=True)


@primitive("reduce-right", dialect="berkeley", example="(reduce-right - 0 '(10 3 2)) → 9")
@transparent
def reduce_right(combiner: Procedure, initial: Value, list_: List, *, tail: TailCall) -> Value:
    """Combine the elements from the right, (f a (f b c)); the initial value only if there are none."""
    check_procedure(combiner)
    *items, last = elements(list_) or [initial]
    return folded_right(combiner, last, items, tail)


# Removing


@primitive("remq", dialect="berkeley")
def remq(item: Value, list_: List) -> Value:
    """A list without the elements that are eq? to an item."""
    return list_of([element for element in elements(list_) if not eq(item, element)])


def _without_key(same: Comparison, key: Value, alist: Value) -> Value:
    return list_of([entry for entry in elements(alist) if not same(key, entry.car)])


@primitive("del-assq", dialect="berkeley")
def del_assq(key: Value, alist: AssociationList) -> Value:
    """An association list without the pairs whose car is eq? to key."""
    return _without_key(eq, key, alist)


@primitive("del-assv", dialect="berkeley")
def del_assv(key: Value, alist: AssociationList) -> Value:
    """An association list without the pairs whose car is eqv? to key."""
    return _without_key(eqv, key, alist)


@primitive("del-assoc", dialect="berkeley")
def del_assoc(key: Value, alist: AssociationList) -> Value:
    """An association list without the pairs whose car is equal? to key."""
    return _without_key(equal, key, alist)
