"""`Loader`: the search for files, their evaluation, and a record of what each has defined."""

import os.path
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from minischeme.data.errors import SchemeError
from minischeme.data.source import Source
from minischeme.modules.files import is_built_in, resolve, text_of_file
from minischeme.runtime.names import python_name

if TYPE_CHECKING:
    from minischeme.session.session import Session


class Loader:
    """The loader of a session's files."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self.folder: str | None = None  # where files are looked for first
        self.find_elsewhere: Callable[[str], str | None] = lambda name: None  # is asked last
        self.loaded: dict[str, str] = {}  # the text of each file loaded from the prompt, the last one last
        self.incomplete: set[str] = set()  # those of them that ended with an error
        self.after_load: Callable[[dict[str, str]], None] | None = None  # takes the files of a load from the prompt
        self.texts: dict[str, str] = {}  # of all files
        self._loading: list[str] = []
        self._files: set[str] = set()  # those of the present load from the prompt
        self._typed_names: set[str] = set()
        self._macros_of_files: set[str] = set()

    def load(self, name: str) -> None:
        """Run a file, as `Session.load`."""
        path = self.find(name)
        text = text_of_file(name, path, "load: ")
        assert path is not None
        if self._session.dialect == "berkeley" and is_built_in(path, text):
            return
        if not self._loading:
            self.loaded.pop(path, None)
            self.loaded[path] = text
            self.incomplete.add(path)
            self._files.clear()
        self._files.add(path)
        self.texts[path] = text
        macros = self._session.main.expander.macros
        typed_macros = macros.keys() - self._macros_of_files
        self._loading.append(path)
        try:
            self._session.eval_source(Source(text, path))
            self.incomplete.discard(path)
        finally:
            self._loading.pop()
            self._macros_of_files |= macros.keys() - typed_macros
        if not self._loading and self.after_load is not None:
            self.after_load({file: self.texts[file] for file in self._files})

    def find(self, name: str) -> str | None:
        """The file that a name means to `load` here."""
        beside = os.path.join(self.folder, "prompt") if self.folder is not None else None
        return resolve(name, loading=self._loading[-1] if self._loading else beside) or self.find_elsewhere(name)

    def require(self, name: str) -> None:
        """Load a file, unless it was required or provided before; errors are those of `load`."""
        provided = self._session.context.provided
        if name in provided:
            return
        provided.add(name)
        try:
            self.load(name)
        except SchemeError as error:
            provided.discard(name)
            if error.span is None:
                error.message = error.message.replace("load:", "require:", 1)
            raise

    def note_bound(self, names: Iterable[str]) -> None:
        """Note that a form binds global names: one of a file that is loading, or one typed at the prompt."""
        note = self._typed_names.difference_update if self._loading else self._typed_names.update
        note(names)

    def typed_names(self) -> set[str]:
        """The names that were bound at the prompt, and not by a file since."""
        bound = {name for name in self._typed_names if python_name(name) in self._session.globals}
        return bound | (self._session.main.expander.macros.keys() - self._macros_of_files)
