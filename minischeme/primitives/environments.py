"""Evaluation of data, environments, and what a program can ask of the system it runs on (R7RS 6.12, 6.14)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from minischeme.primitives.kinds import EnvironmentArg, SymbolArg
from minischeme.primitives.registry import primitive
from minischeme.runtime import python_name
from minischeme.standard_libraries import features
from minischeme.suspension import passes_on
from minischeme.values import Boolean, Environment, Symbol, Value, boolean, intern, list_of

if TYPE_CHECKING:
    from minischeme.session import Session

CONSTANTS: dict[str, Value] = {"user-initial-environment": Environment({})}
"""Variables of the berkeley dialect: an environment without a namespace is the program's own."""


@primitive("eval")
@passes_on
def eval_(expression: Value, environment: EnvironmentArg | None = None, *, session: Session) -> Value:
    """The value of an expression that is given as data.

    Example: (eval '(+ 1 2) (the-environment)) → 3
    """
    if environment is not None and type(environment) is not Environment:
        raise TypeError("not an environment")
    return session.eval_datum(expression, environment)


@primitive("the-environment", "interaction-environment", "system-global-environment")
def interaction_environment(*, session: Session) -> Environment:
    """The environment of the prompt, for eval."""
    return session.environment


@primitive("environment")
def environment_of(*import_sets: Value, session: Session) -> Environment:
    """An environment with what the import sets name, for eval.

    Example: (eval '(* 6 7) (environment '(scheme base))) → 42
    """
    namespace = session.namespace()
    for import_set in import_sets:
        session.libraries.bind(import_set, namespace, None)
    return Environment(namespace.globals, namespace)


@primitive("scheme-report-environment", "null-environment")
def scheme_report_environment(version: Value = 5, *, session: Session) -> Environment:
    """An environment with the standard's names only, whatever the program has defined."""
    return environment_of(session=session)


@primitive("environment?")
def is_environment(obj: Value) -> Boolean:
    """Whether obj is an environment."""
    return boolean(type(obj) is Environment)


@primitive("environment-bound?")
def is_bound(environment: EnvironmentArg, symbol: SymbolArg, *, session: Session) -> Boolean:
    """Whether symbol has a value in environment, a program's own or the library's."""
    if type(environment) is not Environment or type(symbol) is not Symbol:
        raise TypeError("not an environment and a symbol")
    bindings = environment.bindings or session.globals
    return boolean(python_name(symbol.name) in bindings or symbol.name in session.library)


@primitive("features")
def features_() -> Value:
    """The list of what this implementation has, as cond-expand knows it."""
    return list_of([intern(name) for name in features()])


# ── time ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@primitive("current-second")
def current_second() -> float:
    """The seconds since the beginning of 1970."""
    return time.time()


@primitive("current-jiffy")
def current_jiffy() -> int:
    """The microseconds since a fixed moment."""
    return time.perf_counter_ns() // 1000


@primitive("jiffies-per-second")
def jiffies_per_second() -> int:
    """How many jiffies, of current-jiffy, a second has."""
    return 1_000_000
