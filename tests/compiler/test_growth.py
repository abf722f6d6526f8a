"""Time and memory grow no faster than the work: small sizes, ratios within one run, and generous bounds."""

from __future__ import annotations

import pytest
from benchmarks.growth import growth_table, main, measure_growth, measure_old_session, memory_after_games, told
from benchmarks.processes import resident
from benchmarks.workloads import WORKLOADS

pytestmark = pytest.mark.slow

BY_NAME = {workload.name: workload for workload in WORKLOADS}

# An algorithm that should be linear and is quadratic grows by 100 here.
MOST = 8.0

SIZES = {
    "fib": (5, 10, 15),
    "deep": (1, 3, 9),
    "evenodd": (300, 3_000, 30_000),
    "churn": (100, 1_000, 10_000),
    "sentrev": (1, 3, 9),
    "wordrev": (1, 3, 9),
    "meta": (1, 3, 9),
    "primes": (10, 27, 90),
    "twentyone": (1, 5, 25),
    "streams": (100, 1_000, 10_000),
    "generators": (1, 10, 50),
    "output": (30, 300, 3_000),
    "trace": (3, 30, 100),
    "reading": (300, 3_000, 15_000),
    "load": (14, 35, 140),
}


@pytest.mark.parametrize("name", SIZES)
def test_time_grows_with_the_work(name: str) -> None:
    growth = measure_growth(BY_NAME[name], rounds=2, sizes=SIZES[name], memory=False)
    assert growth.time_growth < MOST, growth
    assert growth.kilobytes == ()


@pytest.mark.skipif(resident() is None, reason="only Linux tells how much memory a process has")
def test_what_keeps_nothing_needs_no_memory() -> None:
    growth = measure_growth(BY_NAME["evenodd"], rounds=1, sizes=(10, 100_000))
    assert growth.kilobytes[-1] < 4_000, growth


def test_a_session_that_has_read_much_is_no_slower() -> None:
    old = measure_old_session(forms=800, rounds=2, more=40)
    assert old.reading < 3, old
    assert old.running < 3, old
    assert old.blocks_kept < 1, old
    assert "800 forms" in told(old)


@pytest.mark.skipif(resident() is None, reason="only Linux tells how much memory a process has")
def test_games_leave_memory_where_it_was() -> None:
    (_, before), (played, after) = memory_after_games([500, 1_500])
    assert played == 1_500
    assert before is not None
    assert after is not None
    assert after - before < 3_000  # KB; 1,000 games that kept only their decks would be more


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    main(["games", "--games", "500"])
    assert capsys.readouterr().out.startswith("memory after 500 games: ")


def test_the_table() -> None:
    growth = measure_growth(BY_NAME["fib"], rounds=1, sizes=(2, 4, 6), memory=False)
    table = growth_table([growth])
    assert len(table.rows[0]) == len(table.headings)
    assert table.rows[0][:3] == ("fib", "calls", "3 · 9 · 25")
