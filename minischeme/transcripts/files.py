"""The files that hold interactions: transcripts, and Scheme files with expectations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from minischeme.modules.files import decoded
from minischeme.system.file_locks import NewContents
from minischeme.transcripts.document import Document, TranscriptError
from minischeme.transcripts.expectations import ExpectationFile, has_expectations
from minischeme.transcripts.outcomes import Check, edited
from minischeme.transcripts.replay import Replay, Settings
from minischeme.transcripts.report import check_of

SUFFIXES = (".txt", ".md")
"""The suffixes of transcripts."""


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
        name = str(path) if name is None else name
        self.found: dict[str, Path] = {}
        self._path = path
        self._text = decoded(path.read_bytes())
        self._settings = settings or Settings()
        self._expectations: ExpectationFile | None = None
        if path.suffix == ".scm":
            limit, option = self._settings.limit, self._settings.options[0]
            self._expectations = ExpectationFile(self._text, path, name, limit, option)
        else:
            self._document = Document(self._text, name, path=path)

    def interactions(self) -> Iterator[tuple[int, str]]:
        """The lines of the interactions, from 1, with what is typed there, as far as it can be told without running."""
        if self._expectations is not None:
            return self._expectations.interactions()
        return ((typed.line + 1, typed.text) for typed in self._document.interactions())

    def run(self) -> Iterator[Check]:
        """Run the interactions in turn, each when its check is asked for.

        Raises:
            TranscriptError: if a directive can't be followed.
            SchemeError: as an expression of a Scheme file without an expectation does.
        """
        if self._expectations is not None:
            return self._expectations.run()
        replay = Replay(self._document, self._settings)
        replay.found = self.found
        return (check_of(self._document, outcome) for outcome in replay.run())

    def update(self, checks: Iterable[Check]) -> None:
        """Rewrite the file with what happened now; who reads it meanwhile sees the old text or the new."""
        with NewContents(str(self._path)) as contents:
            contents.stream.write(edited(self._text, (check.edit for check in checks if check.edit is not None)))
            contents.take_place()


def is_transcript(path: Path) -> bool:
    """Whether a file in a folder of transcripts is one, or a Scheme file with expectations."""
    if path.suffix not in (*SUFFIXES, ".scm"):
        return False
    try:
        text = decoded(path.read_bytes())
        return has_expectations(text) if path.suffix == ".scm" else Document(text, str(path)).has_interactions
    except TranscriptError:
        return True
    except (OSError, UnicodeDecodeError):
        return False
