"""`CompiledFile`: the forms of a file, compiled when it was run before, or else now, to be kept for the next time.

A form that was compiled earlier is used if all that its code relies on holds in this session: that names which could be
syntax mean the same here, and what `Unit` asks for. Leaves files to `code_cache`, and running the forms to `session`.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Container, Generator, Iterator, Mapping
from contextlib import suppress
from functools import partial
from types import CodeType
from typing import Any, NamedTuple, TypeAlias

import msgspec

from minischeme.compiler.assembly import Outline, Stored, Translation, Unit
from minischeme.compiler.assumptions import Assumptions
from minischeme.data.errors import ReadError
from minischeme.data.source import Source, Span
from minischeme.data.values import Bytevector, Pair, String, Value, Vector
from minischeme.evaluation.code_cache import CodeCache
from minischeme.evaluation.constant_data import ConstantWriter, NotPlain, Record, read_constants
from minischeme.evaluation.namespaces import Namespace
from minischeme.expansion import core
from minischeme.expansion.core import Constant, Node
from minischeme.expansion.expander import Expander
from minischeme.expansion.scopes import SpecialForm
from minischeme.reading.reader import Form, read, read_part

SMALLEST = 1_000
"""A text with fewer characters is read and compiled in some 10 ms, and not worth a file."""

Place: TypeAlias = tuple[int, int]
"""Where a form stands in the text: from one offset up to, not including, another."""

Step: TypeAlias = tuple[Callable[..., Value], *tuple[Any, ...]]
"""A procedure and its arguments."""

_WITH_IDENTITY = (Pair, String, Vector, Bytevector)
"""Constants of which the core and all code of a form must have the same object."""


def steps_of(
    source: Source,
    namespace: Namespace,
    cache: CodeCache | None,
    *,
    fold_case: bool,
    on_stray: Callable[[Span], None] | None = None,
) -> Generator[Step]:
    """What runs each form of a text in a namespace, when those before it were run. To be closed, so that code is kept.

    Args: cache: where code is kept. fold_case, on_stray: as for `read`.
    Raises: ReadError, behind the last form that can be read.
    """
    file = None if cache is None else CompiledFile.of(cache, source, fold_case, namespace)
    if file is not None:
        yield from file.steps(on_stray)
    else:
        for form in read(source, fold_case=fold_case, on_stray=on_stray):
            yield namespace.run, form


class _Code(NamedTuple):
    """What is kept of a form; constants by number.

    Args: sets: the globals that it sets. asked: the names that must not be macros. syntax: those of them that may be
    syntax of ours; of these the program had bound `shadowed` to values. literals: the constants with an identity in the
    core, in order. The others are as in `Outline` and `Translation`.
    """

    outline: tuple[Any, ...]
    code: CodeType
    constants: tuple[int, ...]
    names: dict[str, str]
    standard_names: frozenset[str]
    assumptions: tuple[Any, ...]
    settles: bool
    sets: frozenset[str]
    asked: frozenset[str]
    syntax: frozenset[str]
    shadowed: frozenset[str]
    literals: tuple[int, ...]


class _Watch:
    """Notes what a form that is expanded and compiled now relies on, and what becomes of it.

    Args: file: where it stands, and where there. expander: what expands it.

    `asked` are the names that the expander asked for as syntax.
    """

    def __init__(self, file: CompiledFile, place: Place, expander: Expander) -> None:
        self.asked: set[str] = set()
        self._file = file
        self._place = place
        self._expander = expander
        self._macros = frozenset(expander.macros)

    def __call__(self, unit: Unit, translation: Translation) -> None:
        """The form is compiled, and will be run next."""
        self._file.keep(self._place, self._code(unit, translation))

    def _code(self, unit: Unit, translation: Translation) -> _Code | None:
        """What is to be kept of the form; None if it depends on more than can be checked."""
        forms = self._expander.forms
        asked = frozenset(self.asked) | unit.outline.rebinds
        syntax = frozenset(name for name in asked if name in forms or name.startswith(":"))
        shadowed = frozenset(filter(self._expander.is_user_global, syntax))
        is_pure = all(forms[name].is_pure for name in syntax & forms.keys())
        if not is_pure or not self._macros.isdisjoint(asked):
            return None
        sets = frozenset(node.name for node in core.nodes(unit.root) if isinstance(node, core.SetGlobal))
        try:
            constants = self._file.writer.numbers(translation.constants)
            literals = self._file.writer.numbers(node.value for node in _literals(unit.root))
        except NotPlain:
            return None
        return _Code(
            tuple(unit.outline),
            translation.code,
            constants,
            translation.names,
            translation.standard_names,
            tuple(translation.assumptions),
            translation.settles,
            sets,
            asked,
            syntax,
            shadowed,
            literals,
        )


class CompiledFile:
    """A file's forms, to be run in turn.

    Args: cache: where what was compiled is kept. source: the file's text. fold_case: as for `read`. namespace: where
    the forms are run. places: of the forms. codes: what is kept of these, and of others that are run inside them; None
    for what can't be kept. records: what is kept of the constants.

    `writer` numbers the constants of what is compiled now.
    """

    def __init__(
        self,
        cache: CodeCache,
        source: Source,
        fold_case: bool,
        namespace: Namespace,
        places: list[Place],
        codes: dict[Place, _Code | None],
        records: list[Record],
    ) -> None:
        self.writer = ConstantWriter(records, namespace.library, namespace.tail_call)
        self._cache = cache
        self._source = source
        self._fold_case = fold_case
        self._namespace = namespace
        self._places = places
        self._codes = codes
        self._constants = read_constants(records, namespace.library, namespace.tail_call)
        self._compiled_now: dict[Place, _Code | None] = {}

    @classmethod
    def of(cls, cache: CodeCache, source: Source, fold_case: bool, namespace: Namespace) -> CompiledFile | None:
        """The forms of a text; None for one whose code is not to be kept."""
        if len(source.text) < SMALLEST or "fold-case" in source.text:
            return None
        data = cache.read(_name(source, fold_case), source.text)
        if data is not None:
            places, kept, records = marshal.loads(data)
            codes = {place: None if code is None else _Code(*code) for place, code in kept.items()}
            with suppress(LookupError):  # made in a session with procedures of its own
                return cls(cache, source, fold_case, namespace, places, codes, records)
        return cls(cache, source, fold_case, namespace, [], {}, [])

    def steps(self, on_stray: Callable[[Span], None] | None) -> Generator[Step]:
        """As `steps_of`."""
        steps = map(self._step, self._places) if self._places else self._first_steps(on_stray)
        self._source.compiled = self
        try:
            yield from steps
        finally:
            self._source.compiled = None
            if self._compiled_now:
                self._write()

    def _first_steps(self, on_stray: Callable[[Span], None] | None) -> Iterator[Step]:
        items: list[Form | Span] = []
        error = None
        try:
            for form in read(self._source, fold_case=self._fold_case, on_stray=items.append):
                items.append(form)
        except ReadError as problem:
            error = problem
        forms = [item for item in items if isinstance(item, Form)]
        if error is None and len(forms) == len(items):
            self._places = [_place(form) for form in forms]
        for item in items:
            if isinstance(item, Form):
                yield self._namespace.run, item
            elif on_stray is not None:
                on_stray(item)
        if error is not None:
            raise error

    def _step(self, place: Place) -> Step:
        code = self._codes.get(place)
        if code is not None and _holds(code, self._namespace):
            return self._namespace.run_unit, self._stored_unit(place, code, self._namespace)
        return self._namespace.run, read_part(self._source, *place, fold_case=self._fold_case)

    def unit(self, form: Form, namespace: Namespace) -> Unit:
        """A form of the file, or of one inside it, as it is to be compiled in a namespace."""
        place, expander = _place(form), namespace.expander
        code = self._codes.get(place)
        if code is not None and _holds(code, namespace):
            return self._stored_unit(place, code, namespace)
        watch = _Watch(self, place, expander)
        root = expander.toplevel(form, asked=watch.asked)
        is_kept = place not in self._codes and self._places and form.spans.of(form.datum) == form.span
        unit = namespace.unit(root, on_translation=watch if is_kept else None)
        namespace.note_text(unit, form.span, watch.asked)
        return unit

    def keep(self, place: Place, code: _Code | None) -> None:
        """Keep the code of a form, if it has some that can be kept, for the next time."""
        self._compiled_now[place] = code

    def _write(self) -> None:
        codes = self._codes | self._compiled_now
        kept = {place: None if code is None else tuple(code) for place, code in codes.items()}
        with suppress(ValueError):  # something is nested deeper than `marshal` goes
            data = marshal.dumps((self._places, kept, self.writer.records))
            self._cache.write(_name(self._source, self._fold_case), self._source.text, data)

    def _stored_unit(self, place: Place, code: _Code, namespace: Namespace) -> Unit:
        unit = namespace.unit(self._stored(place, code))
        namespace.note_text(unit, Span(self._source, *place), code.asked)
        return unit

    def _stored(self, place: Place, code: _Code) -> Stored:
        constants = [self._constants[number] for number in code.constants]
        literals = [self._constants[number] for number in code.literals]
        read_form = partial(read_part, self._source, *place, fold_case=self._fold_case)
        expander = self._namespace.expander
        restore = partial(_restored, read_form, expander.forms, expander.hidden_forms, code.shadowed, literals)
        relied = Assumptions(*code.assumptions)
        translation = Translation(code.code, constants, code.names, code.standard_names, relied, code.settles)
        return Stored(Outline(*code.outline), translation, restore)


def _restored(
    read_form: Callable[[], Form],
    forms: Mapping[str, SpecialForm],
    hidden_forms: Container[str],
    shadowed: frozenset[str],
    literals: list[Value],
) -> Node:
    """The core of a form that was compiled earlier, with the constants that its code has."""
    root = Expander(forms, shadowed, _run_nothing, hidden_forms=hidden_forms).toplevel(read_form())
    for node, literal in zip(_literals(root), literals, strict=True):
        msgspec.structs.force_setattr(node, "value", literal)
    return root


def _run_nothing(root: Node) -> Value:
    raise AssertionError("the expansion of a form that was kept runs no code")


def _place(form: Form) -> Place:
    return form.span.start, form.span.end


def _name(source: Source, fold_case: bool) -> str:
    """What the cache calls the file of a text."""
    return f"{'berkeley' if fold_case else 'r7rs'} {source.name}"


def _holds(code: _Code, namespace: Namespace) -> bool:
    """Whether a form would be expanded here as it was."""
    expander = namespace.expander
    return (
        expander.macros.keys().isdisjoint(code.asked)
        and code.shadowed == set(filter(expander.is_user_global, code.syntax))
        and not any(map(namespace.is_shared, code.sets))
    )


def _literals(root: Node) -> Iterator[Constant]:
    """The constants of a form that have an identity."""
    for node in core.nodes(root):
        if isinstance(node, Constant) and type(node.value) in _WITH_IDENTITY:
            yield node
