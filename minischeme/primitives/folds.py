"""Folds: the combination of the elements of lists by a procedure of two arguments, from the left or from the right."""

from minischeme.data.errors import SchemeError
from minischeme.data.values import Value
from minischeme.primitives import loops
from minischeme.primitives.kinds import List, Procedure
from minischeme.primitives.pairs import elements
from minischeme.primitives.registry import primitive, primitive_of
from minischeme.runtime.resumption import transparent
from minischeme.runtime.tail_calls import TailCall

_COMBINERS_WITH_IDENTITY = frozenset({"+", "*", "append", "word", "sentence", "se"})


@primitive("fold-left", example="(fold-left - 10 '(1 2)) → 7", transparent=True)
def fold_left(combiner: Procedure, initial: Value, list_: Value, *lists: Value, tail: TailCall) -> Value:
    """Combine the elements of a list from the left: (f (f initial a) b)."""
    return loops.folded(combiner, initial, loops.columns_of("fold-left", (list_, *lists)), tail, result_first=True)


@primitive("fold", transparent=True)
def fold(combiner: Procedure, initial: Value, list_: Value, *lists: Value, tail: TailCall) -> Value:
    """Combine the elements of a list from the left: (f b (f a initial))."""
    return loops.folded(combiner, initial, loops.columns_of("fold", (list_, *lists)), tail)


@primitive("foldl", dialect="berkeley", example="(foldl cons '() '(1 2 3)) → (3 2 1)", transparent=True)
def foldl(procedure: Procedure, initial: Value, list_: List, *lists: List, tail: TailCall) -> Value:
    """Combine the elements from the left: (f b (f a initial))."""
    return loops.folded(procedure, initial, loops.equally_long("foldl", (list_, *lists)), tail)


@primitive("fold-right", example="(fold-right cons '() '(1 2)) → (1 2)", transparent=True)
def fold_right(combiner: Procedure, initial: Value, list_: Value, *lists: Value, tail: TailCall) -> Value:
    """Combine the elements of a list from the right: (f a (f b initial))."""
    return loops.folded(combiner, initial, loops.columns_of("fold-right", (list_, *lists)), tail, from_right=True)


@primitive("foldr", dialect="berkeley", example="(foldr cons '() '(1 2 3)) → (1 2 3)", transparent=True)
def foldr(procedure: Procedure, initial: Value, list_: List, *lists: List, tail: TailCall) -> Value:
    """Combine the elements from the right: (f a (f b initial))."""
    return loops.folded(procedure, initial, loops.equally_long("foldr", (list_, *lists)), tail, from_right=True)


@primitive("reduce", dialect="berkeley", example="(reduce + '(1 2 3)) → 6", transparent=True)
def reduce_(combiner: Procedure, initial: Value, list_: List = None, *, tail: TailCall) -> Value:
    """Combine the elements of a list from the right: (reduce f list) or (reduce f initial list)."""
    if list_ is None:
        return accumulated(combiner, loops.well_formed("reduce", initial), tail)
    return loops.folded(combiner, initial, [elements(list_)], tail, from_right=True)


@transparent
def accumulated(combiner: Value, items: list[Value], tail: TailCall) -> Value:
    """Combine items from the right, from the last one on; no items only with a combiner such as +.

    A SchemeError for no items and a combiner without a value of its own for them (DIALECT.md section 1.3); a TypeError
    if `combiner` is no procedure.
    """
    if items:
        return loops.folded(combiner, items[-1], [items[:-1]], tail, from_right=True)
    loops.check_procedure(combiner)
    known = primitive_of(combiner)
    if known is None or _COMBINERS_WITH_IDENTITY.isdisjoint(known.names):
        raise SchemeError("Can't accumulate empty input with that combiner:", combiner)
    return tail.call(combiner, ())


@primitive("reduce", dialect="r7rs", transparent=True)
def reduce_standard(combiner: Procedure, initial: Value, list_: List, *, tail: TailCall) -> Value:
    """Combine the elements of a list from the left, (f element result); the initial value only if there are none."""
    first, *items = elements(list_) or [initial]
    return loops.folded(combiner, first, [items], tail)


@primitive("reduce-left", dialect="berkeley", example="(reduce-left - 0 '(10 3 2)) → 5", transparent=True)
def reduce_left(combiner: Procedure, initial: Value, list_: List, *, tail: TailCall) -> Value:
    """Combine the elements from the left, (f (f a b) c); the initial value only if there are none."""
    first, *items = elements(list_) or [initial]
    return loops.folded(combiner, first, [items], tail, result_first=True)


@primitive("reduce-right", dialect="berkeley", example="(reduce-right - 0 '(10 3 2)) → 9", transparent=True)
def reduce_right(combiner: Procedure, initial: Value, list_: List, *, tail: TailCall) -> Value:
    """Combine the elements from the right, (f a (f b initial)); the initial value only if there are none."""
    *items, last = elements(list_) or [initial]
    return loops.folded(combiner, last, [items], tail, from_right=True)
