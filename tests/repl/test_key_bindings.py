"""Keys at the prompt, typed into prompt_toolkit: entries of several lines, pastes, answers to programs, history."""

from __future__ import annotations

import io
import os
import stat
import time
from pathlib import Path
from threading import Thread

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from minischeme import Session
from minischeme.data.errors import SchemeExit
from minischeme.repl.evaluation import unfinished
from minischeme.repl.prompter import PrivateHistory, Prompter

UP, LEFT, ALT_ENTER, CONTROL_C, CONTROL_D, CONTROL_R = "\x1b[A", "\x1b[D", "\x1b\r", "\x03", "\x04", "\x12"


class Typist:
    """Types keys at a prompt."""

    def __init__(self, history: InMemoryHistory | PrivateHistory | None = None) -> None:
        self.printed = io.StringIO()
        self.session = Session(output=self.printed)
        self.history = history or InMemoryHistory()
        self.entries: list[str] = []

    def type(self, *keys: str) -> list[str]:
        """Type the keys, with a moment between them, and Ctrl-D; the entries that were handed over to be evaluated."""
        entries: list[str] = []

        def evaluate(session: Session, text: str, *, ended: bool) -> None:
            entries.append(text)
            session.prompt.evaluate_and_print(text, ended=ended)

        with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
            pipe.send_text(keys[0])

            def type_the_rest() -> None:
                # History is loaded in the background: nobody types before it is there.
                for chunk in (*keys[1:], CONTROL_C + CONTROL_D):
                    time.sleep(0.2 if len(keys) > 1 else 0)
                    pipe.send_text(chunk)

            typing = Thread(target=type_the_rest)
            typing.start()
            prompter = Prompter(self.session, "> ", self.history)
            try:
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr("minischeme.repl.prompter.evaluate_entry", evaluate)
                    prompter.run()
            finally:
                typing.join()
        return entries


@pytest.fixture
def typist() -> Typist:
    return Typist()


@pytest.mark.parametrize(
    ("keys", "entries"),
    [
        # Enter
        ("(+ 1 2)\r", ["(+ 1 2)"]),
        ("(define (f x)\r(* x x))\r", ["(define (f x)\n  (* x x))"]),
        ("(if a\rb\rc)\r", ["(if a\n    b\n    c)"]),
        ("(foo    \ra)\r", ["(foo\n a)"]),
        ('"a \rb"\r', ['"a \nb"']),
        ("(car '(1)))\r", ["(car '(1)))"]),
        ("#| a\r|# 1\r", ["#| a\n|# 1"]),
        ("\r\r1\r", ["1"]),
        (",help foo\r", [",help foo"]),
        # Enter inside what is finished: evaluates in the last line, breaks other lines
        (f"(+ 1 2){LEFT}{LEFT}\r", ["(+ 1 2)"]),
        (f"(+ 1\r2){UP}\r", []),
        # always a new line
        (f"(+ 1 2){ALT_ENTER}3\r", ["(+ 1 2)\n3"]),
        (f"(+ 1 2){LEFT}{LEFT}{ALT_ENTER}\r", ["(+ 1\n   2)"]),
        # keys that come at once with an indentation of their own
        ("(define (f)\r    1)\r", ["(define (f)\n    1)"]),
        # a paste
        ("\x1b[200~(define a 1)\r\n  (define b 2)\n\n\x1b[201~\r", ["(define a 1)\n  (define b 2)"]),
        # Tab
        ("(define (f x)\r\x15\t(* x 2))\r", ["(define (f x)\n  (* x 2))"]),
        ("(define (f x)\r\x15(* x 2))\x01\t\r", ["(define (f x)\n  (* x 2))"]),
        ("(accum\t + '(1 2))\r", ["(accumulate + '(1 2))"]),
        # all lines
        ("\x1b[200~(define (f x)\n(if x\n1\n2))\x1b[201~\x1bq\r", ["(define (f x)\n  (if x\n      1\n      2))"]),
        # Ctrl-C
        (f"(+ 1{CONTROL_C}2\r", ["2"]),
    ],
)
def test_keys(typist: Typist, keys: str, entries: list[str]) -> None:
    assert typist.type(keys) == entries


def test_the_cursor_stays_where_it_is_when_lines_are_indented(typist: Typist) -> None:
    keys = f"\x1b[200~(define (f x)\n(* x 2))\x1b[201~{LEFT}{LEFT}\x1bq3\r"
    assert typist.type(keys) == ["(define (f x)\n  (* x 23))"]


def test_each_form_of_a_paste_is_evaluated(typist: Typist) -> None:
    definitions = "".join(f"(define (f{n} x)\n  (+ x {n}))\n" for n in range(10))
    typist.type(f"\x1b[200~{definitions}(f3 1) (foo) (f9 1)\n\x1b[201~\r")
    printed = typist.printed.getvalue()
    assert printed.startswith("".join(f"f{n}\n" for n in range(10)) + "4\n")
    assert "unbound variable: foo" in printed
    assert printed.endswith("10\n")


PASTE = """\
(define (a) 1)

(define (f x)
  (* x x)

(define (g y)
  (+ y (a)))
(define (h) 3)
"""


def test_a_missing_bracket_is_told_and_costs_no_other_definition(typist: Typist) -> None:
    assert typist.type(f"\x1b[200~{PASTE}\x1b[201~", "\r") == [PASTE.rstrip()]
    assert (
        typist.printed.getvalue()
        == """\
a
*** Error:
    read: end of file inside list
  | (define (f x)
  | ^
  the next definition begins at line 6: is a ) missing before it?
g
h
"""
    )


def test_enter_at_an_empty_line_goes_on_where_a_bracket_may_still_come(typist: Typist) -> None:
    assert typist.type("(define (f x)\r", "\r", "x)\r") == ["(define (f x)\n\n  x)"]


def test_blanks_that_the_indentation_has_are_not_doubled(typist: Typist) -> None:
    assert typist.type("(define (f x)\r", " ", " ", "x)\r") == ["(define (f x)\n  x)"]
    assert typist.type("(define (f x)\r", " ", " ", " ", "x y )\r") == ["(define (f x)\n   x y )"]
    assert typist.type('"a\r', " ", 'b"\r') == ['"a\n b"']


def test_a_definition_behind_an_unfinished_one_begins_at_the_margin(typist: Typist) -> None:
    keys = ("(define (f x)\r", "(* x x)\r", "(define (g y)\r", "(+ y 1))\r", "\r")
    assert typist.type(*keys) == ["(define (f x)\n  (* x x)\n(define (g y)\n  (+ y 1))"]
    assert "the next definition begins at line 3: is a ) missing before it?" in typist.printed.getvalue()
    assert typist.session.eval("(g 1)") == 2


@pytest.mark.parametrize(
    "text",
    [
        "(define (f x)\n  (define (g y)\n    (* x y))\n  (define z 1)\n  (g z))",
        "(let ((x 1))\n  (define y 2)\n  y)",
        "(if #t\n    (begin\n      (define y 2)\n      y)\n    1)",
        "(quote\n (a\n  (define b c)))",
        '(define x "\n(define y")',
        "(list 1\n      (list 2) (define z 1))",
    ],
)
def test_inner_definitions_are_indented(typist: Typist, text: str) -> None:
    keys = "".join(line.lstrip() + "\r" for line in text.split("\n"))
    assert typist.type(keys) == [text]


def test_several_lines_that_were_dropped_come_back(typist: Typist) -> None:
    assert typist.type("(define (f x)\rx", "\x03", f"{UP})\r") == ["(define (f x)\n  x)"]


def test_earlier_values(typist: Typist) -> None:
    typist.type("(+ 1 2)\r(* $ $1)\r")
    assert typist.printed.getvalue() == "3\n9\n"


def test_exit_leaves_at_once(typist: Typist) -> None:
    with pytest.raises(SchemeExit) as caught:
        typist.type("(exit 3)\r(display 1)\r")
    assert caught.value.status == 3


def test_the_session_is_as_it_was_afterwards(typist: Typist) -> None:
    session = typist.session
    before = session.input.readline, session.prompt.value_shown, session.prompt.display.error_text
    typist.type("1\r")
    assert (session.input.readline, session.prompt.value_shown, session.prompt.display.error_text) == before


def test_a_program_reads_what_was_typed_ahead(typist: Typist) -> None:
    typist.type("(list (read) (read-line) (read-line))\rfoo bar\rmore to come\r(+ 1 2)\r")
    assert typist.printed.getvalue().endswith("(foo (bar) (more to come))\n3\n")


def test_what_a_program_left_of_an_answer_is_dropped(typist: Typist) -> None:
    typist.type("(read)\rfoo bar\r(read)\rnext\r")
    assert [line for line in typist.printed.getvalue().split("\n") if line in ("foo", "bar")] == ["foo"]


def test_an_interrupted_entry_is_not_continued() -> None:
    class Stopped(io.StringIO):
        def write(self, text: str) -> int:
            if text == "stop":
                raise KeyboardInterrupt
            return super().write(text)

    printed = Stopped()
    session = Session(output=printed)
    assert not session.prompt.evaluate_and_print('(define x 1)\n(display "stop")\n(display "not reached")')
    assert "interrupted" in printed.getvalue()
    assert "not reached" not in printed.getvalue()
    assert session.eval("x") == 1


# History


def test_entries_of_several_lines_come_back_as_one(typist: Typist) -> None:
    entry = "(define (f x)\n  (* x x))"
    typist.type("(define (f x)\r(* x x))\r")
    assert typist.type("", f"{UP}\r") == [entry]
    assert typist.type("", f"{CONTROL_R}define\r\r") == [entry]


def test_history_is_kept_for_the_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "data" / "history"
    Typist(PrivateHistory(path)).type("(+ 1\r2)\r(car '(1))\r(car '(1))\r")
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert PrivateHistory(path).load_history_strings() == ["(car '(1))", "(+ 1\n   2)"]
    assert Typist(PrivateHistory(path)).type("", f"{UP}{UP}\r") == ["(+ 1\n   2)"]


def test_two_sessions_add_to_one_history(tmp_path: Path) -> None:
    path = tmp_path / "history"
    first, second = PrivateHistory(path), PrivateHistory(path)
    for number in range(3):
        first.append_string(f"(first\n {number})")
        second.append_string(f"(second {number})")
    assert len(PrivateHistory(path).load_history_strings()) == 6


def test_history_that_cannot_be_kept_lasts_for_the_session(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    typist = Typist(PrivateHistory(tmp_path / "file" / "history"))
    assert typist.type("1\r2\r", f"{UP}{UP}\r") == ["1", "2", "1"]


@pytest.mark.parametrize(
    ("text", "finished"),
    [
        ("(a)", True),
        ("(a", False),
        ("'", False),
        ('"a', False),
        ("#|", False),
        ("(a))", True),
        ("#<", True),
        ("", True),
        (",help", True),
        (",time (fib 3)", True),
        (",time (fib", False),
        (",trace --tree (fib", False),
    ],
)
def test_what_is_finished(text: str, finished: bool) -> None:
    assert (unfinished(text) is None) is finished
