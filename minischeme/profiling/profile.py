"""`Profile`: how often the procedures and lines of a program run, and how long, while it runs as instrumented code."""

import gc
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter_ns
from types import CodeType, FunctionType
from typing import Any, cast

from minischeme.compiler.assembly import Unit, info_of
from minischeme.data.source import Source, Span
from minischeme.data.values import UNSPECIFIED, Value
from minischeme.evaluation.namespaces import Namespace
from minischeme.expansion.core import Call, Global, Lambda, Node, Standard
from minischeme.modules.files import library_file
from minischeme.primitives.registry import Primitive, primitive_of
from minischeme.profiling.instrumentation import Counters, Instrumenter
from minischeme.runtime.names import python_name, standard_value

_LAMBDA = re.compile(r"[(\[]\s*(?:named-lambda|lambda|λ)\b", re.IGNORECASE)


@dataclass(eq=False, slots=True)
class Count:
    """The count of a line's evaluations, or of a procedure's calls.

    Times are in nanoseconds: `own` in the procedure itself, `whole` from a call to its end, where a call inside another
    one of the same procedure is a part of that.
    """

    name: str
    file: str
    line: int
    times: int = 0
    own: int = 0
    whole: int = 0
    active: int = 0  # the calls that have not ended


class Profile:
    """Counts of procedures and lines by file, offset or line, and name; `outside` is all that is in no procedure."""

    def __init__(self, *, timed: bool) -> None:
        self.outside = Count("all else, with reading and compiling", "", 0)
        self.procedures: dict[tuple[str, int, str], Count] = {}
        self.lines: dict[tuple[str, int, str], Count] = {}
        self.sources: dict[str, Source] = {}
        self._first: dict[tuple[str, int], int] = {}  # the offset of what stands for each line
        self._open: list[tuple[Count, int]] = []  # the active calls, with the time of each
        self._current = self.outside
        self._replaced: int | None = None  # the depth of a call that ends when another procedure begins
        self._last = 0  # the time up to which all is counted
        self._originals: dict[Node, tuple[Node, dict[Lambda, Lambda]]] = {}
        counters = self._timers() if timed else (_counted,)
        self._counters = Counters(self._procedure, self._line, _counter(_reached), *map(_counter, counters))

    @contextmanager
    def recording(self, namespace: Namespace | None = None) -> Iterator[None]:
        """A scope in which what is read is recorded when it runs, and the procedures that a namespace has already."""
        Namespace.instrument = lambda namespace, root: (self._instrumented(namespace, root) or (root,))[0]
        recompile = Unit.recompile

        def recompile_outside(unit: Unit) -> dict[Lambda | None, CodeType]:
            count = self._current
            begun = self._switch(self.outside)
            try:
                return recompile(unit)
            finally:
                passed = self._switch(count) - begun
                self._open = [(active, since + passed) for active, since in self._open]

        Unit.recompile = recompile_outside  # type: ignore[method-assign, assignment]
        try:
            if namespace is not None:
                _exchange(namespace, lambda root: self._instrumented(namespace, root))
            self._last = perf_counter_ns()
            yield
        finally:
            self._close(0)
            Namespace.instrument = None
            Unit.recompile = recompile  # type: ignore[method-assign]
            if namespace is not None:
                _exchange(namespace, self._originals.get)

    def _instrumented(self, namespace: Namespace, root: Node) -> tuple[Node, dict[Lambda, Lambda]] | None:
        """A form with counters, and its new lambdas by the old ones; None for a form of the library."""

        def standard(node: Node) -> Primitive | None:
            operator = node.operator if isinstance(node, Call) else None
            if isinstance(operator, Standard):
                return primitive_of(standard_value(namespace.library, operator.name))
            if isinstance(operator, Global) and python_name(operator.name) not in namespace.globals:
                return primitive_of(namespace.library.get(operator.name))
            return None

        if root.span is None or library_file(root.span.source.name) is not None:
            return None
        made = Instrumenter(root, self._counters, self.outside, standard)
        self._originals[made.root] = root, {new: old for old, new in made.lambdas.items()}
        return made.root, made.lambdas

    def _timers(self) -> Iterator[Callable[..., Value]]:
        """The counters from `entered` on, with times."""
        switch, close = self._switch, self._close

        def entered(count: Count) -> int:
            count.times += 1
            return reentered(count)

        def reentered(count: Count) -> int:
            now = switch(count)
            if self._replaced is not None:
                self._end(self._replaced, now)
            self._open.append((count, now))
            count.active += 1
            return len(self._open) - 1

        def left(value: Value, depth: int) -> Value:
            close(depth)
            return value

        def replaced(value: Value, depth: int) -> Value:
            self._replaced = depth
            return value

        def returned(value: Value, depth: int) -> Value:
            close(depth + 1)
            return value

        yield from (entered, reentered, left, replaced, returned)

    def _switch(self, count: Count) -> int:
        """Have the time that passes from now on count for a procedure; returns the time."""
        now = perf_counter_ns()
        self._current.own += now - self._last
        self._last, self._current = now, count
        return now

    def _close(self, depth: int) -> None:
        """End the calls from a depth on, and have the time count for the one before it."""
        self._end(depth, self._switch(self._open[depth - 1][0] if 0 < depth <= len(self._open) else self.outside))

    def _end(self, depth: int, now: int) -> None:
        """End the calls from a depth on, also those that an escape has left."""
        self._replaced = None
        while len(self._open) > depth:
            count, begun = self._open.pop()
            count.active -= 1
            count.whole += 0 if count.active else now - begun

    def _procedure(self, procedure: Lambda) -> Count | None:
        """The count of a procedure that the program has written; None for one made by an expansion."""
        span = procedure.span
        names = [procedure.name, *(variable.name for variable in procedure.parameters)]
        if span is None or not (
            all(name is not None and span.mentions(name) for name in names) or _LAMBDA.match(span.text)
        ):
            return None
        return self._count(self.procedures, span, span.start, procedure.name or "lambda")

    def _line(self, span: Span) -> Count:
        line = span.source.position(span.start)[0]
        is_first = self._first.setdefault((span.source.name, line), span.start) == span.start
        return self._count(self.lines if is_first else {}, span, line, "")

    def _count(self, table: dict[tuple[str, int, str], Count], span: Span, key: int, name: str) -> Count:
        file = span.source.name
        self.sources[file] = span.source
        return table.setdefault((file, key, name), Count(name, file, span.source.position(span.start)[0]))


def _counted(count: Count) -> int:
    count.times += 1
    return 0


def _reached(count: Count) -> Value:
    count.times += 1
    return UNSPECIFIED


def _counter(procedure: Callable[..., Value]) -> Any:
    """A function that the compiler takes for a standard procedure that calls no other."""
    function = cast(FunctionType, procedure)
    made = FunctionType(function.__code__, function.__globals__, function.__name__, None, function.__closure__)
    made.__dict__["primitive"] = Primitive(("%counter",), made, (), None, False, False)
    return made


def _exchange(namespace: Namespace, root_for: Callable[[Node], tuple[Node, dict[Lambda, Lambda]] | None]) -> None:
    """Have the procedures that were defined in a namespace run code that is compiled from other roots."""
    infos = [info_of(found.__code__) for found in gc.get_objects() if type(found) is FunctionType]
    units: set[Unit] = {info.unit for info in infos if info is not None and info.unit.resumes is None}
    found = [(unit, root_for(unit.root)) for unit in units if unit.facts is namespace.facts]
    namespace.exchange([(unit, *other) for unit, other in found if other is not None])
