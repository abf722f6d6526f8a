"""The command ``python -m tests.benchmarks``: which workloads, how many rounds, which table."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable

from .measuring import Measurement, measure, measure_loading, measure_start
from .table import LEGEND, aligned, markdown
from .workloads import WORKLOADS, Workload

DEFAULT_ROUNDS = 5


def measurements_of(workload: Workload) -> Callable[[int], Measurement]:
    return lambda rounds: measure(workload, rounds)


BENCHMARKS: dict[str, Callable[[int], Measurement]] = {
    **{workload.name: measurements_of(workload) for workload in WORKLOADS},
    "start-up": measure_start,
    "load": measure_loading,
}


def main() -> None:
    """Run the benchmarks that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description="How fast minischeme is.")
    parser.add_argument("workloads", metavar="WORKLOAD", nargs="*", help=f"all, or some of: {', '.join(BENCHMARKS)}")
    parser.add_argument("--rounds", type=int, default=DEFAULT_ROUNDS, metavar="N", help="rounds of each (default 5)")
    parser.add_argument("--markdown", action="store_true", help="print the table in Markdown")
    options = parser.parse_args()
    names = options.workloads or list(BENCHMARKS)
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no such workload: {', '.join(unknown)}")
    if options.rounds < 1:
        parser.error("at least one round")
    measurements: list[Measurement] = []
    for name in names:
        print(f"{name} …", file=sys.stderr)
        measurements.append(BENCHMARKS[name](options.rounds))
    print((markdown if options.markdown else aligned)(measurements))
    print(f"\n{LEGEND}\nPython {platform.python_version()}, medians of {options.rounds} rounds.")


if __name__ == "__main__":
    main()
