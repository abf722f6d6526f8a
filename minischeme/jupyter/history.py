"""`History`: the cells that were evaluated, for the front ends that offer them again."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from minischeme.repl.prompter import PrivateHistory
from minischeme.system.user_folders import user_folder

Content: TypeAlias = dict[str, Any]
"""The content of a message."""


class Cell(NamedTuple):
    """A cell: the number of its session, 1 for this one and 0 for all before it, and its number there."""

    session: int
    line: int
    code: str
    result: str  # the text of its value, empty if that is not known


class History:
    """The cells of this session and, from a file, those of earlier ones."""

    def __init__(self) -> None:
        self._file = PrivateHistory(Path(user_folder("data"), "notebook-history"))
        earlier = reversed(list(self._file.load_history_strings()))
        self._cells = [Cell(0, line, code, "") for line, code in enumerate(earlier, 1)]

    def add(self, line: int, code: str, result: str) -> None:
        if code.strip():
            self._cells.append(Cell(1, line, code, result))
            self._file.append_string(code)

    def between(self, session: int, start: int, stop: int | None) -> list[Cell]:
        """The cells of a session, 0 for this one, from number `start` up to, not including, `stop`."""
        numbers = range(start, stop if stop is not None else len(self._cells) + 1)
        return [cell for cell in self._cells if cell.session == (session or 1) and cell.line in numbers]

    def latest(self, count: int | None, pattern: str | None, *, unique: bool) -> list[Cell]:
        """The last `count` cells, oldest first, that match a pattern, such as ``*car*``."""
        found: Iterable[Cell] = [cell for cell in self._cells if pattern is None or fnmatchcase(cell.code, pattern)]
        if unique:
            found = {cell.code: cell for cell in found}.values()
        return list(found)[-count if count else 0 :]
