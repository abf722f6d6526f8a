"""The search for Scheme files: beside the one that is loading, in the current folder, in the bundled library.

`session` reads and runs them.
"""

import codecs
import os.path
import re
from collections.abc import Iterator
from functools import cache

from minischeme.data.errors import FileError
from minischeme.data.values import String

COURSE_FOLDER = "~cs61a/"
"""The folder of the course's account in its own files; the library stands in for it."""

_COURSE_FILES = ("simply.scm", "berkeley.scm", "obj.scm")
"""The course's own library files: everything in them is part of minischeme."""

_SUPERFLUOUS = {"simply.scm": r"butfirst", "berkeley.scm": r"butfirst|add-signal-handler!"}
"""Course files that would only redefine what exists or query its interpreter, with patterns of names they define."""


@cache
def find_library() -> str:
    """The folder of the library: inside an installed package, beside the package in a checkout."""
    package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    installed = os.path.join(package, "lib")
    return installed if os.path.isdir(installed) else os.path.join(os.path.dirname(package), "lib")


@cache
def library_file(name: str) -> str | None:
    """The name inside the library of a source, a file of it; None for any other source."""
    if name.startswith("<"):
        return None
    folder = os.path.join(os.path.realpath(find_library()), "")
    path = os.path.realpath(name)
    return path.removeprefix(folder) if path.startswith(folder) else None


def resolve(name: str, *, loading: str | None = None) -> str | None:
    """The file that `(load name)` means in a file that is loading, or at the prompt; ``.scm`` may be left out."""
    for path in _candidates(name, loading):
        for candidate in (path, path + ".scm"):
            if os.path.isfile(candidate):
                return candidate if ".." in candidate else os.path.normpath(candidate)
    return None


def source_text(path: str) -> str:
    """The text of a Scheme file, its lines ended by newlines; an OSError or UnicodeDecodeError if it can't be read."""
    with open(path, "rb") as file:
        return decoded(file.read()).replace("\r\n", "\n").replace("\r", "\n")


def text_of_file(name: str, path: str | None, procedure: str = "") -> str:
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
        if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            return data.decode("utf-16")
        return data.removeprefix(codecs.BOM_UTF8).decode()  # without the import of the codec utf-8-sig
    except UnicodeDecodeError:
        if b"\0" in data:
            raise
        return data.decode("cp1252", errors="replace")


def is_built_in(path: str, text: str) -> bool:
    """Whether a file is a copy of one of the course's own library files, which would only redefine what is there."""
    names = _SUPERFLUOUS.get(os.path.basename(path).lower())
    redefinition = rf"\(define(-macro|-syntax)?\s+\(?({names})[\s)]|\(add-signal-handler!\s"
    return names is not None and re.search(redefinition, text) is not None


def _candidates(name: str, loading: str | None) -> Iterator[str]:
    library = find_library()
    if name.startswith(COURSE_FOLDER):
        yield os.path.join(library, name.removeprefix(COURSE_FOLDER).removeprefix("lib/"))
        return
    name = os.path.expanduser(name)
    if loading is not None:
        yield os.path.join(os.path.dirname(loading), name)
    yield name
    yield os.path.join(library, name)
    base = os.path.basename(name).lower()
    if base.removesuffix(".scm") + ".scm" in _COURSE_FILES:  # in the folder where somebody else once kept it
        yield os.path.join(library, base)
