"""Files that one process writes at a time: `locked` for as long as it likes, `NewContents` to replace what is in one.

A lock belongs to the process and ends with it, however that happens, and nothing of it stays on the disk.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count


def _locks(descriptor: int) -> bool:
    """Whether an open file could be locked; also where there are no locks."""
    try:
        import fcntl  # here, since Windows has none

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):  # OSError: a network's file system that knows no locks
        pass
    return True


@contextmanager
def locked(path: str) -> Iterator[bool]:
    """Keep a file or folder locked; gives whether it is, which it is not if somebody else has locked it."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:  # what can't be opened nobody can write to
        yield True
        return
    try:
        yield _locks(descriptor)
    finally:
        os.close(descriptor)


class NewContents:
    """A file beside the one at `path`, for contents that shall take the place of the old ones all at once.

    Where a process was killed before that, the next one takes this file over. It is given up at the end of the ``with``
    unless it has taken its place.
    """

    def __init__(self, path: str) -> None:
        self._path = os.path.realpath(path)
        for number in count(1):
            self._beside = f"{self._path}.new" if number == 1 else f"{self._path}.new{number}"
            self.stream = open(self._beside, "a", encoding="utf-8", newline="")  # noqa: SIM115
            self._status = os.fstat(self.stream.fileno())
            # Between these two steps somebody may have given it its final name.
            if _locks(self.stream.fileno()) and self._is_beside():
                break
            self.stream.close()
        self.stream.truncate(0)

    def _is_beside(self) -> bool:
        try:
            return os.path.samestat(self._status, os.stat(self._beside))
        except FileNotFoundError:
            return False

    def take_place(self) -> None:
        """Replace the old contents by what was written to `stream`; raises OSError if that can't be done."""
        self.stream.flush()
        os.fsync(self.stream.fileno())  # the name may only move to the new contents when these are on the disk
        with suppress(FileNotFoundError):
            shutil.copymode(self._path, self._beside)
        os.replace(self._beside, self._path)

    def __enter__(self) -> NewContents:
        return self

    def __exit__(self, *_problem: object) -> None:
        with suppress(OSError):
            if self._is_beside():
                os.remove(self._beside)
        with suppress(OSError):  # what can't be written can't be flushed either, and need not
            self.stream.close()
