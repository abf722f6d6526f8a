"""First-class continuations: capture of the suspended frames below a ``call/cc``, and their re-entry.

Running code pays nothing for this. A frame that waits for a call already holds all that its procedure still needs. If
the continuation is still referred to when ``call/cc`` returns, the frames below are read. To re-enter it, the running
top-level form is unwound, and the rest of each captured procedure, compiled on first use, is run from the innermost
frame outwards (ARCHITECTURE.md section 6).
"""

import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from types import CodeType, FrameType, FunctionType
from typing import Any

from minischeme.compiler.assembly import ResumesUnit, Unit, info_of
from minischeme.compiler.builder import site_number
from minischeme.compiler.generator import CodeGenerator
from minischeme.compiler.resume_points import CompiledForm, ResumeFunction
from minischeme.data.errors import SchemeError
from minischeme.data.values import Symbol, Value, intern
from minischeme.evaluation.namespaces import Namespace
from minischeme.expansion.core import Call, parents
from minischeme.primitives.registry import primitive_of_code
from minischeme.runtime.dynamic_state import DynamicState, Handler, Wind
from minischeme.runtime.resumption import (
    TRANSPARENT,
    Continuation,
    Reentry,
    Resumption,
    Suspended,
    SuspendedPrimitive,
    SuspendedProcedure,
    suspended,
    transparent,
)
from minischeme.runtime.tail_calls import TailCall
from minischeme.system.tracebacks import remove_traceback


class Continuations:
    """The continuations of a session and the base that its top-level forms run on.

    `tail_call` and `dynamic` are the session's; `namespaces` are found by the identity of their globals.
    """

    def __init__(
        self, tail_call: TailCall, dynamic: DynamicState, namespaces: weakref.WeakValueDictionary[int, Namespace]
    ) -> None:
        self._tail_call = tail_call
        self._dynamic = dynamic
        self._namespaces = namespaces
        self._readers: list[object] = [None]
        self._waiting: list[object] = []
        self._generator = cache(Unit.generator)
        self._form = cache(_form_of)
        self._functions: dict[tuple[CompiledForm, Call], tuple[ResumeFunction, FunctionType]] = {}
        self._resumptions: dict[tuple[int, int], Resumption] = {}
        self.active = 0
        self._remaining: Suspended | None = None  # the frames that the innermost `_segment` has yet to run
        # The frames of the last captures, but a few, outermost first, each with the captured frames around it, which
        # have not changed while the frame is still running.
        self._stack: list[tuple[FrameType, Suspended | None]] = []
        self._read: dict[int, int] = {}

    # ── the base ─────────────────────────────────────────────────────────────────────────────────────────────────

    @contextmanager
    def reader_scope(self) -> Iterator[None]:
        """A scope in which forms are read and run one after the other."""
        self._readers.append(object())
        try:
            yield
        finally:
            self._readers.pop()

    def run_toplevel(self, run: Callable[..., Value], *arguments: Any) -> Value:
        """The value of the top-level form that `run` evaluates, or of the form whose continuation was called last."""
        self._waiting.append(self._readers[-1])
        try:
            try:
                return run(*arguments)
            except Reentry as reentry:
                called = self._belongs_here(reentry)
            return self._entered(called)
        finally:
            self._waiting.pop()
            self._forget_frames_from(0)

    @transparent
    def _entered(self, called: tuple[Continuation, Value]) -> Value:
        """The value of the form whose continuation was called. Separate from `base`: when memory is exhausted, CPython
        3.11 can't leave a handler that is further than 256 instructions into its function."""
        while True:
            try:
                return self._go_on(*called)
            except Reentry as reentry:
                called = self._belongs_here(reentry)

    def _belongs_here(self, reentry: Reentry) -> tuple[Continuation, Value]:
        """The continuation to enter here and its value; that of an outer reader's form is raised again to get there."""
        continuation, value = reentry.args
        if continuation.reader is not self._readers[-1] and continuation.reader in self._waiting:
            raise reentry.with_traceback(None)
        remove_traceback(reentry)
        return continuation, value

    # ── capture ──────────────────────────────────────────────────────────────────────────────────────────────────

    def capture(self, handlers: Handler | None, winds: Wind | None) -> Continuation:
        """The continuation of the Python function that calls this."""
        frame: FrameType | None = sys._getframe(2)
        waiting: list[FrameType] = []
        outer: Suspended | None = None
        known, read, stack = 0, self._read, self._stack
        while frame is not None:
            code = frame.f_code
            if id(code) not in TRANSPARENT:
                if code is _BASE:
                    break
                if code is _SEGMENT:
                    outer = self._remaining
                    break
                waiting.append(frame)
                if read and (known := read.get(id(frame), 0)):
                    outer = stack[known - 1][1]
                    break
            frame = frame.f_back
        if stack:
            self._forget_frames_from(max(known - 1, 0))
        is_long = len(waiting) > _FEW
        for found in reversed(waiting):
            if is_long:
                stack.append((found, outer))
                read[id(found)] = len(stack)
            code = found.f_code
            known_resumption = self._resumptions.get((id(code), found.f_lasti))
            if known_resumption is not None:
                outer = SuspendedProcedure(outer, found, known_resumption, known_resumption.has_element_loops)
                continue
            info = info_of(code)
            if info is None:
                outer = suspended(outer, found)
            elif not info.is_transparent(code, found.f_lasti):
                outer = SuspendedProcedure(outer, found, None, info.has_element_loops)
        return Continuation(outer, handlers, winds, self._readers[-1])

    def tail_called_from(self, code: CodeType) -> bool:
        """Whether the calling Python function was tail-called within the call that a frame of `code` waits for."""
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and frame.f_code is not code:
            is_left = frame.f_code is _RUN
            if not is_left and (info := info_of(frame.f_code)) is not None:
                is_left = info.is_transparent(frame.f_code, frame.f_lasti)
            frame = frame.f_back if is_left else None
        return frame is not None

    def _forget_frames_from(self, count: int) -> None:
        """Forget the frames that were read, except for the first `count`."""
        for frame, _ in self._stack[count:]:
            self._read.pop(id(frame), None)  # an interrupt may have come before it was added or after it was removed
        del self._stack[count:]

    # ── re-entry ─────────────────────────────────────────────────────────────────────────────────────────────────

    def check(self, continuation: Continuation) -> None:
        """Check that the frames of a continuation can be resumed once more; a `SchemeError` if one can't."""
        frames = continuation.frames
        if frames is not None and frames.barrier is not None:
            raise SchemeError("call/cc: can't go back into a call that has ended of:", self._name_of(frames.barrier))

    def _name_of(self, barrier: SuspendedPrimitive) -> Symbol:
        """The name of the standard procedure that a frame belongs to, directly or as its helper."""
        frame: Suspended | None = barrier
        while isinstance(frame, SuspendedPrimitive) and frame.barrier is frame:
            known = primitive_of_code(frame.code)
            if known is not None:
                return intern(known.names[0].lstrip("%"))
            frame = frame.outer
        return intern(barrier.code.co_name.strip("_").replace("_", "-"))

    def _go_on(self, continuation: Continuation, value: Value) -> Value:
        """Run the rest of the frames, from the innermost out, each in the extents of those around it."""
        frames = continuation.frames
        if frames is None or frames.extent is None:
            return self._segment(self._started(continuation, value), frames, None)
        start: Callable[[], Any] = partial(self._started, continuation, value)
        while frames is not None and frames.extent is not None:
            start = self._inside(frames.extent, start, frames)
            frames = frames.extent.outer
        return self._segment(None, frames, None, start)

    def _started(self, continuation: Continuation, value: Value) -> Value:
        """Set the dynamic state, which in an extent may differ: in a handler, or when winds are left; the value."""
        self._dynamic.handlers = continuation.handlers
        self._dynamic.winds = continuation.winds
        return value

    def _inside(
        self, extent: SuspendedPrimitive, start: Callable[[], Any], frames: Suspended | None
    ) -> Callable[[], Any]:
        assert extent.inside is not None
        inside = extent.inside
        return transparent(lambda: inside(lambda: self._segment(None, frames, extent, start)))

    def _segment(
        self, value: Any, frames: Suspended | None, extent: Suspended | None, start: Callable[[], Any] | None = None
    ) -> Any:
        """The value, or that of `start`, returned through the frames up to an extent."""
        before = self._remaining
        try:
            self._remaining = frames
            if start is not None:
                value = start()
            if value is None:
                value = self._tail_call.run()
            while frames is not extent:
                assert frames is not None
                frame, self._remaining = frames, frames.outer
                frames = frames.outer
                if isinstance(frame, SuspendedProcedure):
                    value = (frame.resumption or self._resumption(frame)).procedure(value, *frame.values)
                else:
                    assert isinstance(frame, SuspendedPrimitive)
                    assert frame.resume is not None
                    value = frame.resume(value)
                if value is None:
                    value = self._tail_call.run()
            return value
        finally:
            self._remaining = before

    # ── resume functions ─────────────────────────────────────────────────────────────────────────────────────────

    def _resumption(self, frame: SuspendedProcedure) -> Resumption:
        key = id(frame.code), frame.instruction
        if key in self._resumptions:
            frame.resumed_by(self._resumptions[key])
            return self._resumptions[key]
        info = info_of(frame.code)
        number = site_number(frame.code, frame.instruction)
        assert info is not None
        assert number is not None
        generator = self._generator(info.unit, info.assumptions)
        call, kept = generator.functions[info.procedure].sites[number]
        inner = info.unit.resumes
        if inner is None:
            unit, form = info.unit, self._form(info.unit, generator)
        else:  # the frame is one of a resume function
            unit, form, call = inner.unit, inner.function.form, inner.function.original_calls.get(call, call)
            kept = {inner.function.original_operands.get(node, node): name for node, name in kept.items()}
        if (form, call) not in self._functions:
            self._functions[form, call] = self._compiled(unit, form, call, frame.globals)
        rest, procedure = self._functions[form, call]
        names = [kept[operand] for operand in rest.operands]
        names += [rest.form.names.variables[variable] for variable in rest.variables]
        found = self._resumptions[key] = Resumption(frame.code, procedure, names, info.has_element_loops)
        frame.resumed_by(found)
        return found

    def _compiled(
        self, unit: Unit, form: CompiledForm, call: Call, globals_: dict[str, Value]
    ) -> tuple[ResumeFunction, FunctionType]:
        rest = ResumeFunction(form, call)
        namespace = self._namespaces[id(globals_)]
        procedure = namespace.run_unit(namespace.unit(unit.root, ResumesUnit(rest, unit)))
        assert type(procedure) is FunctionType
        return rest, procedure


def _form_of(unit: Unit, generator: CodeGenerator) -> CompiledForm:
    """The form of a unit as a generator has compiled it: what is a loop depends on assumptions."""
    return CompiledForm(generator.facts, generator.names, generator.calls.direct, parents(unit.root))


_FEW = 4
"""The frames that may be read again by each capture, since to remember them takes as long."""

_BASE: CodeType = Continuations.run_toplevel.__code__
_SEGMENT: CodeType = Continuations._segment.__code__
_RUN: CodeType = TailCall.run.__code__
