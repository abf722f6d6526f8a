"""Text that was typed at prompts, and its division into forms."""

import re
from collections.abc import Iterable, Iterator

from minischeme.data.errors import ReadError, SchemeError, UnfinishedInput
from minischeme.data.source import Source, Span
from minischeme.reading.forms import Form
from minischeme.reading.reader import Reading

Item = Form | Span | SchemeError
"""A part of a text that was typed: a form, a stray bracket, or an error."""


def read_typed(text: str, name: str = "<prompt>", *, fold_case: bool = True, ended: bool = False) -> list[Item]:
    """The items of a text that was typed, in order.

    If it has `ended`, no more lines will follow, and what stands behind an unfinished form is read, too. Else only the
    last item can be an `UnfinishedInput`.
    """
    items: list[Item] = []
    reading = Reading(Source(text, name), fold_case=fold_case, on_stray=items.append)
    while True:
        try:
            items.extend(reading)
            return items
        except ReadError as error:
            items.append(error)
            if isinstance(error, UnfinishedInput):
                if not ended or error.next_form is None:
                    return items
                reading.go_on_at(error.next_form)


def read_prompts(text: str, name: str, *, fold_case: bool, ended: bool) -> Iterator[tuple[str, list[Item]]]:
    """The parts of a text that would be typed at one prompt each, with the items that are read there.

    Line numbers count from that prompt, as they do when a transcript of it is replayed. Lines with nothing but comments
    stand at a prompt of their own.
    """
    start = 0
    for lines, items in _prompts_of(text, read_typed(text, name, fold_case=fold_case, ended=ended)):
        is_complete = not any(isinstance(item, UnfinishedInput) for item in items)
        yield lines, read_typed(lines, name, fold_case=fold_case) if start and is_complete else items
        start += len(lines)


def _prompts_of(text: str, items: Iterable[Item]) -> Iterator[tuple[str, list[Item]]]:
    start = end = 0
    inside: list[Item] = []
    for item in (*items, None):
        span = item.span if isinstance(item, Form | SchemeError) else item
        if span is not None or item is None:
            next_line = text.rfind("\n", end, len(text) if span is None else max(span.start, end)) + 1
            comments = re.compile(_COMMENT_LINES).fullmatch(text, end, next_line) if next_line else None
            if inside and next_line:
                cut = next_line if comments is None else comments.start(1)
                yield text[start:cut], inside
                start, inside = cut, []
            if comments is not None and start < next_line:
                yield text[start:next_line], []
                start = next_line
            end = end if span is None else span.end
        if item is not None:
            inside.append(item)
    if start < len(text) or inside:
        yield text[start:], inside


_COMMENT_LINES = r"[ \t]*(?:;[^\n]*)?\n((?:[ \t]*(?:;[^\n]*)?\n)*)"
"""The end of a line, and in the group the lines below it that hold nothing but comments."""
