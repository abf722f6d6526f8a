"""Ports: the destinations and sources of a program's text (R7RS 6.13).

A port wraps any Python text stream, so a console, a file and a string are the same class. The procedures for programs
are in `primitives.ports` and `primitives.files`.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from weakref import WeakSet

from minischeme.data.errors import ArgumentError, ReadError, SchemeError, UnfinishedInput
from minischeme.data.source import Source, Span, characters
from minischeme.data.values import CHARACTERS, EOF, SchemeObject, Value, intern
from minischeme.reading.reader import Reading

if TYPE_CHECKING:
    from minischeme.system.terminal import Terminal


class TextSink(Protocol):
    """The part of a Python stream that an output port needs."""

    def write(self, text: str, /) -> object: ...
    def flush(self) -> object: ...


class _Port(SchemeObject):
    """The common part of ports: the name in `repr`, and closing."""

    def __init__(self, name: str, closing: Callable[[], object] | None) -> None:
        self.name = name
        self.is_open = True
        self._closing = closing

    def close(self) -> None:
        """Close the port for good; a SchemeError where it is one that stays open."""
        if self.is_open:
            if self._closing is None:
                raise SchemeError("close-port: this port stays open:", self)
            self._closing()
            self.is_open = False
            self._disconnect()

    def _disconnect(self) -> None:
        raise NotImplementedError


class OutputPort(_Port):
    """An output port.

    Args:
        stream: takes the text; its errors, such as that of a closed pipe, are not caught.
        closing: closes the stream with the port; None for a port that stays open, such as the console.

    `column` is the number of characters written since the last newline; `copy` is a port that gets all text as well.
    `show_picture`, if set, takes a picture, an SVG document, with the text that stands for it where there are only
    letters.
    """

    def __init__(self, stream: TextSink, name: str = "console", *, closing: Callable[[], object] | None = None) -> None:
        super().__init__(name, closing)
        self.stream = stream
        self.column = 0
        self.copy: OutputPort | None = None
        self.show_picture: Callable[[str, str], None] | None = None

    def write(self, text: str, /) -> None:
        self.stream.write(text)
        if "\n" in text:
            self.column = len(text) - text.rfind("\n") - 1
        else:
            self.column += len(text)
        if self.copy is not None:
            self.copy.write(text)

    def write_picture(self, svg: Callable[[], str], text: str) -> None:
        """Show a picture where that is possible, else the text that stands for it, which a transcript gets, too."""
        if self.show_picture is None:
            self.write(text)
            return
        self.show_picture(svg(), text)
        if self.copy is not None:
            self.copy.write(text)

    @property
    def is_terminal(self) -> bool:
        """Whether the text appears at once, in lines of a terminal's width, and no transcript gets a copy."""
        isatty = getattr(self.stream, "isatty", None)
        return self.copy is None and isatty is not None and bool(isatty())

    @property
    def width(self) -> int | None:
        """The columns of the terminal that shows the text; None if there is none."""
        if not self.is_terminal:
            return None
        from shutil import get_terminal_size  # here, since it imports all that archives need

        return get_terminal_size().columns

    def can_show(self, text: str) -> bool:
        """Whether the encoding of the stream has all characters of a text."""
        try:
            text.encode(getattr(self.stream, "encoding", None) or "utf-8")
        except UnicodeEncodeError:
            return False
        return True

    def fresh_line(self) -> None:
        """Write a newline, unless at the start of a line."""
        if self.column:
            self.stream.write("\n")
            self.column = 0
        if self.copy is not None:
            self.copy.fresh_line()

    def flush(self) -> None:
        """Write the text that the stream has buffered."""
        self.stream.flush()

    def _disconnect(self) -> None:
        self.stream = _ClosedSink(self)

    def __repr__(self) -> str:
        return f"#[output-port {self.name}]"


class _ClosedSink:
    """The stream of a closed port, which refuses all text."""

    def __init__(self, port: OutputPort) -> None:
        self.port = port

    def write(self, text: str, /) -> object:
        raise ArgumentError("the port is closed:", self.port)

    def flush(self) -> object:
        return None


class InputPort(_Port):
    """An input port.

    Args:
        readline: gives the next line with its newline, an empty string at the end, as the method of Python's streams.
        name: the name in `repr` and in the span of a read error.
        tied: an output port to flush before more is asked for, so that a question is seen before its answer is awaited.
        echoes: whether the lines show on `tied` as they are typed, as on a terminal.
        closing: closes the source with the port; None for a port that stays open, such as the console.

    The text that was asked for but not yet read stays pending: after `read`, that is the rest of the line. `listener`,
    if set, is called with each line.
    """

    def __init__(
        self,
        readline: Callable[[], str],
        name: str = "console",
        *,
        tied: OutputPort | None = None,
        echoes: bool = False,
        closing: Callable[[], object] | None = None,
    ) -> None:
        super().__init__(name, closing)
        self.readline = readline
        self.tied = tied
        self.echoes = echoes
        self.listener: Callable[[str], object] | None = None
        self._pending = ""
        self._offset = 0
        self._forms: Reading | None = None
        self._forms_offset = 0
        self._match_atom: Any = None

    @property
    def pending(self) -> str:
        """The text that was asked for but not yet read."""
        return self._pending[self._offset :]

    def discard(self) -> None:
        self._pending = ""
        self._offset = 0
        self._forms = None

    _disconnect = discard

    def more(self) -> str:
        """The source's next line; empty at its end."""
        if not self.is_open:
            raise ArgumentError("the port is closed:", self)
        if self.tied is not None:
            self.tied.flush()
        line = characters(self.readline())
        if self.listener is not None:
            self.listener(line)
        if self.echoes and self.tied is not None and line.endswith("\n"):
            self.tied.column = 0
        return line

    def _fill(self) -> bool:
        """Fill `pending` if it is empty; False at the end of the text."""
        if self._offset == len(self._pending):
            self.discard()
            self._pending = self.more()
        return self._pending != ""

    def read_atom(self) -> Value | None:
        """The next datum, or the eof object; None if it may need the parser."""
        if self._forms is not None and self._forms_offset == self._offset:
            return None
        while True:
            pending, offset = self._pending, self._offset
            left = len(pending) - offset
            if left > 1 or (left and pending[offset] != "\n"):
                if self._match_atom is None:
                    self._match_atom = _atoms().match
                found = self._match_atom(pending, offset)
                if found is None:
                    return None
                text = found[1]
                if text is not None:
                    self._offset = found.end(1)
                    return intern(text) if text >= "a" else int(text)
            self._forms = None
            self._offset = 0
            self._pending = line = self.more()
            if not line:
                return EOF

    def read(self, *, fold_case: bool = True) -> Value:
        """The next datum, or the eof object; a ReadError, UnfinishedInput among them, where the text is not a datum."""
        if (atom := self.read_atom()) is not None:
            return atom
        lines = 1
        while True:
            if self._forms is None or self._forms_offset != self._offset:
                self._forms_offset = self._offset
                source = Source(self._pending, f"<{self.name}>")
                self._forms = Reading(source, fold_case=fold_case, on_stray=self._refuse_stray, start=self._offset)
            unfinished: UnfinishedInput | None = None
            try:
                form = next(self._forms, None)
            except UnfinishedInput as error:
                unfinished = error
            except ReadError:
                self.discard()
                raise
            else:
                if form is not None:
                    self._offset = self._forms_offset = form.span.end
                    return form.datum
                self.discard()
            try:
                more = "".join([self.more() for _ in range(lines)])
            except KeyboardInterrupt:
                if self.echoes:  # Ctrl-C discards a half-typed datum
                    self.discard()
                raise
            if not more:
                self.discard()
                if unfinished is not None:
                    raise unfinished
                return EOF
            if unfinished is None or not self._pending.endswith("\n"):  # the last token may go on
                self._forms = None
            else:
                self._forms.extend(more)
            self._pending += more
            if unfinished is not None and self.tied is None:
                # Nobody types here: twice as many lines each time keep the work in proportion to the datum.
                lines *= 2

    def _refuse_stray(self, span: Span) -> None:
        """Raise the error of a superfluous closing bracket, unless a person typed it."""
        if self.tied is None:
            raise ReadError("read: unexpected close parenthesis", span=span)

    def read_line(self) -> str | None:
        """The rest of the line without its end; None at the end of the text."""
        if not self._fill():
            return None
        end = self._pending.find("\n", self._offset)
        line = self._pending[self._offset : end if end >= 0 else None]
        self._offset = end + 1 if end >= 0 else len(self._pending)
        return line.removesuffix("\r")

    def read_string(self, count: int) -> str | None:
        """The next `count` characters, or as many as there are; None at the end of the text."""
        parts: list[str] = []
        while count > 0 and self._fill():
            part = self._pending[self._offset : self._offset + count]
            self._offset += len(part)
            count -= len(part)
            parts.append(part)
        return "".join(parts) if parts or count == 0 else None

    def read_char(self) -> Value:
        """The next character, or the eof object."""
        offset = self._offset
        if offset == len(self._pending):
            if not self._fill():
                return EOF
            offset = 0
        self._offset = offset + 1
        return CHARACTERS[self._pending[offset]]

    def peek_char(self) -> Value:
        """The next character, which stays pending, or the eof object."""
        is_there = self._offset < len(self._pending) or self._fill()
        return CHARACTERS[self._pending[self._offset]] if is_there else EOF

    def char_ready(self) -> bool:
        """Whether a character, or the end of the text, is available without waiting for a person to type."""
        return not self.echoes or self._offset < len(self._pending)

    def __repr__(self) -> str:
        return f"#[input-port {self.name}]"


@cache
def _atoms() -> re.Pattern[str]:
    """The pattern of what needs no parser: an integer or usual symbol with a delimiter behind it, or a blank end."""
    return re.compile(r"[ \t\n]*(?:(-?(?:0|[1-9][0-9]{0,17})|[a-z][-a-z0-9!?*]*)(?=[ \t\n()])|\Z)")


P = TypeVar("P", bound=InputPort | OutputPort)


class Console:
    """The default ports of a session's program, and the dialect that it reads in.

    `files` are the ports that the program has opened on files; `terminal` is the terminal, once the program has taken
    control of it; `prompt` is the text that the prompt shows before the input; `typed_ahead` gives the text of a key
    that the prompt has read and not used.
    """

    __slots__ = ("dialect", "error_output", "files", "input", "output", "prompt", "terminal", "typed_ahead")

    def __init__(self, dialect: str, output: OutputPort, input: InputPort) -> None:
        self.dialect = dialect
        self.output = output
        self.error_output = output
        self.input = input
        self.files: WeakSet[Any] = WeakSet()
        self.terminal: Terminal | None = None
        self.typed_ahead: Callable[[], str] = str
        self.prompt = "> "

    def opened(self, port: P) -> P:
        """Add a port to the files."""
        self.files.add(port)
        return port
