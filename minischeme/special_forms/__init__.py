"""The special forms, one function each, one topic a module; `TABLE` has them all by name."""

from __future__ import annotations

from minischeme.expander import SpecialForm
from minischeme.special_forms import bindings, conditionals, lazy, macro_forms, primitive_forms, quasiquotation, tracing

MODULES = (primitive_forms, conditionals, bindings, lazy, quasiquotation, macro_forms, tracing)

TABLE: dict[str, SpecialForm] = {
    form.name: form
    for module in MODULES
    for value in vars(module).values()
    if isinstance(form := getattr(value, "special_form", None), SpecialForm)
}
