"""pytest plugin: collects transcripts, and Scheme files with ``; expect`` comments, one item for each interaction.

Nothing of minischeme is imported until there is such a file. Leaves running and comparing to `minischeme.transcripts`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from minischeme.transcripts.document import Document
    from minischeme.transcripts.expectations import ExpectationFile, Result
    from minischeme.transcripts.replay import Outcome, Replay

_MARKER = re.compile(r"\s*(?:;+|<!--)\s*minischeme:")
_EXPECT = re.compile(rb";+\s*expect\b", re.IGNORECASE)
_TEST_FOLDERS = frozenset({"tests", "test", "transcripts"})
_CHANGED = "minischeme_changed"
_FOUND = "minischeme_found"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options and the setting."""
    group = parser.getgroup("minischeme", "Scheme transcripts")
    group.addoption("--transcript-update", action="store_true", help="rewrite transcripts with what happened now")
    group.addoption(
        "--transcript-limit", metavar="SECONDS", type=float, default=None, help="for each interaction (default 10)"
    )
    group.addoption(
        "--transcript-path",
        metavar="FOLDER",
        type=Path,
        action="append",
        default=[],
        help="look here, too, for files that transcripts load by paths of another machine (repeatable)",
    )
    group.addoption(
        "--transcript-file-limit", metavar="SECONDS", type=float, default=None, help="for each file (default 300)"
    )
    parser.addini(
        "minischeme_transcripts",
        "folders of .txt and .md files that are transcripts, or patterns, from the root folder (default transcripts)",
        type="args",
        default=["transcripts"],
    )


def pytest_configure(config: pytest.Config) -> None:
    """Rewrite transcripts at the end, if asked for, in the one process that hears of all results.

    Raises: UsageError for a folder that is none.
    """
    for folder in config.getoption("transcript_path"):
        if not folder.is_dir():
            raise pytest.UsageError(f"--transcript-path: no such folder: {folder}")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Teller(config), "minischeme-teller")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The collector of a file that is a transcript or a Scheme file with expectations."""
    if file_path.suffix == ".scm":
        return SchemeFile.from_parent(parent, path=file_path) if _has_expectations(file_path, parent) else None
    if file_path.suffix not in (".txt", ".md"):
        return None
    if _is_named(file_path, parent) or _is_marked(file_path):
        return TranscriptFile.from_parent(parent, path=file_path)
    return None


def _is_named(path: Path, parent: pytest.Collector) -> bool:
    """Whether the command line or the setting names the file, and it holds a prompt."""
    place = _place(path, parent.config)
    patterns = parent.config.getini("minischeme_transcripts")
    if not (parent.session.isinitpath(path) or any(_matches(place, pattern) for pattern in patterns)):
        return False
    from minischeme.cli.transcripts import is_transcript

    return is_transcript(path)


def _matches(place: str, pattern: str) -> bool:
    """Whether a pattern is that of a file, or of a folder that it is in."""
    pattern = pattern.removeprefix("./").rstrip("/")
    return fnmatch(place, pattern) or fnmatch(place, f"{pattern}/*")


def _is_marked(path: Path) -> bool:
    """Whether the first line of the file is a directive."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return _MARKER.match(file.readline(200)) is not None
    except OSError:
        return False


def _has_expectations(path: Path, parent: pytest.Collector) -> bool:
    """Whether a Scheme file stands in a folder of tests, or is named, and says what its expressions give."""
    folders = Path(_place(path, parent.config)).parts[:-1]
    if not (_TEST_FOLDERS.intersection(folders) or parent.session.isinitpath(path)):
        return False
    try:
        return _EXPECT.search(path.read_bytes()) is not None
    except OSError:
        return False


def _place(path: Path, config: pytest.Config) -> str:
    """The path from the root folder, with slashes."""
    return Path(os.path.relpath(path, config.rootpath)).as_posix()


def _limits(config: pytest.Config) -> dict[str, Any]:
    """The arguments that tell of the limits to who runs a transcript."""
    given = config.getoption("transcript_file_limit")
    own = {} if given is None else {"file_limit": given}
    return {**_limit(config), **own, "file_option": "--transcript-file-limit"}


def _limit(config: pytest.Config) -> dict[str, Any]:
    """The arguments that tell of the limit for each expression."""
    given = config.getoption("transcript_limit")
    own = {} if given is None else {"limit": given}
    return {**own, "option": "--transcript-limit"}


class Different(Exception):
    """An interaction that no longer gives what is shown. The text is for people."""


class _Item(pytest.Item):
    """What the items of both kinds of file have in common.

    Args: number: the line, from 1, that it begins in.
    """

    def __init__(self, *, number: int, **others: Any) -> None:
        super().__init__(**others)
        self.number = number

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the item stands."""
        return self.path, self.number - 1, self.name

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **options: Any) -> Any:
        """The difference; for anything else, what pytest shows."""
        from minischeme.data.errors import SchemeError
        from minischeme.transcripts.document import TranscriptError

        if isinstance(excinfo.value, Different | SchemeError | TranscriptError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, *args, **options)


# ── transcripts ──────────────────────────────────────────────────────────────────────────────────────────────────────


class TranscriptFile(pytest.File):
    """A transcript. Its interactions share a session: those before one that is selected are run first, silently."""

    def collect(self) -> Iterator[pytest.Item]:
        """An item for each interaction.

        Raises: CollectError for a directive that does not exist.
        """
        from minischeme.data.abbreviate import one_line
        from minischeme.transcripts.document import TranscriptError

        try:
            self.document = _document(self.path, self.config)
        except (TranscriptError, UnicodeDecodeError) as error:
            raise self.CollectError(str(error)) from error
        self.replay = _replay(self.document, self.config)
        self._outcomes = self.replay.run()
        self._known: dict[int, Outcome] = {}
        self._last = 0
        self._problem: Exception | None = None
        for typed in self.document.interactions():
            number = typed.line + 1
            yield TranscriptItem.from_parent(self, name=f"{number}: {one_line(typed.text)}", number=number)

    def outcome(self, number: int) -> Outcome | None:
        """What came of the interaction at a line; None if it proves to be the output of another.

        Raises: TranscriptError if the transcript can't be run so far.
        """
        while self._last < number:
            if self._problem is not None:
                raise self._problem
            try:
                outcome = next(self._outcomes, None)
            except Exception as error:
                self._problem = error
                raise
            if outcome is None:
                return None
            self._known[outcome.line] = outcome
            self._last = outcome.line
        return self._known.get(number)


class TranscriptItem(_Item):
    """An interaction of a transcript."""

    def runtest(self) -> None:
        """Run it, after those before it.

        Raises: Different.
        """
        from minischeme.transcripts.replay import Verdict
        from minischeme.transcripts.report import difference, found_elsewhere

        file = self.parent
        assert isinstance(file, TranscriptFile)
        outcome = file.outcome(self.number)
        self.user_properties += [(_FOUND, found_elsewhere(name, path)) for name, path in file.replay.found.items()]
        if outcome is None:
            return
        if outcome.verdict.is_renewed and self.config.getoption("transcript_update"):
            self.user_properties.append((_CHANGED, [str(self.path), self.number]))
        elif outcome.verdict.fails:
            raise Different(difference(file.document, outcome))
        elif outcome.verdict is Verdict.NOT_RUN:
            pytest.skip(outcome.note or "the transcript says so")
        elif outcome.verdict in (Verdict.FOLLOWING, Verdict.RANDOM):
            pytest.skip(outcome.note or "the random numbers are others, as the transcript has no seed")


def _document(path: Path, config: pytest.Config) -> Document:
    from minischeme.cli.transcripts import read_text
    from minischeme.transcripts.document import Document

    return Document(read_text(path), _place(path, config), path=path)


def _replay(document: Document, config: pytest.Config) -> Replay:
    from minischeme.transcripts.replay import Replay

    return Replay(document, **_limits(config), folders=config.getoption("transcript_path"))


class _Teller:
    """Rewrites the transcripts whose items found a difference, if asked for, and tells which files stood for others.

    Items may run in other processes (xdist).
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._changed: dict[str, set[int]] = {}
        self._told: dict[str, None] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a difference, and the files that were found."""
        for name, value in report.user_properties:
            if name == _FOUND:
                self._told[str(value)] = None
            if name == _CHANGED and report.when == "call" and isinstance(value, list):
                self._changed.setdefault(str(value[0]), set()).add(int(value[1]))

    def pytest_sessionfinish(self) -> None:
        """Run the files once more, and write them."""
        for name, numbers in sorted(self._changed.items()):
            self._rewrite(Path(name), numbers)

    def _rewrite(self, path: Path, numbers: set[int]) -> None:
        from minischeme.cli.transcripts import write_text
        from minischeme.data.abbreviate import one_line
        from minischeme.transcripts.report import renewed

        document = _document(path, self._config)
        changed = [outcome for outcome in _replay(document, self._config).run() if outcome.line in numbers]
        write_text(path, renewed(document, changed))
        for outcome in changed:
            self._told[f"updated {document.name}:{outcome.line}: {one_line(outcome.source)}"] = None

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Tell what was rewritten, and what was found."""
        for line in self._told:
            terminalreporter.write_line(line)


# ── Scheme files with expectations ───────────────────────────────────────────────────────────────────────────────────


class SchemeFile(pytest.File):
    """A Scheme file with ``; expect VALUE`` comments behind its expressions."""

    def collect(self) -> Iterator[pytest.Item]:
        """An item for each expectation.

        Raises: CollectError if the file can't be read.
        """
        from minischeme.cli.transcripts import read_text
        from minischeme.data.abbreviate import one_line
        from minischeme.data.errors import SchemeError
        from minischeme.transcripts.expectations import ExpectationFile

        try:
            self.file: ExpectationFile = ExpectationFile(read_text(self.path), str(self.path), **_limit(self.config))
        except (SchemeError, UnicodeDecodeError) as error:
            raise self.CollectError(str(error)) from error
        self._results = self.file.run()
        self._known: dict[int, Result] = {}
        for number, expectation in enumerate(self.file.expectations):
            name = f"{expectation.line}: {one_line(expectation.source)}"
            yield ExpectationItem.from_parent(self, name=name, number=expectation.line, index=number)

    def result(self, index: int) -> Result:
        """What the expression of an expectation gave.

        Raises: SchemeError, as an expression before it without an expectation does.
        """
        while index not in self._known:
            known = next(self._results, None)
            if known is None:
                raise Different("an expression before this one, without an expectation, failed")
            self._known[len(self._known)] = known
        return self._known[index]


class ExpectationItem(_Item):
    """An expression of a Scheme file with what it should give.

    Args: index: which of the file's expectations it is.
    """

    def __init__(self, *, index: int, **others: Any) -> None:
        super().__init__(**others)
        self._index = index

    def runtest(self) -> None:
        """Run it, after those before it.

        Raises: Different.
        """
        file = self.parent
        assert isinstance(file, SchemeFile)
        result = file.result(self._index)
        if not result.holds:
            from minischeme.transcripts.report import unexpected

            raise Different(unexpected(_place(self.path, self.config), result))
