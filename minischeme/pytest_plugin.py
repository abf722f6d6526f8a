"""The pytest plugin, which collects transcripts and Scheme files with ``; expect`` comments, an item per interaction.

It imports nothing else of minischeme until there is such a file; `minischeme.transcripts` runs and compares them.
"""

import os
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from minischeme.transcripts.expectations import ExpectationFile
    from minischeme.transcripts.outcomes import Outcome
    from minischeme.transcripts.replay import Replay

_MARKER = re.compile(r"\s*(?:;+|<!--)\s*minischeme:")
_TEST_FOLDERS = frozenset({"tests", "test", "transcripts"})
_CHANGED = "minischeme_changed"
_FOUND = "minischeme_found"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options and the setting."""
    add = parser.getgroup("minischeme", "Scheme transcripts").addoption
    add("--transcript-update", action="store_true", help="rewrite transcripts with what happened now")
    add("--transcript-limit", metavar="SECONDS", type=float, help="for each interaction (default 10)")
    add("--transcript-file-limit", metavar="SECONDS", type=float, help="for each file (default 300)")
    text = "look here, too, for files that transcripts load by paths of another machine (repeatable)"
    add("--transcript-path", metavar="FOLDER", type=Path, action="append", default=[], help=text)
    text = "folders of transcripts (.txt, .md), or patterns of file names, from the root folder (default: transcripts)"
    parser.addini("minischeme_transcripts", text, type="args", default=["transcripts"])


def pytest_configure(config: pytest.Config) -> None:
    """Register the reporter, in the one process that hears of all results."""
    for folder in config.getoption("transcript_path"):
        if not folder.is_dir():
            raise pytest.UsageError(f"--transcript-path: no such folder: {folder}")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_UpdateReporter(config), "minischeme-teller")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The collector of a file that is a transcript or a Scheme file with expectations."""
    path = _relative_path(file_path, parent.config)
    if file_path.suffix == ".scm":
        may_be = bool(_TEST_FOLDERS.intersection(Path(path).parts[:-1]))
    elif file_path.suffix in (".txt", ".md"):
        if _is_marked(file_path):
            return TranscriptFile.from_parent(parent, path=file_path)
        patterns = [name.removeprefix("./").rstrip("/") for name in parent.config.getini("minischeme_transcripts")]
        may_be = any(fnmatch(path, pattern) or fnmatch(path, f"{pattern}/*") for pattern in patterns)
    else:
        return None
    if not (may_be or parent.session.isinitpath(file_path)):
        return None
    from minischeme.transcripts.files import is_transcript

    return TranscriptFile.from_parent(parent, path=file_path) if is_transcript(file_path) else None


def _is_marked(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return _MARKER.match(file.readline(200)) is not None
    except OSError:
        return False


def _relative_path(path: Path, config: pytest.Config) -> str:
    return Path(os.path.relpath(path, config.rootpath)).as_posix()


def _checked_file(path: Path, config: pytest.Config) -> "Replay | ExpectationFile":
    from minischeme.transcripts.files import opened
    from minischeme.transcripts.replay import DEFAULT_FILE_LIMIT, DEFAULT_LIMIT, Settings

    settings = Settings(
        limit=config.getoption("transcript_limit") or DEFAULT_LIMIT,
        file_limit=config.getoption("transcript_file_limit") or DEFAULT_FILE_LIMIT,
        folders=config.getoption("transcript_path"),
        options=("--transcript-limit", "--transcript-file-limit"),
    )
    return opened(path, _relative_path(path, config), settings)


class Different(Exception):
    """The failure of an interaction that no longer gives what is shown. The text is for people."""


class TranscriptFile(pytest.File):
    """The collector of a transcript, or of a Scheme file with expectations.

    Its interactions share a session: those before a selected one are run first, silently.
    """

    def collect(self) -> Iterator[pytest.Item]:
        """An item for each interaction."""
        from minischeme.data.abbreviate import one_line
        from minischeme.data.errors import SchemeError
        from minischeme.transcripts.document import TranscriptError

        try:
            self.checked = _checked_file(self.path, self.config)
        except (TranscriptError, SchemeError, UnicodeDecodeError) as error:
            raise self.CollectError(str(error)) from error
        self._checks = self.checked.run()
        self._known: dict[int, Outcome] = {}
        self._last = 0
        self._problem: Exception | None = None
        questions = self.checked.questions
        for line, text in self.checked.interactions():
            question = questions.at(line)
            name = f"{line}: {one_line(text)}"
            if questions.have_points and question.each and line in question.verdicts:
                yield ScoredItem.from_parent(self, name=name, lines=[line], points=question.points)
            else:
                yield TranscriptItem.from_parent(self, name=name, line=line)
        for question in questions if questions.have_points else ():
            if not question.each:
                lines = sorted(question.verdicts)
                yield ScoredItem.from_parent(self, name=question.name, lines=lines, points=question.points)

    def check(self, line: int) -> "Outcome | None":
        """The outcome of the interaction that begins in a line; None if it turns out to be the output of another."""
        while self._last < line:
            if self._problem is not None:
                raise self._problem
            try:
                check = next(self._checks, None)
            except Exception as error:
                self._problem = error
                raise
            if check is None:
                return None
            self._known[check.line] = check
            self._last = check.line
        return self._known.get(line)


class TranscriptItem(pytest.Item):
    """An interaction that begins in line `line`, counted from 1."""

    def __init__(self, *, line: int, **others: Any) -> None:
        super().__init__(**others)
        self.line = line
        self.funcargs: dict[str, object] = {}  # pytest-lsp looks for its own in every item

    def runtest(self) -> None:
        self.run_interaction(self.line)

    def run_interaction(self, line: int, *, is_scored: bool = False) -> None:
        """Run the interaction in a line, and fail or skip this item by its outcome."""
        from minischeme.transcripts.outcomes import Verdict, found_elsewhere

        file = self.parent
        assert isinstance(file, TranscriptFile)
        check = file.check(line)
        self.user_properties += [(_FOUND, found_elsewhere(name, path)) for name, path in file.checked.found.items()]
        if check is None:
            if is_scored:
                pytest.skip("it is taken for the output of another interaction")
            return
        if check.edit is not None and self.config.getoption("transcript_update"):
            self.user_properties.append((_CHANGED, [str(self.path), line]))
        elif check.verdict.fails:
            raise Different(check.difference)
        elif check.verdict is Verdict.NOT_RUN:
            pytest.skip(check.note or "the transcript says so")
        elif check.verdict in (Verdict.FOLLOWING, Verdict.RANDOM):
            pytest.skip(check.note or "the random numbers are others, as the transcript has no seed")

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.line - 1, self.name

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **options: Any) -> Any:
        """The difference; for any other exception, pytest's own text."""
        from minischeme.data.errors import SchemeError
        from minischeme.transcripts.document import TranscriptError

        if isinstance(excinfo.value, Different | SchemeError | TranscriptError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, *args, **options)


class ScoredItem(TranscriptItem, pytest.Function):
    """An item that carries points: an interaction, or all those of a question. pytest-grader counts functions alone."""

    def __init__(self, *, lines: list[int], points: float, **others: Any) -> None:
        def function() -> None:
            for line in lines:
                self.run_interaction(line, is_scored=True)

        function.points = int(points) if points == int(points) else points  # type: ignore[attr-defined]
        super().__init__(line=lines[0], callobj=function, **others)

    def runtest(self) -> None:
        self.obj()


class _UpdateReporter:
    """A reporter that rewrites transcripts, if asked for, and lists substitutes for files; items may run elsewhere."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._changed: dict[str, set[int]] = {}
        self._told: dict[str, None] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == _FOUND:
                self._told[str(value)] = None
            if name == _CHANGED and report.when == "call" and isinstance(value, list):
                self._changed.setdefault(str(value[0]), set()).add(int(value[1]))

    def pytest_sessionfinish(self) -> None:
        for name, lines in sorted(self._changed.items()):
            from minischeme.transcripts.files import rewrite
            from minischeme.transcripts.outcomes import edited

            file = _checked_file(Path(name), self._config)
            changed = [check for check in file.run() if check.line in lines]
            rewrite(Path(name), edited(file.text, changed))
            self._told |= dict.fromkeys(f"updated {check.location}" for check in changed)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for line in self._told:
            terminalreporter.write_line(line)
