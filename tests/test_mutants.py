"""The table of mutants: each stands in the program as it is today."""

from __future__ import annotations

from mutants import FEWEST, files_of, files_of_tests, mutants


def test_every_mutant_can_be_made() -> None:
    """`files_of` ends the program with those whose line is gone; renew them in `mutants.txt`."""
    table = mutants()
    assert len(table) >= FEWEST
    assert len(files_of(table)) == len(table)
    assert files_of_tests(name for mutant in table for name in mutant.tests)
