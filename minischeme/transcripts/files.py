"""The files that hold interactions: transcripts, and Scheme files with expectations."""

from collections.abc import Iterable
from pathlib import Path

from minischeme.modules.files import decoded
from minischeme.system.file_locks import NewContents
from minischeme.transcripts.document import Document, TranscriptError
from minischeme.transcripts.expectations import ExpectationFile, has_expectations
from minischeme.transcripts.outcomes import Outcome, edited
from minischeme.transcripts.replay import Replay, Settings


def opened(path: Path, name: str, settings: Settings) -> Replay | ExpectationFile:
    """Open a transcript, or a Scheme file with expectations, to be run and compared; messages show `name` as its path.

    Raises:
        TranscriptError: if a directive does not exist.
        SchemeError: if a Scheme file can't be read.
        OSError: if the file can't be opened.
        UnicodeDecodeError: if it is no text.
    """
    return opened_text(decoded(path.read_bytes()), path, name, settings)


def opened_text(text: str, path: Path, name: str, settings: Settings) -> Replay | ExpectationFile:
    """The same for a text, as if it were that of a file."""
    if path.suffix == ".scm":
        return ExpectationFile(text, path, name, settings)
    return Replay(Document(text, name, path=path), settings)


def update(path: Path, text: str, outcomes: Iterable[Outcome]) -> None:
    """Rewrite a file with the new results, atomically."""
    with NewContents(str(path)) as contents:
        contents.stream.write(edited(text, outcomes))
        contents.take_place()


def is_transcript(path: Path) -> bool:
    """Whether a file in a folder of transcripts is one, or a Scheme file with expectations."""
    if path.suffix not in (".txt", ".md", ".scm"):
        return False
    try:
        text = decoded(path.read_bytes())
        return has_expectations(text) if path.suffix == ".scm" else Document(text, str(path)).has_interactions
    except TranscriptError:
        return True
    except (OSError, UnicodeDecodeError):
        return False
