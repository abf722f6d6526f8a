"""`FileWatch`: the files of a running program whose text has changed."""

import os
from collections.abc import Mapping

from minischeme.modules.files import source_text

INTERVAL = 0.25  # seconds between two looks at the files


class FileWatch:
    """A watch over files; `texts` are those that are in use, by path.

    A file counts as changed when its text is another, and it was the same in two looks: editors write in pieces, or
    put a new file into the place of the old one.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._seen: dict[str, tuple[int, ...] | None] = {}
        self._compared: dict[str, tuple[int, ...]] = {}

    def changed(self) -> list[str]:
        """The files that have changed since they were used, and were not told before."""
        found: list[str] = []
        for path in list(self._texts):
            now = _state(path)
            if now is not None and now == self._seen.get(path) and now != self._compared.get(path):
                self._compared[path] = now
                if self.differs(path):
                    found.append(path)
            self._seen[path] = now
        return found

    def differs(self, path: str) -> bool:
        """Whether the text of a file is no longer the one in use."""
        try:
            return source_text(path) != self._texts[path]
        except OSError:
            return False
        except UnicodeDecodeError:
            return True


def _state(path: str) -> tuple[int, ...] | None:
    try:
        status = os.stat(path)
    except OSError:  # between two steps of an editor
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
