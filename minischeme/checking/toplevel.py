"""`Toplevel`: an expanded form of a program, with facts about its expressions that hold in every run."""

import re
from collections.abc import Iterator
from functools import cached_property
from types import FunctionType
from typing import TYPE_CHECKING

from minischeme.checking.registry import Finding
from minischeme.compiler.assembly import info_of
from minischeme.data.abbreviate import one_line, without_comments
from minischeme.data.values import UNSPECIFIED
from minischeme.diagnosis.call_hints import for_wrong_count
from minischeme.expansion import core
from minischeme.expansion.core import Call, Constant, Global, If, Lambda, Local, Node, Sequence, Standard, Variable
from minischeme.primitives.kinds import Kind
from minischeme.primitives.registry import Primitive, primitive_of
from minischeme.reading.forms import Form

if TYPE_CHECKING:
    from minischeme.checking.program import StaticNames

_DATA = {"elementary", "equivalence", "integers", "numbers", "registry", "strings", "symbols"}
_PURE = _DATA | {"lists", "pairs", "vectors", "words"}
"""The modules of the standard procedures whose values are no procedures, and of those without effects, but for some."""

_DATA_MAKERS = {"append", "cons", "count", "display", "iota", "length", "list", "newline", "sentence", "word"}
_TAKE_DATA = {"first", "butfirst", "last", "butlast", "empty?", "count", "null?", "word", "sentence"}
_MADE = re.compile(r"[(\[](?!\s*(?:if|cond|case|and|or|when|unless|lambda|λ|quote)[\s()\[\]])", re.IGNORECASE)


class Toplevel:
    """A form of the checked text or of a file that it loads, expanded in a namespace."""

    def __init__(self, form: Form, root: Node, names: "StaticNames") -> None:
        self.form, self.root, self.names = form, root, names

    @cached_property
    def parents(self) -> dict[Node, Node]:
        """The expression around each part."""
        return core.parents(self.root)

    @cached_property
    def _lambdas(self) -> dict[Variable, Lambda]:
        return core.bound_lambdas(self.root)

    def certain_nodes(self) -> Iterator[Node]:
        """The expressions that rules look at: no calls that the text does not spell out, no expressions whose errors
        the program handles, and none in what may well be a misspelt special form."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            operator = node.operator if isinstance(node, Call) else None
            is_guard = isinstance(operator, Standard) and operator.name == "%guard"
            is_unknown = isinstance(operator, Global) and not self.names.is_bound(operator.name)
            waiting += core.children(node)[: 1 if is_guard or is_unknown else None]
            if operator is None or self.is_written(node):
                yield node

    def is_written(self, node: Node) -> bool:
        """Whether the text spells out an expression: not one that a macro or special form has made."""
        span, name = node.span, name_of(node)
        if span is None or span.source is not self.form.span.source:
            return False
        if name is not None:
            return span.text.lower().strip("|") == name.lower()
        if type(node) is Call:
            inner = node.operator.span
            return inner is not None and span.start < inner.start and inner.end <= span.end
        return _MADE.match(span.text) is None

    def procedure(self, operator: Node) -> Lambda | FunctionType | None:
        """The procedure that an operator surely gives; None for others."""
        if isinstance(operator, Local):
            return None if operator.variable.assigned else self._lambdas.get(operator.variable)
        if isinstance(operator, Standard):
            found = self.names.library.get(operator.name)
            return found if type(found) is FunctionType else None
        if isinstance(operator, Global):
            return self.names.procedure(operator.name)
        return operator if isinstance(operator, Lambda) else None

    def primitive(self, node: Node) -> Primitive | None:
        """The standard procedure that a call is one of."""
        return primitive_of(self.procedure(node.operator)) if isinstance(node, Call) else None

    def is_pure(self, root: Node) -> bool:
        """Whether the evaluation of an expression has surely no effect but its value, an error, or taking long."""
        waiting, entered = [root], set[Lambda]()
        while waiting:
            node = waiting.pop()
            if type(node) is Call:
                called, known = self.procedure(node.operator), self.primitive(node)
                if isinstance(called, Lambda) and called not in entered:
                    entered.add(called)
                    waiting.append(called.body)
                elif not isinstance(called, Lambda) and (known is None or not _is_pure(known)):
                    return False
                waiting += node.operands
            elif type(node) in (If, core.Or, Sequence, core.Bind):
                waiting += core.children(node)
            elif type(node) not in (Constant, Local, Global, Standard, Lambda):
                return False
        return True

    def gives_data(self, node: Node) -> bool:
        """Whether the value of an expression is surely no procedure."""
        known = self.primitive(node)
        is_data = known is not None and (_topic(known) in _DATA or not _DATA_MAKERS.isdisjoint(known.names))
        return is_data or type(node) is Constant

    def holds_data(self, variable: Variable) -> bool:
        """Whether a standard procedure that takes no procedures is given the value of a variable."""
        for call in core.nodes(self.root):
            known = self.primitive(call)
            for index, operand in enumerate(call.operands if known is not None and isinstance(call, Call) else ()):
                if type(operand) is Local and operand.variable is variable and known is not None:
                    if refuses(known, index, known.function) or not _TAKE_DATA.isdisjoint(known.names):
                        return True
        return False


def _topic(known: Primitive) -> str:
    return str(known.function.__module__).rpartition(".")[2]


def _is_pure(known: Primitive) -> bool:
    has_effect = any(name.endswith("!") or name == "random" for name in known.names)
    return _topic(known) in _PURE and not known.calls_others and not has_effect


def name_of(node: Node) -> str | None:
    """The name that an expression consists of."""
    return node.name if isinstance(node, Global) else node.variable.name if isinstance(node, Local) else None


def shown(node: Node) -> str:
    """The text of an expression in one line of a message."""
    return one_line(without_comments(node.span.text)) if node.span is not None else "…"


def line_of(node: Node) -> int:
    """The line that an expression begins in."""
    return node.span.source.position(node.span.start)[0] if node.span is not None else 1


def count_error(form: Toplevel, place: Node, operator: Node, count: int, user: str = "") -> Iterator[Finding]:
    """The mistake, at a place, of giving so many arguments to a procedure, with a hint that shows how it is called."""
    known = form.procedure(operator)
    standard = primitive_of(known)
    if standard is not None:
        least, most = standard.arity
    else:
        info = info_of(known.__code__) if type(known) is FunctionType else None
        procedure = known if isinstance(known, Lambda) else info.procedure if info is not None else None
        if procedure is None:
            return
        least = len(procedure.parameters)
        most = least if procedure.rest is None else None
    if count < least or (most is not None and count > most):
        hint = for_wrong_count(known, name_of(operator))
        yield place, f"too {'few' if count < least else 'many'} arguments to: {shown(place)}{user}", hint


def refuses(known: Primitive | None, index: int, value: object) -> Kind | None:
    """The kind that a value is not of, though a standard procedure wants it as an argument."""
    if known is None:
        return None
    code, count = known.function.__code__, known.function.__code__.co_argcount
    names = code.co_varnames[:count] if index < count else code.co_varnames[count + code.co_kwonlyargcount :]
    kind = known.kinds.get(names[index if index < count else 0]) if names else None
    return kind if kind is not None and not kind.test(value) else None


def missing_alternatives(node: Node) -> Iterator[tuple[list[Node], Constant]]:
    """The places where a conditional that gives the value of an expression has no clause for what is left, each with
    the tests before it."""
    waiting: list[tuple[Node, list[Node]]] = [(node, [])]
    while waiting:
        node, tests = waiting.pop()
        if type(node) is Sequence:
            waiting.append((node.parts[-1], []))
        elif type(node) is If:
            waiting += [(node.consequent, []), (node.alternative, [*tests, node.test])]
        elif tests and type(node) is Constant and node.value is UNSPECIFIED:
            yield tests, node
