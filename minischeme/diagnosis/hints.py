"""What a beginner most probably did, in one line below an error: misspelt names, missing quotes, extra brackets, …

Leaves what went wrong, and where, to `diagnosis`. No hint is better than a wrong one.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
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
    Vector,
)
from minischeme.diagnosis.program import UNKNOWN, Program
from minischeme.evaluation.procedures import inner_procedures, signature
from minischeme.expansion import core
from minischeme.modules.files import find_library, source_text
from minischeme.primitives.kinds import as_number, is_integer, is_list, is_word
from minischeme.primitives.registry import primitive_of
from minischeme.runtime.names import scheme_name

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


def for_misspelt(program: Program, name: str, local_names: Iterable[str] = ()) -> str | None:
    """A hint that names what a misspelt name may stand for."""
    closest = program.closest_name(name, local_names)
    return did_you_mean(closest) if closest is not None else None


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


class UnboundName(NamedTuple):
    """A global variable without a value where it is used."""

    program: Program
    root: core.Node  # the top-level form
    parent: core.Node | None  # the expression around the variable
    node: core.Global

    @property
    def name(self) -> str:
        return self.node.name


def for_unbound(program: Program, root: core.Node, node: core.Global) -> str | None:
    """A hint for a variable without a value in a top-level form."""
    use = UnboundName(program, root, _parent(root, node), node)
    found = (hint(use) for hint in _UNBOUND_HINTS)
    return next((hint for hint in found if hint is not None), None)


def _for_known_name(use: UnboundName) -> str | None:
    """A hint for a name that has a meaning elsewhere."""
    if use.name in _MEANT_INSIDE:
        return f"{use.name} has its meaning only {_MEANT_INSIDE[use.name]}"
    if use.name in use.program.importable:
        return f"it is not in R7RS: (import (only (minischeme) {use.name})) brings it"
    if use.name == "help":
        return "type ,help for the commands, and ,help NAME for what a name means"
    is_test = isinstance(use.parent, core.If) and use.parent.test is use.node
    return "did you mean else?" if is_test and _is_in_clause(use.node) and _is_like_else(use.name) else None


def _for_name_outside(use: UnboundName) -> str | None:
    return _name_outside(use.parent) if isinstance(use.parent, core.Call) and use.parent.operator is use.node else None


def _for_traced(use: UnboundName) -> str | None:
    operator = use.parent.operator if isinstance(use.parent, core.Call) else None
    if not isinstance(operator, core.Standard) or operator.name not in ("%traced", "%untraced"):
        return None
    for key, value in use.program.bindings.items():
        if use.name in inner_procedures(value):
            outer = scheme_name(key)
            return f"{use.name} is defined inside {outer}: ({operator.name.strip('%d')} ({use.name} {outer}))"
    return None


def _for_library_file(use: UnboundName) -> str | None:
    file = _library_definitions().get(use.name)
    return f'(load "{file}") defines it' if file is not None else None


def _for_let(use: UnboundName) -> str | None:
    if not _is_beside_its_binding(use):
        return None
    return f"let binds {use.name} for its body only: where a binding needs the one before it, write let*"


def _for_exponent(use: UnboundName) -> str | None:
    numeral = _EXPONENT.sub(r"\1e\2", use.name)
    is_meant = numeral != use.name and parse_number(numeral) is not None
    return f"only e marks an exponent: {numeral}" if is_meant else None


def _for_missing_quote(use: UnboundName) -> str | None:
    parent = use.parent
    if isinstance(parent, core.Call) and parent.operator is use.node:
        around = _parent(use.root, parent)
        is_operand = isinstance(around, core.Call | core.Define | core.SetGlobal | core.Bind)
        if _reads_like_data(use.program, parent) and (is_operand or _has_unbound_operand(use.program, parent)):
            text = text_of(parent.span)
            return f"did you forget a quote? '{text}" if text is not None else None
    elif use.name[:1].isdigit():
        return f"did you forget a quote? '{use.name}"
    elif isinstance(parent, core.Call) and isinstance(parent.operator, core.Global):
        if parent.operator.name in _TAKE_WORDS and parent.operator.name in use.program.library:
            return f"did you forget a quote? '{use.name} is the word itself"
    return None


_UNBOUND_HINTS: list[Callable[[UnboundName], str | None]] = [
    _for_known_name,
    _for_name_outside,
    _for_traced,
    _for_library_file,
    _for_let,
    _for_exponent,
    lambda use: for_misspelt(use.program, use.name, _locals_of(use.root)),
    _for_missing_quote,
]
"""The likeliest causes first."""


def _is_in_clause(node: core.Node) -> bool:
    """Whether an expression is the first in its brackets, as the test of a clause is."""
    span = node.span
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


def _is_beside_its_binding(use: UnboundName) -> bool:
    """Whether a variable stands in the value of a binding beside which another one binds its name."""
    for sequence in core.nodes(use.root):
        if not isinstance(sequence, core.Sequence):
            continue
        is_bound = False
        for part in sequence.parts:
            if not isinstance(part, core.Bind):
                is_bound = False
            elif is_bound and any(inner is use.node for inner in core.nodes(part.value)):
                return True
            else:
                is_bound = is_bound or part.variable.name == use.name
    return False


def _parent(root: core.Node, node: core.Node) -> core.Node | None:
    return next((parent for parent in core.nodes(root) if any(part is node for part in core.children(parent))), None)


def _reads_like_data(program: Program, call: core.Call) -> bool:
    """Whether a call could well be a list of words: names, none of them the program's own, and numbers."""
    return all(
        (isinstance(operand, core.Constant) and as_number(operand.value) is not None)
        or (isinstance(operand, core.Global) and operand.name not in program.bindings)
        for operand in call.operands
    )


def _has_unbound_operand(program: Program, call: core.Call) -> bool:
    return any(isinstance(operand, core.Global) and program.value(operand.name) is UNKNOWN for operand in call.operands)


# ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def for_bad_function(call: core.Call, operator: Any, type_name: str | None) -> str | None:
    """A hint for a call of what is no procedure.

    Args:
        operator: its value, or any object that is no Scheme value where that is not known.
        type_name: the name of its Python type.
    """
    outside = _name_outside(call)
    if outside is not None:
        return outside
    node = call.operator
    text = text_of(node.span) or "it"
    kind = _KINDS.get(type_name or "", _NO_KIND)
    if isinstance(node, core.Constant):
        return _for_constant(call, node, text, kind)
    if isinstance(node, core.Local | core.Global):
        if isinstance(operator, _SHOWN) and len(write(operator)) <= LONGEST_NAME:
            kind = write(operator)
        return f"{text} is {kind}, which is not a procedure" if kind != _NO_KIND else f"{text} is {kind}"
    if type_name == "Unspecified":
        return f"{text} gives no value to call: to do several things in order, use begin"
    gives = f"{text} gives {kind}" + ("" if kind == _NO_KIND else ", not a procedure")
    return f"{gives}: one pair of brackets too many?"


def _for_constant(call: core.Call, node: core.Constant, text: str, kind: str) -> str:
    """A hint for a call of a constant."""
    if not call.operands:
        return f"{text} is {kind}, not a procedure: it needs no brackets"
    first, *others = call.operands
    rest = [shown for other in others if (shown := text_of(other.span)) is not None]
    if isinstance(first, core.Global) and first.name in _INFIX and len(rest) == len(others):
        return f"the procedure comes first: ({' '.join([first.name, text, *rest])})"
    whole = text_of(call.span)
    is_head = call.span is not None and node.span is not None and node.span.start == call.span.start + 1
    quoted = f"; did you forget a quote? '{whole}" if whole is not None and is_head else ""
    return f"{text} is {kind}, not a procedure{quoted}"


_SHOWN = (Number, Symbol, String, Char, Boolean, Pair, Vector, type(NIL), type(UNSPECIFIED))

_NO_KIND = "no procedure"

_KINDS = {
    **dict.fromkeys(["int", "float", "Rational", "Complex"], "a number"),
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
    """A hint that shows how a procedure is called, or the lambda that stands where it is called."""
    if isinstance(procedure, core.Lambda):
        names = [variable.name for variable in procedure.parameters]
        rest = [] if procedure.rest is None else [".", procedure.rest.name]
        return f"its parameters are ({' '.join([*names, *rest])})"
    shown = signature(procedure, called) if type(procedure) is FunctionType else None
    if shown is None or not shown.startswith("(lambda"):
        return f"it is called as {shown}" if shown is not None else None
    return f"its parameters are ({shown[len('(lambda') :].strip()}"


# ── arguments ────────────────────────────────────────────────────────────────────────────────────────────────────────


_TENS: frozenset[str] = frozenset(["0s", "0h", "0d", "0c"])

_COMPARISONS = {
    "=": "for words and lists use equal?",
    "<": "for words use before?",
    ">": "for words use before?",
}


class Arguments(NamedTuple):
    """The arguments that a standard procedure could not take."""

    name: str  # that it was called by
    procedure: Any
    values: Sequence[Any]  # other objects in the place of those that are not known
    culprit: Any  # the argument to blame
    culprit_text: str | None


def for_arguments(call: Arguments) -> str | None:
    """A hint for a standard procedure that could not take its arguments."""
    return next((hint(call) for test, hint in _ARGUMENT_HINTS if test(call)), None)


def _are_swapped(call: Arguments) -> bool:
    """Whether the arguments would fit in the other order, and do not as they are."""
    fits = _ORDERED.get(call.name) if len(call.values) == 2 else None
    return fits is not None and fits(*reversed(call.values)) and not fits(*call.values)


def _swapped_hint(call: Arguments) -> str | None:
    shown = signature(call.procedure, call.name) if _is_procedure(call.procedure) else None
    return f"are the arguments swapped? It is called as {shown}" if shown is not None else None


def _is_not_called(call: Arguments) -> bool:
    """Whether the culprit is a procedure, of which a value seems to have been meant."""
    known = primitive_of(call.procedure)
    takes_procedures = known is None or any(kind.test(call.procedure) for kind in known.kinds.values())
    text = call.culprit_text
    return _is_procedure(call.culprit) and not takes_procedures and text is not None and text[0] != "("


def _compares_words(call: Arguments) -> bool:
    return call.name in _COMPARISONS and any(is_word(value) and as_number(value) is None for value in call.values)


def _compares_lists(call: Arguments) -> bool:
    return call.name == "=" and any(type(value) is Pair or value is NIL for value in call.values)


_ARGUMENT_HINTS: list[tuple[Callable[[Arguments], bool], Callable[[Arguments], str | None]]] = [
    (_are_swapped, _swapped_hint),
    (
        lambda call: type(call.culprit) is String and call.culprit.text in _TENS,
        lambda call: (
            "the first of a card such as 10s is 1 and its bf is 0s: the rank is all but the last letter, (bl '10s)"
        ),
    ),
    (
        lambda call: type(call.culprit) is MultipleValues and not call.culprit.items,
        lambda call: "no value was returned where one was expected",
    ),
    (
        lambda call: type(call.culprit) is MultipleValues,
        lambda call: (
            "several values were returned where one was expected: take them with call-with-values or let-values"
        ),
    ),
    (
        lambda call: call.culprit is UNSPECIFIED,
        lambda call: (
            "okay means that there was no value: is an else missing, or was something displayed instead of returned?"
        ),
    ),
    (
        _is_not_called,
        lambda call: f"{call.culprit_text} is a procedure, and was not called: ({call.culprit_text} …)",
    ),
    (_compares_words, lambda call: f"{call.name} compares numbers; {_COMPARISONS[call.name]}"),
    (_compares_lists, lambda call: f"{call.name} compares numbers; {_COMPARISONS[call.name]}"),
]


def _is_procedure(value: Any) -> bool:
    return type(value) is FunctionType


def _is_collection(value: Any) -> bool:
    return is_list(value) or is_word(value)


# fmt: off
_PROCEDURE_FIRST = (
    "every", "keep", "accumulate", "filter", "map", "for-each", "reduce", "apply", "find", "any", "list-index",
    "filter-map", "append-map", "andmap", "ormap",
)
# fmt: on

_ORDERED: dict[str, Callable[[Any, Any], bool]] = {
    **dict.fromkeys(_PROCEDURE_FIRST, lambda first, second: _is_procedure(first) and _is_collection(second)),
    "sort": lambda first, second: (is_list(first) or type(first) is Vector) and _is_procedure(second),
    "repeated": lambda first, second: _is_procedure(first) and is_integer(second),
    "item": lambda first, second: is_integer(first) and _is_collection(second),
    **dict.fromkeys(["member?", "appearances"], lambda first, second: is_word(first) and is_list(second)),
    **dict.fromkeys(["member", "memq", "assoc"], lambda first, second: not is_list(first) and is_list(second)),
    **dict.fromkeys(["list-ref", "list-tail"], lambda first, second: is_list(first) and is_integer(second)),
    "vector-ref": lambda first, second: type(first) is Vector and is_integer(second),
    "string-ref": lambda first, second: type(first) is String and is_integer(second),
}
"""For the procedures whose arguments are swapped most: whether two values are in the right order."""
