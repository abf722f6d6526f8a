"""Procedures that apply a procedure to every element of lists, vectors or strings, and collect or combine results."""

from collections.abc import Callable
from functools import partial

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, NIL, Char, String, Value, Vector, list_of
from minischeme.primitives import kinds, loops
from minischeme.primitives.kinds import Index, List, Procedure, StringArg, VectorArg, check_procedure
from minischeme.primitives.pairs import elements
from minischeme.primitives.registry import primitive, primitive_of
from minischeme.primitives.strings import string_of
from minischeme.runtime.resumption import transparent
from minischeme.runtime.tail_calls import TailCall


@primitive("map", example="(map square '(1 2 3)) → (1 4 9)", transparent=True)
def map_(procedure: Procedure, list_: Value, *lists: Value, tail: TailCall) -> Value:
    """A list of the results of a procedure for each element of a list; with n lists it takes one element of each."""
    if lists:
        return loops.applied_then(procedure, loops.columns_of("map", (list_, *lists)), list_of, tail)
    items = loops.well_formed("map", list_)
    check_procedure(procedure)
    return loops.applied(procedure, iter(items), [], list_of, tail)


@primitive("for-each", example="(for-each display '(1 2 3)) → okay", transparent=True)
def for_each(procedure: Procedure, list_: Value, *lists: Value, tail: TailCall) -> Value:
    """Call a procedure with each element of a list, or one element of each of n lists, in order, for its effect."""
    check_procedure(procedure)
    return loops.applied_for_effect(procedure, loops.columns_of("for-each", (list_, *lists)), tail)


@primitive("list-tabulate", "make-initialized-list", dialect="berkeley", example="(list-tabulate 4 square) → (0 1 4 9)")
@transparent
def list_tabulate(n: Index, procedure: Procedure, *, tail: TailCall) -> Value:
    """A list of what procedure returns for 0, 1, … up to n - 1."""
    return loops.applied_then(procedure, [list(range(kinds.as_length("list-tabulate", n)))], list_of, tail)


def appended(operator: str) -> Callable[[loops.Results], Value]:
    """A function that appends lists to one list; the SchemeError for what is no list names the operator."""

    def append_all(lists: loops.Results) -> Value:
        items: list[Value] = []
        list_: Value = NIL
        try:
            for list_ in lists:
                items += elements(list_)
        except TypeError:
            raise SchemeError(f"{operator}: malformed list:", list_) from None
        return list_of(items)

    return append_all


@primitive("flatmap", dialect="berkeley", example="(flatmap (lambda (x) (list x x)) '(1 2)) → (1 1 2 2)")
@transparent
def flatmap(procedure: Procedure, list_: Value, *, tail: TailCall) -> Value:
    """The lists that a procedure gives for each element of a list, appended to one list."""
    return loops.applied_then(procedure, loops.columns_of("flatmap", (list_,)), appended("flatmap"), tail)


@primitive("append-map", dialect="berkeley", example="(append-map (lambda (x) (list x x)) '(1 2)) → (1 1 2 2)")
@transparent
def append_map(procedure: Procedure, list_: List, *, tail: TailCall) -> Value:
    """The lists that procedure returns for each element, appended."""
    return loops.applied_then(procedure, [elements(list_)], appended("append-map"), tail)


@primitive("filter-map", dialect="berkeley", transparent=True)
def filter_map(procedure: Procedure, list_: List, *, tail: TailCall) -> Value:
    """A list of what procedure returns for each element, without the #f among it."""
    return loops.applied_then(
        procedure,
        [elements(list_)],
        lambda results: list_of([result for result in results if result is not FALSE]),
        tail,
    )


@primitive("vector-map", transparent=True)
def vector_map(procedure: Procedure, vector: VectorArg, *vectors: VectorArg, tail: TailCall) -> Value:
    """A vector of the results of a procedure for each element of a vector, or of n vectors together."""
    return loops.applied_then(procedure, _vector_columns(vector, *vectors), Vector, tail)


@primitive("vector-for-each", transparent=True)
def vector_for_each(procedure: Procedure, vector: VectorArg, *vectors: VectorArg, tail: TailCall) -> Value:
    """Call a procedure with each element of a vector, or of n vectors together, for its effect."""
    return loops.applied_for_effect(procedure, _vector_columns(vector, *vectors), tail)


def _vector_columns(*vectors: Vector) -> loops.Columns:
    return [list.copy(vector) for vector in vectors]


@primitive("string-map", transparent=True)
def string_map(procedure: Procedure, string: StringArg, *strings: StringArg, tail: TailCall) -> Value:
    """A string of the characters that a procedure gives for each character of a string, or of n strings together."""
    return loops.applied_then(procedure, _string_columns(string, *strings), partial(string_of, "string-map"), tail)


@primitive("string-for-each", transparent=True)
def string_for_each(procedure: Procedure, string: StringArg, *strings: StringArg, tail: TailCall) -> Value:
    """Call a procedure with each character of a string, or of n strings together, for its effect."""
    return loops.applied_for_effect(procedure, _string_columns(string, *strings), tail)


def _string_columns(*strings: String) -> loops.Columns:
    kinds.check_type(String, *strings)
    return [[Char.of(text) for text in string.text] for string in strings]


# ── Folding ──────────────────────────────────────────────────────────────────────────────────────────────────────────
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
    check_procedure(combiner)
    return loops.folded_over(reversed(elements(list_)), combiner, initial, tail)


@transparent
def accumulated(combiner: Value, items: list[Value], tail: TailCall) -> Value:
    """Combine items from the right, from the last one on; no items only with a combiner such as +.

    A SchemeError for no items and a combiner without a value of its own for them (DIALECT.md section 1.3); a TypeError
    if `combiner` is no procedure.
    """
    check_procedure(combiner)
    if items:
        return loops.folded_over(iter(items[-2::-1]), combiner, items[-1], tail)
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
