"""The forms that build programs from parts: define-library, import, cond-expand, include (R7RS 4.2.1, 5.6)."""

from collections.abc import Iterable
from typing import Any
from weakref import proxy

import msgspec

from minischeme.data.errors import FileError, SchemeError, ScmSyntaxError
from minischeme.data.printer import is_circular
from minischeme.data.source import Span
from minischeme.data.values import NIL, UNSPECIFIED, Pair, String, Symbol, Value, list_of
from minischeme.expansion.core import Node, sequence
from minischeme.expansion.lists import cells, is_proper
from minischeme.expansion.scopes import GlobalScope, plain, standard
from minischeme.expansion.special_form import Use, special_form
from minischeme.primitives.standard_libraries import features
from minischeme.reading.forms import Form


def _file_of(use: Use) -> str | None:
    """The file that contains a text; None for typed text."""
    source = use.span.source
    return None if source.is_interactive else source.name


def _forms(use: Use, found: Iterable[Pair]) -> list[Form]:
    """The elements in the cars of pairs, as forms to be run one by one."""
    spans = use.expander.state.spans
    assert spans is not None
    return [Form(cell.car, use.within(cell).span, spans) for cell in found]


def _run_forms(namespace: GlobalScope, forms: Iterable[Form]) -> Value:
    """Evaluate forms in order, each expanded only after those before it were evaluated."""
    value: Value = UNSPECIFIED
    for form in forms:
        value = namespace.run(form)
    return value


def _later(use: Use, forms: Iterable[Form]) -> Node:
    # References are weak, since the procedures here are constants of code, where the collector can't see them.
    namespace = proxy(use.expander.global_scope)
    return use.call(lambda: _run_forms(namespace, forms))


# ── cond-expand ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _is_met(use: Use, requirement: Value) -> bool:
    if type(requirement) is Symbol:
        return requirement.name == "else" or requirement.name in features()
    if type(requirement) is not Pair or not is_proper(requirement) or type(requirement.car) is not Symbol:
        use.bad()
    name, operands = requirement.car.name, list(requirement.cdr)
    if name in ("and", "or"):
        return (all if name == "and" else any)(_is_met(use, operand) for operand in operands)
    if name == "not" and len(operands) == 1:
        return not _is_met(use, operands[0])
    if name == "library" and len(operands) == 1:
        return bool(use.expander.global_scope.libraries.exists(operands[0], _file_of(use)))
    use.bad()


def _chosen(use: Use) -> list[Pair]:
    """The cells of the contents of the first clause whose requirement is met."""
    for cell in use.cells:
        clause, part = cell.car, use.within(cell)
        if type(clause) is not Pair or not is_proper(clause) or is_circular(clause.car):
            part.bad()
        if _is_met(part, plain(clause.car)):
            return cells(clause.cdr)
    return []


@special_form(
    "cond-expand",
    "(cond-expand (feature expression …) … (else expression …))",
    is_derived=True,
    example="(cond-expand (r7rs 'modern) (else 'old)) → modern",
)
def expand_cond_expand(use: Use) -> Node | Value:
    """The expressions or definitions of the first clause whose feature this implementation has."""
    chosen = _chosen(use)
    if use.scope.is_toplevel and use.expander.state.spans is not None:
        return _later(use, _forms(use, chosen))
    return Pair(standard("begin"), chosen[0] if chosen else NIL)


# ── include ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _included(use: Use) -> list[Form]:
    for cell in use.cells:
        if type(cell.car) is not String:
            use.within(cell).bad()
    if not use.cells:
        use.bad()
    found: list[Form] = []
    for cell in use.cells:
        try:
            fold_case = use.keyword == "include-ci"
            found += use.expander.global_scope.libraries.forms(cell.car.text, _file_of(use), fold_case=fold_case)
        except FileError as error:
            error.message = f"{use.keyword}: {error.message}"
            error.span = use.within(cell).span
            raise
    return found


@special_form("include-ci", '(include-ci "file" …)', is_derived=True)
@special_form("include", '(include "file" …)', is_derived=True)
def expand_include(use: Use) -> Node | Value:
    """The contents of files beside this one, as if they stood here; include-ci takes symbols in any case."""
    forms = _included(use)
    if use.scope.is_toplevel:
        return _later(use, forms)
    return Pair(standard("begin"), list_of([form.datum for form in forms]))


# ── libraries ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _import_sets(use: Use) -> list[tuple[Value, Span]]:
    if not use.cells or is_circular(use.form):
        use.bad()
    return [(plain(cell.car), use.within(cell).span) for cell in use.cells]


def _bind_all(import_sets: list[tuple[Value, Span]], libraries: Any, namespace: Any, beside: str | None) -> None:
    """Bind the names of import sets; a SchemeError with the span of an import set that does not exist."""
    for import_set, span in import_sets:
        try:
            libraries.bind(import_set, namespace, beside)
        except SchemeError as error:
            error.span = error.span or span
            raise


@special_form("import", "(import (library name) …), also (only set name …), (except …), (prefix …), (rename …)")
def expand_import(use: Use) -> Node:
    """Bind what libraries export. The standard libraries are there already: to import one does nothing."""
    if not use.scope.is_toplevel:
        hint = "imports stand at the beginning of a program or library"
        raise use.error("bad syntax: an import is not allowed here:", use.form, hint=hint)
    namespace, beside = proxy(use.expander.global_scope), _file_of(use)
    import_sets = _import_sets(use)

    def import_all() -> Value:
        _bind_all(import_sets, namespace.libraries, namespace, beside)
        return UNSPECIFIED

    return use.call(import_all)


@special_form(
    "define-library",
    "(define-library (name …) (export name …) (import set …) (begin definition …) …)",
    counts_operands=False,
)
def expand_define_library(use: Use) -> Node:
    """Define a library: its definitions are its own, and what it exports can be imported."""
    if not use.scope.is_toplevel or not use.cells or type(use.operands[0]) is not Pair:
        use.bad()
    contents = _Contents()
    contents.add(use, use.cells[1:])
    libraries, beside, name = proxy(use.expander.global_scope.libraries), _file_of(use), use.operands[0]

    def define() -> Value:
        namespace = libraries.make_namespace()
        namespace.is_imported = True
        _bind_all(contents.imports, libraries, namespace, beside)
        _run_forms(namespace, contents.body)
        libraries.define(name, namespace, contents.exports)
        return UNSPECIFIED

    return use.call(define)


class _Contents(msgspec.Struct, eq=False):
    """The parts of a library."""

    imports: list[tuple[Value, Span]] = []
    exports: dict[str, str] = {}  # names inside by names outside
    body: list[Form] = []

    def add(self, use: Use, declarations: list[Pair]) -> None:
        """Add declarations, given by the pairs that contain them."""
        for cell in declarations:
            declaration, part = cell.car, use.within(cell)
            if type(declaration) is not Pair or not is_proper(declaration) or type(declaration.car) is not Symbol:
                part.bad()
            kind, operands = declaration.car.name, cells(declaration.cdr)
            inner = Use(part.expander, declaration, operands, part.scope, part.span, kind)
            if kind == "import":
                self.imports += _import_sets(inner)
            elif kind == "export":
                for operand in operands:
                    self._export(operand.car, inner.within(operand).span)
            elif kind == "begin":
                self.body += _forms(inner, operands)
            elif kind in ("include", "include-ci"):
                self.body += _included(inner)
            elif kind == "include-library-declarations":
                self.add(use, cells(list_of([included.datum for included in _included(inner)])))
            elif kind == "cond-expand":
                self.add(use, _chosen(inner))
            else:
                raise part.error("no such declaration:", declaration)

    def _export(self, spec: Value, span: Span) -> None:
        if type(spec) is Symbol:
            self.exports[spec.name] = spec.name
            return
        parts = list(spec) if type(spec) is Pair else []
        if len(parts) != 3 or not all(type(part) is Symbol for part in parts) or parts[0].name != "rename":
            raise ScmSyntaxError("define-library: bad export:", spec, span=span)
        self.exports[parts[2].name] = parts[1].name


# ── other systems' modules ───────────────────────────────────────────────────────────────────────────────────────────


def _ignored(use: Use) -> Node:
    """A form of another system's modules, which does nothing here, with a note at its first use."""
    libraries = proxy(use.expander.global_scope.libraries)
    text = f"{use.keyword}: ignored, everything is there already"

    def note() -> Value:
        libraries.note_once(text)
        return UNSPECIFIED

    return use.call(note)


@special_form("#%require", "(#%require module …)")
@special_form("require", '(require "file" …) or (require module …)')
def expand_require(use: Use) -> Node:
    """Load the files that strings name, each once; for Racket's modules nothing happens, they are there already."""
    parts = [(use.within(cell), cell.car) for cell in use.cells if type(cell.car) is String]
    files: list[Node] = [use.call("%require", part.constant(name)) for part, name in parts]
    return sequence(use.span, files) if files else _ignored(use)


@special_form("#%provide", "(#%provide name …)")
@special_form("provide", "(provide name …)")
def expand_provide(use: Use) -> Node:
    """Say that the file that is named need not be required; nothing happens for Racket's exports."""
    if len(use.cells) == 1:
        (name,) = use.operands
        if type(name) is String or use.expander.is_form(name, "quote", use.scope):
            return use.call("%provide", use.at(use.cells[0]))
    return _ignored(use)


@special_form("declare", "(declare (usual-integrations) …)")
def expand_declare(use: Use) -> Node:
    """Advice to MIT Scheme's compiler: nothing happens."""
    return use.constant(UNSPECIFIED)
