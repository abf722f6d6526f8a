"""The special forms, one function each, one topic a module; `TABLE` has them all by name."""

import os
from functools import cache
from importlib import import_module

from minischeme import primitives
from minischeme.expansion.scopes import SpecialForm
from minischeme.expansion.special_form import TABLE as TABLE

for _file in sorted(os.listdir(os.path.dirname(__file__))):
    _name, _, _kind = _file.partition(".")
    if _kind in ("py", "pyc") and _name != "__init__":
        import_module(f"{__name__}.{_name}")  # each puts its forms into the table


@cache
def visible_forms(dialect: str) -> dict[str, SpecialForm]:
    """The forms that programs of a dialect can use without an import, by name."""
    return {name: form for name, form in TABLE.items() if name not in hidden_forms(dialect)}


@cache
def hidden_forms(dialect: str) -> frozenset[str]:
    """The names of the forms that programs of a dialect must import."""
    return frozenset(name for name in TABLE if not primitives.is_visible(name, dialect))
