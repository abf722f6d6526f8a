"""The tables of facts in `tests/golden`, read for the tests, and where the solved assignment is."""

from __future__ import annotations

import csv
from pathlib import Path

HERE = Path(__file__).parent
SOLUTIONS = HERE.parent / "transcripts" / "cs61a"


def table(name: str) -> list[dict[str, str]]:
    """The rows of a golden table, by column. Args: name: the file's name without ``.csv``."""
    with open(HERE / "golden" / f"{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def without_blanks(text: str) -> str:
    """The text to compare messages by: the original was not careful with blanks."""
    return "".join(text.split())
