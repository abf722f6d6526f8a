"""The results of a class: a table for the terminal, CSV, and a page of HTML that needs nothing else."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape

from minischeme.grading.judge import QuestionResult, Result
from minischeme.transcripts.questions import points_of

_COLUMNS = 10  # of the distribution
_STYLE = """\
body { font: 16px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em; color: #222; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .2em .8em .2em 0; }
td.n { text-align: right; font-variant-numeric: tabular-nums; } tr { border-bottom: 1px solid #ddd; }
.bar { background: #4a7ebb; height: 1em; } pre { background: #f5f5f5; padding: .6em; overflow-x: auto; }
summary { cursor: pointer; } .right { color: #27632a; } .wrong { color: #a02020; }
"""


def in_order(results: Iterable[Result]) -> list[Result]:
    """The results by name, as every report shows them."""
    return sorted(results, key=lambda result: result.name)


def table(results: Sequence[Result]) -> str:
    """A line for each submission, and the questions that were failed most often."""
    width = max((len(result.name) for result in results), default=0)
    lines = [f"{result.name:<{width}}  {_outcome(result)}" for result in results]
    lines += ["", "questions by failures:"] + [
        f"  {name}: {wrong} of {count} submissions" for name, wrong, count in _by_failures(results) if wrong
    ]
    return "\n".join(lines if lines[-1] != "questions by failures:" else lines[:-2])


def _outcome(result: Result) -> str:
    if result.error:
        return f"not graded: {result.error}"
    notes = f"; {'; '.join(result.problems)}" if result.problems else ""
    return points_of(result.points, result.max_points) + notes


def _by_failures(results: Iterable[Result]) -> list[tuple[str, int, int]]:
    """Each question with the numbers of submissions that fail it, and of all that were graded."""
    counts = Counter(_key(question) for result in results for question in result.questions)
    wrong = Counter(_key(each) for result in results for each in result.questions if not each.passed)
    return sorted(((key, wrong[key], counts[key]) for key in counts), key=lambda entry: (-entry[1], entry[0]))


def _key(question: QuestionResult) -> str:
    return f"{question.test}: {question.name}"


def comma_separated(results: Sequence[Result]) -> str:
    """A line for each submission with its points in each question; no cell can be taken for a formula."""
    questions = list(dict.fromkeys(_key(question) for result in results for question in result.questions))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["name", "points", "of", *map(_cell, questions), "notes"])
    for result in results:
        points = {_key(question): question.points for question in result.questions}
        notes = "; ".join(filter(None, [result.error, *result.problems]))
        cells = [result.points, result.max_points, *(points.get(question, 0) for question in questions)]
        writer.writerow([_cell(result.name), *(f"{cell:g}" for cell in cells), _cell(notes)])
    return text.getvalue()


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t")) else text


def page(results: Sequence[Result], title: str) -> str:
    """The page: the distribution of points, the questions by failures, and the feedback for each submission."""
    rows = "".join(
        f"<tr><td>{escape(name)}<td class=n>{wrong} of {count}<td style='width:40%'>"
        f"<div class=bar style='width:{100 * wrong / count:.0f}%'></div>\n"
        for name, wrong, count in _by_failures(results)
    )
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(title)}</title><style>{_STYLE}</style>\n"
        f"<h1>{escape(title)}</h1>\n<h2>Distribution</h2>\n<table>{_distribution(results)}</table>\n"
        f"<h2>Questions by failures</h2>\n<table>{rows}</table>\n<h2>Submissions</h2>\n"
        + "".join(map(_details, results))
        + "</html>\n"
    )


def _distribution(results: Sequence[Result]) -> str:
    graded = [result for result in results if result.max_points]
    counts = Counter(min(_COLUMNS - 1, int(_COLUMNS * result.points / result.max_points)) for result in graded)
    most = max(counts.values(), default=1)
    return "".join(
        f"<tr><td>{100 * column // _COLUMNS}–{100 * (column + 1) // _COLUMNS} %<td class=n>{counts[column]}"
        f"<td style='width:70%'><div class=bar style='width:{100 * counts[column] / most:.0f}%'></div>\n"
        for column in reversed(range(_COLUMNS))
    )


def _details(result: Result) -> str:
    parts = [f"<details><summary>{escape(result.name)}: {escape(_outcome(result))}</summary>\n"]
    for question in result.questions:
        kind = "right" if question.passed else "wrong"
        points = points_of(question.points, question.max_points)
        parts.append(f"<p class={kind}>{escape(_key(question))}: {points} ({question.visibility})</p>\n")
        if question.feedback:
            parts.append(f"<pre>{escape(question.feedback)}</pre>\n")
    return "".join([*parts, "</details>\n"])
