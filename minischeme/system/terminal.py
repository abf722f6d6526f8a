"""`Terminal`: single keys, the cursor and colours, by way of prompt_toolkit's input and output.

The primitives, and the decision whether there is a terminal, are in `primitives.terminal`.
"""

import os
import select
import signal
import termios
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import Input, create_input
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.keys import Keys
from prompt_toolkit.output import Output, create_output
from prompt_toolkit.styles import DEFAULT_ATTRS

from minischeme.data.errors import SchemeExit

ESCAPE_DELAY = 0.1  # seconds after which the byte of the ESC key is that key, not the beginning of an arrow key's

_NAMES = {"c-m": "enter", "c-j": "enter", "c-h": "backspace", "c-i": "tab", "s-tab": "backtab"}
"""Scheme's names for some of prompt_toolkit's keys; the others keep theirs, such as ``escape``, ``up`` and ``f1``."""

_ENDING = (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM)  # the signals that ask a process to end


class Terminal:
    """The terminal behind two streams. Callers that write to the screen flush it before they call a method here."""

    def __init__(self, keyboard: TextIO, screen: TextIO) -> None:
        self._keyboard: Input = create_input(keyboard)
        self._screen: Output = create_output(screen)
        self._size: Size | None = None
        self._full = False

    def read_key(self) -> str | None:
        """Wait for a key: the character that it types, else its name of several letters; None at the end or Ctrl-D.

        ``resize`` is no key, but reports that `size` has changed since it was last read.
        """
        with self._key_by_key():
            while (name := self._next_key()) is None:
                # Polled: the signal that reports a new size belongs to the whole program.
                if self._size is not None and self._size != self._screen.get_size():
                    return "resize"
                if self._keyboard.closed:
                    return None
        return None if name == Keys.ControlD.value else name

    def _next_key(self) -> str | None:
        # Keys typed ahead are kept where the prompt looks for them, too.
        keys = get_typeahead(self._keyboard) or self._keyboard.read_keys()
        if not keys and not select.select([self._keyboard.fileno()], [], [], ESCAPE_DELAY)[0]:
            keys = self._keyboard.flush_keys()
        for number, press in enumerate(keys):
            name = press.key.value if isinstance(press.key, Keys) else press.key
            if not name.startswith("<") or len(name) == 1:  # names such as <ignore> are not keys
                store_typeahead(self._keyboard, keys[number + 1 :])
                return _NAMES.get(name, name)
        return None

    @contextmanager
    def _key_by_key(self) -> Iterator[None]:
        """A scope in which the terminal delivers each key at once without showing it; Ctrl-C still interrupts."""
        with ended_in_order(), self._keyboard.raw_mode():
            descriptor = self._keyboard.fileno()
            settings: list[Any] = termios.tcgetattr(descriptor)
            settings[3] |= termios.ISIG
            for signalling in (termios.VSUSP, termios.VQUIT):
                # Stopping or ending the process by these would not restore the terminal.
                settings[6][signalling] = bytes([os.fpathconf(descriptor, "PC_VDISABLE")])
            termios.tcsetattr(descriptor, termios.TCSANOW, settings)
            yield

    @contextmanager
    def full_screen(self) -> Iterator[None]:
        """A scope with an empty screen for the program; the former contents return however the ``with`` is left."""
        if self._full:
            yield
            return
        with self._key_by_key():
            try:
                self._full = True
                self._screen.enter_alternate_screen()
                self.clear()
                yield
            finally:
                self._full = False
                with suppress(OSError):  # the terminal may be gone
                    self._screen.reset_attributes()
                    self._screen.quit_alternate_screen()
                    self._screen.flush()

    @property
    def size(self) -> tuple[int, int]:
        """The numbers of columns and rows."""
        self._size = size = self._screen.get_size()
        return size.columns, size.rows

    def clear(self) -> None:
        """Clear the screen and move to its top left."""
        self._screen.erase_screen()
        self._screen.cursor_goto(1, 1)
        self._screen.flush()

    def clear_line(self) -> None:
        """Clear the rest of the line from the cursor on."""
        self._screen.erase_end_of_line()
        self._screen.flush()

    def move(self, column: int, row: int) -> None:
        """Move the cursor; column and row are counted from 0 at the top left."""
        self._screen.cursor_goto(row + 1, column + 1)
        self._screen.flush()

    def style(self, names: list[str]) -> None:
        """Set the style of the following output to exactly these: ``bold``, ``underline``, ``reverse``, or a colour."""
        bold, underline, reverse = (name in names for name in ("bold", "underline", "reverse"))
        attributes = DEFAULT_ATTRS._replace(bold=bold, underline=underline, reverse=reverse)
        for name in names:
            if name not in ("bold", "underline", "reverse"):
                attributes = attributes._replace(color="ansigray" if name == "white" else f"ansi{name}")
        self._screen.reset_attributes()
        if names:
            self._screen.set_attributes(attributes, self._screen.get_default_color_depth())
        self._screen.flush()


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Turn a signal that ends the process into an exit that restores the terminal, unless the signal has a handler."""
    handled: list[signal.Signals] = []

    def leave(number: int, _frame: object) -> None:
        for request in handled:  # a second one must not disturb the exit begun by the first
            signal.signal(request, signal.SIG_IGN)
        raise SystemExit(128 + number)  # the exception that asyncio lets through, unlike others

    if threading.current_thread() is threading.main_thread():
        handled += [request for request in _ENDING if signal.getsignal(request) is signal.SIG_DFL]
    for request in handled:
        signal.signal(request, leave)
    try:
        yield
    except SystemExit as request_to_end:
        handled.clear()  # the process ends, and keeps ignoring further requests
        raise SchemeExit(cast(int, request_to_end.code)) from None
    finally:
        for request in handled:
            signal.signal(request, signal.SIG_DFL)
