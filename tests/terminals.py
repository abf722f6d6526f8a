"""A real terminal for tests: a pseudo-terminal whose screen is kept by pyte."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pexpect
import pyte

PATIENCE = 30.0
"""Seconds to wait for what must come."""


class Screen(pyte.Screen):
    """A screen that tells the program where the cursor is when it asks."""

    answer: Callable[[str], object] = staticmethod(lambda text: None)

    def write_process_input(self, data: str) -> None:
        self.answer(data)


class Terminal:
    """minischeme in a terminal."""

    def __init__(self, folder: Path, *arguments: str, columns: int = 90, rows: int = 24, **environment: str) -> None:
        self.screen = Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        inherited = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "MINISCHEME_DEBUG")}
        self.process = pexpect.spawn(
            sys.executable,
            ["-m", "minischeme", *arguments],
            dimensions=(rows, columns),
            cwd=str(folder),
            env={
                **inherited,
                "PYTHONPATH": os.pathsep.join(sys.path),
                "XDG_DATA_HOME": str(folder),
                "XDG_CONFIG_HOME": str(folder),
                "TERM": "xterm-256color",
                **environment,
            },
        )
        self.screen.answer = self.process.send
        self.raw = b""

    def read(self) -> None:
        """Show on the screen what the program has written."""
        try:
            written = self.process.read_nonblocking(65536, timeout=0.02)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return
        self.raw += written
        self._stream.feed(written)

    @property
    def lines(self) -> list[str]:
        """The lines of the screen with anything, but for the toolbar."""
        lines = self.screen.display[:-1]
        return [line.rstrip() for line in lines if not line.isspace() and not line.startswith("Tab completes")]

    def wait(self, done: Callable[[list[str]], object]) -> list[str]:
        """The lines of the screen as soon as `done` holds of them."""
        deadline = time.monotonic() + PATIENCE
        while not done(self.lines):
            assert time.monotonic() < deadline, "\n".join(self.screen.display)
            self.read()
        return self.lines

    def wait_for(self, *last: str) -> None:
        """Wait until these are the last lines of the screen."""
        self.wait(lambda lines: lines[-len(last) :] == list(last))

    def send(self, keys: str) -> None:
        self.process.send(keys)

    def ended(self) -> int | None:
        """The exit status of the program, which must end by itself."""
        try:
            self.process.expect(pexpect.EOF, timeout=PATIENCE)
        finally:
            self.process.close(force=True)
        status: int | None = self.process.exitstatus
        return status
