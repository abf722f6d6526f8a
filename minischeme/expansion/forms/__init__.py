"""The special forms, one function each, one topic a module; `TABLE` has them all by name."""

from functools import cache

from minischeme import primitives
from minischeme.expansion.forms import (  # noqa: F401 - each puts its forms into the table
    bindings,
    conditionals,
    definitions,
    environments,
    exceptions,
    lazy,
    libraries,
    macro_forms,
    multiple_values,
    objects,
    primitive_forms,
    procedures,
    quasiquotation,
    testing,
    tracing,
)
from minischeme.expansion.scopes import SpecialForm
from minischeme.expansion.special_form import TABLE as TABLE


@cache
def visible_forms(dialect: str) -> dict[str, SpecialForm]:
    """The forms that programs of a dialect can use without an import, by name."""
    return {name: form for name, form in TABLE.items() if name not in hidden_forms(dialect)}


@cache
def hidden_forms(dialect: str) -> frozenset[str]:
    """The names of the forms that programs of a dialect must import."""
    return frozenset(name for name in TABLE if not primitives.is_visible(name, dialect))
