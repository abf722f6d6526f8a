"""What a stranger prints can't keep the comparison with a transcript busy."""

from __future__ import annotations

import pytest

from minischeme.transcripts.matching import SOFT_NEWLINE, align, expected_lines, line_matches, output_lines


@pytest.mark.timeout(60)  # each took many minutes
@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("3.14", "1e999999999"),
        ("3.14", "9" * 90_000 + ".5"),
        ("3.14", "1" * 90_000 + "/" + "1" * 90_000),
        ("a ... b ... c ... d ... e", "a b c d " * 12_000),
        ("... 1.5 ... 2.5 ... 3.5 ...", "1" * 20_000),
        ("... a ... a ... a ... b", "a " * 40_000),
    ],
)
def test_a_line(shown: str, text: str) -> None:
    assert not line_matches(shown, text)


@pytest.mark.timeout(150)
def test_lines_that_only_minischeme_ends() -> None:
    pieces = output_lines(f"x{SOFT_NEWLINE}" * 10_000)
    align(expected_lines(["a", "b", "c", "d", "e"]), pieces)


@pytest.mark.parametrize(
    ("shown", "text", "holds"),
    [
        ("a ... b ... c", "a 1 b 2 c", True),
        ("a ... b ... c", "a b b c c", True),
        ("a...b...c", "abbcc", True),
        ("...b...", "b", True),
        ("a ... b ... c", "a 1 c 2 b", False),
        ("... 1.50 ... x", "a 1.499 b x", True),
        ("x...", "x", True),
        ("...x...x", "xx", True),
        ("...x...x", "x", False),
    ],
)
def test_wildcards_match_as_before(shown: str, text: str, *, holds: bool) -> None:
    assert line_matches(shown, text) is holds
