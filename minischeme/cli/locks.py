"""The commands `minischeme lock` and `minischeme unlock`."""

from collections.abc import Callable, Sequence
from pathlib import Path

from minischeme.cli.parsers import command_parser
from minischeme.cli.process import WRONG_USAGE, complain
from minischeme.data.errors import SchemeError
from minischeme.modules.files import decoded
from minischeme.transcripts import locks
from minischeme.transcripts.document import LOCKED, TranscriptError
from minischeme.transcripts.files import rewrite, transcripts_in

_LOCK = """\
Results in transcripts, and behind ; expect in Scheme files, are replaced by digests. minischeme test does not run such
an interaction, and it earns no points, until minischeme unlock has asked the student for its result."""

_UNLOCK = """\
Type what each interaction shows: function for any procedure, error for any error, nothing if there is no value.
An empty line shows the question again; exit ends."""


def lock(arguments: Sequence[str]) -> int:
    """Lock the results in files; return the exit status."""
    left = _run("lock", "Replace the results in tests by digests.", _LOCK, arguments, locks.lock)
    return WRONG_USAGE if left is None else 0


def unlock(arguments: Sequence[str]) -> int:
    """Ask for the results in locked files; return the exit status, 1 if some are still locked."""
    has_ended = False

    def ask(source: str, is_right: Callable[[str], bool]) -> str | None:
        nonlocal has_ended
        answer = None if has_ended else _ask(source, is_right)
        has_ended = answer is None
        return answer

    def change(text: str, name: str) -> str:
        if LOCKED in text and not has_ended:
            print(f"{name}:")
        return locks.unlock(text, name, ask)

    left = _run("unlock", "Find the results of locked tests, before you write the program.", _UNLOCK, arguments, change)
    return WRONG_USAGE if left is None else int(left > 0)


def _run(command: str, purpose: str, notes: str, words: Sequence[str], change: Callable[[str, str], str]) -> int | None:
    """Change files, and return the number of locked results in them; None if one can't be changed."""
    parser = command_parser(f"minischeme {command}", purpose, notes)
    parser.add_argument("tests", metavar="TESTS", nargs="+", type=Path, help="test files, or folders of them")
    left = 0
    try:
        for path in transcripts_in(parser.parse_args(words).tests):
            text = decoded(path.read_bytes())
            new = change(text, str(path))
            if new != text:
                rewrite(path, new)
            left += new.count(LOCKED)
    except (OSError, UnicodeDecodeError, SchemeError, TranscriptError) as error:
        complain(f"minischeme {command}: {error}")
        return None
    print(f"{left} results are locked" if left else "nothing is locked")
    return left


def _ask(source: str, is_right: Callable[[str], bool]) -> str | None:
    question = f"\n> {source}"
    print(question)
    while True:
        try:
            answer = input("? ")
        except (EOFError, KeyboardInterrupt):
            print()
            return None
        if answer.strip() == "exit":
            return None
        if is_right(answer):
            return answer
        print("Not quite. Try again!" if answer.strip() else question)
