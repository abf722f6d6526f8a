"""The toolbar at the bottom of the terminal: the signature and help of the procedure at the cursor, open brackets."""

from contextlib import suppress

from prompt_toolkit.application.current import get_app
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.utils import get_cwidth

from minischeme.formatting.outline import Mode, outline
from minischeme.session.describe import Description, describe
from minischeme.session.session import Session

KEYS = ("Tab completes", "Alt-Enter new line", "Alt-Q indents", "Ctrl-R searches", "$ last value")
"""The toolbar's hints while no procedure is being called."""

_GAP = " · "


def called_at(text: str, cursor: int, session: Session) -> Description | None:
    """The description of the innermost form around the cursor that begins with a known name; None if there is none."""
    innermost = outline(text).group_at(cursor)
    for group in innermost.around():
        if group.mode is Mode.CODE and group.head is not None and group.head not in innermost.scope:
            description = describe(session, group.head)
            if description is not None and description.signature.startswith(("(", "`")):
                return description
    return None


def open_bracket(text: str) -> str:
    """A note on the outermost bracket that is still open in a line before the last, and the number of others."""
    last_line = text.rfind("\n")
    opened = [group.start for group in outline(text).group_at(len(text)).around() if group.start < last_line]
    if not opened:
        return ""
    line = text.count("\n", 0, opened[-1]) + 1
    more = f" and {len(opened) - 1} more are open" if len(opened) > 1 else " is open"
    return f"{text[opened[-1]]} of line {line}{more}"


def toolbar_text(session: Session) -> StyleAndTextTuples:
    """The current text of the toolbar; empty after an internal error, which does not end the session."""
    with suppress(Exception):
        app = get_app()
        document = app.current_buffer.document
        mode = f"{app.vi_state.input_mode.value}{_GAP}" if app.editing_mode is EditingMode.VI else ""
        width = app.output.get_size().columns - len(mode)
        return [("", mode), *fragments(session, document.text, document.cursor_position, width)]
    return []


def fragments(session: Session, text: str, cursor: int, width: int) -> StyleAndTextTuples:
    """One line of at most `width` columns for a text and its cursor; items that do not fit are left out."""
    description = called_at(text, cursor, session)
    if description is None:
        items = [("", key) for key in KEYS]
    else:
        items = [("class:bottom-toolbar.signature", description.signature), ("", description.doc)]
    items.insert(0, ("", open_bracket(text)))
    shown: StyleAndTextTuples = []
    for style, item in items:
        gap = _GAP if shown else ""
        needed = get_cwidth(gap + item)
        if item and needed <= width:
            shown += [("", gap), (style, item.replace("\n", " "))]
            width -= needed
    return shown
