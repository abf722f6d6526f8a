"""The expander: data to core. Scopes, calls and bodies, and the lookup of special forms and macros.

Each special form is a function of its own in `forms`, marked by `@special_form`; macros are in `syntax_rules`.
"""

from collections.abc import Callable, Container, Iterable, Mapping
from typing import TypeAlias

import msgspec

from minischeme.data.errors import SchemeError, ScmSyntaxError
from minischeme.data.printer import write
from minischeme.data.source import Source, Span
from minischeme.data.values import NIL, Pair, Symbol, Value
from minischeme.expansion import core
from minischeme.expansion.core import Node, Variable
from minischeme.expansion.lists import cells, is_proper, proper_cells
from minischeme.expansion.scopes import GlobalScope, Macro, Scope, SpecialForm, plain
from minischeme.reading.forms import Form, Spans

DEEPEST_NESTING = 5_000
"""The greatest nesting of expressions; more is a mistake, and too much for CPython's compiler."""


BodyPart: TypeAlias = tuple[Value, Span, SpecialForm | None]
"""A form in a body, with its special form if it is a definition."""


class _Toplevel(msgspec.Struct, eq=False):
    """The state of the expansion of one top-level form."""

    spans: Spans | None = None  # of its parts; None for data
    defined: set[str] = set()  # the globals that it defines, as far as it is expanded
    asked: set[str] = set()  # the global names that could be syntax
    malformed: list[ScmSyntaxError] = []  # the errors of malformed forms in it
    depth: int = 0  # the number of expressions around the present one
    procedures: int = 0  # the number of procedures around it


class Expander(msgspec.Struct, eq=False):
    """The translator of top-level forms to core nodes."""

    forms: Mapping[str, SpecialForm]
    user_globals: Container[str]  # those that the program itself has defined: they hide special forms of the same name
    global_scope: GlobalScope  # whose globals the text means
    hidden_forms: Container[str]  # the names of the special forms that programs must import
    macros: dict[str, Macro | SpecialForm] = {}  # those of the program, and the special forms that it has imported
    new_macros: set[str] = set()  # the names of those that `define_macro` has added
    # If set, called with each malformed form in a procedure's body, which then is an error only when it is evaluated.
    on_malformed: Callable[[ScmSyntaxError], None] | None = None
    explain: Callable[[Exception], SchemeError] | None = None  # turns an exception into a Scheme error
    state: _Toplevel = msgspec.field(default_factory=_Toplevel)

    def toplevel(
        self, form: Form, environment: Node | None = None, names: Iterable[str] = (), asked: set[str] | None = None
    ) -> Node:
        """The core of a form that was read at top level; a ScmSyntaxError where it is malformed.

        Args:
            environment: gives the environment that it is evaluated in, if that is not the program's own.
            names: the variables there; they hide special forms.
            asked: receives the global names that could be syntax.
        """
        outer = self.state  # a macro may evaluate another form
        self.state = state = _Toplevel(form.spans, set(names), set() if asked is None else asked)
        try:
            root = self.expand(form.datum, Scope(global_scope=self.global_scope, environment=environment), form.span)
        finally:
            self.state = outer
        for error in sorted(state.malformed, key=lambda error: error.span.start if error.span is not None else 0):
            assert self.on_malformed is not None
            self.on_malformed(error)
        return root

    # ── expressions ──────────────────────────────────────────────────────────────────────────────────────────────

    def expand(self, datum: Value, scope: Scope, span: Span) -> Node:
        """The core of one expression: a variable, a special form, a call, or a constant."""
        if type(datum) is Symbol:
            try:
                return self.reference(datum, scope, span)
            except ScmSyntaxError as error:
                return self._malformed_node(error, datum, span)
        if type(datum) is not Pair:
            return core.Constant(span, datum)
        state = self.state
        if state.depth > DEEPEST_NESTING:
            raise SchemeError("expressions are nested too deeply", span=span)
        state.depth += 1
        try:
            form = self.syntax_of(datum.car, scope)
            if form is None:
                return self.call(datum, scope, span)
            expanded = form.expand(self, datum, scope, span)
            return expanded if isinstance(expanded, Node) else self.expand(expanded, scope, span)
        except ScmSyntaxError as error:
            error.span = error.span or span
            return self._malformed_node(error, datum, span)
        finally:
            state.depth -= 1

    def _malformed_node(self, error: ScmSyntaxError, datum: Value, span: Span) -> Node:
        """A node that raises the error of a malformed form when it is evaluated; raises the error now if it is not
        postponed."""
        if not self.postpones_errors:
            raise error
        known = self.state.malformed
        if not known or known[-1] is not error:
            known.append(error.with_traceback(None))
        details = core.Constant(span, error), core.Constant(span, plain(datum))
        return core.Call(span, core.Constant(span, malformed), details)

    @property
    def postpones_errors(self) -> bool:
        """Whether a malformed form is an error only when it is evaluated."""
        return self.on_malformed is not None and self.state.procedures > 0

    def reference(self, symbol: Symbol, scope: Scope, span: Span) -> Node:
        """The value of a variable. A keyword such as ``:key`` stands for itself."""
        found = self.resolve(symbol, scope)
        if type(found) is Variable:
            return core.Local(span, found)
        if type(symbol.meaning) is str:
            return core.Standard(span, symbol.meaning)
        if symbol.name.startswith(":") and not self.is_user_global(symbol.name):
            return core.Constant(span, symbol)
        syntax = self._syntax_named(found)
        if syntax is not None and not (isinstance(syntax, SpecialForm) and syntax.is_weak):
            kind = "special form" if symbol.name in self.forms and symbol.name not in self.macros else "macro"
            hint = f"a {kind} is not a value: it can't be passed, returned or printed"
            raise ScmSyntaxError(f"{symbol.name}: bad syntax: {symbol.name}", span=span, hint=hint)
        assert type(found) is Symbol  # a macro is syntax
        return core.Global(span, found.name)

    def resolve(self, symbol: Symbol, scope: Scope) -> Variable | Macro | Symbol:
        """The meaning of an identifier: a local variable or macro, or else the symbol that names it globally."""
        owner: GlobalScope | None = self.global_scope
        while True:
            around: Scope | None = scope if symbol in scope.bound else None
            while around is not None:
                found = around.variables.get(symbol)
                if found is not None:
                    return found
                around = around.parent
            if type(symbol.meaning) is not tuple:
                is_foreign = owner is not None and owner is not self.global_scope
                return self.global_scope.alias_for_foreign_macro(owner, symbol) if is_foreign else symbol
            symbol, scope = symbol.meaning
            owner = scope.global_scope

    def syntax_of(self, head: Value, scope: Scope) -> SpecialForm | Macro | None:
        """The macro or special form that `head` names here, unless the program has defined a variable of the name."""
        return self._syntax_named(self.resolve(head, scope)) if type(head) is Symbol else None

    def _syntax_named(self, found: Variable | Macro | Symbol) -> SpecialForm | Macro | None:
        if type(found) is not Symbol:
            return found if isinstance(found, Macro) else None
        if type(found.meaning) is str:
            return self.forms.get(found.meaning)
        self.state.asked.add(found.name)
        macro = self.macros.get(found.name)
        if macro is not None:
            return macro
        form = self.forms.get(found.name)
        return None if form is None or found.name in self.hidden_forms or self.is_user_global(found.name) else form

    def is_visible_form(self, name: str) -> bool:
        return name in self.forms and name not in self.hidden_forms

    def is_form(self, datum: Value, name: str, scope: Scope) -> bool:
        """Whether a datum is a use of the special form with that name."""
        form = self.syntax_of(datum.car, scope) if type(datum) is Pair else None
        return isinstance(form, SpecialForm) and form.name == name

    def is_user_global(self, name: str) -> bool:
        self.state.asked.add(name)
        return name in self.user_globals or name in self.state.defined

    def define_macro(self, name: str, macro: Macro) -> None:
        """Make the global name that of a macro from here on."""
        if name not in self.macros:
            self.new_macros.add(name)
        self.macros[name] = macro

    def assignment(self, symbol: Symbol, value: Node, scope: Scope, span: Span) -> Node:
        """An assignment of a local variable or a global."""
        found = self.resolve(symbol, scope)
        if self._syntax_named(found) is not None:
            raise ScmSyntaxError("set!: not a variable:", symbol, span=span)
        if isinstance(found, Variable):
            found.assigned = True
            return core.SetLocal(span, found, value)
        assert type(found) is Symbol  # a macro is syntax
        assignment = core.SetGlobal(span, found.name, value)
        following = self.global_scope.notification_after_set(found.name, span)
        return assignment if following is None else core.Sequence(span, (assignment, following))

    def call(self, form: Pair, scope: Scope, span: Span) -> Node:
        """A procedure call. An immediately called lambda is its body with the variables bound."""
        parts = proper_cells(form)
        if parts is None:
            raise ScmSyntaxError("eval: malformed list:", form, span=span)
        operator, *operands = [self.at(cell, scope, span) for cell in parts]
        if type(operator) is core.Lambda and operator.rest is None and len(operator.parameters) == len(operands):
            pairs = zip(operator.parameters, operands, strict=True)
            binds = [core.Bind(operand.span, variable, operand) for variable, operand in pairs]
            return core.sequence(span, [*binds, operator.body])
        return core.Call(span, operator, tuple(operands))

    # ── parts of forms ───────────────────────────────────────────────────────────────────────────────────────────

    def at(self, cell: Pair, scope: Scope, span: Span) -> Node:
        """The core of the element in a pair's car; `span` is that of the form around it."""
        return self.expand(cell.car, scope, self.span_at(cell, span))

    def span_at(self, cell: Pair, default: Span) -> Span:
        """The span of the element in a pair's car; `default` for an element that is not in any text."""
        spans = self.state.spans
        if spans is None:
            return default
        # A list that a macro took from its use keeps its span, though it is part of a list that the template made.
        return spans.of_car(cell) or spans.of(cell.car) or default

    def body(self, start: Value, scope: Scope, span: Span) -> Node:
        """The body of a lambda or of a binding form, internal definitions (letrec*) included, in a scope of its own."""
        known = len(self.state.malformed)
        nested: tuple[Symbol, ...] = ()
        while True:
            inner = Scope(scope, is_body=True)
            nodes: list[Node] = []
            for symbol in nested:
                variable = inner.declare(symbol)
                variable.assigned = True
                nodes.append(core.Bind(span, variable, core.Constant(span, core.UNASSIGNED)))
            for part in self._body_parts(start, inner, span):
                nodes.append(part if isinstance(part, Node) else self._body_node(part, inner))
            if not inner.nested:
                body = core.sequence(span, nodes)
                return body if inner.finish is None else inner.finish(body)
            nested += inner.nested  # known only now, and expressions before them may refer to them
            del self.state.malformed[known:]

    def _body_node(self, part: BodyPart, scope: Scope) -> Node:
        """The core of a part of a body. A malformed definition still binds its name, for the code that uses it."""
        datum, span, definition = part
        if definition is None:
            return self.expand(datum, scope, span)
        scope.definition = datum
        try:
            node: Node = definition.expand(self, datum, scope, span)
            return node
        except ScmSyntaxError as error:
            assert definition.defines is not None
            variables = [scope.variables.get(symbol) for symbol in definition.defines(datum) if type(symbol) is Symbol]
            nodes: list[Node] = []
            for variable in variables or [None]:
                node = self._malformed_node(error, datum, span)
                nodes.append(core.Bind(span, variable, node) if isinstance(variable, Variable) else node)
            return core.sequence(span, nodes)

    def _body_parts(self, start: Value, scope: Scope, span: Span) -> list[BodyPart | Node]:
        """The parts of a body: macro uses expanded as far as they may hide a definition, each ``begin`` replaced by its
        contents, and the defined names declared in the scope; nodes for malformed parts."""
        found: list[BodyPart | Node] = []
        for cell in cells(start):
            inner = self.span_at(cell, span)
            try:
                found += self._parts_of(cell.car, scope, inner)
            except ScmSyntaxError as error:
                found.append(self._malformed_node(error, cell.car, inner))
        return found

    def _parts_of(self, datum: Value, scope: Scope, span: Span) -> list[BodyPart | Node]:
        """The parts that a part of a body expands to."""
        form = self.syntax_of(datum.car, scope) if type(datum) is Pair else None
        while form is not None and form.is_derived:
            datum = form.expand(self, datum, scope, span)
            form = self.syntax_of(datum.car, scope) if type(datum) is Pair else None
        if not isinstance(form, SpecialForm):
            return [(datum, span, None)]
        if form.name in ("define-syntax", "define-macro"):
            form.expand(self, datum, scope, span)  # in effect for the rest of the body, and no part of it
            return []
        if form.name == "begin" and datum.cdr is not NIL and is_proper(datum):
            return self._body_parts(datum.cdr, scope, span)
        if form.defines is None or not is_proper(datum):
            return [(datum, span, None)]
        for symbol in form.defines(datum):
            if type(symbol) is Symbol:
                scope.declare(symbol).is_recursive = True
        return [(datum, span, form)]


def form_of(datum: Value) -> Form:
    """A datum as a form; its printed text is shown in errors."""
    source = Source(write(datum), "<eval>")
    return Form(datum, Span(source, 0, len(source.text)), Spans(source))


def malformed(error: ScmSyntaxError, _datum: Value) -> Value:
    """Raise the error of a malformed form when it is evaluated."""
    raise ScmSyntaxError(error.message, *error.irritants, span=error.span, hint=error.hint)
