"""The files that hold interactions: transcripts, and Scheme files with expectations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from minischeme.data.abbreviate import one_line
from minischeme.modules.files import decoded
from minischeme.system.file_locks import NewContents
from minischeme.transcripts.document import Document, TranscriptError
from minischeme.transcripts.expectations import ExpectationFile, Result, has_expectations
from minischeme.transcripts.outcomes import Edit, Outcome, Verdict, edited
from minischeme.transcripts.replay import Replay, Settings
from minischeme.transcripts.report import difference, edit_of, unexpected

SUFFIXES = (".txt", ".md")
"""The suffixes of transcripts."""


@dataclass(frozen=True, slots=True)
class Check:
    """An interaction that was run and compared.

    Args:
        name: the file's.
        line: the number, from 1, of the line that it begins in.
        difference: the text of a failure, for people; empty where there is none.
        edit: what makes the file show what happened now; None where there is nothing to change.
        cause: where it follows from a load that failed, the number of that one's line.
    """

    name: str
    line: int
    source: str
    verdict: Verdict
    difference: str = ""
    edit: Edit | None = None
    note: str = ""
    cause: int = 0

    @property
    def place(self) -> str:
        """Where it stands, and what was typed there."""
        return f"{self.name}:{self.line}: {one_line(self.source)}"


class CheckedFile:
    """A transcript, or a Scheme file with expectations, that is run and compared.

    `found` are files that stood for those of another machine, by the names that were loaded.

    Args:
        name: the path as messages show it.

    Raises:
        TranscriptError: for a directive that does not exist.
        SchemeError: for a Scheme file that can't be read.
        OSError: for a file that can't be opened.
        UnicodeDecodeError: for one that is no text.
    """

    def __init__(self, path: Path, name: str | None = None, settings: Settings | None = None) -> None:
        self.path = path
        self.name = str(path) if name is None else name
        self.found: dict[str, Path] = {}
        self._text = read_text(path)
        self._settings = settings = settings or Settings()
        self._file: Document | ExpectationFile
        if path.suffix == ".scm":
            self._file = ExpectationFile(self._text, str(path), limit=settings.limit, option=settings.options[0])
        else:
            self._file = Document(self._text, self.name, path=path)

    def interactions(self) -> Iterator[tuple[int, str]]:
        """The lines of the interactions, from 1, with what is typed there, as far as it can be told without running."""
        if isinstance(self._file, ExpectationFile):
            yield from ((expectation.line, expectation.source) for expectation in self._file.expectations)
        else:
            yield from ((typed.line + 1, typed.text) for typed in self._file.interactions())

    def run(self) -> Iterator[Check]:
        """Run the interactions in turn, each when its check is asked for.

        Raises:
            TranscriptError: if a directive can't be followed.
            SchemeError: as an expression of a Scheme file without an expectation does.
        """
        if isinstance(self._file, ExpectationFile):
            for result in self._file.run():
                yield _check_of_expectation(self.name, self._file, result)
            return
        replay = Replay(self._file, self._settings)
        replay.found = self.found
        for outcome in replay.run():
            yield _check_of_interaction(self._file, outcome)

    def update(self, checks: Iterable[Check]) -> None:
        """Rewrite the file with what happened now.

        Raises:
            OSError: if it can't be written.
        """
        with NewContents(str(self.path)) as contents:
            contents.stream.write(edited(self._text, (check.edit for check in checks if check.edit is not None)))
            contents.take_place()


def _check_of_interaction(document: Document, outcome: Outcome) -> Check:
    verdict = outcome.verdict
    text = difference(document, outcome) if verdict.fails else ""
    edit = edit_of(document, outcome) if verdict.is_renewed else None
    return Check(document.name, outcome.line, outcome.source, verdict, text, edit, outcome.note, outcome.cause)


def _check_of_expectation(name: str, file: ExpectationFile, result: Result) -> Check:
    expectation = result.expectation
    if result.holds:
        return Check(name, expectation.line, expectation.source, Verdict.SAME)
    edit = file.edit_of(result)
    verdict = Verdict.ENDLESS if edit is None else Verdict.DIFFERENT
    return Check(name, expectation.line, expectation.source, verdict, unexpected(name, result), edit)


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


def read_text(path: Path) -> str:
    """The text of a file, its line ends as they are."""
    return decoded(path.read_bytes())
