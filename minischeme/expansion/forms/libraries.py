"""The forms that put programs together from parts: define-library, import, cond-expand, include (R7RS 4.2.1, 5.6)."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from minischeme.data.errors import FileError, SchemeError, ScmSyntaxError
from minischeme.data.printer import is_circular
from minischeme.data.source import Span
from minischeme.data.values import NIL, UNSPECIFIED, Pair, String, Symbol, Value, list_of
from minischeme.expansion import core
from minischeme.expansion.expander import Expander, Scope, cells, is_proper, keyword, special_form
from minischeme.primitives.standard_libraries import features
from minischeme.reading.reader import Form

if TYPE_CHECKING:
    from minischeme.evaluation.namespaces import Namespace

Owner = TypeVar("Owner")


def _namespace(expander: Expander) -> Namespace:
    """The namespace whose text is being expanded."""
    return cast("Namespace", expander.global_scope)


def _weakly(owner: Owner) -> Owner:
    """A reference for a procedure that stands in code, where the collector can't see it."""
    return cast(Owner, weakref.proxy(owner))


def _file_of(span: Span) -> Path | None:
    """The file that a text stands in; None for what was typed."""
    return None if span.source.is_interactive else Path(span.source.name)


def _forms(expander: Expander, data: Iterable[Pair], span: Span) -> list[Form]:
    """The elements in the cars of pairs, as forms to be run one by one."""
    spans = expander.spans
    assert spans is not None
    return [Form(cell.car, expander.span_at(cell, span), spans) for cell in data]


def _run_forms(namespace: Namespace, forms: Iterable[Form]) -> Value:
    """Evaluate forms in order, each expanded only when those before it were evaluated."""
    value: Value = UNSPECIFIED
    for form in forms:
        value = namespace.run(form)
    return value


# ── cond-expand ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _holds(expander: Expander, requirement: Value, form: Pair, span: Span) -> bool:
    """Whether a feature requirement is met."""
    if type(requirement) is Symbol:
        return requirement.name == "else" or requirement.name in features()
    if type(requirement) is not Pair or not is_proper(requirement) or type(requirement.car) is not Symbol:
        expander.bad(form, span)
    name, operands = requirement.car.name, list(requirement.cdr)
    if name == "and":
        return all(_holds(expander, operand, form, span) for operand in operands)
    if name == "or":
        return any(_holds(expander, operand, form, span) for operand in operands)
    if name == "not" and len(operands) == 1:
        return not _holds(expander, operands[0], form, span)
    if name == "library" and len(operands) == 1:
        return bool(_namespace(expander).libraries.exists(operands[0], _file_of(span)))
    expander.bad(form, span)


def _chosen(expander: Expander, form: Pair, span: Span) -> list[Pair]:
    """The cells of what the first clause whose requirement is met contains."""
    for cell in cells(form.cdr):
        clause = cell.car
        if type(clause) is not Pair or not is_proper(clause) or is_circular(clause.car):
            expander.bad(form, expander.span_at(cell, span))
        if _holds(expander, expander.plain(clause.car), form, expander.span_at(cell, span)):
            return cells(clause.cdr)
    return []


def _cond_expand_contents(expander: Expander, form: Pair, scope: Scope, span: Span) -> Value:
    chosen = _chosen(expander, form, span)
    return Pair(expander.standard("begin"), chosen[0] if chosen else NIL)


@special_form(
    "cond-expand",
    "(cond-expand (feature expression …) … (else expression …))",
    stands_for=_cond_expand_contents,
    example="(cond-expand (r7rs 'modern) (else 'old)) → modern",
)
def expand_cond_expand(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """The expressions or definitions of the first clause whose feature this implementation has."""
    if scope.is_toplevel and expander.spans is not None:
        return _later(_namespace(expander), _forms(expander, _chosen(expander, form, span), span), span)
    return expander.expand(_cond_expand_contents(expander, form, scope, span), scope, span)


def _later(namespace: Namespace, forms: Iterable[Form], span: Span) -> core.Node:
    """The evaluation of forms at top level."""
    weakly = _weakly(namespace)
    return core.Call(span, core.Constant(span, lambda: _run_forms(weakly, forms)), ())


# ── include ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _included(expander: Expander, form: Pair, span: Span) -> list[Form]:
    """The forms of the files that a form names.

    Raises: ScmSyntaxError; FileError.
    """
    names = [(cell.car, expander.span_at(cell, span)) for cell in cells(form.cdr)]
    for name, place in names:
        if type(name) is not String:
            expander.bad(form, place)
    if not names:
        expander.bad(form, span)
    fold_case = keyword(form) == "include-ci"
    found: list[Form] = []
    for name, place in names:
        try:
            found += _namespace(expander).libraries.forms(name.text, _file_of(span), fold_case=fold_case)
        except FileError as error:
            error.message = f"{keyword(form)}: {error.message}"
            error.span = place
            raise
    return found


def _include_contents(expander: Expander, form: Pair, scope: Scope, span: Span) -> Value:
    data = [included.datum for included in _included(expander, form, span)]
    return Pair(expander.standard("begin"), list_of(data))


def _expand_include(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    if scope.is_toplevel:
        return _later(_namespace(expander), _included(expander, form, span), span)
    return expander.expand(_include_contents(expander, form, scope, span), scope, span)


@special_form("include", '(include "file" …)', stands_for=_include_contents)
def expand_include(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """The contents of files, as if they stood here; they are looked for beside the file with this form."""
    return _expand_include(expander, form, scope, span)


@special_form("include-ci", '(include-ci "file" …)', stands_for=_include_contents)
def expand_include_ci(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """The contents of files whose symbols may be in any case, as if they stood here."""
    return _expand_include(expander, form, scope, span)


# ── libraries ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _import_sets(expander: Expander, form: Pair, span: Span) -> list[tuple[Value, Span]]:
    """The import sets of an import, with their places."""
    if form.cdr is NIL or is_circular(form):
        expander.bad(form, span)
    return [(expander.plain(cell.car), expander.span_at(cell, span)) for cell in cells(form.cdr)]


def _bind_all(import_sets: list[tuple[Value, Span]], bind: Callable[[Value], None]) -> None:
    """Bind what import sets name.

    Raises: SchemeError, with the place of the import set that there is not.
    """
    for import_set, place in import_sets:
        try:
            bind(import_set)
        except SchemeError as error:
            error.span = error.span or place
            raise


@special_form("import", "(import (library name) …), also (only set name …), (except …), (prefix …), (rename …)")
def expand_import(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Bind what libraries export. The standard libraries are there already: to import one does nothing."""
    if not scope.is_toplevel:
        hint = "imports stand at the beginning of a program or library"
        raise ScmSyntaxError("import: bad syntax: an import is not allowed here:", form, span=span, hint=hint)
    namespace, beside = _weakly(_namespace(expander)), _file_of(span)
    import_sets = _import_sets(expander, form, span)

    def import_all() -> Value:
        _bind_all(import_sets, lambda import_set: namespace.libraries.bind(import_set, namespace, beside))
        return UNSPECIFIED

    return core.Call(span, core.Constant(span, import_all), ())


@special_form("define-library", "(define-library (name …) (export name …) (import set …) (begin definition …) …)")
def expand_define_library(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Define a library: its definitions are its own, and what it exports can be imported."""
    if not scope.is_toplevel or type(form.cdr) is not Pair or type(form.cdr.car) is not Pair:
        expander.bad(form, span)
    contents = _Contents(expander, form, span)
    contents.add(cells(form.cdr.cdr))
    libraries, beside, name = _weakly(_namespace(expander).libraries), _file_of(span), form.cdr.car
    imports, body, exports = contents.imports, contents.body, contents.exports

    def define() -> Value:
        namespace = libraries.namespace()
        _bind_all(imports, lambda import_set: libraries.bind(import_set, namespace, beside))
        _run_forms(namespace, body)
        libraries.define(name, namespace, exports)
        return UNSPECIFIED

    return core.Call(span, core.Constant(span, define), ())


def _ignored(expander: Expander, form: Pair, span: Span) -> core.Node:
    """What belongs to another system's modules, and needs nothing here: a note, the first time."""
    libraries = _weakly(_namespace(expander).libraries)
    text = f"{keyword(form)}: ignored, everything is there already"

    def note() -> Value:
        libraries.note_once(text)
        return UNSPECIFIED

    return core.Call(span, core.Constant(span, note), ())


@special_form("require", '(require "file" …) or (require module …)')
def expand_require(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Load the files that strings name, each once; for Racket's modules nothing happens, they are there already."""
    return _required(expander, form, span)


def _required(expander: Expander, form: Pair, span: Span) -> core.Node:
    files = [
        core.Constant(expander.span_at(cell, span), cell.car) for cell in cells(form.cdr) if type(cell.car) is String
    ]
    if not files:
        return _ignored(expander, form, span)
    return core.sequence(span, [core.Call(span, core.Standard(span, "%require"), (file,)) for file in files])


@special_form("provide", "(provide name …)")
def expand_provide(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Say that the file that is named need not be required; nothing happens for Racket's exports."""
    operands = cells(form.cdr)
    if len(operands) == 1 and (type(operands[0].car) is String or expander.is_form(operands[0].car, "quote", scope)):
        return core.Call(span, core.Standard(span, "%provide"), (expander.at(operands[0], scope, span),))
    return _ignored(expander, form, span)


@special_form("#%require", "(#%require module …)")
def expand_primitive_require(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """What a file in Racket's language sicp writes for require."""
    return _required(expander, form, span)


@special_form("#%provide", "(#%provide name …)")
def expand_primitive_provide(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """What a file in Racket's language sicp writes for provide: nothing happens."""
    return _ignored(expander, form, span)


@special_form("declare", "(declare (usual-integrations) …)")
def expand_declare(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Advice to MIT Scheme's compiler: nothing happens."""
    return core.Constant(span, UNSPECIFIED)


class _Contents:
    """What a library is made of: `imports` are import sets, `exports` names inside by names outside, `body` forms."""

    def __init__(self, expander: Expander, form: Pair, span: Span) -> None:
        self.imports: list[tuple[Value, Span]] = []
        self.exports: dict[str, str] = {}
        self.body: list[Form] = []
        self._expander = expander
        self._form = form
        self._span = span

    def add(self, declarations: list[Pair]) -> None:
        """Take in declarations, given by the pairs that they are in."""
        expander = self._expander
        for cell in declarations:
            declaration, place = cell.car, expander.span_at(cell, self._span)
            if type(declaration) is not Pair or not is_proper(declaration) or type(declaration.car) is not Symbol:
                expander.bad(self._form, place)
            kind = declaration.car.name
            if kind == "import":
                self.imports += _import_sets(expander, declaration, place)
            elif kind == "export":
                for part in cells(declaration.cdr):
                    self._export(part.car, expander.span_at(part, place))
            elif kind == "begin":
                self.body += _forms(expander, cells(declaration.cdr), place)
            elif kind in ("include", "include-ci"):
                self.body += _included(expander, declaration, place)
            elif kind == "include-library-declarations":
                data = [included.datum for included in _included(expander, declaration, place)]
                self.add(cells(list_of(data)))
            elif kind == "cond-expand":
                self.add(_chosen(expander, declaration, place))
            else:
                raise ScmSyntaxError("define-library: no such declaration:", declaration, span=place)

    def _export(self, spec: Value, span: Span) -> None:
        if type(spec) is Symbol:
            self.exports[spec.name] = spec.name
            return
        parts = list(spec) if type(spec) is Pair else []
        if len(parts) != 3 or not all(type(part) is Symbol for part in parts) or parts[0].name != "rename":
            raise ScmSyntaxError("define-library: bad export:", spec, span=span)
        self.exports[parts[2].name] = parts[1].name
