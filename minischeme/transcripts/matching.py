r"""The matching of output with a transcript, with the tolerances of DIALECT.md sections 3 and 6.

It is exact but for trailing blanks, addresses, digits beyond those shown, the line ends of the course's interpreter,
eval stacks, and the wildcard ``...``.
"""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from minischeme.transcripts.document import STRAY_MESSAGE

SOFT_NEWLINE = "\x1e"
"""The mark of a line end that only minischeme prints, to begin a result or trace line on a fresh line."""

_LINE_END = re.compile(f"[\n{SOFT_NEWLINE}]")
_TRACE = re.compile(r"(?:\.*|\.\.\[\d+\]\.\.) (?:->|<-) ")
_ENTRY_WITHOUT_PARAMETERS = re.compile(r"(?:(?:\.\.)+|\.\.\[\d+\]\.\.) -> [^ ]+")
_STACK_LINE = re.compile(r"\s*\d+ .*|\s*\.\.\.\s*|_+")
_NUMBER = r"-?\d+(?:/\d+|(?:\.\d*)?(?:e[+-]?\d{1,3})?)"
_FLEXIBLE = re.compile(
    r"(?P<address>(?<=#\[)(?!subr |condition |record-type |(?:in|out)put-port )[^\[\]]* )"
    r"[0-9a-f]{2,}(?=(?: \((?:not )?forced\))?\]|[^\[\]]*…)"
    r"|(?P<wildcard>(?<!\.)\.\.\.(?!\.))"
    r"|(?P<decimal>(?<![\w.+/-])-?\d+(?:\.\d+(?:e[+-]?\d+)?|e[+-]?\d+)(?![\w./]))",
)
_ERROR_OF_ORIGINAL = re.compile(r"(.*)\*\*\* Error at line (\d+) of file (.*):")
_ERROR_OF_OURS = re.compile(r"(.*)\*\*\* Error at (.*):(\d+):\d+:")
_FOLDER = re.compile(r"(?<= at )(?:[A-Za-z]:)?[^:]*[/\\](?=[^/\\]+:\d+:\d+)")
_LARGEST_TABLE = 300_000
_MOST_JOINED = 30


class OutputLine(NamedTuple):
    """A line of output, without its end."""

    text: str
    joiner: str | None = None  # the text instead of its end in a transcript of the course's interpreter, if any
    message: str | None = None  # of an error, the part before the culprits


class ExpectedLine(NamedTuple):
    """A line that a transcript shows, with the `lines` that are compared as one with it, such as an eval stack."""

    text: str
    lines: tuple[str, ...]


class Alignment(NamedTuple):
    """The alignment of lines shown with lines of output.

    `lines` is the output as the transcript would show it: where lines match, those shown, wildcards and eval stacks
    included; elsewhere those of the output.
    """

    cost: int  # the number of lines of either without a counterpart
    lines: tuple[str, ...]


def output_lines(output: str) -> list[OutputLine]:
    """The lines of an output, with the texts that may replace their ends."""
    pieces = []
    start = 0
    for end in _LINE_END.finditer(output):
        text = output[start : end.start()]
        joiner = "" if end[0] == SOFT_NEWLINE else None
        if joiner is None and _ENTRY_WITHOUT_PARAMETERS.fullmatch(text):
            joiner = " "
        pieces.append(OutputLine(text, joiner))
        start = end.end()
    if start < len(output):
        pieces.append(OutputLine(output[start:]))
    return pieces


def expected_lines(lines: Sequence[str]) -> list[ExpectedLine]:
    """The lines of an expectation; those that are not compared belong to the line before them."""
    shown: list[ExpectedLine] = []
    index = 0
    while index < len(lines):
        first = index
        index += 1
        if index < len(lines) and lines[index].rstrip() == STRAY_MESSAGE and not lines[first].strip():
            index += 1
        if index < len(lines) and lines[index].rstrip() == "Current eval stack:":
            index += 1
            while index < len(lines) and _STACK_LINE.fullmatch(lines[index]):
                index += 1
        text = lines[first] if lines[first].strip() or index == first + 1 else lines[first + 1]
        shown.append(ExpectedLine(text, tuple(lines[first:index])))
    return shown


def line_matches(shown: str, text: str, *, message: str | None = None) -> bool:
    """Whether a line of output, with its `message`, is what a line of a transcript shows."""
    shown, text = shown.rstrip(), text.rstrip()
    if shown == text:
        return True
    if shown == STRAY_MESSAGE or shown.startswith(";; " + STRAY_MESSAGE):
        return text.startswith(";; " + STRAY_MESSAGE)
    if "*** Error at" in shown:
        return _same_place(shown, text)
    if _loosely(shown, text) or (" at " in shown and _FOLDER.sub("", shown) == _FOLDER.sub("", text)):
        return True
    # The course's interpreter does not always name the culprits.
    return message is not None and _same_message(shown, text, message)


def is_wildcard(line: str) -> bool:
    """Whether a line of a transcript stands for any lines."""
    return line.strip() == "..."


def is_explanation(shown: Sequence[ExpectedLine], pieces: Sequence[OutputLine], cost: int) -> bool:
    """Whether the lines shown look like prose behind a blank line, and not like output."""
    texts = [item.text for item in shown if item.text.strip()]
    printed = [piece.text for piece in pieces if piece.text.strip()]
    if not texts or shown[0].text.strip() or cost < len(texts) + len(printed):
        return False
    return all(len(text.split()) >= 3 and not get_close_matches(text, printed, 1, 0.5) for text in texts)


def align(shown: Sequence[ExpectedLine], pieces: Sequence[OutputLine]) -> Alignment:
    """The alignment of output with an expectation that has the fewest unmatched lines."""
    start = 0
    most = min(len(shown), len(pieces))
    while start < most and _fits(shown[start], pieces[start]):
        start += 1
    stop = 0
    while (
        stop < most - start
        and (stop + 1 == len(pieces) - start or pieces[-2 - stop].joiner is None)
        and _fits(shown[-1 - stop], pieces[-1 - stop])
    ):
        stop += 1
    middle = _align(shown[start : len(shown) - stop], pieces[start : len(pieces) - stop])
    before = [line for item in shown[:start] for line in item.lines]
    after = [line for item in shown[len(shown) - stop :] for line in item.lines]
    return Alignment(middle.cost, (*before, *middle.lines, *after))


def _align(shown: Sequence[ExpectedLine], pieces: Sequence[OutputLine]) -> Alignment:
    rows, columns = len(shown), len(pieces)
    if rows * columns > _LARGEST_TABLE:
        return Alignment(rows + columns, tuple(piece.text for piece in pieces))
    # From the end, so that the path can be followed from the start: the cost of what follows, and the step. A step is
    # 0 to drop a line shown, -1 to add a piece, and -1 - n if the line fits n pieces; of equal costs the least step.
    best = [[(0, 0)] * (columns + 1) for _ in range(rows + 1)]
    wild = [is_wildcard(item.text) for item in shown] + [False]
    for row in range(rows, -1, -1):
        for column in range(columns, -1, -1):
            choices = []
            if column < columns:
                choices.append((best[row][column + 1][0] + (not wild[row]), -1))
            if row < rows:
                choices.append((best[row + 1][column][0] + (not wild[row]), 0))
                fitting = [] if wild[row] else _fitting(shown[row], pieces, column)
                choices += [(best[row + 1][column + length][0], -1 - length) for length in fitting]
            best[row][column] = min(choices, default=(0, 0))
    lines: list[str] = []
    row = column = 0
    while row < rows or column < columns:
        step = best[row][column][1]
        if step == -1:
            lines += [] if wild[row] else [pieces[column].text]
            column += 1
        else:
            lines += shown[row].lines if step or wild[row] else ()
            row += 1
            column += -1 - step if step else 0
    return Alignment(best[0][0][0], tuple(lines))


def _fits(item: ExpectedLine, piece: OutputLine) -> bool:
    return not is_wildcard(item.text) and line_matches(item.text, piece.text, message=piece.message)


def _fitting(item: ExpectedLine, pieces: Sequence[OutputLine], column: int) -> list[int]:
    """The numbers of pieces from `column` on that fit the line when they are joined."""
    found = []
    text = ""
    for length, piece in enumerate(pieces[column : column + _MOST_JOINED], 1):
        text += piece.text
        if line_matches(item.text, text, message=piece.message):
            found.append(length)
        if piece.joiner is None:
            break
        text += piece.joiner
    return found


@lru_cache(maxsize=1024)
def _pattern(shown: str) -> tuple[re.Pattern[str], list[str]] | None:
    """A line with wildcards, addresses or decimals as a regular expression, and the decimals; None if it has none."""
    trace = _TRACE.match(shown)
    position = trace.end() if trace is not None else 0
    pattern = re.escape(shown[:position])
    start = position
    decimals = []
    wildcard = -1
    for found in _FLEXIBLE.finditer(shown, position):
        pattern += re.escape(shown[position : found.start()])
        if found["wildcard"]:
            if wildcard >= 0:  # what stands between two may as well be the first of its kind: no search is repeated
                pattern = f"{pattern[:wildcard]}(?>.*?{pattern[wildcard + 2 :]})"
            wildcard = len(pattern)
            pattern += ".*"
        elif found["address"]:
            pattern += re.escape(found["address"]) + "[0-9a-f]+"
        else:
            pattern += f"({_NUMBER})"
            decimals.append(found["decimal"])
        position = found.end()
    return (re.compile(pattern + re.escape(shown[position:]), re.DOTALL), decimals) if position != start else None


def _loosely(shown: str, text: str) -> bool:
    known = _pattern(shown)
    if known is None:
        return False
    pattern, decimals = known
    found = pattern.fullmatch(text)
    return found is not None and all(map(_same_number, decimals, found.groups()))


def _same_number(shown: str, text: str) -> bool:
    """Whether a number of ours, rounded to the digits that are shown, is the decimal that is shown."""
    if shown == text or text.removeprefix("-").isdecimal():
        return shown == text
    mantissa, _, exponent = shown.partition("e")
    half = Fraction(10) ** (int(exponent or 0) - len(mantissa.partition(".")[2])) / 2
    try:
        return abs(Fraction(text) - Fraction(shown)) <= half
    except (ValueError, ZeroDivisionError):  # ValueError: more digits than Python reads
        return False


def _same_place(shown: str, text: str) -> bool:
    """Whether the head of an error names the same file, and the same line as far as the two can agree on it."""
    original, ours = _ERROR_OF_ORIGINAL.fullmatch(shown), _ERROR_OF_OURS.fullmatch(text)
    if original is not None and ours is not None:
        # The course's interpreter names the last line that it had read, ours that of the culprit.
        same_file = re.split(r"[/\\]", original[3])[-1] == re.split(r"[/\\]", ours[2])[-1]
        return original[1] == ours[1] and same_file and int(ours[3]) <= int(original[2])
    return _FOLDER.sub("", shown) == _FOLDER.sub("", text) or _loosely(shown, text)


def _same_message(shown: str, text: str, message: str) -> bool:
    """Whether two messages of an error differ only in their capitals, or in culprits that only ours names."""
    shown, text = shown.strip().casefold(), text.strip().casefold()
    if shown == text or (shown == message.strip().casefold().rstrip(": ") and not shown.startswith("unbound")):
        return True
    without_empty = [re.sub(r"\s*\(\)", "", each).rstrip(": \t") for each in (shown, text)]
    return "()" in text and without_empty[0] == without_empty[1]
