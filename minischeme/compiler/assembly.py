"""Assembly of Python's ``ast`` into code objects with Scheme constants, and the units of compilation.

The last constant of each of our code objects is its `CodeInfo`, so that error reports, `trace` and the printer find the
facts about a procedure in the procedure itself.
"""

import ast
import weakref
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from types import CodeType, FunctionType
from typing import Any

import msgspec

from minischeme.compiler.assumptions import Assumptions, GlobalFacts
from minischeme.compiler.builder import transparent_calls
from minischeme.compiler.call_facts import CallFacts, FrameLayout
from minischeme.compiler.generator import CodeGenerator
from minischeme.compiler.resume_points import ResumeFunction
from minischeme.compiler.survey import called_name
from minischeme.compiler.tail_inlining import fits
from minischeme.data.cpython import compiled, filled_in, frame_slots, inner_codes, last_constant, number_of
from minischeme.data.errors import ScmSyntaxError
from minischeme.data.values import NIL, Value
from minischeme.expansion import core
from minischeme.expansion.forms.definitions import OF_RECORDS
from minischeme.runtime.recursion import cap_recursion_for_frame_size
from minischeme.runtime.sentence_sharing import CHANGES_PAIRS
from minischeme.runtime.tail_calls import TailCall


class CodeInfo:
    """Facts about a code object, stored as its last constant.

    `unit` is the top-level form that it was compiled in, `procedure` its lambda, or None for the form itself, and
    `assumptions` are those that it relies on. `has_element_loops` tells whether loops over elements change its locals.
    """

    __slots__ = (
        "_procedure",
        "_transparent",
        "assumptions",
        "has_element_loops",
        "name",
        "parameters",
        "rest",
        "span",
        "unit",
    )

    def __init__(self, unit: "Unit", procedure: core.Lambda | None, assumptions: Assumptions) -> None:
        self.unit = unit
        self._procedure = procedure
        self.assumptions = assumptions
        self.name, self.span = (None, unit.root.span) if procedure is None else (procedure.name, procedure.span)
        self.parameters = () if procedure is None else tuple(variable.name for variable in procedure.parameters)
        self.rest = procedure.rest.name if procedure is not None and procedure.rest is not None else None
        self.has_element_loops = False
        self._transparent: frozenset[int] | None = None

    @property
    def procedure(self) -> core.Lambda | None:
        _ = self.unit.root  # a deferred procedure gets its body
        return self._procedure

    @property
    def definition(self) -> core.Define | None:
        """The top-level form, if it defines this procedure."""
        root = self.unit.root
        return root if isinstance(root, core.Define) and root.value is self.procedure else None

    def is_transparent(self, code: CodeType, instruction: int) -> bool:
        """Whether the call at an instruction of the code is followed only by the return of its value."""
        if self._transparent is None:
            self._transparent = transparent_calls(code)
        return instruction in self._transparent


def info_of(code: CodeType) -> CodeInfo | None:
    """The facts about a code object; None for code compiled from Python."""
    last = last_constant(code)
    return last if type(last) is CodeInfo else None


class ResumesUnit(msgspec.Struct, frozen=True):
    """The purpose of a unit made for re-entry: the resume function, and the unit of the form as it was written."""

    function: ResumeFunction
    unit: "Unit"


class FormSummary(msgspec.Struct, frozen=True):
    """The effects of a form on global names.

    `globals` are all names that it mentions, and `rebinds` those that it defines or sets. `assigns` are the ones that
    it binds to anything but a procedure that it defines, with whether it may do so again, and `records` those that it
    binds to procedures of record types. `defines` is the name of the procedure that it defines, if any, and
    `captures_itself` tells whether that has itself in its closure, since it may repeat its body while the name means
    this very procedure.
    """

    globals: frozenset[str]
    rebinds: frozenset[str]
    assigns: dict[str, bool]
    defines: str | None
    captures_itself: bool
    records: AbstractSet[str]


class Unit:
    """A top-level form with the code that it is compiled to.

    `root` is its core, `facts` are the namespace's, `tail_call` is the session's register, and `resumes` is set in the
    unit of a resume function. `inlined` are the procedures, by name, whose tail calls in it may be inlined, and
    `stubbed` those that await code. If `leaves_pending` is set, the form itself may leave tail calls pending.

    Code objects refer to their unit, and the collector can't see into them: a unit must refer strongly neither to that
    code nor to the session.
    """

    def __init__(
        self, root: core.Node, facts: GlobalFacts, tail_call: TailCall, resumes: ResumesUnit | None = None
    ) -> None:
        self._root = root
        self._deferred: Callable[[Unit], core.Lambda] | None = None
        self.summary = _summary(root if resumes is None else resumes.function.whole)
        self.resumes = resumes
        self.lambdas: dict[str, core.Lambda] = {}
        """The form's procedures by the names of their ``def``."""
        self.leaves_pending = False
        self.inlined: dict[str, core.Lambda] = {}
        self.stubbed: list[weakref.ref[FunctionType]] = []
        self.facts = facts
        self.tail_call = tail_call
        self.layout: FrameLayout | None = None
        self.applies_lambdas = True
        self._calls: CallFacts | None = None
        self._is_direct: bool | None = None
        self._codes: list[weakref.ref[CodeType]] = []
        self._invalid: list[weakref.ref[CodeType]] = []

    @property
    def root(self) -> core.Node:
        """The core of the form."""
        if self._deferred is not None:
            procedure, whole = self.procedure, self._deferred(self)
            assert procedure is not None
            for field in ("parameters", "rest", "body"):
                msgspec.structs.force_setattr(procedure, field, getattr(whole, field))
            captures_itself = self.summary.captures_itself
            self.summary = msgspec.structs.replace(_summary(self._root), captures_itself=captures_itself)
            self._deferred = None
        return self._root

    @property
    def procedure(self) -> core.Lambda | None:
        """The procedure that the form defines, perhaps without its body so far."""
        return core.defined_procedure(self._root)

    def defer(self, whole: Callable[["Unit"], core.Lambda], *, captures_itself: bool) -> None:
        """Have the body of the defined procedure made by `whole` when the core is first asked for."""
        self._deferred = whole
        self.summary = msgspec.structs.replace(self.summary, captures_itself=captures_itself)

    @property
    def changes_pairs(self) -> bool:
        """Whether the form may change a pair."""
        return not CHANGES_PAIRS.isdisjoint(self.summary.globals)

    @property
    def roots(self) -> list[core.Node]:
        """All core that the code is made of: the form, and the procedures inlined in it."""
        return [self.root, *self.inlined.values()]

    def inlines(self, name: str, procedure: core.Lambda) -> bool:
        """Whether tail calls of a small procedure that another unit defines may be inlined."""
        if not fits(procedure, name, self.root):
            return False
        self.inlined[name] = procedure
        return True

    def uses_otherwise(self, names: AbstractSet[str]) -> bool:
        """Whether the form does anything with one of these globals but call it outside all procedures."""
        if names.isdisjoint(self.summary.globals):
            return False
        called = set(_called_outside_procedures(self.root))
        return any(
            isinstance(node, core.Global) and node.name in names and node not in called
            for node in core.nodes(self.root)
        )

    @property
    def is_direct(self) -> bool:
        """Whether the procedure that the form defines never returns with a tail call pending."""
        if self._is_direct is None:
            self._analyse()
        return bool(self._is_direct)

    def _analyse(self) -> None:
        """Prepare compilation, and decide `is_direct`; meanwhile the answer is no."""
        self._is_direct = False
        try:
            self._calls = self._call_facts()
            if self.summary.defines is not None:
                self._depend_on(self._calls)
        except BaseException:
            self.invalidate()
            raise
        self._is_direct = self._calls.own_is_direct

    def python_text(self) -> str:
        """The form compiled to Python, as text for people."""
        generator, function = self._generate(self._call_facts())
        return ast.unparse(_Readable(generator.build.constants).visit(function))

    def generator(self, assumptions: Assumptions) -> CodeGenerator:
        """A generator that has made the form's code with these assumptions."""
        return self._generate(self._call_facts(assumptions))[0]

    def _call_facts(self, assumptions: Assumptions | None = None) -> CallFacts:
        """The facts about the form's calls with these assumptions, or those that hold now."""

        def grant(kind: str, name: str) -> bool:
            return self.facts.grant(kind, name, self) if assumptions is None else (kind, name) in assumptions

        _ = self.root  # a deferred procedure gets its body, and the summary is complete
        return CallFacts(self, grant)

    def _generate(self, calls: CallFacts) -> tuple[CodeGenerator, ast.stmt]:
        """The Python function of the form, as a tree with placeholders."""
        generator = CodeGenerator(self, calls)
        function = generator.toplevel()
        self.layout = FrameLayout(calls.direct, frozenset(calls.loops.needs_letrec_check))
        self.lambdas |= generator.lambdas
        return generator, function

    def _depend_on(self, calls: CallFacts) -> None:
        for kind, name in calls.assumptions:
            self.facts.dependents[name][kind].add(self)

    def compile(self) -> CodeType:
        """The code object of the form: a function without parameters, which from now on depends on its assumptions.

        That of the definition of a procedure returns the procedure. A form that is beyond CPython's compiler is a
        `ScmSyntaxError`.
        """
        if self._calls is None:
            self._analyse()
        assert self._calls is not None
        calls, self._calls = self._calls, None
        generator, function = self._generate(calls)
        name = self.root.span.source.name if self.root.span is not None else "<scheme>"
        try:
            module = compiled(ast.Module([function], []), name)
        except (RecursionError, MemoryError, SyntaxError) as error:
            raise ScmSyntaxError("expressions are nested too deeply", span=self.root.span) from error
        (code,) = inner_codes(module)
        finished = self._finish(code, generator, calls.assumptions)
        codes = _all_codes(finished)
        self._codes = [reference for reference in self._codes if reference() is not None]
        self._codes += [weakref.ref(found) for found in codes if found is not finished]
        if self._codes:
            self._depend_on(calls)
            slots = max(map(frame_slots, codes))
            if slots > self.facts.largest_frame:
                self.facts.largest_frame = slots
                cap_recursion_for_frame_size(slots)
        return finished

    def _finish(self, code: CodeType, generator: CodeGenerator, assumptions: Assumptions) -> CodeType:
        """Replace placeholders by constants in a code object and those inside it, and append the info of each."""
        procedure = self.lambdas.get(code.co_name)
        info = CodeInfo(self, procedure, assumptions)
        info.has_element_loops = generator.functions[procedure].has_element_loops
        name = "toplevel" if procedure is None else info.name or "lambda"

        def finish(inner: CodeType) -> CodeType:
            return self._finish(inner, generator, assumptions)

        return filled_in(code, generator.build.constants, finish, info, name)

    def invalidate(self) -> list[CodeType]:
        """Mark the code as invalid; returns the code of procedures that must no longer be entered."""
        self._calls = self._is_direct = None
        self._invalid += self._codes
        self._codes = []
        return self.invalid_code()

    def invalid_code(self) -> list[CodeType]:
        """The invalid code that is still referred to."""
        found = [code for reference in self._invalid if (code := reference()) is not None]
        self._invalid = list(map(weakref.ref, found))
        return found

    def shown_procedure(self, procedure: core.Lambda) -> FunctionType:
        """A procedure that looks like that of a lambda in the form, for messages; it gives the empty list."""
        info = CodeInfo(self, procedure, frozenset())
        return FunctionType(filled_in(_nothing.__code__, [], lambda inner: inner, info, "lambda"), globals())

    def recompile(self) -> dict[core.Lambda | None, CodeType]:
        """Compile, and give the procedures that await it their code; returns the code of each."""
        procedures = [procedure for reference in self.stubbed if (procedure := reference()) is not None]
        waiting = [(each, info.procedure) for each in procedures if (info := last_constant(each.__code__)).unit is self]
        codes = {last_constant(code).procedure: code for code in _all_codes(self.compile())}
        if any(procedure not in codes for _, procedure in waiting):  # it has become a part of a loop meanwhile
            self.applies_lambdas = False
            codes = {last_constant(code).procedure: code for code in _all_codes(self.compile())}
        for function, procedure in waiting:
            function.__code__ = codes[procedure]
        self.stubbed.clear()
        return codes


def _nothing(*_: Value) -> Value:
    return NIL


def _all_codes(code: CodeType) -> list[CodeType]:
    """A code object and those of the procedures in it."""
    found = [code]
    for outer in found:  # The list grows meanwhile.
        found += inner_codes(outer)
    return found


def _summary(root: core.Node) -> FormSummary:
    mentioned, rebound, records = set[str](), set[str](), set[str]()
    assigned: dict[str, bool] = {}
    bodies: list[core.Node] = []
    is_definition = core.defined_procedure(root) is not None
    for node in core.nodes(root):
        if type(node) is core.Global:
            mentioned.add(node.name)
        elif type(node) is core.Lambda:
            bodies.append(node.body)
        elif type(node) is core.Define or type(node) is core.SetGlobal:
            rebound.add(node.name)
            maker = node.value.operator if type(node.value) is core.Call else None
            if type(maker) is core.Constant and maker.value in OF_RECORDS:
                records.add(node.name)
            if node is root and not is_definition:
                assigned[node.name] = not isinstance(node.value, core.Constant | core.Global | core.Standard)
            elif node is not root and not (type(maker) is core.Standard and maker.name in _TRACING):
                assigned[node.name] = True
    defines = root.name if isinstance(root, core.Define) and is_definition else None
    ends = (end for body in bodies if is_definition for end in core.tail_expressions(body))
    captures_itself = any(isinstance(end, core.Call) and called_name(end.operator) == defines for end in ends)
    return FormSummary(frozenset(rebound | mentioned), frozenset(rebound), assigned, defines, captures_itself, records)


_TRACING = ("%traced", "%untraced")
"""The procedures that give a procedure's `trace` wrapper, which returns directly, and the wrapped procedure."""


def _called_outside_procedures(root: core.Node) -> Iterator[core.Node]:
    """The operators of the calls in a form, except those inside lambdas."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, core.Call):
            yield node.operator
        if not isinstance(node, core.Lambda):
            waiting += core.children(node)


class _Readable(ast.NodeTransformer):
    """A transformer that shows each placeholder as its constant."""

    def __init__(self, constants: list[Value]) -> None:
        self._constants = constants

    def visit(self, node: ast.AST) -> Any:
        number = number_of(node)
        if number is None:
            return self.generic_visit(node)
        value = self._constants[number]
        text = getattr(value, "__name__", None) or repr(value)
        return ast.Name(type(value).__name__ if text.startswith("<") else text, ast.Load())
