"""Properties that are to hold for all values of generators: `find-counterexample` looks for the smallest exception.

A generator wraps a strategy of Hypothesis, which makes the values and knows how to make smaller ones. Hypothesis is
imported when the first generator is made, and not before. `lib/quickcheck.scm` builds on them.
"""

import os.path
import sys
import warnings
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from minischeme.data.cpython import last_constant
from minischeme.data.errors import SchemeError
from minischeme.data.printer import write
from minischeme.data.values import FALSE, NIL, Pair, SchemeObject, String, Value, intern, list_of, untraced
from minischeme.primitives.kinds import Index, Kind, Procedure, as_index, check_procedure, check_type, is_list
from minischeme.primitives.pairs import elements
from minischeme.primitives.registry import predicate, primitive, primitive_of
from minischeme.runtime.context import RandomSource
from minischeme.runtime.tail_calls import TailCall

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy


# ── Generators ───────────────────────────────────────────────────────────────────────────────────────────────────────
class Generator(SchemeObject, msgspec.Struct, eq=False):
    """A generator of values, which a strategy makes."""

    strategy: "SearchStrategy[Value]"

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


predicate("generator?", Generator, "a generator, which makes values for a property to be checked with")


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


# ── Properties ───────────────────────────────────────────────────────────────────────────────────────────────────────
DISCARD = intern("discard")
"""The value that a property returns for arguments that it says nothing about."""

_DEEPEST_START = 900
"""The most active Python calls at the start of a search: Hypothesis refuses to start inside 1000."""

_FEW = 40
"""The number of trials that may be left out without a search having given up."""


@primitive("procedure-parameters", example="(procedure-parameters (lambda (x . others) x)) → (x . others)")
def procedure_parameters(procedure: Procedure) -> Value:
    """The names of a procedure's parameters, dotted as in a lambda; those that are optional count as rest."""
    behind = untraced(procedure)
    known = primitive_of(behind)
    if known is not None:
        least, most = known.arity
        names, rest = known.parameters[:least], None if most == least else known.parameters[-1]
    else:
        header = last_constant(behind.__code__)
        names, rest = header.parameters, header.rest
    return list_of([intern(name) for name in names], NIL if rest is None else intern(rest))


@primitive("find-counterexample")
def find_counterexample(
    property: Procedure,
    trials: ExactInteger,
    seed: ExactInteger,
    generator: GeneratorArg,
    *generators: GeneratorArg,
    chance: RandomSource,
    tail: TailCall,
) -> Value:
    """Try a property with random arguments: a list of pairs, outcome, trials, discarded and counterexample.

    The outcome is passed, exhausted (all arguments there are were tried), gave-up (too many were discarded, by a
    property that returned the symbol discard), falsified, or unsteady (falsified, but not each time). The
    counterexample is a list of the arguments, each a pair of its text and itself. An error in the property, or in a
    procedure of a generator, ends the search.
    """
    check_procedure(property)
    check_type(int, trials, seed)
    if trials < 1:
        raise SchemeError("find-counterexample: there must be a trial:", trials)
    sources = (generator, *generators)
    check_type(Generator, *sources)
    search = _Search(property, sources, chance, tail)
    usual = chance.random
    try:
        outcome = search.run(trials, seed)
    finally:
        chance.random = usual
    names = map(intern, ("outcome", "trials", "discarded", "counterexample"))
    made = min(search.held, trials) + (search.falsified > 0)
    return list_of(map(Pair, names, (intern(outcome), made, search.discarded, search.counterexample)))


class _Falsified(Exception):
    """The exception of a property that does not hold, which Hypothesis looks for."""


class _Broken(BaseException):
    """The exception that ends the search for an error of the program that is no answer of the property."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(cause)
        self.cause = cause


class _Search(msgspec.Struct):
    """One search for a counterexample.

    `held`, `discarded` and `falsified` count the trials, the first two up to the first failure; `counterexample` has
    the arguments that failed last.
    """

    property: Procedure
    sources: tuple[Generator, ...]
    chance: RandomSource
    tail: TailCall
    recursion_limit: int = msgspec.field(default_factory=sys.getrecursionlimit)
    held: int = 0
    discarded: int = 0
    falsified: int = 0
    counterexample: Value = msgspec.field(default_factory=lambda: NIL)

    def run(self, trials: int, seed: int) -> str:
        """The outcome of at most so many trials; what a generator or the property raises goes on."""
        from traceback import walk_stack

        if sum(1 for _ in walk_stack(sys._getframe())) > _DEEPEST_START:
            raise SchemeError("check-property: called too deep inside a recursion")
        draws = strategies()
        from hypothesis import HealthCheck, Phase, Verbosity, errors, given, settings
        from hypothesis import seed as with_seed
        from hypothesis.configuration import set_hypothesis_home_dir

        @with_seed(seed)
        @settings(
            max_examples=trials,
            database=None,
            deadline=None,
            derandomize=False,
            phases=[Phase.generate, Phase.shrink],
            print_blob=False,
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
            verbosity=Verbosity.quiet,
        )
        @given(draws.composite(self._trial)())
        def look(holds: bool) -> None:
            if not holds:
                raise _Falsified

        set_hypothesis_home_dir(os.path.join(os.devnull, "hypothesis"))  # its caches have no place in a user's folder
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", errors.HypothesisWarning)
                look()
        except _Falsified:
            return "falsified"
        except errors.Flaky:
            if self.falsified:
                return "unsteady"
            raise SchemeError("check-property: a generator does not do the same each time") from None
        except errors.Unsatisfiable:
            return "gave-up"
        except _Broken as broken:
            raise broken.cause  # noqa: B904 - the cause has its own history, and this is no part of it
        finally:
            set_hypothesis_home_dir(None)
            sys.setrecursionlimit(self.recursion_limit)
        if self.held >= trials:
            return "passed"
        # Hypothesis does not say why it ended early: with few left out, since nothing was left to try.
        return "gave-up" if self.discarded > max(_FEW, 9 * self.held) else "exhausted"

    def _trial(self, draw: "DrawFn") -> bool:
        """Whether the property holds for arguments that are drawn now."""
        from hypothesis import reject
        from hypothesis.errors import HypothesisException

        hypothesis_limit = sys.getrecursionlimit()
        sys.setrecursionlimit(self.recursion_limit)
        # Chosen by Hypothesis, so that a trial can be repeated, and only if it is used: else trials would differ by it.
        self.chance.begin(lambda: draw(integers(0, (1 << 32) - 1)))
        self.discarded += not self.falsified  # until it has ended: also a generator may give up
        try:
            arguments = tuple([draw(source.strategy) for source in self.sources])
            texts = [write(argument) for argument in arguments]  # now, since the property may change its arguments
            verdict = self.tail.call(self.property, arguments)
        except HypothesisException:
            raise
        except Exception as error:
            raise _Broken(error) from None
        finally:
            self.recursion_limit = sys.getrecursionlimit()
            sys.setrecursionlimit(hypothesis_limit)
        if verdict is DISCARD:
            reject()
        if not self.falsified:
            self.discarded -= 1
            self.held += verdict is not FALSE
        if verdict is not FALSE:
            return True
        self.falsified += 1
        self.counterexample = list_of(map(Pair, map(String, texts), arguments))
        return False
