"""The submissions and the tests of an assignment, read from folders into jobs that any machine can work on.

Folders of submissions are a stranger's work: links are not followed, devices not opened, large files not read.
"""

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from minischeme import __version__
from minischeme.data.errors import SchemeError
from minischeme.modules.files import decoded, find_library
from minischeme.transcripts.files import opened_text, transcripts_in
from minischeme.transcripts.replay import DEFAULT_FILE_LIMIT, DEFAULT_LIMIT, Settings

_LARGEST_FILE = 1 << 20
_LARGEST_SUBMISSION = 8 << 20
_MOST_FILES = 200
_DEEPEST = 4
_LOAD = re.compile(r"""(?:minischeme:\s*load\s+|\(load\s+)"?([^"\s()]+)""")
_CONTROLS = re.compile("[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class Job(msgspec.Struct, frozen=True):
    """A submission with the tests that it is graded by."""

    name: str
    files: dict[str, bytes]
    problems: list[str]  # files that were left out, with reasons
    tests: dict[str, str]
    requires_sandbox: bool = False
    bwrap: bool = False  # whether the sandbox has this layer, too
    seed: int | None = None
    limit: float = DEFAULT_LIMIT  # seconds for an interaction
    file_limit: float = DEFAULT_FILE_LIMIT  # and for a test file

    @property
    def digest(self) -> str:
        """A text that differs if anything differs that the result depends on."""
        return hashlib.sha256(__version__.encode() + msgspec.json.encode(self, order="sorted")).hexdigest()


def tests_of(folder: Path) -> dict[str, str]:
    """The texts of the test files in a folder by their names.

    Raises:
        SchemeError: There is none.
        TranscriptError: One has a directive that can't be followed.
    """
    tests = {path.relative_to(folder).as_posix(): decoded(path.read_bytes()) for path in transcripts_in([folder])}
    for name, text in tests.items():
        opened_text(text, folder / name, name, Settings())
    if not tests:
        raise SchemeError(f"no test found in {folder}")
    return tests


def files_needed(tests: dict[str, str]) -> list[str]:
    """The names of the students' files that tests load: those of the library only if there are no others."""
    names = {os.path.basename(name) for text in tests.values() for name in _LOAD.findall(text)}
    names = {name if name.endswith(".scm") else f"{name}.scm" for name in names}
    return sorted({name for name in names if not Path(find_library(), name).exists()} or names)


def submissions_in(paths: Sequence[Path], needed: Sequence[str]) -> dict[str, Path]:
    """The submissions by name. A path is one if it is a file, or has a needed file; else each entry of it is one."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir() and not any((path / name).is_file() for name in needed):
            found += (entry for entry in sorted(path.iterdir()) if not entry.name.startswith("."))
        else:
            found.append(path)
    names = [printable(path.stem if path.suffix == ".scm" else path.name) for path in found]
    unique = (name if names.count(name) == 1 else printable(str(path)) for name, path in zip(names, found, strict=True))
    return dict(zip(unique, found, strict=True))


def printable(text: str) -> str:
    """A name of a stranger as one line."""
    return _CONTROLS.sub("\ufffd", text)


def job_of(name: str, path: Path, tests: dict[str, str], needed: Sequence[str], **options: Any) -> Job:
    """The job of grading a submission; `options` are those of `Job`."""
    files: dict[str, bytes] = {}
    problems: list[str] = []
    for inside, file in _files_of(path):
        try:
            if len(files) == _MOST_FILES:
                raise ValueError(f"there are more than {_MOST_FILES} files")
            files[inside.encode().decode()] = _contents(file, _LARGEST_SUBMISSION - sum(map(len, files.values())))
        except (OSError, ValueError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            problems.append(f"{printable(inside)}: not read: {reason}")
            if len(problems) == 20:
                break
    if not path.is_dir() and len(needed) == 1:  # whatever the file is called
        files = dict.fromkeys(needed, *files.values()) if files else files
    return Job(name, files, problems, tests, **options)


def _files_of(path: Path, deep: int = 0, inside: str = "") -> Iterator[tuple[str, Path]]:
    """The files of a submission with their names in it, sorted; folders are followed, links not."""
    if path.is_symlink() or not path.is_dir():
        yield inside or path.name, path
    elif deep <= _DEEPEST:
        try:
            entries = sorted(path.iterdir())
        except OSError:
            yield inside, path
            return
        for entry in entries:
            if not entry.name.startswith("."):
                yield from _files_of(entry, deep + 1, f"{inside}/{entry.name}" if inside else entry.name)


def _contents(path: Path, most: int) -> bytes:
    """The bytes of a regular file.

    Raises:
        OSError: It can't be opened, or is a symbolic link.
        ValueError: It is no regular file, or is too large.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is no file")
        most = min(most, _LARGEST_FILE)
        data = file.read(most + 1) if status.st_size <= most else b""
        if status.st_size > most or len(data) > most:
            raise ValueError(f"it is larger than {most:,} bytes")
        return data
