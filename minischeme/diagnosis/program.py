"""`ProgramNames`: the names that a program can use, and what they are bound to."""

import difflib
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from minischeme.data.values import Value
from minischeme.runtime.names import python_name, scheme_name

UNKNOWN = object()
"""The stand-in for a value that can't be had without evaluating something again."""


@dataclass(frozen=True)
class ProgramNames:
    """The names of a program, and their values."""

    bindings: dict[str, Value]  # its own globals
    library: dict[str, Value]
    forms: Iterable[str]  # the names of the special forms
    importable: Container[str]  # all that minischeme has, if some of it must be imported
    earlier: Mapping[str, str]  # how procedures were called before they were redefined

    def value(self, name: str) -> Any:
        """The value of a global, `UNKNOWN` if it is not bound."""
        return self.bindings.get(python_name(name), self.library.get(python_name(name), UNKNOWN))

    def closest_name(self, name: str, local_names: Iterable[str] = ()) -> str | None:
        """The name that a misspelt one most probably stands for: rather the program's own than the library's."""
        if len(name) < 3:
            return None
        own = [*local_names, *(scheme_name(key) for key in self.bindings if key != "__builtins__")]
        matcher = difflib.SequenceMatcher(b=name)
        best, best_likeness = None, 0.8
        for names, bonus in ((own, 0.04), (self.library, 0.02), (self.forms, 0.0)):
            for other in names:
                if other == name or other.startswith(("'", "%")):
                    continue
                matcher.set_seq1(other)
                if matcher.real_quick_ratio() < 0.75 or matcher.quick_ratio() < 0.75:
                    continue
                likeness = matcher.ratio() + (bonus if matcher.ratio() >= 0.75 else 0.0)
                if likeness >= best_likeness:
                    best, best_likeness = other, likeness + 1e-9
        return best
