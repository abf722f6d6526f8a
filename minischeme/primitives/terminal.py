"""A terminal for programs that fill its screen and take single keys.

Where there is no terminal, keys are the characters of the input, and what changes the look of the screen does nothing.
"""

import os
import sys
from typing import TYPE_CHECKING

from minischeme.data.errors import SchemeError
from minischeme.data.values import EOF, UNSPECIFIED, Boolean, Char, Symbol, Value, boolean, intern
from minischeme.primitives.kinds import Index, Procedure, StringArg, SymbolArg, as_index, check_procedure, check_type
from minischeme.primitives.ports import OutputArg
from minischeme.primitives.registry import primitive
from minischeme.runtime.ports import Console
from minischeme.runtime.tail_calls import TailCall

if TYPE_CHECKING:
    from minischeme.system.terminal import Terminal

_KEYS = {"\n": "enter", "\r": "enter", "\x1b": "escape", "\t": "tab", "\b": "backspace", "\x7f": "backspace"}
"""The characters that stand for a key, where keys come from a file or a pipe."""

STYLES = ("bold", "underline", "reverse", "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")

USUAL_SIZE = (80, 24)
"""The columns and rows of what is no terminal."""


def _has_terminal(console: Console) -> bool:
    return (
        console.input.echoes
        and console.output.is_terminal
        and os.environ.get("TERM", "dumb") not in ("", "dumb")
        and sys.platform != "win32"
    )


def _terminal(console: Console) -> "Terminal | None":
    """The terminal, with all that was displayed on it; None if there is none."""
    if not _has_terminal(console):
        return None
    if console.terminal is None:
        from minischeme.system.terminal import Terminal

        console.terminal = Terminal(sys.stdin, sys.stdout)
    console.output.flush()
    return console.terminal


@primitive("terminal?", dialect="berkeley")
def is_terminal(*, console: Console) -> Boolean:
    """Whether a person sits at a terminal, where read-key gives single keys and the cursor can be moved."""
    return boolean(_has_terminal(console))


@primitive("with-screen", dialect="berkeley")
def with_screen(thunk: Procedure, *, console: Console, tail: TailCall) -> Value:
    """Call thunk with an empty screen, and show what was there before when it returns or is left."""
    check_procedure(thunk)
    terminal = _terminal(console)
    if terminal is None:
        return tail.call(thunk, ())
    column = console.output.column
    with terminal.full_screen():
        console.output.column = 0
        result = tail.call(thunk, ())
        console.output.flush()
    console.output.column = column
    return result


@primitive("read-key", dialect="berkeley")
def read_key(*, console: Console) -> Value:
    """Wait for a key: a character, or a symbol such as enter, escape, up; resize when the screen's size has changed."""
    terminal = _terminal(console)
    key = console.input.read_string(1) if terminal is None else terminal.read_key(console.typed_ahead)
    if key is None:
        return EOF
    key = _KEYS.get(key, key)
    return Char.of(key) if len(key) == 1 else intern(key)


def _size(name: str, index: int, help_: str) -> None:
    @primitive(name, help_=help_, dialect="berkeley")
    def size(*, console: Console) -> int:
        terminal = _terminal(console)
        return (USUAL_SIZE if terminal is None else terminal.size)[index]


_size("screen-columns", 0, "How many characters a line of the screen has.")
_size("screen-rows", 1, "How many lines the screen has.")


@primitive("clear-screen", dialect="berkeley")
def clear_screen(*, console: Console) -> Value:
    """Make the screen empty, with the cursor at its top left."""
    terminal = _terminal(console)
    if terminal is not None:
        terminal.clear()
        console.output.column = 0
    return UNSPECIFIED


@primitive("clear-line", dialect="berkeley")
def clear_line(*, console: Console) -> Value:
    """Make the line empty from the cursor to its end."""
    terminal = _terminal(console)
    if terminal is not None:
        terminal.clear_line()
    return UNSPECIFIED


@primitive("move-cursor", dialect="berkeley")
def move_cursor(column: Index, row: Index, *, console: Console) -> Value:
    """Let what is displayed next stand at that place; the top left is 0, 0."""
    position = as_index(column), as_index(row)
    terminal = _terminal(console)
    if terminal is not None:
        terminal.move(*position)
        console.output.column = position[0]
    return UNSPECIFIED


@primitive("text-style", dialect="berkeley", example="(begin (text-style 'bold) (display 'ah) (text-style)) → okay")
def text_style(*styles: SymbolArg, console: Console) -> Value:
    """Display in these from here on: bold, underline, reverse, a colour such as red; in none without arguments."""
    check_type(Symbol, *styles)
    for style in styles:
        if style.name not in STYLES:
            raise SchemeError("text-style: no such style:", style)
    terminal = _terminal(console)
    if terminal is not None:
        terminal.style([style.name for style in styles])
    return UNSPECIFIED


@primitive("displayable?", dialect="berkeley", example='(displayable? "heart") → #t')
def is_displayable(string: StringArg, port: OutputArg = None, *, console: Console) -> Boolean:
    """Whether all the characters of string can be displayed on port: not each terminal has ♥."""
    return boolean((console.output if port is None else port).can_show(string.text))
