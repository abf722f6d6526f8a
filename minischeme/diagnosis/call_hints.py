"""Hints about failed calls: what a beginner most probably did, in one line below the error."""

from collections.abc import Callable
from types import FunctionType
from typing import Any

from minischeme.data.printer import write
from minischeme.data.rationals import Number
from minischeme.data.values import NIL, UNSPECIFIED, Boolean, Char, MultipleValues, Pair, String, Symbol, Vector
from minischeme.diagnosis.hints import INFIX, LONGEST_NAME, for_name_outside, text_of
from minischeme.diagnosis.site import Site
from minischeme.evaluation.procedures import signature
from minischeme.expansion import core
from minischeme.primitives.kinds import as_number, is_integer, is_list, is_word
from minischeme.primitives.registry import primitive_of

# ── calls of what is no procedure, and with a wrong number of arguments ──────────────────────────────────────────────

_SHOWN = (Number, Symbol, String, Char, Boolean, Pair, Vector, type(NIL), type(UNSPECIFIED))

_NO_KIND = "no procedure"

# fmt: off
_KINDS = {
    "int": "a number", "float": "a number", "Rational": "a number", "Complex": "a number", "Symbol": "a symbol",
    "String": "a string", "Char": "a character", "Boolean": "a boolean", "Pair": "a list", "Vector": "a vector",
    "EmptyList": "the empty list", "Promise": "a promise", "Environment": "an environment", "Record": "a record",
    "RecordType": "a record type", "HashTable": "a hash table", "InputPort": "an input port",
    "OutputPort": "an output port", "Unspecified": "no value",
}
# fmt: on


def for_bad_function(call: core.Call, operator: Any, type_name: str | None) -> str | None:
    """A hint for a call of something that is no procedure.

    Args:
        operator: its value; where that is not known, any object that is no Scheme value.
        type_name: the name of its Python type.
    """
    outside = for_name_outside(call)
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
    if not call.operands:
        return f"{text} is {kind}, not a procedure: it needs no brackets"
    infix = for_infix(call)
    if infix is not None:
        return infix
    whole = text_of(call.span)
    is_head = call.span is not None and node.span is not None and node.span.start == call.span.start + 1
    quoted = f"; did you forget a quote? '{whole}" if whole is not None and is_head else ""
    return f"{text} is {kind}, not a procedure{quoted}"


def for_infix(call: core.Call) -> str | None:
    """A hint for a call whose procedure stands behind its first operand."""
    first, *others = call.operands or (call,)
    texts = [text for part in (call.operator, *others) if (text := text_of(part.span)) is not None]
    if isinstance(first, core.Global) and first.name in INFIX and len(texts) == len(call.operands):
        return f"the procedure comes first: ({' '.join([first.name, *texts])})"
    return None


def for_wrong_count(procedure: Any, called: str | None = None) -> str | None:
    """A hint that shows how a procedure is called, or the lambda that stands where it is called."""
    if isinstance(procedure, core.Lambda):
        names = [variable.name for variable in procedure.parameters]
        rest = [] if procedure.rest is None else [".", procedure.rest.name]
        if called is not None:
            return f"it is called as ({' '.join([called, *names, *rest])})"
        return f"its parameters are ({' '.join([*names, *rest])})"
    shown = signature(procedure, called) if _is_procedure(procedure) else None
    if shown is None or not shown.startswith("(lambda"):
        return f"it is called as {shown}" if shown is not None else None
    return f"its parameters are ({shown[len('(lambda') :].strip()}"


# ── arguments that a standard procedure can't take ───────────────────────────────────────────────────────────────────

_NO_VALUE = "no value was returned where one was expected"
_SEVERAL_VALUES = "several values were returned where one was expected: take them with call-with-values or let-values"
_OKAY = "okay means that there was no value: is an else missing, or was something displayed instead of returned?"
_TEN = "the first of a card such as 10s is 1 and its bf is 0s: the rank is all but the last letter, (bl '10s)"

_COMPARISONS = {"=": "for words and lists use equal?", "<": "for words use before?", ">": "for words use before?"}


def for_arguments(site: Site, culprit: Any, text: str | None) -> str | None:
    """A hint for a standard procedure that failed on an argument, `culprit`, whose expression has this text."""
    name, values = site.name or "", site.operands
    fits = _ORDERED.get(name) if len(values) == 2 else None
    if fits is not None and fits(*reversed(values)) and not fits(*values):
        shown = signature(site.operator, name) if _is_procedure(site.operator) else None
        return f"are the arguments swapped? It is called as {shown}" if shown is not None else None
    if type(culprit) is String and culprit.text in ("0s", "0h", "0d", "0c"):
        return _TEN
    if type(culprit) is MultipleValues:
        return _SEVERAL_VALUES if culprit.items else _NO_VALUE
    if culprit is UNSPECIFIED:
        return _OKAY
    if _is_procedure(culprit) and not _takes_procedures(site.operator) and text is not None and text[0] != "(":
        return f"{text} is a procedure, and was not called: ({text} …)"
    if name in _COMPARISONS:
        has_word = any(is_word(value) and as_number(value) is None for value in values)
        if has_word or (name == "=" and any(type(value) is Pair or value is NIL for value in values)):
            return f"{name} compares numbers; {_COMPARISONS[name]}"
    return None


def _takes_procedures(procedure: Any) -> bool:
    known = primitive_of(procedure)
    return known is None or any(kind.test(procedure) for kind in known.kinds.values())


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
"""Tests that two arguments are in the right order, by the procedures whose arguments are swapped most."""
