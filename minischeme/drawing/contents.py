"""The shapes that values are drawn as, and the arrows between them: all of a picture but its places."""

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import FunctionType

from minischeme.compiler.assembly import CodeInfo, info_of
from minischeme.data.abbreviate import abbreviated, beginning, one_line
from minischeme.data.printer import write
from minischeme.data.values import (
    NIL,
    Environment,
    HashTable,
    MultipleValues,
    Pair,
    Promise,
    Record,
    Value,
    Vector,
    untraced,
)
from minischeme.data.wrapping import wrapped_line
from minischeme.drawing.frames import EnvironmentFrame, Frames
from minischeme.drawing.shapes import Shape, Slot
from minischeme.runtime.names import scheme_name

MOST_SHAPES = 200
MOST_SLOTS = 30  # of one shape
LONGEST_LABEL = 16
LONGEST_CODE = 22
MOST_LINES = 3  # of a body
CUT = "…"
EMPTY = "╱"  # the empty list, in a row

Items = Sequence[tuple[str, object]]
"""Labels and values of the slots of a shape; frames, texts of procedures and other texts count as values."""

_NOT_WRITTEN = re.compile(r"\$[0-9]*$|\$\$$|%|__|'")  # globals of the prompt and of macros
_HEADER = re.compile(r"(?i)\((?:define|named-lambda|method) ?(?=\()|\((?:lambda|λ) (?=.)")
_CLASS_FORM = re.compile(r"\(\s*define-class\b", re.IGNORECASE)
_WITH_PARTS = {Pair, Vector, Promise, Record, HashTable, FunctionType}
_ADDRESS = re.compile(r"(?<=^#\[)(.*) [0-9a-f]{6,}\]$")


@dataclass(frozen=True, slots=True)
class ProcedureText:
    """The text of a procedure."""

    lines: list[str]


class Contents:
    """The shapes of values, explored nearest first, so that an ellipsis stands for what is farthest.

    `bindings` are the globals that an environment without a namespace means, by their Python names.
    """

    def __init__(self, bindings: dict[str, Value] | None, longest_text: int) -> None:
        self.count = 0
        self._bindings = bindings
        self._longest_text = longest_text
        self._frames = Frames()
        self._known: dict[int, tuple[object, Shape]] = {}  # by identity, with what is drawn so that it is kept
        self._waiting: deque[tuple[Shape, Items]] = deque()
        self._globals: list[tuple[Shape, dict[str, Value]]] = []

    def explore(self, values: Sequence[Value], labels: Sequence[str]) -> Shape:
        """The shape, without a border, whose slots hold these values.

        The global environment shows all that the program has defined if it is one of them, else only what is drawn.
        """
        roots = self._shape("roots", "", [*zip(labels, values, strict=True)])
        self._fill()
        is_whole = any(type(value) is Environment for value in values)
        for shape, bindings in self._globals:
            own = [(scheme_name(name), value) for name, value in bindings.items() if not _NOT_WRITTEN.match(name)]
            drawn = own if is_whole else [item for item in own if id(untraced(item[1])) in self._known]
            self._waiting.append((shape, drawn if is_whole else [*drawn[:MOST_SLOTS], ("", CUT)]))
        self._fill()
        return roots

    def _fill(self) -> None:
        while self._waiting:
            shape, items = self._waiting.popleft()
            shape.slots = [
                self._slot(value, one_line(label, LONGEST_LABEL)) for label, value in items[: MOST_SLOTS + 1]
            ]
            if len(items) > MOST_SLOTS + 1:
                shape.slots[-1] = Slot(CUT)
            for slot in shape.slots:
                slot.text = "()" if slot.text == EMPTY and not shape.is_row else slot.text

    def _slot(self, value: object, label: str) -> Slot:
        value = untraced(value)
        if isinstance(value, Environment):
            bindings = value.namespace.globals if value.namespace is not None else self._bindings
            value = value if bindings is None else self._frames.of_globals(bindings)
        if id(value) not in self._known:
            items = self._parts(value)
            if items is None or self.count >= MOST_SHAPES:
                return Slot(self._text(value) if items is None else CUT, None, label)
            self._known[id(value)] = value, self._shape(*items)
        return Slot("", self._known[id(value)][1], label)

    def _shape(self, kind: str, title: str, items: Items | EnvironmentFrame) -> Shape:
        shape = Shape(kind, title=title)
        self.count += 1
        if isinstance(items, EnvironmentFrame):
            self._globals.append((shape, items.globals or {}))
        else:
            self._waiting.append((shape, items))
        return shape

    def _text(self, value: object) -> str:
        """The text of a value that is not drawn as a shape."""
        if isinstance(value, str):
            return value
        if value is NIL:
            return EMPTY
        text = write(beginning(value, self._longest_text))
        return one_line(_ADDRESS.sub(r"\1]", text), self._longest_text)

    def _parts(self, value: object) -> tuple[str, str, Items | EnvironmentFrame] | None:
        """The kind of a value's shape, its title and its items; None for a value that is a text."""
        match value:
            case Pair():
                return "row", "", [("", value.car), ("", value.cdr)]
            case Vector() if len(value):
                return self._vector(value)
            case Promise():
                return "row", "promise", [("", "not forced" if value.thunk is not None else value.value)]
            case Record():
                return "column", value.kind.name, [*zip(value.kind.fields, value.fields, strict=True)]
            case HashTable() if len(value.entries):
                entries = [(write(beginning(key, LONGEST_LABEL)), held) for key, held in value.entries.values()]
                return "column", "hash table", entries
            case MultipleValues():
                return "column", "values", [("", item) for item in value.items]
            case EnvironmentFrame(globals=None):
                title = f"frame of {value.name}" if value.name is not None else "frame"
                return "column", title, [*value.variables(), ("enclosing", value.enclosing)]
            case EnvironmentFrame():
                return "column", "global environment", value
            case ProcedureText():
                return "words", "", [("", line) for line in value.lines]
            case FunctionType() if (info := info_of(value.__code__)) is not None:
                return self._procedure(value, info)
        return None

    def _vector(self, value: Vector) -> tuple[str, str, Items]:
        """The items side by side, or below one another if that would be too wide."""
        shown: Iterable[Value] = value[: MOST_SLOTS + 2]
        width = sum(3 + (1 if type(item) in _WITH_PARTS else len(self._text(item))) for item in shown)
        if width <= 2 * self._longest_text:
            return "vector", "vector", [("", item) for item in shown]
        return "column", "vector", [(str(index), item) for index, item in enumerate(shown)]

    def _procedure(self, procedure: FunctionType, info: CodeInfo) -> tuple[str, str, Items]:
        """A class or an object by its variables, any other procedure as a pair of its code and its environment."""
        frame = self._frames.around(procedure)
        span = info.unit.root.span
        is_object, is_class = info.name == "this", info.parameters == ("class-message",)
        if span is None or not _CLASS_FORM.match(span.text) or not (is_object or is_class):
            return "procedure", "", [("", _procedure_text(info)), ("", frame)]
        found: dict[str, object] = {}
        around: EnvironmentFrame | None = frame
        while around is not None:
            for name, value in around.variables():
                label = f"parent {name[3:]}" if name.startswith("my-") and not span.mentions(name) else name
                if name not in ("self", "usual", "this"):
                    found.setdefault(label, value)
            around = around.enclosing
        title = f"{'object of' if is_object else 'class'} {getattr(info.unit.root, 'name', '')}"
        return "column", title.rstrip(), list(found.items())


def _procedure_text(info: CodeInfo) -> ProcedureText:
    """The parameters and the body of a procedure, as they stand in the program."""
    text = info.span.text if info.span is not None else ""
    text = " ".join(re.sub(r'(?m);[^\n"]*$', "", text).split())
    parameters, body = f"({' '.join(info.parameters)})", text
    header = _HEADER.match(text)
    if header is not None:
        end = _datum_end(text, header.end())
        parameters, body = text[header.end() : end], text[end:-1].strip()
        if header[0].lower() not in ("(lambda ", "(λ "):  # the first is the name
            parameters = f"({parameters.partition(' ')[2] or ')'}"
    lines = wrapped_line(f"body: {body}", "  ", LONGEST_CODE).split("\n")
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], f"{lines[MOST_LINES - 1]} {CUT}"]
    return ProcedureText([abbreviated(line, LONGEST_CODE) for line in (f"parameters: {parameters}", *lines)])


def _datum_end(text: str, start: int) -> int:
    """The end of a datum without strings that begins at an offset."""
    depth = 0
    for index in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0 and (text[index] == ")" or text[index + 1] == " "):
            return index + 1
    return len(text)
