"""The commands `minischeme lock` and `minischeme unlock`."""

from collections.abc import Callable, Sequence
from pathlib import Path

from minischeme.cli.parsers import command_parser
from minischeme.cli.process import WRONG_USAGE, complain
from minischeme.data.errors import SchemeError
from minischeme.modules.files import decoded
from minischeme.system.file_locks import NewContents
from minischeme.transcripts import locks
from minischeme.transcripts.document import LOCKED, TranscriptError
from minischeme.transcripts.files import is_transcript

_LOCK = """\
Results in transcripts, and behind ; expect in Scheme files, are replaced by digests. minischeme test does not run such
an interaction, and it earns no points, until minischeme unlock has asked the student for its result."""

_UNLOCK = """\
Type what each interaction shows: function for any procedure, error for any error, nothing if there is no value.
An empty line shows the question again; exit ends."""


def lock(arguments: Sequence[str]) -> int:
    """Lock the results in files; return the exit status."""
    return _run("lock", "Replace the results in tests by digests.", _LOCK, arguments, locks.lock)


def unlock(arguments: Sequence[str]) -> int:
    """Ask for the results in locked files; return the exit status, 1 if some are still locked."""
    description = "Find the results of locked tests, before you write the program."
    return _run("unlock", description, _UNLOCK, arguments, lambda text, name: locks.unlock(text, name, _ask))


def _run(
    command: str, description: str, epilog: str, arguments: Sequence[str], change: Callable[[str, str], str]
) -> int:
    parser = command_parser(f"minischeme {command}", description, epilog)
    parser.add_argument("tests", metavar="TESTS", nargs="+", type=Path, help="test files, or folders of them")
    given = parser.parse_args(arguments).tests
    paths = [path for place in given for path in (sorted(place.rglob("*")) if place.is_dir() else [place])]
    left = 0
    for path in paths:
        if path not in given and not (path.is_file() and is_transcript(path)):
            continue
        try:
            text = decoded(path.read_bytes())
            if command == "unlock" and LOCKED in text:
                print(f"{path}:")
            new = change(text, str(path))
            if new != text:
                with NewContents(str(path)) as contents:
                    contents.stream.write(new)
                    contents.take_place()
        except (OSError, UnicodeDecodeError, SchemeError, TranscriptError) as error:
            complain(f"minischeme {command}: {error}")
            return WRONG_USAGE
        left += new.count(LOCKED)
    print(f"{left} results are locked" if left else "nothing is locked")
    return int(command == "unlock" and left > 0)


def _ask(source: str, is_right: Callable[[str], bool]) -> str | None:
    print(f"\n> {source}")
    while True:
        try:
            answer = input("? ")
        except EOFError:
            answer = "exit"
        if answer.strip() == "exit":
            return None
        if is_right(answer):
            return answer
        print("Not quite. Try again!" if answer.strip() else f"> {source}")
