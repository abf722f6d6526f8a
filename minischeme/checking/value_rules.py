"""The rules on values: ignored, of the wrong kind, or quoted twice."""

from collections.abc import Iterator

from minischeme.checking.registry import Finding, rule
from minischeme.checking.toplevel import Toplevel, name_of, refuses, shown
from minischeme.data.printer import write
from minischeme.data.source import Span
from minischeme.data.values import NIL, UNSPECIFIED, Pair, String, Symbol, Value, Vector, intern
from minischeme.diagnosis.hints import INFIX, for_name_outside
from minischeme.expansion import core
from minischeme.expansion.core import Bind, Call, Constant, Global, If, Lambda, Local, Node, Sequence
from minischeme.expansion.lists import cells

_FOR_WORDS = {"=": "for words and lists use equal?", "<": "for words use before?", ">": "for words use before?"}
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
    return Finding(Span(first.source, first.start, last.end), message, hint or "only the last value of a body counts")


@rule("ends-in-definition", Lambda)
def ends_in_definition(form: Toplevel, node: Lambda) -> Iterator[Finding]:
    """A body that ends in a definition."""
    last = node.body.parts[-1] if isinstance(node.body, Sequence) else node.body
    if isinstance(last, Bind) and last.span is not None and last.span.text.startswith("(define "):
        yield Finding(last.span, "the body ends in a definition", "after it, an expression must give the value")


@rule("not-a-procedure", Call)
def not_a_procedure(form: Toplevel, call: Call) -> Iterator[Finding]:
    """A call of a number, a word, a list and the like."""
    operator, operands, text = call.operator, call.operands, shown(call.operator)
    if not form.is_written(call) or not form.is_written(operator):
        return
    middle = name_of(operands[0]) if len(operands) == 2 else None
    hint = None
    if middle in INFIX and isinstance(operands[0], Global) and isinstance(operator, Constant | Local):
        is_comparison = not {"<", "=", ">"}.isdisjoint(middle) and isinstance(operands[1], Constant)
        if isinstance(operator, Constant) or is_comparison or form.holds_data(operator.variable, core.nodes(form.root)):
            hint = f"the procedure comes first: ({middle} {text} {shown(operands[1])})"
    elif isinstance(operator, Constant):
        needs_quote = operands and (isinstance(operator.value, Symbol) or text[0].isdigit())
        hint = f"did you forget a quote? '{shown(call)}" if needs_quote else f"{text} is data, and needs no brackets"
    elif form.gives_data(operator):
        hint = f"{text} gives no procedure: one pair of brackets too many?"
    if hint is not None:
        yield Finding(call.span, f"eval: bad function in : {shown(call)}", hint)


@rule("wrong-kind", Call)
def wrong_kind(form: Toplevel, call: Call) -> Iterator[Finding]:
    """An argument that a standard procedure can't take."""
    known, name = form.primitive(call), name_of(call.operator) or ""
    for index, operand in enumerate(call.operands if known is not None and form.is_written(call) else ()):
        value, hint = _certain_value(form, operand)
        kind = refuses(known, index, value) if hint is not None and form.is_written(operand) else None
        if kind is not None:
            if isinstance(value, Symbol | String | Pair | type(NIL)):
                hint = f"{name} compares numbers; {_FOR_WORDS[name]}" if name in _FOR_WORDS else None
            text = write(value) if isinstance(operand, Constant) else shown(operand)
            yield Finding(operand.span, f"{name}: {kind.complaint}: {text}", hint or None)


def _certain_value(form: Toplevel, operand: Node) -> tuple[object, str | None]:
    """A value of the kind that an expression surely gives, and a hint about it, None if nothing is known."""
    if isinstance(operand, Constant):
        return operand.value, ""
    if isinstance(operand, Call):
        known = form.primitive(operand)
        if known is not None and not _WITHOUT_VALUE.isdisjoint(known.names):
            return UNSPECIFIED, f"{shown(operand.operator)} gives no value"
    elif form.procedure(operand) is not None:
        return shown, f"{shown(operand)} is a procedure, and was not called"
    return None, None


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
            yield Finding(call.span, f"{name} never finds these the same: {shown(call)}", f"{better} compares contents")


@rule("doubled-quote", Constant)
def doubled_quote(form: Toplevel, node: Constant) -> Iterator[Finding]:
    """A quote inside quoted data, where it is data itself."""
    if not isinstance(node.value, Pair) or not form.is_written(node) or node.span is None:
        return
    text, user = node.span.text, form.primitive(form.parents.get(node, node))
    if node is form.root or (user is not None and not _TAKE_QUOTATIONS.isdisjoint(user.names)):
        return  # a quotation may be what is wanted there
    if text.startswith("''"):
        yield Finding(node.span, f"quoted twice: {shown(node)}", f"one quote is enough: {shown(node)[1:]}")
    elif text[0] == "'" and "'" in text[1:]:
        inner = _needless(form, node.value)
        if inner is not None:
            hint = f"inside a quotation it is data without another quote: {write(inner)[:60]}"
            yield Finding(node.span, f"a quote inside quoted data: {shown(node)}", hint)


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
