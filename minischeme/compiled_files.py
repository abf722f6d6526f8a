"""`CompiledFile`: the forms of a file, compiled when it was run before, or else now, to be kept for the next time.

A form that was compiled earlier is used if all that its code relies on holds in this session: that names which could be
syntax mean the same here, and what `Unit` asks for. Leaves files to `code_cache`, and running the forms to `session`.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from types import CodeType
from typing import Any, NamedTuple, TypeAlias

import msgspec

from minischeme import core
from minischeme.code_cache import CodeCache
from minischeme.compiler.assembly import Outline, Stored, Translation, Unit
from minischeme.constant_data import ConstantWriter, NotPlain, Record, read_constants
from minischeme.core import Constant, Node
from minischeme.errors import ReadError
from minischeme.expander import Expander, SpecialForm
from minischeme.namespaces import Namespace
from minischeme.reader import Form, read, read_part
from minischeme.source import Source, Span
from minischeme.values import Bytevector, Pair, String, Value, Vector

SMALLEST = 1_000
"""A text with fewer characters is read and compiled as fast as what is kept of it is found."""

Step: TypeAlias = tuple[Callable[..., Value], *tuple[Any, ...]]
"""A procedure and its arguments."""

_WITH_IDENTITY = (Pair, String, Vector, Bytevector)
"""Constants of which the core and all code of a form must have the same object."""


class _Code(NamedTuple):
    """What is kept of a form; constants by number.

    Args: asked: the names that must not be macros. syntax: those of them that may be syntax of ours; of these the
    program had bound `shadowed` to values. literals: the constants with an identity in the core, in order. The others
    are as in `Outline` and `Translation`.
    """

    globals: frozenset[str]
    rebinds: frozenset[str]
    defines: tuple[str, ...] | None
    code: CodeType
    constants: tuple[int, ...]
    names: dict[str, str]
    standard_names: frozenset[str]
    rebound: frozenset[str]
    asked: frozenset[str]
    syntax: frozenset[str]
    shadowed: frozenset[str]
    literals: tuple[int, ...]


class _Part:
    """A form of a file.

    Args: start, end: where it stands. was_tried: whether it was compiled; without `code` then, it can't be kept. form:
    what was read there, until it is run.
    """

    def __init__(
        self, start: int, end: int, was_tried: bool = False, code: _Code | None = None, form: Form | None = None
    ) -> None:
        self.start = start
        self.end = end
        self.was_tried = was_tried
        self.code = code
        self.form = form


class _Watch:
    """Notes what a form that is expanded and compiled now relies on, and what becomes of it.

    `asked` are the names that the expander asked for as syntax.
    """

    def __init__(self, file: CompiledFile, part: _Part) -> None:
        self.asked: set[str] = set()
        self._file = file
        self._part = part
        self._macros = frozenset(file.namespace.expander.macros)

    def __call__(self, unit: Unit, translation: Translation) -> None:
        """The form is compiled, and will be run next."""
        self._part.was_tried = True
        self._file.changed = True
        expander = self._file.namespace.expander
        asked = frozenset(self.asked) | unit.outline.rebinds
        syntax = frozenset(name for name in asked if name in expander.forms or name.startswith(":"))
        shadowed = frozenset(filter(expander.is_user_global, syntax))
        is_pure = all(expander.forms[name].is_pure for name in syntax & expander.forms.keys())
        if not is_pure or not self._macros.isdisjoint(asked):
            return
        literals = [node.value for node in _literals(unit.root)]
        try:
            constants = self._file.writer.numbers(translation.constants)
            kept = self._file.writer.numbers(literals)
        except NotPlain:
            return
        self._part.code = _Code(
            *unit.outline,
            translation.code,
            constants,
            translation.names,
            translation.standard_names,
            translation.rebound,
            asked,
            syntax,
            shadowed,
            kept,
        )


class CompiledFile:
    """A file's forms, to be run in turn.

    Args: cache: where what was compiled is kept. source: the file's text. fold_case: as for `read`. namespace: where
    the forms are run. parts: the forms. records: what is kept of the constants of those that were compiled earlier.

    `writer` numbers the constants of the others; `changed` tells whether there is something to be kept that was not.
    """

    def __init__(
        self,
        cache: CodeCache,
        source: Source,
        fold_case: bool,
        namespace: Namespace,
        parts: list[_Part],
        records: list[Record],
    ) -> None:
        self.namespace = namespace
        self.writer = ConstantWriter(records, namespace.library, namespace.tail_call)
        self.changed = False
        self._cache = cache
        self._source = source
        self._fold_case = fold_case
        self._parts = parts
        self._constants = read_constants(records, namespace.library, namespace.tail_call)

    @classmethod
    def of(cls, cache: CodeCache, source: Source, fold_case: bool, namespace: Namespace) -> CompiledFile | None:
        """The forms of a text; None for one that is better read and run in the usual way."""
        if len(source.text) < SMALLEST or "fold-case" in source.text:
            return None
        data = cache.read(_name(source, fold_case), source.text)
        if data is not None:
            records, kept = marshal.loads(data)
            parts = [
                _Part(start, end, was_tried, None if code is None else _Code(*code))
                for start, end, was_tried, code in kept
            ]
            return cls(cache, source, fold_case, namespace, parts, records)
        strays: list[Span] = []
        try:
            forms = list(read(source, fold_case=fold_case, on_stray=strays.append))
        except ReadError:
            return None
        if strays:
            return None
        parts = [_Part(form.span.start, form.span.end, form=form) for form in forms]
        return cls(cache, source, fold_case, namespace, parts, [])

    def steps(self) -> Iterator[Step]:
        """What runs each form, when those before it were run."""
        for part in self._parts:
            form, part.form = part.form, None
            if part.code is not None and _holds(part.code, self.namespace):
                yield self.namespace.run_unit, self.namespace.unit(self._stored(part, part.code))
                continue
            if form is None:
                form = read_part(self._source, part.start, part.end, fold_case=self._fold_case)
            yield self.namespace.run, form, None if part.was_tried else _Watch(self, part)

    def keep(self) -> None:
        """Keep what was compiled for the next time."""
        if not self.changed:
            return
        parts = [
            (part.start, part.end, part.was_tried, None if part.code is None else tuple(part.code))
            for part in self._parts
        ]
        with suppress(ValueError):  # something is nested deeper than `marshal` goes
            data = marshal.dumps((self.writer.records, parts))
            self._cache.write(_name(self._source, self._fold_case), self._source.text, data)

    def _stored(self, part: _Part, code: _Code) -> Stored:
        constants = [self._constants[number] for number in code.constants]
        literals = [self._constants[number] for number in code.literals]
        restore = partial(
            _restored,
            partial(read_part, self._source, part.start, part.end, fold_case=self._fold_case),
            self.namespace.expander.forms,
            code.shadowed,
            literals,
        )
        outline = Outline(code.globals, code.rebinds, code.defines)
        return Stored(
            outline, Translation(code.code, constants, code.names, code.standard_names, code.rebound), restore
        )


def _restored(
    read_form: Callable[[], Form], forms: Mapping[str, SpecialForm], shadowed: frozenset[str], literals: list[Value]
) -> Node:
    """The core of a form that was compiled earlier, with the constants that its code has."""
    root = Expander(forms, shadowed, _run_nothing).toplevel(read_form())
    for node, literal in zip(_literals(root), literals, strict=True):
        msgspec.structs.force_setattr(node, "value", literal)
    return root


def _run_nothing(root: Node) -> Value:
    raise AssertionError("the expansion of a form that was kept runs no code")


def _name(source: Source, fold_case: bool) -> str:
    """What the cache calls the file of a text."""
    return f"{'berkeley' if fold_case else 'r7rs'} {source.name}"


def _holds(code: _Code, namespace: Namespace) -> bool:
    """Whether a form would be expanded here as it was."""
    expander = namespace.expander
    return (
        expander.macros.keys().isdisjoint(code.asked)
        and code.shadowed == set(filter(expander.is_user_global, code.syntax))
        and not any(map(namespace.is_shared, code.rebinds))
    )


def _literals(root: Node) -> Iterator[Constant]:
    """The constants of a form that have an identity."""
    for node in core.nodes(root):
        if isinstance(node, Constant) and type(node.value) in _WITH_IDENTITY:
            yield node
