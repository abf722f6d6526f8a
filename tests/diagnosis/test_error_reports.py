"""How an error is shown: message, excerpt with carets, and the way there.

That every error has such a report is tried in `test_fuzz`.
"""

from __future__ import annotations

import io
import re
import textwrap
from pathlib import Path

import pytest
from sessions import error_in, report_of

from minischeme import Session
from minischeme.data.errors import Activation, Interrupted, RecursionDepthExceeded, SchemeError, report
from minischeme.data.source import Source, Span, columns
from minischeme.data.values import intern, list_of


def block(text: str) -> str:
    """A report as written below: without the indentation of this file."""
    return textwrap.dedent(text).removeprefix("\n")


def test_report_at_the_prompt() -> None:
    assert report_of("(define (plus x) (+ 1 x))", "(list (plus 1)\n      (plus 'a))") == block("""
        *** Error:
            +: not a number: a
          | (define (plus x) (+ 1 x))
          |                       ^
          in plus at <eval>:1:18 with x = a
    """)


def test_report_of_an_error_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "hand.scm"
    file.write_text("(define (best hand)\n  (if (empty? hand)\n      0\n      (+ 1\n\t (best (bf hand))\n\t bonus)))\n")
    session = Session(output=io.StringIO())
    session.load(file)
    error = error_in(session, "(define (twice hand) (* 2 (best hand)))\n(+ 1\n   (twice '(a b c)))", "<prompt>")
    assert report(error) + "\n" == block(f"""
        *** Error at {file}:6:3:
            unbound variable: bonus
          |          bonus)))
          |          ^^^^^
          in best at {file}:6:3 with hand = (c)
          in best at {file}:5:3 (2 times)
          in twice at <prompt>:1:27 with hand = (a b c)
    """)


def test_repeated_activations_are_folded() -> None:
    assert report_of("(define (f n) (if (= n 0) (car n) (+ 1 (f (- n 1)))))", "(f 50)").endswith(
        "\n  in f at <eval>:1:27 with n = 0\n  in f at <eval>:1:40 (50 times)\n"
    )
    mutual = "(define (f n) (if (= n 0) (car n) (+ 1 (g (- n 1))))) (define (g n) (+ 1 (f (- n 1))))"
    assert report_of(mutual, "(f 100)").endswith(
        "\n  in f at <eval>:1:27 with n = 0\n  in g at <eval>:1:74\n  in f at <eval>:1:40\n"
        "  … these 2 again and again, 50 times\n"
    )


def test_a_long_trail_is_cut() -> None:
    programs = [f"(define (f{number} x) (+ 1 (f{number + 1} x)))" for number in range(20)]
    lines = report_of(*programs, "(define (f20 x) (car x))", "(f0 5)").splitlines()
    assert lines[-1] == "  … and 13 more"
    assert lines[-2].startswith("  in f13 at <eval>:1:22")


def test_the_trail_shows_arguments() -> None:
    lines = report_of(
        "(define (f a . rest) (car a))", '(define (g x) (+ 1 (f x \'b "c")))', "(g '(1 2))(g 5)"
    ).splitlines()
    assert lines[-2] == '  in f at <eval>:1:22 with a = 5, rest = (b "c")'
    assert lines[-1] == "  in g at <eval>:1:20 with x = 5"


def test_a_long_argument_is_cut() -> None:
    lines = report_of("(define (f l) (+ 1 (car (cdr l) 2)))", "(f (iota 100000))").splitlines()
    assert lines[-1].startswith("  in f at <eval>:1:20 with l = (0 1 2")
    assert lines[-1].endswith("…")


def test_endless_recursion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minischeme.runtime.recursion.deepest_recursion", lambda slots: 100_000)
    session = Session()
    session.eval("(define (f n) (+ 1 (g n))) (define (g n) (+ 1 (f n)))")
    error = error_in(session, "(f 1)")
    assert isinstance(error, RecursionDepthExceeded)
    text = report(error)
    assert text.startswith("*** Error:\n    maximum recursion depth exceeded\n  | (define (f n)")
    assert text.endswith("  … these 2 again and again")
    assert session.eval("(+ 1 2)") == 3


def test_a_message_of_several_lines_is_indented() -> None:
    assert report_of('(error "one\\ntwo")').startswith("*** Error:\n    one\n    two\n  | (error")


def test_a_huge_culprit_is_cut() -> None:
    text = report_of("(vector-ref (iota 100000) 1)")
    assert len(text) < 2_000
    assert "vector-ref: not a vector: (0 1 2 3" in text
    assert " … " in text
    assert "99999)\n" in text


def test_a_circular_culprit() -> None:
    assert "car: wrong type" not in report_of("(define x (list 1 2))", "(set-cdr! x x)", "(vector-ref x 0)")
    assert "#0=(1 . #0#)" in report_of("(define x (list 1 2))", "(set-cdr! x x)", "(vector-ref x 0)")


def test_interrupted_is_an_error_like_others() -> None:
    error = Interrupted("interrupted")
    error.activations = (Activation("loop", None, 3),)
    assert report(error) == "*** Error:\n    interrupted\n  in loop (3 times)"


# ── excerpts ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def excerpt(line: str, culprit: str, width: int = 40) -> list[str]:
    start = line.index(culprit)
    return Span(Source(f"before\n{line}\nafter", "<x>"), start + 7, start + 7 + len(culprit)).excerpt(width).split("\n")


def under(line: str, culprit: str, width: int = 40) -> str:
    """What the carets stand under, by columns of a terminal."""
    above, carets = excerpt(line, culprit, width)
    cells: list[str] = []
    for character in above:
        if columns(character) == 0:
            cells[-1] += character
        else:
            cells += [character, ""][: columns(character)]
    first = carets.index("^")
    assert set(carets[first:]) == {"^"}
    assert set(carets[:first]) <= {" "}
    assert columns(above) <= width
    return "".join(cells[first : len(carets)])


def test_carets_stand_under_the_culprit() -> None:
    assert excerpt("(+ 1 a)", "a") == ["(+ 1 a)", "     ^"]
    assert under("(+ 1 abc)", "abc") == "abc"
    assert under("\t(+ 1\tabc)", "abc") == "abc"
    assert under('(f "漢字" x)', "x") == "x"
    assert under('(f "漢字" x)', "漢字") == "漢字"
    assert under('(f "e\u0301" xyz)', "xyz") == "xyz"


def test_a_long_line_is_cut_around_the_culprit() -> None:
    for before in (0, 10, 30, 35, 100):
        for after in (0, 10, 30, 35, 100):
            line = "b" * before + "(car 5)" + "a" * after
            assert under(line, "(car 5)") == "(car 5)"
            above, _ = excerpt(line, "(car 5)")
            assert above.startswith("…") == (above[0] != line[0])
            assert above.endswith("…") == (above[-1] != line[-1])
    assert under("漢" * 50 + "(car 5)" + "字" * 50, "(car 5)") == "(car 5)"
    assert set(under("x" * 100, "x" * 100)) == {"x", "…"}


def test_the_first_line_of_a_culprit_of_several_lines() -> None:
    source = Source("(f (g 1\n      2) 3)", "<x>")
    assert Span(source, 3, 16).excerpt() == "(f (g 1\n   ^^^^"


def test_the_end_of_the_text_has_a_caret() -> None:
    assert Span(Source("(f ", "<x>"), 3, 3).excerpt() == "(f \n   ^"


# ── errors that no program makes ─────────────────────────────────────────────────────────────────────────────────────


def test_any_error_can_be_reported() -> None:
    source = Source("", "<x>")
    for span in (None, Span(source, 0, 0), Span(Source("a\r\nb", "f.scm"), 3, 4), Span(Source("a\n", "f"), 2, 2)):
        for irritants in ((), (1,), (intern("a"), list_of([1, 2]))):
            error = SchemeError("message:", *irritants, span=span, hint="hint")
            error.activations = (Activation("f", span), Activation("g", None, 7))
            assert report(error).startswith("*** Error")
    assert report(SchemeError("")) == "*** Error:\n    "


def test_a_procedure_among_the_arguments_is_shown_by_its_name() -> None:
    session = Session(output=io.StringIO())
    session.eval("(define (stop-at n) (lambda (hand up) n)) (define (stop-at-17 hand up) #t) (define (f s) (+ 1 's))")
    with pytest.raises(SchemeError) as caught:
        session.eval("(f (list stop-at-17 (stop-at 5) car))")
    assert "with s = (stop-at-17 (stop-at 5) car)" in report(caught.value)


def test_procedures_of_the_library_are_one_line() -> None:
    session = Session(output=io.StringIO(), seed=1)
    session.load("twenty-one.scm")
    session.load("strategy-lab.scm")
    session.eval("(define (best-total hand) 20)\n(define (wrong hand up) (car 5))", "mine.scm")
    with pytest.raises(SchemeError) as caught:
        session.eval("(strategy-chart wrong)")
    trail = [line for line in report(caught.value).splitlines() if line.startswith(("  in ", "  …"))]
    assert trail[0].startswith("  in wrong at mine.scm:2:25 with hand = ")
    assert len(trail) == 2
    assert re.fullmatch(r"  in [a-z-]+, .*, …, strategy-chart of strategy-lab.scm", trail[1])
