"""The special forms, one function each, one topic a module; `TABLE` has them all by name."""

from __future__ import annotations

from minischeme.expander import SpecialForm
from minischeme.special_forms import (
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
