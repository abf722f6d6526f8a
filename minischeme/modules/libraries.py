"""`Libraries`: the libraries that programs define, and the meaning of an import set (R7RS 5.2, 5.6).

The standard libraries need no code: every namespace falls back to their names. The forms themselves are in
`expansion.forms.libraries`.
"""

import os.path
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import TypeAlias

import msgspec

from minischeme.data.errors import SchemeError
from minischeme.data.printer import write
from minischeme.data.source import Source
from minischeme.data.values import Pair, Symbol, Value
from minischeme.evaluation.namespaces import Namespace
from minischeme.modules.files import is_built_in, library_file, resolve, text_of_file
from minischeme.primitives.standard_libraries import WITH_EVERYTHING, exports_of
from minischeme.reading.deferred import read_deferring
from minischeme.reading.forms import Form
from minischeme.reading.reader import read

Exports: TypeAlias = dict[str, tuple[Namespace | None, str]]
"""The definitions of a library by exported name: the namespace, None for the standard library, and the name there."""


class Libraries(msgspec.Struct, eq=False, dict=True, weakref=True):
    """The libraries of a session."""

    make_namespace: Callable[[], Namespace]
    note: Callable[[str], None]  # shows the user a message
    names: Callable[[], AbstractSet[str]]  # gives the exports of ``(minischeme)``
    fold_case: bool
    noted: set[str] = set()
    known: dict[str, Exports] = {}  # by the text of the name
    loading: list[str] = []
    roots: list[str] = []

    def define(self, name: Value, namespace: Namespace, exports: dict[str, str]) -> None:
        """Record a library whose body was evaluated in a namespace, with its exports: names outside by names inside."""
        for inside in exports.values():
            if not namespace.has_own(inside) and not namespace.is_standard(inside):
                raise SchemeError(f"define-library: {write(name)} exports what it does not define: {inside}")
        self.known[write(name)] = {
            outside: (namespace if namespace.has_own(inside) else None, inside) for outside, inside in exports.items()
        }

    def note_once(self, text: str) -> None:
        if text not in self.noted:
            self.noted.add(text)
            self.note(text)

    def bind(self, import_set: Value, target: Namespace, beside: str | None) -> None:
        for name, (source, name_there) in self._exports(import_set, beside).items():
            target.import_binding(name, source, name_there)

    def exists(self, name: Value, beside: str | None) -> bool:
        text = write(name)
        return text in self.known or self._built_in(text) is not None or self._file(name, beside) is not None

    def forms(self, name: str, beside: str | None, *, fold_case: bool = False) -> Iterator[Form]:
        """The forms of a file, found as by `load`; `fold_case` reads it in lower case even where others are not."""
        path = resolve(name, loading=beside)
        source = Source(text_of_file(name, path), str(path))
        if self.fold_case and is_built_in(source.name, source.text):
            return iter(())
        return read(source, fold_case=fold_case or self.fold_case)

    @cached_property
    def everything(self) -> AbstractSet[str]:
        return self.names()

    def _exports(self, import_set: Value, beside: str | None) -> Exports:
        parts = list(import_set) if type(import_set) is Pair else []
        if not parts:
            raise SchemeError("import: bad import set:", import_set)
        kind = parts[0].name if type(parts[0]) is Symbol else ""
        if kind not in ("only", "except", "prefix", "rename") or len(parts) < 2 or type(parts[1]) is not Pair:
            return self._library(import_set, beside)
        return _modified(kind, self._exports(parts[1], beside), parts[2:], import_set)

    def _library(self, name: Value, beside: str | None) -> Exports:
        text = write(name)
        if text not in self.known:
            built_in = self._built_in(text)
            if built_in is not None:
                return {symbol: (None, symbol) for symbol in built_in}
            self._load(name, beside)
        return self.known[text]

    def _built_in(self, text: str) -> Iterable[str] | None:
        return self.everything if text in WITH_EVERYTHING else exports_of(text)

    def _file(self, name: Value, beside: str | None) -> str | None:
        """The file of a library: ``foo/bar.sld`` or ``foo/bar.scm`` for ``(foo bar)``."""
        path = "/".join(str(part.name) if type(part) is Symbol else str(part) for part in name)
        # Beside the file with the import, or where the library that is being loaded was found.
        for start in [beside, *(os.path.join(root, "file") for root in reversed(self.roots))]:
            for suffix in (".sld", ".scm"):
                found = resolve(path + suffix, loading=start)
                if found is not None:
                    return found
        return None

    def _load(self, name: Value, beside: str | None) -> None:
        text = write(name)
        if text in self.loading:
            raise SchemeError("import: a library that imports itself:", name)
        path = self._file(name, beside)
        if path is None:
            raise SchemeError("import: no such library:", name)
        root = os.path.abspath(path)
        for _ in name:
            root = os.path.dirname(root)
        self.loading.append(text)
        self.roots.append(root)
        try:
            namespace = self.make_namespace()
            read_all = read if library_file(path) is None else read_deferring
            for form in read_all(Source(text_of_file(path, path), path), fold_case=self.fold_case):
                namespace.run(form)
        finally:
            self.loading.pop()
            self.roots.pop()
        if text not in self.known:
            raise SchemeError(f"import: {path} does not define the library", name)


def _modified(kind: str, exports: Exports, operands: list[Value], import_set: Value) -> Exports:
    """The exports that an import set like ``(only (library) name …)`` leaves of those of its library."""
    count = 2 if kind == "rename" else 1
    chosen: dict[str, str] = {}
    for operand in operands:
        names = [operand] if count == 1 else list(operand) if type(operand) is Pair else []
        if len(names) != count or not all(type(name) is Symbol for name in names):
            raise SchemeError("import: bad import set:", import_set)
        if kind != "prefix" and names[0].name not in exports:
            raise SchemeError(f"import: not exported: {names[0].name}, in", import_set)
        chosen[names[0].name] = names[-1].name
    if kind == "only":
        return {name: exports[name] for name in chosen}
    if kind == "except":
        return {name: export for name, export in exports.items() if name not in chosen}
    if kind == "rename":
        return {chosen.get(name, name): export for name, export in exports.items()}
    if len(operands) != 1:
        raise SchemeError("import: bad import set:", import_set)
    return {operands[0].name + name: export for name, export in exports.items()}
