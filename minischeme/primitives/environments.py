"""Evaluation of data, environments, and what a program can ask of the system it runs on (R7RS 6.12, 6.14)."""

import time
from collections.abc import Callable, Iterable

from minischeme.data.errors import SchemeError
from minischeme.data.values import UNSPECIFIED, Boolean, Environment, Symbol, Value, boolean, intern, list_of
from minischeme.primitives.kinds import EnvironmentArg, SymbolArg, check_type
from minischeme.primitives.registry import predicate, primitive
from minischeme.primitives.standard_libraries import features
from minischeme.runtime.context import EvalDatum

_PROGRAM = Environment()

CONSTANTS: dict[str, Value] = {"user-initial-environment": _PROGRAM, "system-global-environment": _PROGRAM}
"""Variables of the berkeley dialect: an environment without a namespace is the program's own."""


@primitive("eval", tail_calls=True, example="(eval '(+ 1 2) (the-environment)) → 3", transparent=True)
def eval_(expression: Value, environment: EnvironmentArg = None, *, eval_datum: EvalDatum) -> Value:
    """The value of an expression that is given as data."""
    if environment is not None:
        check_type(Environment, environment)
    return eval_datum(expression, environment, leaves_pending=True)


@primitive("interaction-environment", "nearest-repl/environment")
def interaction_environment() -> Environment:
    """The environment of the prompt, for eval."""
    return _PROGRAM


@primitive("environment", example="(eval '(* 6 7) (environment '(scheme base))) → 42")
def environment_of(*import_sets: Value, environment_with: Callable[[Iterable[Value]], Environment]) -> Environment:
    """An environment with what the import sets name, for eval."""
    try:
        return environment_with(import_sets)
    except SchemeError as error:
        error.message = f"environment: {error.message.removeprefix('import: ')}"
        raise


@primitive("scheme-report-environment", "null-environment")
def scheme_report_environment(
    version: Value = 5, *, environment_with: Callable[[Iterable[Value]], Environment]
) -> Environment:
    """An environment with the standard's names only, whatever the program has defined."""
    if version not in (5, 7):
        raise SchemeError("scheme-report-environment: there is only that of report 5 or 7, not:", version)
    return environment_with(())


predicate("environment?", Environment, "an environment")


def _check(environment: Value, symbol: Value) -> None:
    check_type(Environment, environment)
    check_type(Symbol, symbol)


@primitive("environment-bound?")
def is_bound(environment: EnvironmentArg, symbol: SymbolArg, *, binds: Callable[[Environment, str], bool]) -> Boolean:
    """Whether symbol has a value in environment, a program's own or the library's."""
    _check(environment, symbol)
    return boolean(binds(environment, symbol.name))


@primitive(
    "environment-lookup", dialect="berkeley", example="(let ((x 5)) (environment-lookup (the-environment) 'x)) → 5"
)
def environment_lookup(environment: EnvironmentArg, symbol: SymbolArg, *, eval_datum: EvalDatum) -> Value:
    """The value of symbol in environment."""
    _check(environment, symbol)
    return eval_datum(symbol, environment)


def _giving(name: str, keyword: str, help_: str) -> None:
    @primitive(name, help_=help_, dialect="berkeley")
    def give(environment: EnvironmentArg, symbol: SymbolArg, value: Value, *, eval_datum: EvalDatum) -> Value:
        _check(environment, symbol)
        eval_datum(list_of([intern(keyword), symbol, list_of([intern("quote"), value])]), environment)
        return UNSPECIFIED


_giving("environment-assign!", "set!", "Set the variable symbol, which exists, in environment.")
_giving("environment-define", "define", "Define the variable symbol in environment.")


@primitive("features")
def features_() -> Value:
    """The list of what this implementation has, as cond-expand knows it."""
    return list_of([intern(name) for name in features()])


def _clock(names: str, read: Callable[[], float], help_: str, dialect: str | None = None) -> None:
    @primitive(*names.split(), help_=help_, dialect=dialect)
    def clock() -> float:
        return read()


_clock("runtime", time.process_time, "The seconds of processor time used so far.")
_clock("real-time current-time", lambda: time.time() * 1000.0, "The milliseconds since a fixed moment in the past.")
_clock("current-second", time.time, "The seconds since the beginning of 1970.")
_clock(
    "current-milliseconds", lambda: time.time_ns() // 10**6, "The milliseconds since the beginning of 1970.", "berkeley"
)
_clock(
    "current-inexact-milliseconds",
    lambda: time.time_ns() / 1e6,
    "The milliseconds since the beginning of 1970, with what is left of one as a fraction.",
    "berkeley",
)
_clock("current-jiffy", lambda: time.perf_counter_ns() // 1000, "The microseconds since a fixed moment.")
_clock("jiffies-per-second", lambda: 1_000_000, "How many jiffies, of current-jiffy, a second has.")
