"""The parts of a session that its standard procedures use.

The name of a keyword-only parameter (`primitives.registry`) selects the object that a procedure gets: the `Context`, a
part of it, or a function of the evaluator, such as the one that loads a file.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cached_property
from types import CodeType
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from minischeme.data.values import Environment, HashTable, Value
from minischeme.runtime.dynamic_state import DynamicState, Handler, Wind
from minischeme.runtime.ports import Console
from minischeme.runtime.resumption import Continuation

if TYPE_CHECKING:
    from random import Random


class RandomSource:
    """A generator of random numbers that can be replaced; it is made when the first of them is wanted."""

    def __init__(self, choose: Callable[[], int | str]) -> None:
        self.begin(choose)

    def begin(self, choose: Callable[[], int | str]) -> None:
        """Replace the generator by one with the seed that `choose` gives then."""
        self._choose = choose
        self.__dict__.pop("random", None)

    @cached_property
    def random(self) -> "Random":
        from random import Random  # here, since few programs need it and it takes a hundredth of a start

        return Random(self._choose())


class Context(msgspec.Struct, eq=False):
    """The state of a session that its standard procedures use."""

    console: Console  # the ports that are used where a program names none
    chance: RandomSource
    dynamic: DynamicState  # the handlers and winds in force
    strings_are_numbers: bool  # whether arithmetic takes strings of digits for numbers
    operations: HashTable  # the entries of ``put``
    coercions: HashTable  # the entries of ``put-coercion``
    arguments: list[str] = []  # the program's name and command line
    arguments_asked: bool = False  # whether the program has asked for them
    jobs: int = 1  # the number of processes that ``parallel-tally`` may use
    allows_system: bool = False  # whether the program may run commands of the system
    provided: set[str] = set()  # the files that ``require`` need not load
    tests: list[Any] = []  # the results so far of the open suites of SRFI 64, the innermost last
    checks: Any = None  # those of SRFI 78


class EvalDatum(Protocol):
    """Evaluation of an expression that is given as data, in the program's own environment if that is None."""

    def __call__(
        self, datum: Value, environment: Environment | None = None, *, leaves_pending: bool = False
    ) -> Value: ...


class ContinuationStack(Protocol):
    """The top-level forms that are running, and the capture of continuations inside them; `active` is the number of
    calls of call/cc that have not been left."""

    active: int

    def reader_scope(self) -> AbstractContextManager[None]: ...
    def run_toplevel(self, run: Callable[..., Value], *arguments: Any) -> Value: ...
    def capture(self, handlers: Handler | None, winds: Wind | None) -> Continuation: ...
    def tail_called_from(self, code: CodeType) -> bool: ...
    def check(self, continuation: Continuation) -> None: ...
