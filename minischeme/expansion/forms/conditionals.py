"""The conditionals that expand to `if`: cond, case, and, or, when, unless, assert."""

from collections.abc import Callable, Sequence
from functools import reduce

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, NIL, TRUE, UNSPECIFIED, Pair, Value, intern
from minischeme.expansion import core
from minischeme.expansion.core import If, Node
from minischeme.expansion.lists import cells, is_proper
from minischeme.expansion.scopes import plain
from minischeme.expansion.special_form import Use, special_form

ELSE = intern("else")
ARROW = intern("=>")


def checked_clauses(use: Use, found: list[Pair]) -> list[tuple[Use, Pair, bool]]:
    """The clauses of a conditional with their spans, and whether each is the ``else`` clause, which must be last."""
    clauses: list[tuple[Use, Pair, bool]] = []
    for cell in found:
        clause, part = cell.car, use.within(cell)
        if type(clause) is not Pair or not is_proper(clause):
            part.bad()
        is_else = part.is_word(clause.car, ELSE)
        if is_else and cell is not found[-1]:
            raise part.error("else is not in the last clause:", clause)
        clauses.append((part, clause, is_else))
    return clauses


def _receiver(part: Use, clause: Pair) -> Node | None:
    """The procedure of a clause that ends in ``=> procedure``; None for other clauses."""
    if type(clause.cdr) is not Pair or not part.is_word(clause.cdr.car, ARROW):
        return None
    if type(clause.cdr.cdr) is not Pair or clause.cdr.cdr.cdr is not NIL:
        part.bad()
    return part.at(clause.cdr.cdr)


def choice(use: Use, found: list[Pair], otherwise: Node, wrap: Callable[[Use, Node], Node] | None = None) -> Node:
    """The value of the first of the clauses in some cells whose test is true, changed by `wrap`, for `guard`."""
    result = otherwise
    finish = wrap or (lambda _, node: node)
    for part, clause, is_else in reversed(checked_clauses(use, found)):
        if is_else:
            is_empty = clause.cdr is NIL and wrap is None
            result = part.constant(TRUE) if is_empty else finish(part, part.sequence(clause.cdr))
            continue
        test, receiver = part.at(clause), _receiver(part, clause)
        if clause.cdr is NIL and wrap is None:
            result = core.Or(use.span, test, result)
        elif receiver is None and clause.cdr is not NIL:
            result = If(use.span, test, finish(part, part.sequence(clause.cdr)), result)
        else:
            variable = core.Variable("found")
            value: Node = core.Local(test.span, variable)
            if receiver is not None:
                value = core.Call(part.span, receiver, (value,))
            chosen = If(use.span, core.Local(test.span, variable), finish(part, value), result)
            result = core.sequence(use.span, [core.Bind(test.span, variable, test), chosen])
    return result


@special_form(
    "cond",
    "(cond (test expression …) … (else expression …)), also (test => procedure)",
    example="(cond ((< 5 3) 'less) ((= 5 3) 'same) (else 'more)) → more",
)
def expand_cond(use: Use) -> Node:
    """The expressions of the first clause whose test is true."""
    for cell in use.cells:
        if use.expander.is_form(cell.car, "quote", use.scope):
            use.within(cell).bad()
    return choice(use, use.cells, use.constant(UNSPECIFIED))


@special_form(
    "case", "(case key ((datum …) expression …) … (else expression …))", example="(case 'k ((j q k) 10) (else 0)) → 10"
)
def expand_case(use: Use) -> Node:
    """The expressions of the first clause that lists a datum eqv? to the key."""
    key = core.Variable("key")
    key_node = use.at(use.cells[0])
    result: Node = use.constant(UNSPECIFIED)
    for part, clause, is_else in reversed(checked_clauses(use, use.cells[1:])):
        receiver = _receiver(part, clause)
        if receiver is None:
            consequent = part.sequence(clause.cdr)
        else:
            consequent = core.Call(part.span, receiver, (part.local(key),))
        if is_else:
            result = consequent
            continue
        if not is_proper(clause.car):
            part.bad()
        tests = [part.call("eqv?", part.local(key), part.constant(plain(cell.car))) for cell in cells(clause.car)]
        result = If(part.span, _any_of(part, tests), consequent, result)
    return core.sequence(use.span, [core.Bind(key_node.span, key, key_node), result])


def _any_of(use: Use, nodes: Sequence[Node]) -> Node:
    """The first true value; #f for none."""
    return reduce(lambda rest, node: core.Or(use.span, node, rest), reversed(nodes or [use.constant(FALSE)]))


@special_form("and", "(and expression …)", example="(and (> 3 2) (> 3 1)) → #t")
def expand_and(use: Use) -> Node:
    """#f as soon as an expression is false, else the value of the last; #t for none."""
    parts = [use.at(cell) for cell in use.cells] or [use.constant(TRUE)]
    return reduce(lambda rest, part: If(use.span, part, rest, use.constant(FALSE)), reversed(parts))


@special_form("or", "(or expression …)", example="(or (< 3 2) (> 3 1)) → #t")
def expand_or(use: Use) -> Node:
    """The first value that is true, without evaluating the rest; #f for none."""
    return _any_of(use, [use.at(cell) for cell in use.cells])


@special_form("when", "(when test expression …)", example="(when (> 3 2) 'yes) → yes")
def expand_when(use: Use) -> Node:
    """Evaluate the expressions if the test is true."""
    return If(use.span, use.at(use.cells[0]), use.sequence(use.form.cdr.cdr), use.constant(UNSPECIFIED))


@special_form("unless", "(unless test expression …)", example="(unless (> 3 2) 'no) → okay")
def expand_unless(use: Use) -> Node:
    """Evaluate the expressions if the test is false."""
    return If(use.span, use.at(use.cells[0]), use.constant(UNSPECIFIED), use.sequence(use.form.cdr.cdr))


@special_form("assert", "(assert expression [message])")
def expand_assert(use: Use) -> Node:
    """An error that shows the expression, unless its value is true."""
    test, *details = [use.at(cell) for cell in use.cells]
    complaint = use.call(assertion_failed, use.constant(plain(use.operands[0])), *details)
    return If(use.span, test, use.constant(UNSPECIFIED), complaint)


def assertion_failed(expression: Value, *details: Value) -> Value:
    raise SchemeError("Assertion failed:", expression, *details)
