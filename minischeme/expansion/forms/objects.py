"""define-class: the course's objects (DIALECT.md section 1.3).

A class and an object are procedures from a message to a method. The procedures on them are in `primitives.objects`.
"""

from minischeme.data.errors import ScmSyntaxError
from minischeme.data.printer import display
from minischeme.data.rationals import Rational
from minischeme.data.source import Span
from minischeme.data.values import FALSE, NIL, EmptyList, Pair, Symbol, Value, intern, list_of
from minischeme.expansion.expander import Expander
from minischeme.expansion.forms.multiple_values import names_in
from minischeme.expansion.lists import cells, is_proper
from minischeme.expansion.scopes import Scope
from minischeme.expansion.special_form import Use, filled, special_form
from minischeme.primitives.objects import INITIALIZE, INSTANTIATE

CLASS_NAME = intern("class-name")

_VISIBLE = {name: intern(name) for name in ("self", "usual", "message", "args")}
"""The variables that the program's own text in a class can use."""

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
    counts_operands=False,
    is_derived=True,
)
def expand_define_class(use: Use) -> Value:
    """Define a class of objects with methods, variables and parents."""
    return _Class(use).definition()


def translation(expander: Expander, form: Pair, span: Span) -> Value:
    """The expansion of a use of define-class to a definition in other forms."""
    return _Class(Use(expander, form, cells(form.cdr), Scope(), span, "define-class")).definition()


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
    """The clauses of a definition, and the procedures that they define."""

    def __init__(self, use: Use) -> None:
        self._use = use
        if type(_name_of(use.form)) is not Symbol:
            use.bad()
        self.name: Symbol = _name_of(use.form)
        if not _is_header(use.operands[0]):
            use.within(use.cells[0]).bad()
        self.parameters: Value = use.operands[0].cdr
        self.variables: dict[str, list[Value]] = {"instance-vars": [], "class-vars": [], "parent": []}
        self.methods: list[Value] = []
        self.initialize: list[Value] = []
        self.default: Value = None
        for cell in use.cells[1:]:
            self._clause(cell.car, use.within(cell).span)

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
            self.initialize.append(self._filled("(begin . body)", body=clause.cdr))
        elif kind == "default-method" and parts:
            self.default = clause.cdr
        else:
            raise ScmSyntaxError("define-class: bad clause:", clause, span=span, hint=_SHAPES.get(kind, _CLAUSES))

    def _filled(self, text: str, **parts: Value) -> Value:
        return filled(text, name=self.name, **_VISIBLE, **parts)

    def _procedure(self, name: Value, parameters: Value, body: Value) -> Value:
        """A lambda with a name for error messages, and a list of expressions as its body."""
        text = "(named-lambda (procedure . parameters) . body)"
        return self._filled(text, procedure=intern(display(name)), parameters=parameters, body=body)

    def _variables_as_methods(self, names: list[Symbol]) -> list[tuple[Value, Value]]:
        """Methods without arguments that give the values of variables, and the name of the class."""
        answers = [(name, self._filled("(lambda () variable)", variable=name)) for name in names]
        return [*answers, (CLASS_NAME, self._filled("(lambda () 'name)"))]

    def definition(self) -> Value:
        """The definition of the class as a procedure."""
        instantiate = self._procedure(self.name, self.parameters, list_of([self._object()]))
        answers = [(INSTANTIATE, instantiate), *self._variables_as_methods(self._names("class-vars"))]
        return self._filled(
            "(define name (let* variables (lambda (class-message) (case class-message . choice))))",
            variables=list_of(self._bindings("class-vars")),
            choice=self._choice(answers, self._filled("(no-method 'name)")),
        )

    def _names(self, kind: str) -> list[Symbol]:
        return [clause.car for clause in self.variables[kind]]

    def _bindings(self, kind: str) -> list[Value]:
        return [clause if clause.cdr is not NIL else list_of([clause.car, FALSE]) for clause in self.variables[kind]]

    def _choice(self, answers: list[tuple[Value, Value]], otherwise: Value) -> Value:
        """The clauses of a choice by message; the first answer to a message counts."""
        clauses: dict[str, Value] = {}
        for name, answer in answers:
            clauses.setdefault(display(name), list_of([list_of([name]), answer]))
        return list_of([*clauses.values()], self._filled("((else otherwise))", otherwise=otherwise))

    def _object(self) -> Value:
        """The object that `instantiate` makes: the variables, the parents, and the procedure that finds methods."""
        names = [intern(f"my-{name.name}") for name in self._names("parent")]
        parents = list_of(names)
        other = default = self._filled("(no-method 'name)")
        if self.default is not None:
            other = default = self._filled("(lambda args . body)", body=self.default)
        if names:  # the methods of the parents, default methods included, come first
            text = "(let ((found (get-method 'name message . parents))) (if (no-method? found) default found))"
            other = self._filled(text, parents=parents, default=default)
        made = [
            self._filled("(parent (instantiate-parent . clause))", parent=name, clause=clause)
            for name, clause in zip(names, self.variables["parent"], strict=True)
        ]
        usual = "(usual (lambda (wanted . args) (apply (%usual wanted . parents) args)))"
        return self._filled(
            "(let* ((self #f) . bindings) (let ((this (lambda (message) (case message . choice)))) this))",
            bindings=list_of([*self._bindings("instance-vars"), *made, self._filled(usual, parents=parents)]),
            choice=self._choice(self._answers(parents), other),
        )

    def _answers(self, parents: Value) -> list[tuple[Value, Value]]:
        """The methods, and the variables and the name of the class as methods without arguments.

        The first tells an object and its parents which object they are part of, and runs the ``initialize`` clauses.
        """
        text = "(lambda (whole) (set! self whole) (%initialize-parents whole . parents) (begin #f . body) whole)"
        initialize = self._filled(text, parents=parents, body=list_of(self.initialize))
        methods = [
            (header.car.car, self._procedure(header.car.car, header.car.cdr, header.cdr)) for header in self.methods
        ]
        names = [*self._names("instance-vars"), *self._names("class-vars"), *names_in(self.parameters)]
        return [(INITIALIZE, initialize), *methods, *self._variables_as_methods(names)]
