"""Renaming: the edits that give a binding another name, if the program still means the same then."""

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from minischeme.checking.program import Program
from minischeme.data.errors import SchemeError
from minischeme.data.printer import write
from minischeme.data.source import Source, Span
from minischeme.data.values import Symbol
from minischeme.expansion import core
from minischeme.expansion.core import Node, Variable
from minischeme.language_server.analysis import Analysis
from minischeme.language_server.occurrences import Binding, name_of
from minischeme.reading.reader import read as read_forms


def renamed(analysis: Analysis, binding: Binding, name: str, edited: Mapping[str, str]) -> list[Span]:
    """The places of a binding's name that another one takes.

    Raises:
        SchemeError: The name is no symbol, or with it the program would mean something else.
    """
    old = name_of(binding)
    if not _is_symbol(name):
        raise SchemeError(f"not a name: {name}")
    if not analysis.is_own(binding):
        raise SchemeError(f"{old} is not defined in this program")
    places = [each.span for each in analysis.of(binding)]
    texts = {source: _edited(source, places, name) for source in {span.source for span in places}}
    by_path = {source.name: text for source, text in texts.items()}
    program = analysis.program
    text = by_path.get(program.source.name, program.source.text)
    after = Program(text, program.source.name, analysis.session, edited={**edited, **by_path})
    new = next(read_forms(Source(name, "<name>"))).datum.name
    if not _same(program, after, {} if isinstance(binding, Variable) else {old: new}):
        raise SchemeError(f"with the name {name} the program would mean something else")
    return places


def _is_symbol(text: str) -> bool:
    try:
        forms = list(read_forms(Source(text, "<name>")))
    except SchemeError:
        return False
    return len(forms) == 1 and type(forms[0].datum) is Symbol and forms[0].span.text == text


def _edited(source: Source, places: list[Span], name: str) -> str:
    text = source.text
    for span in sorted(places, key=lambda span: span.start, reverse=True):
        if span.source is source:
            text = text[: span.start] + name + text[span.end :]
    return text


def _same(before: Program, after: Program, renamed_globals: dict[str, str]) -> bool:
    """Whether two programs have the same core, but for the names of variables and the globals that are renamed."""
    if len(before.problems) != len(after.problems):
        return False
    variables: dict[Variable, Variable] = {}
    old: Any
    new: Any
    for old, new in zip_longest(_all_nodes(before), _all_nodes(after)):
        if type(old) is not type(new):
            return False
        for one, other in zip(_variables(old), _variables(new), strict=False):
            if variables.setdefault(one, other) is not other:
                return False
        if isinstance(old, core.Global | core.SetGlobal | core.Define | core.Standard):
            if renamed_globals.get(old.name, old.name) != new.name or old.name in renamed_globals.values():
                return False
        elif isinstance(old, core.Constant):
            shown = write(old.value)  # a procedure of a record type knows its name
            if write(new.value) != shown and renamed_globals.get(shown) != write(new.value):
                return False
    return len(set(variables.values())) == len(variables)


def _all_nodes(program: Program) -> list[Node]:
    return [node for toplevel in program.forms for node in core.nodes(toplevel.root)]


def _variables(node: Node) -> tuple[Variable, ...]:
    if isinstance(node, core.Lambda):
        return node.all_parameters
    return (node.variable,) if isinstance(node, core.Local | core.SetLocal | core.Bind) else ()
