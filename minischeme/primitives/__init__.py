"""The standard procedures, one topic a module; `library` binds them for a session."""

from __future__ import annotations

from types import FunctionType
from typing import Any

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
    streams,
    strings,
    symbols,
    tables,
    tallies,
    terminal,
    tracing,
    transcripts,
    vectors,
    word_higher_order,
    words,
)
from minischeme.primitives.registry import bound, primitives_in
from minischeme.values import Value

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
)


def library(dialect: str, **owned: Any) -> dict[str, Value]:
    """The bindings of a fresh session.

    Args: dialect: which procedures there are. owned: what belongs to the session (``session``, ``tail``,
    ``dynamic``), for the keyword-only parameters of the procedures that ask for it.
    """
    bindings: dict[str, Value] = {}
    for module in MODULES:
        if dialect == "berkeley":
            bindings.update(getattr(module, "CONSTANTS", {}))
    copies: dict[FunctionType, FunctionType] = {}
    for name, known in primitives_in(MODULES, dialect).items():
        function = known.function
        if function not in copies:
            copies[function] = bound(function, owned)
        bindings[name] = copies[function]
    return bindings
