"""Python's ``ast`` to code objects that hold Scheme constants, and the units that they are compiled in.

The last constant of every code object of ours is its `Origin`: what error reports, `trace` and the printer want to know
of a procedure can so be had from the procedure alone.
"""

from __future__ import annotations

import ast
import gc
import warnings
import weakref
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from minischeme.compiler.expressions import Fixed
from minischeme.compiler.generator import Generator
from minischeme.compiler.rests import Rest
from minischeme.core import Define, Global, Lambda, Node, SetGlobal, Variable, nodes
from minischeme.errors import ScmSyntaxError
from minischeme.runtime import TailCall
from minischeme.sentences import CHANGES_PAIRS
from minischeme.source import Span
from minischeme.values import Value


class Origin:
    """Where a code object comes from.

    Args: unit: the top-level form that it was compiled in. key: the name of its ``def`` there. rebound: the names of
    the library that could not be relied on.
    """

    __slots__ = ("key", "rebound", "unit")

    def __init__(self, unit: Unit, key: str, rebound: frozenset[str]) -> None:
        self.unit = unit
        self.key = key
        self.rebound = rebound

    @property
    def procedure(self) -> Lambda | None:
        """Its lambda; None for the form itself."""
        return self.unit.lambdas.get(self.key)

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
    last = code.co_consts[-1] if code.co_consts else None
    return last if type(last) is Origin else None


class Continues(NamedTuple):
    """What a unit goes on with. Args: rest: its own procedure. unit: the form as it was written."""

    rest: Rest
    unit: Unit


class Outline(NamedTuple):
    """What is known of a form without its core.

    Args: globals: all global names that it mentions. rebinds: those that it defines or sets. defines: the name of the
    procedure that it defines, with the names of the parameters; None for any other form.
    """

    globals: frozenset[str]
    rebinds: frozenset[str]
    defines: tuple[str, ...] | None


class Translation(NamedTuple):
    """What CPython has made of a form.

    Args: code: with placeholders. constants: what these stand for. names: what people call each code object, by the
    name of its ``def``. standard_names: as in `Unit`. rebound: as in `Origin`.
    """

    code: CodeType
    constants: list[Value]
    names: dict[str, str]
    standard_names: frozenset[str]
    rebound: frozenset[str]


class Stored(NamedTuple):
    """A form that was compiled earlier. Args: restore: makes its core again."""

    outline: Outline
    translation: Translation
    restore: Callable[[], Node]


class Unit:
    """A top-level form with the code that it was compiled to.

    Args: form: its core, or what is stored of it. library, rebound, tail_call: as for `Generator`. continues: what it
    is the rest of, if it is one. on_translation: is shown what it is first compiled to, before that is run.

    `standard_names` are the names of the library that the form mentions: whether they still mean the library's own
    procedures decides its code. `lambdas` are its procedures by the names of their ``def``. `largest_frame` is the
    number of slots in it. Code objects refer to their unit, and the collector can't see into them: a unit must hold
    neither code that was run nor the session.
    """

    def __init__(
        self,
        form: Node | Stored,
        library: dict[str, Value],
        rebound: set[str],
        tail_call: TailCall,
        continues: Continues | None = None,
        on_translation: Callable[[Unit, Translation], None] | None = None,
    ) -> None:
        self.continues = continues
        self.standard_names: frozenset[str] = frozenset()
        self._library = library
        self._rebound = rebound
        self._tail_call = tail_call
        self._on_translation = on_translation
        self._codes: dict[str, weakref.ref[CodeType]] = {}
        self._fixed = None if continues is None else Fixed(None, continues.rest.late)
        self._lambdas: dict[str, Lambda] = {}
        self.largest_frame = 0
        self._root: Node | None = None
        self._restored_from: tuple[Callable[[], Node], frozenset[str]] | None = None
        self._translation: Translation | None = None
        if isinstance(form, Stored):
            self.outline = form.outline
            self._translation = form.translation
            self._restored_from = form.restore, form.translation.rebound
        else:
            self.outline = _outline(form)
            self._root = form

    @property
    def root(self) -> Node:
        """The form's core."""
        if self._root is None:
            assert self._restored_from is not None
            restore, rebound = self._restored_from
            self._root = restore()
            self.generate(rebound)  # code that is compiled from now on must fit what was stored
        return self._root

    @property
    def lambdas(self) -> dict[str, Lambda]:
        if self._root is None:
            assert self.root is not None
        return self._lambdas

    @property
    def changes_pairs(self) -> bool:
        """Whether the form may change a pair."""
        return not CHANGES_PAIRS.isdisjoint(self.outline.globals)

    def python_text(self) -> str:
        """The Python that the form becomes, for people to read."""
        generator, function = self.generate()
        return ast.unparse(_Readable(generator.build.constants).visit(function))

    def generate(self, rebound: frozenset[str] | None = None) -> tuple[Generator, ast.stmt]:
        """The Python function of the form, as a tree with placeholders.

        Args: rebound: as in the `Origin` of code that was compiled earlier, None to compile for what holds now.
        """
        root = self.root
        given = frozenset[Variable]() if self.continues is None else self.continues.rest.given
        names = self._rebound if rebound is None else rebound
        generator = Generator(root, self.outline.globals, self._library, names, self._tail_call, self._fixed, given)
        function = generator.toplevel()
        self._fixed = Fixed(generator.direct, frozenset(generator.facts.late))
        self.standard_names = frozenset(generator.standard_names)
        self._lambdas |= generator.lambdas
        return generator, function

    @property
    def has_procedures(self) -> bool:
        """Whether there are procedures in the code that the form was compiled to."""
        return len(self._codes) > 1

    def compile(self) -> CodeType:
        """The code object of the form: a function without parameters.

        Raises: ScmSyntaxError for a form that is beyond CPython's compiler.
        """
        translation, self._translation = self._translation, None
        if translation is None or self._rebound_of(translation.standard_names) != translation.rebound:
            translation = self._translated()
        self.standard_names = translation.standard_names
        if self._on_translation is not None:
            self._on_translation(self, translation)
            self._on_translation = None
        codes: dict[str, CodeType] = {}
        finished = self._finish(translation.code, translation, codes)
        self._codes = {key: weakref.ref(found) for key, found in codes.items()}
        self.largest_frame = max(found.co_nlocals + found.co_stacksize for found in codes.values())
        return finished

    def _rebound_of(self, names: AbstractSet[str]) -> frozenset[str]:
        """Those of the names that can't be relied on now."""
        return frozenset(names & self._rebound)

    def _translated(self) -> Translation:
        generator, function = self.generate()
        name = self.root.span.source.name if self.root.span is not None else "<scheme>"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)  # that a constant is no procedure, and the like
                module = compile(ast.Module([function], []), name, "exec", dont_inherit=True)
        except (RecursionError, MemoryError, SyntaxError) as error:
            raise ScmSyntaxError("expressions are nested too deeply", span=self.root.span) from error
        (code,) = [constant for constant in module.co_consts if isinstance(constant, CodeType)]
        names = {key: procedure.name or "lambda" for key, procedure in generator.lambdas.items()}
        rebound = self._rebound_of(self.standard_names)
        return Translation(code, generator.build.constants, names, self.standard_names, rebound)

    def _finish(self, code: CodeType, translation: Translation, codes: dict[str, CodeType]) -> CodeType:
        """Put constants in the place of placeholders, and an origin behind them, in a code object and those inside."""

        def finished(constant: Any) -> Any:
            if isinstance(constant, str):
                return translation.constants[int(constant)]
            if isinstance(constant, tuple):  # CPython makes one constant of a tuple of constants
                return tuple(map(finished, constant))
            return self._finish(constant, translation, codes) if isinstance(constant, CodeType) else constant

        constants = [finished(constant) for constant in code.co_consts]
        constants.append(Origin(self, code.co_name, translation.rebound))
        name = translation.names.get(code.co_name, "toplevel")
        whole = code.replace(co_consts=tuple(constants), co_name=name, co_qualname=name)
        codes[code.co_name] = whole
        return whole

    def recompile(self) -> dict[int, CodeType]:
        """Compile again, since an assumption no longer holds: new code by the id of the old code still in use."""
        old = {key: code for key, reference in self._codes.items() if (code := reference()) is not None}
        toplevel = self.compile()
        new = {key: reference() for key, reference in self._codes.items()}
        del toplevel
        return {id(code): replacement for key, code in old.items() if (replacement := new.get(key)) is not None}


def _outline(root: Node) -> Outline:
    mentioned: set[str] = set()
    rebound: set[str] = set()
    for node in nodes(root):
        kind = type(node)
        if kind is Global:
            mentioned.add(node.name)  # type: ignore[attr-defined]
        elif kind is Define or kind is SetGlobal:
            rebound.add(node.name)  # type: ignore[attr-defined]
    defines = None
    if isinstance(root, Define) and isinstance(root.value, Lambda):
        defines = (root.name, *(parameter.name for parameter in root.value.parameters))
    return Outline(frozenset(mentioned | rebound), frozenset(rebound), defines)


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
