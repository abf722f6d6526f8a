"""The shapes that values are drawn as, and the arrows between them: all of a picture but its places."""

import re
from collections import deque
from collections.abc import Sequence
from types import FunctionType

from minischeme.compiler.assembly import CodeInfo, info_of
from minischeme.data.abbreviate import abbreviated, beginning, one_line, without_comments
from minischeme.data.printer import display, write
from minischeme.data.source import Source
from minischeme.data.values import (
    NIL,
    Environment,
    HashTable,
    MultipleValues,
    Pair,
    Promise,
    Record,
    Symbol,
    Value,
    Vector,
    untraced,
)
from minischeme.data.wrapping import wrapped_line
from minischeme.drawing.frames import EnvironmentFrame, Frames
from minischeme.drawing.shapes import EMPTY, Arrow, Shape, Slot
from minischeme.reading.reader import read
from minischeme.runtime.names import scheme_name

MOST_SHAPES = 200
MOST_SLOTS = 30  # of one shape
LONGEST_LABEL = 16
LONGEST_CODE = 22
MOST_LINES = 3  # of a body
CUT = "…"

Items = Sequence[tuple[str, object]]
"""Labels and values of the slots of a shape; frames, texts and shapes count as values."""

_NOT_WRITTEN = re.compile(r"\$[0-9]*$|\$\$$|%|__|'")  # globals of the prompt and of macros
_CLASS_FORM = re.compile(r"\(\s*define-class\b", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<=^#\[)(.*) [0-9a-f]{6,}\]$")


class Contents:
    """The shapes of values, explored nearest first, so that an ellipsis stands for what is farthest.

    `bindings` are the globals that an environment without a namespace means, by their Python names.
    """

    def __init__(self, bindings: dict[str, Value] | None, longest_text: int) -> None:
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
        roots = Shape("roots")
        self._waiting.append((roots, [*zip(labels, values, strict=True)]))
        self._fill()
        is_whole = any(type(value) is Environment for value in values)
        for shape, bindings in self._globals:
            own = [(scheme_name(name), value) for name, value in bindings.items() if not _NOT_WRITTEN.match(name)]
            drawn = [item for item in own if id(untraced(item[1])) in self._known]
            self._waiting.append((shape, own if is_whole else [*drawn[:MOST_SLOTS], ("", CUT)]))
        self._fill()
        return roots

    def _fill(self) -> None:
        while self._waiting:
            shape, items = self._waiting.popleft()
            for label, value in items[: MOST_SLOTS + 1]:
                shape.slots.append(self._slot(shape, one_line(label, LONGEST_LABEL), value))
                if value is NIL and shape.is_row:
                    shape.slots[-1].text = EMPTY
            if len(items) > MOST_SLOTS + 1:
                shape.slots[-1] = Slot(CUT)
            width = sum(3 + len(slot.text or CUT) for slot in shape.slots)
            if shape.kind == "vector" and width > 2 * self._longest_text:
                shape.kind = "column"

    def _slot(self, shape: Shape, label: str, value: object) -> Slot:
        value = untraced(value)
        if isinstance(value, Shape):
            return Arrow("", label, shape=shape, target=value)
        if isinstance(value, Environment):
            bindings = value.namespace.globals if value.namespace is not None else self._bindings
            value = value if bindings is None else self._frames.of_globals(bindings)
        if id(value) not in self._known:
            parts = self._parts(value)
            if parts is None or len(self._known) >= MOST_SHAPES:
                return Slot(self._text(value) if parts is None else CUT, label)
            kind, title, items = parts
            target = Shape(kind, one_line(title, 2 * self._longest_text))
            self._known[id(value)] = value, target
            self._waiting.append((target, items))
            if isinstance(value, EnvironmentFrame) and value.globals is not None:
                self._globals.append((target, value.globals))
        return Arrow("", label, shape=shape, target=self._known[id(value)][1])

    def _text(self, value: object) -> str:
        """The text of a value that is not drawn as a shape."""
        if isinstance(value, str):
            return value
        text = write(beginning(value, self._longest_text))
        return one_line(_ADDRESS.sub(r"\1]", text), self._longest_text)

    def _parts(self, value: object) -> tuple[str, str, Items] | None:
        """The kind of a value's shape, its title and its items; None for a value that is a text."""
        match value:
            case Pair():
                return "row", "", [("", value.car), ("", value.cdr)]
            case Vector() if len(value):
                return "vector", "vector", [(str(index), item) for index, item in enumerate(value[: MOST_SLOTS + 2])]
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
                return "column", title, [*value.known_variables(), ("enclosing", value.enclosing)]
            case EnvironmentFrame():
                return "column", "global environment", []
            case FunctionType() if (info := info_of(value.__code__)) is not None:
                return self._procedure(value, info)
        return None

    def _procedure(self, procedure: FunctionType, info: CodeInfo) -> tuple[str, str, Items]:
        """A class or an object by its variables, any other procedure as a pair of its code and its environment."""
        frame: EnvironmentFrame | None = self._frames.around(procedure)
        form, is_object = info.unit.root, info.name == "this"
        is_instance = is_object or info.parameters == ("class-message",)
        if form.span is None or not _CLASS_FORM.match(form.span.text) or not is_instance:
            return "procedure", "", [("", _procedure_text(info)), ("", frame)]
        found: dict[str, object] = {}
        while frame is not None:
            for name, value in frame.known_variables():
                label = f"parent {name[3:]}" if name.startswith("my-") and not form.span.mentions(name) else name
                if name not in ("self", "usual", "this"):
                    found.setdefault(label, value)
            frame = frame.enclosing
        title = f"{'object of' if is_object else 'class'} {getattr(form, 'name', '')}"
        return "column", title.rstrip(), list(found.items())


def _procedure_text(info: CodeInfo) -> Shape:
    """The parameters and the body of a procedure, as they stand in the program."""
    text = info.span.text if info.span is not None else ""
    parameters, body = f"({' '.join(info.parameters)})", text
    match [(form.datum, form.spans) for form in read(Source(text, "<procedure>"), fold_case=False)]:
        case [(Pair(car=Symbol(name=head), cdr=Pair(car=first, cdr=Pair() as rest)), spans)]:
            head, start = head.lower(), spans.of_car(rest)
            is_lambda = head in ("lambda", "λ")
            if is_lambda or (head in ("define", "named-lambda", "method") and type(first) is Pair):
                parameters = display(first if is_lambda else first.cdr)
                body = text[start.start if start is not None else 0 : -1]
    body = " ".join(without_comments(body).split())
    lines = wrapped_line(f"body: {body}", "  ", LONGEST_CODE).split("\n")
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], f"{lines[MOST_LINES - 1]} {CUT}"]
    lines = [f"parameters: {parameters}", *lines]
    return Shape("words", slots=[Slot(abbreviated(line, LONGEST_CODE)) for line in lines])
