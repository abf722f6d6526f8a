"""The forms that test: those of SRFI 64, and `check` of SRFI 78. Their output is made by `primitives.testing`."""

from minischeme.data.values import TRUE, Pair, String, Symbol, Value
from minischeme.expansion import core
from minischeme.expansion.forms.conditionals import ARROW
from minischeme.expansion.scopes import standard
from minischeme.expansion.special_form import Use, filled, special_form

_WITH_OUTCOME = """
(let* ((expected required)
       (outcome (guard (problem (#t (%raised problem))) expression))
       (passed {passed}))
  {report})"""
"""The evaluation of an expression, whose outcome is its value or the raised object, and the report of the outcome."""


def _tested(passed: str, operands: list[Value], description: str = "", **parts: Value) -> Value:
    """A test.

    Args:
        passed: an expression of ``outcome`` and ``expected``.
        operands: the name, what is expected, and the expression.
        description: of what is expected, if the value does not say it.
    """
    name, required, expression = operands
    text = _WITH_OUTCOME.format(passed=passed, report=f"(%tested name expected outcome passed {description})")
    return filled(text, name=name, required=required, expression=expression, **parts)


def _named(use: Use, least: int, expression: Pair) -> list[Value]:
    """The operands with the name of the test first; the default name is the text of the expression."""
    operands = use.operands
    if len(operands) > least:
        return operands
    return [String(" ".join(use.within(expression).span.text.split())), *operands]


@special_form("test-eq", "(test-eq [name] expected expression)")
@special_form("test-eqv", "(test-eqv [name] expected expression)")
@special_form("test-equal", "(test-equal [name] expected expression)")
def expand_test_equal(use: Use) -> Value:
    """Test that the value of an expression is equal? (or eqv? or eq?, as the name says) to what is expected."""
    passed = f"(and (%returned? outcome) ({use.keyword.removeprefix('test-')}? expected outcome))"
    return _tested(passed, _named(use, 2, use.cells[1]))


@special_form("test-approximate", "(test-approximate [name] expected expression error)")
def expand_test_approximate(use: Use) -> Value:
    """Test that the value of an expression is no farther than the error from what is expected."""
    *operands, error = _named(use, 3, use.cells[1])
    passed = "(and (number? outcome) (<= (abs (- outcome expected)) error))"
    return _tested(passed, operands, error=error)


@special_form("test-assert", "(test-assert [name] expression)")
def expand_test_assert(use: Use) -> Value:
    """Test that the value of an expression is true."""
    name, expression = _named(use, 1, use.cells[0])
    return _tested("(and (%returned? outcome) outcome)", [name, TRUE, expression], '"a true value"')


@special_form("test-error", "(test-error [[name] type] expression)")
def expand_test_error(use: Use) -> Value:
    """Test that an expression raises an error, or what a predicate, the type, is true of."""
    operands = use.operands
    has_name = len(operands) == 3 or (len(operands) == 2 and type(operands[0]) is String)
    name = operands[0] if has_name else _named(use, 3, use.cells[-1])[0]
    kind = operands[-2] if len(operands) > 1 + has_name else TRUE
    passed = """(if (%returned? outcome) #f
                    (if (procedure? expected) (expected (%what-was-raised outcome)) expected))"""
    return _tested(passed, [name, kind, operands[-1]], '"an error"')


@special_form("test-group", "(test-group name expression …)")
def expand_test_group(use: Use) -> Value:
    """A group of tests: test-begin, the expressions, test-end."""
    body = "(let () . body)" if len(use.cells) > 1 else ""
    text = f"(begin (test-begin name) {body} (test-end))"
    return filled(text, name=use.operands[0], body=use.form.cdr.cdr)


@special_form(
    "check",
    "(check expression => expected) or (check expression (=> equal) expected)",
    counts_operands=False,
    is_weak=True,
)
def expand_check(use: Use) -> Value:
    """Check that the value of an expression is equal? to what is expected, and say so."""
    operands = use.operands
    arrow = operands[1] if len(operands) == 3 else None
    comparison = list(arrow) if type(arrow) is Pair else [arrow]
    if type(comparison[0]) is not Symbol or not use.is_word(comparison[0], ARROW) or len(comparison) > 2:
        # A call of the program's own procedure, which it may have yet to define.
        return core.Call(use.span, use.at(use.form), tuple([use.at(cell) for cell in use.cells]))
    equal = comparison[1] if len(comparison) == 2 else standard("equal?")
    report = "(%checked 'expression outcome expected passed)"
    text = _WITH_OUTCOME.format(passed="(and (%returned? outcome) (equal outcome expected))", report=report)
    text = f"(if (%checking?) {text})"
    return filled(text, expression=operands[0], required=operands[2], equal=equal)
