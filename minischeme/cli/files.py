"""The programs that a command line names."""

import os
from collections.abc import Iterable, Iterator


def program_files(names: Iterable[str]) -> Iterator[str]:
    """The paths of programs: those that are named, and the .scm files of folders that are; - stands for itself.

    A FileNotFoundError for a path that is not there, or a folder without programs.
    """
    for name in names:
        if name == "-" or os.path.isfile(name):
            yield name
            continue
        inside = [os.path.join(folder, file) for folder, _, files in os.walk(name) for file in files]
        programs = sorted(path for path in inside if path.endswith(".scm"))
        if not programs:
            missing = "Scheme program in the folder" if os.path.isdir(name) else "such file:"
            raise FileNotFoundError(f"no {missing} {name}")
        yield from programs
