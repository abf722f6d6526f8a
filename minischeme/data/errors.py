"""`SchemeError` and its kinds, and the report of an error as text.

`diagnosis` finds the spans and culprits of a failed run.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import groupby

import msgspec

from minischeme.data.abbreviate import without_middle
from minischeme.data.printer import display, write
from minischeme.data.source import Span
from minischeme.data.values import Value
from minischeme.data.wrapping import wrapped


class Activation(msgspec.Struct, frozen=True, eq=False):
    """A procedure that was active when an error happened."""

    name: str
    span: Span | None  # the expression that was being evaluated
    times: int = 1  # the number of its activations there in a row
    arguments: str = ""  # the parameters with their values as text, where known
    library: str | None = None  # the file of the library that it is defined in
    variables: Callable[[], Mapping[str, Value]] | None = None  # gives the variables with the values that they had

    def line(self, *, is_detailed: bool = True) -> str:
        """The procedure with its position and, if asked for, its arguments."""
        position = f" at {self.span}" if self.span is not None else ""
        repeated = f" ({self.times} times)" if self.times > 1 else ""
        known = f" with {self.arguments}" if is_detailed and self.arguments and self.times == 1 else ""
        return f"{self.name}{position}{known}{repeated}"


class SchemeError(Exception):
    """Any error of a Scheme program."""

    def __init__(self, message: str, *irritants: Value, span: Span | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.irritants = irritants  # the culprits, shown behind the message as by `write`
        self.span = span  # of the expression to blame, where known
        self.hint = hint  # the usual cause
        self.activations: tuple[Activation, ...] = ()  # innermost first

    def __str__(self) -> str:
        return " ".join([self.message, *map(write, self.irritants)])


class ReadError(SchemeError):
    """The text is not Scheme."""


class UnfinishedInput(ReadError):
    """The text ends inside a datum: the prompt asks for another line. `span` is the bracket that was never closed."""

    next_form: int | None = None  # the offset of what seems to be the next form, with a bracket missing before it


class ScmSyntaxError(SchemeError):
    """A special form whose shape is not that of its grammar."""


class UserError(SchemeError):
    """A call of the procedure `error`, whose arguments are shown joined (DIALECT.md)."""

    def __init__(self, message: Value, *irritants: Value, text: str | None = None) -> None:
        super().__init__(display(message) if text is None else text, *irritants)
        self.payload = message
        self.text = text

    def __str__(self) -> str:
        return self.message if self.text is not None else self.message + "".join(map(display, self.irritants))


class ArgumentError(SchemeError):
    """An argument that a standard procedure can't take; `diagnosis` prefixes the name of the procedure."""


class FileError(SchemeError):
    """The system refused to do something with a file."""


class RaisedObject(SchemeError):
    """`raise` was called with an object, and no handler took it."""

    def __init__(self, payload: Value) -> None:
        super().__init__("uncaught exception:", payload)
        self.payload = payload


class RecursionDepthExceeded(SchemeError):
    """Recursion went deeper than the session allows."""


class Interrupted(SchemeError):
    """Ctrl-C stopped the evaluation."""


class SchemeExit(BaseException):
    """The program called `exit`, with an exit status for the shell, 0 to 255."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def report(error: SchemeError, width: int | None = None) -> str:
    """An error as text for people: message, position with an excerpt, hint, and the active procedures.

    The first two lines are those of the course's interpreter. For a width of None, excerpts have 80 columns and other
    lines any length.
    """
    return "\n".join(text for _, text in report_parts(error, width))


def report_parts(error: SchemeError, width: int | None = None) -> Iterator[tuple[str, str]]:
    """The parts of a report, of one line or more, each with its role; arguments as for `report`."""
    yield from explained(error, "Error", width)
    for line in _trail(error.activations, is_endless=isinstance(error, RecursionDepthExceeded)):
        yield "trail", wrapped(line, width, 2)


def warning(error: ScmSyntaxError, width: int | None = None) -> str:
    """The warning of a malformed form, which is an error only when it is evaluated."""
    return "\n".join([text for _, text in explained(error, "Warning", width)] + [wrapped(f"  {WARNING_END}", width)])


def explained(error: SchemeError, kind: str, width: int | None) -> Iterator[tuple[str, str]]:
    """The parts of a report but for the procedures: a title of some kind, message, excerpt with caret, and hint."""
    position = "" if error.span is None or error.span.source.is_interactive else f" at {error.span}"
    yield "title", wrapped(f"*** {kind}{position}:", width, 4)
    message = without_middle(str(error), LONGEST_MESSAGE, 200)
    yield "message", "\n".join(wrapped(f"    {line}", width) for line in message.split("\n"))
    if error.span is not None:
        excerpt = error.span.excerpt() if width is None else error.span.excerpt(min(76, max(20, width - 4)))
        for role, line in zip(("excerpt", "caret"), excerpt.split("\n"), strict=True):
            yield role, f"  | {line}"
    if error.hint is not None:
        yield "hint", wrapped(f"  {error.hint}", width)


def _trail(activations: tuple[Activation, ...], *, is_endless: bool) -> list[str]:
    """The lines of the active procedures, at most so many, with a repeated pattern shown once."""
    lines: list[str] = []
    activations = tuple(_folded(activations))
    keys = [(activation.name, activation.span, activation.times) for activation in activations]
    start = 0
    while start < len(activations):
        period, times = _pattern(keys, start)
        if len(lines) + period > MOST_LINES:
            lines.append(f"  … and {len(activations) - start} more")
            break
        pattern = activations[start : start + period]
        lines += [f"  in {activation.line(is_detailed=period == 1)}" for activation in pattern]
        if times > 1:
            lines.append(f"  … these {period} again and again" + ("" if is_endless else f", {times} times"))
        start += period * times
    return lines


def _folded(activations: tuple[Activation, ...]) -> Iterator[Activation]:
    """The activations with adjacent ones from one file of the library joined into one that has the names of all."""
    for file, group in groupby(activations, key=lambda activation: activation.library):
        inside = list(group)
        if file is None or len(inside) == 1:
            yield from inside
            continue
        names = list(dict.fromkeys(activation.name for activation in inside))
        if len(names) > MOST_FOLDED:
            names[MOST_FOLDED - 1 : -1] = ["…"]
        yield Activation(f"{', '.join(names)} of {file}", None)


def _pattern(keys: Sequence[Hashable], start: int) -> tuple[int, int]:
    """The length of the shortest pattern that begins at `start` and follows itself, and the number of its occurrences;
    a single key, once, if there is none."""
    for period in range(2, LONGEST_PATTERN + 1):
        pattern = keys[start : start + period]
        times = 1
        while keys[start + times * period : start + (times + 1) * period] == pattern:
            times += 1
        if times > 2:
            return period, times
    return 1, 1


WARNING_END = "this is an error when it is evaluated"
LONGEST_MESSAGE = 1_000
LONGEST_PATTERN = 6
MOST_LINES = 8
MOST_FOLDED = 4
