"""Shows which bracket the one at the cursor belongs to, and which brackets are too many."""

from __future__ import annotations

from prompt_toolkit.application.current import get_app
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.layout.processors import Processor, Transformation, TransformationInput
from prompt_toolkit.layout.utils import explode_text_fragments

from minischeme.repl.outline import outline

MATCHING = " class:matching-bracket "
STRAY = " class:stray-bracket "


def marked_brackets(text: str, cursor: int) -> dict[int, str]:
    """The style of each bracket that is to be marked, by its offset.

    The bracket before the cursor counts, as it was typed last; if there is none, the one behind it.
    """
    structure = outline(text)
    marked = dict.fromkeys(structure.stray, STRAY)
    for offset in (cursor - 1, cursor):
        partner = structure.pairs.get(offset)
        if partner is not None:
            marked[offset] = marked[partner] = MATCHING
            break
    return marked


class BracketProcessor(Processor):
    """Marks brackets in the input. No mistake in here ends the session: nothing is marked then."""

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        """The fragments of a line, with the brackets marked."""
        fragments = transformation_input.fragments
        try:
            if not get_app().is_done:
                fragments = _marked_line(transformation_input.document, transformation_input.lineno, fragments)
        except Exception:
            fragments = transformation_input.fragments
        return Transformation(fragments)


def _marked_line(document: Document, number: int, fragments: StyleAndTextTuples) -> StyleAndTextTuples:
    start = document.translate_row_col_to_index(number, 0)
    exploded = list(explode_text_fragments(fragments))
    for offset, style in marked_brackets(document.text, document.cursor_position).items():
        if 0 <= offset - start < len(document.lines[number]):
            old_style, character, *_ = exploded[offset - start]
            exploded[offset - start] = (old_style + style, character)
    return exploded
