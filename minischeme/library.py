"""Where Scheme files are found: beside the one that is loading, in the current folder, in the library that comes along.

Leaves reading and running them to `session`.
"""

from __future__ import annotations

import os.path
from collections.abc import Iterator
from pathlib import Path

COURSE_FOLDER = "~cs61a/"
"""What the course's own files write for its account; the library stands in for it."""


def find_library() -> Path:
    """The folder of the library: inside an installed package, beside the package in a checkout."""
    package = Path(__file__).resolve().parent
    installed = package / "lib"
    return installed if installed.is_dir() else package.parent / "lib"


def resolve(name: str, *, loading: Path | None = None) -> Path | None:
    """The file that `(load name)` means, or None if there is none.

    Args: name: as written; ``.scm`` may be left out, ``~/`` is the home folder, ``~cs61a/lib/`` the library.
    loading: the file that the `load` stands in, None at the prompt.
    """
    for path in _places(name, loading):
        for candidate in (path, path + ".scm"):
            # os.path, since it says False to names that no file can have, where pathlib raises.
            if os.path.isfile(candidate):
                return Path(candidate)
    return None


def _places(name: str, loading: Path | None) -> Iterator[str]:
    """The paths that a name may mean, the likeliest first."""
    library = str(find_library())
    if name.startswith(COURSE_FOLDER):
        yield os.path.join(library, name.removeprefix(COURSE_FOLDER).removeprefix("lib/"))
        return
    name = os.path.expanduser(name)
    if loading is not None:
        yield os.path.join(loading.parent, name)
    yield name
    yield os.path.join(library, name)
