"""define-class: the course's objects (DIALECT.md section 1.3).

A class and an object are procedures from a message to a method. What programs do with them is in `primitives.objects`.
"""

from __future__ import annotations

from minischeme.data.errors import ScmSyntaxError
from minischeme.data.printer import display
from minischeme.data.rationals import Rational
from minischeme.data.source import Span
from minischeme.data.values import FALSE, NIL, EmptyList, Pair, Symbol, Value, intern, list_of
from minischeme.expansion import core
from minischeme.expansion.expander import Expander, Scope, cells, is_proper, special_form
from minischeme.primitives.objects import INITIALIZE, INSTANTIATE

CLASS_NAME = intern("class-name")
SELF = intern("self")
USUAL = intern("usual")
MESSAGE = intern("message")
ARGUMENTS = intern("args")

_SHAPES = {
    "instance-vars": "expected (instance-vars (name initial-value) …)",
    "class-vars": "expected (class-vars (name initial-value) …)",
    "parent": "expected (parent (class argument …) …)",
    "method": "expected (method (name parameter …) body …)",
    "default-method": "expected (default-method body …)",
}

_CLAUSES = "a clause is instance-vars, class-vars, parent, method, initialize or default-method"


@special_form(
    "define-class",
    "(define-class (name arg …) (instance-vars (v init) …) (class-vars (v init) …) (parent (class arg …) …)"
    " (method (name arg …) body …) (initialize body …) (default-method body …))",
    defines=lambda form: [_name_of(form)],
)
def expand_define_class(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Define a class of objects with methods, variables and parents."""
    return expander.expand(_Class(expander, form, span).definition(), scope, span)


def translation(expander: Expander, form: Pair, span: Span) -> Value:
    """The definition, in other forms, that a use of define-class is short for."""
    return _Class(expander, form, span).definition()


def _name_of(form: Pair) -> Value:
    header = form.cdr.car if type(form.cdr) is Pair else NIL
    return header.car if type(header) is Pair else NIL


def _is_header(header: Value) -> bool:
    """Whether a datum is the name of a method, a symbol or a number, with its parameters."""
    parts = cells(header)
    return (
        bool(parts)
        and isinstance(parts[0].car, Symbol | int | float | Rational)
        and all(type(cell.car) is Symbol for cell in parts[1:])
        and type(parts[-1].cdr) in (EmptyList, Symbol)
    )


class _Class:
    """The clauses of a definition, and the procedures that they make."""

    def __init__(self, expander: Expander, form: Pair, span: Span) -> None:
        self._expander = expander
        self._form = form
        self._span = span
        if type(_name_of(form)) is not Symbol:
            expander.bad(form, span)
        self.name: Symbol = _name_of(form)
        if not _is_header(form.cdr.car):
            expander.bad(form, expander.span_at(form.cdr, span))
        self.parameters: Value = form.cdr.car.cdr
        self.variables: dict[str, list[Value]] = {"instance-vars": [], "class-vars": [], "parent": []}
        self.methods: list[Value] = []
        self.initialize: list[Value] = []
        self.default: Value = None
        for cell in cells(form.cdr.cdr):
            self._clause(cell.car, expander.span_at(cell, span))

    def _clause(self, clause: Value, span: Span) -> None:
        if type(clause) is not Pair or type(clause.car) is not Symbol or not is_proper(clause):
            raise ScmSyntaxError("define-class: bad clause:", clause, span=span, hint=_CLAUSES)
        kind = clause.car.name
        parts = [cell.car for cell in cells(clause.cdr)]
        if kind in self.variables:
            for part in parts:
                is_good = type(part) is Pair and type(part.car) is Symbol and is_proper(part)
                if not is_good or (kind != "parent" and len(cells(part)) > 2):
                    raise ScmSyntaxError(f"define-class: bad clause of {kind}:", part, span=span, hint=_SHAPES[kind])
            self.variables[kind] += parts
        elif kind == "method" and len(parts) > 1 and _is_header(parts[0]):
            self.methods.append(clause.cdr)
        elif kind == "initialize":
            self.initialize.append(self._form_of_list("begin", clause.cdr))
        elif kind == "default-method" and parts:
            self.default = clause.cdr
        else:
            raise ScmSyntaxError("define-class: bad clause:", clause, span=span, hint=_SHAPES.get(kind, _CLAUSES))

    def _form_of(self, name: str, *parts: Value) -> Value:
        """A special form."""
        return self._form_of_list(name, list_of(parts))

    def _form_of_list(self, name: str, parts: Value) -> Value:
        """A special form of parts that may be pairs of the text: an error in them is shown at its place."""
        return Pair(self._expander.standard(name), parts)

    def _call_of(self, name: str, *operands: Value) -> Value:
        """A call of a standard procedure."""
        return Pair(self._expander.standard(name), list_of(operands))

    def _lambda(self, parameters: Value, *body: Value) -> Value:
        return self._form_of("lambda", parameters, *body)

    def _procedure(self, name: Value, parameters: Value, body: Value) -> Value:
        """A lambda with a name for error messages, and a list of expressions as its body."""
        return self._form_of_list("named-lambda", Pair(Pair(intern(display(name)), parameters), body))

    def _quote(self, datum: Value) -> Value:
        return self._form_of("quote", datum)

    def definition(self) -> Value:
        """``(define name (let* (class variables) (lambda (class-message) …)))``"""
        message = intern("class-message")
        answers = [(INSTANTIATE, self._procedure(self.name, self.parameters, list_of([self._object()])))]
        answers += [(name, self._lambda(NIL, name)) for name in self._names("class-vars")]
        answers.append((CLASS_NAME, self._lambda(NIL, self._quote(self.name))))
        unknown = self._call_of("no-method", self._quote(self.name))
        procedure = self._lambda(list_of([message]), self._case(message, answers, unknown))
        variables = list_of(self._bindings("class-vars"))
        return self._form_of("define", self.name, self._form_of("let*", variables, procedure))

    def _names(self, kind: str) -> list[Symbol]:
        return [clause.car for clause in self.variables[kind]]

    def _bindings(self, kind: str) -> list[Value]:
        return [clause if clause.cdr is not NIL else list_of([clause.car, FALSE]) for clause in self.variables[kind]]

    def _case(self, message: Symbol, answers: list[tuple[Value, Value]], otherwise: Value) -> Value:
        """A choice by message; the first answer to a message counts."""
        clauses: list[Value] = []
        seen: set[str] = set()
        for name, answer in answers:
            if display(name) not in seen:
                seen.add(display(name))
                clauses.append(list_of([list_of([name]), answer]))
        clauses.append(list_of([self._expander.alias(intern("else"), Scope()), otherwise]))
        return self._form_of_list("case", Pair(message, list_of(clauses)))

    def _object(self) -> Value:
        """What `instantiate` makes: the variables, the parents, and the procedure that finds methods."""
        this, found, wanted = Symbol("this"), Symbol("found"), Symbol("wanted")
        parents = [intern(f"my-{name.name}") for name in self._names("parent")]
        name = self._quote(self.name)
        missing = self._call_of("no-method", name)
        default = missing if self.default is None else self._form_of_list("lambda", Pair(ARGUMENTS, self.default))
        other = default
        if parents:  # what the parents have, their own default methods too, comes first
            inherited = self._call_of("get-method", name, MESSAGE, *parents)
            test = self._form_of("if", self._call_of("no-method?", found), default, found)
            other = self._form_of("let", list_of([list_of([found, inherited])]), test)
        answers = [(INITIALIZE, self._initializer(parents)), *self._answers()]
        procedure = self._lambda(list_of([MESSAGE]), self._case(MESSAGE, answers, other))
        made = [Pair(self._expander.standard("instantiate-parent"), clause) for clause in self.variables["parent"]]
        usual = self._lambda(
            Pair(wanted, ARGUMENTS), self._call_of("apply", self._call_of("%usual", wanted, *parents), ARGUMENTS)
        )
        bindings = [
            list_of([SELF, FALSE]),
            *self._bindings("instance-vars"),
            *[list_of([parent, new]) for parent, new in zip(parents, made, strict=True)],
            list_of([USUAL, usual]),
        ]
        inner = self._form_of("let", list_of([list_of([this, procedure])]), this)
        return self._form_of("let*", list_of(bindings), inner)

    def _answers(self) -> list[tuple[Value, Value]]:
        """The methods, and the variables and the name of the class as methods without arguments."""
        answers = [
            (header.car.car, self._procedure(header.car.car, header.car.cdr, header.cdr)) for header in self.methods
        ]
        names = [*self._names("instance-vars"), *self._names("class-vars")]
        parameters = self.parameters
        while parameters is not NIL:
            names.append(parameters.car if type(parameters) is Pair else parameters)
            parameters = parameters.cdr if type(parameters) is Pair else NIL
        answers += [(name, self._lambda(NIL, name)) for name in names]
        return [*answers, (CLASS_NAME, self._lambda(NIL, self._quote(self.name)))]

    def _initializer(self, parents: list[Symbol]) -> Value:
        """Tells an object, and its parents, who it is a part of, and runs the ``initialize`` clauses."""
        whole = Symbol("whole")
        return self._lambda(
            list_of([whole]),
            self._form_of("set!", SELF, whole),
            self._call_of("%initialize-parents", whole, *parents),
            *self.initialize,
            whole,
        )
