"""The files that hold interactions: transcripts, and Scheme files with expectations."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from minischeme.modules.files import decoded
from minischeme.system.file_locks import NewContents
from minischeme.transcripts.document import Document, TranscriptError
from minischeme.transcripts.expectations import ExpectationFile, has_expectations
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


def rewrite(path: Path, text: str) -> None:
    """Replace the text of a file, all at once."""
    with NewContents(str(path)) as contents:
        contents.stream.write(text)
        contents.take_place()


def transcripts_in(paths: Iterable[Path]) -> Iterator[Path]:
    """The files among some paths, and the transcripts in the folders; an OSError if there is no such path."""
    for path in paths:
        if path.is_dir():
            yield from (file for file in sorted(path.rglob("*")) if file.is_file() and is_transcript(file))
        elif path.is_file():
            yield path
        else:
            raise FileNotFoundError(f"no such file: {path}")


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
