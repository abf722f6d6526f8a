"""The commands `minischeme test` and `minischeme record`."""

import argparse
import io
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import starmap
from pathlib import Path

from minischeme.cli.parsers import command_parser, count, integer, seconds
from minischeme.cli.process import WRONG_USAGE, complain
from minischeme.data.errors import SchemeError, SchemeExit, UnfinishedInput
from minischeme.data.errors import report as report_of
from minischeme.data.wrapping import wrapped
from minischeme.runtime.ports import OutputPort
from minischeme.session.recorder import Recorder
from minischeme.session.session import Session
from minischeme.transcripts.document import TranscriptError
from minischeme.transcripts.files import opened, rewrite, transcripts_in
from minischeme.transcripts.outcomes import Outcome, Verdict, counted, edited, found_elsewhere
from minischeme.transcripts.replay import DEFAULT_FILE_LIMIT, DEFAULT_LIMIT, DEFAULT_SEED, Settings

DIFFERENT = 1

_DIRECTIVES = """\
directives, each a comment on a line of its own (in Markdown also <!-- minischeme: … -->):
  ; minischeme: seed N       start the random numbers from N
  ; minischeme: load FILE    load a file, which may be next to the transcript
  ; minischeme: random       run the next interaction, but do not compare its output
  ; minischeme: skip         do not run the next interaction
  ; minischeme: fresh        forget all definitions
  ; minischeme: r7rs         the same, and switch to R7RS (or berkeley)
  ; minischeme: prompt TEXT  TEXT, which may be quoted, is a prompt, too

directives for points, also in Scheme files with ; expect:
  ; minischeme: question NAME    the interactions from here on are a question
  ; minischeme: points N         its points if all of it is right; N each: of each interaction
  ; minischeme: after NAME       do not run it if that question fails
  ; minischeme: limit SECONDS    the time limit for each of its interactions
  ; minischeme: visibility WHEN  when students see it: visible, hidden, after-due-date, after-published

A line ... matches any number of lines; ... within a line matches any text.
Without a seed, different random results are counted, but are not differences. A file loaded by a path from another \
machine is looked up by as much of the end of that path as possible: next to the transcript, in each --path FOLDER, in \
the folders above, and in the library. Failures that follow from a failed load are counted separately.
Exit status: 0 no differences, 1 differences, 2 wrong usage or a file that can't be run."""


def test(arguments: Sequence[str]) -> int:
    """Run transcripts again and report the differences; return the exit status."""
    options = _test_parser().parse_intermixed_args(arguments)
    try:
        paths = list(transcripts_in(options.path))
    except OSError as error:
        return _wrong(str(error))
    if not paths:
        return _wrong("no transcript found")
    for folder in options.folders:
        if not folder.is_dir():
            return _wrong(f"no such folder: {folder}")
    settings = Settings(options.seed, options.limit, options.file_limit, options.folders)
    if options.sandbox or options.require_sandbox or options.bwrap:
        from minischeme.grading.sandbox import process_sandbox, transcript_evaluator

        sandbox = process_sandbox(bwrap=options.bwrap)
        complain(str(sandbox))
        if sandbox.missing and options.require_sandbox:
            return _wrong("the sandbox is not complete (--require-sandbox)")
        settings = replace(settings, evaluator=partial(transcript_evaluator, options.folders, options.bwrap))
    check = partial(check_file, settings=settings, update=options.update, asks=options.interactive)
    if options.coverage or options.lcov is not None:
        from minischeme.cli.profiling import profiled

        if options.sandbox or options.require_sandbox:
            return _wrong("lines are not counted in the sandbox: leave out --sandbox or --coverage")
        return profiled(lambda: _tell(map(check, paths)), False, options.coverage, options.lcov, lists=False)
    jobs = 1 if options.interactive else options.jobs
    if options.watch:
        from minischeme.transcripts.watching import run_when_changed

        return run_when_changed(paths, partial(_run_changed, check, jobs))
    return _run(check, jobs, paths)


def _run(check: "Callable[[Path], FileReport]", jobs: int, paths: Sequence[Path]) -> int:
    if min(jobs, len(paths)) == 1:
        return _tell(map(check, paths))
    with ProcessPoolExecutor(max_workers=min(jobs, len(paths))) as pool:
        return _tell(pool.map(check, paths))


def _run_changed(
    check: "Callable[[Path], FileReport]", jobs: int, paths: Sequence[Path], changed: Sequence[str]
) -> int:
    if changed:
        _print(f"\n{', '.join(changed)} changed")
    status = _run(check, jobs, paths)
    sys.stdout.flush()
    return status


@dataclass(slots=True)
class FileReport:
    """The result of running a file."""

    name: str  # its path as messages show it
    outcomes: list[Outcome] = field(default_factory=list)  # after the update
    updated: list[Outcome] = field(default_factory=list)  # those that the file was updated with
    found: dict[str, Path] = field(default_factory=dict)  # substitutes for files of another machine, by names loaded
    points: list[str] = field(default_factory=list)  # of each question, and of all
    problem: str | None = None  # the reason why the file could not be run to its end


def check_file(path: Path, *, settings: Settings, update: bool = False, asks: bool = False) -> FileReport:
    """Run a file and report; `update` rewrites it with the new results, `asks` asks the user at each difference."""
    report = FileReport(str(path))
    try:
        file = opened(path, str(path), settings)
        report.found = file.found
        for outcome in file.run():
            is_asked = asks and outcome.verdict is Verdict.DIFFERENT
            if is_asked:
                _print(outcome.difference)
                outcome = replace(outcome, difference="")
            if _accepts() if is_asked else update and outcome.edit is not None:
                report.updated.append(outcome)
                outcome = replace(outcome, verdict=Verdict.SAME, difference="", cause=0)
            report.outcomes.append(outcome)
        report.points = file.questions.summary()
        if not report.outcomes and path.suffix != ".scm":
            report.problem = f"{path}: no interaction found"
        if report.updated:
            rewrite(path, edited(file.text, report.updated))
            if asks:
                _print(f"{path}: {len(report.updated)} accepted")
    except (TranscriptError, SchemeError, OSError, UnicodeDecodeError) as error:
        report.problem = str(error) if isinstance(error, TranscriptError) else f"{path}: {error}"
        as_before = {outcome.line: outcome for outcome in report.updated}
        report.outcomes = [as_before.get(outcome.line, outcome) for outcome in report.outcomes]
        report.updated = []
    return report


def _accepts() -> bool:
    try:
        return input("Accept what happened now? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        print()
        return False


def _tell(reports: Iterable[FileReport]) -> int:
    total: Counter[Verdict] = Counter()
    files = 0
    broken = False
    found: set[str] = set()
    for report in reports:
        files += 1
        for message in starmap(found_elsewhere, report.found.items()):
            if message not in found:
                found.add(message)
                _print(message)
        for outcome in report.updated:
            _print(f"updated {outcome.location}")
        for outcome in report.outcomes:
            if outcome.difference:
                _print(outcome.difference + "\n")
        for line, times in Counter(outcome.cause for outcome in report.outcomes if outcome.cause).items():
            more = "1 more interaction fails" if times == 1 else f"{times} more interactions fail"
            _print(f"{report.name}:{line}: {more} because this load does")
        verdicts = Counter(outcome.verdict for outcome in report.outcomes)
        for points in report.points[:-1]:
            _print(f"{report.name}: {points}")
        _print("; ".join([f"{report.name}: {counted(verdicts)}", *report.points[-1:]]))
        if report.problem is not None:
            broken = True
            sys.stdout.flush()
            complain(f"minischeme test: {report.problem}")
        total += verdicts
    if files > 1:
        _print(f"{files} files: {counted(total)}")
    failed = any(verdict.fails for verdict in total)
    return WRONG_USAGE if broken else DIFFERENT if failed else 0


def _print(text: str) -> None:
    print(wrapped(text, OutputPort(sys.stdout).width, 2))


def _test_parser() -> argparse.ArgumentParser:
    parser = command_parser("minischeme test", "Run transcripts again and show where they no longer hold.", _DIRECTIVES)
    add = parser.add_argument
    add(
        "path",
        metavar="PATH",
        nargs="+",
        type=Path,
        help="a transcript, a .scm file with ; expect comments, or a folder of them",
    )
    add("-j", "--jobs", metavar="N", type=count, default=1, help="the number of files to run at a time (default: 1)")
    text = "the time limit for an interaction (default: %(default)g)"
    add("--limit", metavar="SECONDS", type=seconds, default=DEFAULT_LIMIT, help=text)
    text = "the time limit for a file (default: %(default)g)"
    add("--file-limit", metavar="SECONDS", type=seconds, default=DEFAULT_FILE_LIMIT, help=text)
    add("--seed", metavar="N", type=integer, help="the seed of files that do not set one")
    text = "where to look for files loaded by paths from another machine (repeatable)"
    add("--path", metavar="FOLDER", type=Path, action="append", default=[], dest="folders", help=text)
    add("--sandbox", action="store_true", help="let programs read only their folder, and write nowhere")
    add("--bwrap", action="store_true", help="the same, in a container made by bubblewrap")
    add("--require-sandbox", action="store_true", help="the same, and refuse to run without any of its layers")
    add("--coverage", action="store_true", help="tell afterwards which lines never ran; it runs one file at a time")
    add("--lcov", metavar="OUT", help="write how often each line ran to OUT, in lcov's format")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--check", action="store_true", help="write nothing (the default)")
    how.add_argument("--watch", action="store_true", help="run them again when they, or what they load, change")
    how.add_argument("--update", action="store_true", help="rewrite the files with what happened now")
    how.add_argument("--interactive", action="store_true", help="ask at each difference whether to accept it")
    return parser


def record(arguments: Sequence[str]) -> int:
    """Load a program, evaluate expressions as at the prompt, and write a transcript of that; return the status."""
    options = _record_parser().parse_intermixed_args(arguments)
    target = Path(options.output) if options.output is not None else None
    program = Path(options.program)
    if not program.is_file():
        return _wrong(f"cannot open file: {program}", "record")
    if target is not None and target.exists() and not options.force:
        return _wrong(f"{target} exists: --force overwrites it", "record")
    folder = target.resolve().parent if target is not None else Path.cwd()
    name = os.path.relpath(program.resolve(), folder).replace(os.sep, "/")
    dialect = "r7rs" if options.r7rs else "berkeley"
    transcript = io.StringIO()
    session = Session(dialect=dialect, seed=options.seed, output=io.StringIO())
    session.input.tied = session.output
    session.loader.folder = str(folder)
    session.context.console.prompt = options.prompt
    session.prompt.recording.recorder = Recorder(transcript, options.seed, dialect)
    try:
        load = f'(load "{name}")'
        for text in [load, *options.expression]:
            session.input.discard()
            if not session.prompt.evaluate_and_print(text) and text is load:
                complain(f"minischeme record: {program} does not load, so nothing was recorded")
                if session.prompt.last_error is not None:
                    complain(report_of(session.prompt.last_error))
                return DIFFERENT
    except UnfinishedInput as error:
        return _wrong(f"{error}: {text}", "record")
    except SchemeExit:
        pass
    if target is None:
        sys.stdout.write(transcript.getvalue())
        return 0
    try:
        target.write_bytes(transcript.getvalue().encode("utf-8"))
    except OSError as error:
        return _wrong(str(error), "record")
    return 0


def _record_parser() -> argparse.ArgumentParser:
    description = "Load a program, evaluate expressions as at the prompt, and write a transcript of it."
    parser = command_parser("minischeme record", description)
    add = parser.add_argument
    add("program", metavar="FILE", help="the Scheme program")
    add("expression", metavar="EXPR", nargs="*", help="what is typed at the prompt")
    add("-o", "--output", metavar="FILE", help="the transcript (default: standard output)")
    add("--force", action="store_true", help="overwrite it")
    add("--prompt", metavar="TEXT", default="> ", help="the text of the prompt (default: '> ')")
    text = "the seed of the random numbers (default: %(default)s)"
    add("--seed", metavar="N", type=integer, default=DEFAULT_SEED, help=text)
    add("--r7rs", action="store_true", help="plain R7RS-small instead of the Berkeley dialect")
    return parser


def _wrong(message: str, command: str = "test") -> int:
    complain(f"minischeme {command}: {message}")
    return WRONG_USAGE
