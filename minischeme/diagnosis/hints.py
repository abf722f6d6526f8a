"""What a beginner most probably did, in one line below an error: misspelt names, missing quotes, extra brackets, …

Leaves what went wrong, and where, to `diagnosis`. No hint is better than a wrong one.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Container, Iterable, Sequence
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple

from minischeme.data.numerals import parse_number
from minischeme.data.printer import write
from minischeme.data.rationals import Number
from minischeme.data.source import Span
from minischeme.data.values import (
    NIL,
    UNSPECIFIED,
    Boolean,
    Char,
    MultipleValues,
    Pair,
    String,
    Symbol,
    Value,
    Vector,
)
from minischeme.evaluation.procedures import inner_procedures, signature
from minischeme.expansion import core
from minischeme.modules.files import find_library, source_text
from minischeme.primitives.kinds import as_number, is_integer, is_list, is_word
from minischeme.primitives.registry import primitive_of
from minischeme.runtime.names import python_name, scheme_name

LONGEST_NAME = 60
"""A longer piece of program isn't repeated in a message."""

# fmt: off
_TAKE_WORDS = frozenset(
    [
        "first", "last", "bf", "butfirst", "bl", "butlast", "word", "se", "sentence", "count", "empty?", "item",
        "member?", "appearances", "equal?", "eq?", "eqv?", "member", "memq", "before?", "every", "keep", "show",
        "print", "display", "list", "cons", "append", "length", "car", "cdr", "reverse",
    ]
)
# fmt: on
"""Procedures that beginners give words without a quote."""

_INFIX = frozenset(["+", "-", "*", "/", "=", "<", ">", "<=", ">=", "and", "or", "quotient", "remainder", "modulo"])


class Known(NamedTuple):
    """The names that a program can use.

    Args: user_globals: the program's own bindings. library: the library's. forms: the names of the special forms.
    importable: all that minischeme has, if some of it must be imported.
    """

    user_globals: dict[str, Value]
    library: dict[str, Value]
    forms: Iterable[str]
    importable: Container[str]

    def is_bound(self, name: str) -> bool:
        return python_name(name) in self.library or python_name(name) in self.user_globals

    def near_hint(self, name: str, local_names: Iterable[str] = ()) -> str | None:
        """A hint that names what a misspelt name may stand for."""
        near = self.near(name, local_names)
        return did_you_mean(near) if near is not None else None

    def near(self, name: str, local_names: Iterable[str] = ()) -> str | None:
        """The name that a misspelt one most probably stands for: rather the program's own than the library's."""
        if len(name) < 3:
            return None
        own = [*local_names, *(scheme_name(key) for key in self.user_globals if key != "__builtins__")]
        matcher = difflib.SequenceMatcher(b=name)
        best, best_likeness = None, 0.8
        for names, bonus in ((own, 0.04), (self.library, 0.02), (self.forms, 0.0)):
            for other in names:
                if other == name or other.startswith(("'", "%")):
                    continue
                matcher.set_seq1(other)
                if matcher.real_quick_ratio() < 0.75 or matcher.quick_ratio() < 0.75:
                    continue
                likeness = matcher.ratio() + (bonus if matcher.ratio() >= 0.75 else 0.0)
                if likeness >= best_likeness:
                    best, best_likeness = other, likeness + 1e-9
        return best


def did_you_mean(*names: str) -> str:
    """The hint that names what may have been meant; no name stands before a question mark that could be its own."""
    listed = " or ".join(names)
    if not any(name.endswith("?") for name in names):
        return f"did you mean {listed}?"
    return f"{listed} {'is' if len(names) == 1 else 'are'} spelt much like it"


def text_of(span: Span | None) -> str | None:
    """The text of an expression on one line, for a message; None if it is too long, or has comments."""
    if span is None or ";" in span.text or "#|" in span.text:
        return None
    text = " ".join(span.text.split())
    return text if len(text) <= LONGEST_NAME else None


# ── names ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def for_unbound(known: Known, root: core.Node, node: core.Node | None, name: str) -> str | None:
    """A hint for a variable without a value.

    Args: root: the top-level form. node: the variable in it, if it was found. name: the variable's.
    """
    if name in _MEANT_INSIDE:
        return f"{name} has its meaning only {_MEANT_INSIDE[name]}"
    if name in known.importable:
        return f"it is not in R7RS: (import (only (minischeme) {name})) brings it"
    parent = _parent(root, node) if node is not None else None
    special = _for_unbound_at(known, parent, node, name)
    if special is not None:
        return special
    if node is not None and _is_beside_its_binding(root, node, name):
        return f"let binds {name} for its body only: where a binding needs the one before it, write let*"
    numeral = _EXPONENT.sub(r"\1e\2", name)
    if numeral != name and parse_number(numeral) is not None:
        return f"only e marks an exponent: {numeral}"
    near = known.near_hint(name, _locals_of(root))
    if near is not None:
        return near
    if isinstance(parent, core.Call) and parent.operator is node:
        around = _parent(root, parent)
        is_operand = isinstance(around, core.Call | core.Define | core.SetGlobal | core.Bind)
        if _reads_like_data(known, parent) and (is_operand or _unbound_operands(known, parent)):
            text = text_of(parent.span)
            return f"did you forget a quote? '{text}" if text is not None else None
    elif name[:1].isdigit():
        return f"did you forget a quote? '{name}"
    elif isinstance(parent, core.Call) and isinstance(parent.operator, core.Global):
        if parent.operator.name in _TAKE_WORDS and parent.operator.name in known.library:
            return f"did you forget a quote? '{name} is the word itself"
    return None


def _for_unbound_at(known: Known, parent: core.Node | None, node: core.Node | None, name: str) -> str | None:
    """A hint for a variable without a value by the place where it stands. Args: parent: the expression around it."""
    if name == "help":
        return "type ,help for the commands, and ,help NAME for what a name means"
    if isinstance(parent, core.If) and parent.test is node and _is_in_clause(node) and _is_like_else(name):
        return "did you mean else?"
    if isinstance(parent, core.Call) and parent.operator is node:
        outside = _name_outside(parent)
        if outside is not None:
            return outside
    if isinstance(parent, core.Call) and isinstance(parent.operator, core.Standard):
        if parent.operator.name in ("%traced", "%untraced"):
            form = parent.operator.name.strip("%d")
            outer = next(
                (outer for outer, value in known.user_globals.items() if name in inner_procedures(value)), None
            )
            if outer is not None:
                outer = scheme_name(outer)
                return f"{name} is defined inside {outer}: ({form} ({name} {outer}))"
    file = _defining_file(name)
    return f'(load "{file}") defines it' if file is not None else None


def _is_in_clause(node: core.Node | None) -> bool:
    """Whether an expression is the first in its brackets, as the test of a clause is."""
    span = node.span if node is not None else None
    return span is not None and span.start > 0 and span.source.text[span.start - 1] in "(["


def _is_like_else(name: str) -> bool:
    return name in ("otherwise", "default") or difflib.SequenceMatcher(None, name, "else").ratio() > 0.6


@cache
def _library_definitions() -> dict[str, str]:
    """The names that the files of the library define which a program loads, each with its file."""
    found: dict[str, str] = {}
    for path in sorted(find_library().glob("*.scm")):
        for name in re.findall(r"^\(define \(?([^\s()]+)", source_text(path), re.MULTILINE):
            found.setdefault(name, path.name)
    return found


def _defining_file(name: str) -> str | None:
    """The file of the library that defines a name; None if there is none."""
    return _library_definitions().get(name)


_NAME_OUTSIDE = re.compile(r"(?:^|(?<=\s))[^\s()\[\]\"';`,#0-9][^\s()\[\]\"';`,]*\Z")


def _name_outside(call: core.Call) -> str | None:
    """A hint for a call whose brackets follow a name without a blank, as in ``f(x)``."""
    span, text = call.span, text_of(call.span)
    if span is None or text is None:
        return None
    before = _NAME_OUTSIDE.search(span.source.text[: span.start].rpartition("\n")[2])
    if before is None:
        return None
    words = text[1:-1].replace(",", " ").split()
    if len(words) == 3 and words[1] in _INFIX:
        words = [f"({words[1]} {words[0]} {words[2]})"]
    return f"the procedure's name belongs inside the brackets: ({' '.join([before[0], *words])})"


_EXPONENT = re.compile(r"\A([+-]?[0-9.]++)[sfdl]([+-]?[0-9]++)\Z", re.IGNORECASE)
"""A numeral as R5RS has them, with another marker than e."""

_MEANT_INSIDE = {
    "else": "at the start of the last clause of cond or case",
    "=>": "after the test of a clause of cond or case",
    "unquote": "in a template behind a backquote, as the comma in `(a ,b)",
    "unquote-splicing": "in a template behind a backquote, as the ,@ in `(a ,@b)",
    "syntax-rules": "in define-syntax, let-syntax and letrec-syntax",
}
"""Where words that are no variables stand."""


def _locals_of(root: core.Node) -> set[str]:
    """The local variables of a form. Where each is visible does not matter for a suggestion."""
    found: set[str] = set()
    for node in core.nodes(root):
        if isinstance(node, core.Lambda):
            found.update(parameter.name for parameter in node.parameters)
        elif isinstance(node, core.Bind):
            found.add(node.variable.name)
    return found


def _is_beside_its_binding(root: core.Node, node: core.Node, name: str) -> bool:
    """Whether a variable stands in the value of a binding beside which another one binds its name."""
    for sequence in core.nodes(root):
        if not isinstance(sequence, core.Sequence):
            continue
        is_bound = False
        for part in sequence.parts:
            if not isinstance(part, core.Bind):
                is_bound = False
            elif is_bound and any(inner is node for inner in core.nodes(part.value)):
                return True
            else:
                is_bound = is_bound or part.variable.name == name
    return False


def _parent(root: core.Node, node: core.Node) -> core.Node | None:
    return next((parent for parent in core.nodes(root) if any(part is node for part in core.children(parent))), None)


def _reads_like_data(known: Known, call: core.Call) -> bool:
    """Whether a call could well be a list of words: names, none of them the program's own, and numbers."""
    for operand in call.operands:
        is_number = isinstance(operand, core.Constant) and as_number(operand.value) is not None
        is_name = isinstance(operand, core.Global) and operand.name not in known.user_globals
        if not is_number and not is_name:
            return False
    return True


def _unbound_operands(known: Known, call: core.Call) -> bool:
    return any(isinstance(operand, core.Global) and not known.is_bound(operand.name) for operand in call.operands)


# ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def for_bad_function(call: core.Call, operator: Any, type_name: str | None) -> str | None:
    """A hint for a call of what is no procedure.

    Args: operator: its value, or any object that is no Scheme value where that is not known. type_name: the name of
    its Python type.
    """
    outside = _name_outside(call)
    if outside is not None:
        return outside
    node = call.operator
    text = text_of(node.span) or "it"
    kind = _KINDS.get(type_name or "", _NO_KIND)
    if isinstance(node, core.Constant):
        if call.operands and isinstance(call.operands[0], core.Global) and call.operands[0].name in _INFIX:
            rest = [text_of(operand.span) for operand in call.operands[1:]]
            if None not in rest:
                infix = " ".join(part for part in [call.operands[0].name, text, *rest] if part is not None)
                return f"the procedure comes first: ({infix})"
        if call.operands:
            whole = text_of(call.span)
            is_head = call.span is not None and node.span is not None and node.span.start == call.span.start + 1
            return f"{text} is {kind}, not a procedure" + (
                f"; did you forget a quote? '{whole}" if whole is not None and is_head else ""
            )
        return f"{text} is {kind}, not a procedure: it needs no brackets"
    if isinstance(node, core.Local | core.Global):
        if isinstance(operator, _SHOWN) and len(write(operator)) <= LONGEST_NAME:
            kind = write(operator)
        return f"{text} is {kind}, which is not a procedure" if kind != _NO_KIND else f"{text} is {kind}"
    if type_name == "Unspecified":
        return f"{text} gives no value to call: to do several things in order, use begin"
    gives = f"{text} gives {kind}" + ("" if kind == _NO_KIND else ", not a procedure")
    return f"{gives}: one pair of brackets too many?"


_SHOWN = (Number, Symbol, String, Char, Boolean, Pair, Vector, type(NIL), type(UNSPECIFIED))

_NO_KIND = "no procedure"

_KINDS = {
    "int": "a number",
    "float": "a number",
    "Rational": "a number",
    "Complex": "a number",
    "Symbol": "a symbol",
    "String": "a string",
    "Char": "a character",
    "Boolean": "a boolean",
    "Pair": "a list",
    "EmptyList": "the empty list",
    "Vector": "a vector",
    "Promise": "a promise",
    "Environment": "an environment",
    "HashTable": "a hash table",
    "Record": "a record",
    "RecordType": "a record type",
    "InputPort": "an input port",
    "OutputPort": "an output port",
    "Unspecified": "no value",
}


def for_wrong_count(procedure: Any, called: str | None = None) -> str | None:
    """A hint that shows how a procedure is called.

    Args: procedure: it, or the lambda that stands where it is called. called: the name that it was called by.
    """
    if isinstance(procedure, core.Lambda):
        names = [variable.name for variable in procedure.parameters]
        rest = [] if procedure.rest is None else [".", procedure.rest.name]
        return f"its parameters are ({' '.join([*names, *rest])})"
    shown = signature(procedure, called) if type(procedure) is FunctionType else None
    if shown is None or not shown.startswith("(lambda"):
        return f"it is called as {shown}" if shown is not None else None
    return f"its parameters are ({shown[len('(lambda') :].strip()}"


# ── arguments ────────────────────────────────────────────────────────────────────────────────────────────────────────


def for_arguments(
    name: str, procedure: Any, arguments: Sequence[Any], culprit: Any, culprit_text: str | None
) -> str | None:
    """A hint for a standard procedure that could not take its arguments.

    Args: name: the name it was called by. procedure: it. arguments: those of their values that are known, other
    objects in the place of the others. culprit: the argument to blame. culprit_text: its expression, if known.
    """
    if len(arguments) == 2 and _are_swapped(name, *arguments):
        shown = signature(procedure, name) if type(procedure) is FunctionType else None
        return f"are the arguments swapped? It is called as {shown}" if shown is not None else None
    if type(culprit) is String and culprit.text in _TENS:
        return "the first of a card such as 10s is 1 and its bf is 0s: the rank is all but the last letter, (bl '10s)"
    if type(culprit) is MultipleValues:
        if not culprit.items:
            return "no value was returned where one was expected"
        return "several values were returned where one was expected: take them with call-with-values or let-values"
    if culprit is UNSPECIFIED:
        return "okay means that there was no value: is an else missing, or was something displayed instead of returned?"
    known = primitive_of(procedure)
    takes_procedures = known is None or any(kind.test(procedure) for kind in known.kinds.values())
    if _is_procedure(culprit) and not takes_procedures and culprit_text is not None and culprit_text[0] != "(":
        return f"{culprit_text} is a procedure, and was not called: ({culprit_text} …)"
    if name in _COMPARISONS and any(is_word(value) and as_number(value) is None for value in arguments):
        return f"{name} compares numbers; {_COMPARISONS[name]}"
    if name in _COMPARISONS and any(type(value) is Pair or value is NIL for value in arguments):
        return f"{name} compares numbers; {_COMPARISONS[name]}" if name == "=" else None
    return None


_TENS = frozenset(["0s", "0h", "0d", "0c"])

_COMPARISONS = {
    "=": "for words and lists use equal?",
    "<": "for words use before?",
    ">": "for words use before?",
}


def _are_swapped(name: str, first: Any, second: Any) -> bool:
    """Whether the arguments would fit in the other order, and do not as they are."""
    fits = _ORDERED.get(name)
    return fits is not None and fits(second, first) and not fits(first, second)


def _is_procedure(value: Any) -> bool:
    return type(value) is FunctionType


def _is_collection(value: Any) -> bool:
    return is_list(value) or is_word(value)


def _procedure_first(first: Any, second: Any) -> bool:
    return _is_procedure(first) and _is_collection(second)


# fmt: off
_PROCEDURE_FIRST = (
    "every", "keep", "accumulate", "filter", "map", "for-each", "reduce", "apply", "find", "any", "list-index",
    "filter-map", "append-map", "andmap", "ormap",
)
# fmt: on

_ORDERED: dict[str, Callable[[Any, Any], bool]] = {
    **dict.fromkeys(_PROCEDURE_FIRST, _procedure_first),
    "sort": lambda first, second: (is_list(first) or type(first) is Vector) and _is_procedure(second),
    "repeated": lambda first, second: _is_procedure(first) and is_integer(second),
    "item": lambda first, second: is_integer(first) and _is_collection(second),
    "member?": lambda first, second: is_word(first) and is_list(second),
    "appearances": lambda first, second: is_word(first) and is_list(second),
    "member": lambda first, second: not is_list(first) and is_list(second),
    "memq": lambda first, second: not is_list(first) and is_list(second),
    "assoc": lambda first, second: not is_list(first) and is_list(second),
    "list-ref": lambda first, second: is_list(first) and is_integer(second),
    "list-tail": lambda first, second: is_list(first) and is_integer(second),
    "vector-ref": lambda first, second: type(first) is Vector and is_integer(second),
    "string-ref": lambda first, second: type(first) is String and is_integer(second),
}
"""For the procedures whose arguments are swapped most: whether two values are in the right order."""
