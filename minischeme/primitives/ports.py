"""Input and output: `display`, `read` and their kin (R7RS 6.13, DIALECT.md section 1.3)."""

from collections.abc import Callable
from typing import Annotated, Any

from minischeme.data.errors import SchemeError
from minischeme.data.printer import display, write, write_shared
from minischeme.data.values import EOF, UNSPECIFIED, Boolean, String, Value, boolean, intern, list_of
from minischeme.primitives.kinds import CharArg, Index, Kind, StringArg, as_index, is_index, is_list, part
from minischeme.primitives.registry import predicate, primitive, unary
from minischeme.primitives.symbols import classify
from minischeme.runtime.ports import Console, InputPort, OutputPort

OutputArg = Annotated[Any, Kind("not an output port", lambda value: value is None or isinstance(value, OutputPort))]
InputArg = Annotated[Any, Kind("not an input port", lambda value: value is None or isinstance(value, InputPort))]
CountOrInput = Annotated[
    Any,
    Kind(
        "neither a number of characters nor an input port",
        lambda value: value is None or isinstance(value, InputPort) or is_index(value),
    ),
]


def is_port(value: Value) -> bool:
    """Whether `value` is a port."""
    return isinstance(value, OutputPort | InputPort)


PortArg = Annotated[Any, Kind("not a port", is_port)]


# ── Output (R7RS 6.13.3) ─────────────────────────────────────────────────────────────────────────────────────────────
@primitive("display", "princ")
def display_(obj: Value, port: OutputArg = None, *, console: Console) -> Value:
    """Prints obj for people: strings without quotes, characters as they are."""
    (console.output if port is None else port).write(obj.text if type(obj) is String else display(obj))
    return UNSPECIFIED


def _printing(names: str, text_of: Callable[[Value], str], help_: str, dialect: str | None = None) -> None:
    @primitive(*names.split(), help_=help_, dialect=dialect)
    def print_text(obj: Value, port: OutputArg = None, *, console: Console) -> Value:
        (console.output if port is None else port).write(text_of(obj))
        return UNSPECIFIED


_printing("write write-simple", write, "Prints obj as it would be typed: strings in quotes.")
_printing("write-shared", write_shared, "Writes obj with a label for each part that occurs more than once.")
_printing("show displayln", lambda obj: display(obj) + "\n", "Displays obj and ends the line.", "berkeley")
_printing("print write-line", lambda obj: write(obj) + "\n", "Writes obj and ends the line.", "berkeley")


@primitive("newline")
def newline(port: OutputArg = None, *, console: Console) -> Value:
    """Ends the line."""
    (console.output if port is None else port).write("\n")
    return UNSPECIFIED


def _operation(names: str, operate: Callable[[OutputPort], None], help_: str, dialect: str | None = None) -> None:
    @primitive(*names.split(), help_=help_, dialect=dialect)
    def operation(port: OutputArg = None, *, console: Console) -> Value:
        operate(console.output if port is None else port)
        return UNSPECIFIED


_operation("fresh-line", lambda port: port.fresh_line(), "Ends the line, unless nothing stands in it yet.", "berkeley")
_operation("flush-output flush-output-port flush", lambda port: port.flush(), "Passes on all that was printed so far.")


@primitive("show-line", dialect="berkeley")
def show_line(lst: Value, port: OutputArg = None, *, console: Console) -> Value:
    """Displays the elements of lst, spaced, without parentheses, and ends the line."""
    if not is_list(lst):
        raise SchemeError("Invalid argument to SHOW-LINE (not a list):", lst)
    (console.output if port is None else port).write(" ".join([display(element) for element in lst]) + "\n")
    return UNSPECIFIED


@primitive("write-char")
def write_char(char: CharArg, port: OutputArg = None, *, console: Console) -> Value:
    """Prints one character."""
    (console.output if port is None else port).write(char.char)
    return UNSPECIFIED


@primitive("write-string")
def write_string(
    string: StringArg, port: OutputArg = None, start: Index = 0, end: Index = None, *, console: Console
) -> Value:
    """Prints the characters of string, or those from start up to, not including, end."""
    (console.output if port is None else port).write(part("write-string", string.text, start, end))
    return UNSPECIFIED


# ── Input (R7RS 6.13.2) ──────────────────────────────────────────────────────────────────────────────────────────────
@primitive("read", "read-from-keyboard")
def read(port: InputArg = None, *, console: Console) -> Value:
    """Reads one datum and returns it, unevaluated; the rest of its line stays unread."""
    source = console.input if port is None else port
    atom = source.read_atom()
    return source.read(fold_case=console.dialect == "berkeley") if atom is None else atom


@primitive("read-char")
def read_char(port: InputArg = None, *, console: Console) -> Value:
    """Reads one character."""
    return (console.input if port is None else port).read_char()


@primitive("peek-char")
def peek_char(port: InputArg = None, *, console: Console) -> Value:
    """The next character, which stays to be read."""
    return (console.input if port is None else port).peek_char()


def _reading(
    name: str, read_text: Callable[[InputPort], str | None], value_of: Callable[[str], Value], help_: str, **where: Any
) -> None:
    @primitive(name, help_=help_, **where)
    def read_value(port: InputArg = None, *, console: Console) -> Value:
        text = read_text(console.input if port is None else port)
        return EOF if text is None else value_of(text)


_reading(
    "read-line", InputPort.read_line, String, "Reads the rest of the line and returns it as a string.", dialect="r7rs"
)
_reading(
    "read-line",
    InputPort.read_line,
    lambda line: list_of(map(classify, line.split())),
    "Reads the rest of the line and returns it as a sentence of words.",
    example='(call-with-port (open-input-string "have fun") read-line) → (have fun)',
    dialect="berkeley",
)


@primitive("read-string", dialect="berkeley")
def read_line_or_string(k: CountOrInput = None, port: InputArg = None, *, console: Console) -> Value:
    """Reads the rest of the line, or k characters, and returns them as a string."""
    if k is None or isinstance(k, InputPort):
        text = (console.input if k is None else k).read_line()
    else:
        text = (console.input if port is None else port).read_string(as_index(k))
    return EOF if text is None else String(text)


@primitive("read-string", dialect="r7rs")
def read_string(k: Index, port: InputArg = None, *, console: Console) -> Value:
    """Reads at most k characters and returns them as a string."""
    text = (console.input if port is None else port).read_string(as_index(k))
    return EOF if text is None else String(text)


@primitive("char-ready?")
def char_ready(port: InputArg = None, *, console: Console) -> Boolean:
    """Whether read-char would return at once."""
    return boolean((console.input if port is None else port).char_ready())


@primitive("user-says-y?", dialect="berkeley")
def user_says_y(*, console: Console) -> Boolean:
    """Whether the datum that the user types is y."""
    return boolean(console.input.read() is intern("y"))


@primitive("eof-object")
def eof_object() -> Value:
    """The object that reading gives at the end of the input."""
    return EOF


predicate("eof-object?", lambda obj: obj is EOF, "the end-of-file object")


# ── Ports (R7RS 6.13.1) ──────────────────────────────────────────────────────────────────────────────────────────────
def _current(names: str, attribute: str, help_: str) -> None:
    """A procedure that gives a port of the console, and is a parameter for `parameterize`."""

    @primitive(*names.split(), help_=help_)
    def port(*, console: Console) -> OutputPort | InputPort:
        found: OutputPort | InputPort = getattr(console, attribute)
        return found

    port.__dict__["port"] = attribute


_current("current-output-port", "output", "The port that display prints to when it is given none.")
_current(
    "current-error-port notification-output-port trace-output-port",
    "error_output",
    "The port for messages about what went wrong.",
)
_current("current-input-port", "input", "The port that read takes from when it is given none.")


predicate("output-port?", lambda obj: isinstance(obj, OutputPort), "a port to print to")
predicate("input-port?", lambda obj: isinstance(obj, InputPort), "a port to read from")
predicate("port?", is_port, "a port")


@primitive("terminal-port?", dialect="berkeley")
def is_terminal_port(port: OutputArg = None, *, console: Console) -> Boolean:
    """Whether what is printed to port is seen by a person at a terminal, where colours show."""
    return boolean((console.output if port is None else port).is_terminal)


def _is_open(port: Value, kind: type[Value]) -> Boolean:
    if not isinstance(port, kind):
        raise TypeError("not a port of that kind")
    return boolean(port.is_open)


unary("input-port-open?", InputArg, lambda port: _is_open(port, InputPort), "Whether port can still be read from.")
unary("output-port-open?", OutputArg, lambda port: _is_open(port, OutputPort), "Whether port can still be printed to.")
