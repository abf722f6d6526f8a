"""What is recorded replays clean, whatever the session; and a change to any line of it is found at that line."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from transcript_runs import failures, holds, outcomes, updated

from minischeme import SchemeError, SchemeExit, Session

FORMS = [
    "(define x {n})",
    "(define (f a)\n  (if (= a 0)\n      0\n      (+ a (f (- a 1)))))",
    "(define (g . rest) (f (count rest)))",
    "(define (noarg) (g 1 2))",
    "(f {n})",
    '(g {n} \'a "b")',
    "(noarg)",
    "x",
    "(trace f)",
    "(trace f g noarg)",
    "(untrace f)",
    "(untrace)",
    "(trace car)",
    "(car '({n} 2))",
    "(random {m})",
    "(list (random {m}) (random {m}))",
    '(display "hi")',
    '(begin (display "one") (newline) (newline) (display "two {n}"))',
    '(begin (newline) (display "> (+ 1 2)") (newline) (display "; minischeme: seed 1") 7)',
    '(display "a\\n\\n\\n")',
    "(newline)",
    "(car {n})",
    "(car '())",
    "(vector-ref (vector 1 2) {n})",
    '(error "Bad thing" x)',
    '(error "two\\nlines" \'(a b))',
    "undefined-name",
    "(if)",
    ")",
    "(+ 1 {n}))",
    '1 2 (display "three") \'four',
    "'#(",
    "(/ {n} 7)",
    "(/ {n}.5 7)",
    "(sqrt {n})",
    "(lambda (x y) x)",
    "f",
    "'(... a)",
    '"..."',
    "(list 'a \"b c\" #\\d 1.5 #t '())",
    "(read)",
    "(read-line)",
    '(begin (display "Hit? ") (let ((answer (read))) (newline) (eq? answer \'y)))',
    '(begin (display "Name: ") (read-line))',
    "(define (loop-free n) ; a comment\n  n)",
    "; only a comment",
    "(word {n} 's)",
    "(every first '(the long and winding road))",
    '(transcript-on "again")',
    "'pasted ; with\n(+ {n}\n  1) 'more\n(car {n})\n(list 'a\n'b)\n)\n'last",
    '(+ 1 1) (display "a")\n#<unreadable>',
]


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
    session.open_transcript = opened
    session.prompt = prompt
    session.eval("(import (only (minischeme) transcript-on transcript-off))")
    session.evaluate_and_print('(transcript-on "talk")\n')
    for line in lines:
        try:
            session.evaluate_and_print(line + "\n")
        except SchemeExit:
            break
        except SchemeError:  # unfinished: nothing was evaluated, and nothing is recorded
            session.input.discard()
        session.input.discard()
    session.evaluate_and_print("(transcript-off)\n")
    return files[0].text


@st.composite
def sessions(draw: st.DrawFn) -> list[str]:
    """What is typed in a session."""
    forms = draw(st.lists(st.sampled_from(FORMS), min_size=1, max_size=14))
    numbers = st.integers(0, 12)
    return [form.replace("{n}", str(draw(numbers))).replace("{m}", str(draw(numbers) + 1)) for form in forms]


ANSWERS = st.lists(st.sampled_from(["y", "n", "(a b c)", "hello there 10s", "", "42 rest of the line"]), max_size=6)


@settings(max_examples=80, deadline=None, phases=[Phase.generate])
@given(sessions(), st.integers(0, 99), ANSWERS, st.sampled_from(["> ", "STk> ", "λ: "]))
def test_what_is_recorded_replays(lines: list[str], seed: int, answers: list[str], prompt: str) -> None:
    text = recorded(lines, seed=seed, typed="".join(f"{answer}\n" for answer in answers), prompt=prompt)
    bad = [(outcome, text) for outcome in outcomes(text) if outcome.verdict.fails]
    assert not bad
    assert updated(text) == text


R7RS = ["(define x 3)", "x", '(display "hi")', "(newline)", "(set! x 4)", "(car x)", "'ABC", "(if #f #f)", "(values)"]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(R7RS), min_size=1, max_size=8))
def test_what_is_recorded_in_the_other_dialect_replays(lines: list[str]) -> None:
    text = recorded(lines, dialect="r7rs")
    assert text.startswith("; minischeme: r7rs\n; minischeme: seed ")
    assert holds(text), text


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
    golden = (Path(__file__).parent / "golden" / "transcript_file.txt").read_text(encoding="utf-8")
    session = Session(output=io.StringIO())
    session.prompt = "STk> "
    session.eval("(define (p x) (* x 2))")
    file = tmp_path / "tr.txt"
    session.evaluate_and_print(f'(transcript-on "{file}")\n')
    typed = ["(+ 1 2)", "(define q 3)", '(display "hello")', "(car 5)", "(define (two-lines x)\n   (* x 2))"]
    for text in [*typed, "(two-lines 4)", "'(a\nb)", "(trace p)", "(p 5)", "(transcript-off)"]:
        session.evaluate_and_print(text + "\n")
    ours = file.read_text(encoding="utf-8").splitlines()
    assert ours[0].startswith("; minischeme: seed ")
    theirs = golden.replace("hellookay", "hello\nokay").splitlines()
    stack = theirs.index("Current eval stack:")
    theirs[stack : stack + 3] = ["  | (car 5)", "  |      ^"]
    assert ours[1:] == theirs


def test_random_numbers_of_a_recording_come_back() -> None:
    text = recorded(["(random 1000000)", "(random 1000000)"])
    assert holds(text)
    assert failures(text.replace("seed ", "seed 1")) == [3, 5]


def test_a_file_is_complete_after_each_interaction_and_ends_where_it_is_told(tmp_path: Path) -> None:
    session = Session(output=io.StringIO())
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    session.evaluate_and_print(f'(transcript-on "{first}")')
    session.evaluate_and_print("(+ 1 2)")
    assert first.read_text(encoding="utf-8").endswith("> (+ 1 2)\n3\n")
    session.evaluate_and_print(f'(transcript-on "{second}")')
    session.evaluate_and_print("(+ 3 4)")
    assert first.read_text(encoding="utf-8").endswith(f'> (transcript-on "{second}")\n')
    session.evaluate_and_print("(transcript-off)")
    session.evaluate_and_print("(+ 5 6)")
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
    session.open_transcript = lambda _name: file
    list(session.interact('(transcript-on "x")'))
    list(session.interact("(+ 1 2) (car 5)"))
    session.stop_recording()
    assert "> (+ 1 2) (car 5)\n3\n*** Error:\n" in file.text
    assert holds(file.text)
