"""What is recorded replays clean, whatever the session; and a change to any line of it is found at that line."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from recorded_sessions import Terminal, complaints, record, replayed, type_at_terminal
from transcript_runs import failures, holds, outcomes, updated

from minischeme import SchemeError, SchemeExit, Session
from minischeme.transcripts.matching import line_matches
from minischeme.transcripts.outcomes import Verdict


class Kept(io.StringIO):
    """A file whose text can be had after it was closed."""

    text = ""

    def close(self) -> None:
        self.text = self.getvalue()
        super().close()


def recorded(lines: list[str], *, seed: int = 1, typed: str = "", prompt: str = "> ", dialect: str = "berkeley") -> str:
    """The transcript of a session in which these lines are typed, and `typed` where a program reads."""
    files: list[Kept] = []

    def opened(_name: str) -> Kept:
        files.append(Kept())
        return files[-1]

    session = Session(dialect, seed, output=io.StringIO(), input=io.StringIO(typed))
    session.prompt.recording.open_file = opened
    session.context.console.prompt = prompt
    session.eval("(import (only (minischeme) transcript-on transcript-off))")
    session.prompt.evaluate_and_print('(transcript-on "talk")\n')
    for line in lines:
        try:
            session.prompt.evaluate_and_print(line + "\n")
        except SchemeExit:
            break
        except SchemeError:  # unfinished: nothing was evaluated, and nothing is recorded
            session.input.discard()
        session.input.discard()
    session.prompt.evaluate_and_print("(transcript-off)\n")
    return files[0].text


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 100, 20))
def test_what_is_recorded_replays(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + 20):
        assert not complaints(record(tmp_path, seed)), seed


GOOD = recorded(
    [
        "(define (fact n) (if (= n 0) 1 (* n (fact (- n 1)))))",
        "(trace fact)",
        "(fact 3)",
        '(list 1 2.5 \'three "four")',
        "(car 5)",
        '(begin (display "line one") (newline) (display "line two") (newline) (display "line three") \'done)',
        "(random 1000000)",
        "(vector-ref (vector 1 2) 7)",
    ]
)
LINES = GOOD.splitlines(keepends=True)


def prompt_before(index: int) -> int:
    """The number, from 1, of the prompt's line whose output a line belongs to."""
    return next(number for number in range(index + 1, 0, -1) if LINES[number - 1].startswith("> "))


OUTPUT = [
    index
    for index, line in enumerate(LINES)
    if index > 2 and not line.startswith("> ") and not line.startswith(("  |", "  in ", "  the ", "  did"))
]
TRACE = [index for index in OUTPUT if LINES[index].startswith("..")]


def test_the_good_transcript_is_good() -> None:
    assert holds(GOOD)
    assert len(TRACE) == 8
    assert len(OUTPUT) > 20


@pytest.mark.parametrize("index", OUTPUT)
def test_a_missing_line_is_found(index: int) -> None:
    assert failures("".join(LINES[:index] + LINES[index + 1 :])) == [prompt_before(index)]


@pytest.mark.parametrize("index", OUTPUT)
def test_an_extra_line_is_found(index: int) -> None:
    assert failures("".join([*LINES[:index], "extra\n", *LINES[index:]])) == [prompt_before(index)]
    assert failures("".join([*LINES[: index + 1], LINES[index], *LINES[index + 1 :]])) == [prompt_before(index)]


@pytest.mark.parametrize("index", OUTPUT)
def test_a_wrong_value_is_found(index: int) -> None:
    line = LINES[index].rstrip("\n")
    for wrong in (line + "x", line[:-1], line[:-1] + ("7" if line[-1] != "7" else "8"), "z" + line):
        if wrong.rstrip(": ") != line.rstrip(": "):
            assert failures("".join([*LINES[:index], wrong + "\n", *LINES[index + 1 :]])) == [prompt_before(index)], (
                wrong
            )


@pytest.mark.parametrize("index", OUTPUT)
def test_swapped_lines_are_found(index: int) -> None:
    after = index + 1
    if after in OUTPUT and LINES[after] != LINES[index]:
        swapped = [*LINES[:index], LINES[after], LINES[index], *LINES[after + 1 :]]
        assert failures("".join(swapped)) == [prompt_before(index)]


@pytest.mark.parametrize("index", TRACE)
def test_a_changed_trace_depth_is_found(index: int) -> None:
    line = LINES[index]
    for changed in (".." + line, "." + line, line[1:], line[2:]):
        assert failures("".join([*LINES[:index], changed, *LINES[index + 1 :]])) == [prompt_before(index)], changed


@pytest.mark.parametrize("index", [*OUTPUT, len(LINES) - 1])
def test_an_update_repairs_it_and_touches_nothing_else(index: int) -> None:
    broken = "".join([*LINES[:index], "wrong\n", *LINES[index + 1 :]]) if index in OUTPUT else GOOD
    assert updated(broken) == GOOD


# ── transcript-on and transcript-off ─────────────────────────────────────────────────────────────────────────────────


def test_the_file_of_the_courses_interpreter(tmp_path: Path) -> None:
    """The same session as in golden/transcript_file.txt, whose replay is compared with the golden's in turn."""
    golden = (Path(__file__).parents[1] / "golden" / "transcript_file.txt").read_text(encoding="utf-8")
    session = Session(output=io.StringIO())
    session.context.console.prompt = "STk> "
    session.eval("(define (p x) (* x 2))")
    file = tmp_path / "tr.txt"
    session.prompt.evaluate_and_print(f'(transcript-on "{file}")\n')
    typed = ["(+ 1 2)", "(define q 3)", '(display "hello")', "(car 5)", "(define (two-lines x)\n   (* x 2))"]
    for text in [*typed, "(two-lines 4)", "'(a\nb)", "(trace p)", "(p 5)", "(transcript-off)"]:
        session.prompt.evaluate_and_print(text + "\n")
    remark, seed, *ours = file.read_text(encoding="utf-8").splitlines()
    assert remark == "; Bound at the prompt before this transcript began, and not in it: p."
    assert seed.startswith("; minischeme: seed ")
    theirs = golden.replace("hellookay", "hello\nokay").splitlines()
    stack = theirs.index("Current eval stack:")
    theirs[stack : stack + 3] = ["  | (car 5)", "  |      ^"]
    assert ours == theirs


def test_random_numbers_of_a_recording_come_back() -> None:
    text = recorded(["(random 1000000)", "(random 1000000)"])
    assert holds(text)
    assert failures(text.replace("seed ", "seed 1")) == [3, 5]


def test_random_numbers_of_files_loaded_before_come_back(tmp_path: Path) -> None:
    (tmp_path / "deck.scm").write_text("(define drawn (random 1000000))")
    (tmp_path / "mine.scm").write_text('(load "deck.scm") (define mine (random 1000000))')
    session = Session(output=io.StringIO())
    session.load(tmp_path / "mine.scm")
    session.eval("(random 1000000)")
    session.prompt.recording.start(str(tmp_path / "t.txt"))
    session.prompt.evaluate_and_print("(list drawn mine (random 1000000))")
    session.prompt.recording.stop()
    assert holds((tmp_path / "t.txt").read_text(encoding="utf-8"), str(tmp_path / "t.txt"))


def test_a_file_is_complete_after_each_interaction_and_ends_where_it_is_told(tmp_path: Path) -> None:
    session = Session(output=io.StringIO())
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    session.prompt.evaluate_and_print(f'(transcript-on "{first}")')
    session.prompt.evaluate_and_print("(+ 1 2)")
    assert first.read_text(encoding="utf-8").endswith("> (+ 1 2)\n3\n")
    session.prompt.evaluate_and_print(f'(transcript-on "{second}")')
    session.prompt.evaluate_and_print("(+ 3 4)")
    assert first.read_text(encoding="utf-8").endswith(f'> (transcript-on "{second}")\n')
    session.prompt.evaluate_and_print("(transcript-off)")
    session.prompt.evaluate_and_print("(+ 5 6)")
    assert second.read_text(encoding="utf-8").endswith("> (+ 3 4)\n7\n> (transcript-off)\n")


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    session = Session()
    with pytest.raises(SchemeError, match="transcript-on: cannot open file"):
        session.eval(f'(transcript-on "{tmp_path / "none" / "x.txt"}")')
    with pytest.raises(SchemeError, match="transcript-on"):
        session.eval("(transcript-on 5)")


def test_interact_is_recorded_too() -> None:
    session = Session()
    file = Kept()
    session.prompt.recording.open_file = lambda _name: file
    list(session.interact('(transcript-on "x")'))
    list(session.interact("(+ 1 2) (car 5)"))
    session.prompt.recording.stop()
    assert "> (+ 1 2) (car 5)\n3\n*** Error:\n" in file.text
    assert holds(file.text)


# ── at a terminal ────────────────────────────────────────────────────────────────────────────────────────────────────


def at_terminal(folder: Path, *entries: str, typed: str = "", before: tuple[str, ...] = ()) -> Path:
    """The file of a transcript that begins after some entries at a colour terminal, and is `typed` where asked for."""
    session = Session(seed=1, output=Terminal())
    path = folder / "talk.txt"
    type_at_terminal(session, [*before, f",transcript {path}", *entries], typed.splitlines())
    session.prompt.recording.stop()
    return path


def test_a_colour_terminal_leaves_no_escape_sequences(tmp_path: Path) -> None:
    entries = ["(fist 'hello)", "(define (f x) (car x))", "(define (g x) (+ 1 (f x)))", "(g 5)"]
    chart = ['(load "twenty-one.scm")', "(define (best-total hand) 12)", '(load "strategy-lab.scm")']
    path = at_terminal(tmp_path, *entries, *chart, "(strategy-chart (lambda (hand up) #t))", "(terminal-port?)")
    text = path.read_text(encoding="utf-8")
    assert "\x1b" not in text
    assert "  did you mean first?\n" in text
    assert "H  hit" in text
    assert not complaints(path)


def test_control_characters_of_programs_are_left_out(tmp_path: Path) -> None:
    path = at_terminal(tmp_path, r'(begin (display "\x1b;[1mbold\x1b;[0m \x1b;]0;title\a!\x1e;\x7f;\r") (display 5))')
    assert path.read_text(encoding="utf-8").endswith("\nbold !5\nokay\n")
    assert not complaints(path)


def test_deep_traces_have_their_dots_in_a_transcript(tmp_path: Path) -> None:
    path = at_terminal(tmp_path, "(define (f n) (if (= n 0) 0 (+ 1 (f (- n 1)))))", "(trace f)", "(f 60)")
    assert "." * 100 + " -> f with n = " in path.read_text(encoding="utf-8")
    assert not complaints(path)


def test_names_of_earlier_values_replay(tmp_path: Path) -> None:
    path = at_terminal(tmp_path, "(list 1 2)", "(cdr $)", "(list $ $$ $1)")
    assert path.read_text(encoding="utf-8").endswith("((2) (1 2) (1 2))\n")
    assert not complaints(path)


@pytest.mark.parametrize("command", [",load mine.scm", ",reload", ",seed 9", ",trace --tree (roll)", ",trace roll"])
def test_commands_that_change_the_session_are_in_its_transcript(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.scm").write_text('(define (roll) (random 1000000))\n(display "hi")\n', encoding="utf-8")
    before = ("(random 10)",) if command == ",load mine.scm" else ('(load "mine.scm")',)
    assert not complaints(at_terminal(tmp_path, "(random 1000)", command, "(roll)", "(random 1000)", before=before))


def test_python_that_is_shown_is_not_in_the_transcript(tmp_path: Path) -> None:
    session = Session(output=io.StringIO())
    session.prompt.show_python = lambda text: session.output.write(text)
    path = tmp_path / "talk.txt"
    session.prompt.recording.start(str(path))
    session.prompt.evaluate_and_print("(+ 1 2)")
    session.prompt.recording.stop()
    assert path.read_text(encoding="utf-8").endswith("\n> (+ 1 2)\n3\n")


# ── what was done before ─────────────────────────────────────────────────────────────────────────────────────────────


def test_a_transcript_begins_with_the_files_loaded_before(tmp_path: Path) -> None:
    program = tmp_path / "my programs" / "mine.scm"
    program.parent.mkdir()
    macro = "(syntax-rules () ((_) 1))"
    program.write_text(f"(define mine 7)\n(define other 8)\n(define-syntax one {macro})\n", encoding="utf-8")
    loads = ('(load "twenty-one.scm")', f'(load "{program}")')
    before = (*loads, "(define typed 1)", "(set! other 9)", f"(define-syntax uno {macro})", "(car 5)")
    path = at_terminal(tmp_path, "mine", "(length (make-ordered-deck))", before=before)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[:4] == [
        "; minischeme: seed 1",
        '; minischeme: load "twenty-one.scm"',
        '; minischeme: load "my programs/mine.scm"',
        "; Bound at the prompt before this transcript began, and not in it: other, typed, uno.",
    ]
    assert not complaints(path)


def test_a_file_that_was_loaded_in_part_is_loaded_in_part_again(tmp_path: Path) -> None:
    (tmp_path / "mine.scm").write_text("(define mine 7)\n(car mine)\n(define other 8)\n", encoding="utf-8")
    path = at_terminal(tmp_path, "mine", "other", before=(f'(load "{tmp_path / "mine.scm"}")',))
    text = path.read_text(encoding="utf-8")
    assert text.startswith('; minischeme: seed 1\n; minischeme: random\n> (load "mine.scm")\n; minischeme: seed ')
    assert not complaints(path)


# ── files that are there ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("end", ["", "\n", "\n\nIt is three, as you see."])
def test_a_transcript_that_is_there_is_added_to(end: str, tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    before = f"Explanations.\n\n; minischeme: r7rs\n> (define x 3)\nx\n> x\n3{end}"
    path.write_text(before, encoding="utf-8")
    at_terminal(tmp_path, "'X", "x")
    text = path.read_text(encoding="utf-8")
    assert text.startswith(before)
    assert "\n\n; minischeme: berkeley\n; minischeme: seed " in text
    assert text.endswith("> 'X\nx\n> x\n*** Error:\n    unbound variable: x\n  | x\n  | ^\n")
    assert not complaints(path)
    session = Session(output=io.StringIO())
    assert [each.output for each in session.interact(f'(transcript-on "{path}")')] == [
        f";; {path} is there already: what follows is added to it\nokay\n"
    ]


def test_a_session_after_one_that_has_ended(tmp_path: Path) -> None:
    at_terminal(tmp_path, "(+ 1 2)", '(begin (display "Leave? ") (read) (exit))', typed="yes")
    at_terminal(tmp_path, "(+ 3 4)", f'(transcript-on "{tmp_path / "other.txt"}")')
    path = at_terminal(tmp_path, "(+ 5 6)", "(exit)")
    assert len(replayed(path)[1]) == 6
    assert not complaints(path)


@pytest.mark.parametrize("text", ["(define x 1)\n", "Words.\n", "\0\1\2"])
def test_a_file_with_something_else_is_left_as_it_is(text: str, tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SchemeError, match="is no transcript, and is left as it is"):
        Session().eval(f'(transcript-on "{path}")')
    assert path.read_text(encoding="utf-8") == text
    path.write_bytes("STk> 'naïve".encode("cp1252"))
    with pytest.raises(SchemeError, match="cannot open file"):
        Session().eval(f'(transcript-on "{path}")')
    path.write_text(" \n", encoding="utf-8")
    assert at_terminal(tmp_path, "1").read_text(encoding="utf-8").startswith("; minischeme: seed ")


# ── what may differ ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "value",
    [
        "(delay 1)",
        "(let ((p (delay 1))) (force p) p)",
        "(cons-stream 1 2)",
        "(list (lambda (x y) x) (lambda rest rest))",
        "(the-environment)",
        "(make-equal-hash-table)",
        "(call/cc (lambda (k) k))",
        "(make-parameter 1)",
        "(begin (define-record-type point (make-point x) point? (x px)) (make-point 1))",
        "(call/cc (lambda (k) (with-exception-handler k (lambda () (error \"bad\" car (delay 1))))))",
        "(begin (define-class (thing) (method (a) 1)) (instantiate thing))",
        "(error \"bad\" (delay 1) (lambda (x) x))",
        "(begin (define (f g) (+ 1 (g 'a))) (f (lambda (first second third) first)))",
        "(list (current-output-port) (eof-object) car)",
    ],
)  # fmt: skip
def test_printed_addresses_may_differ(value: str) -> None:
    text = recorded([value])
    renamed = re.sub(r"(?<= )[0-9a-f]{8,}", lambda found: hex(int(found[0], 16) + 4096)[2:], text)
    assert holds(text)
    assert holds(renamed)
    assert updated(renamed) == renamed


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("#[promise 7f0a12 (not forced)]", "#[promise 7f0b12 (forced)]"),
        ("#[subr bad]", "#[subr fade]"),
        ("#[condition car: wrong type of argument: 55]", "#[condition car: wrong type of argument: 66]"),
        ("#[record-type ace]", "#[record-type bad]"),
        ("#[input-port ab]", "#[input-port ac]"),
    ],
)
def test_what_is_no_address_may_not_differ(shown: str, text: str) -> None:
    assert not line_matches(shown, text)


# ── input ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("entry", "typed"),
    [
        ("(list (read) (read-char) (read) (read-line))", "1 (a b) and the rest"),
        ("(read) (read) (read-line)", "1 2 3 4"),
        ("(read) (display 'x) (read-char) (read-line)", "1 2\n"),
        ('(begin (display "A? ") (let ((a (read))) (display "B? ") (list a (read))))', "1 2"),
        ("(list (read) (read-line) (read))", "(a\nb) rest\nc"),
        ("(list (read-line) (read-line) (read-char))", "first\n\nthird"),
        ('(begin (display "Hit? ") (let ((a (read))) (newline) a))', "()"),
        ('(let loop () (display "> ") (let ((a (read))) (if (eq? a \'end) a (begin (write a) (newline) (loop)))))',
         "(+ 1 2)\n4 5\nend"),
        ('(begin (display "Bye? ") (read) (exit))', "\n\nyes"),
        ("(list (read) (read))", "1"),
    ],
)  # fmt: skip
def test_what_was_typed_in_one_line_is_read_as_it_was(entry: str, typed: str, tmp_path: Path) -> None:
    path = at_terminal(tmp_path, entry, "(+ 1 2)", "(+ 3 4)", typed=typed)
    assert not complaints(path)


def test_record_takes_a_new_line_for_each_expression(tmp_path: Path) -> None:
    (tmp_path / "mine.scm").write_text("", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "minischeme", "record", "mine.scm", "-o", "out.txt", "(read)", "(read-line)"],
        input="1 )\n3 4\n",
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        check=True,
    )
    assert done.returncode == 0
    text = (tmp_path / "out.txt").read_text(encoding="utf-8")
    assert text.endswith("> (read)\n1 )\n1\n> (read-line)\n3 4\n(3 4)\n")
    assert not complaints(tmp_path / "out.txt")


def test_what_was_interrupted_is_not_run_again() -> None:
    text = "> (let l () (l))\n*** Error:\n    interrupted\n  | (let l () (l))\n  |           ^^\n> 1\n1\n"
    assert [outcome.verdict for outcome in outcomes(text)] == [Verdict.NOT_RUN, Verdict.SAME]


PASTED = """\
(define (app h x)
  (+ 1 (h x)))
; what fails
(app car
     5)
(define (g y) (+ (car y) 1)) (app g 'a)
; the end
(car (list 1 2]"""


def test_the_lines_of_a_paste_are_numbered_from_their_prompts() -> None:
    talk = recorded([PASTED])
    assert "in app at <prompt>:2:8 with h = car, x = 5" in talk
    assert "in g at <prompt>:1:18 with y = a" in talk
    assert "read: the ( at line 1, column 6 is closed by ]" in talk
    assert holds(talk)


@pytest.mark.parametrize(
    ("text", "count"), [("n\n; a comment", 1), ("; a comment\n(car 5)", 1), ("1\n\n ; a\n; b\n\n2 ; c", 2)]
)
def test_comments_between_the_lines_of_a_paste(text: str, count: int) -> None:
    found = outcomes(recorded([text]))
    assert [outcome.verdict for outcome in found] == [Verdict.SAME] * (count + 1)
