"""First-class continuations: capturing the suspended frames below a ``call/cc``, and going on with them again.

Running code pays nothing for this. A frame that waits for a call already holds all that its procedure will need; when
``call/cc`` is left and its continuation is still in use, the frames below are read. To enter it again, the running
top-level form is unwound, and the rest of each captured procedure, compiled when it is first needed, is run from the
innermost out (design section 6).
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple, NoReturn

from minischeme.compiler.assembly import Continues, Origin, Unit, origin_of
from minischeme.compiler.assumptions import NOTHING, Assumptions
from minischeme.compiler.builder import site_number
from minischeme.compiler.generator import Generator
from minischeme.compiler.rests import Point, Rest, Tree
from minischeme.core import Call, Lambda, Local, Node, Variable, children
from minischeme.dynamic import DynamicState, Handler, Wind
from minischeme.errors import SchemeError
from minischeme.namespaces import Namespace
from minischeme.primitives.registry import primitive_of
from minischeme.runtime import TailCall, scheme_name
from minischeme.suspension import (
    EXTENTS,
    WORKING_FOR,
    Barrier,
    Continuation,
    Reentry,
    Suspended,
    SuspendedExtent,
    SuspendedPrimitive,
    SuspendedProcedure,
    passes_on,
    suspended,
)
from minischeme.values import Symbol, Value, intern


class Layout(NamedTuple):
    """What is where in the frames of a unit's code. Args: generator: that has made it. tree: the unit's form."""

    generator: Generator
    tree: Tree


class ReadFrame(NamedTuple):
    """A frame that a capture has read. Args: outer: what it has kept of those around it."""

    frame: FrameType
    outer: Suspended | None


class Resumption(NamedTuple):
    """How frames of a code object go on from an instruction.

    Args: code: the code object, whose identity is the key. procedure: does what they have still to do, with the value
    that they wait for and those of the locals of these names.
    """

    code: CodeType
    procedure: Callable[..., Value]
    names: list[str]


class Continuations:
    """A session's: captures them, and is the base that top-level forms run on.

    Args: library, tail_call, dynamic: the session's. namespaces: by the identity of their globals.
    """

    def __init__(
        self,
        library: dict[str, Value],
        tail_call: TailCall,
        dynamic: DynamicState,
        namespaces: weakref.WeakValueDictionary[int, Namespace],
    ) -> None:
        self._library = library
        self._tail_call = tail_call
        self._dynamic = dynamic
        self._namespaces = namespaces
        self._readers: list[object] = []
        self._waiting: list[object] = []
        self._layouts: dict[tuple[Unit, Assumptions], Layout] = {}
        self._rests: dict[Point, tuple[Rest, FunctionType]] = {}
        self._resumptions: dict[tuple[int, int], Resumption] = {}
        # The frames of the last capture, from the outermost in: those around one that still runs have not changed.
        self._stack: list[ReadFrame] = []
        self._read: dict[int, int] = {}

    # ── the base ─────────────────────────────────────────────────────────────────────────────────────────────────

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Inside the ``with``, somebody reads forms and runs them one after the other."""
        self._readers.append(object())
        try:
            yield
        finally:
            self._readers.pop()

    @property
    def _reader(self) -> object:
        return self._readers[-1] if self._readers else None

    def base(self, run: Callable[..., Value], *arguments: Any) -> Value:
        """The value of a top-level form, or of the one whose continuation it has called at last.

        Args: run, arguments: what gives the form's value.
        """
        self._waiting.append(self._reader)
        try:
            try:
                return run(*arguments)
            except Reentry as reentry:
                called = self._ours(reentry)
            return self._entered(called)
        finally:
            self._waiting.pop()
            self._forget_frames_from(0)

    @passes_on
    def _entered(self, called: tuple[Continuation, Value]) -> Value:
        """What the form gives whose continuation was called. Not part of `base`: where memory has run out, CPython 3.11
        can't leave a handler that is further than 256 instructions into its function."""
        while True:
            continuation, value = called
            self._dynamic.handlers = continuation.handlers
            try:
                return self._go_on(continuation.frames, value)
            except Reentry as reentry:
                called = self._ours(reentry)

    def _ours(self, reentry: Reentry) -> tuple[Continuation, Value]:
        """What to go on with here; a form of a reader that waits further out is gone on with there."""
        if reentry.continuation.reader is not self._reader and reentry.continuation.reader in self._waiting:
            raise reentry.with_traceback(None)
        return reentry.continuation, reentry.value

    # ── capture ──────────────────────────────────────────────────────────────────────────────────────────────────

    def capture(self, handlers: Handler | None, winds: Wind | None) -> Continuation:
        """The continuation of the Python function that calls this."""
        frame: FrameType | None = sys._getframe(2)
        waiting: list[FrameType] = []
        outer: Suspended | None = None
        known = 0
        while frame is not None and frame.f_code is not _BASE:
            waiting.append(frame)
            known = self._read.get(id(frame), 0)
            if known:
                outer = self._stack[known - 1].outer
                break
            frame = frame.f_back
            if frame is not None and frame.f_code is _SEGMENT:
                outer = frame.f_locals["frames"]
                if waiting[-1].f_code not in EXTENTS and origin_of(waiting[-1].f_code) is None:
                    del waiting[-1]  # what a resumption has made: it only passes a value on
                break
        self._forget_frames_from(max(known - 1, 0))
        for found in reversed(waiting):
            self._stack.append(ReadFrame(found, outer))
            self._read[id(found)] = len(self._stack)
            origin = origin_of(found.f_code)
            if origin is None:
                outer = suspended(outer, found)
            elif not origin.passes_on(found.f_code, found.f_lasti):
                outer = SuspendedProcedure(outer, found)
        return Continuation(outer, handlers, winds, self._reader)

    def tail_called_from(self, code: CodeType) -> bool:
        """Whether the Python function that asks has been called in tail position by what a call of `code` waits for."""
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and frame.f_code is not code:
            origin = origin_of(frame.f_code)
            is_left = frame.f_code is _RUN or (origin is not None and origin.passes_on(frame.f_code, frame.f_lasti))
            frame = frame.f_back if is_left else None
        return frame is not None

    def _forget_frames_from(self, count: int) -> None:
        """Let go of the frames that were read, but for so many."""
        for read in self._stack[count:]:
            del self._read[id(read.frame)]
        del self._stack[count:]

    # ── re-entry ─────────────────────────────────────────────────────────────────────────────────────────────────

    def enter(self, continuation: Continuation, value: Value) -> NoReturn:
        """Give up what is running, and go on with a continuation.

        Raises: Reentry; SchemeError if a frame of it can't go on a second time.
        """
        frames = continuation.frames
        if frames is not None and frames.barrier is not None:
            raise SchemeError("call/cc: can't go back into a call that has ended of:", self._name_of(frames.barrier))
        self._dynamic.rewind(continuation.winds)
        raise Reentry(continuation, value)

    def _name_of(self, barrier: Barrier) -> Symbol:
        """The name of the standard procedure that a frame is of, or works for."""
        names = {
            procedure.__code__: name
            for name, procedure in self._library.items()
            if type(procedure) is FunctionType and primitive_of(procedure) is not None
        }
        frame: Suspended | None = barrier
        while isinstance(frame, Barrier):
            if frame.code in names:
                return intern(scheme_name(names[frame.code]).lstrip("%"))
            frame = frame.outer
        return intern(WORKING_FOR.get(barrier.code) or barrier.code.co_name.strip("_").replace("_", "-"))

    def _go_on(self, frames: Suspended | None, value: Value) -> Value:
        """Run what remains of frames, from the innermost out, each in the extents of those around it."""
        start: Callable[[], Any] = lambda: value  # noqa: E731
        while True:
            extent = None if frames is None else frames.extent
            start = self._segment_of(start, frames, extent)
            if extent is None:
                return start()
            start = _inside(extent, start)
            frames = extent.outer

    def _segment_of(
        self, start: Callable[[], Any], frames: Suspended | None, extent: Suspended | None
    ) -> Callable[[], Any]:
        return lambda: self._segment(start, frames, extent)

    def _segment(self, start: Callable[[], Any], frames: Suspended | None, extent: Suspended | None) -> Any:
        """The value of `start`, passed through the frames up to an extent. `capture` reads what remains in `frames`."""
        value = start()
        if value is None:
            value = self._tail_call.run()
        while frames is not extent:
            assert frames is not None
            frame, frames = frames, frames.outer
            if isinstance(frame, SuspendedProcedure):
                procedure, arguments = self._rest_of(frame)
                value = procedure(value, *arguments)
            else:
                assert isinstance(frame, SuspendedPrimitive)
                value = frame.resume(value)
            if value is None:
                value = self._tail_call.run()
        return value

    # ── the rest of a procedure ──────────────────────────────────────────────────────────────────────────────────

    def _rest_of(self, frame: SuspendedProcedure) -> tuple[Callable[..., Value], list[Value]]:
        """The procedure that does what a frame has still to do, and its arguments but the first."""
        key = id(frame.code), frame.instruction
        found = self._resumptions.get(key)
        if found is None:
            found = self._resumptions[key] = self._resumption(frame)
        return found.procedure, [frame.locals[name] for name in found.names]

    def _resumption(self, frame: SuspendedProcedure) -> Resumption:
        origin = origin_of(frame.code)
        number = site_number(frame.code, frame.instruction)
        assert origin is not None
        assert number is not None
        place = _Place(self._layout(origin.unit, origin.assumptions), origin, number)
        continues = origin.unit.continues
        if continues is None:
            unit, point, copies = origin.unit, place.point, None
        else:
            unit, copies = continues.unit, continues.rest
            point = _original(place, copies, self._layout(unit).tree)
        found = self._rests.get(point)
        if found is None:
            found = self._rests[point] = self._compiled(unit, point, frame.globals)
        rest, procedure = found
        names = [place.name_of(variable, copies) for variable in rest.variables]
        names += [place.kept_in(operand, copies) for operand in rest.operands]
        return Resumption(frame.code, procedure, names)

    def _layout(self, unit: Unit, assumptions: Assumptions = NOTHING) -> Layout:
        layout = self._layouts.get((unit, assumptions))
        if layout is None:
            generator, _ = unit.generate(assumptions)
            layout = self._layouts[unit, assumptions] = Layout(generator, Tree(unit.root, generator.facts))
        return layout

    def _compiled(self, unit: Unit, point: Point, globals_: dict[str, Value]) -> tuple[Rest, FunctionType]:
        rest = Rest(self._layout(unit).tree, point)
        namespace = self._namespaces[id(globals_)]
        procedure = namespace.run_unit(namespace.unit(rest.procedure, Continues(rest, unit)))
        assert type(procedure) is FunctionType
        return rest, procedure


class _Place:
    """Where a frame is in its unit.

    Args: layout: of the unit. origin: of the frame's code. number: of the call site that it is at.
    """

    def __init__(self, layout: Layout, origin: Origin, number: int) -> None:
        self._tree = layout.tree
        self._names = layout.generator.names
        self._function = layout.generator.functions[origin.procedure]
        self.site: Call = self._function.sites[number]
        entries, self.procedure = self._tree.path(self.site)
        self.point = Point(self.procedure, tuple(entries), self.site)

    def name_of(self, variable: Variable, copies: Rest | None) -> str:
        """The local that has the value of a variable; in a rest, of its innermost copy."""
        if copies is None:
            return self._names.of(variable)
        candidates = copies.variable_copies[variable]
        homes = [self._tree.enclosing(call) for call in (self.site, *reversed(self.point.entries))]
        for home in [*homes, *self._tree.lambdas_around(self.procedure)]:
            for candidate in candidates:
                if self._tree.facts.home_of(candidate) is home:
                    return self._names.of(candidate)
        raise AssertionError(f"no copy of {variable}")

    def kept_in(self, operand: Node, copies: Rest | None) -> str:
        """The local that has the value of an operand; in a rest, of its copy."""
        if copies is not None:
            operand = self._copy_of_operand(operand, copies)
        name = self._function.kept.get(operand)
        if name is None:
            assert isinstance(operand, Local)
            name = self._names.of(operand.variable)
        return name

    def _copy_of_operand(self, operand: Node, copies: Rest) -> Node:
        for start in (self.site, *self.point.entries):
            node: Node | None = start
            while node is not None and not isinstance(node, Lambda):
                original = copies.copied[node].call if isinstance(node, Call) else None
                if isinstance(node, Call) and original is not None:
                    for part, copy in zip(children(original), children(node), strict=True):
                        if part is operand:
                            return copy
                node = self._tree.parent(node)
        raise AssertionError("no copy of an operand")


def _original(place: _Place, copies: Rest, tree: Tree) -> Point:
    """The point in the form as it was written that a point in a rest is a copy of."""
    copied_procedure, copied_entries, copied_site = place.point
    assert copied_procedure is not None
    procedure = copies.lambdas[copied_procedure]
    site = copies.copied[copied_site]
    outermost = copies.copied[copied_entries[0]] if copied_entries else site
    entries = list(outermost.entries)
    for copy in copied_entries:
        entry = copies.copied[copy].call
        loop = tree.entered_by(entry)
        again = [index for index, earlier in enumerate(entries) if tree.entered_by(earlier) is loop]
        if loop is procedure:
            entries = []
        else:
            entries[again[0] + 1 if again else len(entries) :] = [] if again else [entry]
    return Point(procedure, tuple(entries), site.call)


def _inside(extent: SuspendedExtent, thunk: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: extent.inside(thunk)


_BASE: CodeType = Continuations.base.__code__
_SEGMENT: CodeType = Continuations._segment.__code__
_RUN: CodeType = TailCall.run.__code__
