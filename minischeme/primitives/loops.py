"""Loops that call a procedure of the program for each element of lists, vectors or strings.

A procedure is called directly, from a Python loop, so that calls within calls need no C stack; and each loop tells how
it goes on when a continuation is entered again (`minischeme.runtime.resumption`).
"""

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from itertools import islice
from types import FunctionType
from typing import cast

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, UNSPECIFIED, Value
from minischeme.data.values import Procedure as ProcedureType
from minischeme.primitives.pairs import elements, is_circular
from minischeme.runtime.resumption import Locals, Resume, resumed_by, transparent
from minischeme.runtime.tail_calls import TailCall

Columns = list[list[Value]]
"""The arguments of the calls of a procedure, one list for each of its parameters; the shortest counts."""

Results = list[Value]


@transparent
def call(procedure: Value, arguments: tuple[Value, ...], tail: TailCall) -> Value:
    """Call a procedure with any number of arguments to its value, without C's stack for up to five."""
    tail.procedure = procedure
    tail.arguments = arguments
    return tail.run()


def check_procedure(procedure: Value) -> None:
    """Raise a TypeError for what is no procedure, and so would go unnoticed where nothing has to be called."""
    if type(procedure) is not ProcedureType:
        raise TypeError("not a procedure")


def columns_of(operator: str, lists: tuple[Value, ...]) -> Columns:
    """The elements of lists that are walked together, circular ones as far as others; a SchemeError if none ends."""
    if len(lists) == 1:
        return [well_formed(operator, lists[0])]
    try:
        return [elements(list_) for list_ in lists]
    except TypeError:  # one of them is circular, or no list
        pass
    finite = [well_formed(operator, list_) for list_ in lists if not is_circular(list_)]
    length = min(map(len, finite), default=None)
    if length is None:
        raise SchemeError(f"{operator}: malformed list:", lists[0])
    return [list(islice(list_, length)) for list_ in lists]


def well_formed(operator: str, list_: Value) -> list[Value]:
    """The elements of a list; a SchemeError, which names the operator, for anything else."""
    try:
        return elements(list_)
    except TypeError:
        raise SchemeError(f"{operator}: malformed list:", list_) from None


def equally_long(operator: str, lists: tuple[Value, ...]) -> Columns:
    """The elements of lists that are walked together; a SchemeError if one is shorter or longer."""
    columns = [elements(list_) for list_ in lists]
    for column, list_ in zip(columns, lists, strict=True):
        if len(column) != len(columns[0]):
            raise SchemeError(f"{operator}: not as long as the first list:", list_)
    return columns


# ── Applying a procedure to all ──────────────────────────────────────────────────────────────────────────────────────
@transparent
def applied_then(procedure: Value, columns: Columns, finish: Callable[[list[Value]], Value], tail: TailCall) -> Value:
    """The result of `finish` for those of a procedure for the first elements of all columns, the second ones, …"""
    if type(procedure) is not ProcedureType:
        raise TypeError("not a procedure")
    if len(columns) == 1:
        return applied(procedure, iter(columns[0]), True, [], finish, tail)
    return applied(procedure, iter(list(zip(*columns, strict=False))), False, [], finish, tail)


def applied(
    procedure: Value,
    rows: Iterator[Value],
    is_single: bool,
    results: list[Value],
    finish: Callable[[list[Value]], Value],
    tail: TailCall,
) -> Value:
    """The result of `finish` for results so far and those of a procedure for the rows: each an element, or a tuple."""
    if is_single:
        for item in rows:
            result = procedure(item)
            results.append(tail.run() if result is None else result)
        return finish(results)
    for row in rows:
        if len(row) == 2:
            first, second = row
            result = procedure(first, second)
            results.append(tail.run() if result is None else result)
        else:
            results.append(call(procedure, row, tail))
    return finish(results)


@resumed_by(applied)
def _resume_applied(frame: Locals) -> Resume:
    rows, results = copy(frame["rows"]), list(frame["results"])
    others = frame["finish"], frame["tail"]
    return lambda value: applied(frame["procedure"], copy(rows), frame["is_single"], [*results, value], *others)


@transparent
def applied_for_effect(procedure: Value, columns: Columns, tail: TailCall) -> Value:
    """Call as `applied_then` does, but keep nothing of the results."""
    check_procedure(procedure)
    if len(columns) == 1:
        return _done(procedure, iter(columns[0]), tail)

    def apply(row: tuple[Value, ...]) -> Value:
        if len(row) == 2:
            first, second = row
            return procedure(first, second)
        return call(procedure, row, tail)

    return _done(cast(FunctionType, transparent(apply)), iter(list(zip(*columns, strict=False))), tail)


def _done(procedure: Value, items: Iterator[Value], tail: TailCall) -> Value:
    for item in items:
        if procedure(item) is None:
            tail.run()
    return UNSPECIFIED


@resumed_by(_done)
def _resume_done(frame: Locals) -> Resume:
    items = copy(frame["items"])
    return lambda _: _done(frame["procedure"], copy(items), frame["tail"])


# ── Searching ────────────────────────────────────────────────────────────────────────────────────────────────────────
@transparent
def first_found(predicate: Value, columns: Columns, finish: Callable[[int, Value], Value], tail: TailCall) -> Value:
    """The result of `finish` for the index of the first true answer and that answer; FALSE if there is none."""
    check_procedure(predicate)
    return _first_found(predicate, list(zip(*columns, strict=False)), 0, finish, tail)


def _first_found(
    predicate: Value, rows: list[tuple[Value, ...]], start: int, finish: Callable[[int, Value], Value], tail: TailCall
) -> Value:
    for index in range(start, len(rows)):
        answer = call(predicate, rows[index], tail)
        if answer is not FALSE:
            return finish(index, answer)
    return FALSE


@resumed_by(_first_found)
def _resume_first_found(frame: Locals) -> Resume:
    index, finish = frame["index"], frame["finish"]

    def resume(answer: Value) -> Value:
        if answer is not FALSE:
            return finish(index, answer)
        return _first_found(frame["predicate"], frame["rows"], index + 1, finish, frame["tail"])

    return resume


# ── Folding ──────────────────────────────────────────────────────────────────────────────────────────────────────────
@transparent
def folded(
    combiner: Value, initial: Value, columns: Iterable[list[Value]], tail: TailCall, *, result_first: bool = False
) -> Value:
    """Combine the result so far, as the first or last argument, with the elements of each row of the columns."""
    check_procedure(combiner)
    return _folded(combiner, initial, iter(list(zip(*columns, strict=False))), tail, result_first)


def _folded(
    combiner: Value, initial: Value, rows: Iterator[tuple[Value, ...]], tail: TailCall, result_first: bool
) -> Value:
    result = initial
    for row in rows:
        result = call(combiner, (result, *row) if result_first else (*row, result), tail)
    return result


@resumed_by(_folded)
def _resume_folded(frame: Locals) -> Resume:
    rows = copy(frame["rows"])
    return lambda value: _folded(frame["combiner"], value, copy(rows), frame["tail"], frame["result_first"])


def folded_right(combiner: Value, initial: Value, items: list[Value], tail: TailCall) -> Value:
    """Combine each of the items, the last one first, with the result so far: ``(f a (f b initial))``."""
    result = initial
    backwards = iter(items[::-1])
    for item in backwards:
        combined = combiner(item, result)
        result = tail.run() if combined is None else combined
    return result


@resumed_by(folded_right)
def _resume_folded_right(frame: Locals) -> Resume:
    others = list(copy(frame["backwards"]))[::-1]
    return lambda value: folded_right(frame["combiner"], value, others, frame["tail"])
