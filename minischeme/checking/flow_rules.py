"""The rules on conditionals and recursion: tests, clauses, and calls of a procedure by itself."""

import re
from collections.abc import Iterator
from typing import Literal

from minischeme.checking.registry import Finding, rule
from minischeme.checking.toplevel import Toplevel, line_of, missing_alternatives, name_of, refuses, shown
from minischeme.data.printer import write
from minischeme.data.values import FALSE, TRUE, UNSPECIFIED
from minischeme.expansion import core
from minischeme.expansion.core import Call, Constant, If, Lambda, Local, Node, Or, Standard


@rule("cond-without-else", Call)
def cond_without_else(form: Toplevel, call: Call) -> Iterator[Finding]:
    """A conditional without else whose value is needed."""
    known = form.primitive(call)
    for index, operand in enumerate(call.operands):
        called = form.procedure(operand.operator) if isinstance(operand, Call) else None
        value = called.body if isinstance(called, Lambda) else operand
        needs = refuses(known, index, UNSPECIFIED) is not None
        if not needs and (value is not operand or known is None or known.calls_others):
            continue
        for tests, nothing in missing_alternatives(value):
            head = re.match(r"[(\[]\s*(if|cond|case|when|unless)\b", nothing.span.text if nothing.span else "")
            if head is not None and not _are_exhaustive(tests):
                missing = "a third part" if head[1] == "if" else "else"
                user = f", which {shown(call.operator)} in line {line_of(call)} can't take" if needs else ""
                hint = f"without {missing} it may give no value{user}"
                yield nothing, f"{head[1]} without {missing}, whose value is used", hint


def _are_exhaustive(tests: list[Node]) -> bool:
    """Whether one of the tests seems to be true in any case, such as one of <, = and >."""
    texts = [" ".join(node.span.text.split()) for node in tests if node.span is not None]
    relations = "".join(text[1 : text.find(" ")] for text in texts if re.match(r"\((<=?|>=?|=) ", text))
    is_certain = isinstance(tests[-1], Constant) or any(f"(not {text})" in texts for text in texts)
    return is_certain or set("<=>") <= set(relations)


@rule("always-true", If)
def always_true(form: Toplevel, node: If) -> Iterator[Finding]:
    """A test that is a constant, or a procedure not called."""
    test, last, text = node.test, node.alternative, shown(node.test)
    if not form.is_written(test):
        return
    if name_of(test) is not None and form.procedure(test) is not None:
        hint = f"every procedure counts as true: is a pair of brackets missing, as in (({text} …) …)?"
        yield test, f"this test is always true: {text}", hint
    elif isinstance(test, Constant) and test.value is not FALSE and node.span is not None:
        is_last = isinstance(last, Constant) and (test.value is TRUE or last.value is FALSE)
        if not is_last and re.match(r"[(\[]\s*(if|cond)\b", node.span.text):
            hint = "what follows is never reached" if test.value is TRUE else "only #f counts as false"
            yield test, f"this test is always true: {text}", hint


@rule("unreachable", If)
def unreachable(form: Toplevel, node: If) -> Iterator[Finding]:
    """A clause with the test of one before it."""
    around = form.parents.get(node)
    clause: Node = node
    if isinstance(around, If) and around.alternative is node:
        return  # the first clause sees to all
    seen: set[str] = set()
    while isinstance(clause, If) and clause.test.span is not None:
        test, text = clause.test, shown(clause.test)
        listed = _listed(test)
        tests = [write(each.value) for each in listed] or ([text] if form.is_written(test) else [])
        if not form.is_pure(test):
            seen.clear()
            tests = []
        for each in sorted(seen.intersection(tests)):
            hint = "an earlier one lists it" if listed else "an earlier one has the same test"
            yield test, f"this clause can't be reached{' for' if listed else ':'} {each}", hint
        if "quote" in tests and "'" in text[:3]:
            yield test, f"case lists data, without quotes: {text}", None
        seen.update(tests)
        clause = clause.alternative


def _listed(test: Node) -> list[Constant]:
    """The data that a clause of `case` lists."""
    found = []
    for node in core.nodes(test):
        if isinstance(node, Call) and isinstance(node.operator, Standard) and node.operator.name == "eqv?":
            found += [operand for operand in node.operands if isinstance(operand, Constant)]
    return found


# ── recursion ────────────────────────────────────────────────────────────────────────────────────────────────────────

_End = Literal["calls", "passes", "unknown"]
"""Whether an evaluation calls the procedure in any case, may be over without that, or may leave in another way."""


def _calls_itself(form: Toplevel, procedure: Lambda, node: Node) -> bool:
    """Whether an expression of a procedure, not one of another procedure inside, calls it by its name."""
    if not isinstance(node, Call) or node.operator is procedure or form.procedure(node.operator) is not procedure:
        return False
    return core.lambda_around(node, form.parents) is procedure


def _end(form: Toplevel, procedure: Lambda, node: Node) -> _End:
    """The end of the evaluation of a part of a procedure's body."""
    parts = () if isinstance(node, Lambda) else core.children(node)
    if isinstance(node, If | Or):
        parts = parts[:1]
    for part in parts:
        found = _end(form, procedure, part)
        if found != "passes":
            return found
    if isinstance(node, If | Or):
        ends = {_end(form, procedure, branch) for branch in core.children(node)[1:]}
        ends |= {"passes"} if isinstance(node, Or) else set()
        return "unknown" if "unknown" in ends else "passes" if "passes" in ends else "calls"
    if _calls_itself(form, procedure, node):
        return "calls"
    return "passes" if not isinstance(node, Call) or form.is_pure(node) else "unknown"


@rule("no-base-case", Lambda)
def no_base_case(form: Toplevel, node: Lambda) -> Iterator[Finding]:
    """A procedure that calls itself in any case."""
    if node.parameters and _end(form, node, node.body) == "calls":
        hint = "a recursive procedure needs a base case, which gives a value without a call"
        yield node, f"{node.name} always calls itself", hint


@rule("same-arguments", Lambda)
def same_arguments(form: Toplevel, node: Lambda) -> Iterator[Finding]:
    """A recursive call that repeats the arguments."""
    if not node.parameters or any(variable.assigned for variable in node.parameters):
        return
    for call in core.nodes(node.body):
        if isinstance(call, Call) and _calls_itself(form, node, call):
            given = [operand.variable if isinstance(operand, Local) else None for operand in call.operands]
            if given == list(node.parameters) and form.is_pure(node.body):
                yield call, f"this repeats the call with the same arguments: {shown(call)}", None
