"""The format of transcripts, what matches what, directives, and the commands `minischeme test` and `record`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from transcript_runs import failures, holds, outcomes, updated

from minischeme.cli import main as cli
from minischeme.transcripts.document import Document, TranscriptError
from minischeme.transcripts.matching import line_matches
from minischeme.transcripts.outcomes import Verdict
from minischeme.transcripts.replay import Replay, Settings

TESTING = """\
Testing my project
==================

Here is best-total at work.

STk> (define (plural w)
       (word w 's))
plural
STk> (plural 'card)
cards

As you see, it works. A quotation:
  > nothing
STk> (display "hi")
hiokay
STk> (car '())
*** Error:
    car: wrong type of argument
Current eval stack:
__________________
  0    (car (quote ()))

That was an error.
STk> plural
#[closure arglist=(w) f79aaa20]
"""

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


# ── the commands ─────────────────────────────────────────────────────────────────────────────────────────────────────

BAD = "Prose\n> (+ 1 2)\n4\n> (+ 2 2)\n4\n> (car 5)\nokay\n"


def write(folder: Path, name: str, text: str) -> Path:
    """A new file."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))
    return path


def test_the_command_shows_differences_in_the_files_line_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, "bad.txt", BAD)
    assert cli.main(["test", str(path)]) == 1
    output = capsys.readouterr().out
    assert (
        f"{path}:2: (+ 1 2)\n--- {path}\n+++ {path} (now)\n@@ -2,5 +2,5 @@\n > (+ 1 2)\n-4\n+3\n > (+ 2 2)\n" in output
    )
    assert f"{path}:6: (car 5)\n" in output
    assert output.endswith(f"{path}: 3 interactions, 2 different\n")
    assert path.read_text(encoding="utf-8") == BAD


def test_statuses_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = write(tmp_path, "good.txt", TESTING)
    assert cli.main(["test", str(good)]) == 0
    assert cli.main(["test", str(tmp_path / "none.txt")]) == 2
    assert cli.main(["test", str(write(tmp_path, "empty/none.txt", "No prompt.\n"))]) == 2
    assert cli.main(["test", str(tmp_path / "empty")]) == 2
    assert cli.main(["test", str(write(tmp_path, "odd.txt", "; minischeme: odd\n> 1\n1\n"))]) == 2
    assert "odd.txt:1: unknown directive: odd" in capsys.readouterr().err
    assert cli.main(["test", str(good), "--path", str(good)]) == 2
    assert "no such folder" in capsys.readouterr().err
    for wrong in (["test"], ["test", "--check", "--update", str(good)], ["test", "-j", "0", str(good)]):
        with pytest.raises(SystemExit) as ended:
            cli.main(wrong)
        assert ended.value.code == 2


def test_folders_and_several_processes(tmp_path: Path) -> None:
    for number in range(3):
        write(tmp_path, f"deep/{number}.txt", TESTING)
    write(tmp_path, "bad.txt", BAD)
    write(tmp_path, "notes.md", "> a quotation\n")
    write(tmp_path, "sums.scm", "(+ 1 2) ; expect 3\n(+ 1 2)\n; expect 4\n")
    done = subprocess.run(
        [sys.executable, "-m", "minischeme", "test", "-j", "2", str(tmp_path)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=Path(cli.__file__).parents[2],
        timeout=120,
    )
    assert done.returncode == 1
    assert done.stdout.endswith("5 files: 20 interactions, 3 different\n"), done.stdout
    assert "sums.scm:2: (+ 1 2)\n-4\n+3\n" in done.stdout


def test_differences_fit_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "40")
    words = " ".join(["word"] * 20)
    write(tmp_path, "bad.txt", f"> '({words})\n(word {words})\n")
    assert cli.main(["test", "bad.txt"]) == 1
    assert f"\n-(word {words})\n" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert cli.main(["test", "bad.txt"]) == 1
    output = capsys.readouterr().out
    assert "\n-(word word word word word word word\n  word word" in output
    assert all(len(line) <= 40 for line in output.splitlines())


def test_update_changes_what_differs_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, "bad.txt", BAD)
    assert cli.main(["test", "--update", str(path)]) == 0
    assert capsys.readouterr().out.startswith(f"updated {path}:2: (+ 1 2)\nupdated {path}:6: (car 5)\n")
    error = "*** Error:\n    car: wrong type of argument: 5\n  | (car 5)\n  |      ^\n"
    assert path.read_text(encoding="utf-8") == BAD.replace("(+ 1 2)\n4", "(+ 1 2)\n3").replace("okay\n", error)
    before = path.stat()
    assert cli.main(["test", "--update", str(path)]) == 0
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_interactive_asks_for_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["n", "y"])
    monkeypatch.setattr("builtins.input", lambda _question: next(answers))
    path = write(tmp_path, "bad.txt", BAD)
    assert cli.main(["test", "--interactive", str(path)]) == 1
    assert "1 accepted" in capsys.readouterr().out
    assert failures(path.read_text(encoding="utf-8")) == [2]


def test_interactive_asks_for_expectations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["n", "y"])
    monkeypatch.setattr("builtins.input", lambda _question: next(answers))
    path = write(tmp_path, "sums.scm", "1 ; expect 2\n(+ 1 2) ; expect 4\n")
    assert cli.main(["test", "--interactive", str(path)]) == 1
    assert f"updated {path}:2: (+ 1 2)\n" in capsys.readouterr().out
    assert path.read_text(encoding="utf-8") == "1 ; expect 2\n(+ 1 2) ; expect 3\n"


def test_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = write(tmp_path, "lib/solution.scm", "(define (double x) (* 2 x))\n(define (roll) (random 1000000))\n")
    target = tmp_path / "testing.txt"
    expressions = ["(double 4)", "(roll)", "(trace double)", "(double\n  5)", "(car 5)"]
    assert cli.main(["record", str(program), "-o", str(target), *expressions, "--seed", "5"]) == 0
    text = target.read_text(encoding="utf-8")
    assert text.startswith('; minischeme: seed 5\n> (load "lib/solution.scm")\nokay\n> (double 4)\n8\n> (roll)\n')
    assert "> (double\n  5)\n.. -> double with x = 5\n" in text
    assert cli.main(["test", str(target)]) == 0
    assert cli.main(["record", str(program), "-o", str(target), "1"]) == 2
    assert target.read_text(encoding="utf-8") == text
    assert cli.main(["record", str(program), "-o", str(target), "1", "--force"]) == 0
    assert target.read_text(encoding="utf-8").endswith("> 1\n1\n")
    assert cli.main(["record", str(program), "(car"]) == 2
    assert cli.main(["record", str(tmp_path / "none.scm"), "1"]) == 2
    capsys.readouterr()
    assert cli.main(["record", str(program), "(double 1)", "(exit)", "(double 2)"]) == 0
    assert capsys.readouterr().out.endswith("> (double 1)\n2\n> (exit)\n")


@pytest.mark.parametrize("text", ["(define (f) 1", "(car 5)", ")(car"])
def test_record_of_a_program_that_does_not_load(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = write(tmp_path, "solution.scm", text)
    target = tmp_path / "testing.txt"
    assert cli.main(["record", str(program), "-o", str(target), "(+ 1 2)"]) == 1
    assert not target.exists()
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"minischeme record: {program} does not load, so nothing was recorded\n*** Error")


EXPECTATIONS = """\
(define (f x) (* x 2))  ; a comment
(f 4) ;; expect 9
(f 3) ; expect 6

(car 5)
; expect 5
; more to say
(begin (display "one") (newline) (display "two") (newline) 'three)
  ;  Expect one
  ;  Expect 2
(begin (display "hi") (newline) 'x) ; expect y
(f 'a) ; expect Error
(+ 1 2)
; Expect 1
; between
; expect 2
(f 'a) ; expect error
"""


def test_expectations_are_updated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, "sums.scm", EXPECTATIONS)
    assert cli.main(["test", str(path)]) == 1
    assert path.read_text(encoding="utf-8") == EXPECTATIONS
    capsys.readouterr()
    assert cli.main(["test", "--update", str(path)]) == 0
    assert f"updated {path}:2: (f 4)\n" in capsys.readouterr().out
    renewed = EXPECTATIONS.replace("expect 9", "expect 8").replace("expect y", "expect x")
    renewed = renewed.replace("expect 5", "expect Error: car: wrong type of argument: 5")
    renewed = renewed.replace("  ;  Expect 2\n", "  ;  Expect two\n  ;  Expect three\n")
    renewed = renewed.replace("; Expect 1\n; between\n; expect 2\n", "; Expect 3\n; between\n")
    assert path.read_text(encoding="utf-8") == renewed
    assert cli.main(["test", str(path)]) == 0


def test_an_endless_expression_is_not_updated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "(let loop () (loop)) ; expect 9\n"
    path = write(tmp_path, "endless.scm", text)
    assert cli.main(["test", "--update", "--limit", "0.2", str(path)]) == 1
    assert path.read_text(encoding="utf-8") == text
    assert "1 stopped by the time limit" in capsys.readouterr().out


def test_the_help_names_each_directive_and_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["test", "--help"])
    text = capsys.readouterr().out
    for word in ("seed", "load", "random", "skip", "fresh", "r7rs", "prompt", "--path", "--seed", "--limit"):
        assert word in text
