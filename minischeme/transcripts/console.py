"""The console of a session that is replayed: it keeps the output, and types the input that the transcript shows."""

import io
from collections.abc import Iterable, Sequence
from itertools import takewhile

from minischeme.runtime.ports import InputPort
from minischeme.session.recorder import END_OF_INPUT, PlainPort
from minischeme.transcripts.matching import SOFT_NEWLINE, align, expected_lines, line_matches, output_lines

_LONGEST_ENDLESS = 10_000  # characters of the output of an endless loop that are kept


class KeptOutput(PlainPort):
    """An output port that keeps its text as a transcript holds it, with a `SOFT_NEWLINE` for each fresh line."""

    __slots__ = ("_buffer", "_taken")

    def __init__(self) -> None:
        self._buffer = io.StringIO()
        self._taken = 0
        super().__init__(self._buffer)

    def fresh_line(self) -> None:
        if self.column:
            self._buffer.write(SOFT_NEWLINE)
            self.column = 0

    def echo(self, line: str) -> None:
        """Show a line as typed: the next output begins at the left margin."""
        self._buffer.write(line)
        self.column = 0

    def begin(self) -> None:
        """Forget the output."""
        self._buffer.seek(0)
        self._buffer.truncate()
        self._taken = self.column = 0

    @property
    def text(self) -> str:
        """The output since `begin`."""
        return self._buffer.getvalue()

    def take(self, *, is_endless: bool = False) -> str:
        """Return the output since the last call; of an endless loop's, its beginning and the error behind it."""
        text = self.text[self._taken :]
        self._taken += len(text)
        self.column = 0
        if not is_endless or len(text) <= _LONGEST_ENDLESS:
            return text
        return f"{text[:_LONGEST_ENDLESS]}\n…\n{text[-1_000:].partition(chr(10))[2]}"


class ReplayConsole:
    """The output and input of a session whose interactions a transcript shows.

    `expected` are the lines below an interaction up to the next prompt, or further if that prompt is printed by the
    program itself. A line that was typed before its question was shown, as in piped input, is taken out of them.
    """

    def __init__(self) -> None:
        self.output = KeptOutput()
        self.input = InputPort(self._type_line, tied=self.output)
        self.begin([], [], shows_every_value=True)

    def begin(self, expected: Sequence[str], further: Iterable[Sequence[str]], *, shows_every_value: bool) -> None:
        """Prepare for an interaction, given the lines shown, and those from prompt to prompt behind them.

        `shows_every_value` tells whether each result is a line, as in the Berkeley dialect.
        """
        self.expected = list(expected)
        self._further = iter(further)
        self.typed_early: list[int] = []
        self._shows_every_value = shows_every_value
        self._asked = self._typed = False
        self.output.begin()
        self.input.discard()

    def _type_line(self) -> str:
        """The line behind the output so far, with its newline; empty if there is none."""
        found = self._typed_line()
        while found is None and self._expects_more():
            found = self._typed_line()
        first_time = not self._asked
        self._asked = True
        if found is None:
            return ""
        index, line, early = found
        if line != END_OF_INPUT and not early and self._is_result(index, line):
            # Nothing was typed: there is only the rest of the prompt's line.
            return "\n" if first_time and line.strip() != "#[eof]" else ""
        if early:
            del self.expected[index]
            self.typed_early.append(index)
        else:
            self.output.echo(line + "\n")
            self._typed = True
        return line + "\n" if line != END_OF_INPUT else ""

    def _expects_more(self) -> bool:
        """Take in the lines up to the next prompt if the program itself has printed that; return whether it has."""
        printed = self.output.text.replace(SOFT_NEWLINE, "\n").split("\n")[len(self.expected) :]
        more = next(self._further, ()) if printed and printed[0].strip() else ()
        self.expected += more
        return bool(more) and more[0].startswith(printed[0])

    def _is_result(self, index: int, line: str) -> bool:
        """Whether the line in `expected` must be a result, since only prose follows it."""
        rest = self.expected[index:]
        blank = len(list(takewhile(lambda each: not each.strip(), rest)))
        filled = len(list(takewhile(str.strip, rest[blank:])))
        if not self._shows_every_value or (filled and blank + filled > 1):
            return False
        is_last = not any(more.strip() for more in rest[1:])
        looks_empty = "()" in line or '""' in line  # as the value of reading an empty line
        if line != rest[0] or self._typed:  # an answer, the last line of the session
            return is_last and looks_empty
        return is_last or looks_empty

    def _typed_line(self) -> tuple[int, str, bool] | None:
        """The typed line's index in `expected`, the line, and whether it was typed before its question was shown."""
        text = self.output.text
        for lines in (text.replace(SOFT_NEWLINE, "\n").split("\n"), text.replace(SOFT_NEWLINE, "").split("\n")):
            *complete, partial = lines
            fitting = takewhile(lambda pair: line_matches(*pair), zip(self.expected, complete, strict=False))
            matching = len(list(fitting))
            left = self.expected[matching:]
            if matching == len(complete):
                if left and left[0].startswith(partial):
                    return matching, left[0][len(partial) :], False
                if len(left) > 1 and left[1].startswith(partial):
                    return matching, left[0], True
            elif left:
                shown_next = expected_lines(left[1 : 1 + len(complete) - matching])
                if not align(shown_next, output_lines("\n".join(complete[matching:]) + "\n")).cost:
                    return matching, left[0], True
        return None
