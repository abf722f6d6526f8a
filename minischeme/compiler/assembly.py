"""Python's ``ast`` to code objects that hold Scheme constants, and the units that they are compiled in.

The last constant of every code object of ours is its `Origin`: what error reports, `trace` and the printer want to know
of a procedure can so be had from the procedure alone.
"""

from __future__ import annotations

import ast
import gc
import warnings
import weakref
from collections.abc import Set as AbstractSet
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from minischeme.compiler.assumptions import NOTHING, Assumptions, Knowledge, Reliance
from minischeme.compiler.builder import passing_calls
from minischeme.compiler.expressions import Fixed
from minischeme.compiler.generator import Generator
from minischeme.compiler.rests import Rest
from minischeme.core import (
    Call,
    Constant,
    Define,
    Global,
    Lambda,
    Node,
    SetGlobal,
    Standard,
    Variable,
    defined_procedure,
    nodes,
)
from minischeme.errors import ScmSyntaxError
from minischeme.runtime import TailCall
from minischeme.sentences import CHANGES_PAIRS
from minischeme.source import Span
from minischeme.values import Value


class Origin:
    """Where a code object comes from.

    Args: unit: the top-level form that it was compiled in. procedure: its lambda; None for the form itself.
    assumptions: what it relies on.
    """

    __slots__ = ("_passing", "assumptions", "procedure", "unit")

    def __init__(self, unit: Unit, procedure: Lambda | None, assumptions: Assumptions) -> None:
        self.unit = unit
        self.procedure = procedure
        self.assumptions = assumptions
        self._passing: frozenset[int] | None = None

    def passes_on(self, code: CodeType, instruction: int) -> bool:
        """Whether all that is left to do after the call of an instruction is to return its value.

        Args: code: whose origin this is.
        """
        if self._passing is None:
            self._passing = passing_calls(code)
        return instruction in self._passing

    @property
    def name(self) -> str | None:
        return self.procedure.name if self.procedure is not None else None

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the positional parameters."""
        return tuple(variable.name for variable in self.procedure.parameters) if self.procedure is not None else ()

    @property
    def rest(self) -> str | None:
        """The name of the rest parameter, if there is one."""
        if self.procedure is None or self.procedure.rest is None:
            return None
        return self.procedure.rest.name

    @property
    def span(self) -> Span | None:
        return self.procedure.span if self.procedure is not None else self.unit.root.span


def origin_of(code: CodeType) -> Origin | None:
    """The origin of a code object; None for Python's own."""
    last = code.co_consts[-1] if code.co_consts else None
    return last if type(last) is Origin else None


class Continues(NamedTuple):
    """What a unit goes on with. Args: rest: its own procedure. unit: the form as it was written."""

    rest: Rest
    unit: Unit


class Unit:
    """A top-level form with the code that it was compiled to.

    Args: root: its core. library, knowledge, tail_call: as for `Generator`. continues: what it is the rest of, if it is
    one.

    `defines` is the name of the procedure that the form defines, `settles` whether that never returns with a tail call
    pending. `assumptions` are what its code relies on, `standard_names` the names of the library that it mentions:
    what becomes of them decides its code. `globals` are all global names that it mentions, `rebinds` those that it
    defines or sets, `assigns` those of them that it binds to another thing than that procedure, with whether it may do
    so again. `largest_frame` is the number of slots in it. Code objects refer to their unit, and the collector can't
    see into them: a unit must hold neither code nor the session.

    To be set: `must_settle`, to have the form's procedure settle in any case; `settling`, the globals for which the
    same holds of whatever the form binds them to; `is_behind`, while procedures may still run older code.
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
        self.continues = continues
        self.standard_names: set[str] = set()
        self._library = library
        self._knowledge = knowledge
        self._tail_call = tail_call
        self._codes: list[tuple[str, weakref.ref[CodeType]]] = []
        self.is_behind = False
        self._fixed = None if continues is None else Fixed(None, continues.rest.late)
        self.has_procedures = False
        self.globals, self.rebinds, self.assigns = _globals(root)
        self.defines = root.name if isinstance(root, Define) and defined_procedure(root) is not None else None
        self.assumptions = NOTHING
        self.settles = self.must_settle = False
        self.settling: AbstractSet[str] = frozenset()
        self.largest_frame = 0

    @property
    def changes_pairs(self) -> bool:
        """Whether the form may change a pair."""
        return not CHANGES_PAIRS.isdisjoint(self.globals)

    def python_text(self) -> str:
        """The Python that the form becomes, for people to read."""
        generator, function = self.generate()
        return ast.unparse(_Readable(generator.build.constants).visit(function))

    def generate(self, assumptions: Assumptions | None = None) -> tuple[Generator, ast.stmt]:
        """The Python function of the form, as a tree with placeholders.

        Args: assumptions: of code that was compiled earlier, None to compile for what holds now.
        """
        given = frozenset[Variable]() if self.continues is None else self.continues.rest.given
        knowledge = self._knowledge if assumptions is None else assumptions
        must_settle = self.must_settle if assumptions is None else assumptions.must_settle
        reliance = Reliance(knowledge, self._library, self.globals, self.defines, is_new=not self._codes)
        generator = Generator(
            self.root, self.globals, self._library, reliance, self._tail_call, must_settle, self._fixed, given
        )
        generator.settling = self.settling
        function = generator.toplevel()
        self._fixed = Fixed(generator.direct, frozenset(generator.facts.late))
        self.has_procedures = bool(generator.lambdas)
        return generator, function

    def compile(self) -> CodeType:
        """The code object of the form: a function without parameters.

        Raises: ScmSyntaxError for a form that is beyond CPython's compiler.
        """
        generator, function = self.generate()
        name = self.root.span.source.name if self.root.span is not None else "<scheme>"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)  # that a constant is no procedure, and the like
                module = compile(ast.Module([function], []), name, "exec", dont_inherit=True)
        except (RecursionError, MemoryError, SyntaxError) as error:
            raise ScmSyntaxError("expressions are nested too deeply", span=self.root.span) from error
        (code,) = [constant for constant in module.co_consts if isinstance(constant, CodeType)]
        codes: dict[str, CodeType] = {}
        self.standard_names = generator.reliance.standard_names
        self.assumptions = generator.reliance.assumptions(self.must_settle)
        self.settles = generator.reliance.own_settles
        if self.defines is not None:
            self._knowledge.learn_calls(self.defines, self.assumptions.near)
        finished = self._finish(code, generator, codes)
        self._codes = [(name, reference) for name, reference in self._codes if reference() is not None]
        self._codes += [(name, weakref.ref(found)) for name, found in codes.items()]
        self.largest_frame = max(found.co_nlocals + found.co_stacksize for found in codes.values())
        return finished

    def _finish(self, code: CodeType, generator: Generator, codes: dict[str, CodeType]) -> CodeType:
        """Put constants in the place of placeholders, and an origin behind them, in a code object and those inside."""

        def finished(constant: Any) -> Any:
            if isinstance(constant, str):
                return generator.build.constants[int(constant)]
            if isinstance(constant, tuple):  # CPython makes one constant of a tuple of constants
                return tuple(map(finished, constant))
            return self._finish(constant, generator, codes) if isinstance(constant, CodeType) else constant

        constants = [finished(constant) for constant in code.co_consts]
        procedure = generator.lambdas.get(code.co_name)
        constants.append(Origin(self, procedure, self.assumptions))
        name = (procedure.name or "lambda") if procedure is not None else "toplevel"
        whole = code.replace(co_consts=tuple(constants), co_name=name, co_qualname=name)
        codes[code.co_name] = whole
        return whole

    @property
    def is_stale(self) -> bool:
        """Whether what the code relies on has changed."""
        known, relied = self._knowledge, self.assumptions
        return (
            self.is_behind
            or any(known.is_rebound(name) != (name in relied.rebound) for name in self.standard_names)
            or not all(map(known.settles, relied.settled))
            or not all(known.may_be_near(name, self.defines) for name in relied.near)
        )

    def recompile(self) -> dict[int, CodeType]:
        """Compile again, since an assumption no longer holds: new code by the id of any older code still in use."""
        toplevel = self.compile()
        codes = [(name, code) for name, reference in self._codes if (code := reference()) is not None]
        newest = dict(codes)
        del toplevel
        return {id(code): newest[name] for name, code in codes if code is not newest[name]}


def _globals(root: Node) -> tuple[set[str], set[str], dict[str, bool]]:
    """The global names that a form mentions, those that it defines or sets, and those of them that it binds to another
    thing than a procedure that it defines: each with whether it may do so again."""
    mentioned: set[str] = set()
    rebound: set[str] = set()
    assigned: dict[str, bool] = {}
    for node in nodes(root):
        kind = type(node)
        if kind is Global:
            mentioned.add(node.name)  # type: ignore[attr-defined]
        elif isinstance(node, Define | SetGlobal):
            rebound.add(node.name)
            if node is root and defined_procedure(root) is None:
                assigned[node.name] = not isinstance(node.value, Constant | Global | Standard)
            elif node is not root and not _is_tracing(node):
                assigned[node.name] = True
    return mentioned | rebound, rebound, assigned


def _is_tracing(node: Define | SetGlobal) -> bool:
    """Whether a name is bound to a wrapper of its procedure, which settles, or to what is in the wrapper."""
    operator = node.value.operator if isinstance(node.value, Call) else None
    return isinstance(operator, Standard) and operator.name in {"%traced", "%untraced"}


class _Readable(ast.NodeTransformer):
    """Shows each placeholder as the constant that it stands for."""

    def __init__(self, constants: list[Value]) -> None:
        self._constants = constants

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        (part,) = node.values
        assert isinstance(part, ast.Constant)
        value = self._constants[int(str(part.value))]
        return ast.Name(getattr(value, "__name__", None) or repr(value), ast.Load())


def replace_code(replacements: dict[int, CodeType]) -> None:
    """Give every function that runs an old code object the new one in its place."""
    if not replacements:
        return
    for candidate in gc.get_objects():
        if type(candidate) is FunctionType:
            replacement = replacements.get(id(candidate.__code__))
            if replacement is not None:
                candidate.__code__ = replacement
