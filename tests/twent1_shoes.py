"""Games of TWENT1 that were suspended before cards of a test's choice."""

from __future__ import annotations

from pathlib import Path

PACK = [rank + suit for rank in (*"a23456789", "10", *"jqk") for suit in "hsdc"]


def stack(folder: Path, cards: str, *, size: int = 208, purse: int = 0, bet: int = 20, answers: str = "#f") -> Path:
    """Let a saved game have these cards on top of its shoe. Args: size: of the shoe. purse, bet: quarters."""
    rest = PACK * 4
    for card in cards.split():
        rest.remove(card)
    shoe = " ".join([*cards.split(), *rest][:size])
    file = folder / "twent1.game"
    file.write_text(f"(twent1 (purse {purse}) (bet {bet}) (answers . {answers}) (shoe {shoe}))\n", encoding="utf-8")
    return file
