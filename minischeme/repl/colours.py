"""The colours of the prompt, of the program that is typed there and its brackets, and of error reports.

All of them can be read on dark and on light backgrounds. prompt_toolkit adapts them to the terminal; with ``NO_COLOR``
set, nothing has a colour.
"""

import re
from collections.abc import Callable
from contextlib import suppress

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
from minischeme.formatting.outline import Mode, Outline, Token, outline
from minischeme.repl.evaluation import is_command
from minischeme.session.describe import kind_of, spelling
from minischeme.session.session import Session

CODE_STYLES = {
    "special-form": "#af00d7 bold",
    "user-macro": "#af00d7 bold",
    "primitive": "#0087d7",
    "constant": "#0087d7",
    "user-procedure": "#008787 bold",
    "user-variable": "#d75f00",
    "string": "#af5f5f",
    "number": "#875fff",
    "quoted": "#87875f",
    "comment": "#767676 italic",
}
"""The styles of names, by their `NameKind`, and of other text. The lightness of each colour is a middle one."""

STYLE = Style.from_dict(
    {
        **CODE_STYLES,
        "matching-bracket": "bold reverse",
        "stray-bracket": "bold fg:#ffffff bg:#d70000",
        "prompt": "bold",
        "bottom-toolbar": "noreverse #767676",
        "bottom-toolbar.signature": "noreverse bold",
        "auto-suggestion": "#767676",
    }
)


def style_of(token: Token, structure: Outline, session: Session) -> str:
    """The style of a token."""
    if token.is_a(Comment) or token.mode is Mode.COMMENT:
        return "class:comment"
    if token.is_a(String):
        return "class:string"
    if token.kind is not Name:
        return "" if token.kind in (Whitespace, Punctuation) else "class:quoted"
    if token.text[0] == "#" or (token.text[0] in "0123456789+-." and parse_number(token.text) is not None):
        return "class:number"
    if token.mode is not Mode.CODE:
        return "class:quoted"
    if token.text in structure.group_at(token.end).scope:
        return ""
    if token.text in ("else", "=>"):
        return "class:special-form"
    kind = kind_of(session, spelling(session, token.text))
    return f"class:{kind.name.lower().replace('_', '-')}" if kind is not None else ""


class CodeLexer(Lexer):
    """A lexer that colours the text being typed. An internal error does not end the session: it removes the colours."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        fragments: StyleAndTextTuples = [("", document.text)]
        with suppress(Exception):
            structure = outline("" if is_command(document.text) else document.text)
            if structure.tokens:
                fragments = [(style_of(token, structure, self._session), token.text) for token in structure.tokens]
        lines = list(split_lines(fragments))
        return lambda number: lines[number] if number < len(lines) else []


_REPORT_COLOURS = {"title": (".+", "1;31"), "caret": (r"\^+", "31"), "hint": (".+", "35"), "trail": (".+", "2")}
"""The pattern of what has a colour in a part of a report, and the terminal's code of that."""


def coloured_report(error: SchemeError, width: int | None = None) -> str:
    """The report of an error, for a terminal with colours."""
    coloured = []
    for role, text in report_parts(error, width):
        pattern, code = _REPORT_COLOURS.get(role, ("(?!)", ""))
        coloured.append(re.sub(pattern, f"\x1b[{code}m\\g<0>\x1b[0m", text))
    return "\n".join(coloured)


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
        line = transformation_input
        document, exploded = line.document, list(explode_text_fragments(line.fragments))
        with suppress(Exception):
            marked = {} if get_app().is_done else marked_brackets(document.text, document.cursor_position)
            start = document.translate_row_col_to_index(line.lineno, 0)
            for offset, style in marked.items():
                if 0 <= offset - start < len(document.lines[line.lineno]):
                    old_style, character, *_ = exploded[offset - start]
                    exploded[offset - start] = (old_style + style, character)
        return Transformation(exploded)
