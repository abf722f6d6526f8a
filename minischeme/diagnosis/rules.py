"""Tables of rules: what a Python exception means in Scheme's words, by its class and by where it was raised.

Compiled code checks nothing that CPython checks anyway (ARCHITECTURE.md section 3.2). So an error is explained after
the fact, from the instruction that failed and the values in its frame.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from minischeme.data.abbreviate import one_line, without_comments
from minischeme.data.errors import Interrupted, RecursionDepthExceeded, SchemeError
from minischeme.data.printer import write
from minischeme.data.rationals import Complex, WrongType
from minischeme.data.source import Span
from minischeme.data.values import Symbol, Value, list_of
from minischeme.diagnosis import call_hints, hints
from minischeme.diagnosis.hints import UNKNOWN
from minischeme.diagnosis.site import Site, arguments_of
from minischeme.diagnosis.stack import FailedStack, FrameGroup
from minischeme.evaluation.procedures import procedure_name
from minischeme.expansion import core
from minischeme.primitives.kinds import number_complaint, out_of_bounds
from minischeme.primitives.registry import Primitive, primitive_of
from minischeme.runtime.boxes import UnassignedCheckBox
from minischeme.runtime.names import python_name, scheme_name


@dataclass(frozen=True)
class Failure:
    """A failed run: what was raised, and the call that led to it."""

    exception: Any
    stack: FailedStack
    site: Site


Rule = Callable[[Failure], SchemeError | None]
Table = Sequence[tuple[type[BaseException] | tuple[type[BaseException], ...], Rule]]


def explanation(failure: Failure) -> SchemeError | None:
    """The Scheme error that a Python exception stands for; None if it is none that a program can cause."""
    error = _first(_ANYWHERE, failure)
    if error is not None:
        return error
    for group in reversed(failure.stack.groups):
        if group.origin is not None:
            return _first(_IN_COMPILED_CODE, failure)
        if group.is_tail_call_loop:
            return _failed_tail_call(failure, group)
        known = group.primitive
        if known is not None:
            return _failed_primitive(failure, group, known)
    return _first(_IN_COMPILED_CODE, failure) if failure.site.call is not None else None


def _first(table: Table, failure: Failure) -> SchemeError | None:
    found = (rule(failure) for kind, rule in table if isinstance(failure.exception, kind))
    return next((error for error in found if error is not None), None)


# What CPython says when a value can't be allocated by code that doesn't say why, such as that of `msgspec`.
_NO_EXCEPTION = "error return without exception set"
_ANYWHERE: Table = [
    (RecursionError, lambda failure: RecursionDepthExceeded("maximum recursion depth exceeded")),
    (KeyboardInterrupt, lambda failure: Interrupted(" ".join(["interrupted", *failure.exception.args]))),
    (MemoryError, lambda failure: SchemeError("out of memory")),
    (Exception, lambda failure: SchemeError("out of memory") if str(failure.exception) == _NO_EXCEPTION else None),
]

# ── Python's operators failed in compiled code: the core node at the instruction tells what was meant ────────────────


def _unbound(failure: Failure) -> SchemeError:
    """The error of a global without a value, or of a local variable that has none yet."""
    roots = failure.stack.roots()
    for node in failure.site.nodes:
        if isinstance(node, core.SetGlobal):
            hint = failure.stack.program.for_misspelt(node.name)
            return SchemeError(f"set!: variable not defined: {node.name}", hint=hint)
        if isinstance(node, core.Global) and python_name(node.name) == failure.exception.name and roots:
            hint = next(filter(None, hints.for_unbound(failure.stack.program, roots[-1], node)), None)
            return SchemeError(f"unbound variable: {node.name}", hint=hint)
    for node in failure.site.nodes:
        used = node.operator if isinstance(node, core.Call) else node
        if isinstance(used, core.Local | core.SetLocal):
            return _unassigned(used.variable.name)
    return SchemeError(f"unbound variable: {scheme_name(failure.exception.name or '?')}")


def _unassigned(name: str) -> SchemeError:
    return SchemeError(f"unassigned variable: {name}", hint="it is used before its definition was evaluated")


def _no_attribute(failure: Failure) -> SchemeError:
    """The error of reading the value of a box, or a part of a pair."""
    name, culprit = failure.site.name, failure.exception.obj
    if type(culprit) is UnassignedCheckBox:
        return _unassigned(culprit.name.name)
    if culprit is None:
        for node in failure.site.nodes:
            if isinstance(node, core.Local):
                return _unassigned(node.variable.name)
    if name is None or not re.fullmatch("c[ad]{2,}r", name):
        return SchemeError(f"{name if name == 'cdr' else 'car'}: wrong type of argument:", culprit)
    whole = failure.site.operands[0]
    return SchemeError(f"{name}: bad list:", culprit if whole is UNKNOWN else whole)


def _bad_index(failure: Failure) -> SchemeError | None:
    name, call = failure.site.name, failure.site.call
    if call is None or name not in ("vector-ref", "vector-set!"):
        return None
    vector, index = (failure.stack.computed(operand, failure.stack.groups[-1]) for operand in call.operands[:2])
    return out_of_bounds(name, index, len(vector))


def _overflow(failure: Failure) -> SchemeError:
    name = failure.site.name
    prefix = f"{name}: " if name in _ARITHMETIC else ""
    return SchemeError(f"{prefix}number too large for inexact arithmetic")


def _wrong_count(failure: Failure) -> SchemeError | None:
    site, call = failure.site, failure.site.call
    if call is None or not _WRONG_COUNT.match(str(failure.exception)):
        return None
    procedure = call.operator if isinstance(call.operator, core.Lambda) else site.operator
    return _count_error(failure, _call_text(call.span), procedure)


def _no_procedure(failure: Failure) -> SchemeError | None:
    site, call, text = failure.site, failure.site.call, str(failure.exception)
    if call is None or "not callable" not in text:
        return None
    kind = re.match("'(\\w+)'", text)
    hint = call_hints.for_bad_function(call, site.operator, kind[1] if kind is not None else None)
    return SchemeError(f"eval: bad function in : {_call_text(call.span)}", hint=hint)


def _no_number(failure: Failure) -> SchemeError | None:
    """The error of arithmetic on an operand that is no number."""
    name, operands, exception = failure.site.name, failure.site.operands, failure.exception
    if name not in _ARITHMETIC:
        return None
    culprit = exception.culprit if isinstance(exception, WrongType) else UNKNOWN
    if culprit is UNKNOWN:
        culprit = next((value for value in operands if type(value) is FunctionType), UNKNOWN)
    if name not in ("=", "<", ">", "<=", ">=") or type(culprit) is Complex:
        return _of_operator(name, culprit)
    shown = [] if culprit is UNKNOWN else [culprit]
    position = next((index for index, value in enumerate(operands) if value is culprit), None)
    if position is not None and all(value is not UNKNOWN for value in operands[position:]):
        shown = list(operands[position:])
    return SchemeError("Bad number in a comparison:", list_of(shown))


_IN_COMPILED_CODE: Table = [
    (NameError, _unbound),
    (AttributeError, _no_attribute),
    (IndexError, _bad_index),
    (OverflowError, _overflow),
    (TypeError, _wrong_count),
    (TypeError, _no_procedure),
    ((WrongType, TypeError), _no_number),
    (WrongType, lambda failure: _of_operator(failure.exception.operator, failure.exception.culprit)),
    (TypeError, lambda failure: SchemeError("wrong type of argument")),
]

_ARITHMETIC = ("+", "-", "*", "=", "<", ">", "<=", ">=", "1+", "-1+", "1-", "zero?", "positive?", "negative?")
_WRONG_COUNT = re.compile(r"(.+?)\(\) (?:takes|missing)")


def _of_operator(name: str, culprit: Any) -> SchemeError:
    complaint = number_complaint(culprit, "not a number" if name in ("+", "-", "*", "/") else "bad number")
    return SchemeError(f"{name}: {complaint}:", *([] if culprit is UNKNOWN else [culprit]))


def _call_text(span: Span | None) -> str:
    """The text of a call on one line, without comments."""
    return one_line(without_comments(span.text) if span is not None else "", 200)


# ── a wrong number of arguments ──────────────────────────────────────────────────────────────────────────────────────


def _many_or_few(failure: Failure) -> str:
    return "too few" if "missing" in str(failure.exception) else "too many"


def _count_error(failure: Failure, shown: str, procedure: Any) -> SchemeError:
    name, call, earlier = failure.site.name, failure.site.call, failure.stack.program.earlier
    hint = call_hints.for_wrong_count(procedure, name)
    if name is not None and call is not None and not call.operands and _is_operand(failure, call):
        passing = f"to pass the procedure itself, write {name} without brackets"
        hint = f"{hint}; {passing}" if hint is not None else passing
    elif name in earlier and type(procedure) is FunctionType and primitive_of(procedure) is None:
        hint = f"{name} was redefined: {hint}, and before it was called as {earlier[name]}"  # type: ignore[index]
    return SchemeError(f"{_many_or_few(failure)} arguments to: {shown}", hint=hint)


def _is_operand(failure: Failure, call: core.Call) -> bool:
    """Whether a call is an operand of another."""
    around = [core.parents(root).get(call) for root in failure.stack.roots()[-2:]]
    return any(isinstance(node, core.Call) and node.operator is not call for node in around)


# ── the loop that runs pending tail calls could not call what it found ───────────────────────────────────────────────


def _failed_tail_call(failure: Failure, group: FrameGroup) -> SchemeError | None:
    procedure, arguments = group.frame.f_locals["procedure"], group.frame.f_locals["arguments"]
    if type(procedure) is not FunctionType:
        error = SchemeError("eval: bad function in :", list_of([procedure, *arguments]))
        if failure.site.call is not None and failure.site.operator is procedure:
            error.hint = call_hints.for_bad_function(failure.site.call, procedure, type(procedure).__name__)
        return error
    if isinstance(failure.exception, TypeError):
        return _count_error(failure, write(list_of([procedure_name(procedure), *arguments])), procedure)
    return None


# ── a standard procedure failed: the first argument outside its kind is to blame ─────────────────────────────────────


def _failed_primitive(failure: Failure, group: FrameGroup, known: Primitive) -> SchemeError:
    exception, name = failure.exception, failure.site.name_of(known)
    if isinstance(exception, TypeError) and _WRONG_COUNT.match(str(exception)):
        return _wrong_count_inside(failure, name)
    if isinstance(exception, WrongType):
        return _of_operator(name, exception.culprit)
    complaint = _outside_its_kind(group, known)
    if complaint is not None:
        return SchemeError(f"{name}: {number_complaint(*complaint)}:", complaint[0])
    if isinstance(exception, ZeroDivisionError):
        return SchemeError(f"{name}: division by 0")
    if isinstance(exception, OverflowError):
        return SchemeError(f"{name}: result too large")
    arguments = arguments_of(group, known)
    if isinstance(exception, TypeError) and "not callable" in str(exception):
        called = [value for value in arguments if type(value) is not FunctionType][:1]
        if called and called[0] is not UNKNOWN:
            return SchemeError(f"{name}: not a procedure:", *called)
    return SchemeError(f"{name}: wrong type of argument:", *arguments)


def _outside_its_kind(group: FrameGroup, known: Primitive) -> tuple[Value, str] | None:
    """The first argument that is not of the kind that its parameter wants, with the complaint about it."""
    code, values = group.frame.f_code, group.frame.f_locals
    for parameter in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + 1]:
        kind, argument = known.kinds.get(parameter), values.get(parameter)
        if kind is None or argument is None:
            continue
        for value in argument if type(argument) is tuple else (argument,):
            if not kind.test(value):
                return value, kind.complaint
    return None


def _wrong_count_inside(failure: Failure, name: str) -> SchemeError:
    """The error of a standard procedure that called a procedure it was given with a wrong number of arguments."""
    text = str(failure.exception)
    called = text[: text.index("()")]
    values = failure.stack.groups[-1].frame.f_locals.values()
    found = (value for value in values if type(value) is FunctionType and value.__code__.co_qualname == called)
    procedure = next(found, None)
    named = procedure_name(procedure) if procedure is not None else None
    shown = named.name if isinstance(named, Symbol) else called
    hint = call_hints.for_wrong_count(procedure)
    return SchemeError(f"{_many_or_few(failure)} arguments to: {shown}, called by {name}", hint=hint)
