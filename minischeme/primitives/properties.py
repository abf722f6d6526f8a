"""`find-counterexample`: the search for the smallest arguments that a property does not hold for, by Hypothesis."""

import os.path
import sys
import warnings
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any

from minischeme.data.cpython import last_constant
from minischeme.data.errors import SchemeError
from minischeme.data.printer import write
from minischeme.data.values import FALSE, NIL, Pair, String, Value, intern, list_of
from minischeme.primitives.generators import ExactInteger, Generator, GeneratorArg, integers, strategies
from minischeme.primitives.kinds import Procedure, check_type
from minischeme.primitives.loops import check_procedure
from minischeme.primitives.registry import primitive, primitive_of
from minischeme.runtime.context import RandomSource
from minischeme.runtime.tail_calls import TailCall

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn


DISCARD = intern("discard")
"""The value that a property returns for arguments that it says nothing about."""

_DEEPEST_START = 900
"""The most active Python calls at the start of a search: Hypothesis refuses to start inside 1000."""

_FEW = 40
"""The number of trials that may be left out without a search having given up."""


@primitive("procedure-parameters", example="(procedure-parameters (lambda (x . others) x)) → (x . others)")
def procedure_parameters(procedure: Procedure) -> Value:
    """The names of a procedure's parameters, dotted as in a lambda; those that are optional count as rest."""
    behind = procedure.__dict__.get("traced", procedure)
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
    return list_of(
        [
            Pair(intern("outcome"), intern(outcome)),
            Pair(intern("trials"), min(search.held, trials) + (search.falsified > 0)),
            Pair(intern("discarded"), search.discarded),
            Pair(intern("counterexample"), search.counterexample),
        ]
    )


class _Falsified(Exception):
    """The exception of a property that does not hold, which Hypothesis looks for."""


class _Broken(BaseException):
    """The exception that ends the search for an error of the program that is no answer of the property."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(cause)
        self.cause = cause


class _TrialRandom(Random):
    """The random numbers of a trial.

    The first use has Hypothesis choose the seed, so that a trial can be repeated and trials without random numbers do
    not differ by them.
    """

    def __init__(self, choose: Callable[[], int]) -> None:
        super().__init__(0)
        self._choose: Callable[[], int] | None = choose

    def seed(self, *arguments: Any, **options: Any) -> None:
        self._choose = None
        super().seed(*arguments, **options)

    def random(self) -> float:
        if self._choose is not None:
            self.seed(self._choose())
        return super().random()

    def getrandbits(self, count: int, /) -> int:
        if self._choose is not None:
            self.seed(self._choose())
        return super().getrandbits(count)


class _Search:
    """One search for a counterexample.

    `held`, `discarded` and `falsified` count the trials, the first two up to the first failure; `counterexample` has
    the arguments that failed last.
    """

    def __init__(
        self, property: Procedure, sources: tuple[Generator, ...], chance: RandomSource, tail: TailCall
    ) -> None:
        self._property = property
        self._sources = sources
        self._chance = chance
        self._tail = tail
        self._recursion_limit = sys.getrecursionlimit()
        self.held = self.discarded = self.falsified = 0
        self.counterexample: Value = NIL

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
            sys.setrecursionlimit(self._recursion_limit)
        if self.held >= trials:
            return "passed"
        # Hypothesis does not say why it ended early: with few left out, since nothing was left to try.
        return "gave-up" if self.discarded > max(_FEW, 9 * self.held) else "exhausted"

    def _trial(self, draw: "DrawFn") -> bool:
        """Whether the property holds for arguments that are drawn now."""
        from hypothesis import reject
        from hypothesis.errors import HypothesisException

        hypothesis_limit = sys.getrecursionlimit()
        sys.setrecursionlimit(self._recursion_limit)
        self._chance.random = _TrialRandom(lambda: draw(integers(0, (1 << 32) - 1)))
        self.discarded += not self.falsified  # until it has ended: also a generator may give up
        try:
            arguments = tuple([draw(source.strategy) for source in self._sources])
            texts = [write(argument) for argument in arguments]  # now, since the property may change its arguments
            self._tail.procedure = self._property
            self._tail.arguments = arguments
            verdict = self._tail.run()
        except HypothesisException:
            raise
        except Exception as error:
            raise _Broken(error) from None
        finally:
            self._recursion_limit = sys.getrecursionlimit()
            sys.setrecursionlimit(hypothesis_limit)
        if verdict is DISCARD:
            reject()
        if not self.falsified:
            self.discarded -= 1
            self.held += verdict is not FALSE
        if verdict is not FALSE:
            return True
        self.falsified += 1
        self.counterexample = list_of(
            [Pair(String(text), argument) for text, argument in zip(texts, arguments, strict=True)]
        )
        return False
