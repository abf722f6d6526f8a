"""`formatted`: a program with its lines indented as at the prompt, and without blanks at their ends."""

import re
from typing import Any

from pygments.token import Comment, Whitespace

from minischeme.data.errors import ReadError, SchemeError
from minischeme.data.printer import write
from minischeme.data.source import Source, Span
from minischeme.formatting.indentation import reindented
from minischeme.formatting.outline import outline
from minischeme.reading.reader import read

_MARK = "\ufeff"  # of the byte order
_LINE_END = re.compile(r"\r\n|\r|\n")


def formatted(text: str, name: str = "<text>") -> str:
    """A text in the usual layout: comments, blank lines and line breaks stay, as do the characters that end lines.

    A ReadError, with its place, for a text that can't be read.
    """
    if text.startswith(_MARK):
        return _MARK + formatted(text.removeprefix(_MARK), name)
    ends = _LINE_END.findall(text)
    plain = _LINE_END.sub("\n", text)
    before = _data(plain, name)
    lines = reindented(_without_trailing_blanks(plain)).split("\n")
    if lines[-1]:
        ends.append(ends[0] if ends else "\n")
        lines.append("")
    if _data("\n".join(lines), name) != before:
        raise SchemeError(f"fmt: the layout of {name} can't be changed without changing its data")
    return "".join(line + end for line, end in zip(lines, [*ends, ""], strict=True))


def show_formatted(session: Any, text: str) -> None:
    """Print an expression in the usual layout, or the error of reading it."""
    try:
        session.output.fresh_line()
        session.output.write(formatted(text.strip()))
    except SchemeError as error:
        session.prompt.show_error(error)


def _data(text: str, name: str) -> list[str]:
    def complain(span: Span) -> None:
        raise ReadError("read: unexpected close parenthesis", span=span, hint="it closes nothing")

    return [write(form.datum) for form in read(Source(text, name), fold_case=False, on_stray=complain)]


def _without_trailing_blanks(text: str) -> str:
    """The text without blanks at the ends of lines of code and line comments."""
    parts: list[str] = []
    for token in outline(text).tokens:
        part = token.text
        if token.kind is Whitespace:
            part = re.sub(r"[ \t]+(?=\n|\Z)" if token.end == len(text) else r"[ \t]+(?=\n)", "", part)
        elif token.is_a(Comment.Single):
            part = part.rstrip(" \t")
        parts.append(part)
    return "".join(parts)
