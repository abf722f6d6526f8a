"""The programs that a command line names."""

import os
from collections.abc import Iterable, Iterator


def program_files(names: Iterable[str]) -> Iterator[str]:
    """The paths of programs: those that are named, and the .scm files of folders that are; - stands for itself."""
    for name in names:
        if os.path.isdir(name):
            for folder, inner, files in os.walk(name):
                inner.sort()
                yield from (os.path.join(folder, file) for file in sorted(files) if file.endswith(".scm"))
        elif name == "-" or os.path.isfile(name):
            yield name
        else:
            raise FileNotFoundError(f"no such file: {name}")
