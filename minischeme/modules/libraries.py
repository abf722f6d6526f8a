"""`Libraries`: the libraries that programs define, and the meaning of an import set (R7RS 5.2, 5.6).

The standard libraries need no code: every namespace falls back to their names. The forms themselves are in
`expansion.forms.libraries`.
"""

import os.path
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import TypeAlias

from minischeme.data.errors import SchemeError
from minischeme.data.printer import write
from minischeme.data.source import Source
from minischeme.data.values import Pair, Symbol, Value
from minischeme.evaluation.namespaces import Namespace
from minischeme.modules.files import is_built_in, resolve, text_of_file
from minischeme.primitives.standard_libraries import OTHER_LIBRARIES, STANDARD_LIBRARIES, WITH_EVERYTHING
from minischeme.reading.forms import Form
from minischeme.reading.reader import read

Exports: TypeAlias = dict[str, tuple[Namespace | None, str]]
"""The definitions of a library by exported name: the namespace, None for the standard library, and the name there."""


class Libraries:
    """The libraries of a session; `note` shows the user a message, `names` are the exports of ``(minischeme)``."""

    def __init__(
        self,
        make_namespace: Callable[[], Namespace],
        note: Callable[[str], None],
        names: Callable[[], AbstractSet[str]],
        *,
        fold_case: bool,
    ) -> None:
        self._names = names
        self._note = note
        self._noted: set[str] = set()
        self._make_namespace = make_namespace
        self.fold_case = fold_case
        self._known: dict[str, Exports] = {}
        self._loading: list[str] = []
        self._roots: list[str] = []

    def namespace(self) -> Namespace:
        namespace = self._make_namespace()
        namespace.is_imported = True
        return namespace

    def define(self, name: Value, namespace: Namespace, exports: dict[str, str]) -> None:
        """Record a library whose body was evaluated in a namespace, with its exports: names outside by names inside."""
        for inside in exports.values():
            if not namespace.has_own(inside) and not namespace.is_standard(inside):
                raise SchemeError(f"define-library: {write(name)} exports what it does not define: {inside}")
        self._known[write(name)] = {
            outside: (namespace if namespace.has_own(inside) else None, inside) for outside, inside in exports.items()
        }

    def note_once(self, text: str) -> None:
        if text not in self._noted:
            self._noted.add(text)
            self._note(text)

    def bind(self, import_set: Value, target: Namespace, beside: str | None) -> None:
        for name, (home, name_there) in self._exports(import_set, beside).items():
            target.import_binding(name, home, name_there)

    def exists(self, name: Value, beside: str | None) -> bool:
        text = write(name)
        return text in self._known or self._built_in(text) is not None or self._file(name, beside) is not None

    def forms(self, name: str, beside: str | None, *, fold_case: bool = False) -> Iterator[Form]:
        """The forms of a file, found as by `load`; `fold_case` reads it in lower case even where others are not."""
        source = _source(name, beside)
        if self.fold_case and is_built_in(source.name, source.text):
            return iter(())
        return read(source, fold_case=fold_case or self.fold_case)

    @cached_property
    def everything(self) -> AbstractSet[str]:
        return self._names()

    def _exports(self, import_set: Value, beside: str | None) -> Exports:
        parts = list(import_set) if type(import_set) is Pair else []
        if not parts:
            raise SchemeError("import: bad import set:", import_set)
        head = parts[0].name if type(parts[0]) is Symbol else ""
        modify = _MODIFIERS.get(head) if len(parts) > 1 and type(parts[1]) is Pair else None
        if modify is None:
            return self._library(import_set, beside)
        return modify(self._exports(parts[1], beside), parts[2:], import_set)

    def _library(self, name: Value, beside: str | None) -> Exports:
        text = write(name)
        if text not in self._known:
            built_in = self._built_in(text)
            if built_in is not None:
                return {symbol: (None, symbol) for symbol in built_in}
            self._load(name, beside)
        return self._known[text]

    def _built_in(self, text: str) -> Iterable[str] | None:
        if text in WITH_EVERYTHING:
            return self.everything
        return STANDARD_LIBRARIES.get(text) or OTHER_LIBRARIES.get(text)

    def _file(self, name: Value, beside: str | None) -> str | None:
        """The file of a library: ``foo/bar.sld`` or ``foo/bar.scm`` for ``(foo bar)``."""
        path = "/".join(str(part.name) if type(part) is Symbol else str(part) for part in name)
        # Beside the file with the import, or where the library that is being loaded was found.
        for place in [beside, *(os.path.join(root, "file") for root in reversed(self._roots))]:
            for suffix in (".sld", ".scm"):
                found = resolve(path + suffix, loading=place)
                if found is not None:
                    return found
        return None

    def _load(self, name: Value, beside: str | None) -> None:
        text = write(name)
        if text in self._loading:
            raise SchemeError("import: a library that imports itself:", name)
        path = self._file(name, beside)
        if path is None:
            raise SchemeError("import: no such library:", name)
        root = os.path.abspath(path)
        for _ in name:
            root = os.path.dirname(root)
        self._loading.append(text)
        self._roots.append(root)
        try:
            namespace = self._make_namespace()
            for form in read(_source(path, None), fold_case=self.fold_case):
                namespace.run(form)
        finally:
            self._loading.pop()
            self._roots.pop()
        if text not in self._known:
            raise SchemeError(f"import: {path} does not define the library", name)


def _source(name: str, beside: str | None) -> Source:
    path = resolve(name, loading=beside)
    return Source(text_of_file(name, path), str(path))


def _symbols(names: list[Value], exports: Exports, import_set: Value) -> list[str]:
    for name in names:
        if type(name) is not Symbol:
            raise SchemeError("import: bad import set:", import_set)
        if name.name not in exports:
            raise SchemeError(f"import: not exported: {name.name}, in", import_set)
    return [name.name for name in names]


def _only(exports: Exports, names: list[Value], import_set: Value) -> Exports:
    return {name: exports[name] for name in _symbols(names, exports, import_set)}


def _except(exports: Exports, names: list[Value], import_set: Value) -> Exports:
    left_out = _symbols(names, exports, import_set)
    return {name: export for name, export in exports.items() if name not in left_out}


def _prefix(exports: Exports, names: list[Value], import_set: Value) -> Exports:
    if len(names) != 1 or type(names[0]) is not Symbol:
        raise SchemeError("import: bad import set:", import_set)
    return {names[0].name + name: export for name, export in exports.items()}


def _rename(exports: Exports, pairs: list[Value], import_set: Value) -> Exports:
    new_names: dict[str, str] = {}
    for pair in pairs:
        names = list(pair) if type(pair) is Pair else []
        if len(names) != 2 or type(names[1]) is not Symbol:
            raise SchemeError("import: bad import set:", import_set)
        (old,) = _symbols(names[:1], exports, import_set)
        new_names[old] = names[1].name
    return {new_names.get(name, name): export for name, export in exports.items()}


_MODIFIERS = {"only": _only, "except": _except, "prefix": _prefix, "rename": _rename}
