"""The command `minischeme grade`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from minischeme.cli import class_report as report
from minischeme.cli.parsers import command_parser, count, integer, seconds
from minischeme.cli.process import INTERRUPTED, SCHEME_ERROR, WRONG_USAGE, complain
from minischeme.data.errors import SchemeError
from minischeme.grading.formats import FOR_ONE, FORMATS, formatted
from minischeme.grading.gradescope import autograder
from minischeme.grading.judge import Result
from minischeme.grading.submissions import files_needed, job_of, printable, submissions_in, tests_of
from minischeme.grading.workers import cluster_workers, grade_class, local_workers
from minischeme.transcripts.document import TranscriptError
from minischeme.transcripts.replay import DEFAULT_FILE_LIMIT, DEFAULT_LIMIT, DEFAULT_SEED

_NOTES = """\
A submission is a folder that has a file which the tests load, or a file that stands for the one which they load; the \
entries of any other folder are submissions. Tests are transcripts and Scheme files with ; expect; their directives \
for points are listed by minischeme test --help. Programs run in a sandbox; standard error says which layers of it hold.
The formats gradescope, prairielearn, classroom50 and check50 take one submission, whatever its folder holds.
Exit status: 0 all were graded, 1 some could not be, 2 wrong usage, 130 interrupted: what was graded is kept."""

_Leaderboards = dict[str, list[dict[str, Any]]]
"""The entries of each submission, by its name."""


def grade(arguments: Sequence[str]) -> int:
    """Grade submissions, and write what the options ask for; return the exit status."""
    options = _parser().parse_intermixed_args(arguments)
    try:
        tests = tests_of(options.tests)
        if options.gradescope_zip is not None:
            options.gradescope_zip.write_bytes(autograder(tests))
            return 0
        places = (
            msgspec.json.decode(options.leaderboard.read_bytes(), type=_Leaderboards) if options.leaderboard else {}
        )
        results, total = _graded(options, tests)
    except msgspec.MsgspecError as error:
        complain(f"minischeme grade: {options.leaderboard}: {error}")
        return WRONG_USAGE
    except (OSError, UnicodeDecodeError, SchemeError, TranscriptError) as error:
        complain(f"minischeme grade: {error}")
        return WRONG_USAGE
    results.sort(key=lambda result: result.name)
    for result in results:
        result.leaderboard = places.get(result.name) or places.get(result.name.removesuffix(".scm"), [])
    if options.output is not None:
        (options.output / "grades.csv").write_text(report.comma_separated(results), encoding="utf-8")
        title = f"Results of {options.tests.resolve().name}"
        (options.output / "grades.html").write_text(report.page(results, title), encoding="utf-8")
    is_complete = len(results) == total
    if is_complete or options.format is None:
        sys.stdout.write(formatted(options.format, results) if options.format else report.table(results) + "\n")
    if not is_complete:
        return INTERRUPTED
    # Platforms read the error; a status says to them that the grader failed.
    return SCHEME_ERROR if any(result.error for result in results) and options.format not in FOR_ONE else 0


def _graded(options: argparse.Namespace, tests: dict[str, str]) -> tuple[list[Result], int]:
    """The results as far as they were known before an interrupt, and the number of submissions."""
    needed = files_needed(tests)
    if options.format in FOR_ONE and len(options.submissions) == 1:
        submissions = {printable(options.submissions[0].name): options.submissions[0]}
    else:
        submissions = submissions_in(options.submissions, needed)
    if not submissions:
        raise SchemeError("no submission found")
    if options.format in FOR_ONE and len(submissions) > 1:
        raise SchemeError(f"the format {options.format} is for one submission")
    names = ("seed", "limit", "file_limit", "requires_sandbox", "bwrap")
    given = {name: getattr(options, name) for name in names}
    jobs = (job_of(name, path, tests, needed, **given) for name, path in submissions.items())
    store = options.output / "results" if options.output is not None else None
    if store is not None:
        store.mkdir(parents=True, exist_ok=True)
    results: list[Result] = []
    told = {""}
    try:
        with cluster_workers(options.cluster) if options.cluster else local_workers(options.jobs) as workers:
            for result in grade_class(jobs, len(submissions), workers, store, again=options.again):
                if result.sandbox not in told:
                    told.add(result.sandbox)
                    complain(result.sandbox)
                results.append(result)
    except KeyboardInterrupt:
        complain(f"minischeme grade: interrupted; {len(results)} of {len(submissions)} submissions are graded")
    return results, len(submissions)


def _parser() -> argparse.ArgumentParser:
    parser = command_parser("minischeme grade", "Grade the programs of strangers by tests that carry points.", _NOTES)
    add = parser.add_argument
    add("submissions", metavar="SUBMISSIONS", nargs="*", type=Path, help="submissions, or folders of them")
    add("--tests", metavar="FOLDER", type=Path, required=True, help="the folder of the tests")
    text = "write grades.csv and grades.html there, and keep the results for the next run"
    add("-o", "--output", metavar="FOLDER", type=Path, help=text)
    text = "print the results in the format of a platform: " + ", ".join(FORMATS)
    add("--format", metavar="FORMAT", choices=FORMATS, help=text)
    text = "give these entries of minischeme tournament to Gradescope"
    add("--leaderboard", metavar="FILE", type=Path, help=text)
    text = "write an autograder for Gradescope with these tests, and grade nothing"
    add("--gradescope-zip", metavar="FILE", type=Path, help=text)
    add("--again", action="store_true", help="grade also what an earlier run with this output has graded")
    add("-j", "--jobs", metavar="N", type=count, default=1, help="the number of submissions at a time (default: 1)")
    add("--cluster", metavar="URL", help="let the workers of a Dask cluster do it, such as tcp://HOST:PORT")
    text = "the time limit for an interaction (default: %(default)g)"
    add("--limit", metavar="SECONDS", type=seconds, default=DEFAULT_LIMIT, help=text)
    text = "the time limit for a test file (default: %(default)g)"
    add("--file-limit", metavar="SECONDS", type=seconds, default=DEFAULT_FILE_LIMIT, help=text)
    text = "the seed of tests that do not set one (default: %(default)s)"
    add("--seed", metavar="N", type=integer, default=DEFAULT_SEED, help=text)
    add("--bwrap", action="store_true", help="put the sandbox into a container made by bubblewrap, too")
    text = "grade nothing where a layer of the sandbox is missing"
    add("--require-sandbox", action="store_true", dest="requires_sandbox", help=text)
    return parser
