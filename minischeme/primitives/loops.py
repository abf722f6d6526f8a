"""Loops that call a procedure of the program for each element of lists, vectors or strings.

A procedure is called directly, from a Python loop, so that calls within calls need no C stack; and each loop tells how
it goes on when a continuation is entered again (`minischeme.runtime.resumption`).
"""

from collections.abc import Callable, Iterator
from itertools import islice

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, UNSPECIFIED, Value
from minischeme.data.values import Procedure as ProcedureType
from minischeme.primitives.kinds import check_procedure
from minischeme.primitives.pairs import elements, is_circular
from minischeme.runtime.resumption import Locals, resumed_loop, transparent
from minischeme.runtime.tail_calls import TailCall

Columns = list[list[Value]]
"""The arguments of the calls of a procedure, one list for each of its parameters; the shortest counts."""

Results = list[Value]


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


def _by_rows(procedure: Value, columns: Columns, tail: TailCall) -> tuple[Value, list[Value]]:
    """A procedure of a single argument that calls another one with a row of the columns, and the rows."""
    if type(procedure) is not ProcedureType:
        raise TypeError("not a procedure")
    if len(columns) == 1:
        return procedure, columns[0]
    if len(columns) == 2:

        @transparent
        def apply_to_two(row: tuple[Value, Value]) -> Value:
            first, second = row
            return procedure(first, second)

        return apply_to_two, list(zip(*columns, strict=False))

    def apply(row: tuple[Value, ...]) -> None:
        tail.procedure = procedure
        tail.arguments = row

    return apply, list(zip(*columns, strict=False))


# ── Applying a procedure to all ──────────────────────────────────────────────────────────────────────────────────────
@transparent
def applied_then(procedure: Value, columns: Columns, finish: Callable[[Results], Value], tail: TailCall) -> Value:
    """The result of `finish` for those of a procedure for the first elements of all columns, the second ones, …"""
    procedure, rows = _by_rows(procedure, columns, tail)
    return applied(procedure, iter(rows), [], finish, tail)


def applied(
    procedure: Value, items: Iterator[Value], results: Results, finish: Callable[[Results], Value], tail: TailCall
) -> Value:
    for item in items:
        result = procedure(item)
        results.append(tail.run() if result is None else result)
    return finish(results)


resumed_loop(applied, "items", "results")(lambda state, result: state["results"].append(result))


@transparent
def applied_for_effect(procedure: Value, columns: Columns, tail: TailCall) -> Value:
    """Call as `applied_then` does, but keep nothing of the results."""
    procedure, rows = _by_rows(procedure, columns, tail)
    return _done(procedure, iter(rows), tail)


def _done(procedure: Value, items: Iterator[Value], tail: TailCall) -> Value:
    for item in items:
        if procedure(item) is None:
            tail.run()
    return UNSPECIFIED


resumed_loop(_done, "items")(lambda state, _: None)


# ── Searching ────────────────────────────────────────────────────────────────────────────────────────────────────────
@transparent
def first_found(predicate: Value, columns: Columns, finish: Callable[[int, Value], Value], tail: TailCall) -> Value:
    """The result of `finish` for the index of the first true answer and that answer; FALSE if there is none."""
    predicate, rows = _by_rows(predicate, columns, tail)
    return _first_found(predicate, rows, 0, finish, tail)


def _first_found(
    predicate: Value, items: list[Value], start: int, finish: Callable[[int, Value], Value], tail: TailCall
) -> Value:
    for index in range(start, len(items)):
        answer = predicate(items[index])
        if answer is None:
            answer = tail.run()
        if answer is not FALSE:
            return finish(index, answer)
    return FALSE


@resumed_loop(_first_found)
def _go_on_searching(state: Locals, answer: Value) -> Value | None:
    state["start"] = state["index"] + 1
    return None if answer is FALSE else state["finish"](state["index"], answer)


# ── Folding ──────────────────────────────────────────────────────────────────────────────────────────────────────────
@transparent
def folded(
    combiner: Value,
    initial: Value,
    columns: Columns,
    tail: TailCall,
    from_right: bool = False,
    result_first: bool = False,
) -> Value:
    """Combine the result so far, as the first or last argument, with the elements of each row of the columns."""
    check_procedure(combiner)
    is_single = len(columns) == 1
    rows: list[Value] = columns[0] if is_single else list(zip(*columns, strict=False))
    return folded_over(iter(rows[::-1] if from_right else rows), combiner, initial, tail, is_single, result_first)


def folded_over(
    rows: Iterator[Value],
    combiner: Value,
    result: Value,
    tail: TailCall,
    is_single: bool = True,
    result_first: bool = False,
) -> Value:
    """Combine the result so far with each of the rows, in their order."""
    for row in rows:
        if not is_single:
            result = tail.call(combiner, (result, *row) if result_first else (*row, result))
            continue
        result = combiner(result, row) if result_first else combiner(row, result)
        if result is None:
            result = tail.run()
    return result


resumed_loop(folded_over, "rows")(lambda state, result: state.update(result=result))
