"""The special forms, one function each, one topic a module; `TABLE` has them all by name."""

from __future__ import annotations

from functools import cache

from minischeme import primitives
from minischeme.expansion.forms import (
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

MODULES = (
    primitive_forms,
    conditionals,
    bindings,
    multiple_values,
    definitions,
    environments,
    procedures,
    lazy,
    exceptions,
    quasiquotation,
    macro_forms,
    objects,
    libraries,
    tracing,
    testing,
)

TABLE: dict[str, SpecialForm] = {
    form.name: form
    for module in MODULES
    for value in vars(module).values()
    if isinstance(form := getattr(value, "special_form", None), SpecialForm)
}


@cache
def hidden_forms(dialect: str) -> frozenset[str]:
    """The names of the forms that programs of a dialect must import."""
    return frozenset(name for name in TABLE if not primitives.is_visible(name, dialect))
