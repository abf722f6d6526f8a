"""The standard procedures, one topic a module; `library` binds them for a session."""

import os
from functools import cache
from importlib import import_module
from types import FunctionType
from typing import Any

from minischeme.data.values import Value
from minischeme.primitives import environments, equivalence, pairs, streams
from minischeme.primitives.registry import PRIMITIVES, bound
from minischeme.primitives.standard_libraries import standard_names
from minischeme.runtime.names import hidden_key

for _file in sorted(os.listdir(os.path.dirname(__file__))):
    _name, _, _kind = _file.partition(".")
    if _kind in ("py", "pyc") and _name != "__init__":
        import_module(f"{__name__}.{_name}")  # each registers its procedures

_CONSTANTS = equivalence.CONSTANTS | pairs.CONSTANTS | streams.CONSTANTS | environments.CONSTANTS


def library(dialect: str, /, **owned: Any) -> dict[str, Value]:
    """The bindings of a fresh session.

    Procedures that programs of the dialect can use only after an import have a `hidden_key`. `owned` has the session's
    objects for the keyword-only parameters of the procedures, by name.
    """
    owned |= {"dialect": dialect, "equal": equivalence.EQUAL[dialect]}
    bindings = {name if is_visible(name, dialect) else hidden_key(name): value for name, value in _CONSTANTS.items()}
    copies: dict[FunctionType, FunctionType] = {}
    for key, function in _functions(dialect).items():
        if function not in copies:
            copies[function] = bound(function, owned)
        bindings[key] = copies[function]
    return bindings


@cache
def _functions(dialect: str) -> dict[str, FunctionType]:
    """The standard procedures of a dialect by their keys in a library."""
    found: dict[str, FunctionType] = {}
    for name, known in (PRIMITIVES["berkeley"] | PRIMITIVES[dialect]).items():
        is_internal = known.names[0].startswith("%")
        found[hidden_key(name) if is_internal or not is_visible(name, dialect) else name] = known.function
    return found


def is_visible(name: str, dialect: str) -> bool:
    """Whether programs of a dialect can use a name without an import."""
    return dialect == "berkeley" or name in standard_names()
