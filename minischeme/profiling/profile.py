"""`Profile`: how often the procedures and lines of a program run, and how long, while it runs as instrumented code."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter_ns
from types import FunctionType
from typing import Any, cast

from minischeme.compiler.assembly import Unit, info_of
from minischeme.data.source import Source, Span
from minischeme.data.values import UNSPECIFIED, Value
from minischeme.evaluation.namespaces import Namespace
from minischeme.expansion.core import Global, Lambda, Node, Standard
from minischeme.modules.files import library_file
from minischeme.primitives.registry import Primitive, primitive_of
from minischeme.profiling.instrumentation import Counters, Instrumenter
from minischeme.runtime.names import python_name, standard_value

Place = tuple[str, int]
"""A file, or what stands for it in messages, and a line of it."""

_LAMBDA = re.compile(r"[(\[]\s*(?:named-lambda|lambda|λ)\b", re.IGNORECASE)


class Profile:
    """Counts and times: of each procedure by its number, with 0 for what is outside all, and of each line.

    Times are in nanoseconds: `own` in the procedure itself, `whole` from a call to its end, where a call inside another
    one of the same procedure is a part of that. Without `timed`, none are taken.
    """

    def __init__(self, *, timed: bool) -> None:
        self.names = ["(outside procedures)"]
        self.places: list[Place | None] = [None]
        self.calls = [0]
        self.own = [0]
        self.whole = [0]
        self.lines: dict[Place, tuple[int, int]] = {}  # the number of each line, and the offset of what stands for it
        self.line_counts: list[int] = []
        self.sources: dict[str, Source] = {}
        self._open = [0]  # the procedures that are active, the innermost last
        self._begun = [0]  # the time at which each of them was called
        self._inside = [1]  # how often each procedure is active
        self._last = 0  # the time up to which all is counted
        self._numbers: dict[tuple[str, int, str], int] = {}
        self._originals: dict[Node, tuple[Node, dict[Lambda, Lambda]]] = {}
        reached, counted, *timers = map(_counter, self._counter_functions())
        used = timers if timed else [counted, None, None, None]
        self._counters = Counters(self._number, self._line, reached, *used)

    @contextmanager
    def recording(self, namespace: Namespace | None = None) -> Iterator[None]:
        """A scope in which what is read is recorded when it runs, and the procedures that a namespace has already."""
        namespaces = [] if namespace is None else [namespace]
        Namespace.instrument = lambda namespace, root: (self._instrumented(namespace, root) or (root,))[0]
        try:
            for each in namespaces:
                found = [(unit, self._instrumented(each, unit.root)) for unit in _units(each)]
                each.exchange([(unit, *made) for unit, made in found if made is not None])
            self._last = self._begun[0] = perf_counter_ns()
            yield
        finally:
            if self._counters.left is not None:
                self._close(0)
            Namespace.instrument = None
            for each in namespaces:
                found = [(unit, self._originals.get(unit.root)) for unit in _units(each)]
                each.exchange([(unit, *original) for unit, original in found if original is not None])

    def _instrumented(self, namespace: Namespace, root: Node) -> tuple[Node, dict[Lambda, Lambda]] | None:
        """A form with counters, and its new lambdas by the old ones; None for a form of the library."""

        def standard(operator: Node) -> Primitive | None:
            if isinstance(operator, Standard):
                return primitive_of(standard_value(namespace.library, operator.name))
            if isinstance(operator, Global) and python_name(operator.name) not in namespace.globals:
                return primitive_of(namespace.library.get(operator.name))
            return None

        if root.span is None or library_file(root.span.source.name) is not None:
            return None
        made = Instrumenter(root, self._counters, standard)
        self._originals[made.root] = root, {new: old for old, new in made.lambdas.items()}
        return made.root, made.lambdas

    # ── what instrumented code calls ─────────────────────────────────────────────────────────────────────────────

    def _counter_functions(self) -> Iterator[Callable[..., Value]]:
        """Those of `Counters` in its order, after that of calls without times."""
        calls, own, open_, begun, inside, close = (
            self.calls,
            self.own,
            self._open,
            self._begun,
            self._inside,
            self._close,
        )
        line_counts = self.line_counts

        def reached(line: int) -> Value:
            line_counts[line] += 1
            return UNSPECIFIED

        def counted(number: int) -> int:
            calls[number] += 1
            return 0

        def entered(number: int) -> int:
            calls[number] += 1
            return reentered(number)

        def reentered(number: int) -> int:
            now = perf_counter_ns()
            own[open_[-1]] += now - self._last
            self._last = now
            open_.append(number)
            begun.append(now)
            inside[number] += 1
            return len(open_) - 1

        def left(value: Value, depth: int) -> Value:
            close(depth)
            return value

        def returned(value: Value, depth: int) -> Value:
            close(depth + 1)
            return value

        yield from (reached, counted, entered, reentered, left, returned)

    def _close(self, depth: int) -> None:
        """End the calls from a depth on: those that were left by an escape, too."""
        now = perf_counter_ns()
        self.own[self._open[-1]] += now - self._last
        self._last = now
        while len(self._open) > max(depth, 1):
            self._end(self._open.pop(), now - self._begun.pop())
        if depth == 0:
            self.whole[0] += now - self._begun[0]

    def _end(self, number: int, time: int) -> None:
        self._inside[number] -= 1
        if not self._inside[number]:
            self.whole[number] += time

    def _number(self, procedure: Lambda) -> int | None:
        """The number of a procedure that the program has written; None for one made by an expansion."""
        span = procedure.span
        if span is None:
            return None
        names = [procedure.name, *(variable.name for variable in procedure.parameters)]
        is_written = all(name is not None and span.mentions(name) for name in names)
        if not is_written and _LAMBDA.match(span.text) is None:
            return None
        key = span.source.name, span.start, procedure.name or "lambda"
        number = self._numbers.setdefault(key, len(self.names))
        if number == len(self.names):
            self.names.append(key[-1])
            self.places.append(self._place(span))
            for counts in (self.calls, self.own, self.whole, self._inside):
                counts.append(0)
        return number

    def _line(self, span: Span) -> int:
        number, start = self.lines.setdefault(self._place(span), (len(self.line_counts), span.start))
        if number == len(self.line_counts) or start != span.start:  # another form on the line counts for nothing
            number = len(self.line_counts)
            self.line_counts.append(0)
        return number

    def _place(self, span: Span) -> Place:
        self.sources[span.source.name] = span.source
        return span.source.name, span.source.position(span.start)[0]


def _counter(procedure: Callable[..., Value]) -> Any:
    """A function that compiled code calls as it does a standard procedure, which calls no other."""

    function = cast(FunctionType, procedure)
    made = FunctionType(function.__code__, function.__globals__, function.__name__, None, function.__closure__)
    made.__dict__["primitive"] = Primitive(("%counter",), made, (), None, False, False)
    return made


def _units(namespace: Namespace) -> set[Unit]:
    """The units of all procedures that were defined in a namespace."""
    infos = [info_of(found.__code__) for found in gc.get_objects() if type(found) is FunctionType]
    units = {info.unit for info in infos if info is not None}
    return {unit for unit in units if unit.facts is namespace.facts and unit.resumes is None}
