"""Vectors (R7RS 6.8), with what MIT's and the course's Scheme add.

A method of `list` that is called by name fails for anything that is no vector.
"""

from collections.abc import Callable
from functools import partial
from itertools import chain

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, UNSPECIFIED, Value, Vector, list_of
from minischeme.primitives import kinds
from minischeme.primitives.kinds import Index, List, Procedure, VectorArg, as_index, of_type, part, position
from minischeme.primitives.pairs import elements
from minischeme.primitives.registry import predicate, primitive
from minischeme.primitives.strings import string_of
from minischeme.runtime.tail_calls import TailCall

predicate("vector?", Vector, "a vector")


@primitive("vector", example="(vector 1 2 3) → #(1 2 3)")
def vector_(*items: Value) -> Vector:
    """A vector of the arguments."""
    return Vector(items)


@primitive("make-vector", example="(make-vector 2 'x) → #(x x)")
def make_vector(length: Index, fill: Value = FALSE) -> Vector:
    """A vector of so many elements, all of them `fill`."""
    return Vector([fill] * kinds.as_length("make-vector", length))


def _from_part(name: str, make: Callable[[list[Value]], Value], what: str, example: str | None = None) -> None:
    """A procedure that makes something of a part of a vector."""

    @primitive(name, help_=f"{what} from index start up to, not including, end.", example=example)
    def made(vector: VectorArg, start: Index = 0, end: Index = None) -> Value:
        return make(part(name, of_type(Vector, vector), start, end))


_from_part("vector-copy", Vector, "A new vector of the elements")
_from_part("vector->list", list_of, "A list of the elements", "(vector->list #(1 2)) → (1 2)")
_from_part("vector->string", partial(string_of, "vector->string"), "A string of the characters")


@primitive("subvector")
def subvector(vector: VectorArg, start: Index, end: Index) -> Vector:
    """A new vector of the elements from index start up to, not including, end."""
    return Vector(part("subvector", of_type(Vector, vector), start, as_index(end)))


@primitive("vector-append")
def vector_append(*vectors: VectorArg) -> Vector:
    """A vector of the elements of all the vectors in a row."""
    return Vector(chain.from_iterable(map(list.copy, vectors)))


@primitive("vector-grow")
def vector_grow(vector: VectorArg, length: Index) -> Vector:
    """A new vector that long, which begins with the elements of a vector."""
    missing = kinds.as_length("vector-grow", length) - list.__len__(vector)
    if missing < 0:
        raise SchemeError("vector-grow: shorter than the vector:", length)
    return Vector([*vector, *[FALSE] * missing])


@primitive("vector-length", example="(vector-length #(a b c)) → 3")
def vector_length(vector: VectorArg) -> int:
    """The number of elements of a vector."""
    return list.__len__(vector)


@primitive("vector-ref", example="(vector-ref #(a b c) 1) → b")
def vector_ref(vector: VectorArg, k: Index) -> Value:
    """The element at index k, counted from 0."""
    return vector[position("vector-ref", k, list.__len__(vector))]


@primitive("vector-set!")
def vector_set(vector: VectorArg, k: Index, value: Value) -> Value:
    """Replace the element at index k, counted from 0."""
    vector[position("vector-set!", k, list.__len__(vector))] = value
    return UNSPECIFIED


@primitive("vector-fill!")
def vector_fill(vector: VectorArg, fill: Value, start: Index = 0, end: Index = None) -> Value:
    """Replace the elements from index start up to, not including, end, each by `fill`."""
    first, last = kinds.bounds("vector-fill!", list.__len__(vector), start, end)
    vector[first:last] = [fill] * (last - first)
    return UNSPECIFIED


@primitive("vector-copy!")
def vector_copy_to(to: VectorArg, at: Index, from_: VectorArg, start: Index = 0, end: Index = None) -> Value:
    """Replace the elements of a vector, from index `at` on, by those of another from index start up to end."""
    copied = part("vector-copy!", of_type(Vector, from_), start, end)
    first, last = kinds.bounds("vector-copy!", list.__len__(to), at, as_index(at) + len(copied))
    to[first:last] = copied
    return UNSPECIFIED


@primitive("vector-binary-search")
def vector_binary_search(vector: VectorArg, key: Value, compare: Procedure, *, tail: TailCall) -> Value:
    """The element of an ordered vector for which (compare key element) is 0, or #f; a negative one: further left."""
    kinds.check_procedure(compare)
    low, high = 0, list.__len__(vector)
    while low < high:
        middle = (low + high) // 2
        result = compare(key, vector[middle])
        if result is None:
            result = tail.run()
        order = kinds.as_real(result)
        if order is None:
            raise SchemeError("vector-binary-search: bad number:", result)
        if order == 0:
            return vector[middle]
        if order < 0:
            high = middle
        else:
            low = middle + 1
    return FALSE


@primitive("list->vector", example="(list->vector '(1 2)) → #(1 2)")
def list_to_vector(list_: List) -> Vector:
    """A vector of the elements of a list."""
    return Vector(elements(list_))
