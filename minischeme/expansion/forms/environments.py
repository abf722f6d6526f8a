"""the-environment, also inside a procedure: `eval` sees, sets and defines the variables of the procedure's own call.

A body that asks for its environment keeps it in a hidden variable, and looks its globals up there first, since `eval`
may have defined them. Other code pays nothing. What programs do with environments is in `primitives.environments`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from minischeme.data.errors import SchemeError
from minischeme.data.printer import write
from minischeme.data.source import Source, Span
from minischeme.data.values import (
    NIL,
    UNSPECIFIED,
    Boolean,
    Environment,
    Pair,
    Procedure,
    Symbol,
    Value,
    boolean,
    intern,
    list_of,
)
from minischeme.expansion import core
from minischeme.expansion.expander import Expander, Scope, cells, special_form
from minischeme.reading.reader import Form, Spans

if TYPE_CHECKING:
    from minischeme.evaluation.namespaces import Namespace


class Frame:
    """The variables of one run of a body; as an environment's `namespace`, what evaluates there.

    Args: accessors: for each variable of the text, a procedure that gives its value and one that sets it. outer: the
    frame around it, None if there is none. namespace: whose globals the text means.

    `defined` are the variables that evaluated definitions have added.
    """

    def __init__(
        self, accessors: dict[Symbol, tuple[Procedure, Procedure]], outer: Frame | None, namespace: Namespace
    ) -> None:
        self.environment = Environment(self)
        self.accessors = accessors
        self.defined: dict[Symbol, Value] = {}
        self.outer = outer
        self._namespace = namespace

    def run_datum(self, datum: Value, *, leaves_pending: bool = False) -> Value:
        """The value of an expression that is given as data. Args: leaves_pending: as for `Namespace.run_datum`."""
        here = core.Constant(None, self.environment)
        root = self._namespace.expander.toplevel(_form_of(datum), here, self._names())
        return self._namespace.run_core(_through(here, root), leaves_pending=leaves_pending)

    def has_own(self, name: str) -> bool:
        """Whether the name is bound here, in a frame around this one, or by the program."""
        return self.holder(intern(name)) is not None or self._namespace.has_own(name)

    def holder(self, symbol: Symbol) -> Frame | None:
        """The innermost frame, this one or one around it, that has a variable of that name."""
        frame: Frame | None = self
        while frame is not None and symbol not in frame.defined and symbol not in frame.accessors:
            frame = frame.outer
        return frame

    def _names(self) -> set[str]:
        frame: Frame | None = self
        names: set[str] = set()
        while frame is not None:
            names |= {symbol.name for symbol in (*frame.accessors, *frame.defined)}
            frame = frame.outer
        return names


def _form_of(datum: Value) -> Form:
    """A datum as a form; its text, for errors, is what it prints as."""
    source = Source(write(datum), "<eval>")
    return Form(datum, Span(source, 0, len(source.text)), Spans(source))


# ── what text with an environment of its own calls ───────────────────────────────────────────────────────────────────


def holds(environment: Environment, symbol: Symbol) -> Boolean:
    """Whether a frame, or one of the frames around it, has a variable of that name."""
    return boolean(environment.namespace.holder(symbol) is not None)


def look_up(environment: Environment, symbol: Symbol) -> Value:
    """The value of a variable of a frame or of the frames around it.

    Raises: SchemeError if it has none yet.
    """
    frame = environment.namespace.holder(symbol)
    if symbol in frame.defined:
        return frame.defined[symbol]
    try:
        return frame.accessors[symbol][0]()
    except NameError:
        hint = "it is used before its definition was evaluated"
        raise SchemeError(f"unassigned variable: {symbol.name}", hint=hint) from None


def assign(environment: Environment, symbol: Symbol, value: Value) -> Value:
    """Set a variable of a frame or of the frames around it."""
    frame = environment.namespace.holder(symbol)
    if symbol in frame.accessors:
        return frame.accessors[symbol][1](value)
    frame.defined[symbol] = value
    return UNSPECIFIED


def define(environment: Environment, symbol: Symbol, value: Value) -> Value:
    """Define a variable of a frame; those of its text are set."""
    frame = environment.namespace
    if symbol in frame.accessors:
        frame.accessors[symbol][1](value)
    else:
        frame.defined[symbol] = value
    return symbol


def _through(environment: core.Node, root: core.Node) -> core.Node:
    """A core expression with its global variables looked up in an environment first."""

    def change(node: core.Node) -> core.Node | None:
        if isinstance(node, core.If) and _calls(holds, node.test):
            return node  # from a body inside: its environment knows of this one
        if isinstance(node, core.Global | core.SetGlobal | core.Define):
            place = environment, core.Constant(node.span, intern(node.name))
            test = _call(holds, node.span, *place)
        if isinstance(node, core.Global):
            return core.If(node.span, test, _call(look_up, node.span, *place), node)
        if isinstance(node, core.SetGlobal):
            new = core.Variable("value")
            value = core.Local(node.span, new)
            setting = core.If(
                node.span, test, _call(assign, node.span, *place, value), core.SetGlobal(node.span, node.name, value)
            )
            return core.sequence(node.span, [core.Bind(node.span, new, _through(environment, node.value)), setting])
        if isinstance(node, core.Define):
            return _call(define, node.span, *place, _through(environment, node.value))
        return None

    return core.rewritten(root, change)


def _calls(procedure: Callable[..., Value], node: core.Node) -> bool:
    return isinstance(node, core.Call) and type(node.operator) is core.Constant and node.operator.value is procedure


def _call(procedure: Callable[..., Value], span: Span | None, *operands: core.Node) -> core.Call:
    return core.Call(span, core.Constant(span, procedure), operands)


# ── the forms ────────────────────────────────────────────────────────────────────────────────────────────────────────


@special_form("the-environment", "(the-environment)", example="(let ((x 5)) (eval '(* x x) (the-environment))) → 25")
def expand_the_environment(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """The environment in which the expression stands, for eval."""
    if form.cdr is not NIL:
        expander.bad(form, span)
    return _environment_of(expander, scope, span)


@special_form(
    "make-environment", "(make-environment expression …)", example="(eval 'x (make-environment (define x 3))) → 3"
)
def expand_make_environment(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """A new environment inside the present one, in which the expressions, mostly definitions, were evaluated."""
    last = Pair(expander.standard("the-environment"), NIL)
    return expander.body(list_of([*(cell.car for cell in cells(form.cdr)), last]), scope, span)


@special_form("with-module", "(with-module name expression …)")
def expand_with_module(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """The value of the last expression, as in begin: STk's modules have no names of their own here."""
    if type(form.cdr) is not Pair or form.cdr.cdr is NIL:
        expander.bad(form, span)
    return expander.sequence(form.cdr.cdr, scope, span)


def _environment_of(expander: Expander, scope: Scope, span: Span) -> core.Node:
    """What gives the environment of a scope. A body is told to keep its own, when all of it is expanded."""
    if scope.environment is not None:
        return scope.environment
    if scope.parent is None:
        return core.Call(span, core.Standard(span, "interaction-environment"), ())
    if not scope.is_body:
        return _new_frame(expander, scope, span)
    kept = core.Variable("environment")
    environment = scope.environment = core.Local(span, kept)

    def finished(body: core.Node) -> core.Node:
        frame = core.Bind(span, kept, _new_frame(expander, scope, span))
        return core.sequence(span, [frame, _through(environment, body)])

    scope.finish = finished
    _environment_of(expander, _outer(scope), span)  # keeps its own, too
    return environment


def _outer(scope: Scope) -> Scope:
    """The scope whose environment is around that of a scope: the next body's, or the outermost."""
    outer = scope.parent
    while outer is not None and outer.parent is not None and not outer.is_body:
        outer = outer.parent
    assert outer is not None
    return outer


def _new_frame(expander: Expander, scope: Scope, span: Span) -> core.Node:
    """What makes the environment of the variables from a scope up to the next body around it."""
    namespace = cast("Namespace", expander.global_scope)
    outer = _outer(scope)
    variables: dict[Symbol, core.Variable] = {}
    while scope is not outer:
        for symbol, variable in scope.variables.items():
            if isinstance(variable, core.Variable):
                variables.setdefault(symbol, variable)
        assert scope.parent is not None
        scope = scope.parent

    def make(around: Environment, *accessors: Procedure) -> Environment:
        pairs = zip(accessors[::2], accessors[1::2], strict=True)
        frame = around.namespace if isinstance(around.namespace, Frame) else None
        return Frame(dict(zip(variables, pairs, strict=True)), frame, namespace).environment

    accessors: list[core.Node] = []
    for variable in variables.values():
        new = core.Variable("value")
        variable.assigned = True
        accessors.append(core.Lambda(span, None, (), None, core.Local(span, variable)))
        accessors.append(core.Lambda(span, None, (new,), None, core.SetLocal(span, variable, core.Local(span, new))))
    return _call(make, span, _environment_of(expander, outer, span), *accessors)
