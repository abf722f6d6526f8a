"""Generators: values that stand for all the values a property is to hold for. `lib/quickcheck.scm` builds on them.

A generator wraps a strategy of Hypothesis, which makes the values and knows how to make smaller ones. Hypothesis is
imported when the first generator is made, and not before.
"""

from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, Pair, SchemeObject, Value, list_of
from minischeme.primitives.kinds import Index, Kind, Procedure, as_index, check_type, is_list
from minischeme.primitives.loops import check_procedure
from minischeme.primitives.pairs import elements
from minischeme.primitives.registry import primitive, type_predicate
from minischeme.runtime.tail_calls import TailCall

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


class Generator(SchemeObject):
    """A generator of values, which a strategy makes."""

    __slots__ = ("strategy",)

    def __init__(self, strategy: "SearchStrategy[Value]") -> None:
        self.strategy = strategy

    def __repr__(self) -> str:
        return "#[generator]"


GeneratorArg = Annotated[Any, Kind("not a generator", lambda value: type(value) is Generator)]
ExactInteger = Annotated[Any, Kind("not an exact integer", lambda value: type(value) is int)]
Elements = Annotated[Any, Kind("not a list with elements", lambda value: type(value) is Pair and is_list(value))]


def strategies() -> ModuleType:
    """Hypothesis' strategies; an error if it is not installed."""
    try:
        from hypothesis import strategies as found
    except ImportError:
        raise SchemeError("quickcheck: needs the Python package hypothesis: install minischeme[quickcheck]") from None
    return found


type_predicate("generator?", Generator, "a generator, which makes values for a property to be checked with")


_FAR = 3 << 80
"""The offset of the integers that are drawn. Hypothesis takes some integers from the Python modules that happen to be
loaded, so that a seed would not repeat a search; none of those is as large as this."""

_SIZES = (15, 1023)
"""The sizes of parts of a long range: an integer is drawn from the first, the second or the whole, equally likely."""


def integers(low: int, high: int) -> "SearchStrategy[int]":
    """The integers from low to high, small ones more likely; they shrink to the one nearest to 0."""
    nearest = max(low, min(high, 0))
    up, down = high - nearest, nearest - low
    parts: list[SearchStrategy[int]] = []
    span = max(up, down)
    for size in (*(size for size in _SIZES if 8 * size < span), span):
        parts.append(_far_integers(0, min(size, up)).map(lambda number: nearest + (number - _FAR)))
        if down > 0:
            parts.append(_far_integers(1, min(size, down)).map(lambda number: nearest - (number - _FAR)))
    result: SearchStrategy[int] = strategies().one_of(parts)
    return result


def _far_integers(low: int, high: int) -> "SearchStrategy[int]":
    far: SearchStrategy[int] = strategies().integers(_FAR + low, _FAR + high)
    return far


@primitive("generator-of-integers")
def generator_of_integers(low: ExactInteger, high: ExactInteger) -> Generator:
    """The generator of the integers from low to high; the simplest is the one nearest to 0."""
    check_type(int, low, high)
    if low > high:
        raise SchemeError("generator-of-integers: nothing lies between", low, high)
    return Generator(integers(low, high))


@primitive("generator-of-elements")
def generator_of_elements(items: Elements) -> Generator:
    """The generator of the elements of a list; the simplest is the first one."""
    choices = elements(items)
    if not choices:
        raise TypeError("empty")
    return Generator(_far_integers(0, len(choices) - 1).map(lambda number: choices[number - _FAR]))


@primitive("generator-of-lists")
def generator_of_lists(generator: GeneratorArg, least: Index, most: Index) -> Generator:
    """The generator of the lists of least to most elements that the generator makes."""
    shortest, longest = as_index(least), as_index(most)
    element = generator.strategy
    if shortest > longest:
        raise SchemeError("generator-of-lists: no list is that long:", least, most)
    return Generator(strategies().lists(element, min_size=shortest, max_size=longest).map(list_of))


@primitive("generator-choice")
def generator_choice(generator: GeneratorArg, *generators: GeneratorArg) -> Generator:
    """The generator of all that the generators make; the first one is that of the simplest values."""
    return Generator(strategies().one_of([one.strategy for one in (generator, *generators)]))


@primitive("generator-map")
def generator_map(
    procedure: Procedure, generator: GeneratorArg, *generators: GeneratorArg, tail: TailCall
) -> Generator:
    """The generator of what procedure returns for arguments that the generators make."""
    check_procedure(procedure)
    sources = [one.strategy for one in (generator, *generators)]
    return Generator(strategies().tuples(*sources).map(lambda arguments: tail.call(procedure, arguments)))


@primitive("generator-filter")
def generator_filter(predicate: Procedure, generator: GeneratorArg, *, tail: TailCall) -> Generator:
    """The generator of those values of another one for which predicate is true."""
    check_procedure(predicate)
    return Generator(generator.strategy.filter(lambda value: tail.call(predicate, (value,)) is not FALSE))


@primitive("generator-bind")
def generator_bind(generator: GeneratorArg, procedure: Procedure, *, tail: TailCall) -> Generator:
    """The generator that makes a value, and then one of the generator that procedure returns for it."""
    check_procedure(procedure)
    source = generator.strategy

    def following(value: Value) -> "SearchStrategy[Value]":
        found = tail.call(procedure, (value,))
        if type(found) is not Generator:
            raise SchemeError("generator-bind: the procedure returned no generator:", found)
        return found.strategy

    return Generator(source.flatmap(following))
