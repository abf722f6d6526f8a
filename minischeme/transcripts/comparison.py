"""The comparison of an interaction's output with a transcript, including the search for the end of what is shown."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from minischeme.data.errors import WARNING_END
from minischeme.transcripts import matching
from minischeme.transcripts.document import Document
from minischeme.transcripts.evaluator import Output

_MOST_ENDS = 40
_MOST_CELLS = 300_000  # of the tables for all ends together
_WARNING = re.compile(rf"(?:^|(?<={matching.SOFT_NEWLINE}))\*\*\* Warning(?s:.*?)\n  {WARNING_END}\n", re.MULTILINE)


class Match(NamedTuple):
    """The lines up to `end`, read as the output of an interaction."""

    end: int
    cost: int  # the number of superfluous or missing lines
    lines: tuple[str, ...]  # what they should be


class Comparison:
    """The lines of a transcript from `start` on, with the input above them.

    `early` are the indices, from `start`, of lines that were typed before their question was shown.
    """

    def __init__(self, document: Document, start: int, early: Sequence[int] = ()) -> None:
        self._document = document
        self._start = start
        self._boundary = document.boundary(start)
        self._early = early

    def match(self, outputs: list[Output]) -> Match:
        """The reading of the lines that fits the outputs best."""
        lines = self._document.lines[self._start : self._boundary]
        if not any(line.startswith("*** Warning") for line in lines):
            # The course's interpreter gives no warnings.
            outputs = [replace(output, text=_WARNING.sub("", output.text)) for output in outputs]
        best = self.match_of_one_block(outputs)
        if best.cost and len(outputs) > 1:
            as_original = self._with_prompts_between(outputs)
            if as_original is not None and (as_original.cost < best.cost or self._another_result_follows()):
                best = as_original
        if best.cost and self._early:
            return best._replace(lines=self._with_early(best.lines))
        return best

    def match_of_one_block(self, outputs: list[Output]) -> Match:
        """The reading with the fewest unmatched lines, if all outputs stand together."""
        readings = _readings(outputs)
        special = sum(self._document.looks_special(piece.text) for piece in readings[0])
        best: Match | None = None
        swallows = False
        cells = 0
        for end in self._ends(special):
            if cells > _MOST_CELLS:  # a program prints what looks like prompts without an end
                break
            lines = self._document.lines[self._start : end]
            for index in self._early:
                del lines[index : index + 1]
            shown = matching.expected_lines(lines)
            cells += len(shown) * len(readings[0])
            for pieces in readings if any("*** Error" in line for line in lines) else readings[:1]:
                alignment = matching.align(shown, pieces)
                if best is None or alignment.cost < best.cost or (swallows and alignment.cost == best.cost):
                    swallows = matching.is_explanation(shown, pieces, alignment.cost)
                    best = Match(end, *alignment)
                if not alignment.cost:
                    return best
        assert best is not None
        return best

    def _ends(self, special: int) -> Iterable[int]:
        """The possible ends of the output, the likeliest first; `special` of its lines look like prompts or fences."""
        document, position = self._document, self._start
        ends: list[int] = []
        for _ in range(min(special, len(document.lines)) + 1):
            boundary = document.boundary(position)
            blank = document.blank_lines(position, boundary)[:_MOST_ENDS]
            ends += [document.without_blank_end(self._start, boundary), *blank, boundary]
            position = min(boundary + 1, len(document.lines))
        return dict.fromkeys(ends)

    def _with_early(self, rebuilt: tuple[str, ...]) -> tuple[str, ...]:
        shown = self._document.lines[self._start : self._boundary]
        typed = [(index, shown.pop(index)) for index in self._early]
        lines = list(rebuilt)
        for index, line in reversed(typed):
            lines.insert(index, line)
        return tuple(lines)

    def _another_result_follows(self) -> bool:
        """Whether the text at the next prompt, with no output below it, is one more result of the input."""
        document, line = self._document, self._boundary
        if line == len(document.lines) or not document.lines[self._start].strip():
            return False
        # A text that begins like an expression may be one whose output is not there yet.
        return document.boundary(line + 1) == line + 1 and not document.text_at(line).startswith(("(", "'"))

    def _with_prompts_between(self, outputs: list[Output]) -> Match | None:
        """The reading with a prompt before each result but the first, as in the course's interpreter, if any."""
        document, position = self._document, self._start
        cost = 0
        lines: list[str] = []
        for number, output in enumerate(outputs):
            if number and position not in document.prompts:
                return None
            # The first line of a result stands behind the prompt, but for the first result.
            head = [document.text_at(position)] if number else []
            below = position + len(head)
            boundary = document.boundary(below)
            is_last = number == len(outputs) - 1
            ends = [document.without_blank_end(below, boundary), boundary]
            ends += document.blank_lines(below, boundary) if is_last else []
            matches = (
                Match(end, *matching.align(matching.expected_lines(head + document.lines[below:end]), pieces))
                for end in ends
                for pieces in _readings([output])
            )
            best = min(matches, key=lambda match: match.cost)
            cost += best.cost
            prompted = [document.prompts[position] + "".join(best.lines[:1])] if number else best.lines[:1]
            lines += [*prompted, *best.lines[1:]]
            if not is_last:
                lines += document.lines[best.end : boundary]
            position = best.end if is_last else boundary
        return Match(position, cost, tuple(lines))


def _readings(outputs: list[Output]) -> list[list[matching.OutputLine]]:
    """The pieces of some outputs: with our full error reports, and with only the text that the dialect demands."""
    full: list[matching.OutputLine] = []
    short: list[matching.OutputLine] = []
    for output in outputs:
        pieces = matching.output_lines(output.text)
        end = len(pieces)
        if output.error is not None:
            head = next((i for i, piece in reversed([*enumerate(pieces)]) if "*** Error" in piece.text[:9]), end)
            end = head + 2 + str(output.error).count("\n")
            pieces[head + 1 : end] = [piece._replace(message=output.error.message) for piece in pieces[head + 1 : end]]
        full += pieces
        short += pieces[:end]
    return [full, short] if len(short) < len(full) else [full]
