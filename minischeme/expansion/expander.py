"""Data to core: scopes, calls and bodies, and the only place that looks special forms and macros up.

Each special form is a function of its own in `special_forms`, marked by `@special_form`; `macros` has `syntax-rules`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn, Protocol
from weakref import WeakKeyDictionary

from minischeme.data.errors import SchemeError, ScmSyntaxError
from minischeme.data.source import Span
from minischeme.data.values import NIL, UNSPECIFIED, Pair, Symbol, Value, Vector, intern, is_interned
from minischeme.expansion import core
from minischeme.expansion.core import Variable
from minischeme.expansion.optional_parameters import OPTIONAL, taken
from minischeme.primitives.registry import first_line
from minischeme.reading.reader import Form, Spans

DEEPEST_NESTING = 5_000
"""So many expressions may stand inside one another; more is a mistake, and too much for CPython's compiler."""


class GlobalScope(Protocol):
    """The namespace whose globals a text means."""

    def alias_for_foreign_macro(self, other: Any, symbol: Symbol) -> Symbol:
        """The name here for what a macro of another global scope means by a symbol."""

    def notification_after_set(self, name: str, span: Span) -> core.Node | None:
        """What has to follow an assignment of a global, if another global scope shares it."""


class Scope:
    """The local variables of a region of text, and the scope around it; the outermost has no names of its own.

    Args: parent: the scope around it. variables: those it begins with. global_scope: whose globals the text means; None
    for those of whoever asks. environment: what gives its first-class environment, if it is there already.

    `is_body` tells whether it is a body's, whose `finish`, if anything in it sets one, changes the body at the end;
    `definition` is the one of its definitions that is being expanded, `nested` are the names that definitions inside
    other expressions of it define.
    """

    __slots__ = (
        "_bound",
        "definition",
        "environment",
        "finish",
        "global_scope",
        "is_body",
        "nested",
        "parent",
        "variables",
    )

    def __init__(
        self,
        parent: Scope | None = None,
        variables: Mapping[Symbol, Variable] | None = None,
        global_scope: GlobalScope | None = None,
        environment: core.Node | None = None,
    ) -> None:
        self.parent = parent
        self.environment = environment
        self.is_body = False
        self.definition: Pair | None = None
        self.nested: tuple[Symbol, ...] = ()
        self.finish: Callable[[core.Node], core.Node] | None = None
        self.global_scope: GlobalScope | None = global_scope if parent is None else parent.global_scope
        self.variables: dict[Symbol, Variable | Macro] = {}
        # All names bound in any scope of this top-level form: the others need no search, however deep the nesting.
        self._bound: set[Symbol] = set() if parent is None else parent._bound
        for symbol, variable in (variables or {}).items():
            self.bind(symbol, variable)

    def bind(self, symbol: Symbol, meaning: Variable | Macro) -> None:
        """Give a name a meaning in this scope."""
        self.variables[symbol] = meaning
        self._bound.add(symbol)

    def declare(self, symbol: Symbol) -> Variable:
        """A new local variable of this scope, or the one that it has of that name."""
        found = self.variables.get(symbol)
        if not isinstance(found, Variable):
            found = Variable(symbol.name)
            self.bind(symbol, found)
        return found

    def lookup(self, symbol: Symbol) -> Variable | Macro | None:
        """The local variable or macro that `symbol` names here; None if there is none."""
        if symbol not in self._bound:
            return None
        scope: Scope | None = self
        while scope is not None:
            found = scope.variables.get(symbol)
            if found is not None:
                return found
            scope = scope.parent
        return None

    @property
    def is_toplevel(self) -> bool:
        return self.parent is None


@dataclass(frozen=True, slots=True, eq=False)
class Macro:
    """A macro of the program.

    Args: expand: gives what a use stands for, from the use, its scope and its span.
    """

    expand: Callable[[Pair, Scope, Span], Value]


@dataclass(frozen=True, slots=True)
class SpecialForm:
    """A special form.

    Args: name: its keyword. grammar: its shape, for help. doc: one line of help. expand: form, a proper list, to core.
    defines: what a use of it defines in a body; None for a form that is no definition. example: a use and its value.
    stands_for: for a form that is short for another datum, and may so hide definitions: gives that datum. is_weak:
    whether its name may be meant as a variable that the program has yet to define.
    """

    name: str
    grammar: str
    doc: str
    expand: Callable[[Expander, Pair, Scope, Span], core.Node]
    defines: Callable[[Pair], list[Value]] | None = None
    example: str | None = None
    stands_for: Callable[[Expander, Pair, Scope, Span], Value] | None = None
    is_weak: bool = False


Aliases = WeakKeyDictionary[Symbol, tuple[Symbol, Scope]]
"""For each symbol that stands for another one: that symbol, and the scope that it is meant in."""

FormExpander = Callable[["Expander", Pair, Scope, Span], core.Node]


def special_form(
    name: str,
    grammar: str,
    defines: Callable[[Pair], list[Value]] | None = None,
    stands_for: Callable[[Expander, Pair, Scope, Span], Value] | None = None,
    is_weak: bool = False,
    example: str | None = None,
) -> Callable[[FormExpander], FormExpander]:
    """Make the decorated function the expander of the special form `name`.

    The function takes the expander, the whole form, the scope and the form's span, and gives the core node. Its
    docstring begins with a line of help; the other arguments are described at `SpecialForm`.
    """

    def mark(function: FormExpander) -> FormExpander:
        doc = first_line(function)
        form = SpecialForm(name, grammar, doc, function, defines, example, stands_for, is_weak)
        function.__dict__["special_form"] = form
        return function

    return mark


class BodyPart(NamedTuple):
    """A form that stands in a body.

    Args: definition: its special form, if it is a definition; that name may be among what is defined.
    """

    datum: Value
    span: Span
    definition: SpecialForm | None


class Expander:
    """Turns top-level forms into core nodes.

    Args: forms: the special forms by name. user_globals: the names that the program has bound itself: they hide a
    special form of the same name. run: evaluates a core expression, for macros that are procedures. aliases: what fresh
    symbols stand for, shared with the expanders whose macros may be used here. global_scope: whose globals the text
    means. hidden_forms: the names of the special forms that programs must import.

    `macros` are the program's global macros, and the special forms that it has imported, by name; `new_macros` are the
    names of those that `define_macro` has added; `spans` are those of the form that is being expanded; `on_malformed`,
    if set, is told of each malformed form in a procedure's body, which then is an error only when it is evaluated;
    `explain` gives the Scheme error that an exception stands for.
    """

    def __init__(
        self,
        forms: Mapping[str, SpecialForm],
        user_globals: Container[str],
        run: Callable[[core.Node], Value],
        aliases: Aliases | None = None,
        global_scope: GlobalScope | None = None,
        hidden_forms: Container[str] = (),
    ) -> None:
        self.forms = forms
        self.hidden_forms = hidden_forms
        self.macros: dict[str, Macro | SpecialForm] = {}
        self.run = run
        self._user_globals = user_globals
        self._standards: WeakKeyDictionary[Symbol, str] = WeakKeyDictionary()
        self._aliases: Aliases = WeakKeyDictionary() if aliases is None else aliases
        self.global_scope = global_scope
        self.new_macros: set[str] = set()
        self._defined_here: set[str] = set()
        self.spans: Spans | None = None
        self._depth = 0
        self._asked: set[str] = set()
        self.on_malformed: Callable[[ScmSyntaxError], None] | None = None
        self.explain: Callable[[Exception], SchemeError] | None = None
        self._malformed: list[ScmSyntaxError] = []
        self._bodies = 0

    def toplevel(
        self, form: Form, environment: core.Node | None = None, names: Iterable[str] = (), asked: set[str] | None = None
    ) -> core.Node:
        """The core of a form that was read at top level.

        Args: environment: what gives the environment that the form is evaluated in, if that is not the program's own.
        names: the variables there; they hide special forms. asked: receives the global names that could be syntax.
        Raises: ScmSyntaxError.
        """
        # A macro may evaluate another form.
        outer = self.spans, self._depth, self._defined_here, self._asked, self._malformed, self._bodies
        self.spans, self._depth, self._defined_here, self._bodies = form.spans, 0, set(names), 0
        self._asked = set() if asked is None else asked
        malformed = self._malformed = []
        try:
            root = self.expand(form.datum, Scope(global_scope=self.global_scope, environment=environment), form.span)
        finally:
            self.spans, self._depth, self._defined_here, self._asked, self._malformed, self._bodies = outer
        for error in sorted(malformed, key=lambda error: error.span.start if error.span is not None else 0):
            assert self.on_malformed is not None
            self.on_malformed(error)
        return root

    # ── expressions ──────────────────────────────────────────────────────────────────────────────────────────────

    def expand(self, datum: Value, scope: Scope, span: Span) -> core.Node:
        """The core of one expression: a variable, a special form, a call, or a constant."""
        if type(datum) is Symbol:
            try:
                return self.reference(datum, scope, span)
            except ScmSyntaxError as error:
                return self._malformed_node(error, datum, span)
        if type(datum) is not Pair:
            return core.Constant(span, datum)
        if self._depth > DEEPEST_NESTING:
            raise SchemeError("expressions are nested too deeply", span=span)
        self._depth += 1
        try:
            form = self.syntax_of(datum.car, scope)
            if form is None:
                return self.call(datum, scope, span)
            if isinstance(form, Macro):
                return self.expand(form.expand(datum, scope, span), scope, span)
            if not is_proper(datum):
                self.bad(datum, span)
            return form.expand(self, datum, scope, span)
        except ScmSyntaxError as error:
            error.span = error.span or span
            return self._malformed_node(error, datum, span)
        finally:
            self._depth -= 1

    def _malformed_node(self, error: ScmSyntaxError, datum: Value, span: Span) -> core.Node:
        """What raises the error of a malformed form when it is evaluated.

        Raises: the error, where it is one at once.
        """
        if self.on_malformed is None or not self._bodies:
            raise error
        if not self._malformed or self._malformed[-1] is not error:
            self._malformed.append(error.with_traceback(None))
        details = core.Constant(span, error), core.Constant(span, self.plain(datum))
        return core.Call(span, core.Constant(span, malformed), details)

    def run_macro(self, call: core.Call) -> Value:
        """What a macro that is a procedure makes of a use. What goes wrong in it makes the use malformed."""
        try:
            return self.run(call)
        except (OSError, MemoryError, RecursionError, ScmSyntaxError):
            raise
        except Exception as exception:
            if self.explain is None or self.on_malformed is None or not self._bodies:
                raise
            error = self.explain(exception)
            hint = error.hint or f"this comes of the use of a macro at {call.span}"
            raise ScmSyntaxError(str(error), span=error.span, hint=hint) from None

    def reference(self, symbol: Symbol, scope: Scope, span: Span) -> core.Node:
        """The value of a variable. A keyword such as ``:key`` stands for itself."""
        found = self.resolve(symbol, scope)
        if isinstance(found, Variable):
            return core.Local(span, found)
        if not is_interned(symbol) and symbol in self._standards:
            return core.Standard(span, self._standards[symbol])
        if symbol.name.startswith(":") and not self.is_user_global(symbol.name):
            return core.Constant(span, symbol)
        syntax = self.syntax_of(symbol, scope)
        if syntax is not None and not (isinstance(syntax, SpecialForm) and syntax.is_weak):
            kind = "special form" if symbol.name in self.forms and symbol.name not in self.macros else "macro"
            hint = f"a {kind} is not a value: it can't be passed, returned or printed"
            raise ScmSyntaxError(f"{symbol.name}: bad syntax: {symbol.name}", span=span, hint=hint)
        assert type(found) is Symbol  # a macro is syntax
        return core.Global(span, found.name)

    def resolve(self, symbol: Symbol, scope: Scope) -> Variable | Macro | Symbol:
        """What an identifier means: a local variable or macro, or else the symbol that names it globally."""
        other = self.global_scope
        while True:
            found = scope.lookup(symbol)
            if found is not None:
                return found
            alias = None if is_interned(symbol) else self._aliases.get(symbol)
            if alias is None:
                if self.global_scope is None or other is None or other is self.global_scope:
                    return symbol
                return self.global_scope.alias_for_foreign_macro(other, symbol)
            symbol, scope = alias
            other = scope.global_scope

    def alias(self, symbol: Symbol, scope: Scope) -> Symbol:
        """A fresh symbol that means what `symbol` means in `scope`, unless something binds it."""
        fresh = Symbol(symbol.name)
        self._aliases[fresh] = symbol, scope
        return fresh

    def standard(self, name: str) -> Symbol:
        """A fresh symbol that means the library's procedure, or the special form, of that name, whatever the program
        binds the name to."""
        fresh = Symbol(name)
        self._standards[fresh] = name
        return fresh

    def plain(self, datum: Value) -> Value:
        """A datum with its aliases turned back into the symbols that they stand for, as a quotation shows it.

        A part that shares or contains itself still does so in what is given back.
        """
        if not self._has_aliases(datum):
            return datum
        copies: dict[int, Value] = {}
        pending: list[tuple[Value, Value]] = []

        def copy(part: Value) -> Value:
            if type(part) is Symbol:
                while part in self._aliases:
                    part = self._aliases[part][0]
                return part
            if type(part) is not Pair and type(part) is not Vector:
                return part
            if id(part) not in copies:
                copies[id(part)] = Pair(NIL, NIL) if type(part) is Pair else Vector(part)
                pending.append((part, copies[id(part)]))
            return copies[id(part)]

        result = copy(datum)
        while pending:
            part, fresh = pending.pop()
            if type(part) is Pair:
                fresh.car, fresh.cdr = copy(part.car), copy(part.cdr)
            else:
                fresh[:] = map(copy, part)
        return result

    def _has_aliases(self, datum: Value) -> bool:
        """Whether an alias is anywhere in a datum."""
        if not self._aliases:
            return False
        seen: set[int] = set()
        pending = [datum]
        while pending:
            part = pending.pop()
            if type(part) is Symbol:
                if part in self._aliases:
                    return True
            elif (type(part) is Pair or type(part) is Vector) and id(part) not in seen:
                seen.add(id(part))
                pending.extend((part.cdr, part.car) if type(part) is Pair else part)
        return False

    def syntax_of(self, head: Value, scope: Scope) -> SpecialForm | Macro | None:
        """The macro or special form that `head` names here, unless the program has bound the name to a value."""
        if type(head) is not Symbol:
            return None
        found = self.resolve(head, scope)
        if isinstance(found, Macro):
            return found
        if isinstance(found, Variable):
            return None
        if not is_interned(found) and found in self._standards:
            return self.forms.get(found.name)
        self._asked.add(found.name)
        macro = self.macros.get(found.name)
        if macro is not None:
            return macro
        is_form = self.is_visible_form(found.name) and not self.is_user_global(found.name)
        return self.forms[found.name] if is_form else None

    def is_visible_form(self, name: str) -> bool:
        """Whether the name is a special form's that needs no import."""
        return name in self.forms and name not in self.hidden_forms

    def is_form(self, datum: Value, name: str, scope: Scope) -> bool:
        """Whether a datum is a use of the special form of that name."""
        form = self.syntax_of(datum.car, scope) if type(datum) is Pair else None
        return isinstance(form, SpecialForm) and form.name == name

    def is_user_global(self, name: str) -> bool:
        self._asked.add(name)
        return name in self._user_globals or name in self._defined_here

    def will_define(self, name: str) -> None:
        """The form that is being expanded defines this global: from here on the name is a variable."""
        self._defined_here.add(name)
        self.macros.pop(name, None)

    def define_macro(self, name: str, macro: Macro) -> None:
        """From here on the global name is a macro's."""
        if name not in self.macros:
            self.new_macros.add(name)
        self.macros[name] = macro

    def is_word(self, datum: Value, word: Symbol, scope: Scope) -> bool:
        """Whether `datum` is an auxiliary keyword such as ``else``, not a local variable of that name."""
        return type(datum) is Symbol and self.resolve(datum, scope) is word

    def assignment(self, symbol: Symbol, value: core.Node, scope: Scope, span: Span) -> core.Node:
        """``set!`` of a local variable or a global."""
        found = self.resolve(symbol, scope)
        if isinstance(found, Macro) or self.syntax_of(symbol, scope) is not None:
            raise ScmSyntaxError("set!: not a variable:", symbol, span=span)
        if isinstance(found, Variable):
            found.assigned = True
            return core.SetLocal(span, found, value)
        assignment = core.SetGlobal(span, found.name, value)
        following = (
            self.global_scope.notification_after_set(found.name, span) if self.global_scope is not None else None
        )
        return assignment if following is None else core.Sequence(span, (assignment, following))

    def call(self, form: Pair, scope: Scope, span: Span) -> core.Node:
        """A procedure call. An immediately called lambda is its body with the variables bound."""
        if not is_proper(form):
            raise ScmSyntaxError("eval: malformed list:", form, span=span)
        operator = self.at(form, scope, span)
        operands = tuple([self.at(cell, scope, span) for cell in cells(form.cdr)])  # a generator would use C's stack
        if type(operator) is core.Lambda and operator.rest is None and len(operator.parameters) == len(operands):
            pairs = zip(operator.parameters, operands, strict=True)
            binds = [core.Bind(operand.span, variable, operand) for variable, operand in pairs]
            return core.sequence(span, [*binds, operator.body])
        return core.Call(span, operator, operands)

    # ── parts of forms ───────────────────────────────────────────────────────────────────────────────────────────

    def at(self, cell: Pair, scope: Scope, span: Span) -> core.Node:
        """The core of the element in a pair's car; `span` is that of the form around it."""
        return self.expand(cell.car, scope, self.span_at(cell, span))

    def span_at(self, cell: Pair, default: Span) -> Span:
        """Where the element in a pair's car stands; `default` for an element that no text shows."""
        if self.spans is None:
            return default
        # A list that a macro took from its use keeps its place, though it stands in a list that the template made.
        return self.spans.of_car(cell) or self.spans.of(cell.car) or default

    def sequence(self, start: Value, scope: Scope, span: Span) -> core.Node:
        """Expressions in order, from a list of them; the unspecified value for none."""
        parts = [self.at(cell, scope, span) for cell in cells(start)]
        return core.sequence(span, parts) if parts else core.Constant(span, UNSPECIFIED)

    def body(self, start: Value, scope: Scope, span: Span) -> core.Node:
        """The body of a lambda or of a binding form, internal definitions (letrec*) included, in a scope of its own."""
        known = len(self._malformed)
        nested: tuple[Symbol, ...] = ()
        while True:
            inner, nodes = self._body_nodes(start, scope, span, nested)
            if not inner.nested:
                break
            nested += inner.nested  # known only now, and what stands before them may mean them
            del self._malformed[known:]
        body = core.sequence(span, nodes) if nodes else core.Constant(span, UNSPECIFIED)
        return body if inner.finish is None else inner.finish(body)

    def _body_nodes(
        self, start: Value, scope: Scope, span: Span, nested: tuple[Symbol, ...]
    ) -> tuple[Scope, list[core.Node]]:
        """The scope of a body, and its core. Args: nested: the names that definitions inside its expressions define."""
        inner = Scope(scope)
        inner.is_body = True
        nodes: list[core.Node] = []
        for symbol in nested:
            variable = inner.declare(symbol)
            variable.assigned = True
            nodes.append(core.Bind(span, variable, core.Constant(span, core.UNASSIGNED)))
        for part in self._body_parts(start, inner, span):
            nodes.append(part if isinstance(part, core.Node) else self._body_node(part, inner))
        return inner, nodes

    def _body_node(self, part: BodyPart, scope: Scope) -> core.Node:
        """The core of a part of a body. What a malformed definition should define is bound, for those who use it."""
        datum, span, definition = part
        if definition is None:
            return self.expand(datum, scope, span)
        scope.definition = datum
        try:
            return definition.expand(self, datum, scope, span)
        except ScmSyntaxError as error:
            assert definition.defines is not None
            variables = [scope.variables.get(symbol) for symbol in definition.defines(datum) if type(symbol) is Symbol]
            binds: list[core.Node] = [
                core.Bind(span, variable, self._malformed_node(error, datum, span))
                for variable in variables
                if isinstance(variable, Variable)
            ]
            return core.sequence(span, binds or [self._malformed_node(error, datum, span)])

    def _body_parts(self, start: Value, scope: Scope, span: Span) -> list[BodyPart | core.Node]:
        """The parts of a body: macro uses expanded as far as they may hide a definition, the contents of each ``begin``
        in its place, and what is defined declared in the scope; nodes for malformed parts."""
        found: list[BodyPart | core.Node] = []
        for cell in cells(start):
            place = self.span_at(cell, span)
            try:
                found += self._parts_of(cell.car, scope, place)
            except ScmSyntaxError as error:
                found.append(self._malformed_node(error, cell.car, place))
        return found

    def _parts_of(self, datum: Value, scope: Scope, span: Span) -> list[BodyPart | core.Node]:
        """The parts that one part of a body stands for."""
        while type(datum) is Pair and (syntax := self.syntax_of(datum.car, scope)) is not None:
            if isinstance(syntax, Macro):
                datum = syntax.expand(datum, scope, span)
            elif syntax.stands_for is not None and is_proper(datum):
                datum = syntax.stands_for(self, datum, scope, span)
            else:
                break
        form = self.syntax_of(datum.car, scope) if type(datum) is Pair else None
        if not isinstance(form, SpecialForm) or not is_proper(datum):
            return [BodyPart(datum, span, None)]
        if form.name in ("define-syntax", "define-macro"):
            form.expand(self, datum, scope, span)  # in effect for the rest of the body, and no part of it
            return []
        if form.name == "begin" and datum.cdr is not NIL:
            return self._body_parts(datum.cdr, scope, span)
        if form.defines is None:
            return [BodyPart(datum, span, None)]
        for symbol in form.defines(datum):
            if type(symbol) is Symbol:
                scope.declare(symbol).is_recursive = True
        return [BodyPart(datum, span, form)]

    def variable_to_define(self, definition: Pair, symbol: Symbol, scope: Scope, span: Span) -> Variable:
        """The local variable that a definition gives a value: one of the body that it stands in, or, as in the course's
        interpreter, of the innermost body around the expression that it stands in, parameters included.

        Raises: ScmSyntaxError where no definition is allowed.
        """
        found = scope.variables.get(symbol)
        if definition is not scope.definition:
            inner: Scope | None = scope if self.on_malformed is not None else None
            while inner is not None and not inner.is_body and found is None:
                inner = inner.parent
                found = inner.variables.get(symbol) if inner is not None else None
            if inner is not None and found is None:
                assert inner.parent is not None
                found = None if inner.parent.is_body else inner.parent.variables.get(symbol)
                if found is None:
                    found = inner.declare(symbol)
                    inner.nested += (symbol,)
        if not isinstance(found, Variable):
            hint = "inside a procedure, definitions stand directly in the body"
            message = f"{keyword(definition)}: bad syntax: a definition is not allowed here:"
            raise ScmSyntaxError(message, definition, span=span, hint=hint)
        return found

    def local_definition(
        self, definition: Pair, variable: Variable, value: core.Node, scope: Scope, span: Span
    ) -> core.Node:
        """What gives a local variable the value that a definition says."""
        if definition is scope.definition:
            return core.Bind(span, variable, value)
        variable.assigned = True
        symbol = core.Constant(span, intern(variable.name))
        return core.Sequence(span, (core.SetLocal(span, variable, value), symbol))

    def procedure(
        self, name: str | None, parameters: Value, body: Value, scope: Scope, span: Span, form: Pair
    ) -> core.Lambda:
        """A lambda of a parameter list and a body; `form` is what a complaint shows."""
        inner = Scope(scope)
        required: list[Variable] = []
        optional: list[Variable] | None = None
        rest: Variable | None = None
        while parameters is not NIL:
            is_rest = type(parameters) is not Pair
            symbol = parameters if is_rest else parameters.car
            place = span if is_rest else self.span_at(parameters, span)
            parameters = NIL if is_rest else parameters.cdr
            if symbol is OPTIONAL and optional is None and not is_rest:
                optional = []
                continue
            if type(symbol) is not Symbol or symbol is OPTIONAL:
                self.bad(form, place, culprit=symbol)
            if symbol in inner.variables:
                raise ScmSyntaxError(f"{keyword(form)}: duplicate parameter:", symbol, span=place)
            variable = inner.declare(symbol)
            if is_rest:
                rest = variable
            else:
                (required if optional is None else optional).append(variable)
        if type(body) is not Pair or not is_proper(body):
            self.bad(form, span)
        self._bodies += 1
        try:
            inside, given = self.body(body, inner, span), Variable("optional")
        finally:
            self._bodies -= 1
        if optional is not None:
            inside, rest = core.sequence(span, [*taken(given, optional, rest, span), inside]), given
        return core.Lambda(span, name, tuple(required), rest, inside)

    def bad(self, form: Pair, span: Span, culprit: Value = None) -> NoReturn:
        """Complain that a special form is not formed as its grammar says."""
        complaint = "bad syntax" if culprit is None else "bad variable name"
        self._complain(form, complaint, form if culprit is None else culprit, span)

    def bad_binding(self, form: Pair, cell: Pair, span: Span) -> NoReturn:
        """Complain of what stands, in a pair's car, where a special form has the binding of a name."""
        self._complain(form, "badly formed binding", cell.car, self.span_at(cell, span))

    def _complain(self, form: Pair, complaint: str, culprit: Value, span: Span) -> NoReturn:
        name = keyword(form)
        hint = f"expected {self.forms[name].grammar}" if name in self.forms else None
        raise ScmSyntaxError(f"{name}: {complaint}:", self.plain(culprit), span=span, hint=hint)


def malformed(error: ScmSyntaxError, _datum: Value) -> Value:
    """Raise the error of a malformed form, which is evaluated."""
    raise ScmSyntaxError(error.message, *error.irritants, span=error.span, hint=error.hint)


def keyword(form: Pair) -> str:
    """The name at the head of a special form."""
    return form.car.name if type(form.car) is Symbol else "lambda"


def is_proper(datum: Value) -> bool:
    """Whether `datum` is a list that ends in ``()``. Source text can hold a circular one through datum labels."""
    behind = datum
    while type(datum) is Pair:
        datum = datum.cdr
        if type(datum) is Pair:
            datum = datum.cdr
            behind = behind.cdr
            if datum is behind:
                return False
    return datum is NIL


def cells(datum: Value) -> list[Pair]:
    """The pairs of a list, in order.

    Raises: ScmSyntaxError for a circular list.
    """
    found: list[Pair] = []
    behind = start = datum
    while type(datum) is Pair:
        found.append(datum)
        datum = datum.cdr
        if datum is behind:
            raise ScmSyntaxError("circular list:", start)
        if len(found) & (len(found) - 1) == 0:
            behind = datum
    return found


QUOTE = intern("quote")


def name_cell(definition: Pair) -> Pair:
    """The pair that holds what a ``define`` form defines, also if that is a (curried) procedure."""
    cell: Pair = definition.cdr
    while type(cell.car) is Pair and cell.car.car is not QUOTE:
        cell = cell.car
    return cell


def defined_name(definition: Pair) -> Value:
    """What a ``define`` form defines: the symbol, or any other value if it is badly formed."""
    return name_cell(definition).car if type(definition.cdr) is Pair else NIL
