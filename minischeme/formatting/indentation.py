"""The indentation of lines in Scheme's usual layout, by the shape of each form."""

from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate

from pygments.token import Comment

from minischeme.data.layout import BODY_INDENT, parts_before_body
from minischeme.formatting.outline import Group, Mode, Outline, Token, outline

_CLAUSES = {"and", "cond", "if", "or", "class-vars", "instance-vars", "parent", "set!"}
"""Forms without a body whose parts are indented like a body if none is in the first line."""


def reindented(text: str, first: int = 0) -> str:
    """The text with each line of code from number `first` on indented by the rules, that one also if it is empty."""
    structure = outline(text)
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    shifts = [0] * len(lines)

    def column(start: int) -> int:
        """The new column of a token in an earlier line."""
        line = bisect_right(starts, start) - 1
        return len(lines[line][: start - starts[line] + shifts[line]].expandtabs())

    comment: Token | None = None  # beside code in the line before, or going on there
    for number, line in enumerate(lines):
        wanted = _indentation(structure, starts[number], column) if number >= first else None
        stripped, goes_on = line.lstrip(" \t"), False
        before = len(line) - len(stripped)
        if wanted is not None and stripped.startswith(";"):
            goes_on = comment is not None and comment.start == starts[number - 1] + before
            if comment is not None and goes_on:
                wanted = column(comment.start)
            elif before == 0 and stripped.startswith(";;;"):
                wanted = 0  # a heading
        if wanted is not None:
            shifts[number] = wanted - before
            lines[number] = " " * wanted + stripped if stripped or number == first else ""
        last = structure.token_at(starts[number] + len(line))
        is_comment = last is not None and last.is_a(Comment.Single)
        comment = last if is_comment and (goes_on or not stripped.startswith(";")) else None
    return "\n".join(lines)


def begins_definition(text: str) -> bool:
    """Whether the text ends in a new definition in a form without a body, or behind an expression of one."""
    structure = outline(text)
    group = structure.group_at(len(text))
    around = group.parent
    if group.mode is not Mode.CODE or not _defines(group) or around is None or around.opening is None:
        return False
    others = around.parts[1:-1]
    before_body = parts_before_body(around.head or "", is_named=bool(others) and isinstance(others[0], Token))
    return before_body is None or not all(map(_defines, others[before_body:]))


def _defines(part: Token | Group) -> bool:
    return isinstance(part, Group) and (part.head or "").startswith("define")


def _indentation(structure: Outline, offset: int, column: Callable[[int], int]) -> int | None:
    """The column where a line of code that begins at `offset` should start; None inside a string or comment."""
    if structure.inside_text(offset):
        return None
    group = structure.group_at(offset)
    if group.opening is None:
        return 0
    parts = [part for part in group.parts if part.start < offset]
    bracket = column(group.start)
    is_in_library = group.head == "begin" and group.parent is not None and group.parent.head == "define-library"
    if is_in_library and structure.text[offset : offset + 1] not in " \t\n":
        return 0  # as one often leaves the contents of a library
    if not parts:
        return bracket + len(group.opening.text)
    head, *others = parts
    if group.mode in (Mode.DATA, Mode.COMMENT) or isinstance(head, Group) or group.head is None:
        return column(head.start - head.marks)
    # The following parts are aligned under a second part in the first line.
    is_beside = others and "\n" not in structure.text[head.start : others[0].start]
    aligned = column(others[0].start - others[0].marks) if is_beside else None
    before_body = parts_before_body(group.head, is_named=bool(others) and isinstance(others[0], Token))
    if before_body is None:
        if aligned is not None:
            return bracket + BODY_INDENT if group.head.startswith(("with-", "call-with-")) else aligned
        return bracket + (BODY_INDENT if group.head in _CLAUSES else 1)
    if len(others) < before_body:
        return bracket + 2 * BODY_INDENT
    return aligned if before_body == 0 and aligned is not None else bracket + BODY_INDENT
