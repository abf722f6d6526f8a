"""The options --profile, --coverage and --lcov."""

import sys
from collections.abc import Callable

from minischeme.cli.process import WRONG_USAGE, complain, write_file
from minischeme.evaluation.namespaces import Namespace
from minischeme.profiling.profile import Profile
from minischeme.profiling.report import coverage, lcov, table


def profiled(
    run: Callable[[], int],
    times: bool,
    lines: bool,
    lcov_file: str | None,
    *,
    lists: bool = True,
    namespace: Namespace | None = None,
) -> int:
    """Run a program that gives an exit status, and report: times of procedures, counts of lines, lcov's file."""
    profile = Profile(timed=times)
    try:
        with profile.recording(namespace):
            status = run()
    finally:
        sys.stdout.flush()
        if times:
            complain(table(profile))
        if lines:
            complain(coverage(profile, listed=lists))
        is_written = lcov_file is None or write_file(lcov_file, lcov(profile))
    return status if is_written else WRONG_USAGE
