"""The forms that define several names: define-values, define-record-type, define-structure (R7RS 5.3.3, 5.5)."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import cast

from minischeme.data.errors import SchemeError, ScmSyntaxError
from minischeme.data.source import Span
from minischeme.data.values import (
    FALSE,
    NIL,
    TRUE,
    UNSPECIFIED,
    Pair,
    Procedure,
    Record,
    RecordType,
    Symbol,
    Value,
    intern,
    list_of,
)
from minischeme.expansion import core
from minischeme.expansion.expander import Expander, Scope, cells, is_proper, special_form
from minischeme.expansion.forms.multiple_values import formals_of, item_of, unpacked


def define_name(
    expander: Expander, form: Pair, symbol: Symbol, value: core.Node, scope: Scope, span: Span
) -> core.Node:
    """The definition of a name where a form stands that defines several.

    Raises: ScmSyntaxError where no definition is allowed.
    """
    if scope.is_toplevel:
        expander.will_define(symbol.name)
        return core.Define(span, symbol.name, value)
    variable = expander.variable_to_define(form, symbol, scope, span)
    return expander.local_definition(form, variable, value, scope, span)


# ── define-values ────────────────────────────────────────────────────────────────────────────────────────────────────


def _names(formals: Value) -> list[Value]:
    names: list[Value] = []
    while type(formals) is Pair:
        names.append(formals.car)
        formals = formals.cdr
    return names if formals is NIL else [*names, formals]


@special_form(
    "define-values",
    "(define-values (name …) expression)",
    defines=lambda form: _names(form.cdr.car) if type(form.cdr) is Pair else [],
    example="(begin (define-values (q r) (floor/ 17 5)) (list q r)) → (3 2)",
)
def expand_define_values(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Define a name for each value of an expression; a dotted name takes a list of the others."""
    operands = cells(form.cdr)
    if len(operands) != 2:
        expander.bad(form, span)
    formals = formals_of(expander, form, operands[0].car, span)
    everything = core.Variable("values")
    nodes: list[core.Node] = [
        core.Bind(span, everything, unpacked("define-values", formals, expander.at(operands[1], scope, span), span))
    ]
    for index, symbol in enumerate(formals.symbols):
        nodes.append(define_name(expander, form, symbol, item_of(everything, index, span), scope, span))
    return core.sequence(span, [*nodes, core.Constant(span, UNSPECIFIED)])


# ── define-record-type ───────────────────────────────────────────────────────────────────────────────────────────────


class _Shape:
    """The parts of a ``define-record-type`` form; anything that is not as it should be stays to be complained of.

    `type_name`; `constructor`, None if there is none, with its `arguments`, None for all fields; `predicate`, None if
    there is none; `fields`: name, accessor and modifier of each, as far as they are given.
    """

    def __init__(self, form: Pair) -> None:
        parts = [cell.car for cell in cells(form.cdr)]
        self.is_well_formed = len(parts) >= 3
        parts += [FALSE] * 3
        head = parts[0]
        self.type_name: Value = head.car if type(head) is Pair else head
        constructor = parts[1]
        self.arguments: list[Value] | None = None
        if type(constructor) is Pair:
            self.arguments = [cell.car for cell in cells(constructor.cdr)]
            self.is_well_formed = self.is_well_formed and is_proper(constructor)
            constructor = constructor.car
        if constructor is TRUE and type(self.type_name) is Symbol:
            constructor = intern(f"make-{bare(self.type_name)}")
        self.constructor = _optional(constructor)
        self.predicate = _optional(parts[2])
        self.fields: list[list[Value]] = []
        for field in [cell.car for cell in cells(form.cdr.cdr.cdr.cdr)] if self.is_well_formed else []:
            names = [cell.car for cell in cells(field)] if type(field) is Pair else [field]
            self.fields.append(names)
            self.is_well_formed = self.is_well_formed and (type(field) is not Pair or is_proper(field))

    def names(self) -> list[Value]:
        """All that the form defines."""
        defined = [self.type_name, self.constructor, self.predicate]
        return [name for name in defined if name is not None] + [name for field in self.fields for name in field[1:]]


def bare(type_name: Symbol) -> str:
    """A type's name without the angle brackets that are usual around it."""
    return str(type_name.name).removeprefix("<").removesuffix(">")


def _optional(name: Value) -> Value:
    return None if name is FALSE else name


@special_form(
    "define-record-type",
    "(define-record-type name (constructor field …) predicate (field accessor [modifier]) …)",
    defines=lambda form: _Shape(form).names(),
    example="(begin (define-record-type cell (make-cell x) cell? (x cell-x)) (cell-x (make-cell 3))) → 3",
)
def expand_define_record_type(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Define a type of records with named fields: its constructor, its predicate, and accessors."""
    shape = _Shape(form)
    if not shape.is_well_formed or not all(0 < len(field) <= 3 for field in shape.fields):
        expander.bad(form, span)
    for name in [*shape.names(), *(field[0] for field in shape.fields)]:
        if type(name) is not Symbol:
            expander.bad(form, span, culprit=name)
    fields: list[Symbol] = [field[0] for field in shape.fields]
    arguments = fields if shape.arguments is None else shape.arguments
    for symbol in arguments:
        if symbol not in fields:
            place = expander.span_at(form.cdr.cdr, span)
            raise ScmSyntaxError("define-record-type: no such field:", symbol, span=place)
    for symbols in (fields, arguments):
        twice = next((symbol for symbol in symbols if symbols.count(symbol) > 1), None)
        if twice is not None:
            raise ScmSyntaxError("define-record-type: duplicate field:", twice, span=span)
    type_name = bare(shape.type_name)
    kind = core.Variable("record-type")
    nodes: list[core.Node] = []

    def made(maker: Callable[..., Value], *details: Value) -> core.Node:
        operands = [core.Constant(span, detail) for detail in details]
        return core.Call(span, core.Constant(span, maker), (core.Local(span, kind), *operands))

    def define(symbol: Symbol, value: core.Node) -> None:
        nodes.append(define_name(expander, form, symbol, value, scope, span))

    model = core.Constant(span, RecordType(type_name, tuple(field.name for field in fields)))
    nodes.append(core.Bind(span, kind, core.Call(span, core.Constant(span, fresh_type), (model,))))
    define(shape.type_name, core.Local(span, kind))
    if shape.constructor is not None:
        define(shape.constructor, _constructor(kind, shape.constructor, arguments, fields, span))
    if shape.predicate is not None:
        define(shape.predicate, made(predicate, shape.predicate))
    for index, (_, *procedures) in enumerate(shape.fields):
        for maker, symbol in zip((accessor, modifier), procedures, strict=False):
            define(symbol, made(maker, symbol, index))
    return core.sequence(span, [*nodes, core.Constant(span, intern(shape.type_name.name))])


# ── define-structure ─────────────────────────────────────────────────────────────────────────────────────────────────


def _record_definition(expander: Expander, form: Pair, scope: Scope, span: Span) -> Value:
    """The ``define-record-type`` form that a ``define-structure`` form is short for."""
    if type(form.cdr) is not Pair:
        expander.bad(form, span)
    names: list[Symbol] = []
    for cell in cells(form.cdr):
        name = cell.car.car if type(cell.car) is Pair else cell.car  # options and initial values change nothing
        if type(name) is not Symbol:
            expander.bad(form, expander.span_at(cell, span), culprit=name)
        if name in names[1:]:
            raise ScmSyntaxError("define-structure: duplicate field:", name, span=expander.span_at(cell, span))
        names.append(name)
    record, *fields = names
    made = [list_of([field, *(intern(text) for text in _names_of_field(record, field))]) for field in fields]
    constructor = list_of([intern(f"make-{record.name}"), *fields])
    keyword_of_records = expander.standard("define-record-type")
    return list_of([keyword_of_records, record, constructor, intern(f"{record.name}?"), *made])


def _names_of_field(record: Symbol, field: Symbol) -> tuple[str, str]:
    return f"{record.name}-{field.name}", f"set-{record.name}-{field.name}!"


@special_form(
    "define-structure",
    "(define-structure name field …)",
    stands_for=_record_definition,
    example="(begin (define-structure point x y) (point-y (make-point 1 2))) → 2",
)
def expand_define_structure(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Define a type of records, as in MIT Scheme: make-name, name?, name-field and set-name-field! for each field."""
    return expander.expand(_record_definition(expander, form, scope, span), scope, span)


def _constructor(
    kind: core.Variable, name: Symbol, arguments: list[Symbol], fields: list[Symbol], span: Span
) -> core.Node:
    """A procedure with a parameter for each argument; fields without one are #f at first."""
    parameters = {symbol: core.Variable(symbol.name) for symbol in arguments}
    values: list[core.Node] = [
        core.Local(span, parameters[field]) if field in parameters else core.Constant(span, FALSE) for field in fields
    ]
    call = core.Call(span, core.Constant(span, new_record), (core.Local(span, kind), *values))
    return core.Lambda(span, name.name, tuple(parameters.values()), None, call)


def fresh_type(kind: RecordType) -> RecordType:
    """A new record type: each evaluation of a definition makes its own."""
    return RecordType(kind.name, kind.fields)


def new_record(kind: RecordType, *fields: Value) -> Record:
    """An instance of a type."""
    return Record(kind, list(fields))


# The other procedures of a type are Python's, not compiled: an error in one is blamed on who called it.


def predicate(kind: RecordType, name: Symbol) -> Procedure:
    """The predicate of a type."""

    def is_instance(obj: Value) -> Value:
        return TRUE if type(obj) is Record and obj.kind is kind else FALSE

    return _named(is_instance, name)


def accessor(kind: RecordType, name: Symbol, index: int) -> Procedure:
    """The procedure that gives a field's value."""

    def access(record: Value) -> Value:
        if type(record) is not Record or record.kind is not kind:
            raise SchemeError(f"{name.name}: not a {kind.name}:", record)
        return record.fields[index]

    return _named(access, name)


def modifier(kind: RecordType, name: Symbol, index: int) -> Procedure:
    """The procedure that changes a field's value."""

    def modify(record: Value, value: Value) -> Value:
        if type(record) is not Record or record.kind is not kind:
            raise SchemeError(f"{name.name}: not a {kind.name}:", record)
        record.fields[index] = value
        return UNSPECIFIED

    return _named(modify, name)


def _named(function: Callable[..., Value], name: Symbol) -> Procedure:
    function.__name__ = function.__qualname__ = name.name
    return cast(FunctionType, function)
