"""The questions of a test file: stretches of its interactions that carry points."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from minischeme.transcripts.document import Directive, TranscriptError
from minischeme.transcripts.outcomes import Outcome, Verdict


@dataclass(slots=True)
class Question:
    """A stretch of interactions; `verdicts` has the lines, from 1, of those that are compared."""

    name: str
    line: int  # its first, from 1
    points: float = 1.0
    each: bool = True  # whether each interaction gets the points, or all of them together
    visibility: str = "visible"
    after: str = ""  # the question that this builds on
    limit: float | None = None  # seconds for an interaction
    verdicts: dict[int, Verdict | None] = field(default_factory=dict)

    @property
    def max_points(self) -> float:
        return self.points * len(self.verdicts) if self.each else self.points

    @property
    def right_count(self) -> int:
        """The number of interactions that give what they should."""
        return sum(verdict is Verdict.SAME for verdict in self.verdicts.values())

    @property
    def passed(self) -> bool:
        return self.right_count == len(self.verdicts)

    @property
    def earned(self) -> float:
        return self.points * self.right_count if self.each else self.points * self.passed


class Questions:
    """The questions of a file, in order; `have_points` tells whether the file says so."""

    def __init__(self, name: str, directives: Mapping[int, Directive], interactions: Iterable[int]) -> None:
        self.have_points = False
        questions = [Question(name.rpartition("/")[2].rpartition(".")[0] or name, 1)]
        is_compared = True
        for line in sorted({*directives, *interactions}):
            directive = directives.get(line)
            if directive is None:
                if is_compared:
                    questions[-1].verdicts[line + 1] = None
                is_compared = True
            elif directive.name in ("random", "skip"):
                is_compared = False
            else:
                self._follow(questions, directive, line + 1, f"{name}:{line + 1}")
        self._all = questions

    def __iter__(self) -> Iterator[Question]:
        return (question for question in self._all if question.verdicts)

    def _follow(self, questions: list[Question], directive: Directive, line: int, location: str) -> None:
        names = [question.name for question in questions]
        argument = directive.argument
        self.have_points |= directive.name in ("question", "points")
        match directive.name:
            case "question":
                if argument in names[1:]:
                    raise TranscriptError(f"{location}: there is a question {argument} already")
                questions.append(Question(argument, line))
            case "points":
                number, _, each = argument.partition(" ")
                questions[-1].points, questions[-1].each = float(number), bool(each)
            case "visibility":
                questions[-1].visibility = argument
            case "limit":
                questions[-1].limit = float(argument)
            case "after":
                if argument not in names[:-1]:
                    raise TranscriptError(f"{location}: there is no question {argument} before this one")
                questions[-1].after = argument

    def at(self, line: int) -> Question:
        """The question that a line, from 1, belongs to."""
        return next(question for question in reversed(self._all) if question.line <= line)

    def note(self, outcome: Outcome) -> None:
        """Note an outcome; one that the file does not foresee counts as an interaction."""
        verdicts = self.at(outcome.line).verdicts
        if outcome.line in verdicts or outcome.verdict.fails:
            verdicts[outcome.line] = outcome.verdict

    def obstacle(self, line: int) -> str:
        """The reason why an interaction is not run: what it builds on fails; empty if there is none."""
        after = self.at(line).after
        earlier = next((question for question in self._all if question.name == after and after), None)
        return f"{after} fails, which this builds on" if earlier is not None and not earlier.passed else ""

    def summary(self) -> list[str]:
        """A line for each question, and a last one for all, if any carries points."""
        found = list(self) if self.have_points else []
        lines = [f"{each.name}: {points_of(each.earned, each.max_points)}" for each in found]
        total = points_of(sum(each.earned for each in found), sum(each.max_points for each in found))
        return [*lines, total] if found else []


def points_of(earned: float, most: float) -> str:
    """So many of so many points."""
    return f"{round(earned, 6):g} of {round(most, 6):g} point{'' if most == 1 else 's'}"
