"""The command ``python -m tests.benchmarks``: which workloads and peers, how many rounds, which tables."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

from . import growth
from .chart import chart
from .environments import PACKAGED_PEERS, default_folder, installed
from .measuring import Measurement, measure
from .peers import PEERS, CannotRun, Peer
from .processes import DATA, Memory, measure_memory, measure_start
from .table import manners, memory_table, ratio_table, reasons, report, speed_table
from .workloads import WORKLOADS

DEFAULT_ROUNDS = 5
NAMES = (*(workload.name for workload in WORKLOADS), "start-up", "memory")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmarks that the command line names.

    Args: arguments: what follows the command's name; None for those that the shell gave.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words and words[0] == "growth":
        growth.main(words[1:])
        return
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description="How fast minischeme is, beside Python written by hand and other Schemes.",
        epilog="python -m tests.benchmarks growth measures how time and memory grow with the work.",
    )
    parser.add_argument("workloads", metavar="WORKLOAD", nargs="*", help=f"all, or some of: {', '.join(NAMES)}")
    parser.add_argument("--rounds", type=int, default=DEFAULT_ROUNDS, metavar="N", help="rounds of each (default 5)")
    parser.add_argument(
        "--peers",
        choices=("none", "found", "all"),
        default="found",
        help="other Schemes: none, those on this machine (default), or also those from PyPI, "
        f"which are installed in {default_folder()}",
    )
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables to a file, in Markdown")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw a chart of the ratios")
    options = parser.parse_args(words)
    unknown = [name for name in options.workloads if name not in NAMES]
    if unknown:
        parser.error(f"no such workload: {', '.join(unknown)}")
    if options.rounds < 1:
        parser.error("at least one round")
    peers, missing = wanted_peers(options.peers)
    measurements, memories, notes = run(options.workloads or NAMES, options.rounds, peers)
    python = f"Python {platform.python_version()}, {platform.machine()}; medians of {options.rounds} rounds."
    names = [peer.name for peer in peers]
    tables = [speed_table(measurements, names), ratio_table(measurements, names)] if measurements else []
    if memories:
        tables.append(memory_table(memories, names))
    below = [[*reasons([*measurements, *memories]), *notes], [*manners(peers), *missing], [python]]
    print(report(tables, below, in_markdown=False), end="")
    if options.markdown is not None:
        options.markdown.write_text(report(tables, below, in_markdown=True), encoding="utf-8")
    if options.svg is not None:
        options.svg.write_text(chart(measurements), encoding="utf-8")


def wanted_peers(which: str) -> tuple[list[Peer], list[str]]:
    """The other Schemes that can take part, and a line for each that can't.

    Args: which: ``none``, ``found`` or ``all``.
    """
    if which == "none":
        return [], []
    peers = [peer for peer in PEERS if peer.is_found()]
    missing = [f"{peer.name}: not on this machine" for peer in PEERS if not peer.is_found()]
    if which == "all":
        for packaged in PACKAGED_PEERS:
            try:
                peers.append(installed(packaged, default_folder()))
            except CannotRun as reason:
                missing.append(f"{packaged.peer.name}: {reason}")
    return peers, missing


def run(names: Sequence[str], rounds: int, peers: Sequence[Peer]) -> tuple[list[Measurement], list[Memory], list[str]]:
    """What the benchmarks of those names give, and notes on what could not be measured at all."""
    measurements: list[Measurement] = []
    memories: list[Memory] = []
    notes: list[str] = []
    workloads = {workload.name: workload for workload in WORKLOADS}
    for name in names:
        print(f"{name} …", file=sys.stderr)
        if name in workloads:
            measurements.append(measure(workloads[name], rounds, peers=peers))
        elif name == "start-up":
            measurements.append(measure_start(rounds, peers))
        else:
            try:
                memories += [measure_memory(datum, peers) for datum in DATA]
            except CannotRun as reason:
                notes.append(f"memory: {reason}")
    return measurements, memories, notes


if __name__ == "__main__":
    main()
