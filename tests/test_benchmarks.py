"""The benchmarks run, at tiny sizes, and time the same work on both sides."""

from __future__ import annotations

from dataclasses import replace

import pytest
from benchmarks.measuring import DifferentResults, Measurement, generated_program, measure, measure_loading
from benchmarks.table import HEADINGS, aligned, markdown
from benchmarks.workloads import WORKLOADS, Workload


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.name)
def test_both_sides_do_the_same_work(workload: Workload) -> None:
    measurement = measure(workload, rounds=1, size=workload.small_size)
    assert measurement.name == workload.name
    assert measurement.ratio is not None


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.name)
def test_a_counterpart_that_does_other_work_is_noticed(workload: Workload) -> None:
    other = replace(workload, counterpart=lambda size: -size)
    with pytest.raises(DifferentResults, match=workload.name):
        measure(other, rounds=1, size=workload.small_size)


def test_loading_a_generated_program() -> None:
    assert abs(generated_program(2_000).count("\n") - 2_000) < 20
    assert measure_loading(rounds=1, lines=50).seconds >= 0


def test_tables() -> None:
    measurements = [Measurement("fib", 0.0123, 0.01, 1.234, 1.1, 1.5, 1.2), Measurement("load", 0.5)]
    lines = aligned(measurements).splitlines()
    assert [len(line) for line in lines] == [len(lines[0])] * 3
    assert lines[1].split()[:6] == ["fib", "12.3", "ms", "10.0", "ms", "1.23"]
    rows = markdown(measurements).splitlines()
    assert {row.count("|") for row in rows} == {len(HEADINGS) + 1}
    assert "1.23 ×" in rows[2]
