"""The forms that test: those of SRFI 64, and `check` of SRFI 78. Leaves what they print to `primitives.testing`."""

from __future__ import annotations

from minischeme.data.source import Span
from minischeme.data.values import FALSE, NIL, TRUE, Pair, String, Symbol, Value, list_of
from minischeme.expansion import core
from minischeme.expansion.expander import Expander, Scope, cells, special_form
from minischeme.expansion.forms.conditionals import ARROW


def _outcome(expander: Expander, expression: Value) -> Value:
    """An expression for the value of an expression, or for what it has raised."""
    problem = Symbol("problem")
    handled = list_of([TRUE, list_of([expander.standard("%raised"), problem])])
    return list_of([expander.standard("guard"), list_of([problem, handled]), expression])


def _with_outcome(expander: Expander, expression: Value, expected: Value, passed: Value, report: Value) -> Value:
    """``(let* ((expected …) (outcome …) (passed …)) report)``"""
    bindings = [
        list_of([_EXPECTED, expected]),
        list_of([_OUTCOME, _outcome(expander, expression)]),
        list_of([_PASSED, passed]),
    ]
    return list_of([expander.standard("let*"), list_of(bindings), report])


_EXPECTED, _OUTCOME, _PASSED = Symbol("expected"), Symbol("outcome"), Symbol("passed")


def _call(expander: Expander, name: str, *operands: Value) -> Value:
    return Pair(expander.standard(name), list_of(operands))


# ── SRFI 64 ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _test(
    expander: Expander, scope: Scope, span: Span, operands: list[Value], passed: Value, *description: Value
) -> core.Node:
    """A test. Args: operands: the name, what is expected, and the expression. description: of what is expected, if the
    value does not say it."""
    name, expected, expression = operands
    report = _call(expander, "%tested", name, _EXPECTED, _OUTCOME, _PASSED, *description)
    return expander.expand(_with_outcome(expander, expression, expected, passed, report), scope, span)


def _operands(expander: Expander, form: Pair, span: Span, least: int) -> list[Value]:
    """The operands with the name of the test first; without one, the test is called by its expression."""
    operands = [cell.car for cell in cells(form.cdr)]
    if len(operands) == least:
        place = expander.span_at(cells(form.cdr)[1 if least > 1 else 0], span)
        return [String(" ".join(place.text.split())), *operands]
    if len(operands) != least + 1:
        expander.bad(form, span)
    return operands


def _comparison(expander: Expander, form: Pair, scope: Scope, span: Span, predicate: str) -> core.Node:
    operands = _operands(expander, form, span, 2)
    equal = _call(expander, predicate, _EXPECTED, _OUTCOME)
    passed = _call(expander, "and", _call(expander, "%returned?", _OUTCOME), equal)
    return _test(expander, scope, span, operands, passed)


@special_form("test-equal", "(test-equal [name] expected expression)")
def expand_test_equal(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Test that the value of an expression is equal? to what is expected."""
    return _comparison(expander, form, scope, span, "equal?")


@special_form("test-eqv", "(test-eqv [name] expected expression)")
def expand_test_eqv(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Test that the value of an expression is eqv? to what is expected."""
    return _comparison(expander, form, scope, span, "eqv?")


@special_form("test-eq", "(test-eq [name] expected expression)")
def expand_test_eq(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Test that the value of an expression is eq? to what is expected."""
    return _comparison(expander, form, scope, span, "eq?")


@special_form("test-approximate", "(test-approximate [name] expected expression error)")
def expand_test_approximate(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Test that the value of an expression is no farther than the error from what is expected."""
    name, expected, expression, error = _operands(expander, form, span, 3)
    distance = _call(expander, "abs", _call(expander, "-", _OUTCOME, _EXPECTED))
    is_number = _call(expander, "number?", _OUTCOME)
    passed = _call(expander, "and", is_number, _call(expander, "<=", distance, error))
    return _test(expander, scope, span, [name, expected, expression], passed)


@special_form("test-assert", "(test-assert [name] expression)")
def expand_test_assert(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Test that the value of an expression is true."""
    name, expression = _operands(expander, form, span, 1)
    passed = _call(expander, "and", _call(expander, "%returned?", _OUTCOME), _OUTCOME)
    return _test(expander, scope, span, [name, TRUE, expression], passed, String("a true value"))


@special_form("test-error", "(test-error [[name] type] expression)")
def expand_test_error(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Test that an expression raises an error, or what a predicate, the type, is true of."""
    operands = [cell.car for cell in cells(form.cdr)]
    if not 1 <= len(operands) <= 3:
        expander.bad(form, span)
    is_name = len(operands) == 3 or (len(operands) == 2 and type(operands[0]) is String)
    name = operands[0] if is_name else _operands(expander, list_of([form.car, operands[-1]]), span, 1)[0]
    kind = TRUE if len(operands) == 1 or (is_name and len(operands) == 2) else operands[-2]
    is_of_kind = list_of([_EXPECTED, _call(expander, "%what-was-raised", _OUTCOME)])
    test = _call(expander, "if", _call(expander, "procedure?", _EXPECTED), is_of_kind, _EXPECTED)
    passed = _call(expander, "if", _call(expander, "%returned?", _OUTCOME), FALSE, test)
    return _test(expander, scope, span, [name, kind, operands[-1]], passed, String("an error"))


@special_form("test-group", "(test-group name expression …)")
def expand_test_group(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """A group of tests: test-begin, the expressions, test-end."""
    if type(form.cdr) is not Pair:
        expander.bad(form, span)
    begin, end = _call(expander, "test-begin", form.cdr.car), _call(expander, "test-end")
    body = [] if form.cdr.cdr is NIL else [Pair(expander.standard("let"), Pair(NIL, form.cdr.cdr))]
    parts = [begin, *body, end]
    return expander.expand(_call(expander, "begin", *parts), scope, span)


# ── SRFI 78 ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@special_form("check", "(check expression => expected) or (check expression (=> equal) expected)", is_weak=True)
def expand_check(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Check that the value of an expression is equal? to what is expected, and say so."""
    operands = [cell.car for cell in cells(form.cdr)]
    arrow = operands[1] if len(operands) == 3 else None
    comparison = list(arrow) if type(arrow) is Pair else [arrow]
    is_check = type(comparison[0]) is Symbol and expander.is_word(comparison[0], ARROW, scope)
    if not is_check or len(comparison) > 2:
        # A call of the program's own procedure, which it may have yet to define.
        called = expander.at(form, scope, span)
        return core.Call(span, called, tuple([expander.at(cell, scope, span) for cell in cells(form.cdr)]))
    expression, expected = operands[0], operands[2]
    equal = comparison[1] if type(arrow) is Pair and len(comparison) == 2 else expander.standard("equal?")
    passed = _call(expander, "and", _call(expander, "%returned?", _OUTCOME), list_of([equal, _OUTCOME, _EXPECTED]))
    report = _call(expander, "%checked", _call(expander, "quote", expression), _OUTCOME, _EXPECTED, _PASSED)
    whole = _with_outcome(expander, expression, expected, passed, report)
    return expander.expand(_call(expander, "if", _call(expander, "%checking?"), whole), scope, span)
