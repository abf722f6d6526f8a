"""Sorting of lists and vectors by a predicate of the program's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from minischeme.primitives.higher_order import check_procedure
from minischeme.primitives.kinds import Kind, Procedure, is_list
from minischeme.primitives.pairs import elements
from minischeme.primitives.registry import primitive
from minischeme.runtime import TailCall
from minischeme.values import FALSE, Value, Vector, list_of

Sequence = Annotated[Any, Kind("not a list or vector", lambda value: type(value) is Vector or is_list(value))]


def merge_sorted(items: Iterable[Value], is_less: Value, tail: TailCall) -> list[Value]:
    """The items in order; those that are neither less than the other keep theirs.

    A merge sort from below: Python's own would call the predicate through C.

    Args: is_less: a Scheme predicate of two items.
    """
    check_procedure(is_less)
    source = list(items)
    width = 1
    while width < len(source):
        target: list[Value] = []
        for start in range(0, len(source), 2 * width):
            left, right = source[start : start + width], source[start + width : start + 2 * width]
            target += _merged(left, right, is_less, tail)
        source = target
        width *= 2
    return source


def _merged(left: list[Value], right: list[Value], is_less: Value, tail: TailCall) -> list[Value]:
    merged: list[Value] = []
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


@primitive("sort")
def sort(sequence: Sequence, less_p: Procedure, *, tail: TailCall) -> Value:
    """The elements of a list or vector in order, as a predicate such as < tells; equal ones keep theirs.

    Example: (sort '(3 1 2) <) → (1 2 3)
    """
    if type(sequence) is Vector:
        return Vector(merge_sorted(sequence, less_p, tail))
    return list_of(merge_sorted(elements(sequence), less_p, tail))


@primitive("sort!")
def sort_in_place(sequence: Sequence, less_p: Procedure, *, tail: TailCall) -> Value:
    """Put the elements of a list or vector in order, as a predicate such as < tells; the result is the same object."""
    if type(sequence) is Vector:
        sequence[:] = merge_sorted(sequence, less_p, tail)
        return sequence
    cell = sequence
    for item in merge_sorted(elements(sequence), less_p, tail):
        cell.car = item
        cell = cell.cdr
    return sequence
