"""From a Python exception in a run to the `SchemeError` that explains it: culprit, place, and who was active.

Compiled code checks nothing that CPython checks anyway (design section 3). So what an exception means in Scheme's words is
found here, after the fact, from the instruction that failed and the values in its frame.
"""

from __future__ import annotations

import difflib
import re
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any

from minischeme import core
from minischeme.compiler.assembly import Origin, Unit, origin_of
from minischeme.compiler.generator import Names
from minischeme.errors import Activation, Interrupted, RecursionDepthExceeded, SchemeError
from minischeme.primitives.registry import Primitive, primitive_of
from minischeme.printer import write
from minischeme.runtime import TailCall, scheme_name
from minischeme.source import Span
from minischeme.values import Value, WrongType, intern, list_of

INNERMOST = 2_000
"""So many of the innermost activations are looked at, repeated ones counted once; a runaway recursion has millions."""

_UNKNOWN = object()


class Diagnosis:
    """Explains one exception.

    Args: exception: what was raised, with its traceback. library: the session's library. user_globals: the program's
    own bindings. form_names: the names of the special forms, for suggestions.
    """

    def __init__(
        self,
        exception: BaseException,
        library: dict[str, Value],
        user_globals: dict[str, Value],
        form_names: Iterable[str],
    ) -> None:
        self._exception = exception
        self._library = library
        self._user_globals = user_globals
        self._form_names = form_names
        self._spans: dict[Unit, dict[int, Span]] = {}
        self._runs = deque(_runs(exception.__traceback__), maxlen=INNERMOST)

    def error(self) -> SchemeError:
        """The exception as a Scheme error, with its place and the procedures that were active.

        Raises: the exception itself, if it is none that a Scheme program can cause.
        """
        exception = self._exception
        error = exception if isinstance(exception, SchemeError) else self._explain()
        if error is None:
            raise exception
        if error.span is None:
            error.span = self._innermost_span()
        if not error.activations:
            error.activations = tuple(self._activations())
        return error

    # ── places ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _innermost_span(self) -> Span | None:
        for frame, instruction, _ in reversed(self._runs):
            if (origin := origin_of(frame.f_code)) is not None:
                return self._span_at(frame.f_code, instruction, origin)
        return None

    def _activations(self) -> Iterator[Activation]:
        for frame, instruction, times in reversed(self._runs):
            origin = origin_of(frame.f_code)
            if origin is not None and origin.procedure is not None:
                yield Activation(origin.name or "lambda", self._span_at(frame.f_code, instruction, origin), times)

    def _span_at(self, code: CodeType, instruction: int, origin: Origin) -> Span | None:
        """The text that an instruction was compiled from: the start of its position tells the expression."""
        line, _, column, _ = next(islice(code.co_positions(), instruction // 2, None))
        root = origin.unit.root
        if root.span is None or line is None or column is None:
            return origin.span
        spans = self._spans.get(origin.unit)
        if spans is None:
            spans = {node.span.start: node.span for node in core.nodes(root) if node.span is not None}
            self._spans[origin.unit] = spans
        return spans.get(root.span.source.offset(line, column), origin.span)

    # ── explanations ─────────────────────────────────────────────────────────────────────────────────────────────

    def _explain(self) -> SchemeError | None:
        exception = self._exception
        if isinstance(exception, RecursionError):
            return RecursionDepthExceeded("maximum recursion depth exceeded")
        if isinstance(exception, KeyboardInterrupt):
            return Interrupted("interrupted")
        if isinstance(exception, MemoryError):
            return SchemeError("out of memory")
        for frame, instruction, _ in reversed(self._runs):
            origin = origin_of(frame.f_code)
            if origin is not None:
                return self._explain_compiled(frame, instruction, origin)
            if frame.f_code is TailCall.run.__code__:
                return self._explain_tail_call(frame)
            known = self._primitive_of(frame.f_code)
            if known is not None:
                return self._explain_primitive(known, frame)
        return None

    def _primitive_of(self, code: CodeType) -> Primitive | None:
        for value in self._library.values():
            if type(value) is FunctionType and value.__code__ is code:
                return primitive_of(value)
        return None

    def _explain_primitive(self, known: Primitive, frame: FrameType) -> SchemeError | None:
        """A standard procedure failed: the first argument outside its kind is to blame."""
        name = known.names[0]
        code = frame.f_code
        call = self._procedure_call_failure(name)
        if call is not None:
            return call
        if isinstance(self._exception, WrongType):
            return SchemeError(f"{name}: {_complaint_of_operator(name)}:", self._exception.culprit)
        kinds = known.kinds
        for parameter in code.co_varnames[: code.co_argcount]:
            kind = kinds.get(parameter)
            value = frame.f_locals.get(parameter)
            if kind is not None and value is not None and not kind.test(value):
                return SchemeError(f"{name}: {kind.complaint}:", value)
        for parameter in code.co_varnames[code.co_argcount :]:
            kind = kinds.get(parameter)
            rest = frame.f_locals.get(parameter)
            for value in rest if kind is not None and isinstance(rest, tuple) else ():
                if kind is not None and not kind.test(value):
                    return SchemeError(f"{name}: {kind.complaint}:", value)
        if isinstance(self._exception, ZeroDivisionError):
            return SchemeError(f"{name}: division by 0")
        if isinstance(self._exception, OverflowError):
            return SchemeError(f"{name}: result too large")
        arguments = [frame.f_locals.get(parameter) for parameter in code.co_varnames[: code.co_argcount]]
        return SchemeError(f"{name}: wrong type of argument:", *[value for value in arguments if value is not None])

    def _procedure_call_failure(self, name: str) -> SchemeError | None:
        """A standard procedure called its argument with a wrong number of arguments, or something that can't be called."""
        if not isinstance(self._exception, TypeError):
            return None
        text = str(self._exception)
        wrong_count = _WRONG_COUNT.match(text)
        if wrong_count is not None:
            return SchemeError(f"{_many_or_few(text)} arguments to: {wrong_count[1]}, called by {name}")
        return None

    def _explain_tail_call(self, frame: FrameType) -> SchemeError | None:
        procedure = frame.f_locals["procedure"]
        call = list_of([procedure_name(procedure), *frame.f_locals["arguments"]])
        if type(procedure) is not FunctionType:
            return SchemeError("eval: bad function in :", list_of([procedure, *frame.f_locals["arguments"]]))
        if isinstance(self._exception, TypeError):
            return self._wrong_count(procedure, write(call))
        return None

    def _wrong_count(self, procedure: FunctionType, call: str) -> SchemeError:
        return SchemeError(f"{_many_or_few(str(self._exception))} arguments to: {call}", hint=signature_hint(procedure))

    def _explain_compiled(self, frame: FrameType, instruction: int, origin: Origin) -> SchemeError | None:
        """Bare Python operators failed in compiled code: the core node at the instruction tells what was meant."""
        exception = self._exception
        span = self._span_at(frame.f_code, instruction, origin)
        nodes = [node for node in core.nodes(origin.unit.root) if node.span == span]
        if isinstance(exception, NameError):
            return self._unbound(nodes, exception)
        calls = [node for node in nodes if isinstance(node, core.Call)]
        for call in calls:
            values = _Values(frame, origin, self._library, self._user_globals)
            explained = self._explain_call(call, values, span)
            if explained is not None:
                return explained
        if isinstance(exception, WrongType):
            return SchemeError(f"{exception.operator}: {_complaint_of_operator(exception.operator)}:", exception.culprit)
        if isinstance(exception, AttributeError):
            return SchemeError("car: wrong type of argument:", exception.obj)
        if isinstance(exception, OverflowError):
            return SchemeError("number too large for inexact arithmetic")
        if isinstance(exception, TypeError):
            return SchemeError("wrong type of argument")
        return None

    def _unbound(self, nodes: list[core.Node], exception: NameError) -> SchemeError:
        for node in nodes:
            if isinstance(node, core.SetGlobal):
                return SchemeError(f"set!: variable not defined: {node.name}", hint=self._near(node.name))
            if isinstance(node, core.Global):
                return SchemeError(f"unbound variable: {node.name}", hint=self._near(node.name))
        for node in nodes:
            variable = node.variable if isinstance(node, core.Local | core.SetLocal) else None
            if variable is None and isinstance(node, core.Call) and isinstance(node.operator, core.Local):
                variable = node.operator.variable
            if variable is not None:
                return SchemeError(f"unassigned variable: {variable.name}")
        name = scheme_name(exception.name or "?")
        return SchemeError(f"unbound variable: {name}", hint=self._near(name))

    def _near(self, name: str) -> str | None:
        """A hint that names what a misspelt name may stand for."""
        user_names = [scheme_name(key) for key in self._user_globals if key != "__builtins__"]
        known = dict.fromkeys([*user_names, *self._library, *self._form_names])
        near = difflib.get_close_matches(name, [other for other in known if other != name], n=1, cutoff=0.75)
        return f"did you mean {near[0]}?" if near else None

    def _explain_call(self, call: core.Call, values: _Values, span: Span | None) -> SchemeError | None:
        """What went wrong in a call, integrated or not."""
        exception = self._exception
        name = call.operator.name if isinstance(call.operator, core.Global | core.Standard) else None
        operands = [values.of(operand) for operand in call.operands]
        if isinstance(exception, AttributeError) and name is not None and re.fullmatch("c[ad]+r", name):
            if len(name) == 3:
                return SchemeError(f"{name}: wrong type of argument:", exception.obj)
            return SchemeError(f"{name}: bad list:", operands[0] if operands[0] is not _UNKNOWN else exception.obj)
        if isinstance(exception, IndexError) and name == "vector-ref":
            return SchemeError("vector-ref: index out of bounds:", operands[1])
        if name in _ARITHMETIC and isinstance(exception, WrongType | TypeError) and not _WRONG_COUNT.match(str(exception)):
            return self._explain_arithmetic(name, operands)
        if isinstance(exception, TypeError):
            operator = values.of(call.operator)
            if type(operator) is FunctionType:
                if _WRONG_COUNT.match(str(exception)):
                    text = " ".join(span.text.split()) if span is not None else name or "procedure"
                    return self._wrong_count(operator, text)
                return None
            if "not callable" in str(exception):
                text = " ".join(span.text.split()) if span is not None else ""
                error = SchemeError(f"eval: bad function in : {text}")
                if operator is not _UNKNOWN and not isinstance(call.operator, core.Constant):
                    error.hint = f"{_text_of(call.operator)} is {write(operator)}, which is not a procedure"
                return error
        return None

    def _explain_arithmetic(self, name: str, operands: list[Any]) -> SchemeError:
        exception = self._exception
        culprit = exception.culprit if isinstance(exception, WrongType) else _UNKNOWN
        if culprit is _UNKNOWN:
            culprit = next((value for value in operands if type(value) is FunctionType), _UNKNOWN)
        shown = [] if culprit is _UNKNOWN else [culprit]
        if name in ("=", "<", ">", "<=", ">="):
            position = next((index for index, value in enumerate(operands) if value is culprit), None)
            if position is not None and all(value is not _UNKNOWN for value in operands[position:]):
                shown = operands[position:]
            return SchemeError("Bad number in a comparison:", list_of(shown))
        return SchemeError(f"{name}: {_complaint_of_operator(name)}:", *shown)


_ARITHMETIC = frozenset(
    ["+", "-", "*", "=", "<", ">", "<=", ">=", "1+", "-1+", "1-", "zero?", "positive?", "negative?"]
)
_WRONG_COUNT = re.compile(r"(.+?)\(\) (?:takes|missing)")


def _complaint_of_operator(name: str) -> str:
    return "not a number" if name in ("+", "-", "*", "/") else "bad number"


def _many_or_few(text: str) -> str:
    return "too few" if "missing" in text else "too many"


def procedure_name(procedure: Value) -> Value:
    """A procedure's name, for a message; the procedure itself if it has none."""
    known = primitive_of(procedure)
    if known is not None:
        return intern(known.names[0])
    origin = origin_of(procedure.__code__) if type(procedure) is FunctionType else None
    return intern(origin.name) if origin is not None and origin.name is not None else procedure


def signature(procedure: FunctionType) -> str | None:
    """How a procedure is called, such as ``(f x . rest)``."""
    known = primitive_of(procedure)
    origin = origin_of(procedure.__code__)
    if known is not None:
        least, most = known.arity
        names = list(known.parameters)
        required, optional = names[:least], names[least:]
        shown = [*required, *(f"[{name}]" for name in optional)] if most is not None else [*required]
        if most is None:
            shown += [f"[{name}]" for name in optional[:-1]] + [optional[-1] + " …"]
        return f"({' '.join([known.names[0], *shown])})"
    if origin is None or origin.procedure is None:
        return None
    rest = [] if origin.rest is None else [".", origin.rest]
    return f"({' '.join([origin.name or 'lambda', *origin.parameters, *rest])})"


def signature_hint(procedure: FunctionType) -> str | None:
    """A hint that shows how a procedure is called."""
    shown = signature(procedure)
    return f"it is called as {shown}" if shown is not None else None


class _Values:
    """Values of operands, as far as they can be had without evaluating anything again."""

    def __init__(
        self, frame: FrameType, origin: Origin, library: dict[str, Value], user_globals: dict[str, Value]
    ) -> None:
        self._locals = frame.f_locals
        self._names: Names = origin.unit.generate()[0].names
        self._library = library
        self._user_globals = user_globals

    def of(self, node: core.Node) -> Any:
        if isinstance(node, core.Constant):
            return node.value
        if isinstance(node, core.Local):
            return self._locals.get(self._names.of(node.variable), _UNKNOWN)
        if isinstance(node, core.Standard):
            return self._library.get(node.name, _UNKNOWN)
        if isinstance(node, core.Global):
            return self._user_globals.get(node.name, self._library.get(node.name, _UNKNOWN))
        return _UNKNOWN


def _text_of(node: core.Node) -> str:
    return " ".join(node.span.text.split()) if node.span is not None else "it"


def _runs(traceback: TracebackType | None) -> Iterator[tuple[FrameType, int, int]]:
    """The frames of a traceback, outermost first, each with the instruction that it was at. Neighbours at the same place
    are given once, as the innermost of them, with their number."""
    frame: FrameType | None = None
    instruction = times = 0
    while traceback is not None:
        inner = traceback.tb_frame
        if frame is not None and inner.f_code is frame.f_code and traceback.tb_lasti == instruction:
            times += 1
        else:
            if frame is not None:
                yield frame, instruction, times
            instruction, times = traceback.tb_lasti, 1
        frame = inner
        traceback = traceback.tb_next
    if frame is not None:
        yield frame, instruction, times
