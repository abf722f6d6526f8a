"""`CodeCache`: a folder of files with what was compiled earlier, each good for one text and this very minischeme.

What is in the files is code: a file that others could have written is ignored, and so is one that is damaged. Leaves
what is kept to `compiled_files`.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

from minischeme.system.cache_folder import cache_folder, is_ours_alone

MOST_FILES = 200
"""So many files are kept, those that were written last."""

_PREFIX = "code-"


class CodeCache:
    """Keeps data for texts.

    Args: folder: where; a folder that nobody but the user can write to.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of_user(cls) -> CodeCache | None:
        """The one that all of the user's sessions share; None where no place is safe."""
        folder = cache_folder()
        return None if folder is None else cls(folder)

    def read(self, name: str, text: str) -> bytes | None:
        """What was kept for a text under a name; None if nothing, or nothing that can be trusted."""
        try:
            with self._path(name).open("rb") as file:
                status = os.fstat(file.fileno())
                is_safe = is_ours_alone(self.folder.stat()) and is_ours_alone(status) and stat.S_ISREG(status.st_mode)
                if not is_safe:
                    return None
                found, data = file.read(_DIGEST), file.read()
            return data if found == self._digest(text, data) else None
        except OSError:
            return None

    def write(self, name: str, text: str, data: bytes) -> None:
        """Keep data for a text, if it can be done."""
        with suppress(OSError):
            handle, temporary = tempfile.mkstemp(prefix=_PREFIX, dir=self.folder)
            try:
                with open(handle, "wb") as file:
                    file.write(self._digest(text, data) + data)
                os.replace(temporary, self._path(name))
            except OSError:
                os.unlink(temporary)
            self._prune()

    def _path(self, name: str) -> Path:
        key = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
        return self.folder / f"{_PREFIX}{sys.implementation.cache_tag}-{key}"

    def _digest(self, text: str, data: bytes) -> bytes:
        digest = blake2b(self._version, digest_size=_DIGEST)
        for part in (text.encode("utf-8", "surrogatepass"), data):
            digest.update(len(part).to_bytes(8, "big") + part)
        return digest.digest()

    @cached_property
    def _version(self) -> bytes:
        """What differs between two versions of Python or of this package, so that one never runs the other's code."""
        package = Path(__file__).parent.parent
        files = sorted((entry.path, entry.stat().st_size, entry.stat().st_mtime_ns) for entry in _sources(package))
        return repr((sys.version, files)).encode("utf-8", "surrogatepass")

    def _prune(self) -> None:
        """Delete all files but the newest."""
        with os.scandir(self.folder) as entries:
            found = [(entry.stat().st_mtime_ns, entry.path) for entry in entries if entry.name.startswith(_PREFIX)]
        for _, path in sorted(found)[:-MOST_FILES]:
            os.unlink(path)


_DIGEST = 32


def _sources(folder: Path) -> list[os.DirEntry[str]]:
    """The source files of a package."""
    found: list[os.DirEntry[str]] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                found += _sources(Path(entry.path))
            elif entry.name.endswith((".py", ".lark")):
                found.append(entry)
    return found
