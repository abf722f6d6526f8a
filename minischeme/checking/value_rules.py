"""The rules on values: ignored, of the wrong kind, or missing; and on tests and clauses."""

import re
from collections.abc import Iterator

from minischeme.checking.facts import (
    gives_data,
    holds_data,
    is_pure,
    is_written,
    missing_alternatives,
    primitive,
    procedure,
    refuses,
    shown,
)
from minischeme.checking.program import Toplevel
from minischeme.checking.registry import Finding, rule
from minischeme.data.printer import write
from minischeme.data.source import Span
from minischeme.data.values import FALSE, NIL, TRUE, UNSPECIFIED, Pair, String, Symbol, Vector
from minischeme.diagnosis.hints import INFIX, for_name_outside
from minischeme.expansion.core import Bind, Call, Constant, Global, If, Lambda, Local, Node, Sequence, Standard
from minischeme.expansion.core import nodes as nodes_of

_COMPARISONS = {"=": "for words and lists use equal?", "<": "for words use before?", ">": "for words use before?"}

_WITHOUT_VALUE = {"display", "newline", "print", "show", "write", "for-each", "show-line", "princ"}


@rule("unused-value", Sequence)
def unused_value(toplevel: Toplevel, node: Sequence) -> Iterator[Finding]:
    """An expression whose value nothing takes."""
    around = toplevel.parents.get(node)
    is_body = type(around) is Lambda
    if type(around) is If and type(around.test) is Global and procedure(toplevel, around.test) is not None:
        return  # brackets are missing around the test, which another rule reports
    ignored: list[Node] = []
    for part in node.parts:
        is_description = is_body and part is node.parts[0] and type(part) is Constant and type(part.value) is String
        is_last = part is node.parts[-1] or is_description or type(part) is Bind
        if not is_last and is_written(toplevel, part) and is_pure(toplevel, part):
            ignored.append(part)
        elif ignored:
            yield _ignored(toplevel, ignored, part)
            ignored = []


def _ignored(toplevel: Toplevel, parts: list[Node], following: Node) -> Finding:
    first, last = parts[0].span, parts[-1].span
    assert first is not None
    assert last is not None
    hint = for_name_outside(following) if type(following) is Call else None
    if hint is None and type(parts[0]) in (Local, Global) and procedure(toplevel, parts[0]) is not None:
        hint = f"are brackets missing? ({' '.join(map(shown, [*parts, following]))})"
    message = f"the value{'s are' if len(parts) > 1 else ' is'} ignored: {' '.join(map(shown, parts))}"
    return Finding(Span(first.source, first.start, last.end), message, hint or "only the last value of a body counts")


@rule("ends-in-definition", Lambda)
def ends_in_definition(toplevel: Toplevel, node: Lambda) -> Iterator[Finding]:
    """A body that ends in a definition."""
    last = node.body.parts[-1] if type(node.body) is Sequence else node.body
    if type(last) is Bind and last.span is not None and last.span.text.startswith("(define "):
        yield Finding(last.span, "the body ends in a definition", "after it, an expression must give the value")


# ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@rule("not-a-procedure", Call)
def not_a_procedure(toplevel: Toplevel, call: Call) -> Iterator[Finding]:
    """A call of a number, a word, a list and the like."""
    operator, operands = call.operator, call.operands
    if not is_written(toplevel, call) or not is_written(toplevel, operator):
        return
    message = f"eval: bad function in : {shown(call)}"
    middle = operands[0] if operands else None
    if type(middle) is Global and middle.name in INFIX and len(operands) == 2:
        is_data = type(operator) is Constant
        if type(operator) is Local and type(operands[1]) in (Constant, Local, Global):
            is_data = "<" in middle.name or "=" in middle.name or ">" in middle.name
            is_data = is_data or holds_data(toplevel, operator.variable, nodes_of(toplevel.root))
        if is_data:
            hint = f"the procedure comes first: ({middle.name} {shown(operator)} {shown(operands[1])})"
            yield Finding(call.span, message, hint)
    elif type(operator) is Constant:
        text = shown(operator)
        needs_quote = operands and (type(operator.value) is Symbol or text[:1].isdigit())
        hint = f"did you forget a quote? '{shown(call)}" if needs_quote else f"{text} is data, and needs no brackets"
        yield Finding(call.span, message, hint)
    elif gives_data(toplevel, operator):
        yield Finding(call.span, message, f"{shown(operator)} gives no procedure: one pair of brackets too many?")


@rule("wrong-kind", Call)
def wrong_kind(toplevel: Toplevel, call: Call) -> Iterator[Finding]:
    """An argument that a standard procedure can't take."""
    known = primitive(toplevel, call.operator) if is_written(toplevel, call) else None
    if known is None or type(call.operator) is not Global:
        return
    name = call.operator.name
    for index, operand in enumerate(call.operands):
        value, hint = _certain_value(toplevel, operand)
        kind = refuses(known, index, value) if value is not None and is_written(toplevel, operand) else None
        if kind is None:
            continue
        if type(operand) is Constant:
            is_word = name in _COMPARISONS and type(value) in (Symbol, String, Pair, type(NIL))
            hint = f"{name} compares numbers; {_COMPARISONS[name]}" if is_word else None
        yield Finding(operand.span, f"{name}: {kind.complaint}: {_text_of(operand)}", hint)


def _text_of(operand: Node) -> str:
    return write(operand.value) if type(operand) is Constant else shown(operand)


def _certain_value(toplevel: Toplevel, operand: Node) -> tuple[object, str | None]:
    """A value of the kind that an expression surely gives, None if that is not known, with a hint about it."""
    if type(operand) is Constant:
        return operand.value, None
    if type(operand) is Call:
        known = primitive(toplevel, operand.operator)
        if known is not None and not _WITHOUT_VALUE.isdisjoint(known.names):
            return UNSPECIFIED, f"{shown(operand.operator)} gives no value"
    elif type(operand) is Lambda or procedure(toplevel, operand) is not None:
        return is_pure, f"{shown(operand)} is a procedure, and was not called"
    return None, None


@rule("identity", Call)
def identity(toplevel: Toplevel, call: Call) -> Iterator[Finding]:
    """A comparison of strings or lists by eq?."""
    name = call.operator.name if type(call.operator) is Global else ""
    if name not in ("eq?", "eqv?", "memq", "memv", "assq", "assv") or primitive(toplevel, call.operator) is None:
        return
    better = {"m": "member", "a": "assoc"}.get(name[0], "equal?")
    for operand in call.operands if better == "equal?" else call.operands[:1]:
        value = operand.value if type(operand) is Constant and is_written(toplevel, operand) else None
        if type(value) in (Pair, Vector) or (type(value) is String and value.text):
            yield Finding(call.span, f"{name} never finds these the same: {shown(call)}", f"{better} compares contents")


# ── conditionals ─────────────────────────────────────────────────────────────────────────────────────────────────────


@rule("cond-without-else", Call)
def cond_without_else(toplevel: Toplevel, call: Call) -> Iterator[Finding]:
    """A conditional without else whose value is needed."""
    known = primitive(toplevel, call.operator)
    for index, operand in enumerate(call.operands):
        needs = refuses(known, index, UNSPECIFIED) is not None
        if type(operand) is Call and needs and is_written(toplevel, operand):
            called = procedure(toplevel, operand.operator)
            found = missing_alternatives(called.body) if type(called) is Lambda else iter(())
        elif needs or (known is not None and not known.calls_others and type(operand) is If):
            found = missing_alternatives(operand)
        else:
            continue
        for tests, nothing in found:
            if nothing.span is not None and not _are_exhaustive(tests):
                form = re.match(r"[(\[]\s*(if|cond|case|when|unless)\b", nothing.span.text)
                name = form[1] if form is not None else None
                if name is None:
                    continue
                missing = "a third part" if name == "if" else "else"
                line = call.span.source.position(call.span.start)[0] if call.span is not None else "?"
                hint = f"without {missing} it may give no value, which {shown(call.operator)} in line {line} can't take"
                yield Finding(nothing.span, f"{name} without {missing}, whose value is used", hint)


_NEGATED = re.compile(r"\(not (.*)\)")
_COMPARED = re.compile(r"\((<=?|>=?|=) ([^\s()]+|\([^()]*\)) ([^\s()]+|\([^()]*\))\)")
_FLIPPED = str.maketrans("<>", "><")


def _are_exhaustive(tests: list[Node]) -> bool:
    """Whether one of the tests seems to be true in any case, such as one of <, = and >."""
    texts = [" ".join(node.span.text.split()) for node in tests if node.span is not None]
    outcomes: dict[tuple[str, str], str] = {}
    for text in texts:
        negated, compared = _NEGATED.fullmatch(text), _COMPARED.fullmatch(text)
        if negated is not None and negated[1] in texts:
            return True
        if compared is not None:
            relation, *sides = compared.groups()
            if sides != sorted(sides):
                relation, sides = relation.translate(_FLIPPED), sorted(sides)
            key = sides[0], sides[1]
            outcomes[key] = outcomes.get(key, "") + relation
    return type(tests[-1]) is Constant or any(set("<=>") <= set(relations) for relations in outcomes.values())


@rule("always-true", If)
def always_true(toplevel: Toplevel, node: If) -> Iterator[Finding]:
    """A test that is a constant, or a procedure not called."""
    test = node.test
    if not is_written(toplevel, test):
        return
    if type(test) in (Global, Local) and procedure(toplevel, test) is not None:
        text = f"(({shown(test)} …) …)"
        hint = f"every procedure counts as true: is a pair of brackets missing, as in {text}?"
        yield Finding(test.span, f"this test is always true: {shown(test)}", hint)
    elif type(test) is Constant and test.value is not FALSE and test.value is not UNSPECIFIED:
        alternative = node.alternative
        is_last = type(alternative) is Constant and (test.value is TRUE or alternative.value is FALSE)
        if is_last or node.span is None or not re.match(r"[(\[]\s*(if\b|#t)", node.span.text):
            return
        hint = "what follows is never reached" if test.value is TRUE else "only #f counts as false"
        yield Finding(test.span, f"this test is always true: {shown(test)}", hint)


@rule("unreachable", If)
def unreachable(toplevel: Toplevel, node: If) -> Iterator[Finding]:
    """A clause with the test of one before it."""
    around = toplevel.parents.get(node)
    if type(around) is If and around.alternative is node:
        return  # the first clause sees to all
    seen: set[str] = set()
    clause: Node = node
    while isinstance(clause, If) and clause.test.span is not None:
        test, text = clause.test, " ".join(clause.test.span.text.split())
        listed = _listed(test)
        if listed:
            for value in dict.fromkeys(write(constant.value) for constant in listed):
                if value in seen:
                    yield Finding(test.span, f"this clause can't be reached for {value}", "an earlier one lists it")
                seen.add(value)
            if Symbol("quote").name in {getattr(each.value, "name", "") for each in listed} and "'" in text[:3]:
                yield Finding(test.span, f"case lists data, without quotes: {text[:40]}", None)
        elif is_written(toplevel, test) and is_pure(toplevel, test):
            if text in seen:
                yield Finding(test.span, f"this clause can't be reached: {text}", "an earlier one has the same test")
            seen.add(text)
        elif not is_pure(toplevel, test):
            seen.clear()
        clause = clause.alternative


def _listed(test: Node) -> list[Constant]:
    """The data that a clause of `case` lists."""
    found = []
    for node in nodes_of(test):
        if type(node) is Call and type(node.operator) is Standard and node.operator.name == "eqv?":
            found += [operand for operand in node.operands if type(operand) is Constant]
    return found[::-1]
