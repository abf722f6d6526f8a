"""Python's ``ast`` to code objects that hold Scheme constants, and the units that they are compiled in.

The last constant of every code object of ours is its `Origin`: what error reports, `trace` and the printer want to know
of a procedure can so be had from the procedure alone.
"""

from __future__ import annotations

import ast
import gc
import weakref
from collections.abc import Set as AbstractSet
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from minischeme.compiler.assumptions import NOTHING, Assumptions, Knowledge, Reliance
from minischeme.compiler.builder import passing_calls
from minischeme.compiler.expressions import Fixed
from minischeme.compiler.generator import Generator
from minischeme.compiler.resume_points import Rest
from minischeme.data.cpython import compiled, filled_in, frame_slots, inner_codes, last_constant, number_of
from minischeme.data.errors import ScmSyntaxError
from minischeme.data.source import Span
from minischeme.data.values import Value
from minischeme.expansion.core import (
    Call,
    Constant,
    Define,
    Global,
    Lambda,
    Node,
    SetGlobal,
    Standard,
    defined_procedure,
    nodes,
)
from minischeme.runtime.sentence_sharing import CHANGES_PAIRS
from minischeme.runtime.tail_calls import TailCall


class Origin:
    """Where a code object comes from.

    Args: unit: the top-level form that it was compiled in. key: the name of its ``def`` there. assumptions: what it
    relies on.
    """

    __slots__ = ("_key", "_passing", "assumptions", "unit")

    def __init__(self, unit: Unit, key: str, assumptions: Assumptions) -> None:
        self.unit = unit
        self._key = key
        self.assumptions = assumptions
        self._passing: frozenset[int] | None = None

    @property
    def procedure(self) -> Lambda | None:
        """Its lambda; None for the form itself."""
        return self.unit.lambdas.get(self._key)

    def passes_on(self, code: CodeType, instruction: int) -> bool:
        """Whether all that is left to do after the call of an instruction is to return its value.

        Args: code: whose origin this is.
        """
        if self._passing is None:
            self._passing = passing_calls(code)
        return instruction in self._passing

    @property
    def name(self) -> str | None:
        procedure = self.procedure
        return procedure.name if procedure is not None else None

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the positional parameters."""
        procedure = self.procedure
        return tuple(variable.name for variable in procedure.parameters) if procedure is not None else ()

    @property
    def rest(self) -> str | None:
        """The name of the rest parameter, if there is one."""
        procedure = self.procedure
        return procedure.rest.name if procedure is not None and procedure.rest is not None else None

    @property
    def span(self) -> Span | None:
        procedure = self.procedure
        return procedure.span if procedure is not None else self.unit.root.span


def origin_of(code: CodeType) -> Origin | None:
    """The origin of a code object; None for Python's own."""
    last = last_constant(code)
    return last if type(last) is Origin else None


class Version(NamedTuple):
    """What a unit was compiled to once. Args: codes: by the name of their ``def``."""

    assumptions: Assumptions
    standard_names: frozenset[str]
    codes: dict[str, weakref.ref[CodeType]]

    def in_use(self) -> dict[str, CodeType]:
        """The code objects that there still are."""
        return {key: code for key, reference in self.codes.items() if (code := reference()) is not None}


class Continues(NamedTuple):
    """What a unit goes on with. Args: rest: its own procedure. unit: the form as it was written."""

    rest: Rest
    unit: Unit


class Outline(NamedTuple):
    """What a form does to global names.

    Args: globals: all global names that it mentions. rebinds: those that it defines or sets. assigns: those of them
    that it binds to another thing than a procedure that it defines, with whether it may do so again. defines: the name
    of that procedure, if it defines one. parameters: the names of its parameters but the rest.
    """

    globals: frozenset[str]
    rebinds: frozenset[str]
    assigns: dict[str, bool]
    defines: str | None
    parameters: tuple[str, ...]


class Unit:
    """A top-level form with the code that it was compiled to.

    Args: root: its core. library, knowledge, tail_call: as for `Generator`. continues: what it is the rest of, if it is
    one.

    `settles` tells whether the procedure that the form defines never returns with a tail call pending. `assumptions`
    are what its code relies on, `standard_names` the names of the library that it mentions: what becomes of them
    decides its code. `largest_frame` is the number of slots in it. Code objects refer to their unit, and the collector
    can't see into them: a unit must hold neither code that refers to it nor the session.

    To be set: `must_settle`, to have the form's procedure settle in any case; `settling`, the globals for which the
    same holds of whatever the form binds them to; `leaves_pending`, to have the form itself leave tail calls pending.
    """

    def __init__(
        self,
        root: Node,
        library: dict[str, Value],
        knowledge: Knowledge,
        tail_call: TailCall,
        continues: Continues | None = None,
    ) -> None:
        self.root = root
        self.outline = _outline(root if continues is None else continues.rest.whole)
        self.continues = continues
        self.standard_names: frozenset[str] = frozenset()
        self._library = library
        self._knowledge = knowledge
        self._tail_call = tail_call
        self._versions: list[Version] = []
        self.has_procedures = False
        self._fixed: Fixed | None = None
        self.lambdas: dict[str, Lambda] = {}
        """The form's procedures by the names of their ``def``."""
        self.assumptions = NOTHING
        self.settles = self.must_settle = False
        self.settling: AbstractSet[str] = frozenset()
        self.leaves_pending = False
        self.largest_frame = 0

    @property
    def changes_pairs(self) -> bool:
        """Whether the form may change a pair."""
        return not CHANGES_PAIRS.isdisjoint(self.outline.globals)

    def python_text(self) -> str:
        """The Python that the form becomes, for people to read."""
        generator, function = self.generate()
        return ast.unparse(_Readable(generator.build.constants).visit(function))

    def generate(self, assumptions: Assumptions | None = None) -> tuple[Generator, ast.stmt]:
        """The Python function of the form, as a tree with placeholders.

        Args: assumptions: of code that was compiled earlier, None to compile for what holds now.
        """
        root, outline = self.root, self.outline
        rest = None if self.continues is None else self.continues.rest
        knowledge = self._knowledge if assumptions is None else assumptions
        must_settle = self.must_settle if assumptions is None else assumptions.must_settle
        reliance = Reliance(knowledge, self._library, outline.globals, outline.defines, is_new=not self._versions)
        generator = Generator(
            root, outline.globals, self._library, reliance, self._tail_call, must_settle, self._fixed, rest
        )
        generator.settling = self.settling
        generator.leaves_pending = self.leaves_pending
        function = generator.toplevel()
        self._fixed = Fixed(generator.direct, frozenset(generator.facts.late))
        self.lambdas |= generator.lambdas
        return generator, function

    def compile(self) -> CodeType:
        """The code object of the form: a function without parameters.

        Raises: ScmSyntaxError for a form that is beyond CPython's compiler.
        """
        generator, function = self.generate()
        name = self.root.span.source.name if self.root.span is not None else "<scheme>"
        try:
            module = compiled(ast.Module([function], []), name)
        except (RecursionError, MemoryError, SyntaxError) as error:
            raise ScmSyntaxError("expressions are nested too deeply", span=self.root.span) from error
        (code,) = inner_codes(module)
        reliance = generator.reliance
        self.standard_names = frozenset(reliance.standard_names)
        self.assumptions = reliance.assumptions(self.must_settle)
        self.settles = reliance.own_settles
        if self.outline.defines is not None:
            self._knowledge.learn_calls(self.outline.defines, self.assumptions.near)
        codes: dict[str, CodeType] = {}
        finished = self._finish(code, generator, codes)
        references = {key: weakref.ref(found) for key, found in codes.items()}
        version = Version(self.assumptions, self.standard_names, references)
        self._versions = [*filter(Version.in_use, self._versions), version]
        self.has_procedures = len(codes) > 1
        self.largest_frame = max(map(frame_slots, codes.values()))
        return finished

    def _finish(self, code: CodeType, generator: Generator, codes: dict[str, CodeType]) -> CodeType:
        """Put constants in the place of placeholders, and an origin behind them, in a code object and those inside."""
        procedure = generator.lambdas.get(code.co_name)
        name = "toplevel" if procedure is None else procedure.name or "lambda"
        origin = Origin(self, code.co_name, self.assumptions)
        constants = generator.build.constants
        whole = filled_in(code, constants, lambda inner: self._finish(inner, generator, codes), origin, name)
        codes[code.co_name] = whole
        return whole

    @property
    def is_stale(self) -> bool:
        """Whether what the code relies on has changed: also code that was replaced, since a call of it that still runs
        may have made procedures of it since."""
        return any(self._is_outdated(version) and version.in_use() for version in self._versions)

    def _is_outdated(self, version: Version) -> bool:
        relied = version.assumptions
        known, own = self._knowledge, self.outline.defines
        return not (
            relied.must_settle == self.must_settle
            and all(known.is_rebound(name) == (name in relied.rebound) for name in version.standard_names)
            and all(map(known.settles, relied.settled))
            and all(known.may_be_near(name, own) for name in relied.near)
        )

    def recompile(self) -> list[tuple[CodeType, CodeType]]:
        """Compile again, since an assumption no longer holds: the old code still in use, each with the new one."""
        old = [version.in_use() for version in self._versions]
        toplevel = self.compile()
        new = self._versions[-1].in_use()
        del toplevel
        return [(code, new[key]) for codes in old for key, code in codes.items() if key in new]


def _outline(root: Node) -> Outline:
    mentioned: set[str] = set()
    rebound: set[str] = set()
    assigned: dict[str, bool] = {}
    procedure = defined_procedure(root)
    for node in nodes(root):
        kind = type(node)
        if kind is Global:
            mentioned.add(node.name)  # type: ignore[attr-defined]
        elif isinstance(node, Define | SetGlobal):
            rebound.add(node.name)
            if node is root and procedure is None:
                assigned[node.name] = not isinstance(node.value, Constant | Global | Standard)
            elif node is not root and not _is_tracing(node):
                assigned[node.name] = True
    defines = root.name if isinstance(root, Define) and procedure is not None else None
    parameters = () if procedure is None else tuple(parameter.name for parameter in procedure.parameters)
    return Outline(frozenset(mentioned | rebound), frozenset(rebound), assigned, defines, parameters)


def _is_tracing(node: Define | SetGlobal) -> bool:
    """Whether a name is bound to a wrapper of its procedure, which settles, or to what is in the wrapper."""
    operator = node.value.operator if isinstance(node.value, Call) else None
    return isinstance(operator, Standard) and operator.name in {"%traced", "%untraced"}


class _Readable(ast.NodeTransformer):
    """Shows each placeholder as the constant that it stands for."""

    def __init__(self, constants: list[Value]) -> None:
        self._constants = constants

    def visit(self, node: ast.AST) -> Any:
        number = number_of(node)
        if number is None:
            return self.generic_visit(node)
        value = self._constants[number]
        return ast.Name(getattr(value, "__name__", None) or repr(value), ast.Load())


def replace_code(pairs: list[tuple[CodeType, CodeType]]) -> None:
    """Give every function that runs an old code object the new one in its place."""
    if not pairs:
        return
    replacements = {id(old): new for old, new in pairs}
    # The search for referrers runs in C, but compares each reference with all objects that are looked for.
    few = len(pairs) < _MANY
    candidates = gc.get_referrers(*[old for old, _ in pairs]) if few else gc.get_objects()
    for candidate in candidates:
        if type(candidate) is FunctionType:
            replacement = replacements.get(id(candidate.__code__))
            if replacement is not None:
                candidate.__code__ = replacement


_MANY = 40
