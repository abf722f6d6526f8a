"""The format of transcripts, what matches what, and directives."""

from __future__ import annotations

from pathlib import Path

import pytest
from transcript_runs import TESTING, failures, holds, outcomes, updated

from minischeme.transcripts.document import Document, TranscriptError
from minischeme.transcripts.matching import line_matches
from minischeme.transcripts.outcomes import Verdict
from minischeme.transcripts.replay import Replay, Settings

# ── the format ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_file_as_handed_in() -> None:
    assert holds(TESTING)
    assert [outcome.line for outcome in outcomes(TESTING)] == [6, 9, 14, 16, 24]
    assert updated(TESTING) == TESTING


@pytest.mark.parametrize("prompt", ["> ", "STk> ", "scm> ", "minischeme> ", "1 ]=> ", "23 error> "])
def test_known_prompts(prompt: str) -> None:
    assert holds(f"{prompt}(+ 1 2)\n3\n{prompt}(define x 1)\nx\n{prompt}\n")
    assert failures(f"{prompt}(+ 1 2)\n4\n{prompt}(define x 1)\ny\n") == [1, 3]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_line_ends_survive(newline: str, end: str) -> None:
    text = f"Prose\n\n> (+ 1 2)\n3{end}".replace("\n", newline)
    assert holds(text)
    assert updated(text) == text
    assert updated(text.replace("3", "4").replace("Prose", "Pr4se")) == text.replace("Prose", "Pr4se") + (
        newline if not end else ""
    )


def test_only_fenced_blocks_of_markdown_hold_interactions() -> None:
    text = "> (car 5)\n\n```scheme\n> (+ 1 2)\n3\n```\n\n```sh\n> (car 6)\n```\n~~~\n> 4\n4\n~~~\n> (car 7)\n"
    assert [outcome.line for outcome in outcomes(text, "a.md")] == [4, 12]
    assert holds(text, "a.md")
    assert failures(text.replace("\n3\n", "\n4\n"), "a.md") == [4]
    assert updated(text.replace("\n3\n```", "\n```"), "a.md") == text


def test_blank_lines_may_be_output_or_end_it() -> None:
    shown = '> (begin (display "a") (newline) (newline) (display "b") (newline) (quote c))\na\n\nb\nc\n'
    assert holds(shown + "\nAnd prose.\n\nMore.\n> 1\n1\n")
    assert failures(shown.replace("b\n", "x\n") + "\nAnd prose.\n") == [1]
    assert updated(shown.replace("\nb\n", "\nx\n") + "\nAnd prose.\n") == shown + "\nAnd prose.\n"


def test_several_results_with_prompts_between_or_without() -> None:
    assert holds('STk> (display "a") (display "b")\naokay\nSTk> bokay\nSTk> 1 2 3\n1\nSTk> 2\nSTk> 3\nSTk> 4\n4\n')
    assert holds('STk> (display "a") (display "b")\na\nokay\nb\nokay\nSTk> 1 2\n1\n2\n')
    wrong = 'STk> (display "a") (display "b")\naokay\nSTk> cokay\nSTk> 1\n1\n'
    assert failures(wrong) == [1]
    assert failures("STk> 1\n1\nSTk> *** Error:\n    unbound variable: x\nSTk> 2\n2\n") == [3]


def test_a_stray_bracket_with_the_originals_message() -> None:
    assert holds("STk> )\n\nread: unexpected close parenthesis\n(+ 1 2)\n3\nSTk> 1\n1\n")


def test_what_follows_an_error_of_reading_is_run() -> None:
    shown = "> 1 (a #\\nosuch) 2\n1\n*** Error:\n    read: bad character name: #\\nosuch\n2\n"
    assert holds(shown)
    assert failures(shown.replace("\n2\n", "\n3\n")) == [1]


def test_a_form_that_is_never_closed_is_an_error_at_its_place() -> None:
    assert failures("> (car\n> (+ 1 2)\n3\n") == [1]


# ── matching ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("3", "3  "),
        ("3 ", "3"),
        ("0.333333333333333", "1/3"),
        ("(a -0.6667)", "(a -2/3)"),
        ("0.5", "1/2"),
        ("1.21", "1.2100000000000002"),
        ("1.23456789012346e+19", "12345678901234567000.0"),
        ("#[closure arglist=(x) 1f2e]", "#[closure arglist=(x) 7fd29c193100]"),
        ("(1 #[environment f795a03c] 2.5)", "(1 #[environment 12ab] 2.5000001)"),
        ("...", "anything"),
        ("(a ... z)", "(a b c z)"),
        ("... z", "(a b c z"),
        ("(a ...)", "(a ...)"),
        ("*** Error at line 4 of file ./bad.scm:", "*** Error at /tmp/x/bad.scm:3:5:"),
        ("*** Error at bad.scm:3:5:", "*** Error at /tmp/x/bad.scm:3:5:"),
        ("  in f at lib/a.scm:1:2", "  in f at /home/me/lib/a.scm:1:2"),
    ],
)
def test_lines_that_match(shown: str, text: str) -> None:
    assert line_matches(shown, text)


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("3", "4"),
        (" 3", "3"),
        ("3", "3.0"),
        ("3", "3.2"),
        ("3.0", "3"),
        ("0.33", "0.34"),
        ("0.3333", "1/4"),
        ("1.25", "1.2"),
        ("0.1", "a"),
        ("#[closure arglist=(x) 1f2e]", "#[closure arglist=(y) 1f2e]"),
        ("#[subr bad]", "#[subr add]"),
        ("(a ... z)", "(a b c)"),
        ("... -> f with n = 1", ".... -> f with n = 1"),
        ("...... -> f with n = 1", ".... -> f with n = 1"),
        ("*** Error at line 2 of file ./bad.scm:", "*** Error at /tmp/x/bad.scm:3:5:"),
        ("*** Error at line 4 of file ./good.scm:", "*** Error at /tmp/x/bad.scm:3:5:"),
        ("*** Error at bad.scm:3:5:", "*** Error at bad.scm:3:6:"),
    ],
)
def test_lines_that_do_not_match(shown: str, text: str) -> None:
    assert not line_matches(shown, text)


def test_trace_without_parameters_as_the_original_prints_it() -> None:
    defined = "STk> (define (noarg) 42)\nnoarg\nSTk> (trace noarg)\nokay\n"
    assert holds(defined + "STk> (noarg)\n.. -> noarg .. <- noarg returns 42\n42\n")
    assert holds(defined + "STk> (noarg)\n.. -> noarg\n.. <- noarg returns 42\n42\n")
    assert failures(defined + "STk> (noarg)\n.. -> noarg.. <- noarg returns 42\n42\n") == [5]


@pytest.mark.parametrize(
    "shown",
    [
        "*** Error:\n    car: wrong type of argument: 5\n",
        "*** Error:\n    car: wrong type of argument: 5\n  | (car 5)\n  |      ^\n",
        "*** Error:\n    car: wrong type of argument: 5\nCurrent eval stack:\n__________________\n  0    (car 5)\n",
        "*** Error:\n    Car: wrong type of argument: 5\n",
        "*** Error:\n    car: ...\n",
        "*** Error:\n...\n",
        "...\n",
    ],
)
def test_error_blocks_that_match(shown: str) -> None:
    text = f"> (car 5)\n{shown}> 1\n1\n"
    assert holds(text)
    assert updated(text) == text


@pytest.mark.parametrize(
    "shown",
    [
        "*** Error:\n    car: wrong type of argument: 6\n",
        "*** Error:\n    car: wrong type of argument:\n",
        "*** Error:\n    cdr: wrong type of argument: 5\n",
        "*** Error:\n",
        "    car: wrong type of argument: 5\n",
        "*** Error:\n    car: wrong type of argument: 5\n  | (car 5)\n",
        "*** Error:\n    car: wrong type of argument: 5\nokay\n",
    ],
)
def test_error_blocks_that_do_not_match(shown: str) -> None:
    assert failures(f"> (car 5)\n{shown}> 1\n1\n") == [1]


def test_an_update_keeps_an_explanation_behind_output_that_begins_with_a_blank_line() -> None:
    text = '> (begin (newline) (display "x"))\n\nThis is the explanation.\n\n> (+ 1 2)\n\nThe end.\n'
    assert updated(text) == (
        '> (begin (newline) (display "x"))\n\nx\nokay\n\nThis is the explanation.\n\n> (+ 1 2)\n3\n\nThe end.\n'
    )
    wrong = '> (begin (newline) (display "Your total is 20"))\n\nYour total is 19\n\n> (+ 1 2)\n3\n'
    assert updated(wrong) == wrong.replace("19\n", "20\nokay\n")


@pytest.mark.parametrize("shown", ["", "y\n"])
def test_an_update_keeps_what_waits_for_its_output_behind_several_expressions(shown: str) -> None:
    typed = "> (define y 1) (+ y 1)\n"
    assert updated(f"{typed}{shown}> (* 3 3)\n") == f"{typed}y\n2\n> (* 3 3)\n9\n"
    assert updated(f"{typed}{shown}\nThree.\n\n> (* 3 3)\n") == f"{typed}y\n2\n\nThree.\n\n> (* 3 3)\n9\n"


def test_an_update_keeps_wildcards_and_eval_stacks() -> None:
    before = (
        "> (for-each (lambda (x) (display x) (newline)) (list 1 2 3 4 5 6))\n1\n...\n9\n6\nokay\n"
        "> (begin (display 1) (newline) (car 5))\n2\n*** Error:\n    car: wrong type of argument: 5\n"
        "Current eval stack:\n__________________\n  0    (car 5)\n"
    )
    assert failures(before) == [1, 7]
    assert updated(before) == before.replace("9\n", "").replace("2\n***", "1\n***")


# ── input ────────────────────────────────────────────────────────────────────────────────────────────────────────────

HIT = 'STk> (define (hit?) (display "Hit? ") (eq? (read) \'y))\nhit?\n'


@pytest.mark.parametrize(
    "shown", ["Hit? y\n#t\n", "y\nHit? #t\n", "Hit? n\n#f\n", "n\nHit? #f\n", "Hit? y\n#t\n\nProse.\n"]
)
def test_what_was_typed_is_read(shown: str) -> None:
    text = f"{HIT}STk> (hit?)\n{shown}STk> 1\n1\n"
    assert holds(text)
    assert failures(text.replace("#t", "#x").replace("#f", "#x")) == [3]
    assert updated(text.replace("#t", "#x").replace("#f", "#x")) in (text, text.replace("Hit? #", "Hit? \n#"))


def test_read_line_takes_the_rest_of_the_prompts_line_where_nothing_was_typed() -> None:
    assert holds("STk> (read-line)\n()\nSTk> (list (read-line))\n(())\n\nProse.\nSTk> (read-line)\nhello\n(hello)\n")


# ── directives ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_directives(tmp_path: Path) -> None:
    (tmp_path / "mine.scm").write_text('(define mine 7)\n(display "not shown")', encoding="utf-8")
    text = """\
; minischeme: seed 42
> (define a (random 1000000))
a
;; minischeme: seed 42
> (= a (random 1000000))
#t
; minischeme: load mine.scm
> mine
7
; minischeme: random
> (random 1000000)
0
; minischeme: skip
> (let loop () (loop))
for ever
; minischeme: fresh
> mine
*** Error:
    unbound variable: mine
; minischeme: r7rs
> (eq? 'ABC 'abc)
#f
> (display "x")
x
; minischeme: berkeley
> (eq? 'ABC 'abc)
#t
; minischeme: prompt "λ "
λ (+ 1 2)
3
; minischeme: prompt scheme>
scheme> 4
4
"""
    found = outcomes(text, str(tmp_path / "a.txt"))
    assert [outcome.line for outcome in found if outcome.verdict.fails] == []
    verdicts = {outcome.line: outcome.verdict for outcome in found}
    assert verdicts[11] is Verdict.NOT_COMPARED
    assert verdicts[14] is Verdict.NOT_RUN
    assert len(found) == 11


def test_a_shorter_fence_ends_no_block() -> None:
    assert [outcome.line for outcome in outcomes("````scheme\n> 1\n```\n> 2\n2\n````\n> 3\n", "a.md")] == [2, 4]


@pytest.mark.parametrize("shown", ["unbound variable", "Unbound variable"])
def test_an_unbound_variable_is_always_named(shown: str) -> None:
    assert not line_matches(shown, "unbound variable: x", message="unbound variable:")


def test_directives_of_markdown() -> None:
    text = "<!-- minischeme: seed 7 -->\n```\n> (random 1000000)\n{}\n```\n<!-- minischeme: fresh -->\n"
    value = updated(text.format("0"), "a.md")
    assert holds(value, "a.md")
    assert failures(value.replace("seed 7", "seed 8"), "a.md") == [3]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("; minischeme: sede 42", "unknown directive: sede"),
        ("; minischeme: seed", "seed wants an argument"),
        ("; minischeme: seed x", "seed wants an integer, given x"),
        ("; minischeme: skip 3", "skip takes no argument, given 3"),
    ],
)
def test_wrong_directives(line: str, complaint: str) -> None:
    with pytest.raises(TranscriptError, match=f"a.txt:2: .*{complaint}"):
        Document(f"> 1\n{line}\n", "a.txt")


def test_a_file_to_load_that_is_not_there_or_fails(tmp_path: Path) -> None:
    (tmp_path / "bad.scm").write_text("(car 5)", encoding="utf-8")
    for name in ("none.scm", "bad.scm"):
        document = Document(f"; minischeme: load {name}\n> 1\n1\n", str(tmp_path / "a.txt"))
        with pytest.raises(TranscriptError, match=f"a.txt:1: .*{name}"):
            list(Replay(document).run())


def test_random_numbers_are_the_same_each_time() -> None:
    text = updated("> (random 1000000)\n0\n> (random 1000000)\n0\n")
    assert holds(text)


# ── ends ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_endless_loop_is_told_and_the_rest_goes_on() -> None:
    text = "> (define x 3)\nx\n> (let loop () (loop))\nnever\n> x\n3\n"
    found = outcomes(text, limit=0.3)
    assert [outcome.verdict for outcome in found] == [Verdict.SAME, Verdict.ENDLESS, Verdict.SAME]
    assert "endless loop?" in found[1].note


def test_the_limit_of_a_file() -> None:
    document = Document("> (let loop () (loop))\n1\n> 2\n2\n> 3\n3\n")
    found = list(Replay(document, Settings(limit=10.0, file_limit=0.3)).run())
    assert [outcome.verdict for outcome in found] == [Verdict.ENDLESS, Verdict.ENDLESS, Verdict.NOT_RUN]


def test_exit_ends_it() -> None:
    found = outcomes('> (begin (display "bye") (exit 3))\nbye\n> 2\n3\n')
    assert [outcome.verdict for outcome in found] == [Verdict.SAME, Verdict.NOT_RUN]


def test_a_replay_writes_no_transcript(tmp_path: Path) -> None:
    path = tmp_path / "tr.txt"
    text = f'> (transcript-on "{path}")\nokay\n> 1\n1\n> (transcript-off)\n'
    path.write_text(text, encoding="utf-8")
    assert holds(text, str(path))
    assert path.read_text(encoding="utf-8") == text


def test_what_the_check_allows_changes_nothing(tmp_path: Path) -> None:
    text = "; minischeme: allow unbound\n> (+ 1 2)\n3\n"
    assert [one.verdict for one in outcomes(text)] == [Verdict.SAME]
