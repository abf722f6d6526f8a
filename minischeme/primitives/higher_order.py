"""Procedures that apply a procedure to every element of lists, vectors or strings.

Leaves those of words and sentences (`every`, `keep`, `accumulate`, …) to `word_higher_order`, `sort` to `sorting`, and
`apply` to `control`. A procedure is always called directly, from a Python loop, so that calls within calls need no C
stack. What waits for such a call tells how it goes on when a continuation is entered again (`resumption`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from itertools import islice
from typing import NamedTuple

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, UNSPECIFIED, Char, String, Value, Vector, list_of
from minischeme.data.values import Procedure as ProcedureType
from minischeme.primitives.kinds import List, Procedure, StringArg, VectorArg
from minischeme.primitives.pairs import elements, is_circular
from minischeme.primitives.registry import primitive, primitive_of
from minischeme.runtime.resumption import Locals, Resume, resumed_by, transparent
from minischeme.runtime.tail_calls import TailCall

_COMBINERS_WITH_IDENTITY = frozenset({"+", "*", "append", "word", "sentence", "se"})


@transparent
def call(procedure: Value, arguments: tuple[Value, ...], tail: TailCall) -> Value:
    """Call a procedure with any number of arguments to its value, without C's stack for up to five."""
    tail.procedure = procedure
    tail.arguments = arguments
    return tail.run()


def check_procedure(procedure: Value) -> None:
    """Raises: TypeError for what is no procedure, and so would go unnoticed where nothing has to be called."""
    if type(procedure) is not ProcedureType:
        raise TypeError("not a procedure")


@transparent
def applied_to_each(procedure: Value, columns: list[list[Value]], tail: TailCall) -> list[Value]:
    """The results of a procedure for the first elements of all columns, for the second ones, and so on.

    Args: columns: the arguments, one list for each parameter; the shortest counts.

    Raises: TypeError if `procedure` is none.
    """
    check_procedure(procedure)
    if len(columns) == 1:
        return _applied(procedure, iter(columns[0]), [], tail)
    return _applied_to_rows(procedure, iter(list(zip(*columns, strict=False))), [], tail)


def _applied(procedure: Value, items: Iterator[Value], results: list[Value], tail: TailCall) -> list[Value]:
    for item in items:
        result = procedure(item)
        results.append(tail.run() if result is None else result)
    return results


def _applied_to_rows(
    procedure: Value, items: Iterator[tuple[Value, ...]], results: list[Value], tail: TailCall
) -> list[Value]:
    for row in items:
        if len(row) == 2:
            first, second = row
            result = procedure(first, second)
            results.append(tail.run() if result is None else result)
        else:
            results.append(call(procedure, row, tail))
    return results


@resumed_by(_applied)
def _after_item(frame: Locals) -> Resume:
    return _next_items(_applied, frame)


@resumed_by(_applied_to_rows)
def _after_row(frame: Locals) -> Resume:
    return _next_items(_applied_to_rows, frame)


def _next_items(apply: Callable[..., list[Value]], frame: Locals) -> Resume:
    """How a procedure is applied to the items that are left, any number of times."""
    items, results = copy(frame["items"]), list(frame["results"])
    return lambda value: apply(frame["procedure"], copy(items), [*results, value], frame["tail"])


def _columns(operator: str, lists: tuple[Value, ...]) -> list[list[Value]]:
    """The elements of lists that are walked together; a circular one lasts as long as the others.

    Raises: SchemeError, which names the operator, if one is dotted or no list, or all are circular.
    """
    if len(lists) == 1:
        return [_items(operator, lists[0])]
    try:
        return [elements(list_) for list_ in lists]
    except TypeError:  # one of them is circular, or no list
        pass
    finite = [_items(operator, list_) for list_ in lists if not is_circular(list_)]
    length = min(map(len, finite), default=None)
    if length is None:
        raise SchemeError(f"{operator}: malformed list:", lists[0])
    return [list(islice(list_, length)) for list_ in lists]


def _items(operator: str, list_: Value) -> list[Value]:
    try:
        return elements(list_)
    except TypeError:
        raise SchemeError(f"{operator}: malformed list:", list_) from None


# Mapping


@primitive("map", example="(map square '(1 2 3)) → (1 4 9)")
def map_(procedure: Procedure, list_: Value, *lists: Value, tail: TailCall) -> Value:
    """A list of the results of a procedure for each element of a list; with n lists it takes one element of each."""
    if lists:
        return list_of(applied_to_each(procedure, _columns("map", (list_, *lists)), tail))
    items = _items("map", list_)
    check_procedure(procedure)
    return list_of(_applied(procedure, iter(items), [], tail))


@resumed_by(map_)
def _after_map(frame: Locals) -> Resume:
    return list_of


@primitive("for-each", example="(for-each display '(1 2 3)) → okay")
def for_each(procedure: Procedure, list_: Value, *lists: Value, tail: TailCall) -> Value:
    """Call a procedure with each element of a list, or one element of each of n lists, in order, for its effect."""
    if lists:
        applied_to_each(procedure, _columns("for-each", (list_, *lists)), tail)
        return UNSPECIFIED
    check_procedure(procedure)
    return _done_for_each(procedure, iter(_items("for-each", list_)), tail)


def _done_for_each(procedure: Value, items: Iterator[Value], tail: TailCall) -> Value:
    for item in items:
        if procedure(item) is None:
            tail.run()
    return UNSPECIFIED


@resumed_by(_done_for_each)
def _after_one(frame: Locals) -> Resume:
    items = copy(frame["items"])
    return lambda _: _done_for_each(frame["procedure"], copy(items), frame["tail"])


@resumed_by(for_each)
def _after_for_each(frame: Locals) -> Resume:
    return lambda _: UNSPECIFIED


@primitive("flatmap", dialect="berkeley", example="(flatmap (lambda (x) (list x x)) '(1 2)) → (1 1 2 2)")
def flatmap(procedure: Procedure, list_: Value, *, tail: TailCall) -> Value:
    """The lists that a procedure gives for each element of a list, appended to one list."""
    return appended("flatmap", applied_to_each(procedure, _columns("flatmap", (list_,)), tail))


@resumed_by(flatmap)
def _after_flatmap(frame: Locals) -> Resume:
    return lambda lists: appended("flatmap", lists)


def appended(operator: str, lists: list[Value]) -> Value:
    """A list of the elements of lists.

    Raises: SchemeError, which names the operator, if one of them is no list.
    """
    return list_of([item for list_ in lists for item in _items(operator, list_)])


@primitive("vector-map")
def vector_map(procedure: Procedure, vector: VectorArg, *vectors: VectorArg, tail: TailCall) -> Vector:
    """A vector of the results of a procedure for each element of a vector, or of n vectors together."""
    return Vector(applied_to_each(procedure, _vector_columns(vector, vectors), tail))


@resumed_by(vector_map)
def _after_vector_map(frame: Locals) -> Resume:
    return Vector


@primitive("vector-for-each")
def vector_for_each(procedure: Procedure, vector: VectorArg, *vectors: VectorArg, tail: TailCall) -> Value:
    """Call a procedure with each element of a vector, or of n vectors together, for its effect."""
    applied_to_each(procedure, _vector_columns(vector, vectors), tail)
    return UNSPECIFIED


@resumed_by(vector_for_each)
def _after_vector_for_each(frame: Locals) -> Resume:
    return lambda _: UNSPECIFIED


def _vector_columns(vector: Value, vectors: tuple[Value, ...]) -> list[list[Value]]:
    columns = [vector, *vectors]
    if any(type(column) is not Vector for column in columns):
        raise TypeError("not a vector")
    return [list(column) for column in columns]


@primitive("string-map")
def string_map(procedure: Procedure, string: StringArg, *strings: StringArg, tail: TailCall) -> String:
    """A string of the characters that a procedure gives for each character of a string, or of n strings together."""
    return _string_of(applied_to_each(procedure, _string_columns(string, strings), tail))


def _string_of(results: list[Value]) -> String:
    for result in results:
        if type(result) is not Char:
            raise SchemeError("string-map: bad character:", result)
    return String("".join(char.text for char in results))


@resumed_by(string_map)
def _after_string_map(frame: Locals) -> Resume:
    return _string_of


@primitive("string-for-each")
def string_for_each(procedure: Procedure, string: StringArg, *strings: StringArg, tail: TailCall) -> Value:
    """Call a procedure with each character of a string, or of n strings together, for its effect."""
    applied_to_each(procedure, _string_columns(string, strings), tail)
    return UNSPECIFIED


@resumed_by(string_for_each)
def _after_string_for_each(frame: Locals) -> Resume:
    return lambda _: UNSPECIFIED


def _string_columns(string: Value, strings: tuple[Value, ...]) -> list[list[Value]]:
    columns = [string, *strings]
    if any(type(column) is not String for column in columns):
        raise TypeError("not a string")
    return [[Char.of(text) for text in column.text] for column in columns]


# Choosing


@primitive("filter", example="(filter odd? '(1 2 3)) → (1 3)")
def filter_(predicate: Procedure, list_: List, *, tail: TailCall) -> Value:
    """A list of the elements that satisfy a predicate."""
    items = elements(list_)
    return _chosen(items, applied_to_each(predicate, [items], tail))


def _chosen(items: list[Value], answers: list[Value]) -> Value:
    return list_of([item for item, answer in zip(items, answers, strict=True) if answer is not FALSE])


@resumed_by(filter_)
def _after_filter(frame: Locals) -> Resume:
    return lambda answers: _chosen(frame["items"], answers)


@primitive("find")
def find(predicate: Procedure, list_: List, *, tail: TailCall) -> Value:
    """The first element that satisfies a predicate, or #f."""
    items = elements(list_)
    return found_item(first_found(predicate, [items], tail), items)


def found_item(found: Value, items: list[Value]) -> Value:
    """The one of the items that was found, or FALSE."""
    return FALSE if found is FALSE else items[found.place]


@resumed_by(find)
def _after_find(frame: Locals) -> Resume:
    return lambda found: found_item(found, frame["items"])


@primitive("list-index")
def list_index(predicate: Procedure, list_: Value, *lists: Value, tail: TailCall) -> Value:
    """The index, counted from 0, of the first element that satisfies a predicate, or #f."""
    return found_index(first_found(predicate, _columns("list-index", (list_, *lists)), tail))


@resumed_by(list_index)
def _after_list_index(frame: Locals) -> Resume:
    return found_index


@primitive("any")
def any_(predicate: Procedure, list_: Value, *lists: Value, tail: TailCall) -> Value:
    """The first value but #f that a predicate gives for the elements of a list, or of n lists together; or #f."""
    return _found_answer(first_found(predicate, _columns("any", (list_, *lists)), tail))


def _found_answer(found: Value) -> Value:
    return FALSE if found is FALSE else found.answer


@resumed_by(any_)
def _after_any(frame: Locals) -> Resume:
    return _found_answer


class Found(NamedTuple):
    """What a search has found. Args: place: the index. answer: what the predicate returned there."""

    place: int
    answer: Value


def found_index(found: Value) -> Value:
    """The index of what was found, or FALSE."""
    return FALSE if found is FALSE else found.place


@transparent
def first_found(predicate: Value, columns: list[list[Value]], tail: TailCall) -> Value:
    """The `Found` of where a predicate first gives a value but #f, of the first elements of all columns, the second
    ones, and so on; FALSE if there is none.

    Raises: TypeError if `predicate` is no procedure.
    """
    check_procedure(predicate)
    return _first_found(predicate, list(zip(*columns, strict=False)), 0, tail)


def _first_found(predicate: Value, rows: list[tuple[Value, ...]], start: int, tail: TailCall) -> Value:
    for index in range(start, len(rows)):
        answer = call(predicate, rows[index], tail)
        if answer is not FALSE:
            return Found(index, answer)
    return FALSE


@resumed_by(_first_found)
def _after_answer(frame: Locals) -> Resume:
    index = frame["index"]

    def resume(answer: Value) -> Value:
        if answer is not FALSE:
            return Found(index, answer)
        return _first_found(frame["predicate"], frame["rows"], index + 1, frame["tail"])

    return resume


# Combining


@transparent
def folded_right(combiner: Value, initial: Value, items: list[Value], tail: TailCall) -> Value:
    """Combine each of the items, the last one first, with the result so far: ``(f a (f b initial))``."""
    return _folded_right(combiner, initial, iter(items[::-1]), tail)


def _folded_right(combiner: Value, initial: Value, items: Iterator[Value], tail: TailCall) -> Value:
    result = initial
    for item in items:
        combined = combiner(item, result)
        result = tail.run() if combined is None else combined
    return result


@resumed_by(_folded_right)
def _after_combining(frame: Locals) -> Resume:
    items = copy(frame["items"])
    return lambda value: _folded_right(frame["combiner"], value, copy(items), frame["tail"])


@transparent
def accumulated(combiner: Value, items: list[Value], tail: TailCall) -> Value:
    """Combine items from the right, as `folded_right` from the last one on; no items only with a combiner such as +.

    Raises: SchemeError for no items and a combiner that has no value of its own for them (DIALECT.md section 1.3);
    TypeError if `combiner` is no procedure.
    """
    check_procedure(combiner)
    if items:
        return folded_right(combiner, items[-1], items[:-1], tail)
    known = primitive_of(combiner)
    if known is None or _COMBINERS_WITH_IDENTITY.isdisjoint(known.names):
        raise SchemeError("Can't accumulate empty input with that combiner:", combiner)
    return call(combiner, (), tail)


@primitive("reduce", dialect="berkeley", example="(reduce + '(1 2 3)) → 6")
@transparent
def reduce_(combiner: Procedure, initial: Value, list_: List = None, *, tail: TailCall) -> Value:
    """Combine the elements of a list from the right: (reduce f list) or (reduce f initial list)."""
    if list_ is None:
        return accumulated(combiner, _items("reduce", initial), tail)
    check_procedure(combiner)
    return folded_right(combiner, initial, elements(list_), tail)


@primitive("reduce", dialect="r7rs")
@transparent
def reduce_standard(combiner: Procedure, initial: Value, list_: List, *, tail: TailCall) -> Value:
    """Combine the elements of a list from the left, (f element result); the initial value only if there are none."""
    check_procedure(combiner)
    items = elements(list_)
    return folded(combiner, items[0], [items[1:]], tail, result_first=False) if items else initial


@transparent
def folded(combiner: Value, initial: Value, columns: list[list[Value]], tail: TailCall, *, result_first: bool) -> Value:
    """Combine the result so far with one element of each column after the other.

    Args: result_first: whether the result so far is the combiner's first argument, or its last.
    """
    check_procedure(combiner)
    return _folded_rows(combiner, initial, iter(list(zip(*columns, strict=False))), tail, result_first)


def _folded_rows(
    combiner: Value, initial: Value, rows: Iterator[tuple[Value, ...]], tail: TailCall, result_first: bool
) -> Value:
    result = initial
    for row in rows:
        result = call(combiner, (result, *row) if result_first else (*row, result), tail)
    return result


@resumed_by(_folded_rows)
def _after_combining_row(frame: Locals) -> Resume:
    rows = copy(frame["rows"])
    return lambda value: _folded_rows(frame["combiner"], value, copy(rows), frame["tail"], frame["result_first"])


@primitive("fold-left", example="(fold-left - 10 '(1 2)) → 7")
@transparent
def fold_left(combiner: Procedure, initial: Value, list_: Value, *lists: Value, tail: TailCall) -> Value:
    """Combine the elements of a list from the left: (f (f initial a) b)."""
    return folded(combiner, initial, _columns("fold-left", (list_, *lists)), tail, result_first=True)


@primitive("fold")
@transparent
def fold(combiner: Procedure, initial: Value, list_: Value, *lists: Value, tail: TailCall) -> Value:
    """Combine the elements of a list from the left: (f b (f a initial))."""
    return folded(combiner, initial, _columns("fold", (list_, *lists)), tail, result_first=False)


@primitive("fold-right", example="(fold-right cons '() '(1 2)) → (1 2)")
@transparent
def fold_right(combiner: Procedure, initial: Value, list_: Value, *lists: Value, tail: TailCall) -> Value:
    """Combine the elements of a list from the right: (f a (f b initial))."""
    columns = _columns("fold-right", (list_, *lists))
    shortest = min(map(len, columns))
    backwards = [column[:shortest][::-1] for column in columns]
    return folded(combiner, initial, backwards, tail, result_first=False)
