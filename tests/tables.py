"""Tables for tests: those of facts in `tests/golden`, and those that a test writes down; where the assignment is."""

from __future__ import annotations

import csv
from pathlib import Path

HERE = Path(__file__).parent
SOLUTIONS = HERE.parent / "transcripts" / "cs61a"


def table(name: str) -> list[dict[str, str]]:
    """The rows of a golden table, by column. Args: name: the file's name without ``.csv``."""
    with open(HERE / "golden" / f"{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def cases(text: str) -> list[tuple[str, str]]:
    """The lines ``expression → result`` of a table."""
    rows = [line.split("→") for line in text.splitlines() if line.strip()]
    return [(expression.strip(), expected.strip()) for expression, expected in rows]


def without_blanks(text: str) -> str:
    """The text to compare messages by: the original was not careful with blanks."""
    return "".join(text.split())
