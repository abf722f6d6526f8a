"""`ProgramNames`, the names that a program can use, and hints about names, in one line below an error.

A hint says what a beginner most probably did with a name, such as to misspell it. None is better than a wrong one.
"""

import difflib
import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from minischeme.data.numerals import parse_number
from minischeme.data.source import Span
from minischeme.data.values import Value
from minischeme.evaluation.procedures import inner_procedures
from minischeme.expansion import core
from minischeme.modules.files import find_library, source_text
from minischeme.primitives.kinds import as_number
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

    def for_misspelt(self, name: str, local_names: Iterable[str] = ()) -> str | None:
        """A hint that names what a misspelt name may stand for: rather the program's own than the library's."""
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
        return did_you_mean(name, best) if best is not None else None


LONGEST_NAME = 60  # a longer piece of program isn't repeated in a message

INFIX = frozenset(["+", "-", "*", "/", "=", "<", ">", "<=", ">=", "and", "or", "quotient", "remainder", "modulo"])

# fmt: off
_TAKE_WORDS = frozenset([
    "first", "last", "bf", "butfirst", "bl", "butlast", "word", "se", "sentence", "count", "empty?", "item", "member?",
    "appearances", "equal?", "eq?", "eqv?", "member", "memq", "before?", "every", "keep", "show", "print", "display",
    "list", "cons", "append", "length", "car", "cdr", "reverse",
])
# fmt: on
"""Procedures that beginners give words without a quote."""

_MEANT_INSIDE = {
    "else": "at the start of the last clause of cond or case",
    "=>": "after the test of a clause of cond or case",
    "unquote": "in a template behind a backquote, as the comma in `(a ,b)",
    "unquote-splicing": "in a template behind a backquote, as the ,@ in `(a ,@b)",
    "syntax-rules": "in define-syntax, let-syntax and letrec-syntax",
}
"""The contexts in which words have a meaning that are no variables."""

_EXPONENT = re.compile(r"\A([+-]?[0-9.]++)[sfdl]([+-]?[0-9]++)\Z", re.IGNORECASE)
"""A numeral of R5RS with another exponent marker than e."""

_NAME_OUTSIDE = re.compile(r"(?:^|(?<=\s))[^\s()\[\]\"';`,#0-9][^\s()\[\]\"';`,]*\Z")


def did_you_mean(typed: str, *names: str) -> str:
    """The hint that names what may have been meant; no name stands before a question mark that could be its own."""
    listed = " or ".join(names)
    if not any(name.endswith("?") or f"{name}?" == typed for name in names):
        return f"did you mean {listed}?"
    return f"{listed} {'is' if len(names) == 1 else 'are'} spelt much like it"


def text_of(span: Span | None) -> str | None:
    """The text of an expression on one line, for a message; None if it is too long, or has comments."""
    if span is None or ";" in span.text or "#|" in span.text:
        return None
    text = " ".join(span.text.split())
    return text if len(text) <= LONGEST_NAME else None


def for_name_outside(call: core.Call) -> str | None:
    """A hint for a call whose brackets follow a name without a blank, as in ``f(x)``."""
    span, text = call.span, text_of(call.span)
    before = _NAME_OUTSIDE.search(span.source.text[: span.start].rpartition("\n")[2]) if span is not None else None
    if before is None or text is None:
        return None
    words = text[1:-1].replace(",", " ").split()
    if len(words) == 3 and words[1] in INFIX:
        words = [f"({words[1]} {words[0]} {words[2]})"]
    return f"the procedure's name belongs inside the brackets: ({' '.join([before[0], *words])})"


def for_unbound(program: ProgramNames, root: core.Node, node: core.Global) -> Iterator[str | None]:
    """The hints for a variable without a value in a top-level form, the likeliest first."""
    around = core.parents(root)
    name, parent = node.name, around.get(node)
    if name in _MEANT_INSIDE:
        yield f"{name} has its meaning only {_MEANT_INSIDE[name]}"
    if name in program.importable:
        yield f"it is not in R7RS: (import (only (minischeme) {name})) brings it"
    if name == "help":
        yield "type ,help for the commands, and ,help NAME for what a name means"
    if isinstance(parent, core.If) and parent.test is node and _is_meant_as_else(node):
        yield "did you mean else?"
    if isinstance(parent, core.Call):
        yield for_name_outside(parent) if parent.operator is node else _traced_inside(program, name, parent.operator)
    file = _library_definitions().get(name)
    if file is not None:
        yield f'(load "{file}") defines it'
    if _is_beside_its_binding(root, node):
        yield f"let binds {name} for its body only: where a binding needs the one before it, write let*"
    numeral = _EXPONENT.sub(r"\1e\2", name)
    if numeral != name and parse_number(numeral) is not None:
        yield f"only e marks an exponent: {numeral}"
    yield program.for_misspelt(name, {variable.name for variable in core.bound_variables(root)})
    yield _missing_quote(program, around, node)


def _is_meant_as_else(node: core.Global) -> bool:
    """Whether a variable is the first in its brackets, as the test of a clause is, and its name is much like else."""
    name, span = node.name, node.span
    if span is None or span.source.text[max(0, span.start - 1)] not in "([":
        return False
    return name in ("otherwise", "default") or difflib.SequenceMatcher(None, name, "else").ratio() > 0.6


def _traced_inside(program: ProgramNames, name: str, operator: core.Node) -> str | None:
    if isinstance(operator, core.Standard) and operator.name in ("%traced", "%untraced"):
        for key, value in program.bindings.items():
            if name in inner_procedures(value):
                outer = scheme_name(key)
                return f"{name} is defined inside {outer}: ({operator.name.strip('%d')} ({name} {outer}))"
    return None


@cache
def _library_definitions() -> dict[str, str]:
    """The names that are defined by library files which a program loads, each with its file."""
    found: dict[str, str] = {}
    library = find_library()
    for file in sorted(name for name in os.listdir(library) if name.endswith(".scm")):
        for name in re.findall(r"^\(define \(?([^\s()]+)", source_text(os.path.join(library, file)), re.MULTILINE):
            found.setdefault(name, file)
    return found


def _is_beside_its_binding(root: core.Node, node: core.Global) -> bool:
    """Whether a variable stands in the value of a binding that follows one of its name in the same group."""
    for sequence in core.nodes(root):
        is_bound = False
        for part in sequence.parts if isinstance(sequence, core.Sequence) else ():
            if not isinstance(part, core.Bind):
                is_bound = False
            elif is_bound and any(inner is node for inner in core.nodes(part.value)):
                return True
            else:
                is_bound = is_bound or part.variable.name == node.name
    return False


def _missing_quote(program: ProgramNames, parents: dict[core.Node, core.Node], node: core.Global) -> str | None:
    name, parent = node.name, parents.get(node)
    if isinstance(parent, core.Call) and parent.operator is node:
        around = parents.get(parent)
        is_operand = isinstance(around, core.Call | core.Define | core.SetGlobal | core.Bind)
        names = [operand.name for operand in parent.operands if isinstance(operand, core.Global)]
        is_likely = is_operand or any(program.value(operand) is UNKNOWN for operand in names)
        if is_likely and _reads_like_data(program, parent):
            text = text_of(parent.span)
            return f"did you forget a quote? '{text}" if text is not None else None
    elif name[:1].isdigit():
        return f"did you forget a quote? '{name}"
    elif isinstance(parent, core.Call) and isinstance(parent.operator, core.Global):
        if parent.operator.name in _TAKE_WORDS and parent.operator.name in program.library:
            return f"did you forget a quote? '{name} is the word itself"
    return None


def _reads_like_data(program: ProgramNames, call: core.Call) -> bool:
    """Whether a call could well be a list of words: names, none of them the program's own, and numbers."""
    return all(
        (isinstance(operand, core.Constant) and as_number(operand.value) is not None)
        or (isinstance(operand, core.Global) and operand.name not in program.bindings)
        for operand in call.operands
    )
