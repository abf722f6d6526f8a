"""From a Python exception in a run to the `SchemeError` that explains it: culprit, place, hint, and who was active.

Compiled code checks nothing that CPython checks anyway (ARCHITECTURE.md section 3.2). So what an exception means in
Scheme's words is found here, after the fact, from the instruction that failed and the values in its frame. Leaves
frames to `stack`, and what the cause may be to `hints`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from types import FunctionType
from typing import Any, NamedTuple

from minischeme.compiler.inlining import TABLE
from minischeme.data.abbreviate import abbreviated
from minischeme.data.errors import (
    Activation,
    ArgumentError,
    Interrupted,
    RaisedObject,
    ReadError,
    RecursionDepthExceeded,
    SchemeError,
    ScmSyntaxError,
    UserError,
)
from minischeme.data.printer import write
from minischeme.data.rationals import Complex, WrongType
from minischeme.data.source import Span
from minischeme.data.values import Procedure, String, Symbol, Value, list_of
from minischeme.diagnosis import hints
from minischeme.diagnosis.stack import UNKNOWN, Places, Run, TailCallPlace, is_tail_call_loop
from minischeme.evaluation.procedures import procedure_name
from minischeme.expansion import core
from minischeme.primitives.indices import out_of_bounds
from minischeme.primitives.kinds import as_number, complaint_about
from minischeme.primitives.registry import Primitive, primitive_of
from minischeme.runtime.boxes import UnassignedCheckBox
from minischeme.runtime.names import python_name, scheme_name


class Site(NamedTuple):
    """The call at which a run failed.

    Args: span: its text. nodes: the core expressions that stand there. call: the call among them, if there is one.
    operator, operands: their values, `UNKNOWN` where they can't be had. failed: the standard procedure that failed, if
    one did. is_direct: whether it is this call that failed, not one that a standard procedure made meanwhile.
    """

    span: Span | None
    nodes: Sequence[core.Node]
    call: core.Call | None
    operator: Any
    operands: Sequence[Any]
    failed: Primitive | None
    is_direct: bool

    @property
    def name(self) -> str | None:
        """The name by which the call calls, if it does."""
        operator = self.call.operator if self.call is not None else None
        return operator.name if isinstance(operator, core.Global | core.Standard) else None


class Diagnosis:
    """Explains one exception.

    Args: exception: what was raised, with its traceback. library: the session's library. primitives: those in it, by
    the identity of their code. user_globals: the program's own bindings. form_names: the names of the special forms,
    for suggestions. importable: all names that there are. earlier: how procedures were called before they were
    redefined.
    """

    def __init__(
        self,
        exception: BaseException,
        library: dict[str, Value],
        primitives: Mapping[int, Primitive],
        user_globals: dict[str, Value],
        form_names: Iterable[str],
        importable: Container[str],
        earlier: Mapping[str, str],
    ) -> None:
        self._exception = exception
        self._known = hints.Known(user_globals, library, form_names, importable)
        self._places = Places(exception.__traceback__, library, user_globals, primitives)
        self._earlier = earlier
        self._lost: TailCallPlace | None = None
        self._site = self._find_site()

    def error(self) -> SchemeError:
        """The exception as a Scheme error, with its place and the procedures that were active.

        Raises: the exception itself, if it is none that a Scheme program can cause.
        """
        exception = self._exception
        error = exception if isinstance(exception, SchemeError) else self._explain()
        if error is None:
            raise exception
        if error.span is None:
            self._name_procedure(error)
            culprit = _culprit(error)
            operand = self._operand(culprit)
            error.span = operand if operand is not None else self._site.span
            if error.hint is None:
                error.hint = self._hint(error, culprit, operand)
        is_from_file = self._site.failed is not None and self._site.failed.names[0] == "load"
        if not error.activations or is_from_file:
            error.activations += tuple(self._activations(error.span))
        return error

    def _activations(self, span: Span | None) -> list[Activation]:
        lost = []
        if self._lost is not None:
            lost.append(Activation(self._lost.procedure.name or "lambda", self._lost.call.span))
        return [*lost, *self._places.activations(span)]

    def _name_procedure(self, error: SchemeError) -> None:
        """Have the message of a standard procedure begin with the name that it was called by."""
        site, failed = self._site, self._site.failed
        if failed is None:
            return
        name = site.name if site.is_direct and site.name in failed.names else failed.names[0]
        own = f"{failed.names[0]}:"
        if isinstance(error, ArgumentError):
            error.message = f"{name}: {error.message}"
        elif error.message.startswith(own):
            error.message = f"{name}:{error.message.removeprefix(own)}"

    # ── the place ────────────────────────────────────────────────────────────────────────────────────────────────

    def _find_site(self) -> Site:
        """The innermost call in compiled code that led to the failure."""
        runs = self._places.runs
        index = next((index for index in reversed(range(len(runs))) if runs[index].origin is not None), None)
        if index is None:
            return Site(None, (), None, UNKNOWN, (), None, False)
        run = runs[index]
        span = self._places.span_of(run)
        inner = runs[index + 1 :]
        loops = [number for number, part in enumerate(inner) if is_tail_call_loop(part)]
        if loops:
            start = index + 1 + loops[-1]
            self._lost = self._places.lost_tail_call(start)
            after = runs[start + 1 :]
            if self._lost is not None:
                return self._site_of_tail_call(self._lost, runs[start], after)
            return Site(span, (), None, UNKNOWN, (), self._failed(after), False)
        nodes = self._places.nodes_of(run)
        call = next((node for node in nodes if isinstance(node, core.Call)), None)
        failed = self._failed(inner)
        if call is None:
            return Site(span, nodes, None, UNKNOWN, (), failed, not inner)
        operator = self._places.value(call.operator, run)
        known = self._places.primitive_of(operator.__code__) if type(operator) is FunctionType else None
        is_direct = failed is None or (_is_part_of(failed, known) and self._is_only_primitive(inner))
        operands = [self._places.value(operand, run) for operand in call.operands]
        if is_direct and failed is not None:
            operands = _filled(operands, _arguments(inner[0], failed))
        return Site(span, nodes, call, operator, operands, failed, is_direct)

    def _site_of_tail_call(self, lost: TailCallPlace, loop: Run, after: list[Run]) -> Site:
        callee = loop.frame.f_locals["procedure"]
        arguments = loop.frame.f_locals["arguments"]
        call = lost.call
        is_whole = len(call.operands) == len(arguments)  # not through `apply`
        failed = self._failed(after)
        return Site(
            call.span,
            (call,),
            call,
            callee if is_whole else UNKNOWN,
            arguments if is_whole else (),
            failed,
            is_whole and self._is_only_primitive(after),
        )

    def _failed(self, inner: list[Run]) -> Primitive | None:
        """The innermost standard procedure among frames."""
        for run in reversed(inner):
            if is_tail_call_loop(run):
                return None
            known = self._places.primitive_of(run.frame.f_code)
            if known is not None:
                return known
        return None

    def _is_only_primitive(self, inner: list[Run]) -> bool:
        return sum(self._places.primitive_of(run.frame.f_code) is not None for run in inner) <= 1

    def _operand(self, culprit: Any) -> Span | None:
        """The operand that is to blame, if it is certain which."""
        site = self._site
        if (
            not site.is_direct
            or site.call is None
            or culprit is UNKNOWN
            or len(site.operands) != len(site.call.operands)
        ):
            return None
        pairs = list(zip(site.operands, site.call.operands, strict=True))
        name = culprit.text if type(culprit) is String else None  # of a file, maybe a copy
        same = [node for value, node in pairs if value is culprit or (type(value) is String and value.text == name)]
        if not same:
            is_number = as_number(culprit) is not None
            same = [node for value, node in pairs if value is UNKNOWN and (is_number or not self._gives_number(node))]
        if len(same) != 1:
            return None
        span = same[0].span
        inside = (
            span is not None and site.span is not None and site.span.start <= span.start < span.end <= site.span.end
        )
        return span if inside else None

    def _gives_number(self, node: core.Node) -> bool:
        """Whether an expression is a call of a standard procedure that can only give a number."""
        if not isinstance(node, core.Call) or not isinstance(node.operator, core.Global):
            return False
        found = TABLE.get(node.operator.name)
        return found is not None and found.is_number and node.operator.name not in self._known.user_globals

    def _hint(self, error: SchemeError, culprit: Any, operand: Span | None) -> str | None:
        site = self._site
        name = site.name
        if isinstance(error, UserError) or name is None or not site.is_direct or name in self._known.user_globals:
            return None
        return hints.for_arguments(name, site.operator, site.operands, culprit, hints.text_of(operand))

    # ── explanations ─────────────────────────────────────────────────────────────────────────────────────────────

    def _explain(self) -> SchemeError | None:
        exception = self._exception
        if isinstance(exception, RecursionError):
            return RecursionDepthExceeded("maximum recursion depth exceeded")
        if isinstance(exception, KeyboardInterrupt):
            return Interrupted(" ".join(["interrupted", *exception.args]))
        if isinstance(exception, MemoryError) or str(exception) == _NO_EXCEPTION:
            return SchemeError("out of memory")
        for run in reversed(self._places.runs):
            if run.origin is not None:
                return self._explain_compiled()
            if is_tail_call_loop(run):
                return self._explain_tail_call(run)
            known = self._places.primitive_of(run.frame.f_code)
            if known is not None:
                return self._explain_primitive(known, run)
        return None

    def _explain_primitive(self, known: Primitive, run: Run) -> SchemeError | None:
        """A standard procedure failed: the first argument outside its kind is to blame."""
        site = self._site
        name = site.name if site.is_direct and site.name in known.names else known.names[0]
        exception = self._exception
        if isinstance(exception, TypeError) and _WRONG_COUNT.match(str(exception)):
            return self._explain_count_inside(name)
        if isinstance(exception, WrongType):
            return SchemeError(f"{name}: {_complaint_of_operator(name, exception.culprit)}:", exception.culprit)
        kinds = known.kinds
        code = run.frame.f_code
        for parameter in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + 1]:
            kind = kinds.get(parameter)
            argument = run.frame.f_locals.get(parameter)
            if kind is None or argument is None:
                continue
            for value in argument if type(argument) is tuple else (argument,):
                if not kind.test(value):
                    return SchemeError(f"{name}: {complaint_about(value, kind.complaint)}:", value)
        if isinstance(exception, ZeroDivisionError):
            return SchemeError(f"{name}: division by 0")
        if isinstance(exception, OverflowError):
            return SchemeError(f"{name}: result too large")
        arguments = _arguments(run, known)
        if isinstance(exception, TypeError) and "not callable" in str(exception):
            called = next((value for value in arguments if type(value) is not FunctionType), UNKNOWN)
            if called is not UNKNOWN:
                return SchemeError(f"{name}: not a procedure:", called)
        return SchemeError(f"{name}: wrong type of argument:", *arguments)

    def _explain_count_inside(self, name: str) -> SchemeError:
        """A standard procedure called a procedure that it was given with a wrong number of arguments."""
        text = str(self._exception)
        called = text[: text.index("()")]
        found: list[Procedure] = [
            value
            for value in self._places.runs[-1].frame.f_locals.values()
            if type(value) is FunctionType and value.__code__.co_qualname == called
        ]
        procedure = found[0] if found else None
        named = procedure_name(procedure) if procedure is not None else None
        shown = named.name if isinstance(named, Symbol) else called
        return SchemeError(
            f"{_many_or_few(text)} arguments to: {shown}, called by {name}", hint=hints.for_wrong_count(procedure)
        )

    def _explain_tail_call(self, run: Run) -> SchemeError | None:
        """The loop that runs pending tail calls could not call what it found."""
        procedure = run.frame.f_locals["procedure"]
        arguments = run.frame.f_locals["arguments"]
        call = self._site.call if self._site.operator is procedure else None
        if type(procedure) is not FunctionType:
            error = SchemeError("eval: bad function in :", list_of([procedure, *arguments]))
            if call is not None:
                error.hint = hints.for_bad_function(call, procedure, type(procedure).__name__)
            return error
        if isinstance(self._exception, TypeError):
            shown = write(list_of([procedure_name(procedure), *arguments]))
            return self._wrong_count(shown, procedure)
        return None

    def _wrong_count(self, shown: str, procedure: Any) -> SchemeError:
        message = f"{_many_or_few(str(self._exception))} arguments to: {shown}"
        hint = hints.for_wrong_count(procedure, self._site.name)
        name, call = self._site.name, self._site.call
        if name is not None and call is not None and not call.operands and self._is_operand(call):
            passing = f"to pass the procedure itself, write {name} without brackets"
            hint = f"{hint}; {passing}" if hint is not None else passing
        elif (
            name is not None
            and name in self._earlier
            and type(procedure) is FunctionType
            and primitive_of(procedure) is None
        ):
            hint = f"{name} was redefined: {hint}, and before it was called as {self._earlier[name]}"
        return SchemeError(message, hint=hint)

    def _is_operand(self, call: core.Call) -> bool:
        """Whether a call stands as an operand of another."""
        unit_roots = [run.origin.unit.root for run in self._places.runs if run.origin is not None]
        return any(
            isinstance(node, core.Call) and any(part is call for part in node.operands)
            for root in unit_roots[-2:]
            for node in core.nodes(root)
        )

    def _explain_compiled(self) -> SchemeError | None:
        """Bare Python operators failed in compiled code: the core node at the instruction tells what was meant."""
        exception = self._exception
        if isinstance(exception, NameError):
            return self._unbound(exception)
        if isinstance(exception, AttributeError) and type(exception.obj) is UnassignedCheckBox:
            return _unassigned(exception.obj.name.name)
        site = self._site
        if isinstance(exception, AttributeError) and exception.obj is None:  # CPython was about to call the value
            variable = next((node.variable for node in site.nodes if isinstance(node, core.Local)), None)
            if variable is not None:
                return _unassigned(variable.name)
        if site.call is not None:
            explained = self._explain_call(site, site.call)
            if explained is not None:
                return explained
        if isinstance(exception, WrongType):
            return SchemeError(
                f"{exception.operator}: {_complaint_of_operator(exception.operator, exception.culprit)}:",
                exception.culprit,
            )
        if isinstance(exception, AttributeError):
            return SchemeError("car: wrong type of argument:", exception.obj)
        if isinstance(exception, OverflowError):
            return SchemeError("number too large for inexact arithmetic")
        if isinstance(exception, TypeError):
            return SchemeError("wrong type of argument")
        return None

    def _unbound(self, exception: NameError) -> SchemeError:
        nodes = self._site.nodes
        root = next((run.origin.unit.root for run in reversed(self._places.runs) if run.origin is not None), None)
        for node in nodes:
            if isinstance(node, core.SetGlobal):
                return SchemeError(f"set!: variable not defined: {node.name}", hint=self._known.near_hint(node.name))
            if isinstance(node, core.Global) and python_name(node.name) == exception.name and root is not None:
                hint = hints.for_unbound(self._known, root, node, node.name)
                return SchemeError(f"unbound variable: {node.name}", hint=hint)
        for node in nodes:
            variable = node.variable if isinstance(node, core.Local | core.SetLocal) else None
            if variable is None and isinstance(node, core.Call) and isinstance(node.operator, core.Local):
                variable = node.operator.variable
            if variable is not None:
                return _unassigned(variable.name)
        return SchemeError(f"unbound variable: {scheme_name(exception.name or '?')}")

    def _explain_call(self, site: Site, call: core.Call) -> SchemeError | None:
        """What went wrong in a call, integrated or not."""
        exception = self._exception
        name = site.name
        text = str(exception)
        if isinstance(exception, AttributeError) and name is not None and re.fullmatch("c[ad]+r", name):
            if len(name) == 3:
                return SchemeError(f"{name}: wrong type of argument:", exception.obj)
            return SchemeError(f"{name}: bad list:", exception.obj if site.operands[0] is UNKNOWN else site.operands[0])
        if isinstance(exception, IndexError) and name == "vector-ref":
            return out_of_bounds("vector-ref", site.operands[1], len(site.operands[0]))
        if isinstance(exception, OverflowError) and name in _ARITHMETIC:
            return SchemeError(f"{name}: number too large for inexact arithmetic")
        if isinstance(exception, TypeError) and _WRONG_COUNT.match(text):
            procedure = call.operator if isinstance(call.operator, core.Lambda) else site.operator
            return self._wrong_count(_one_line(call.span), procedure)
        if isinstance(exception, TypeError) and "not callable" in text:
            error = SchemeError(f"eval: bad function in : {_one_line(call.span)}")
            kind = re.match("'(\\w+)'", text)
            error.hint = hints.for_bad_function(call, site.operator, kind[1] if kind is not None else None)
            return error
        if name in _ARITHMETIC and isinstance(exception, WrongType | TypeError):
            return self._explain_arithmetic(name, site.operands)
        return None

    def _explain_arithmetic(self, name: str, operands: Sequence[Any]) -> SchemeError:
        exception = self._exception
        culprit = exception.culprit if isinstance(exception, WrongType) else UNKNOWN
        if culprit is UNKNOWN:
            culprit = next((value for value in operands if type(value) is FunctionType), UNKNOWN)
        shown = [] if culprit is UNKNOWN else [culprit]
        if name in ("=", "<", ">", "<=", ">=") and type(culprit) is not Complex:
            position = next((index for index, value in enumerate(operands) if value is culprit), None)
            if position is not None and all(value is not UNKNOWN for value in operands[position:]):
                shown = list(operands[position:])
            return SchemeError("Bad number in a comparison:", list_of(shown))
        return SchemeError(f"{name}: {_complaint_of_operator(name, culprit)}:", *shown)


_ARITHMETIC = frozenset(
    ["+", "-", "*", "=", "<", ">", "<=", ">=", "1+", "-1+", "1-", "zero?", "positive?", "negative?"]
)
_NO_EXCEPTION = "error return without exception set"
"""What CPython says when a value can't be allocated by code that doesn't say why, such as that of `msgspec`."""

_WRONG_COUNT = re.compile(r"(.+?)\(\) (?:takes|missing)")


def _is_part_of(failed: Primitive, known: Primitive | None) -> bool:
    """Whether a standard procedure is another one, or what compiled code calls in its place."""
    return failed is known or (known is not None and failed.names[0] == f"%{known.names[0]}")


def _unassigned(name: str) -> SchemeError:
    return SchemeError(f"unassigned variable: {name}", hint="it is used before its definition was evaluated")


def _complaint_of_operator(name: str, culprit: Value) -> str:
    return complaint_about(culprit, "not a number" if name in ("+", "-", "*", "/") else "bad number")


def _many_or_few(text: str) -> str:
    return "too few" if "missing" in text else "too many"


def _culprit(error: SchemeError) -> Any:
    """The value to blame; `UNKNOWN` if there is none, or more than one."""
    if isinstance(error, UserError | RaisedObject | ReadError | ScmSyntaxError) or not error.irritants:
        return UNKNOWN
    if error.message.startswith("Bad number in a comparison"):
        (listed,) = error.irritants
        return next(iter(listed), UNKNOWN)
    if error.message.startswith("eval: bad function"):
        return UNKNOWN
    if error.message.endswith("bad bounds:"):
        return UNKNOWN  # a pair that nobody wrote
    return error.irritants[0] if len(error.irritants) == 1 else UNKNOWN


def _arguments(run: Run, known: Primitive | None) -> list[Any]:
    """The arguments of the frame of a standard procedure, as far as they were given."""
    if known is None or run.frame.f_code is not known.function.__code__:
        return []
    code = run.frame.f_code
    least, most = known.arity
    found = [run.frame.f_locals.get(parameter) for parameter in code.co_varnames[: code.co_argcount]]
    while len(found) > least and found[-1] is None:
        found.pop()
    if most is None:
        rest = run.frame.f_locals.get(code.co_varnames[code.co_argcount + code.co_kwonlyargcount])
        found += rest if isinstance(rest, tuple) else ()
    return [UNKNOWN if value is None else value for value in found]


def _filled(values: list[Any], arguments: list[Any]) -> list[Any]:
    """Values with the unknown ones taken from the arguments that were passed."""
    if len(values) != len(arguments):
        return values
    return [argument if value is UNKNOWN else value for value, argument in zip(values, arguments, strict=True)]


def _one_line(span: Span | None) -> str:
    """The text of a call on one line, without comments."""
    if span is None:
        return ""
    lines = span.text.splitlines()
    if len(lines) > 1:
        lines = [re.sub(r"""^((?:[^;"|\\]|\\.|"(?:[^"\\]|\\.)*")*);.*""", r"\1", line) for line in lines]
    text = " ".join(" ".join(lines).split())
    return abbreviated(text, 200)
