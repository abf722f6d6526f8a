"""Text for people: lines broken at blanks so that they fit a terminal."""

from __future__ import annotations

NARROWEST = 24
"""Columns that a second column of text gets, at least; on a narrower terminal it goes below the first."""


def wrapped(text: str, width: int | None, more: int = 0) -> str:
    """A text with its long lines broken; what goes on is indented as its line is.

    Args: width: of the terminal, None for a text of any width. more: columns by which what goes on is indented more.
    """
    if width is None or len(text) <= width:
        return text
    from textwrap import wrap  # here, since most runs need no more than this test

    lines = []
    for line in text.split("\n"):
        margin = " " * (len(line) - len(line.lstrip(" ")) + more)
        lines += wrap(
            line, width, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False, expand_tabs=False
        ) or [line]
    return "\n".join(lines)


def in_columns(rows: list[tuple[str, str]], width: int | None, widest: int = 30) -> str:
    """Rows of two columns. Args: width: of the terminal, None for lines of any width. widest: the first column."""
    first = min(widest, max((len(left) for left, _ in rows), default=0))
    if width is not None and width - first - 4 < NARROWEST:
        return "\n".join(wrapped(f"  {left}\n      {right}", width) for left, right in rows)
    return "\n".join(wrapped(f"  {left:<{first}}  {right}".rstrip(), width, first + 2) for left, right in rows)
