"""The colours of the prompt, of the program that is typed there and its brackets, and of error reports.

All of them can be read on dark and on light backgrounds. prompt_toolkit adapts them to the terminal; with ``NO_COLOR``
set, nothing has a colour.
"""

import re
from collections.abc import Callable, Iterator

from prompt_toolkit.application.current import get_app
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.formatted_text.utils import split_lines
from prompt_toolkit.layout.processors import Processor, Transformation, TransformationInput
from prompt_toolkit.layout.utils import explode_text_fragments
from prompt_toolkit.lexers.base import Lexer
from prompt_toolkit.styles import Style
from pygments.token import Comment, Name, Punctuation, String, Whitespace

from minischeme.data.errors import SchemeError, report_parts
from minischeme.data.numerals import parse_number
from minischeme.repl.entries import is_command, or_else
from minischeme.repl.outline import Group, Mode, Outline, Token, outline
from minischeme.repl.scopes import bound_in
from minischeme.session.describe import NameKind, kind_of, spelling
from minischeme.session.session import Session

CODE_COLOURS = {
    "special-form": "#af00d7",
    "primitive": "#0087d7",
    "user-procedure": "#008787",
    "user-variable": "#d75f00",
    "string": "#af5f5f",
    "number": "#875fff",
    "quoted": "#87875f",
    "comment": "#767676",
}
"""The colours of the classes of text, of the 256 of a terminal; their lightness lies between black and white."""

STYLE = Style.from_dict(
    {
        **CODE_COLOURS,
        "special-form": f"{CODE_COLOURS['special-form']} bold",
        "user-procedure": f"{CODE_COLOURS['user-procedure']} bold",
        "comment": f"{CODE_COLOURS['comment']} italic",
        "matching-bracket": "bold reverse",
        "stray-bracket": "bold fg:#ffffff bg:#d70000",
        "prompt": "bold",
        "bottom-toolbar": "noreverse #767676",
        "bottom-toolbar.signature": "noreverse bold",
        "auto-suggestion": "#767676",
    }
)

_AUXILIARY = {"else", "=>"}
_KIND_CLASSES: dict[NameKind | None, str] = {
    NameKind.SPECIAL_FORM: "class:special-form",
    NameKind.USER_MACRO: "class:special-form",
    NameKind.PRIMITIVE: "class:primitive",
    NameKind.CONSTANT: "class:primitive",
    NameKind.USER_PROCEDURE: "class:user-procedure",
    NameKind.USER_VARIABLE: "class:user-variable",
}


def classified(structure: Outline, session: Session) -> Iterator[tuple[Token, str]]:
    """The tokens of a text, each with its style."""
    locals_of: dict[int, frozenset[str]] = {}

    def scope(group: Group | None) -> frozenset[str]:
        """The local names inside a group."""
        if group is None:
            return frozenset()
        if id(group) not in locals_of:
            locals_of[id(group)] = scope(group.parent).union(bound_in(group))
        return locals_of[id(group)]

    for token in structure.tokens:
        if token.kind is Name and token.mode is Mode.CODE:
            if _is_literal(token.text):
                yield token, "class:number"
            elif token.text in scope(structure.group_at(token.end)):
                yield token, ""
            elif token.text in _AUXILIARY:
                yield token, "class:special-form"
            else:
                yield token, _KIND_CLASSES.get(kind_of(session, spelling(session, token.text)), "")
        else:
            yield token, _style(token)


def _style(token: Token) -> str:
    if token.is_a(Comment) or token.mode is Mode.COMMENT:
        return "class:comment"
    if token.is_a(String):
        return "class:string"
    if token.kind is Name and _is_literal(token.text):
        return "class:number"
    return "" if token.kind in (Whitespace, Punctuation) else "class:quoted"


def _is_literal(text: str) -> bool:
    return text[0] == "#" or (text[0] in "0123456789+-." and parse_number(text) is not None)


class CodeLexer(Lexer):
    """A lexer that colours the text being typed. An internal error does not end the session: it removes the colours."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        lines = list(split_lines(self._fragments(document.text) or [("", document.text)]))
        return lambda number: lines[number] if number < len(lines) else []

    @or_else(None)
    def _fragments(self, text: str) -> StyleAndTextTuples:
        if is_command(text):
            return []
        return [(style, token.text) for token, style in classified(outline(text), self._session)]


_SGR = {"title": "1;31", "caret": "31", "hint": "35", "trail": "2"}
_CARETS = re.compile(r"\^+")


def coloured_report(error: SchemeError, width: int | None = None) -> str:
    """The report of an error, for a terminal with colours."""
    coloured = []
    for role, text in report_parts(error, width):
        if role == "caret":
            text = _CARETS.sub(lambda found: _painted(found[0], "caret"), text)
        elif role in _SGR:
            text = "\n".join(_painted(line, role) for line in text.split("\n"))
        coloured.append(text)
    return "\n".join(coloured)


def _painted(text: str, role: str) -> str:
    return f"\x1b[{_SGR[role]}m{text}\x1b[0m"


MATCHING = " class:matching-bracket "
STRAY = " class:stray-bracket "


def marked_brackets(text: str, cursor: int) -> dict[int, str]:
    """The styles of the brackets to mark, by offset."""
    structure = outline(text)
    marked = dict.fromkeys(structure.stray, STRAY)
    for offset in (cursor - 1, cursor):  # the bracket before the cursor comes first, since it was typed last
        partner = structure.pairs.get(offset)
        if partner is not None:
            marked[offset] = marked[partner] = MATCHING
            break
    return marked


class BracketProcessor(Processor):
    """The marking of brackets in the input. An internal error does not end the session: nothing is marked then."""

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        marked = None if get_app().is_done else _marked_line(transformation_input)
        return Transformation(marked or transformation_input.fragments)


@or_else(None)
def _marked_line(line: TransformationInput) -> StyleAndTextTuples:
    document, number = line.document, line.lineno
    start = document.translate_row_col_to_index(number, 0)
    exploded = list(explode_text_fragments(line.fragments))
    for offset, style in marked_brackets(document.text, document.cursor_position).items():
        if 0 <= offset - start < len(document.lines[number]):
            old_style, character, *_ = exploded[offset - start]
            exploded[offset - start] = (old_style + style, character)
    return exploded
