"""Text for people: lines broken at blanks so that they fit a terminal."""

_NARROWEST = 24  # columns of a second column of text; on a narrower terminal it goes below the first


def wrapped(text: str, width: int | None, more: int = 0) -> str:
    """A text with lines of at most `width` columns, None for any; a continuation line is indented as the line that it
    continues, and by `more` columns."""
    if width is None or len(text) <= width:
        return text
    lines = text.split("\n")
    return "\n".join(wrapped_line(line, " " * (len(line) - len(line.lstrip(" ")) + more), width) for line in lines)


def wrapped_line(line: str, margin: str, width: int | None) -> str:
    """A line, broken where it is too long, with a margin before all continuation lines."""
    if width is None or len(line) <= width:
        return line
    from textwrap import fill  # here, since most runs need no more than this test

    text = fill(
        line, width, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False, expand_tabs=False
    )
    return text or line


def in_columns(rows: list[tuple[str, str]], width: int | None, widest: int = 30) -> str:
    """Rows of two columns, the first at most `widest` wide; `width` None stands for lines of any width."""
    first = min(widest, max((len(left) for left, _ in rows), default=0))
    if width is not None and width - first - 4 < _NARROWEST:
        return "\n".join(wrapped(f"  {left}\n      {right}", width) for left, right in rows)
    return "\n".join(wrapped(f"  {left:<{first}}  {right}".rstrip(), width, first + 2) for left, right in rows)
