"""What is built on lists: searching, association lists, removing, and the course's trees and tagged data.

Leaves procedures that apply a procedure to every element to `higher_order`.
"""

from __future__ import annotations

from typing import Annotated, Any

from minischeme.data.errors import SchemeError
from minischeme.data.rationals import Real as AnyReal
from minischeme.data.values import FALSE, NIL, TRUE, Boolean, Char, EmptyList, Pair, Symbol, Value, list_of
from minischeme.data.values import Procedure as ProcedureType
from minischeme.primitives.equivalence import Comparison, eq, equal, equal_standard, eqv
from minischeme.primitives.higher_order import applied_to_each, first_found, found_item
from minischeme.primitives.indices import as_length
from minischeme.primitives.kinds import Index, Kind, List, Number, PairArg, Procedure, Real, as_real, is_list
from minischeme.primitives.pairs import cell_after, elements
from minischeme.primitives.registry import primitive
from minischeme.runtime.resumption import Locals, Resume, resumed_by, transparent
from minischeme.runtime.tail_calls import TailCall

AssociationList = Annotated[
    Any, Kind("not an association list", lambda value: is_list(value) and all(type(entry) is Pair for entry in value))
]

_STEPS_BEFORE_CHECKING = range(1_000_000)
_EQUAL_ONLY_TO_ITSELF = frozenset({Symbol, Char, Boolean, EmptyList})


def comparison_by(predicate: Value, tail: TailCall) -> Comparison:
    """A Scheme procedure of two arguments as a Python test.

    Raises: TypeError if it is no procedure.
    """
    if type(predicate) is not ProcedureType:
        raise TypeError("not a procedure")

    def test(a: Value, b: Value) -> bool:
        answer = predicate(a, b)
        if answer is None:
            answer = tail.run()
        return answer is not FALSE

    return test


# Searching


def _member(same: Comparison, obj: Value, list_: Value) -> Value:
    """The part of a list from an object on, or FALSE.

    Args: same: what compares; it must never equate values of different Python types.
    """
    kind = type(obj)
    comparable = kind not in _EQUAL_ONLY_TO_ITSELF
    cell = list_
    for _ in _STEPS_BEFORE_CHECKING:
        if type(cell) is not Pair:
            if cell is not NIL:
                raise TypeError("not a list")
            return FALSE
        item = cell.car
        if item is obj or (comparable and type(item) is kind and same(obj, item)):
            return cell
        cell = cell.cdr
    if not is_list(cell):
        raise TypeError("not a list")
    return _member(same, obj, cell)


@primitive("memq", example="(memq 'b '(a b c)) → (b c)")
def memq(obj: Value, list_: List) -> Value:
    """The part of a list that begins with that very object, or #f; compares by eq?."""
    return _member(eq, obj, list_)


@primitive("memv")
def memv(obj: Value, list_: List) -> Value:
    """The part of a list that begins with the object, or #f; compares by eqv?."""
    return _member(eqv, obj, list_)


@primitive("member", example="(member 2 '(1 2 3)) → (2 3)")
def member(obj: Value, list_: List, compare: Procedure = None, *, tail: TailCall) -> Value:
    """The part of a list that begins with the object, or #f; words count as the same only if of the same type."""
    if compare is None:
        return _member(equal_standard, obj, list_)
    items = elements(list_)
    return _found_cell(first_found(compare, [[obj] * len(items), items], tail), list_)


def _found_cell(found: Value, list_: Value) -> Value:
    return FALSE if found is FALSE else cell_after("member", list_, found.place)


@resumed_by(member)
def _after_member(frame: Locals) -> Resume:
    return lambda found: _found_cell(found, frame["list_"])


def _entry(same: Comparison, obj: Value, alist: Value) -> Value:
    """The first pair of an association list whose car is `same` as an object, or FALSE.

    Args: same: what compares; anything must be the same as itself.
    """
    comparable = same is equal or type(obj) not in _EQUAL_ONLY_TO_ITSELF
    cell = alist
    for _ in _STEPS_BEFORE_CHECKING:
        if type(cell) is not Pair:
            if cell is not NIL:
                raise TypeError("not a list")
            return FALSE
        entry = cell.car
        key = entry.car
        if key is obj or (comparable and same(obj, key)):
            return entry
        cell = cell.cdr
    if not is_list(cell):
        raise TypeError("not a list")
    return _entry(same, obj, cell)


def _entry_by(compare: Value, obj: Value, alist: Value, tail: TailCall) -> Value:
    entries = elements(alist)
    keys = [entry.car for entry in entries]
    return found_item(first_found(compare, [[obj] * len(keys), keys], tail), entries)


@resumed_by(_entry_by)
def _after_entry(frame: Locals) -> Resume:
    return lambda found: found_item(found, frame["entries"])


@primitive("assq", example="(assq 'b '((a 1) (b 2))) → (b 2)")
def assq(obj: Value, alist: AssociationList) -> Value:
    """The first pair of an association list whose car is that very object, or #f; compares by eq?."""
    return _entry(eq, obj, alist)


@primitive("assv")
def assv(obj: Value, alist: AssociationList) -> Value:
    """The first pair of an association list whose car is the object, or #f; compares by eqv?."""
    return _entry(eqv, obj, alist)


@primitive("assoc", dialect="berkeley", example="(assoc 'b '((a 1) (b 2))) → (b 2)")
@transparent
def assoc(obj: Value, alist: AssociationList, compare: Procedure = None, *, tail: TailCall) -> Value:
    """The first pair of an association list whose car is equal? to the object, or #f."""
    return _entry(equal, obj, alist) if compare is None else _entry_by(compare, obj, alist, tail)


@primitive("assoc", dialect="r7rs")
@transparent
def assoc_standard(obj: Value, alist: AssociationList, compare: Procedure = None, *, tail: TailCall) -> Value:
    """The first pair of an association list whose car is equal? to the object, or #f."""
    if compare is None:
        return _entry(equal_standard, obj, alist)
    return _entry_by(compare, obj, alist, tail)


# Removing


def _without(same: Comparison, item: Value, list_: Value) -> Value:
    return list_of([element for element in elements(list_) if not same(item, element)])


@primitive("delete", "delete!", dialect="berkeley")
def delete(item: Value, list_: List, compare: Procedure = None, *, tail: TailCall) -> Value:
    """A list without the elements that are equal? to an item."""
    return _without(equal if compare is None else comparison_by(compare, tail), item, list_)


@primitive("delete", "delete!", dialect="r7rs")
def delete_standard(item: Value, list_: List, compare: Procedure = None, *, tail: TailCall) -> Value:
    """A list without the elements that are equal? to an item."""
    return _without(equal_standard if compare is None else comparison_by(compare, tail), item, list_)


@primitive("remove", dialect="berkeley", example="(remove 'a '(b a n a)) → (b n)")
@transparent
def remove(item: Value, list_: List, *, tail: TailCall) -> Value:
    """A list without the elements that are equal? to an item or, if it is a procedure, that satisfy it."""
    return _rejected(item, list_, tail) if type(item) is ProcedureType else _without(equal, item, list_)


@primitive("remove", dialect="r7rs")
@transparent
def remove_standard(predicate: Procedure, list_: List, *, tail: TailCall) -> Value:
    """A list without the elements that satisfy a predicate."""
    return _rejected(predicate, list_, tail)


def _rejected(predicate: Value, list_: Value, tail: TailCall) -> Value:
    items = elements(list_)
    return _others(items, applied_to_each(predicate, [items], tail))


def _others(items: list[Value], answers: list[Value]) -> Value:
    return list_of([item for item, answer in zip(items, answers, strict=True) if answer is FALSE])


@resumed_by(_rejected)
def _after_rejected(frame: Locals) -> Resume:
    return lambda answers: _others(frame["items"], answers)


def _distinct(same: Comparison, list_: Value) -> Value:
    kept: list[Value] = []
    for item in elements(list_):
        # A loop of its own, since `same` may call a Scheme procedure, which must not be called through C.
        for other in kept:
            if same(other, item):
                break
        else:
            kept.append(item)
    return list_of(kept)


@primitive("delete-duplicates", dialect="berkeley")
def delete_duplicates(list_: List, compare: Procedure = None, *, tail: TailCall) -> Value:
    """A list with only the first of all elements that are equal?."""
    return _distinct(equal if compare is None else comparison_by(compare, tail), list_)


@primitive("delete-duplicates", dialect="r7rs")
def delete_duplicates_standard(list_: List, compare: Procedure = None, *, tail: TailCall) -> Value:
    """A list with only the first of all elements that are equal?."""
    return _distinct(equal_standard if compare is None else comparison_by(compare, tail), list_)


# Making lists of numbers


@primitive("iota", example="(iota 3) → (0 1 2)")
def iota(count: Index, start: Number = 0, step: Number = 1) -> Value:
    """A list of so many numbers: start, start + step, and so on."""
    first, difference = _required_number(start), _required_number(step)
    return list_of([first + index * difference for index in range(as_length("iota", count))])


@primitive("enumerate-interval", dialect="berkeley", example="(enumerate-interval 1 5) → (1 2 3 4 5)")
def enumerate_interval(low: Real, high: Real) -> Value:
    """A list of the numbers from low to high, in steps of 1."""
    number, last = _required_number(low), _required_number(high)
    numbers = []
    while number <= last:
        numbers.append(number)
        number = number + 1
    return list_of(numbers)


def _required_number(value: Value) -> AnyReal:
    number = as_real(value)
    if number is None:
        raise TypeError("not a number")
    return number


# Trees and tagged data, as the course represents them


@primitive("atom?", dialect="berkeley")
def is_atom(value: Value) -> Boolean:
    """Whether the value is not a pair."""
    return FALSE if type(value) is Pair else TRUE


@primitive("make-node", dialect="berkeley")
def make_node(datum: Value, children: Value) -> Pair:
    """A tree: its datum, and a list of trees."""
    return Pair(datum, children)


@primitive("datum", dialect="berkeley")
def datum(node: PairArg) -> Value:
    """The datum of a tree."""
    return node.car


@primitive("children", dialect="berkeley")
def children(node: PairArg) -> Value:
    """The list of a tree's subtrees."""
    return node.cdr


@primitive("attach-tag", dialect="berkeley", example="(attach-tag 'polar '(1 2)) → (polar 1 2)")
def attach_tag(tag: Value, contents: Value) -> Pair:
    """Tagged data: the contents, marked with their type."""
    return Pair(tag, contents)


@primitive("type-tag", dialect="berkeley", example="(type-tag '(polar 1 2)) → polar")
def type_tag(datum: PairArg) -> Value:
    """The type that tagged data is marked with."""
    if type(datum) is not Pair:
        raise SchemeError("Bad tagged datum -- TYPE-TAG", datum)
    return datum.car


@primitive("contents", dialect="berkeley", example="(contents '(polar 1 2)) → (1 2)")
def contents(datum: PairArg) -> Value:
    """Tagged data without its mark."""
    if type(datum) is not Pair:
        raise SchemeError("Bad tagged datum -- CONTENTS", datum)
    return datum.cdr
