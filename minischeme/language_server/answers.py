"""Answers about a place in a program: help, completions, colours. None of them knows of the protocol."""

from collections.abc import Iterator
from typing import NamedTuple

from prompt_toolkit.completion import CompleteEvent, Completion
from prompt_toolkit.document import Document
from pygments.token import Name

from minischeme.formatting.outline import Token, outline
from minischeme.language_server.analysis import Analysis
from minischeme.language_server.occurrences import name_of
from minischeme.repl.colours import style_of
from minischeme.repl.commands import explanation
from minischeme.repl.completer import SchemeCompleter
from minischeme.repl.toolbar import called_at
from minischeme.session.describe import describe


class Help(NamedTuple):
    """The help on a name: its place in the text and, as Markdown, what it is."""

    start: int
    end: int
    text: str


class Signature(NamedTuple):
    """The signature of a procedure that is being called."""

    text: str
    parameters: tuple[str, ...]
    doc: str
    active: int  # the number of the argument at the cursor


def hover(analysis: Analysis, offset: int) -> Help | None:
    """The help on the name around an offset; None where there is none."""
    token = outline(analysis.text).token_at(offset)
    if token is None or token.kind is not Name:
        return None
    binding = analysis.binding_at(offset)
    if binding is not None and not isinstance(binding, tuple):
        return Help(token.start, token.end, f"```scheme\n{name_of(binding)}\n```\n\nlocal variable")
    with analysis.session.settings():
        description = describe(analysis.session, token.text)
        if description is None:
            return None
        _, *lines = explanation(description).split("\n")
    text = "\n\n".join([f"```scheme\n{description.signature}\n```", description.kind.value, *map(str.strip, lines)])
    return Help(token.start, token.end, text)


def signature(analysis: Analysis, offset: int) -> Signature | None:
    """The signature of the innermost form that is open at an offset and begins with a known name."""
    description = called_at(analysis.text, offset, analysis.session)
    if description is None:
        return None
    structure = outline(analysis.text)
    group = next(
        (group for group in structure.group_at(offset).around() if group.head == description.name.lower()), None
    )
    if group is None:
        return None
    before = sum(part.start < offset for part in group.parts[1:])
    token = structure.token_at(offset)
    is_at_blank = token is None or token.kind is not Name
    parameters = tuple(description.signature.rstrip(")").split()[1:])
    return Signature(description.signature, parameters, description.doc, before - (not is_at_blank))


def completions(analysis: Analysis, text: str, offset: int) -> list[Completion]:
    """The completions of the word before an offset into a text, which may be newer than the analysis."""
    event = CompleteEvent(completion_requested=True)
    return list(SchemeCompleter(analysis.session).get_completions(Document(text, offset), event))


def styles(analysis: Analysis) -> Iterator[tuple[Token, str]]:
    """The tokens that have a colour, each with the name of its style."""
    structure = outline(analysis.text)
    for token in structure.tokens:
        style = style_of(token, structure, analysis.session)
        if style:
            yield token, style.removeprefix("class:")
