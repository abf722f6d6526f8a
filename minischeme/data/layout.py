"""The layout of Scheme code: the forms that have a body, and data as lines of code that fit a width."""

from collections.abc import Callable, Iterator

from minischeme.data.printer import write
from minischeme.data.source import columns
from minischeme.data.values import NIL, Pair, Symbol, Value

BODY_INDENT = 2  # columns from a form's bracket to its body
_LEAST_WIDTH = 20  # with fewer columns left lines are not broken: deeply nested data would be a column of letters

_FORMS_WITH_BODY = (
    "begin case-lambda cons-stream delay dynamic-wind initialize",
    "case fluid-let guard lambda let let* let*-values let-syntax let-values let/cc letrec letrec* letrec-syntax"
    " method named-lambda parameterize syntax-rules test-group unless when while λ",
    "do receive",
)
_PARTS_BEFORE_BODY = {name: count for count, names in enumerate(_FORMS_WITH_BODY) for name in names.split()}


def parts_before_body(name: str, *, is_named: bool = False) -> int | None:
    """The number of parts between the name of a form, maybe followed by a word as in named `let`, and its body."""
    if name.startswith("define"):
        return 1
    return 2 if name == "let" and is_named else _PARTS_BEFORE_BODY.get(name)


def pretty_printed(datum: Value, width: int, text: Callable[[Value], str] = write) -> str:
    """A datum as code, with lines broken only where its text does not fit."""
    return "\n".join(_lines(datum, width, text))


def _lines(datum: Value, width: int, text: Callable[[Value], str]) -> Iterator[str]:
    line = text(datum)
    # A datum that is written with a label may be circular.
    if len(line) <= width or width <= _LEAST_WIDTH or line[0] != "(" or "#0=" in line or not _is_proper(datum):
        yield line
        return
    head, *parts = datum
    if type(head) is not Symbol or not parts:
        yield from _column("(", [head, *parts], width, text)
        return
    start = f"({text(head)} "
    before = parts_before_body(head.name, is_named=type(parts[0]) is Symbol) or 0
    if 0 < before < len(parts):
        yield from _column(start, parts[:before], width, text, close="")
        yield from _column(" " * BODY_INDENT, parts[before:], width, text)
    else:
        yield from _column(start, parts, width, text)


def _column(
    start: str, parts: list[Value], width: int, text: Callable[[Value], str], close: str = ")"
) -> Iterator[str]:
    """Data below one another, the first of them after `start`."""
    for index, part in enumerate(parts):
        end = close if index == len(parts) - 1 else ""
        *lines, last = _lines(part, width - columns(start) - len(end), text)
        for line in [*lines, last + end]:
            yield start + line
            start = " " * columns(start)


def _is_proper(datum: Value) -> bool:
    while type(datum) is Pair:
        datum = datum.cdr
    return datum is NIL
