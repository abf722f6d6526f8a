"""The tables of `grammar.lark`, in the module `_tables`, made if it is missing or does not fit the grammar.

Lark is imported only to make them.
"""

import os
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from minischeme.reading.tables import Tables

_FOLDER = Path(__file__).parent


def load() -> Tables:
    made_of = b"".join(_FOLDER.joinpath(name).read_bytes() for name in ("grammar.lark", "table_maker.py"))
    with suppress(ImportError, SyntaxError):
        module = import_module("minischeme.reading._tables")
        if made_of == module.MADE_OF:
            found: Tables = module.TABLES
            return found
    from minischeme.reading.table_maker import make

    tables = make(_FOLDER.joinpath("grammar.lark").read_text(encoding="utf-8"))
    with suppress(OSError):  # the file is not needed: the next start makes the tables again
        _write(f"# Made of grammar.lark.\n# mypy: ignore-errors\nMADE_OF = {made_of!r}\nTABLES = {tables!r}\n")
    return tables


def _write(text: str) -> None:
    """Write the module in one step: another process may be writing or importing it."""
    unfinished = _FOLDER / f"_tables.{os.getpid()}"
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(_FOLDER / "_tables.py")
    finally:
        unfinished.unlink(missing_ok=True)
