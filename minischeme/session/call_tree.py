"""The tree of calls of an evaluation: which of the user's procedures were called, with what, and what they returned.

While it runs, collectors replace the user's procedures, as the wrappers of `trace` do; nothing else
knows of them, and afterwards everything is as it was.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from types import FunctionType
from typing import TYPE_CHECKING

from minischeme.compiler.assembly import info_of
from minischeme.data.abbreviate import abbreviated, beginning
from minischeme.data.cpython import last_constant
from minischeme.data.errors import Interrupted, SchemeError, SchemeExit
from minischeme.data.printer import write
from minischeme.data.source import Source
from minischeme.data.values import Procedure, Value, untraced
from minischeme.data.wrapping import wrapped_line
from minischeme.evaluation.procedures import inner_procedures
from minischeme.primitives.registry import primitive_of
from minischeme.reading.reader import read
from minischeme.runtime.names import scheme_name
from minischeme.runtime.resumption import transparent
from minischeme.session.trace import with_inner

if TYPE_CHECKING:
    from minischeme.session.session import Session

MOST_CALLS = 100_000  # that are collected; what follows is only counted
MOST_LINES = 200  # of a tree that are shown
LONGEST_TEXT = 60  # of an argument or a value
DEEPEST_LINES = 24  # calls deeper than this are indented no further; a number tells their depth


@dataclass(eq=False, slots=True)
class CallNode:
    """A call, or several equal ones with equal calls inside, with arguments and value as text."""

    text: str
    value: str | None = None  # None if it was left without a value
    calls: "list[tuple[CallNode, int]]" = field(default_factory=list)  # each with the times that it was made in a row
    error: str | None = None  # that happened in it, and ended the evaluation

    @property
    def outcome(self) -> str:
        """The text shown behind the arrow."""
        if self.error is not None:
            return f"*** {self.error}"
        return "left early" if self.value is None else self.value


@dataclass(frozen=True, slots=True)
class CallTree:
    """The calls of an evaluation, whose root is the expression itself."""

    root: CallNode
    count: int
    collected: int  # so many of these calls are in the tree
    error: SchemeError | None

    def text(self, width: int | None = None) -> str:
        """The tree for people: a call with its value in each line, below it the calls made inside."""
        lines = _lines(self._top(), width)
        shown = list(islice(lines, MOST_LINES))
        left_out = sum(1 for _ in lines)
        if left_out:
            shown.append(f"… {left_out} more lines")
        if self.count > self.collected:
            shown.append(f"… {self.count - self.collected:,} calls after the first {self.collected:,} are not shown")
        return "\n".join(shown)

    def _top(self) -> CallNode:
        """The call to show at the top: the only one made, if the expression consists of nothing else."""
        if len(self.root.calls) == 1 and self.root.error is None:
            call, times = self.root.calls[0]
            if times == 1 and (call.text == self.root.text or call.error is not None) and call.value == self.root.value:
                return call
        return self.root


def call_tree(session: "Session", text: str, *, most_calls: int = MOST_CALLS) -> CallTree:
    """Evaluate a text with all procedures watched that the user has defined; what it defines stays defined.

    An error, or Ctrl-C, ends the evaluation and is in the tree, at the call where it happened. A text that can't be
    read is a `ReadError`.
    """
    return _Collector(session, most_calls).tree(text)


class _Collector:
    def __init__(self, session: "Session", most_calls: int) -> None:
        self._session = session
        self._most_calls = most_calls
        self._open: CallNode | None = None
        self._known: dict[tuple[object, ...], CallNode] = {}
        self._procedures: dict[Procedure, Procedure] = {}
        self._count = 0
        self._wrapped: set[str] = set()
        self._exception: BaseException | None = None
        self._failed: CallNode | None = None

    def tree(self, text: str) -> CallTree:
        for _ in read(Source(text, "<prompt>")):
            pass  # an unfinished text is the caller's to complete, one inside a file that it loads is an error
        root = self._open = CallNode(" ".join(text.split()))
        error: SchemeError | None = None
        self._begin()
        try:
            root.value = _shown(self._session.eval(text, "<prompt>"))
        except SchemeError as problem:
            error = problem
        except KeyboardInterrupt:
            error = Interrupted("interrupted")
        finally:
            self._end()
        if error is not None:
            (self._failed or root).error = str(error)
        return CallTree(root, self._count, min(self._count, self._most_calls), error)

    def _begin(self) -> None:
        session = self._session
        session.tracer.collector = self._collector
        for key in list(session.globals):
            value = session.globals[key]
            if type(value) is FunctionType:
                procedure = untraced(value)
                if info_of(procedure.__code__) is not None and primitive_of(procedure) is None:
                    collector = self._collector(scheme_name(key), self._watching_inside(procedure))
                    self._procedures[collector] = value
                    self._wrapped |= session.main.wrap({scheme_name(key)})
                    session.globals[key] = collector

    def _watching_inside(self, procedure: Procedure) -> Procedure:
        """A copy of a procedure with collectors for the procedures defined inside it."""
        names = inner_procedures(procedure)
        if not names:
            return procedure
        definition = last_constant(procedure.__code__).unit.root.value
        watched: Procedure = self._session.main.run_core(with_inner(definition, "%collected", names))
        return watched

    def _end(self) -> None:
        """Put the procedures back; also those that the program has meanwhile given further names."""
        self._open = None
        self._session.tracer.collector = None
        bindings = self._session.globals
        for key, value in list(bindings.items()):
            if type(value) is FunctionType and value in self._procedures:
                bindings[key] = self._procedures[value]
        for name in self._wrapped:
            self._session.main.restore(name)

    def _collector(self, name: str, procedure: Procedure) -> Procedure:
        """A procedure that replaces one while the tree is made, and may still be called by the program afterwards."""
        tail = self._session.tracer.tail

        def collecting(*arguments: Value) -> Value:
            parent = self._open
            self._count += 1
            if parent is None or self._count > self._most_calls:
                return tail.call(procedure, arguments)
            call = self._open = CallNode(f"({' '.join([name, *map(_shown, arguments)])})")
            try:
                value = tail.call(procedure, arguments)
                call.value = _shown(value)
            except BaseException as exception:
                if exception is not self._exception and not isinstance(exception, SchemeExit):
                    self._exception = exception
                    self._failed = call
                raise
            finally:
                self._close(call, parent)
            return value

        collecting.__dict__["traced"] = procedure
        return transparent(collecting)  # type: ignore[return-value]

    def _close(self, call: CallNode, parent: CallNode) -> None:
        """Add a call that has ended to the one around it, or count it with an equal one before it."""
        if self._open is None:  # the evaluation is over: a generator's frame, say, is being thrown away
            return
        self._open = parent
        if call.value is not None:
            key = (call.text, call.value, *((id(inner), times) for inner, times in call.calls))
            call = self._known.setdefault(key, call)
        calls = parent.calls
        if calls and calls[-1][0] is call:
            calls[-1] = call, calls[-1][1] + 1
        else:
            calls.append((call, 1))


def _shown(value: Value) -> str:
    return abbreviated(write(beginning(value, LONGEST_TEXT)), LONGEST_TEXT)


def _lines(top: CallNode, width: int | None) -> Iterator[str]:
    """The lines of a tree, top first, broken where they are too long for a terminal."""
    seen: set[int] = set()
    waiting = [(top, 1, 0, "", "")]  # with the times, the depth, the margin, and the margin of the calls inside
    while waiting:
        call, times, depth, before, inside = waiting.pop()
        repeated = f"  × {times}" if times > 1 else ""
        is_shown_above = bool(call.calls) and id(call) in seen
        seen.add(id(call))
        above = "  (as above)" if is_shown_above else ""
        margin = inside + ("│      " if call.calls and not is_shown_above else "    ")
        margin = margin if width is None else margin[: width // 2]
        yield wrapped_line(f"{before}{call.text} → {call.outcome}{repeated}{above}", margin, width)
        if is_shown_above:
            continue
        around = inside if depth < DEEPEST_LINES else f"[{depth + 1}] "
        branch, below = "└─ ", "   "
        for inner, times in reversed(call.calls):
            waiting.append((inner, times, depth + 1, around + branch, around + below))
            branch, below = "├─ ", "│  "
