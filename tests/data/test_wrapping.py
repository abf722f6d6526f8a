"""Text for people is broken at blanks where a terminal is too narrow for it."""

from __future__ import annotations

import io

import pytest
from sessions import error_of

from minischeme import Session
from minischeme.data.errors import report
from minischeme.data.wrapping import in_columns, wrapped
from minischeme.repl.commands import dispatch
from minischeme.session.call_tree import call_tree


class TerminalStream(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_lines_are_broken_at_blanks_and_keep_their_indentation() -> None:
    assert wrapped("a b\n  one two three", 9) == "a b\n  one two\n  three"
    assert wrapped("  one two three", 9, 2) == "  one two\n    three"
    assert wrapped("one two three", None) == "one two three"
    assert wrapped("a-very-long-name x\n\ny", 6) == "a-very-long-name\nx\n\ny"


def test_a_second_column_hangs_or_goes_below() -> None:
    rows = [(",a", "one two three four five six seven"), (",bc X", "eight")]
    assert in_columns(rows, 36) == "  ,a     one two three four five six\n         seven\n  ,bc X  eight"
    assert in_columns(rows, 26) == "  ,a\n      one two three four\n      five six seven\n  ,bc X\n      eight"


@pytest.mark.parametrize("width", [30, 40, 60])
def test_a_report_fits_the_terminal(width: int) -> None:
    definition = "(define (best-total hand) (+ (count hand) (first-card-of-the-hand-without-any-joker 'somebody hand)))"
    error = error_of(definition, "(best-total '(ad 8s 10h 3c 4c 5c))")
    assert all(len(line) <= width or " " not in line.strip(" |") for line in report(error, width).splitlines())
    assert len(max(report(error).splitlines(), key=len)) > width


@pytest.mark.parametrize(
    "line",
    [
        ",help",
        ",help se",
        ",apropos sentence",
        ",time 1",
        ",nosuch",
        ",help nosuch",
        ",help sum-of-squares",
        ",trace --tree (sum-of-squares 11111111 22222222)",
        ",expand (sum-of-squares 'some-long-name 'another-long-name)",
        ",python sum-of-squares",
    ],
)
def test_commands_fit_the_terminal(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    stream = TerminalStream()
    session = Session(output=stream)
    session.eval(
        "(define (square x) (* x x)) (define (sum-of-squares first second) (+ (square first) (square second)))"
    )
    dispatch(session, line)
    shown = stream.getvalue().splitlines()
    assert shown
    assert [text for text in shown if len(text) > 40] == []


def test_the_lines_of_a_call_tree_go_on_beside_those_of_its_calls() -> None:
    session = Session()
    session.eval(
        "(define (square x) (* x x)) (define (sum-of-squares first second) (+ (square first) (square second)))"
    )
    text = call_tree(session, "(sum-of-squares 11111111 22222222)").text(30)
    assert (
        text
        == """\
(sum-of-squares 11111111
│      22222222) →
│      617283938271605
├─ (square 11111111) →
│      123456787654321
└─ (square 22222222) →
       493827150617284"""
    )
