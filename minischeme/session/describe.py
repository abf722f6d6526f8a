"""Descriptions of names: the kind, how it is called, a line of help, an example, where it comes from."""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from types import FunctionType

from minischeme.data.abbreviate import abbreviated
from minischeme.data.printer import write
from minischeme.data.source import Span
from minischeme.data.values import Value, untraced
from minischeme.evaluation.procedures import definition_span, signature
from minischeme.expansion.core import Node
from minischeme.expansion.forms import visible_forms
from minischeme.expansion.scopes import SpecialForm
from minischeme.primitives.registry import primitive_of
from minischeme.reading.forms import Form
from minischeme.runtime.names import python_name, scheme_name
from minischeme.session.session import Session

EARLIER_VALUE = re.compile(r"\$[0-9]+|\$\$?")  # a name that the prompt gives to an earlier value
LONGEST_VALUE = 60  # characters of a variable's value that are shown


class NameKind(Enum):
    """The kind of thing that a name stands for; the value is what people are told."""

    SPECIAL_FORM = "special form"
    PRIMITIVE = "procedure"
    USER_PROCEDURE = "your procedure"
    USER_VARIABLE = "your variable"
    USER_MACRO = "your macro"
    CONSTANT = "constant"


@dataclass(frozen=True, slots=True)
class Description:
    """The description of a name."""

    name: str  # as the session spells it
    kind: NameKind
    signature: str  # such as ``(f x)``; the grammar of a special form; the name alone of what can't be called
    doc: str  # a line of help, maybe empty
    example: str | None = None  # a use and its value, such as ``(first '(a b)) → a``
    aliases: tuple[str, ...] = ()  # other names of the same procedure
    definition: Span | None = None


def describe(session: Session, name: str) -> Description | None:
    """The description of a name; None if it means nothing."""
    found = spelling(session, name)
    kind = kind_of(session, found)
    if kind is None:
        return None
    if kind is NameKind.SPECIAL_FORM:
        form = session.main.expander.macros.get(found) or visible_forms(session.dialect)[found]
        assert isinstance(form, SpecialForm)
        return Description(found, kind, form.grammar, form.doc, form.example)
    if kind is NameKind.USER_MACRO:
        return Description(found, kind, f"({found} …)", "")
    value = value_of(session, found)
    if type(value) is not FunctionType:
        return Description(found, kind, found, f"= {abbreviated(write(value), LONGEST_VALUE)}")
    procedure = untraced(value)
    called = signature(procedure, found)
    _, blank, parameters = (called or "(… …)").partition(" ")
    shown = f"({found} {parameters}" if blank else f"({found})"
    known = primitive_of(procedure)
    if known is not None:
        aliases = tuple(alias for alias in known.names if alias != found)
        return Description(found, kind, shown, known.doc, known.example, aliases)
    span = definition_span(procedure)
    doc = comment_above(span) if span is not None else ""
    if not doc and span is not None and not span.source.is_interactive:
        doc = f"defined at {span}"
    return Description(found, kind, shown, doc, definition=span)


def kind_of(session: Session, name: str) -> NameKind | None:
    """The kind of a name, which is spelt as the session spells it; None if it means nothing."""
    if name.startswith("%") or name == "__builtins__":
        return None
    macro = session.main.expander.macros.get(name)
    if macro is not None:
        return NameKind.SPECIAL_FORM if isinstance(macro, SpecialForm) else NameKind.USER_MACRO
    value = value_of(session, name)
    own = session.library.get(python_name(name))
    is_bound = python_name(name) in session.globals
    if name in visible_forms(session.dialect) and not is_bound:
        return NameKind.SPECIAL_FORM
    if value is None:
        return None
    if type(value) is FunctionType:
        return NameKind.PRIMITIVE if untraced(value) is own else NameKind.USER_PROCEDURE
    return NameKind.CONSTANT if value is own else NameKind.USER_VARIABLE


def value_of(session: Session, name: str) -> Value:
    """The value of a global; None if it has none."""
    return session.globals.get(python_name(name), session.library.get(python_name(name)))


def spelling(session: Session, name: str) -> str:
    """A name as the session's reader folds it."""
    if "|" in name:
        return name.replace("|", "")
    return name.lower() if session.dialect == "berkeley" else name


def names(session: Session) -> Iterator[str]:
    """All names, the user's own first; without those that are not for programs, and without ``$1`` and its like."""
    for key in session.globals:
        if key != "__builtins__" and not EARLIER_VALUE.fullmatch(key):
            yield scheme_name(key)
    macros = session.main.expander.macros
    yield from macros
    for name in dict.fromkeys([*visible_forms(session.dialect), *session.library]):
        is_hidden = name.startswith(("'", "%", "#", "__"))
        if not is_hidden and python_name(name) not in session.globals and name not in macros:
            yield name


def similar_names(session: Session, name: str) -> list[str]:
    """At most three names that may have been meant."""
    return difflib.get_close_matches(spelling(session, name), list(names(session)), 3)


def expansion(session: Session, form: Form) -> Node:
    """The core that a form becomes, without evaluating it; a macro that it defines is not kept."""
    expander = session.main.expander
    before = dict(expander.macros)
    try:
        root: Node = session.run_as_scheme(lambda: expander.toplevel(form))
        return root
    finally:
        expander.macros.clear()
        expander.macros.update(before)
        expander.new_macros.clear()


def comment_above(span: Span) -> str:
    """The first line of the comment that stands right above a definition; empty if there is none."""
    number = span.source.position(span.start)[0] - 1
    comment = ""
    while number >= 1 and (line := span.source.line(number).strip()).startswith(";"):
        comment = line.strip("; \t") or comment
        number -= 1
    return comment
