"""Facts about expressions that hold in every run: effects, numbers of arguments, kinds of values."""

import re
from collections.abc import Iterable, Iterator
from types import FunctionType

from minischeme.checking.program import Toplevel
from minischeme.compiler.assembly import info_of
from minischeme.data.abbreviate import one_line
from minischeme.data.values import UNSPECIFIED
from minischeme.diagnosis.call_hints import for_wrong_count
from minischeme.expansion.core import (
    Bind,
    Call,
    Constant,
    Global,
    If,
    Lambda,
    Local,
    Node,
    Or,
    Sequence,
    Standard,
    Variable,
    children,
)
from minischeme.primitives.kinds import Kind
from minischeme.primitives.registry import Primitive, primitive_of

_PURE_TOPICS = {
    *("elementary", "equivalence", "integers", "lists", "numbers", "pairs", "registry", "strings", "symbols"),
    *("vectors", "words"),
}
"""The modules of the standard procedures that have no effect, but for those with a ! and `random`."""

_DATA_TOPICS = {"elementary", "equivalence", "integers", "numbers", "ports", "registry", "strings", "symbols"}
"""The modules of the standard procedures whose values are no procedures."""

_DATA_MAKERS = {"append", "cons", "count", "iota", "length", "list", "reverse", "se", "sentence", "word"}

_TAKE_DATA = {"first", "butfirst", "last", "butlast", "empty?", "count", "null?", "word", "sentence"}

_WRITTEN_FORM = re.compile(r"[(\[]\s*(?:if|cond|case|and|or|when|unless|lambda|λ|quote)[\s()\[\]]", re.IGNORECASE)


def is_written(toplevel: Toplevel, node: Node) -> bool:
    """Whether the text of the program spells out an expression: not one that a macro or special form has made."""
    span = node.span
    if span is None or span.source is not toplevel.form.span.source:
        return False
    text = span.text
    if type(node) is Call:
        inner = node.operator.span
        return inner is not None and text[:1] in ("(", "[") and span.start < inner.start and inner.end <= span.end
    name = name_of(node)
    if name is not None:
        return text.lower().strip("|") == name.lower()
    return text[:1] not in ("(", "[") or _WRITTEN_FORM.match(text) is not None


def name_of(node: Node) -> str | None:
    """The name that an expression consists of."""
    return node.name if isinstance(node, Global) else node.variable.name if isinstance(node, Local) else None


def shown(node: Node) -> str:
    """The text of an expression in one line of a message."""
    return one_line(node.span.text) if node.span is not None else "…"


# ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def procedure(toplevel: Toplevel, operator: Node) -> Lambda | FunctionType | None:
    """The procedure that an operator surely gives; None for others."""
    if type(operator) is Local:
        return None if operator.variable.assigned else toplevel.lambdas.get(operator.variable)
    if type(operator) is Standard:
        found = toplevel.names.library.get(operator.name)
        return found if type(found) is FunctionType else None
    return toplevel.names.procedure(operator)


def primitive(toplevel: Toplevel, operator: Node) -> Primitive | None:
    """The standard procedure that an operator surely gives."""
    return primitive_of(procedure(toplevel, operator)) if type(operator) in (Global, Standard) else None


def arity(known: Lambda | FunctionType) -> tuple[int, int | None] | None:
    """The least and the most number of arguments, no most for any number; None if they are not known."""
    if isinstance(known, Lambda):
        count = len(known.parameters)
        return count, count if known.rest is None else None
    standard, info = primitive_of(known), info_of(known.__code__)
    if standard is not None:
        return standard.arity
    if info is None or info.procedure is None:
        return None
    return len(info.parameters), len(info.parameters) if info.rest is None else None


def called_as(known: Lambda | FunctionType, name: str | None) -> str | None:
    """The hint that shows how a procedure is called."""
    if type(known) is Lambda and name is not None:
        rest = [] if known.rest is None else [".", known.rest.name]
        return f"it is called as ({' '.join([name, *(variable.name for variable in known.parameters), *rest])})"
    return for_wrong_count(known, name)


def kind_of(known: Primitive, index: int) -> Kind | None:
    """The kind that an argument of a standard procedure must have."""
    code = known.function.__code__
    rest = code.co_argcount + code.co_kwonlyargcount
    name = code.co_varnames[index] if index < code.co_argcount else code.co_varnames[rest : rest + 1] or None
    return known.kinds.get(name if isinstance(name, str) else name[0]) if name else None


def refuses(known: Primitive | None, index: int, value: object) -> Kind | None:
    """The kind that a value is not of, though a standard procedure wants it as an argument."""
    kind = kind_of(known, index) if known is not None else None
    return kind if kind is not None and not kind.test(value) else None


def holds_data(toplevel: Toplevel, variable: Variable, calls: Iterable[Node]) -> bool:
    """Whether a standard procedure that takes no procedures is given the value of a variable in some calls."""
    for call in calls:
        known = primitive(toplevel, call.operator) if isinstance(call, Call) else None
        if not isinstance(call, Call) or known is None:
            continue
        for index, operand in enumerate(call.operands):
            if type(operand) is Local and operand.variable is variable:
                if refuses(known, index, known.function) or not _TAKE_DATA.isdisjoint(known.names):
                    return True
    return False


# ── values and effects ───────────────────────────────────────────────────────────────────────────────────────────────


def is_pure(toplevel: Toplevel, root: Node) -> bool:
    """Whether the evaluation of an expression has surely no effect but its value, an error, or taking long."""
    waiting, entered = [root], set[Lambda]()
    while waiting:
        node = waiting.pop()
        if type(node) is Call:
            known = procedure(toplevel, node.operator)
            if type(known) is Lambda and known not in entered:
                entered.add(known)
                waiting.append(known.body)
            elif type(known) is not Lambda and not _is_pure_primitive(primitive(toplevel, node.operator)):
                return False
            waiting += node.operands
        elif type(node) in (If, Or, Sequence, Bind):
            waiting += children(node)
        elif type(node) not in (Constant, Local, Global, Standard, Lambda):
            return False
    return True


def topic(known: Primitive) -> str:
    return str(known.function.__module__).rpartition(".")[2]


def _is_pure_primitive(known: Primitive | None) -> bool:
    if known is None or known.calls_others or topic(known) not in _PURE_TOPICS:
        return False
    return not any(name.endswith("!") or name == "random" for name in known.names)


def gives_data(toplevel: Toplevel, node: Node) -> bool:
    """Whether the value of an expression is surely no procedure."""
    if type(node) is Constant:
        return True
    known = primitive(toplevel, node.operator) if type(node) is Call else None
    return known is not None and (topic(known) in _DATA_TOPICS or not _DATA_MAKERS.isdisjoint(known.names))


def missing_alternatives(node: Node) -> Iterator[tuple[list[Node], Constant]]:
    """The places where a conditional that gives the value of an expression has no clause for what is left, each with
    the tests before it."""
    waiting: list[tuple[Node, list[Node]]] = [(node, [])]
    while waiting:
        node, tests = waiting.pop()
        if type(node) is Sequence:
            waiting.append((node.parts[-1], []))
        elif type(node) is If:
            waiting.append((node.consequent, []))
            last, tests = node.alternative, [*tests, node.test]
            if type(last) is Constant and last.value is UNSPECIFIED:
                yield tests, last
            else:
                waiting.append((last, tests))
