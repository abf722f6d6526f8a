"""The forms that define several names: define-values, define-record-type, define-structure (R7RS 5.3.3, 5.5)."""

from collections.abc import Callable
from copy import copy
from typing import Any

from minischeme.data import values
from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, UNSPECIFIED, Pair, Record, RecordType, Symbol, Value, boolean, intern, list_of
from minischeme.expansion import core
from minischeme.expansion.core import Node
from minischeme.expansion.forms.multiple_values import names_in, unpacked
from minischeme.expansion.lists import cells, is_proper
from minischeme.expansion.scopes import standard
from minischeme.expansion.special_form import Use, special_form


@special_form(
    "define-values",
    "(define-values (name …) expression)",
    defines=lambda form: names_in(form.cdr.car) if type(form.cdr) is Pair else [],
    example="(begin (define-values (q r) (floor/ 17 5)) (list q r)) → (3 2)",
)
def expand_define_values(use: Use) -> Node:
    """Define a name for each value of an expression; a dotted name takes a list of the others."""
    bind, items = unpacked(use, use.operands[0], use.cells[1])
    definitions = [use.define(symbol, lambda node=node: node) for symbol, node in items]  # type: ignore[misc]
    return core.sequence(use.span, [bind, *definitions, use.constant(UNSPECIFIED)])


# ── define-record-type ───────────────────────────────────────────────────────────────────────────────────────────────


class _Shape:
    """The parts of a ``define-record-type`` form, unchecked, so that malformed ones can be reported later.

    `type_name`; `constructor` and `predicate`, #f if there is none; the constructor's `arguments`, None for all fields;
    `fields`: name, accessor and modifier of each, as far as they are given.
    """

    def __init__(self, form: Pair) -> None:
        parts = [cell.car for cell in cells(form.cdr)]
        given: list[Value] = [*parts, FALSE, FALSE, FALSE]
        head, constructor, self.predicate = given[:3]
        self.is_well_formed = len(parts) >= 3 and all(
            type(field) is not Pair or is_proper(field) for field in parts[3:]
        )
        self.type_name: Value = head.car if type(head) is Pair else head
        self.arguments: list[Value] | None = None
        if type(constructor) is Pair:
            self.arguments = [cell.car for cell in cells(constructor.cdr)]
            self.is_well_formed = self.is_well_formed and is_proper(constructor)
            constructor = constructor.car
        if constructor is values.TRUE and type(self.type_name) is Symbol:
            constructor = intern(f"make-{bare(self.type_name)}")
        self.constructor = constructor
        self.fields = [[cell.car for cell in cells(part)] if type(part) is Pair else [part] for part in parts[3:]]

    def names(self) -> list[Value]:
        optional = [name for name in (self.constructor, self.predicate) if name is not FALSE]
        return [self.type_name, *optional, *(name for field in self.fields for name in field[1:])]


def bare(type_name: Symbol) -> str:
    """A type's name without the usual angle brackets around it."""
    return str(type_name.name).removeprefix("<").removesuffix(">")


@special_form(
    "define-record-type",
    "(define-record-type name (constructor field …) predicate (field accessor [modifier]) …)",
    defines=lambda form: _Shape(form).names(),
    example="(begin (define-record-type cell (make-cell x) cell? (x cell-x)) (cell-x (make-cell 3))) → 3",
)
def expand_define_record_type(use: Use) -> Node:
    """Define a type of records with named fields: its constructor, its predicate, and accessors."""
    shape = _Shape(use.form)
    fields, arguments = _checked_fields(use, shape)
    kind = core.Variable("record-type")
    model = RecordType(bare(shape.type_name), tuple(field.name for field in fields))
    nodes: list[Node] = [core.Bind(use.span, kind, use.call(copy, use.constant(model)))]

    def define(symbol: Symbol, maker: Callable[..., Value], *details: Value) -> None:
        made = use.call(maker, use.local(kind), use.constant(symbol), *map(use.constant, details))
        nodes.append(use.define(symbol, lambda: made))

    nodes.append(use.define(shape.type_name, lambda: use.local(kind)))
    if shape.constructor is not FALSE:
        name = shape.constructor
        nodes.append(use.define(name, lambda: _constructor(use, kind, name, arguments, fields)))
    if shape.predicate is not FALSE:
        define(shape.predicate, predicate)
    for index, (_, *procedures) in enumerate(shape.fields):
        for maker, symbol in zip((accessor, modifier), procedures, strict=False):
            define(symbol, maker, index)
    return core.sequence(use.span, [*nodes, use.constant(intern(shape.type_name.name))])


def _checked_fields(use: Use, shape: _Shape) -> tuple[list[Symbol], list[Symbol]]:
    if not shape.is_well_formed or not all(0 < len(field) <= 3 for field in shape.fields):
        use.bad()
    for name in [*shape.names(), *(field[0] for field in shape.fields)]:
        if type(name) is not Symbol:
            use.bad(name)
    fields: list[Symbol] = [field[0] for field in shape.fields]
    arguments = fields if shape.arguments is None else shape.arguments
    for symbol in arguments:
        if symbol not in fields:
            raise use.within(use.cells[1]).error("no such field:", symbol)
    for symbols in (fields, arguments):
        for symbol in symbols:
            if symbols.count(symbol) > 1:
                raise use.error("duplicate field:", symbol)
    return fields, arguments


def _constructor(use: Use, kind: core.Variable, name: Symbol, arguments: list[Symbol], fields: list[Symbol]) -> Node:
    """A procedure with a parameter for each argument; fields without one are #f at first."""
    parameters = {symbol: core.Variable(symbol.name) for symbol in arguments}
    values = [use.local(parameters[field]) if field in parameters else use.constant(FALSE) for field in fields]
    body = use.call(new_record, use.local(kind), *values)
    return core.Lambda(use.span, name.name, tuple(parameters.values()), None, body)


# ── define-structure ─────────────────────────────────────────────────────────────────────────────────────────────────


@special_form(
    "define-structure",
    "(define-structure name field …)",
    is_derived=True,
    example="(begin (define-structure point x y) (point-y (make-point 1 2))) → 2",
)
def expand_define_structure(use: Use) -> Value:
    """Define a record type, as in MIT Scheme: make-name, name?, and name-field and set-name-field! for each field."""
    names: list[Symbol] = []
    for cell in use.cells:
        name = cell.car.car if type(cell.car) is Pair else cell.car  # options and initial values change nothing
        if type(name) is not Symbol:
            use.within(cell).bad(name)
        if name in names[1:]:
            raise use.within(cell).error("duplicate field:", name)
        names.append(name)
    record, *fields = names
    made = [
        list_of([field, intern(f"{record.name}-{field.name}"), intern(f"set-{record.name}-{field.name}!")])
        for field in fields
    ]
    constructor = list_of([intern(f"make-{record.name}"), *fields])
    return list_of([standard("define-record-type"), record, constructor, intern(f"{record.name}?"), *made])


# ── procedures called by record definitions ──────────────────────────────────────────────────────────────────────────


def new_record(kind: RecordType, *fields: Value) -> Record:
    return Record(kind, list(fields))


# The other procedures of a type are Python functions, so that an error in one is blamed on its caller. Each has a
# template of its calls for `compiler.inlining`: type, text, number of operands, and conditions (none of a test).

_OF_TYPE = ("a.kind is RECORD_TYPE",)


def predicate(kind: RecordType, name: Symbol) -> Value:
    return _named(lambda obj: boolean(type(obj) is Record and obj.kind is kind), name, (kind, *_OF_TYPE, 1, ()))


def accessor(kind: RecordType, name: Symbol, index: int) -> Value:
    """The procedure that gives a field's value."""

    def access(record: Value) -> Value:
        if type(record) is not Record or record.kind is not kind:
            raise SchemeError(f"{name.name}: not a {kind.name}:", record)
        return record.fields[index]

    return _named(access, name, (kind, f"a.fields[{index}]", 1, _OF_TYPE))


def modifier(kind: RecordType, name: Symbol, index: int) -> Value:
    """The procedure that changes a field's value."""

    def modify(record: Value, value: Value) -> Value:
        if type(record) is not Record or record.kind is not kind:
            raise SchemeError(f"{name.name}: not a {kind.name}:", record)
        record.fields[index] = value
        return UNSPECIFIED

    return _named(modify, name, (kind, f"a.fields[{index}] = b", 2, _OF_TYPE))


def _named(function: Callable[..., Value], name: Symbol, inline: tuple[Any, ...]) -> Value:
    function.__name__ = function.__qualname__ = name.name
    function.__dict__["inline"] = inline
    return function


OF_RECORDS = (predicate, accessor, modifier)
