"""The standard procedures, one topic a module; `library` binds them for a session."""

from __future__ import annotations

from functools import cache
from types import FunctionType
from typing import Any

from minischeme.data.values import Value
from minischeme.primitives import (
    binary_ports,
    bits,
    bytevectors,
    characters,
    checks,
    complex_numbers,
    concurrency,
    control,
    elementary,
    environments,
    equivalence,
    exceptions,
    files,
    formatting,
    generators,
    hash_tables,
    higher_order,
    integers,
    list_library,
    more_lists,
    numbers,
    objects,
    pairs,
    parameters,
    ports,
    properties,
    racket,
    reals,
    sorting,
    stk,
    streams,
    strings,
    symbols,
    tables,
    tallies,
    terminal,
    testing,
    tracing,
    transcripts,
    vectors,
    word_higher_order,
    words,
)
from minischeme.primitives.registry import bound, primitives_in
from minischeme.primitives.standard_libraries import STANDARD_NAMES
from minischeme.runtime.names import hidden_key

MODULES = (
    equivalence,
    numbers,
    integers,
    bits,
    reals,
    elementary,
    complex_numbers,
    pairs,
    list_library,
    higher_order,
    sorting,
    more_lists,
    racket,
    symbols,
    characters,
    strings,
    vectors,
    bytevectors,
    words,
    word_higher_order,
    control,
    environments,
    exceptions,
    parameters,
    hash_tables,
    tables,
    streams,
    objects,
    concurrency,
    tallies,
    ports,
    files,
    binary_ports,
    formatting,
    terminal,
    checks,
    tracing,
    transcripts,
    generators,
    properties,
    stk,
    testing,
)


def library(dialect: str, **owned: Any) -> dict[str, Value]:
    """The bindings of a fresh session.

    Args: dialect: which procedures there are, and which of them programs can use without an import: the others have a
    `hidden_key`. owned: what the session gives for the keyword-only parameters of the procedures, by name.
    """
    bindings: dict[str, Value] = {}
    for module in MODULES:
        for name, value in getattr(module, "CONSTANTS", {}).items():
            bindings[name if is_visible(name, dialect) else hidden_key(name)] = value
    copies: dict[FunctionType, FunctionType] = {}
    for key, function in _functions(dialect).items():
        if function not in copies:
            copies[function] = bound(function, owned)
        bindings[key] = copies[function]
    return bindings


@cache
def _functions(dialect: str) -> dict[str, FunctionType]:
    """The standard procedures by their keys in a library."""
    found: dict[str, FunctionType] = {}
    for name, known in (primitives_in(MODULES, "berkeley") | primitives_in(MODULES, dialect)).items():
        is_internal = known.names[0].startswith("%")
        found[hidden_key(name) if is_internal or not is_visible(name, dialect) else name] = known.function
    return found


def is_visible(name: str, dialect: str) -> bool:
    """Whether programs of a dialect can use what has a name without an import."""
    return dialect == "berkeley" or name in STANDARD_NAMES
