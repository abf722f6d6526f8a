"""What was typed while nobody asked for it goes to whoever reads next, also to a program's own `(read)`.

prompt_toolkit takes all keys that have arrived when its prompt ends, and keeps what came after Enter for its next one.
"""

from __future__ import annotations

from collections.abc import Callable

from prompt_toolkit.input import Input
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.keys import Keys

_ENDS = (Keys.ControlM, Keys.ControlJ)


def take_typed_line(terminal: Input) -> str:
    """The first line of what was typed ahead, with its newline if it has one; other keys stay for the next reader."""
    keys = get_typeahead(terminal)
    text = ""
    for number, key in enumerate(keys):
        if key.key in _ENDS:
            store_typeahead(terminal, keys[number + 1 :])
            return text + "\n"
        if key.key is Keys.ControlH:
            text = text[:-1]
        elif key.key is Keys.BracketedPaste:
            text += key.data.replace("\r\n", "\n").replace("\r", "\n")
        elif not isinstance(key.key, Keys):
            text += key.data
    return text


def reading_typed_text(readline: Callable[[], str], terminal: Input, show: Callable[[str], None]) -> Callable[[], str]:
    """A `readline` that gives first what was typed ahead, and shows it by `show`, as the terminal did not."""

    def read_line() -> str:
        typed = take_typed_line(terminal)
        if typed:
            show(typed)
        return typed if typed.endswith("\n") else typed + readline()

    return read_line
