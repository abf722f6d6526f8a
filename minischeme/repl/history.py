"""What was typed, kept between runs in a file that only its owner can read."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from platformdirs import user_data_path
from prompt_toolkit.history import FileHistory


def history_path() -> Path:
    """The file of the history, in the user's data folder."""
    return user_data_path("minischeme", appauthor=False) / "history"


class PrivateHistory(FileHistory):
    """Entries, of several lines or not, in prompt_toolkit's format; without immediate repetitions.

    Several sessions may write to the file at once. If it can't be written or read, entries last as long as the session.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self._path = path

    def load_history_strings(self) -> list[str]:
        """The entries of the file, newest first."""
        with suppress(OSError):
            return list(super().load_history_strings())
        return []

    def append_string(self, string: str) -> None:
        """Add an entry."""
        if not self._loaded_strings or self._loaded_strings[0] != string:
            super().append_string(string)

    def store_string(self, string: str) -> None:
        """Add an entry to the file, by one write: entries of other sessions stand before or behind it."""
        record = "\n" + "".join(f"+{line}\n" for line in string.split("\n"))
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.chmod(self._path, 0o600)
                os.write(descriptor, record.encode("utf-8", "replace"))
            finally:
                os.close(descriptor)
