"""The results of a class: a table for the terminal, CSV, and a page of HTML that needs nothing else."""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template

from minischeme.grading.judge import Result
from minischeme.transcripts.questions import points_of

_COLUMNS = 10  # of the distribution


def table(results: Sequence[Result]) -> str:
    """A line for each submission, and the questions that were failed most often."""
    width = max((len(result.name) for result in results), default=0)
    lines = [f"{result.name:<{width}}  {_outcome(result)}" for result in results]
    failures = [f"  {name}: {wrong} of {count} submissions" for name, wrong, count in _by_failures(results) if wrong]
    return "\n".join([*lines, *(["", "questions by failures:"] if failures else []), *failures])


def _outcome(result: Result) -> str:
    if result.error:
        return f"not graded: {result.error}"
    return "; ".join([points_of(result.points, result.max_points), *result.problems])


def _by_failures(results: Sequence[Result]) -> list[tuple[str, int, int]]:
    """Each question with the numbers of submissions that fail it, and of all that were graded."""
    counts = Counter(question.title for result in results for question in result.questions)
    wrong = Counter(each.title for result in results for each in result.questions if not each.passed)
    return sorted(((title, wrong[title], counts[title]) for title in counts), key=lambda entry: (-entry[1], entry[0]))


def comma_separated(results: Sequence[Result]) -> str:
    """A line for each submission with its points in each question; no cell can be taken for a formula."""
    titles = list(dict.fromkeys(question.title for result in results for question in result.questions))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["name", "points", "of", *map(_cell, titles), "notes"])
    for result in results:
        points = {question.title: question.points for question in result.questions}
        notes = "; ".join(filter(None, [result.error, *result.problems]))
        numbers = [result.points, result.max_points, *(points.get(title, 0) for title in titles)]
        writer.writerow([_cell(result.name), *(f"{number:g}" for number in numbers), _cell(notes)])
    return text.getvalue()


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t")) else text


def page(results: Sequence[Result], title: str) -> str:
    """The page: the distribution of points, the questions by failures, and the feedback for each submission."""
    graded = [result for result in results if result.max_points]
    counts = Counter(min(_COLUMNS - 1, int(_COLUMNS * result.points / result.max_points)) for result in graded)
    most = max(counts.values(), default=1)
    columns = (
        _row(
            f"{100 * column // _COLUMNS}–{100 * (column + 1) // _COLUMNS} %", f"{counts[column]}", counts[column] / most
        )
        for column in reversed(range(_COLUMNS))
    )
    failures = (_row(name, f"{wrong} of {count}", wrong / count) for name, wrong, count in _by_failures(results))
    return Template(Path(__file__).with_suffix(".html").read_text(encoding="utf-8")).substitute(
        title=escape(title),
        distribution="\n".join(columns),
        failures="\n".join(failures),
        submissions="\n".join(map(_details, results)),
    )


def _row(name: str, number: str, share: float) -> str:
    return f"<tr><td>{escape(name)}<td class=n>{number}<td class=bar><div style='width:{share:.0%}'></div>"


def _details(result: Result) -> str:
    parts = [f"<details><summary>{escape(f'{result.name}: {_outcome(result)}')}</summary>"]
    for question in result.questions:
        kind = "right" if question.passed else "wrong"
        parts.append(f"<p class={kind}>{escape(question.title)}: {question.score} ({question.visibility})</p>")
        if question.feedback:
            parts.append(f"<pre>{escape(question.feedback)}</pre>")
    return "\n".join([*parts, "</details>"])
