"""Random programs that enter continuations again, against Guile, where there is one.

The environment variable FUZZ_PROGRAMS says how many; `guile_comparison` shows all that differ.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest
from guile_comparison import DIFFERENT, GUILE, SAME, compare

pytestmark = pytest.mark.slow

PROGRAMS = int(os.environ.get("FUZZ_PROGRAMS", "40"))


@pytest.mark.skipif(GUILE is None, reason="there is no Guile here")
def test_what_is_entered_again_goes_on_as_in_guile() -> None:
    results = dict(compare(range(PROGRAMS)))
    assert [seed for seed, result in results.items() if result == DIFFERENT] == []
    assert Counter(results.values())[SAME] > 0.9 * PROGRAMS
