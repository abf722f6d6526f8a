"""Definitions that are read when they are first needed: those in libraries of ours, few of which a program calls.

These files keep a convention: a definition begins at the start of a line, its other lines don't, and no form follows on
its last line. It is read at once where it may change more than the meaning of its own name.
"""

import re

from minischeme.data.source import Source
from minischeme.reading.forms import Form
from minischeme.reading.reader import read

_DEFINITION = r"(?m)^\(define \([^()\s.#]+(?: [^()\s.#]+)*\)(.*(?:\n(?:[ \t].*)?)*?)\)\n(?=\n*[^\s])"
_CHANGING = ("!", "(define-", "(eval", "(load", "(include", "(import")
"""Texts, one of which stands in each definition that may change more."""


def read_deferring(source: Source, *, fold_case: bool) -> list[Form]:
    """The forms of a text; the bodies of its definitions are left out where ``source.deferred`` has their offsets."""
    whole = source.text
    pieces: list[str] = []
    end = 0
    for definition in re.finditer(_DEFINITION, whole):
        start, stop = definition.span(1)
        text = definition[0]
        if text.count("(") == text.count(")") and not any(part in text for part in _CHANGING):
            source.deferred.add(definition.start())
            pieces += whole[end:start], " " * (stop - start)
            end = stop
    try:
        source.text = "".join(pieces) + whole[end:]
        return list(read(source, fold_case=fold_case))
    finally:
        source.text = whole
