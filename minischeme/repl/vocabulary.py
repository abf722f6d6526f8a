"""What the names of a session mean: their kind, how they are called, and a line of help.

The prompt's completion, colours and toolbar ask it, and so may anything else that explains names. It imports neither
prompt_toolkit nor pygments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from types import FunctionType

from minischeme.compiler.assembly import Origin, origin_of
from minischeme.expander import Macro
from minischeme.primitives.registry import primitive_of
from minischeme.runtime import python_name, scheme_name
from minischeme.session import Session
from minischeme.signatures import signature, untraced
from minischeme.source import Span
from minischeme.special_forms import TABLE
from minischeme.values import Procedure, Value

EARLIER_VALUE = re.compile(r"\$[0-9]+|\$\$?")
"""The names that the prompt gives to earlier values; they are no definitions of the user's."""


class Kind(Enum):
    """What a name stands for; the value is what people are told."""

    SPECIAL_FORM = "special form"
    PRIMITIVE = "procedure"
    USER_PROCEDURE = "your procedure"
    USER_MACRO = "your macro"
    USER_VARIABLE = "your variable"
    CONSTANT = "constant"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a name means.

    Args: signature: how it is called, or its name if it can't be. doc: a line of help, maybe empty.
    """

    name: str
    kind: Kind
    signature: str
    doc: str


class Vocabulary:
    """The names that a session knows now."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def names(self) -> Iterator[str]:
        """All names, the user's own first; without those that are not for programs, and without ``$1`` and its like."""
        for key in self._session.globals:
            if key != "__builtins__" and not EARLIER_VALUE.fullmatch(key):
                yield scheme_name(key)
        yield from self._session.macros
        yield from TABLE
        for name in self._session.library:
            if not name.startswith(("%", "__")) and name not in TABLE:
                yield name

    def kind(self, name: str) -> Kind | None:
        """What a name stands for; None if it means nothing."""
        found, value = self._lookup(name)
        return self._kind(found, value) if found is not None else None

    def meaning(self, name: str) -> Meaning | None:
        """What is known of a name; None if it means nothing."""
        found, value = self._lookup(name)
        if found is None:
            return None
        kind = self._kind(found, value)
        if kind is Kind.SPECIAL_FORM:
            form = TABLE[found]
            return Meaning(found, kind, form.grammar, form.doc)
        if kind is Kind.USER_MACRO:
            return Meaning(found, kind, f"({found} …)", "")
        if type(value) is not FunctionType:
            return Meaning(found, kind, found, f"= {value!r}")
        procedure = untraced(value)
        called = signature(procedure, found) or f"({found} …)"
        known = primitive_of(procedure)
        if known is not None:
            return Meaning(found, kind, called, known.doc)
        return Meaning(found, kind, called, _doc(procedure))

    def _lookup(self, name: str) -> tuple[str | None, Value]:
        """The name as the session spells it, None if it has no such name; its value, None for a special form."""
        session = self._session
        if session.dialect == "berkeley" and "|" not in name:
            name = name.lower()
        if name.startswith("%"):
            return None, None
        key = python_name(name)
        if key in session.globals:
            return name, session.globals[key]
        if name in session.macros:
            return name, session.macros[name]
        if name in TABLE:
            return name, None
        value = session.library.get(name)
        return (name, value) if value is not None else (None, None)

    def _kind(self, name: str, value: Value) -> Kind:
        if value is None:
            return Kind.SPECIAL_FORM
        if type(value) is Macro:
            return Kind.USER_MACRO
        if type(value) is FunctionType:
            own = untraced(value)
            return Kind.PRIMITIVE if own is self._session.library.get(name) else Kind.USER_PROCEDURE
        return Kind.CONSTANT if value is self._session.library.get(name) else Kind.USER_VARIABLE


def _doc(procedure: Procedure) -> str:
    """A line of help for a user's procedure: the comment above its definition, or where that is."""
    origin: Origin | None = origin_of(procedure.__code__)
    span = origin.unit.root.span if origin is not None else None
    if span is None:
        return ""
    return _comment_above(span) or ("" if span.source.is_interactive else f"defined at {span}")


def _comment_above(span: Span) -> str:
    """The first line of the comment that stands right above a definition."""
    number = span.source.position(span.start)[0] - 1
    comment = ""
    while number >= 1 and (line := span.source.line(number).strip()).startswith(";"):
        comment = line.strip("; \t") or comment
        number -= 1
    return comment
