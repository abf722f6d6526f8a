"""Procedures that apply a procedure to every element of lists, vectors or strings, and collect what it returns."""

from collections.abc import Callable
from functools import partial

from minischeme.data.values import FALSE, Char, String, Value, Vector, list_of
from minischeme.primitives import loops
from minischeme.primitives.kinds import Index, List, Procedure, StringArg, VectorArg, as_length, check_type
from minischeme.primitives.pairs import elements
from minischeme.primitives.registry import primitive
from minischeme.primitives.strings import string_of
from minischeme.runtime.resumption import transparent
from minischeme.runtime.tail_calls import TailCall


@primitive("map", example="(map square '(1 2 3)) → (1 4 9)", transparent=True)
def map_(procedure: Procedure, list_: Value, *lists: Value, tail: TailCall) -> Value:
    """A list of the results of a procedure for each element of a list; with n lists it takes one element of each."""
    if lists:
        return loops.applied_then(procedure, loops.columns_of("map", (list_, *lists)), list_of, tail)
    items = loops.well_formed("map", list_)
    loops.check_procedure(procedure)
    return loops.applied(procedure, iter(items), [], list_of, tail)


@primitive("for-each", example="(for-each display '(1 2 3)) → okay", transparent=True)
def for_each(procedure: Procedure, list_: Value, *lists: Value, tail: TailCall) -> Value:
    """Call a procedure with each element of a list, or one element of each of n lists, in order, for its effect."""
    loops.check_procedure(procedure)
    return loops.applied_for_effect(procedure, loops.columns_of("for-each", (list_, *lists)), tail)


@primitive("list-tabulate", "make-initialized-list", dialect="berkeley", example="(list-tabulate 4 square) → (0 1 4 9)")
@transparent
def list_tabulate(n: Index, procedure: Procedure, *, tail: TailCall) -> Value:
    """A list of what procedure returns for 0, 1, … up to n - 1."""
    return loops.applied_then(procedure, [list(range(as_length("list-tabulate", n)))], list_of, tail)


def _appended(operator: str) -> Callable[[loops.Results], Value]:
    return lambda lists: list_of([item for list_ in lists for item in loops.well_formed(operator, list_)])


@primitive("flatmap", dialect="berkeley", example="(flatmap (lambda (x) (list x x)) '(1 2)) → (1 1 2 2)")
@transparent
def flatmap(procedure: Procedure, list_: Value, *, tail: TailCall) -> Value:
    """The lists that a procedure gives for each element of a list, appended to one list."""
    return loops.applied_then(procedure, loops.columns_of("flatmap", (list_,)), _appended("flatmap"), tail)


@primitive("append-map", dialect="berkeley", example="(append-map (lambda (x) (list x x)) '(1 2)) → (1 1 2 2)")
@transparent
def append_map(procedure: Procedure, list_: List, *, tail: TailCall) -> Value:
    """The lists that procedure returns for each element, appended."""
    return loops.applied_then(procedure, [elements(list_)], _appended("append-map"), tail)


@primitive("filter-map", dialect="berkeley", transparent=True)
def filter_map(procedure: Procedure, list_: List, *, tail: TailCall) -> Value:
    """A list of what procedure returns for each element, without the #f among it."""
    return loops.applied_then(procedure, [elements(list_)], _without_false, tail)


def _without_false(results: loops.Results) -> Value:
    return list_of([result for result in results if result is not FALSE])


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
    check_type(String, *strings)
    return [[Char.of(text) for text in string.text] for string in strings]
