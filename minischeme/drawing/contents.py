"""The shapes that values are drawn as, and the arrows between them: all of a picture but its places."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import FunctionType

from minischeme.compiler.assembly import CodeInfo, info_of
from minischeme.data.abbreviate import abbreviated, beginning, one_line
from minischeme.data.printer import write
from minischeme.data.values import (
    EmptyList,
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
EMPTY = "╱"  # the empty list, in a pair

_NOT_WRITTEN = re.compile(r"\$[0-9]*$|\$\$$|%|__|'")  # globals of the prompt and of macros
_HEADER = re.compile(r"\((?:define|lambda|λ|named-lambda|method) ?(?=\()|\((?:lambda|λ) [^\s()]+(?= )", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<=^#\[)(.*) [0-9a-f]{6,}\]$")
_CLASS_FORM = re.compile(r"\(\s*define-class\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Code:
    """The text of a procedure, as an item of its shape."""

    lines: tuple[str, ...]


class Contents:
    """The shapes of values, explored nearest first, so that an ellipsis stands for what is farthest.

    `bindings` are the globals that an environment without a namespace means, by their Python names.
    """

    def __init__(self, bindings: dict[str, Value] | None, longest_text: int) -> None:
        self.shapes: list[Shape] = []
        self._bindings = bindings
        self._longest_text = longest_text
        self._frames = Frames()
        self._known: dict[int, Shape] = {}
        self._kept: list[object] = []
        self._waiting: deque[tuple[Shape, list[tuple[str, object]]]] = deque()
        self._globals: dict[int, tuple[Shape, EnvironmentFrame]] = {}

    def explore(self, values: Sequence[Value], labels: Sequence[str], *, whole_globals: bool = False) -> Shape:
        """The shape, without a border, whose slots hold these values."""
        roots = self._shape("roots", "", [*zip(labels, values, strict=True)])
        self._fill()
        for shape, frame in self._globals.values():
            items = _globals(frame, None if whole_globals else self._known)
            shape.slots += self._slots(items[:MOST_SLOTS]) + [Slot(CUT)] * (
                not whole_globals or len(items) > MOST_SLOTS
            )
        self._fill()
        return roots

    def frame(self, bindings: dict[str, Value]) -> EnvironmentFrame:
        return self._frames.of_globals(bindings)

    def _fill(self) -> None:
        while self._waiting:
            shape, items = self._waiting.popleft()
            shape.slots += self._slots(items[:MOST_SLOTS])
            for slot in () if shape.is_row else shape.slots:
                slot.text = "()" if slot.text == EMPTY else slot.text
            if len(items) > MOST_SLOTS:
                shape.slots.append(Slot(CUT))

    def _slots(self, items: Iterable[tuple[str, object]]) -> list[Slot]:
        return [self._slot(value, one_line(label, LONGEST_LABEL)) for label, value in items]

    def _slot(self, value: object, label: str) -> Slot:
        value = untraced(value)
        shape = self._known.get(id(value))
        if shape is None:
            made = self._made(value) if len(self.shapes) < MOST_SHAPES or not _is_drawn(value) else CUT
            if isinstance(made, str):
                return Slot(made, None, label)
            shape = self._known[id(value)] = made
            self._kept.append(value)
        return Slot("", shape, label)

    def _shape(self, kind: str, title: str, items: list[tuple[str, object]]) -> Shape:
        shape = Shape(kind, title=title)
        self.shapes.append(shape)
        self._waiting.append((shape, items))
        return shape

    def _made(self, value: object) -> Shape | str:
        """The shape of a value, or its text."""
        match value:
            case Pair():
                return self._shape("row", "", [("", value.car), ("", value.cdr)])
            case Vector() if len(value):
                return self._vector(value)
            case Promise():
                return self._shape("row", "promise", [("", "not forced" if value.thunk is not None else value.value)])
            case Record():
                return self._shape("column", value.kind.name, [*zip(value.kind.fields, value.fields, strict=True)])
            case HashTable() if value.entries:
                entries = [(write(beginning(key, LONGEST_LABEL)), held) for key, held in value.entries.values()]
                return self._shape("column", "hash table", entries)
            case MultipleValues():
                return self._shape("column", "values", [("", item) for item in value.items])
            case Environment():
                bindings = value.namespace.globals if value.namespace is not None else self._bindings
                return "an environment" if bindings is None else self._made_once(self.frame(bindings))
            case EnvironmentFrame():
                return self._frame(value)
            case _Code():
                return self._shape("words", "", [("", line) for line in value.lines])
            case FunctionType() if (info := info_of(value.__code__)) is not None:
                return self._procedure(value, info)
            case EmptyList():
                return EMPTY
            case str():
                return value
        text = write(beginning(value, self._longest_text))
        return one_line(_ADDRESS.sub(r"\1]", text), self._longest_text)

    def _made_once(self, frame: EnvironmentFrame) -> Shape:
        found = self._slot(frame, "").target
        assert found is not None
        return found

    def _vector(self, value: Vector) -> Shape:
        """The items side by side, or below one another if that would be too wide."""
        shown = value[:MOST_SLOTS]
        width = sum(3 + (1 if _is_drawn(item) else len(str(self._made(item)))) for item in shown)
        if width <= 2 * self._longest_text:
            return self._shape("row", "vector", [("", item) for item in value[: MOST_SLOTS + 1]])
        return self._shape(
            "column", "vector", [(str(index), item) for index, item in enumerate(value[: MOST_SLOTS + 1])]
        )

    def _frame(self, frame: EnvironmentFrame) -> Shape:
        if frame.globals is not None:
            shape = Shape("column", title="global environment")
            self.shapes.append(shape)
            self._globals[id(frame)] = shape, frame
            return shape
        title = f"frame of {frame.name}" if frame.name is not None else "frame"
        return self._shape("column", title, [*frame.variables(), ("enclosing", frame.enclosing)])

    def _procedure(self, procedure: FunctionType, info: CodeInfo) -> Shape:
        """A class or an object by its variables, any other procedure as a pair of its code and its environment."""
        frame = self._frames.around(procedure)
        if is_object(procedure) or is_class(procedure):
            kind = "object of" if is_object(procedure) else "class"
            return self._shape("column", f"{kind} {getattr(info.unit.root, 'name', '')}".rstrip(), _variables(frame))
        return self._shape("procedure", "", [("", _code(info)), ("", frame)])


def is_object(value: object) -> bool:
    """Whether a value is an object of a class that `define-class` has defined."""
    return _is_of_class_form(value, lambda info: info.name == "this")


def is_class(value: object) -> bool:
    return _is_of_class_form(value, lambda info: info.parameters == ("class-message",))


def _is_of_class_form(value: object, test: Callable[[CodeInfo], bool]) -> bool:
    info = info_of(value.__code__) if type(value) is FunctionType else None
    span = info.unit.root.span if info is not None else None
    return info is not None and span is not None and _CLASS_FORM.match(span.text) is not None and test(info)


def _is_drawn(value: object) -> bool:
    """Whether a value is drawn as a shape, not as text."""
    is_closure = type(value) is FunctionType and info_of(value.__code__) is not None
    return (
        is_closure
        or isinstance(value, Pair | Promise | Record | MultipleValues | EnvironmentFrame | _Code)
        or ((isinstance(value, Vector) and len(value) > 0) or (isinstance(value, HashTable) and len(value.entries) > 0))
    )


def _variables(frame: EnvironmentFrame | None) -> list[tuple[str, object]]:
    """The variables of a class or of one of its objects: its own, its arguments and those of the class."""
    found: dict[str, object] = {}
    while frame is not None and frame.globals is None:
        for name, value in frame.variables():
            if name not in ("self", "usual", "this"):
                found.setdefault(f"parent {name[3:]}" if name.startswith("my-") and is_object(value) else name, value)
        frame = frame.enclosing
    return list(found.items())


def _code(info: CodeInfo) -> _Code:
    rest = [] if info.rest is None else [".", info.rest]
    parameters = info.rest if info.rest and not info.parameters else f"({' '.join([*info.parameters, *rest])})"
    lines = wrapped_line(f"body: {_body(info)}", "  ", LONGEST_CODE).split("\n")
    shown = lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 1], f"{lines[MOST_LINES - 1]} {CUT}"]
    return _Code(tuple(abbreviated(line, LONGEST_CODE) for line in (f"parameters: {parameters}", *shown)))


def _body(info: CodeInfo) -> str:
    """The text of a procedure's body: its definition or lambda expression without what stands before that."""
    span = info.span
    if span is None:
        return ""
    text = " ".join(re.sub(r"(?m);[^\n\"]*$", "", span.text).split())
    header = _HEADER.match(text)
    depth, end = 0, header.end() if header is not None else 0
    while header is not None and end < len(text) and (depth or (text[end] == "(" and end == header.end())):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    return text[end:-1].strip() if header is not None else text


def _globals(frame: EnvironmentFrame, drawn: dict[int, Shape] | None) -> list[tuple[str, object]]:
    """The program's own globals, or those only whose values are drawn."""
    bindings = frame.globals or {}
    return [
        (scheme_name(key), value)
        for key, value in bindings.items()
        if not _NOT_WRITTEN.match(key) and (drawn is None or id(untraced(value)) in drawn)
    ]
