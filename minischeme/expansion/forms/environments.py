"""the-environment, also inside a procedure: `eval` sees, sets and defines the variables of the procedure's own call.

A body that asks for its environment keeps it in a hidden variable, and looks up its globals there first, since `eval`
may have defined them. Other code is not affected. The procedures on environments are in `primitives.environments`.
"""

from collections.abc import Callable, Iterator

import msgspec

from minischeme.data.errors import SchemeError
from minischeme.data.values import UNSPECIFIED, Environment, Procedure, Symbol, Value, boolean, intern, list_of
from minischeme.expansion import core
from minischeme.expansion.core import Node, Variable
from minischeme.expansion.expander import form_of
from minischeme.expansion.scopes import Scope, standard
from minischeme.expansion.special_form import Use, special_form


class Frame(msgspec.Struct, eq=False):
    """The variables of one run of a body; the `namespace` of its environment, which evaluates in it."""

    accessors: dict[Symbol, tuple[Procedure, Procedure]]  # which give and set the variables of the text
    outer: "Frame | None"
    use: Use  # the form that has asked for the environment
    defined: dict[Symbol, Value] = {}  # the variables that evaluated definitions have added
    environment: Environment = msgspec.field(default_factory=Environment)

    def __post_init__(self) -> None:
        self.environment.namespace = self

    def run_datum(self, datum: Value, *, leaves_pending: bool = False) -> Value:
        """The value of an expression given as data, optionally with a call in tail position left pending."""
        here = core.Constant(None, self.environment)
        names = {symbol.name for frame in self._around() for symbol in (*frame.accessors, *frame.defined)}
        root = self.use.expander.toplevel(form_of(datum), here, names)
        return self.use.expander.global_scope.run_core(_rewrite_globals(here, root), leaves_pending=leaves_pending)

    def has_own(self, name: str) -> bool:
        """Whether the name is bound here, in a frame around this one, or by the program."""
        return self.binding_frame(intern(name)) is not None or self.use.expander.global_scope.has_own(name)

    def binding_frame(self, symbol: Symbol) -> "Frame | None":
        """The innermost frame, this one or one around it, that has a variable of that name."""
        frames = self._around()
        return next((frame for frame in frames if symbol in frame.defined or symbol in frame.accessors), None)

    def _around(self) -> "Iterator[Frame]":
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.outer


# ── procedures called by text with its own environment ───────────────────────────────────────────────────────────────


def binds(environment: Environment, symbol: Symbol) -> Value:
    """Whether a frame, or one of those around it, has a variable of that name."""
    return boolean(environment.namespace.binding_frame(symbol) is not None)


def look_up(environment: Environment, symbol: Symbol) -> Value:
    """The value of a variable of a frame or of those around it; a SchemeError if it has none yet."""
    frame = environment.namespace.binding_frame(symbol)
    if symbol in frame.defined:
        return frame.defined[symbol]
    try:
        return frame.accessors[symbol][0]()
    except NameError:
        hint = "it is used before its definition was evaluated"
        raise SchemeError(f"unassigned variable: {symbol.name}", hint=hint) from None


def assign(environment: Environment, symbol: Symbol, value: Value) -> Value:
    """Set a variable of a frame or of those around it."""
    define(environment.namespace.binding_frame(symbol).environment, symbol, value)
    return UNSPECIFIED


def define(environment: Environment, symbol: Symbol, value: Value) -> Value:
    """Define a variable of a frame; a variable of its text is set."""
    frame = environment.namespace
    if symbol in frame.accessors:
        frame.accessors[symbol][1](value)
    else:
        frame.defined[symbol] = value
    return symbol


def _rewrite_globals(environment: Node, root: Node) -> Node:
    """A core expression with its global variables looked up in an environment first."""

    def change(node: Node) -> Node | None:
        if isinstance(node, core.If) and isinstance(node.test, core.Call):
            operator = node.test.operator
            if type(operator) is core.Constant and operator.value is binds:
                return node  # from an inner body, whose environment extends this one
        if not isinstance(node, core.Global | core.SetGlobal | core.Define):
            return None
        span, name = node.span, core.Constant(node.span, intern(node.name))

        def call(procedure: Callable[..., Value], *operands: Node) -> core.Call:
            return core.Call(span, core.Constant(span, procedure), (environment, name, *operands))

        if isinstance(node, core.Global):
            return core.If(span, call(binds), call(look_up), node)
        value = _rewrite_globals(environment, node.value)
        if isinstance(node, core.Define):
            return call(define, value)
        new = Variable("value")
        other = core.SetGlobal(span, node.name, core.Local(span, new))
        setting = core.If(span, call(binds), call(assign, core.Local(span, new)), other)
        return core.sequence(span, [core.Bind(span, new, value), setting])

    return core.rewritten(root, change)


# ── the forms ────────────────────────────────────────────────────────────────────────────────────────────────────────


@special_form("the-environment", "(the-environment)", example="(let ((x 5)) (eval '(* x x) (the-environment))) → 25")
def expand_the_environment(use: Use) -> Node:
    """The environment in which the expression stands, for eval."""
    return _environment_of(use, use.scope)


@special_form(
    "make-environment", "(make-environment expression …)", example="(eval 'x (make-environment (define x 3))) → 3"
)
def expand_make_environment(use: Use) -> Node:
    """A new environment inside the present one, in which the expressions, mostly definitions, were evaluated."""
    return use.body(list_of([*use.operands, list_of([standard("the-environment")])]))


@special_form("with-module", "(with-module name expression …)")
def expand_with_module(use: Use) -> Node:
    """The value of the last expression, as in begin: STk's modules have no names of their own here."""
    if len(use.cells) < 2:
        use.bad()
    return use.sequence(use.cells[1])


def _environment_of(use: Use, scope: Scope) -> Node:
    """A node that gives the environment of a scope; for a body, code to keep it is added when the expansion ends."""
    if scope.environment is not None:
        return scope.environment
    if scope.parent is None:
        return use.call("interaction-environment")
    if not scope.is_body:
        return _new_frame(use, scope)
    kept = Variable("environment")
    environment = scope.environment = use.local(kept)

    def finish(body: Node) -> Node:
        frame = core.Bind(use.span, kept, _new_frame(use, scope))
        return core.sequence(use.span, [frame, _rewrite_globals(environment, body)])

    scope.finish = finish
    _environment_of(use, _outer(scope))  # keeps its own, too
    return environment


def _outer(scope: Scope) -> Scope:
    """The scope of the environment around that of a scope: the next body's, or the outermost."""
    assert scope.parent is not None
    return scope.parent if scope.parent.is_body or scope.parent.parent is None else _outer(scope.parent)


def _new_frame(use: Use, scope: Scope) -> Node:
    """A node that makes the environment of the variables from a scope up to the next body around it."""
    outer = _outer(scope)
    variables: dict[Symbol, Variable] = {}
    while scope is not outer:
        for symbol, variable in scope.variables.items():
            if isinstance(variable, Variable):
                variables.setdefault(symbol, variable)
        assert scope.parent is not None
        scope = scope.parent

    def make(around: Environment, *accessors: Procedure) -> Environment:
        pairs = zip(accessors[::2], accessors[1::2], strict=True)
        frame = around.namespace if isinstance(around.namespace, Frame) else None
        return Frame(dict(zip(variables, pairs, strict=True)), frame, use).environment

    accessors: list[Node] = []
    for variable in variables.values():
        new = Variable("value")
        variable.assigned = True
        setter = core.Lambda(use.span, None, (new,), None, core.SetLocal(use.span, variable, use.local(new)))
        accessors += [use.thunk(use.local(variable)), setter]
    return use.call(make, _environment_of(use, outer), *accessors)
