"""`SchemeError` and its kinds, and the one report of an error as text.

Leaves the finding of places and culprits in a failed run to `diagnosis`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
    span: Span | None  # what it was evaluating
    times: int = 1  # how often it was active there in a row
    # The parameters with their values as text, the file of the library, and what gives the variables with the values
    # that they had, where these are known.
    arguments: str = ""
    library: str | None = None
    variables: Callable[[], Mapping[str, Value]] | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Activation):
            return NotImplemented
        return (self.name, self.span, self.times) == (other.name, other.span, other.times)

    def __hash__(self) -> int:
        return hash((self.name, self.span, self.times))

    def line(self) -> str:
        """The procedure with its place and its arguments, for people."""
        place = f" at {self.span}" if self.span is not None else ""
        repeated = f" ({self.times} times)" if self.times > 1 else ""
        known = f" with {self.arguments}" if self.arguments and self.times == 1 else ""
        return f"{self.name}{place}{known}{repeated}"


class SchemeError(Exception):
    """Any error of a Scheme program.

    `activations` are the procedures that were active, innermost first.

    Args:
        irritants: the culprits, shown behind the message as by `write`.
        span: the expression to blame, where known.
        hint: what the usual cause is.
    """

    def __init__(self, message: str, *irritants: Value, span: Span | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.irritants = irritants
        self.span = span
        self.hint = hint
        self.activations: tuple[Activation, ...] = ()

    def __str__(self) -> str:
        return " ".join([self.message, *map(write, self.irritants)])


class ReadError(SchemeError):
    """The text is not Scheme."""


class UnfinishedInput(ReadError):
    """The text ends inside a datum: the prompt asks for another line. `span` is the bracket that was never closed.

    `next_form` is the offset where the next form seems to begin, if a closing bracket seems to be missing before it.
    """

    next_form: int | None = None


class ScmSyntaxError(SchemeError):
    """A special form that is not formed as its grammar says."""


class UserError(SchemeError):
    """What the procedure `error` raises for its arguments, which are shown joined, as the dialect says."""

    def __init__(self, message: Value, *irritants: Value, text: str | None = None) -> None:
        super().__init__(display(message) if text is None else text, *irritants)
        self.payload = message
        self.text = text

    def __str__(self) -> str:
        return self.message if self.text is not None else self.message + "".join(map(display, self.irritants))


class ArgumentError(SchemeError):
    """What a standard procedure can't do with an argument, from a helper of several: `diagnosis` puts the name of the
    procedure in front."""


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


def report(error: SchemeError, width: int | None = None, *, trail: int = 8) -> str:
    """An error as text for people: message, place with an excerpt, hint, and the active procedures.

    The first two lines are those of the course's interpreter.

    Args:
        width: of the terminal that it is to fit, None for 80 columns and lines without an end.
        trail: at most so many lines of active procedures.
    """
    return "\n".join(text for _, text in report_parts(error, width, trail=trail))


def report_parts(error: SchemeError, width: int | None = None, *, trail: int = 8) -> Iterator[tuple[str, str]]:
    """The parts of a report, of one line or more, each with its role; arguments as for `report`."""
    yield from _explained(error, "Error", width)
    for line in _trail(error.activations, trail, is_endless=isinstance(error, RecursionDepthExceeded)):
        yield "trail", wrapped(line, width, 2)


def warning(error: ScmSyntaxError, width: int | None = None) -> str:
    """The text that warns of a malformed form, which is an error only when it is evaluated."""
    parts = [text for _, text in _explained(error, "Warning", width)]
    return "\n".join([*parts, wrapped(f"  {WARNING_END}", width)])


def _explained(error: SchemeError, kind: str, width: int | None) -> Iterator[tuple[str, str]]:
    """What happened and where, in parts with their roles."""
    place = "" if error.span is None or error.span.source.is_interactive else f" at {error.span}"
    yield "title", wrapped(f"*** {kind}{place}:", width, 4)
    message = without_middle(str(error), LONGEST_MESSAGE, 200)
    yield "message", "\n".join(wrapped(f"    {line}", width) for line in message.split("\n"))
    if error.span is not None:
        excerpt = error.span.excerpt() if width is None else error.span.excerpt(min(76, max(20, width - 4)))
        for role, line in zip(("excerpt", "caret"), excerpt.split("\n"), strict=True):
            yield role, f"  | {line}"
    if error.hint is not None:
        yield "hint", wrapped(f"  {error.hint}", width)


def _trail(activations: tuple[Activation, ...], most: int, *, is_endless: bool) -> list[str]:
    """The lines of the active procedures, at most `most` of them; a pattern that repeats is shown once.

    Args:
        is_endless: whether there were more activations than were kept.
    """
    lines: list[str] = []
    activations = tuple(_folded(activations))
    start = 0
    while start < len(activations):
        period, times = _pattern(activations, start)
        if len(lines) + period > most:
            lines.append(f"  … and {len(activations) - start} more")
            break
        for activation in activations[start : start + period]:
            shown = activation if period == 1 else msgspec.structs.replace(activation, arguments="")
            lines.append(f"  in {shown.line()}")
        if times > 1:
            lines.append(f"  … these {period} again and again" + ("" if is_endless else f", {times} times"))
        start += period * times
    return lines


def _folded(activations: tuple[Activation, ...]) -> Iterator[Activation]:
    """The activations with neighbours of one file of the library as one, which bears the names of all."""
    for file, group in groupby(activations, key=lambda activation: activation.library):
        inside = list(group)
        if file is None or len(inside) == 1:
            yield from inside
            continue
        names = list(dict.fromkeys(activation.name for activation in inside))
        if len(names) > MOST_FOLDED:
            names[MOST_FOLDED - 1 : -1] = ["…"]
        yield Activation(f"{', '.join(names)} of {file}", None)


def _pattern(activations: tuple[Activation, ...], start: int) -> tuple[int, int]:
    """The length of the shortest pattern that begins at `start` and follows itself twice or more, and how often it is
    there; a single activation, once, if there is no such pattern."""
    for period in range(2, LONGEST_PATTERN + 1):
        pattern = activations[start : start + period]
        times = 1
        while activations[start + times * period : start + (times + 1) * period] == pattern:
            times += 1
        if times > 2:
            return period, times
    return 1, 1


WARNING_END = "this is an error when it is evaluated"
LONGEST_MESSAGE = 1_000
LONGEST_PATTERN = 6
MOST_FOLDED = 4
