"""The tables of `grammar.lark`, in the module `_tables`, made if it is missing or does not fit the grammar.

Lark is imported only to make them.
"""

import os
from contextlib import suppress
from importlib import import_module

from minischeme.reading.tables import Tables


def load() -> Tables:
    made_of = b"".join(map(_contents, ("grammar.lark", "table_maker.py")))
    with suppress(ImportError, SyntaxError):
        module = import_module("minischeme.reading._tables")
        if made_of == module.MADE_OF:
            found: Tables = module.TABLES
            return found
    from minischeme.reading.table_maker import make, write

    tables = make(_contents("grammar.lark").decode())
    with suppress(OSError):  # the file is not needed: the next start makes the tables again
        write(f"# Made of grammar.lark.\n# mypy: ignore-errors\nMADE_OF = {made_of!r}\nTABLES = {tables!r}\n")
    return tables


def _contents(name: str) -> bytes:
    with open(os.path.join(os.path.dirname(__file__), name), "rb") as file:
        return file.read()
