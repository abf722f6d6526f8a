"""The search for Scheme files: beside the one that is loading, in the current folder, in the bundled library.

`session` reads and runs them.
"""

import codecs
import os.path
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from minischeme.data.errors import FileError
from minischeme.data.values import String

COURSE_FOLDER = "~cs61a/"
"""The folder of the course's account in its own files; the library stands in for it."""

_COURSE_FILES = ("simply.scm", "berkeley.scm", "obj.scm")
"""The course's own library files: everything in them is part of minischeme."""

_SUPERFLUOUS = {"simply.scm": r"butfirst", "berkeley.scm": r"butfirst|add-signal-handler!"}
"""Course files that would only redefine what exists or query its interpreter, with patterns of names they define."""


def find_library() -> Path:
    """The folder of the library: inside an installed package, beside the package in a checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "lib"
    return installed if installed.is_dir() else package.parent / "lib"


@cache
def library_file(name: str) -> str | None:
    """The name inside the library of a source, a file of it; None for any other source."""
    if name.startswith("<"):
        return None
    folder = os.path.join(os.path.realpath(find_library()), "")
    path = os.path.realpath(name)
    return path.removeprefix(folder) if path.startswith(folder) else None


def resolve(name: str, *, loading: Path | None = None) -> Path | None:
    """The file that `(load name)` means in a file that is loading, or at the prompt; ``.scm`` may be left out."""
    for path in _candidates(name, loading):
        for candidate in (path, path + ".scm"):
            # os.path, since it says False to names that no file can have, where pathlib raises.
            if os.path.isfile(candidate):
                return Path(candidate)
    return None


def find_by_tail(name: str, folders: Iterable[Path]) -> Path | None:
    """The file in one of the folders that shares the longest end with a path of another machine, ignoring case."""
    parts = [part for part in re.split(r"[/\\]", name) if part not in ("", ".", "..", "~")]
    for start in range(len(parts)):
        for folder in folders:
            for last in (parts[-1], parts[-1] + ".scm"):
                path = _in_any_case(folder, [*parts[start:-1], last])
                if path is not None and path.is_file():
                    return path
    return None


def _in_any_case(folder: Path, parts: Iterable[str]) -> Path | None:
    """The path below a folder, with an exact match preferred to one in another case."""
    for part in parts:
        try:
            names = os.listdir(folder)
        except OSError:
            return None
        same = [name for name in names if name.casefold() == part.casefold()]
        if not same:
            return None
        folder /= part if part in same else min(same)
    return folder


def source_text(path: Path) -> str:
    """The text of a Scheme file, its lines ended by newlines; an OSError or UnicodeDecodeError if it can't be read."""
    return decoded(path.read_bytes()).replace("\r\n", "\n").replace("\r", "\n")


def text_of_file(name: str, path: Path | None, procedure: str = "") -> str:
    """The text of a file that a program has named; a FileError if it was not found at a path, or can't be read."""
    if path is None:
        raise FileError(f"{procedure}cannot open file:", String(name))
    try:
        return source_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{procedure}cannot read file:", String(name)) from error


def decoded(data: bytes) -> str:
    """The text in the bytes of a file: in UTF-8 or, as old editors on Windows wrote files, UTF-16 or code page 1252.

    A UnicodeDecodeError where they are no text.
    """
    try:
        return data.decode("utf-16" if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8-sig")
    except UnicodeDecodeError:
        if b"\0" in data:
            raise
        return data.decode("cp1252", errors="replace")


def is_built_in(path: Path, text: str) -> bool:
    """Whether a file is a copy of one of the course's own library files, which would only redefine what is there."""
    names = _SUPERFLUOUS.get(path.name.lower())
    redefinition = rf"\(define(-macro|-syntax)?\s+\(?({names})[\s)]|\(add-signal-handler!\s"
    return names is not None and re.search(redefinition, text) is not None


def _candidates(name: str, loading: Path | None) -> Iterator[str]:
    library = str(find_library())
    if name.startswith(COURSE_FOLDER):
        yield os.path.join(library, name.removeprefix(COURSE_FOLDER).removeprefix("lib/"))
        return
    name = os.path.expanduser(name)
    if loading is not None:
        yield os.path.join(loading.parent, name)
    yield name
    yield os.path.join(library, name)
    base = os.path.basename(name).lower()
    if base.removesuffix(".scm") + ".scm" in _COURSE_FILES:  # in the folder where somebody else once kept it
        yield os.path.join(library, base)
