"""`trace`: wrappers that print each call and its value (DIALECT.md section 2). Nothing else knows of them.

The forms `trace` and `untrace`, which bind a procedure's name to its wrapper, are in `expansion.forms.tracing`.
"""

from collections.abc import Callable, Container
from types import FunctionType
from typing import TYPE_CHECKING

from minischeme.compiler.assembly import info_of
from minischeme.data.errors import SchemeError
from minischeme.data.printer import write
from minischeme.data.values import Procedure, Value, intern, list_of, untraced
from minischeme.evaluation.procedures import inner_procedures
from minischeme.expansion import core
from minischeme.primitives.registry import primitive_of
from minischeme.runtime.names import python_name, scheme_name
from minischeme.runtime.resumption import extent, transparent
from minischeme.runtime.tail_calls import TailCall

if TYPE_CHECKING:
    from minischeme.session.session import Session

_FEWEST_DOTS = 5  # calls deeper than this are shown by a number if their dots would fill half of a terminal's width
_USUAL_WIDTH = 400  # where there is no terminal


class Tracer:
    """The printer of the calls of a session's traced procedures."""

    def __init__(self, session: "Session", tail: TailCall) -> None:
        self._session = session
        self._console = session.context.console
        self.tail = tail  # the register of pending tail calls
        self._inner: dict[str, tuple[Procedure, frozenset[str], Procedure]] = {}
        self.depth = 0  # the number of active traced calls, primitives not counted
        # While a tree of calls is made, gives what replaces a procedure inside another.
        self.collector: Callable[[str, Procedure], Procedure] | None = None

    # ── which procedures are traced ──────────────────────────────────────────────────────────────────────────────

    def names(self) -> list[Value]:
        """The names that are traced as ``trace`` takes them, procedures inside others as ``(inner outer)``."""
        bindings = self._session.globals.items()
        found = sorted(scheme_name(key) for key, value in bindings if untraced(value) is not value)
        inside = [(inner, outer) for outer in list(self._inner) for inner in sorted(self._traced_inside(outer))]
        return [*map(intern, found), *(list_of(map(intern, pair)) for pair in inside)]

    def untrace_all(self) -> None:
        for key, value in list(self._session.globals.items()):
            procedure = untraced(value)
            if procedure is not value:
                self._session.globals[key] = procedure
                self._session.main.restore(scheme_name(key))
        for outer in list(self._inner):
            self._set_inner(outer, frozenset())

    def trace_inner(self, inner: str, outer: str) -> None:
        """Trace a procedure that is defined inside another, from the next call of that one on."""
        names = self._traced_inside(outer)
        if inner in names:
            raise SchemeError(f"trace: procedure ``{inner}'' in {outer} is already traced")
        if outer in self._inside(inner):
            swapped = f"the inner procedure comes first: (trace ({outer} {inner}))"
            raise SchemeError(f"trace: {inner} is not defined inside {outer}", hint=swapped)
        bound = core.nodes(self._definition(outer))
        if not any(isinstance(node, core.Bind) and node.variable.name == inner for node in bound):
            inside = ", ".join(dict.fromkeys(self._inside(outer)))
            hint = f"the procedures inside {outer} are: {inside}" if inside else None
            raise SchemeError(f"trace: {outer} defines no procedure {inner}", hint=hint)
        self._set_inner(outer, names | {inner})

    def untrace_inner(self, inner: str, outer: str) -> None:
        """End what `trace_inner` began."""
        names = self._traced_inside(outer)
        if inner not in names:
            is_swapped = outer in self._traced_inside(inner)
            hint = f"the inner procedure comes first: (untrace ({outer} {inner}))" if is_swapped else None
            raise SchemeError(f"untrace: {inner} in {outer} is not traced", hint=hint)
        self._set_inner(outer, names - {inner})

    def _inside(self, outer: str) -> list[str]:
        return inner_procedures(self._session.globals.get(python_name(outer)))

    def _traced_inside(self, outer: str) -> frozenset[str]:
        """The names traced inside a procedure, unless it was redefined since."""
        _, names, instrumented = self._inner.get(outer, (None, frozenset(), None))
        if self._session.globals.get(python_name(outer)) is not instrumented:
            self._inner.pop(outer, None)
            return frozenset()
        return names

    def _definition(self, outer: str) -> core.Define:
        known = self._inner.get(outer)
        procedure = known[0] if known is not None else self._session.globals.get(python_name(outer))
        info = info_of(procedure.__code__) if type(procedure) is FunctionType else None
        if info is None or info.definition is None:
            raise SchemeError(f"trace: {outer} is not a procedure defined by (define ({outer} …) …) at top level")
        return info.definition

    def _set_inner(self, outer: str, names: frozenset[str]) -> None:
        """Define a procedure anew with these of its inner procedures wrapped, or as it was if there are none."""
        definition = self._definition(outer)
        key = python_name(outer)
        original = self._inner[outer][0] if outer in self._inner else self._session.globals[key]
        self._inner.pop(outer, None)
        if names:
            self._session.main.run_core(with_inner(definition, "%traced", names))
            self._inner[outer] = original, names, self._session.globals[key]
        else:
            self._session.define(outer, original)

    # ── wrappers ─────────────────────────────────────────────────────────────────────────────────────────────────

    def wrapper(self, name: str, procedure: Value) -> Procedure:
        """A procedure that does what `procedure` does and shows it."""
        if type(procedure) is not FunctionType:
            raise SchemeError(f"trace: cannot trace {write(procedure)}")
        if untraced(procedure) is not procedure:
            raise SchemeError(f"trace: procedure ``{name}'' is already traced")
        parameters, rest, is_counted = _parameters(procedure)
        tail = self.tail
        fewest = len(parameters)
        labels = [f"{shown} = ".replace("%", "%%") + "%s" for shown in (*parameters, rest) if shown is not None]
        line = f" -> {name}".replace("%", "%%") + (f" with {',  '.join(labels)}\n" if labels else "\n")

        def traced(*arguments: Value) -> Value:
            if len(arguments) != fewest and (rest is None or len(arguments) < fewest):
                return procedure(*arguments)  # fails as it would untraced
            depth = self.depth + is_counted
            shown = arguments if rest is None else (*arguments[:fewest], list_of(arguments[fewest:]))
            self._line(depth, line % tuple(map(write, shown)))
            # By way of the register: ``procedure(*arguments)`` would use the C stack on 3.11.
            tail.procedure = procedure
            tail.arguments = arguments
            return self._within(name, tail.run, depth)

        traced.__dict__["traced"] = procedure
        return transparent(traced)  # type: ignore[return-value]

    @extent
    def _within(self, name: str, thunk: Callable[[], Value], depth: int) -> Value:
        before = self.depth
        self.depth = depth
        try:
            value = thunk()
            self._line(depth, f" <- {name} returns {write(value)}\n")
            return value
        finally:
            self.depth = before

    def _line(self, depth: int, text: str) -> None:
        """Print a line that begins with two dots for each level of depth, or with the level's number."""
        output = self._console.output
        is_deep = depth > _FEWEST_DOTS and depth > (output.width or _USUAL_WIDTH) // 4
        dots = f"..[{depth}].." if is_deep else ".." * depth
        output.fresh_line()
        output.write(dots + text)


def with_inner(root: core.Node, converter: str, names: Container[str]) -> core.Node:
    """An expression in which a standard procedure is called with name and value where one of these names is bound."""

    def wrapped(node: core.Node) -> core.Node | None:
        if not isinstance(node, core.Bind) or node.variable.name not in names:
            return None
        name = core.Constant(node.span, intern(node.variable.name))
        value = core.rewritten(node.value, wrapped)
        call = core.Call(node.span, core.Standard(node.span, converter), (name, value))
        return core.Bind(node.span, node.variable, call)

    return core.rewritten(root, wrapped)


def _parameters(procedure: Procedure) -> tuple[tuple[str, ...], str | None, bool]:
    """The parameters to show by name, the rest parameter, and whether the depth of calls counts.

    A primitive's arguments have no names, but the course's own library was written in Scheme.
    """
    origin = info_of(procedure.__code__)
    if origin is not None:
        return origin.parameters, origin.rest, True
    known = primitive_of(procedure)
    if known is None or known.dialects != ("berkeley",):
        return (), "args", False
    if known.arity[1] is not None:
        return known.parameters, None, True
    return known.parameters[:-1], known.parameters[-1], True
