"""`Prompt`: evaluates what is typed, and shows its values and errors as the dialect's prompt does."""

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

import msgspec

from minischeme.data.errors import Interrupted, SchemeError, ScmSyntaxError, UnfinishedInput, report, warning
from minischeme.data.printer import write
from minischeme.data.source import Source, Span
from minischeme.data.values import UNSPECIFIED, Pair, Symbol, Value
from minischeme.data.wrapping import wrapped
from minischeme.reading.forms import Form
from minischeme.session.recorder import Recording
from minischeme.session.typed_text import Item, read_prompts

if TYPE_CHECKING:
    from minischeme.session.session import Session


class Interaction(msgspec.Struct, frozen=True):
    """One form that was evaluated as at the prompt."""

    source: str  # the form as written
    output: str  # all that the prompt shows for it: what it printed, then its value or error
    error: SchemeError | None  # that ended it


class Display(msgspec.Struct):
    """The ways in which a front end shows what a prompt has to show; what has none is printed."""

    error_text: Callable[[SchemeError, int | None], str] = report  # of an error, for a terminal's width
    print_value: Callable[[str], None] | None = None  # takes the lines of a value
    print_error: Callable[[str, SchemeError], None] | None = None  # takes an error and its lines
    show_warning: Callable[[str], None] | None = None  # takes the text of a warning
    show_run: Callable[[Any], None] | None = None  # takes the recorded run of ,step


class Prompt:
    """The prompt of a session."""

    def __init__(self, session: "Session", seed: int) -> None:
        self._session = session
        self.show_python: Callable[[str], None] | None = None  # is given the Python of each form
        self.value_shown: Callable[[Form, Value], None] | None = None  # is given each form with its value
        self.display = Display()
        self.last_error: SchemeError | None = None  # of a program, that was shown
        self.entries: list[tuple[str, bool]] = []  # what was typed, each with whether it went without an error
        self.vi_keys = False
        self.recording = Recording(session, seed)

    @property
    def has_line_editor(self) -> bool:
        """Whether a person sits at a terminal that can do more than print lines."""
        return self._session.input.echoes and os.environ.get("TERM", "dumb") not in ("", "dumb")

    def interact(self, text: str, name: str = "<prompt>") -> Iterator[Interaction]:
        """Evaluate the forms of a text in turn, as `Session.interact`."""
        output = ""
        for line, items in self._prompts(text, name):
            unnoted = line
            for item in items:
                with self._captured() as captured, self.recording.typed(unnoted):
                    error = self.show(item)
                unnoted, output = "", output + captured.getvalue()
                if not isinstance(item, Span):
                    yield Interaction(item.span.text if item.span is not None else "", output, error)
                    output = ""

    def evaluate_and_print(self, text: str, name: str = "<prompt>", *, ended: bool = False) -> bool:
        """Evaluate the forms of a text in turn and print what the prompt shows; False if there was an error.

        A text that ends inside a form is an `UnfinishedInput`, raised before anything is evaluated; where no more lines
        will follow, as `ended` says, it is an error like others.
        """
        prompts = list(self._prompts(text, name, ended=ended))
        last = prompts[-1][1][-1:] if prompts else []
        if not ended and last and isinstance(last[0], UnfinishedInput):
            raise last[0]
        first = len(self.entries)
        for line, items in prompts:
            unfinished = next((item for item in items if isinstance(item, UnfinishedInput)), None)
            if unfinished is not None:
                # Neither run nor recorded: nobody can type the line again and then go on.
                self.show_error(unfinished)
                self.entries.append((line.strip(), False))
                continue
            errors: list[SchemeError | None] = [None]
            with self.recording.typed(line):
                for item in items:
                    errors.append(self.show(item))
                    if isinstance(errors[-1], Interrupted):
                        break
            if line.strip():
                self.entries.append((line.strip(), not any(errors)))
            if isinstance(errors[-1], Interrupted):
                break
        return all(succeeded for _, succeeded in self.entries[first:])

    def _prompts(self, text: str, name: str, *, ended: bool = False) -> Iterator[tuple[str, list[Item]]]:
        fold_case = self._session.dialect == "berkeley"
        return read_prompts(Source(text, name).text, name, fold_case=fold_case, ended=ended)

    def show(self, item: Item) -> SchemeError | None:
        """Evaluate and print what was read at the prompt, and return the error that it ended with."""
        if isinstance(item, Span):
            self.note_stray(item)
            return None
        if isinstance(item, SchemeError):
            self.show_error(item)
            return item
        session = self._session
        try:
            value = session.eval_form(item)
            text = self.written(value) if value is not UNSPECIFIED or session.dialect == "berkeley" else None
        except SchemeError as error:
            self.show_error(error)
            return error
        except KeyboardInterrupt as interrupt:
            if session.input.echoes and not interrupt.args:  # a primitive that stops by itself has seen to that
                session.output.column += len("^C")
            stopped = session.diagnose(interrupt)
            self.show_error(stopped)
            return stopped
        (self.display.print_value or self._print)(text + "\n" if text is not None else "")
        if self.value_shown is not None:
            self.value_shown(item, value)
        return None

    def name_values(self) -> None:
        """Name the values that are shown, as gdb does: ``$`` is the last, ``$$`` the one before it, ``$1`` the first,
        ``$2`` the second. Not those that definitions show, nor `okay`."""
        session = self._session
        numbers = count(1)

        def name(form: Form, value: Value) -> None:
            datum = form.datum
            is_definition = type(datum) is Pair and type(datum.car) is Symbol and datum.car.name.startswith("define")
            if value is not UNSPECIFIED and not is_definition:
                if "$" in session.globals:
                    session.define("$$", session.globals["$"])
                session.define("$", value)
                session.define(f"${next(numbers)}", value)

        self.value_shown = name

    def written(self, value: Value) -> str:
        """The text of a value as `write` in this session shows it, or an error if there is no memory for it."""
        text: str = self._session.run_as_scheme(lambda: write(value))
        return text

    def show_error(self, error: SchemeError) -> None:
        """Print an error as the prompt does."""
        if error.span is not None:
            self.last_error = error
        try:
            with self._session.settings():
                text = self.display.error_text(error, self._session.output.width)
        except MemoryError:
            text = report(SchemeError("out of memory"))
        if self.display.print_error is not None:
            self.display.print_error(text + "\n", error)
        else:
            self._print(text + "\n")

    def warn(self, error: ScmSyntaxError) -> None:
        """Tell of a malformed form that is an error only when it is evaluated."""
        with self._session.settings():
            text = warning(error, self._session.output.width)
        if self.display.show_warning is not None:
            self.display.show_warning(text)
        else:
            self._print(text + "\n")

    def note(self, text: str) -> None:
        self._print(wrapped(f";; {text}\n", self._session.output.width))

    def _print(self, text: str) -> None:
        """Print a text that begins on a line of its own."""
        self._session.output.fresh_line()
        if text:
            self._session.output.write(text)

    def note_stray(self, span: Span) -> None:
        """Tell of a superfluous closing bracket."""
        self.note(f"read: unexpected close parenthesis, ignored, at {span}")

    @contextmanager
    def _captured(self) -> Iterator[io.StringIO]:
        output = self._session.output
        stream, output.stream = output.stream, io.StringIO()
        try:
            yield output.stream
        finally:
            output.stream = stream
