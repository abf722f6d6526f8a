"""Text laid out for people: `format` and its template, and `pp`, which prints data and definitions as code."""

from collections.abc import Callable, Sequence
from types import FunctionType

from minischeme.data.errors import SchemeError
from minischeme.data.layout import pretty_printed
from minischeme.data.numerals import format_number
from minischeme.data.printer import display, write
from minischeme.data.rationals import Rational, Real
from minischeme.data.values import FALSE, TRUE, UNSPECIFIED, Procedure, String, Value
from minischeme.primitives.kinds import Procedure as ProcedureArg
from minischeme.primitives.kinds import StringArg, as_number, as_real, check_procedure
from minischeme.primitives.ports import OutputArg
from minischeme.primitives.registry import primitive
from minischeme.runtime.ports import Console, OutputPort
from minischeme.runtime.tail_calls import TailCall

_FIXED = {"%": "\n", "n": "\n", "~": "~"}
_RADIXES = {"b": 2, "o": 8, "d": 10, "x": 16}


def formatted(name: str, template: str, arguments: tuple[Value, ...]) -> str:
    """A template with its directives replaced.

    Each of ~a (displayed), ~s (written), ~d ~b ~o ~x (a number, in decimal, binary, octal or hexadecimal) and ~c (a
    character) takes the next argument; ~% and ~n end the line, ~~ is a tilde.

    Errors name the procedure `name`.
    """
    waiting = iter(arguments)
    pieces: list[str] = []
    start = 0
    while (tilde := template.find("~", start)) >= 0:
        pieces.append(template[start:tilde])
        start = tilde + 2
        kind = template[tilde + 1 : start].lower()
        if kind in _FIXED:
            pieces.append(_FIXED[kind])
            continue
        if kind not in _RADIXES and kind not in {"a", "s", "w", "c"}:
            raise SchemeError(f"{name}: bad directive:", String(template[tilde:start]))
        value = next(waiting, None)
        if value is None:
            raise SchemeError(f"{name}: too few arguments for", String(template))
        if kind in _RADIXES and isinstance(value, int | Rational):
            pieces.append(format_number(value, _RADIXES[kind]))
        else:  # also for ~d, what is no number shows as it is
            pieces.append(write(value) if kind in "sw" else display(value))
    return "".join(pieces) + template[start:]


@primitive("draw", dialect="berkeley")
def draw(object_: Value, *more: Value, draw_values: Callable[[Sequence[Value]], None]) -> Value:
    """Print a picture of boxes and pointers of the objects, in which one that they share is drawn once."""
    draw_values([object_, *more])
    return UNSPECIFIED


@primitive("show-svg", dialect="berkeley")
def show_svg(make_svg: ProcedureArg, make_text: ProcedureArg, *, console: Console, tail: TailCall) -> Value:
    """Show the SVG document that make-svg gives, with a text that stands for it; #f if only text can be shown."""
    check_procedure(make_svg, make_text)
    if console.output.show_picture is None:
        return FALSE
    console.output.write_picture(lambda: tail.call(make_svg, ()).text, tail.call(make_text, ()).text)
    return UNSPECIFIED


@primitive("format", dialect="berkeley", example='(format #f "~a has ~s" \'ace 11) → "ace has 11"')
def format_(destination: Value, *arguments: Value, console: Console) -> Value:
    """Print a template on the console for #t, on a port; as a string for #f. ~a displays an argument, ~s writes it."""
    if type(destination) is String:
        return String(formatted("format", destination.text, arguments))
    if not arguments:
        raise SchemeError("format: no template behind", destination)
    if type(arguments[0]) is not String:
        raise SchemeError("format: bad string:", arguments[0])
    text = formatted("format", arguments[0].text, arguments[1:])
    if destination is FALSE:
        return String(text)
    port: Value = console.output if destination is TRUE else destination
    if not isinstance(port, OutputPort):
        raise SchemeError("format: not a port, #t or #f:", destination)
    port.write(text)
    return UNSPECIFIED


@primitive("printf", dialect="berkeley")
def printf(template: StringArg, *arguments: Value, console: Console) -> Value:
    """Print a template as format does: (printf "~a has ~s~%" 'ace 11)."""
    console.output.write(formatted("printf", template.text, arguments))
    return UNSPECIFIED


@primitive("align", dialect="berkeley", example='(align 7 3) → "  7"')
def align(obj: Value, width: Value, decimals: Value = None) -> String:
    """A string of that width: numbers stand right, all else left; what is too long ends in +."""
    columns = _count(width)
    number = as_real(obj)
    if number is None:
        text = display(obj).ljust(columns)
    elif decimals is None:
        text = display(obj).rjust(columns)
    else:
        text = _fixed_point(number, _count(decimals)).rjust(columns)
    return String(text if len(text) == columns else (text[: columns - 1] + "+")[:columns])


def _count(count: Value) -> int:
    number = as_number(count)
    if type(number) is not int or number < 0:
        raise SchemeError("align: bad number:", count)
    return number


def _fixed_point(number: Real, decimals: int) -> str:
    """A number with that many digits behind the point, rounded to the nearest."""
    if isinstance(number, float):
        return f"{number:.{decimals}f}"
    scaled = round(number * 10**decimals)
    digits = str(abs(scaled)).rjust(decimals + 1, "0")
    sign = "-" if scaled < 0 else ""
    return sign + (f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits)


@primitive("pp", dialect="berkeley")
def pp(obj: Value, port: OutputArg = None, *, console: Console, source_of: Callable[[Procedure], str | None]) -> Value:
    """Print data as code is laid out, and a procedure as its definition."""
    source = source_of(obj) if type(obj) is FunctionType else None
    text = pretty_printed(obj, 79) if source is None else source
    (console.output if port is None else port).write(text + "\n")
    return UNSPECIFIED
