"""`Analysis`: a text, the files that it loads, and a session that knows their names without having run them."""

import io
from collections.abc import Mapping
from functools import cached_property

from minischeme.checking.check import mistakes_in
from minischeme.checking.program import Program
from minischeme.checking.registry import Diagnostic
from minischeme.compiler.entry_stubs import lazy_procedure
from minischeme.data.values import Value, intern
from minischeme.expansion.core import Constant, defined_procedure
from minischeme.language_server.occurrences import Binding, Occurrence, occurrences
from minischeme.runtime.names import python_name
from minischeme.session.session import Session

_UNKNOWN = intern("…")
"""The stand-in for a value that only a run would give."""


class Analysis:
    """A program as far as it can be known without running it.

    Args:
        path: where it is, or would be.
        edited: the texts of files, by their paths, that are open in the editor.
    """

    def __init__(self, text: str, path: str, edited: Mapping[str, str]) -> None:
        self.session = Session(output=io.StringIO(), input=io.StringIO())
        self.diagnostics: list[Diagnostic] = []
        self.session.run_as_scheme(lambda: self._analyse(text, path, edited))

    def _analyse(self, text: str, path: str, edited: Mapping[str, str]) -> None:
        self.program = Program(text, path, self.session, edited=edited)
        self.diagnostics = mistakes_in(self.program)
        main = self.session.main
        main.expander.macros.update(self.program.names.expander.macros)
        for name, (definition, *_) in self.program.names.definitions.items():
            value: Value = _UNKNOWN
            if defined_procedure(definition) is not None:
                value = lazy_procedure(main.unit(definition), main.globals)
            elif type(definition.value) is Constant:
                value = definition.value.value
            main.globals[python_name(name)] = value

    @property
    def text(self) -> str:
        return self.program.source.text

    @property
    def files(self) -> set[str]:
        """The paths of the files that the text loads."""
        return {toplevel.form.span.source.name for toplevel in self.program.forms}

    @cached_property
    def occurrences(self) -> list[Occurrence]:
        """The identifiers of the text and of the files that it loads."""
        return occurrences(self.program)

    def binding_at(self, offset: int) -> Binding | None:
        """The binding of the identifier in the text around or just before an offset."""
        for span, binding, _ in self.occurrences:
            if span.source is self.program.source and span.start <= offset <= span.end:
                return binding
        return None

    def of(self, binding: Binding) -> list[Occurrence]:
        """The occurrences of a binding, its definitions first, in the order of the texts."""
        found = [each for each in self.occurrences if each.binding == binding]
        return sorted(found, key=lambda each: (not each.is_definition, each.span.source.name, each.span.start))

    def is_own(self, binding: Binding) -> bool:
        """Whether the program defines a binding."""
        return any(each.is_definition for each in self.of(binding))
