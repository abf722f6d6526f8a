"""The commands `minischeme test` and `minischeme record`."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import starmap
from pathlib import Path

from minischeme.cli.option_values import HelpFormatter, count, seconds, whole_number
from minischeme.data.errors import SchemeError, SchemeExit, UnfinishedInput
from minischeme.data.errors import report as report_of
from minischeme.modules.files import decoded
from minischeme.session.recorder import Recorder
from minischeme.session.session import Session
from minischeme.system.file_locks import NewContents
from minischeme.transcripts.document import Document, TranscriptError
from minischeme.transcripts.expectations import ExpectationFile, Result, has_expectations
from minischeme.transcripts.replay import DEFAULT_FILE_LIMIT, DEFAULT_LIMIT, DEFAULT_SEED, Outcome, Replay, Verdict
from minischeme.transcripts.report import (
    FileReport,
    counted,
    difference,
    found_elsewhere,
    one_line,
    renewed,
    unexpected,
)

DIFFERENT = 1
WRONG_USAGE = 2
SUFFIXES = (".txt", ".md")

_DIRECTIVES = """\
directives, each a comment on a line of its own (in Markdown also <!-- minischeme: … -->):
  ; minischeme: seed N       random numbers start from N here
  ; minischeme: load FILE    load it, as beside the transcript
  ; minischeme: random       run the next interaction, but do not compare
  ; minischeme: skip         do not run the next interaction
  ; minischeme: fresh        forget all definitions
  ; minischeme: r7rs         the same, and on in that dialect (or berkeley)
  ; minischeme: prompt TEXT  what else a prompt looks like; TEXT may stand in quotes

A line ... stands for any lines, ... inside a line for any text.
Where there is no seed, other random results are no difference, but counted. A file that is loaded by a path of another
machine is found by the longest end of that path: beside the transcript, in --path FOLDER, in the folders above, and in
the library. What fails only because a load does is counted, too.
Exit status: 0 all as shown, 1 differences, 2 wrong usage or a file that can't be run."""


def main(arguments: Sequence[str]) -> int:
    """Run a command.

    Args: arguments: its name, ``test`` or ``record``, and what follows it.
    Returns: the exit status.
    """
    name, *rest = arguments
    return test(rest) if name == "test" else record(rest)


# ── minischeme test ──────────────────────────────────────────────────────────────────────────────────────────────────


def test(arguments: Sequence[str]) -> int:
    """Run transcripts again and tell where they no longer hold."""
    options = _test_parser().parse_intermixed_args(arguments)
    try:
        paths = list(_files(options.path))
    except OSError as error:
        return _wrong(str(error))
    if not paths:
        return _wrong("no transcript found")
    for folder in options.folders:
        if not folder.is_dir():
            return _wrong(f"no such folder: {folder}")
    replay = partial(
        Replay, seed=options.seed, limit=options.limit, file_limit=options.file_limit, folders=options.folders
    )
    if options.interactive:
        reports: Iterable[FileReport] = map(partial(_asking, replay=replay, limit=options.limit), paths)
    else:
        check = partial(check_file, replay=replay, limit=options.limit)
        reports = _in_parallel(check, paths, options.jobs)
    return _tell(reports, update=options.update)


def check_file(
    path: Path, *, replay: Callable[[Document], Replay] = Replay, limit: float = DEFAULT_LIMIT
) -> FileReport:
    """Run a file and report; never writes.

    Args: path: a transcript, or a Scheme file with expectations. replay: makes a transcript one that runs. limit:
    seconds for an expectation.
    """
    report = FileReport(str(path))
    try:
        text = read_text(path)
        if path.suffix == ".scm":
            _check_expectations(report, text, limit)
            return report
        document = Document(text, str(path))
        outcomes: list[Outcome] = []
        running = replay(document)
        report.found = running.found
        for outcome in running.run():
            outcomes.append(outcome)
            report.add(document, outcome)
        if not outcomes:
            report.problem = f"{path}: no interaction found"
        if report.changes:
            report.renewed = renewed(document, outcomes)
    except (TranscriptError, SchemeError, OSError, UnicodeDecodeError) as error:
        report.problem = str(error) if isinstance(error, TranscriptError) else f"{path}: {error}"
    return report


def read_text(path: Path) -> str:
    """The text of a file, its line ends as they are.

    Raises: OSError; UnicodeDecodeError for what is no text.
    """
    return decoded(path.read_bytes())


def write_text(path: Path, text: str) -> None:
    """Replace a file as a whole: who reads it meanwhile sees the old text or the new.

    Raises: OSError.
    """
    with NewContents(str(path)) as contents:
        contents.stream.write(text)
        contents.take_place()


def _check_expectations(report: FileReport, text: str, limit: float) -> None:
    file = ExpectationFile(text, report.name, limit=limit)
    results: list[Result] = []
    for result in file.run():
        results.append(result)
        verdict = Verdict.SAME if result.holds else Verdict.ENDLESS if result.renewal is None else Verdict.DIFFERENT
        report.verdicts[verdict] += 1
        if not result.holds:
            report.differences.append(unexpected(report.name, result))
        if verdict is Verdict.DIFFERENT:
            report.changes.append(f"{report.name}:{result.expectation.line}: {one_line(result.expectation.source)}")
    if report.changes:
        report.renewed = file.renewed(results)


def _asking(path: Path, *, replay: Callable[[Document], Replay], limit: float) -> FileReport:
    """Run a file, and ask at each difference whether it is to be accepted."""
    if path.suffix == ".scm":
        return check_file(path, limit=limit)
    report = FileReport(str(path))
    accepted: list[Outcome] = []
    try:
        document = Document(read_text(path), str(path))
        running = replay(document)
        report.found = running.found
        for outcome in running.run():
            if outcome.verdict is Verdict.DIFFERENT:
                print(difference(document, outcome))
                if _accepts():
                    accepted.append(outcome)
                    report.verdicts[Verdict.SAME] += 1
                else:
                    report.verdicts[outcome.verdict] += 1
            else:
                report.add(document, outcome)
        if accepted:
            write_text(path, renewed(document, accepted))
            print(f"{path}: {len(accepted)} accepted")
    except (TranscriptError, OSError, UnicodeDecodeError) as error:
        report.problem = str(error) if isinstance(error, TranscriptError) else f"{path}: {error}"
    return report


def _accepts() -> bool:
    try:
        return input("Accept what happened now? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        print()
        return False


def _in_parallel(check: Callable[[Path], FileReport], paths: Sequence[Path], jobs: int) -> Iterator[FileReport]:
    """The reports of the files, in their order."""
    if jobs == 1 or len(paths) == 1:
        yield from map(check, paths)
        return
    with ProcessPoolExecutor(max_workers=min(jobs, len(paths))) as pool:
        yield from pool.map(check, paths)


def _tell(reports: Iterable[FileReport], *, update: bool) -> int:
    """Print the reports, write what is to be renewed; the exit status."""
    total: Counter[Verdict] = Counter()
    files = 0
    broken = False
    found: set[str] = set()
    for report in reports:
        files += 1
        for line in starmap(found_elsewhere, report.found.items()):
            if line not in found:
                found.add(line)
                print(line)
        accepted = update and report.renewed is not None
        if accepted and report.renewed is not None:
            write_text(Path(report.name), report.renewed)
            for change in report.changes:
                print(f"updated {change}")
            for verdict in filter(lambda each: each.is_renewed, Verdict):
                report.verdicts[Verdict.SAME] += report.verdicts.pop(verdict, 0)
        else:
            for text in report.differences:
                print(text, end="\n\n")
            for text in report.consequences():
                print(text)
        print(report.summary())
        if report.problem is not None:
            broken = True
            sys.stdout.flush()
            print(f"minischeme test: {report.problem}", file=sys.stderr)
        total += report.verdicts
    if files > 1:
        print(f"{files} files: {counted(total)}")
    failed = any(verdict.fails for verdict in total)
    return WRONG_USAGE if broken else DIFFERENT if failed else 0


def _files(names: Sequence[str]) -> Iterator[Path]:
    """The files that are named, and those in the folders that are.

    Raises: OSError if there is no such file.
    """
    for name in names:
        path = Path(name)
        if path.is_dir():
            yield from (file for file in sorted(path.rglob("*")) if file.is_file() and is_transcript(file))
        elif path.is_file():
            yield path
        else:
            raise FileNotFoundError(f"no such file: {name}")


def is_transcript(path: Path) -> bool:
    """Whether a file in a folder of transcripts is one, or a Scheme file with expectations."""
    if path.suffix not in (*SUFFIXES, ".scm"):
        return False
    try:
        text = read_text(path)
        return has_expectations(text) if path.suffix == ".scm" else Document(text, str(path)).has_interactions
    except TranscriptError:
        return True
    except (OSError, UnicodeDecodeError):
        return False


def _test_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="minischeme test",
        description="Run transcripts again and show where they no longer hold.",
        epilog=_DIRECTIVES,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("path", metavar="PATH", nargs="+", help="a transcript, a .scm file with ; expect comments, or a folder of them")
    add("-j", "--jobs", metavar="N", type=count, default=1, help="run so many files at a time")
    add("--limit", metavar="SECONDS", type=seconds, default=DEFAULT_LIMIT, help="for each interaction (%(default)g)")
    add("--file-limit", metavar="SECONDS", type=seconds, default=DEFAULT_FILE_LIMIT, help="for a file (%(default)g)")
    add(
        "--seed",
        metavar="N",
        type=whole_number,
        help="for files without a seed, whose random results else don't count",
    )
    add(
        "--path",
        metavar="FOLDER",
        type=Path,
        action="append",
        default=[],
        dest="folders",
        help="look here, too, for files that are loaded by paths of another machine (repeatable)",
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--check", action="store_true", help="write nothing (the default)")
    how.add_argument("--update", action="store_true", help="rewrite the files with what happened now")
    how.add_argument("--interactive", action="store_true", help="ask at each difference whether to accept it")
    return parser


# ── minischeme record ────────────────────────────────────────────────────────────────────────────────────────────────


def record(arguments: Sequence[str]) -> int:
    """Load a program, evaluate expressions as at the prompt, and write a transcript of it."""
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
    session.folder = folder
    session.console.prompt = options.prompt
    session.recorder = Recorder(transcript, options.seed, dialect)
    try:
        load = f'(load "{name}")'
        for text in [load, *options.expression]:
            session.input.discard()
            if not session.evaluate_and_print(text) and text is load:
                return _not_loaded(session, program)
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


def _not_loaded(session: Session, program: Path) -> int:
    """Tell that the program does not load, of which no transcript is written; the exit status."""
    print(f"minischeme record: {program} does not load, so nothing was recorded", file=sys.stderr)
    if session.last_error is not None:
        print(report_of(session.last_error), file=sys.stderr)
    return DIFFERENT


def _record_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="minischeme record",
        description="Load a program, evaluate expressions as at the prompt, and write a transcript of it.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("program", metavar="FILE", help="the Scheme program")
    add("expression", metavar="EXPR", nargs="*", help="what to type at the prompt")
    add("-o", "--output", metavar="FILE", help="the transcript, instead of standard output")
    add("--force", action="store_true", help="overwrite it")
    add("--prompt", metavar="TEXT", default="> ", help="the text of the prompt, instead of '> '")
    add("--seed", metavar="N", type=whole_number, default=DEFAULT_SEED, help="where random numbers start")
    add("--r7rs", action="store_true", help="plain R7RS-small instead of the Berkeley dialect")
    return parser


def _wrong(message: str, command: str = "test") -> int:
    print(f"minischeme {command}: {message}", file=sys.stderr)
    return WRONG_USAGE
