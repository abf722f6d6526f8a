"""The line at the bottom of the terminal: how the procedure at the cursor is called, and what it does."""

from __future__ import annotations

from prompt_toolkit.application.current import get_app
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.utils import get_cwidth

from minischeme.repl.outline import Group, Mode, outline
from minischeme.repl.scopes import local_names
from minischeme.repl.vocabulary import Meaning, Vocabulary

KEYS = "Tab completes · Alt-Enter new line · Alt-Q indents · Ctrl-R searches · $ last value"
"""What stands there while nothing is being called."""


def called_at(text: str, cursor: int, vocabulary: Vocabulary) -> Meaning | None:
    """What is known of the innermost form around the cursor that begins with a known name; None if there is none."""
    structure = outline(text)
    if structure.inside_text(cursor) and structure.group_at(cursor).opening is None:
        return None
    names = local_names(structure, cursor)
    group: Group | None = structure.group_at(cursor)
    while group is not None and group.opening is not None:
        if group.mode is Mode.CODE and group.head is not None and group.head not in names:
            meaning = vocabulary.meaning(group.head)
            if meaning is not None and meaning.signature.startswith(("(", "`")):
                return meaning
        group = group.parent
    return None


class Toolbar:
    """The text of the toolbar. No mistake in here ends the session: the toolbar is empty then."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    def __call__(self) -> StyleAndTextTuples:
        try:
            app = get_app()
            document = app.current_buffer.document
            return self.fragments(document.text, document.cursor_position, app.output.get_size().columns)
        except Exception:
            return []

    def fragments(self, text: str, cursor: int, width: int) -> StyleAndTextTuples:
        """The toolbar's text in one line of at most `width` columns, for a text and the cursor's offset in it."""
        meaning = called_at(text, cursor, self._vocabulary)
        if meaning is None:
            return [("", _fitting(KEYS, width))]
        signature = _fitting(meaning.signature, width)
        doc = _fitting(f"  {meaning.doc}" if meaning.doc else "", width - get_cwidth(signature))
        return [("class:bottom-toolbar.signature", signature), ("", doc)]


def _fitting(text: str, width: int) -> str:
    """As much of a text as goes into `width` columns, on one line."""
    text = text.replace("\n", " ")
    if get_cwidth(text) <= width:
        return text
    while text and get_cwidth(text) > width - 1:
        text = text[:-1]
    return text + "…" if width > 0 else ""
