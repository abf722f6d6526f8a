"""Sorting of lists and vectors by a predicate of the program's."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any

from minischeme.data.values import FALSE, Value, Vector, list_of
from minischeme.primitives.kinds import Kind, Procedure, is_list
from minischeme.primitives.loops import check_procedure
from minischeme.primitives.pairs import elements
from minischeme.primitives.registry import primitive
from minischeme.runtime.resumption import Locals, Resume, resumed_by, transparent
from minischeme.runtime.tail_calls import TailCall

Finish = Callable[[list[Value]], Value]
Sequence = Annotated[Any, Kind("not a list or vector", lambda value: type(value) is Vector or is_list(value))]


@transparent
def merge_sorted(items: Iterable[Value], is_less: Value, tail: TailCall, finish: Finish = list) -> Value:
    """The result of `finish` for the items in order; those that are neither less than the other keep theirs.

    A bottom-up merge sort: Python's own would call the predicate, of two items, through C.
    """
    check_procedure(is_less)
    return _merged_all(list(items), 1, [], is_less, tail, finish)


def _merged_all(
    source: list[Value], width: int, target: list[Value], is_less: Value, tail: TailCall, finish: Finish
) -> Value:
    """Merge the sorted runs, of a width, of the source, behind the runs of twice the width that are in the target."""
    while width < len(source):
        for start in range(len(target), len(source), 2 * width):
            left, right = source[start : start + width], source[start + width : start + 2 * width]
            target += _merged(left, right, [], is_less, tail)
        source, target = target, []
        width *= 2
    return finish(source)


@resumed_by(_merged_all)
def _resume_merged_all(frame: Locals) -> Resume:
    before = list(frame["target"])
    others = frame["is_less"], frame["tail"], frame["finish"]
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
def _resume_merged(frame: Locals) -> Resume:
    left, right, before = frame["left"][frame["i"] :], frame["right"][frame["j"] :], list(frame["merged"])

    def resume(answer: Value) -> list[Value]:
        if answer is FALSE:
            return _merged(left[1:], right, [*before, left[0]], frame["is_less"], frame["tail"])
        return _merged(left, right[1:], [*before, right[0]], frame["is_less"], frame["tail"])

    return resume


@primitive("sort", example="(sort '(3 1 2) <) → (1 2 3)")
@transparent
def sort(sequence: Sequence, less_p: Procedure, *, tail: TailCall) -> Value:
    """The elements of a list or vector in order, as a predicate such as < tells; equal ones keep theirs."""
    if type(sequence) is Vector:
        return merge_sorted(sequence, less_p, tail, Vector)
    return merge_sorted(elements(sequence), less_p, tail, list_of)


@primitive("sort!")
@transparent
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
