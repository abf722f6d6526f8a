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
    "(g {n} 'a \"b\")",
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
    "1 2 (display \"three\") 'four",
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
    "(transcript-on \"again\")",
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
    return files[-1].text


@st.composite
def sessions(draw: st.DrawFn) -> list[str]:
    """What is typed in a session."""
    forms = draw(st.lists(st.sampled_from(FORMS), min_size=1, max_size=14))
    numbers = st.integers(0, 12)
    return [form.replace("{n}", str(draw(numbers))).replace("{m}", str(draw(numbers) + 1)) for form in forms]


ANSWERS = st.lists(st.sampled_from(["y", "n", "(a b c)", "hello there 10s", "", "42 rest of the line"]), max_size=6)


@settings(max_examples=120, deadline=None, phases=[Phase.generate])
@given(sessions(), st.integers(0, 99), ANSWERS, st.sampled_from(["> ", "STk> ", "λ: "]))
def test_what_is_recorded_replays(lines: list[str], seed: int, answers: list[str], prompt: str) -> None:
    text = recorded(lines, seed=seed, typed="".join(f"{answer}\n" for answer in answers), prompt=prompt)
    bad = [(outcome, text) for outcome in outcomes(text) if outcome.verdict.fails]
    assert not bad
    assert updated(text) == text


R7RS = ["(define x 3)", "x", "(display \"hi\")", "(newline)", "(set! x 4)", "(car x)", "'ABC", "(if #f #f)", "(values)"]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(R7RS), min_size=1, max_size=8))
def test_what_is_recorded_in_the_other_dialect_replays(lines: list[str]) -> None:
    text = recorded(lines, dialect="r7rs")
    assert text.startswith("; minischeme: r7rs\n; minischeme: seed ")
    assert holds(text), text
