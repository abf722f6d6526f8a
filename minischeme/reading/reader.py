"""Text to data: the forms of a text in order, errors included.

The meaning of lists is defined by `expansion`; unfinished text is handled by the prompt.
"""

from collections.abc import Callable, Iterator
from functools import cache

from minischeme.data.errors import ReadError, UnfinishedInput
from minischeme.data.source import Source, Span
from minischeme.reading.builder import DatumBuilder
from minischeme.reading.forms import Form
from minischeme.reading.grammar import load
from minischeme.reading.lexer import start_of
from minischeme.reading.parser import Parser, Parsing, Unexpected
from minischeme.reading.syntax_errors import read_error


class Reading:
    """The data of a text that may grow at its end, in order.

    An error is raised after all data before it; the form that contains it is then skipped. If `fold_case` is set,
    symbols are folded to lower case until a ``#!no-fold-case``. `on_stray` is called with each superfluous closing
    bracket, in order with the data. What stands before the offset `start` is not read.
    """

    def __init__(
        self,
        source: Source,
        *,
        fold_case: bool = True,
        on_stray: Callable[[Span], None] | None = None,
        start: int = 0,
    ) -> None:
        self._builder = DatumBuilder(source, fold_case)
        self._parsing = Parsing(_parser(), self._builder, self._builder.known, start)
        self._on_stray = on_stray
        self._given = 0
        self._start = start
        self._parse()

    def _parse(self) -> None:
        self._error: ReadError | None = None
        try:
            self._parsing.go_on(self._builder.source.text)
        except ReadError as problem:
            self._error = problem
        except Unexpected as unexpected:
            self._error = read_error(unexpected, self._builder.source, self._builder.spans.starts())

    def extend(self, text: str) -> None:
        """Continue after the end of the text, which was a newline inside a datum or block comment."""
        source = self._builder.source
        self._builder.source = self._builder.spans.source = Source(source.text + text, source.name)
        self._parse()

    def go_on_at(self, start: int) -> None:
        """Abandon the unfinished form and continue at an offset inside it."""
        self._start = start
        self._builder.labels.clear()
        self._parsing = Parsing(_parser(), self._builder, self._builder.known, start)
        self._parse()

    def __iter__(self) -> Iterator[Form]:
        return self

    def __next__(self) -> Form:
        items = self._builder.items
        while self._given < len(items):
            item = items[self._given]
            self._given += 1
            if isinstance(item, Form):
                return item
            if self._on_stray is not None:
                self._on_stray(item)
        error, self._error = self._error, None
        if error is None:
            raise StopIteration
        if error.span is not None and not isinstance(error, UnfinishedInput):
            self._leave(error.span)
        raise error

    def _leave(self, unfinished: Span) -> None:
        """Continue after the form that can't be read because of the error at a span.

        It ends with its last bracket, or where a line begins with a bracket if it has none.
        """
        builder, lexer = self._builder, _parser().lexer
        text, start = builder.source.text, self._start
        if builder.items:
            last = builder.items[-1]
            start = max(start, last.end if isinstance(last, Span) else last.span.end)
        depth, next_form = 0, len(text)
        for token in lexer.tokens(text, start):
            change = _BRACKETS.get(lexer.kind(token), 0)
            depth += change
            if token.end() <= unfinished.start:
                continue
            if depth <= 0:
                self.go_on_at(token.end())
                return
            opening = start_of(token)
            if change > 0 and text[opening - 1 : opening] == "\n":
                next_form = min(next_form, opening)
        self.go_on_at(next_form)


def read(source: Source, *, fold_case: bool = True, on_stray: Callable[[Span], None] | None = None) -> Iterator[Form]:
    """The data of a text that does not grow, as by `Reading`."""
    yield from Reading(source, fold_case=fold_case, on_stray=on_stray)


def read_part(source: Source, start: int, end: int, *, fold_case: bool = True) -> Form:
    """A form between known offsets of a text, without reading the rest."""
    builder = DatumBuilder(source, fold_case)
    Parsing(_parser(), builder, builder.known, start).go_on(source.text, end)
    (form,) = builder.items
    assert isinstance(form, Form)
    return form


_BRACKETS = dict.fromkeys(["LEFT", "LEFT_SQUARE", "LEFT_VECTOR", "LEFT_BYTES"], 1) | {"RIGHT": -1, "RIGHT_SQUARE": -1}
"""The change in the number of open brackets by a token."""


@cache
def _parser() -> Parser:
    """The grammar's parser; kept for the life of the process, since making one takes time."""
    return Parser(load(), DatumBuilder)
