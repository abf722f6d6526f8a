"""`Terminal`: single keys, the cursor and colours.

It does without prompt_toolkit, whose import takes longer than all the rest of a start. The primitives, and the decision
whether there is a terminal, are in `primitives.terminal`.
"""

import codecs
import os
import re
import select
import signal
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

from minischeme.data.errors import SchemeExit

ESCAPE_DELAY = 0.1  # seconds after which the byte of the ESC key is that key, not the beginning of an arrow key's

_NAMES = {"\r": "enter", "\n": "enter", "\b": "backspace", "\x7f": "backspace", "\t": "tab", "\x1b": "escape"}

_SEQUENCE = r"\x1b(?:O.|\[\[.|\[[0-9;]*+[@-Z\\-~])"
"""The text that a terminal sends for a key such as an arrow."""

_STYLES = {"bold": 1, "underline": 4, "reverse": 7}
_COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_STYLES |= {name: 30 + number for number, name in enumerate(_COLOURS)}
"""The parameters of the control sequence that sets a style (ECMA-48, SGR)."""

_ENDING = (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM)  # the signals that ask a process to end


class Terminal:
    """The terminal behind two streams. Callers that write to the screen flush it before they call a method here."""

    def __init__(self, keyboard: TextIO, screen: TextIO) -> None:
        self._keyboard = keyboard.fileno()
        self._screen = screen
        self._size: tuple[int, int] | None = None
        self._full = False
        self._unread = ""

    def read_key(self, typed_ahead: Callable[[], str]) -> str | None:
        """Wait for a key: the character that it types, else its name of several letters; None at the end or Ctrl-D.

        ``resize`` is no key, but reports that `size` has changed since it was last read. `typed_ahead` gives the text
        of a key that the prompt has read and not used, or an empty one.
        """
        with self._key_by_key():
            while (name := _name_of(text := typed_ahead() or self._typed())) is None:
                # Polled: the signal that reports a new size belongs to the whole program.
                if text == "" and self._size is not None and self._size != self._present_size():
                    return "resize"
        return None if name == "c-d" else name

    def _typed(self) -> str:
        """The text of the next key; an empty one if there is none for a while, and that of Ctrl-D at the end.

        No byte after it is read, since other readers may be waiting for that.
        """
        text, self._unread = self._unread, ""
        if text or not self._has_input():
            return text
        text = self._character()
        while text[0] == "\x1b" and not re.fullmatch(_SEQUENCE, text) and self._has_input():
            following = self._character()
            if text == "\x1b" and following not in "[O":  # the key with Alt
                self._unread = following
                break
            text += following
        return text

    def _has_input(self) -> bool:
        return bool(select.select([self._keyboard], [], [], ESCAPE_DELAY)[0])

    def _character(self) -> str:
        decode = codecs.getincrementaldecoder("utf-8")("ignore").decode
        while True:
            try:
                byte = os.read(self._keyboard, 1)
            except OSError:  # the terminal is gone
                byte = b""
            if text := decode(byte) if byte else "\x04":
                return text

    @contextmanager
    def _key_by_key(self) -> Iterator[None]:
        """A scope in which the terminal delivers each key at once without showing it; Ctrl-C still interrupts."""
        before: list[Any] = termios.tcgetattr(self._keyboard)
        flags, *others, characters = before
        flags &= ~(termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR)
        others[2] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
        disabled = bytes([os.fpathconf(self._keyboard, "PC_VDISABLE")])
        # Stopping or ending the process by VSUSP or VQUIT would not restore the terminal.
        own = {termios.VMIN: 1, termios.VTIME: 0, termios.VSUSP: disabled, termios.VQUIT: disabled}
        characters = [own.get(number, value) for number, value in enumerate(characters)]
        with ended_in_order():
            try:
                termios.tcsetattr(self._keyboard, termios.TCSANOW, [flags, *others, characters])
                yield
            finally:
                with suppress(termios.error):  # the terminal may be gone
                    termios.tcsetattr(self._keyboard, termios.TCSANOW, before)

    @contextmanager
    def full_screen(self) -> Iterator[None]:
        """A scope with an empty screen for the program; the former contents return however the ``with`` is left."""
        if self._full:
            yield
            return
        with self._key_by_key():
            try:
                self._full = True
                self._control("?1049h")
                self.clear()
                yield
            finally:
                self._full = False
                with suppress(OSError):  # the terminal may be gone
                    self._control("0m", "?1049l")

    def _control(self, *sequences: str) -> None:
        """Send control sequences, each without its introducer (ECMA-48, CSI)."""
        self._screen.write("".join(f"\x1b[{sequence}" for sequence in sequences))
        self._screen.flush()

    def _present_size(self) -> tuple[int, int]:
        columns, rows = os.get_terminal_size(self._screen.fileno())
        return columns or 80, rows or 24

    @property
    def size(self) -> tuple[int, int]:
        """The numbers of columns and rows."""
        self._size = self._present_size()
        return self._size

    def clear(self) -> None:
        """Clear the screen and move to its top left."""
        self._control("2J", "H")

    def clear_line(self) -> None:
        """Clear the rest of the line from the cursor on."""
        self._control("K")

    def move(self, column: int, row: int) -> None:
        """Move the cursor; column and row are counted from 0 at the top left."""
        self._control(f"{row + 1};{column + 1}H")

    def style(self, names: list[str]) -> None:
        """Set the style of the following output to exactly these: ``bold``, ``underline``, ``reverse``, or a colour."""
        shown = [name for name in names if name not in _COLOURS or not os.environ.get("NO_COLOR")]
        self._control(";".join(["0", *(str(_STYLES[name]) for name in shown)]) + "m")


def _name_of(text: str) -> str | None:
    """The character or the name of the key that a terminal sends a text for; None if there is none."""
    if len(text) > 1:
        from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES

        key = ANSI_SEQUENCES.get(text)
        name = None if key is None or isinstance(key, tuple) else key.value
        if name is None or name.startswith("<"):  # names such as <ignore> are not keys
            return None
        return {"s-tab": "backtab", "c-m": "enter"}.get(name, name)
    if not text or text >= " ":
        return _NAMES.get(text, text or None)
    return _NAMES.get(text) or f"c-{chr(ord(text) + 64).lower()}"


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Turn a signal that ends the process into an exit that restores the terminal, unless the signal has a handler."""
    handled: list[signal.Signals] = []

    def leave(number: int, _frame: object) -> None:
        for request in handled:  # a second one must not disturb the exit begun by the first
            signal.signal(request, signal.SIG_IGN)
        raise SystemExit(128 + number)  # the exception that asyncio lets through, unlike others

    with suppress(ValueError):  # outside the main thread
        for request in _ENDING:
            if signal.getsignal(request) is signal.SIG_DFL:
                signal.signal(request, leave)
                handled.append(request)
    try:
        yield
    except SystemExit as request_to_end:
        handled.clear()  # the process ends, and keeps ignoring further requests
        raise SchemeExit(cast(int, request_to_end.code)) from None
    finally:
        for request in handled:
            signal.signal(request, signal.SIG_DFL)
