"""Files with a single writing process: `locked` for any length of time, `NewContents` to replace the contents of one.

A lock belongs to the process and ends with it, in whatever way, and leaves nothing on the disk.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count


def _locks(descriptor: int) -> bool:
    """Lock an open file; False if another process has locked it, True also where locks do not exist."""
    try:
        import fcntl  # imported here, since Windows does not have it

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):  # OSError: a network file system without locks
        pass
    return True


@contextmanager
def locked(path: str) -> Iterator[bool]:
    """Keep a file or folder locked inside the ``with``; the value is False if another process has locked it."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:  # nobody can write to a file that can't be opened
        yield True
        return
    try:
        yield _locks(descriptor)
    finally:
        os.close(descriptor)


class NewContents:
    """A hidden file beside the one at `path`, whose contents replace the old ones all at once.

    If a process is killed before that, the next one takes this file over. At the end of the ``with`` it is removed,
    unless it has replaced the old one.
    """

    def __init__(self, path: str) -> None:
        self._path = os.path.realpath(path)
        folder, name = os.path.split(self._path)
        for number in count(1):
            self._beside = os.path.join(folder, f".{name}.minischeme{number}")
            self.stream = open(self._beside, "a", encoding="utf-8", newline="")  # noqa: SIM115
            self._status = os.fstat(self.stream.fileno())
            # Between these two steps another process may have given it its final name.
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
        """Replace the old contents by those written to `stream`; an OSError if that is impossible."""
        self.stream.flush()
        os.fsync(self.stream.fileno())  # the file may only be renamed once its contents are on the disk
        with suppress(FileNotFoundError):
            os.chmod(self._beside, stat.S_IMODE(os.stat(self._path).st_mode))
        os.replace(self._beside, self._path)

    def __enter__(self) -> "NewContents":
        return self

    def __exit__(self, *_problem: object) -> None:
        with suppress(OSError):
            if self._is_beside():
                os.remove(self._beside)
        with suppress(OSError):  # contents that can't be written can't be flushed either, and need not be
            self.stream.close()
