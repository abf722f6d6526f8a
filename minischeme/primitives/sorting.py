"""Sorting of lists and vectors by a predicate of the program's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from minischeme.data.values import FALSE, Value, Vector, list_of
from minischeme.primitives.higher_order import check_procedure
from minischeme.primitives.kinds import Kind, Procedure, is_list
from minischeme.primitives.pairs import elements
from minischeme.primitives.registry import primitive
from minischeme.runtime.resumption import Locals, Resume, resumed_by, transparent
from minischeme.runtime.tail_calls import TailCall

Sequence = Annotated[Any, Kind("not a list or vector", lambda value: type(value) is Vector or is_list(value))]


@transparent
def merge_sorted(items: Iterable[Value], is_less: Value, tail: TailCall) -> list[Value]:
    """The items in order; those that are neither less than the other keep theirs.

    A merge sort from below: Python's own would call the predicate through C.

    Args: is_less: a Scheme predicate of two items.
    """
    check_procedure(is_less)
    return _merged_all(list(items), 1, [], is_less, tail)


def _merged_all(source: list[Value], width: int, target: list[Value], is_less: Value, tail: TailCall) -> list[Value]:
    """The items in order. Args: source: sorted runs of a width. target: those of twice the width so far."""
    while width < len(source):
        for start in range(len(target), len(source), 2 * width):
            left, right = source[start : start + width], source[start + width : start + 2 * width]
            target += _merged(left, right, [], is_less, tail)
        source, target = target, []
        width *= 2
    return source


@resumed_by(_merged_all)
def _after_run(frame: Locals) -> Resume:
    before = list(frame["target"])
    others = frame["is_less"], frame["tail"]
    return lambda run: _merged_all(frame["source"], frame["width"], before + run, *others)


def _merged(left: list[Value], right: list[Value], merged: list[Value], is_less: Value, tail: TailCall) -> list[Value]:
    """Two sorted runs as one, behind what was merged before."""
    i = j = 0
    while i < len(left) and j < len(right):
        answer = is_less(right[j], left[i])
        if answer is None:
            answer = tail.run()
        if answer is FALSE:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    return merged + left[i:] + right[j:]


@resumed_by(_merged)
def _after_answer(frame: Locals) -> Resume:
    left, right, before = frame["left"][frame["i"] :], frame["right"][frame["j"] :], list(frame["merged"])

    def resume(answer: Value) -> list[Value]:
        if answer is FALSE:
            return _merged(left[1:], right, [*before, left[0]], frame["is_less"], frame["tail"])
        return _merged(left, right[1:], [*before, right[0]], frame["is_less"], frame["tail"])

    return resume


@primitive("sort", example="(sort '(3 1 2) <) → (1 2 3)")
def sort(sequence: Sequence, less_p: Procedure, *, tail: TailCall) -> Value:
    """The elements of a list or vector in order, as a predicate such as < tells; equal ones keep theirs."""
    items = sequence if type(sequence) is Vector else elements(sequence)
    return _as(sequence, merge_sorted(items, less_p, tail))


def _as(sequence: Value, items: list[Value]) -> Value:
    """Items as a vector, if the sequence is one, or else a list."""
    return Vector(items) if type(sequence) is Vector else list_of(items)


@resumed_by(sort)
def _after_sort(frame: Locals) -> Resume:
    return lambda items: _as(frame["sequence"], items)


@primitive("sort!")
def sort_in_place(sequence: Sequence, less_p: Procedure, *, tail: TailCall) -> Value:
    """Put the elements of a list or vector in order, as a predicate such as < tells; the result is the same object."""
    items = sequence if type(sequence) is Vector else elements(sequence)
    return _filled(sequence, merge_sorted(items, less_p, tail))


def _filled(sequence: Value, items: list[Value]) -> Value:
    """A list or vector with other elements in its places."""
    if type(sequence) is Vector:
        sequence[:] = items
        return sequence
    cell = sequence
    for item in items:
        cell.car = item
        cell = cell.cdr
    return sequence


@resumed_by(sort_in_place)
def _after_sort_in_place(frame: Locals) -> Resume:
    return lambda items: _filled(frame["sequence"], items)
