"""The rules on values: ignored, of the wrong kind, or quoted twice."""

from collections.abc import Iterator
from typing import Any

from minischeme.checking.registry import Finding, rule
from minischeme.checking.toplevel import Toplevel, name_of, refuses, shown
from minischeme.data.printer import write
from minischeme.data.source import Span
from minischeme.data.values import UNSPECIFIED, Pair, String, Symbol, Value, Vector, intern
from minischeme.diagnosis.call_hints import for_arguments, for_bad_function, for_infix
from minischeme.diagnosis.hints import UNKNOWN, for_name_outside
from minischeme.diagnosis.site import Site
from minischeme.expansion.core import Bind, Call, Constant, Global, If, Lambda, Local, Node, Sequence
from minischeme.expansion.lists import cells

_WITHOUT_VALUE = {"display", "newline", "print", "show", "write", "for-each", "show-line"}
_TAKE_QUOTATIONS = {"car", "cdr", "eval", "pair?", "list?", "symbol?"}
_QUOTE = intern("quote")


@rule("unused-value", Sequence)
def unused_value(form: Toplevel, node: Sequence) -> Iterator[Finding]:
    """An expression whose value nothing takes."""
    around = form.parents.get(node)
    if isinstance(around, If) and isinstance(around.test, Global) and form.procedure(around.test) is not None:
        return  # brackets are missing around the test, which another rule reports
    ignored: list[Node] = []
    for part in node.parts:
        is_text = isinstance(part, Constant) and isinstance(part.value, String)
        is_description = is_text and isinstance(around, Lambda) and part is node.parts[0]
        is_used = part is node.parts[-1] or is_description or isinstance(part, Bind)
        if not is_used and form.is_written(part) and form.is_pure(part):
            ignored.append(part)
        elif ignored:
            yield _ignored(form, ignored, part)
            ignored = []


def _ignored(form: Toplevel, parts: list[Node], following: Node) -> Finding:
    first, last = parts[0].span, parts[-1].span
    assert first is not None
    assert last is not None
    hint = for_name_outside(following) if isinstance(following, Call) else None
    if hint is None and name_of(parts[0]) is not None and form.procedure(parts[0]) is not None:
        hint = f"are brackets missing? ({' '.join(map(shown, [*parts, following]))})"
    message = f"the value{'s are' if len(parts) > 1 else ' is'} ignored: {' '.join(map(shown, parts))}"
    return Span(first.source, first.start, last.end), message, hint or "only the last value of a body counts"


@rule("ends-in-definition", Lambda)
def ends_in_definition(form: Toplevel, node: Lambda) -> Iterator[Finding]:
    """A body that ends in a definition."""
    last = node.body.parts[-1] if isinstance(node.body, Sequence) else node.body
    if isinstance(last, Bind) and last.span is not None and last.span.text.startswith("(define "):
        yield last, "the body ends in a definition", "after it, an expression must give the value"


@rule("not-a-procedure", Call)
def not_a_procedure(form: Toplevel, call: Call) -> Iterator[Finding]:
    """A call of a number, a word, a list and the like."""
    operator, infix = call.operator, for_infix(call)
    is_certain = form.gives_data(operator)
    if isinstance(operator, Local) and infix is not None and len(call.operands) == 2:
        is_comparison = not {"<", "=", ">"}.isdisjoint(infix) and isinstance(call.operands[1], Constant)
        is_certain = is_comparison or form.holds_data(operator.variable)
    if is_certain and form.is_written(operator):
        value = operator.value if isinstance(operator, Constant) else UNKNOWN
        hint = infix or for_bad_function(call, value, type(value).__name__)
        yield call, f"eval: bad function in : {shown(call)}", hint


@rule("wrong-kind", Call)
def wrong_kind(form: Toplevel, call: Call) -> Iterator[Finding]:
    """An argument that a standard procedure can't take."""
    known = form.primitive(call)
    if known is None:
        return
    values = [_certain_value(form, operand) for operand in call.operands]
    for index, (operand, value) in enumerate(zip(call.operands, values, strict=True)):
        kind = refuses(known, index, value) if value is not UNKNOWN and form.is_written(operand) else None
        if kind is not None:
            hint = for_arguments(Site(None, (), call, known.function, values), value, shown(operand))
            if isinstance(operand, Call):
                hint = f"{shown(operand.operator)} gives no value"
            text = write(value) if isinstance(operand, Constant) else shown(operand)
            yield operand, f"{name_of(call.operator)}: {kind.complaint}: {text}", hint


def _certain_value(form: Toplevel, operand: Node) -> Any:
    """A value of the kind that an expression surely gives; `UNKNOWN` where none is certain."""
    if isinstance(operand, Constant):
        return operand.value
    if isinstance(operand, Call):
        known = form.primitive(operand)
        return UNKNOWN if known is None or _WITHOUT_VALUE.isdisjoint(known.names) else UNSPECIFIED
    return UNKNOWN if form.procedure(operand) is None else shown  # any procedure


@rule("identity", Call)
def identity(form: Toplevel, call: Call) -> Iterator[Finding]:
    """A comparison of strings or lists by eq?."""
    name = name_of(call.operator) or ""
    if name not in ("eq?", "eqv?", "memq", "memv", "assq", "assv") or form.primitive(call) is None:
        return
    better = {"m": "member", "a": "assoc"}.get(name[0], "equal?")
    for operand in call.operands if better == "equal?" else call.operands[:1]:
        value = operand.value if isinstance(operand, Constant) and form.is_written(operand) else None
        if isinstance(value, Pair | Vector) or (isinstance(value, String) and value.text):
            yield call, f"{name} never finds these the same: {shown(call)}", f"{better} compares contents"


@rule("doubled-quote", Constant)
def doubled_quote(form: Toplevel, node: Constant) -> Iterator[Finding]:
    """A quote inside quoted data, where it is data itself."""
    if not isinstance(node.value, Pair) or not form.is_written(node) or node.span is None:
        return
    text, user = node.span.text, form.primitive(form.parents.get(node, node))
    if node is form.root or (user is not None and not _TAKE_QUOTATIONS.isdisjoint(user.names)):
        return  # a quotation may be what is wanted there
    if text.startswith("''"):
        yield node, f"quoted twice: {shown(node)}", f"one quote is enough: {shown(node)[1:]}"
    elif text[0] == "'" and "'" in text[1:]:
        inner = _needless(form, node.value)
        if inner is not None:
            hint = f"inside a quotation it is data without another quote: {write(inner)[:60]}"
            yield node, f"a quote inside quoted data: {shown(node)}", hint


def _needless(form: Toplevel, datum: Pair) -> Value | None:
    """The quoted part of a list that is no code: one whose first element names no procedure or special form."""
    found = [cell.car for cell in cells(datum)]
    if isinstance(found[0], Symbol) and form.names.is_bound(found[0].name):
        return None
    for part in found:
        if isinstance(part, Pair) and part.car is _QUOTE:
            return part.cdr.car if isinstance(part.cdr, Pair) else None
        inner = _needless(form, part) if isinstance(part, Pair) else None
        if inner is not None:
            return inner
    return None
