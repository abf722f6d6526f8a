"""The prompt in a real terminal: whole conversations, judged by what stands on the screen."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest
from terminals import Terminal

Start = Callable[..., Terminal]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts terminals, and ends what still runs in them."""
    started: list[Terminal] = []

    def new(*arguments: str, **environment: str) -> Terminal:
        started.append(Terminal(tmp_path, *arguments, **environment))
        return started[-1]

    yield new
    for terminal in started:
        terminal.process.close(force=True)


def test_the_greeting_fits_a_terminal(start: Start) -> None:
    greeting = start(columns=80).wait(lambda lines: lines[-1:] == [">"])[:-1]
    assert [line[:4] for line in greeting] == ["mini", "Try ", "and "]


def test_a_session(start: Start) -> None:
    terminal = start()
    greeting = terminal.wait(lambda lines: lines[-1:] == [">"])[:-1]
    assert 1 < len(greeting) <= 4

    terminal.send("(define (f x)\r")
    terminal.wait_for("> (define (f x)")
    terminal.send("(car x))\r(f '(1 2))\r")
    terminal.wait_for("> (define (f x)", "    (car x))", "f", "> (f '(1 2))", "1", ">")

    terminal.send('(display "hi")\r(f 5)\r')
    terminal.wait(lambda lines: lines[-1:] == [">"] and "> (f 5)" in lines and "^" in lines[-3] + lines[-2])
    shown = terminal.lines[terminal.lines.index('> (display "hi")') :]
    assert shown[1:6] == ["hi", "okay", "> (f 5)", "*** Error:", "    car: wrong type of argument: 5"]
    assert b"\x1b[1;31m*** Error:" in terminal.raw

    # An endless loop, and what is half typed, end by Ctrl-C; definitions stay.
    terminal.send("(let loop () (loop))\r")
    terminal.wait_for("> (let loop () (loop))")
    time.sleep(0.3)
    terminal.process.sendintr()
    terminal.wait(lambda lines: lines[-1:] == [">"] and "    interrupted" in lines)
    terminal.send("(list 1\r")
    terminal.send("\x03")
    terminal.send("(f '(3))\r")
    terminal.wait_for("> (f '(3))", "3", ">")

    terminal.send("\x04")
    assert terminal.ended() == 0


def test_a_program_asks(start: Start) -> None:
    terminal = start("-e", '(define (ask) (display "hit? ") (let ((answer (read))) (list answer (read-line))))', "-i")
    terminal.wait_for("ask", ">")
    terminal.send("(ask)\r")
    terminal.wait_for("> (ask)", "hit?")
    terminal.send("yes please\n")
    terminal.wait_for("> (ask)", "hit? yes please", "(yes (please))", ">")
    # All at once, as if typed ahead.
    terminal.send("(ask)\rno thanks\r(+ 1 2)\r")
    terminal.wait_for("> (ask)", "hit? no thanks", "(no (thanks))", "> (+ 1 2)", "3", ">")
    terminal.send("(exit 7)\r")
    assert terminal.ended() == 7


def test_a_paste_and_a_narrower_window(start: Start) -> None:
    terminal = start("--prompt", "STk> ")
    terminal.wait(lambda lines: lines[-1:] == ["STk>"])
    terminal.send("\x1b[200~(define a 1)\n(define (b)\n  (+ a 1))\n(b)\n\x1b[201~")
    terminal.wait_for("STk> (define a 1)", "     (define (b)", "       (+ a 1))", "     (b)")
    terminal.send("\r")
    terminal.wait_for("     (b)", "a", "b", "2", "STk>")
    terminal.screen.resize(24, 40)
    terminal.process.setwinsize(24, 40)
    terminal.send("(list 'long-enough 'to-need 'another-line)")
    terminal.wait_for("STk> (list 'long-enough 'to-need 'anothe", "     r-line)")
    terminal.send("\r")
    terminal.wait_for("(long-enough to-need another-line)", "STk>")


def test_pasted_tabs_look_like_blanks(start: Start) -> None:
    terminal = start()
    terminal.wait(lambda lines: lines[-1:] == [">"])
    terminal.send("\x1b[200~(list\t1\n\t2)\x1b[201~")
    terminal.wait_for("> (list   1", "          2)")


def test_what_is_loaded_is_not_advised(start: Start) -> None:
    terminal = start("-l", "twenty-one.scm")
    terminal.wait(lambda lines: lines[-1:] == [">"])
    assert not any("twenty-one" in line for line in terminal.lines)


def test_words_that_leave_elsewhere(start: Start) -> None:
    terminal = start()
    terminal.wait(lambda lines: lines[-1:] == [">"])
    terminal.send("quit\r")
    terminal.wait_for(";; type (exit) or press Ctrl-D to exit", ">")


def test_a_narrow_terminal(start: Start) -> None:
    terminal = start(columns=40)
    terminal.wait(lambda lines: lines[-1:] == [">"])
    assert terminal.lines[1].endswith("Ctrl-D to exit.")
    terminal.send("(error-of-mine 'a)\r(lenght '(a b))\r,help trace\r")
    terminal.wait(lambda lines: lines[-1:] == [">"] and any("trace" in line for line in lines[-4:]))
    assert "  did you mean length?" in terminal.lines
    terminal.wait(lambda lines: terminal.screen.display[-1].strip() == "Tab completes · Alt-Enter new line")


def test_the_user_s_own_beginning(start: Start, tmp_path: Path) -> None:
    (tmp_path / "minischeme").mkdir()
    rc = tmp_path / "minischeme" / "rc.scm"
    rc.write_text("(define (twice x) (* 2 x))\n,vi\n")
    terminal = start()
    terminal.wait(lambda lines: terminal.screen.display[-1].startswith("vi-insert · "))
    terminal.send("(twice 4)\r")
    terminal.wait_for("> (twice 4)", "8", ">")
    terminal.send("(+ 1 2)\x1b")
    terminal.wait(lambda lines: terminal.screen.display[-1].startswith("vi-navigation · "))
    terminal.send("0lr*\r")
    terminal.wait_for("> (* 1 2)", "2", ">")
    rc.write_text("(define (twice x) (* 2 x))\n(car 5)\n")
    terminal = start()
    terminal.wait(lambda lines: lines[-1:] == [">"] and "    car: wrong type of argument: 5" in lines)
    terminal.send("(twice 4)\r")
    terminal.wait_for("> (twice 4)", "8", ">")
    terminal = start("--no-rc")
    terminal.wait(lambda lines: lines[-1:] == [">"])
    terminal.send("(twice 4)\r")
    terminal.wait(lambda lines: lines[-1:] == [">"] and "    unbound variable: twice" in lines)


def test_an_entry_in_an_editor(start: Start, tmp_path: Path) -> None:
    terminal = start(EDITOR="sed -i s/xx/car/", VISUAL="")
    terminal.wait(lambda lines: lines[-1:] == [">"])
    terminal.send("(xx '(1 2))\x18\x05")
    terminal.wait_for("> (car '(1 2))", "1", ">")


def test_history_is_there_the_next_time(start: Start) -> None:
    terminal = start()
    terminal.wait(lambda lines: lines[-1:] == [">"])
    terminal.send("(list 1\r2)\r")
    terminal.wait_for("> (list 1", "        2)", "(1 2)", ">")
    terminal.send("\x04")
    assert terminal.ended() == 0
    terminal = start()
    terminal.wait(lambda lines: lines[-1:] == [">"])
    time.sleep(0.2)
    terminal.send("\x1b[A")
    terminal.wait_for("> (list 1", "        2)")
    terminal.send("\r")
    terminal.wait_for("(1 2)", ">")


def test_the_toolbar(start: Start) -> None:
    terminal = start()
    terminal.wait(lambda lines: lines[-1:] == [">"])
    terminal.send("(define (double x) x)\r(double ")
    terminal.wait(lambda lines: terminal.screen.display[-1].startswith("(double x)"))


def test_no_colours(start: Start) -> None:
    terminal = start(NO_COLOR="1")
    terminal.wait(lambda lines: lines[-1:] == [">"])
    terminal.send("(car 5)\r")
    terminal.wait(lambda lines: lines[-1:] == [">"] and "*** Error:" in lines)
    assert b"\x1b[3" not in terminal.raw
    assert b"\x1b[1;31m" not in terminal.raw
    assert b"8;5;" not in terminal.raw


def test_a_dumb_terminal(start: Start) -> None:
    terminal = start(TERM="dumb")
    terminal.wait(lambda lines: lines[-1:] == [">"])
    terminal.send("(define (f x)\n(* x 2))\n")
    terminal.wait_for("> (define (f x)", "(* x 2))", "f", ">")
    terminal.send("(list (read) (f 2))\nfoo\n")
    terminal.wait_for("> (list (read) (f 2))", "foo", "(foo 4)", ">")
    assert b"\x1b" not in terminal.raw
    terminal.send("\x04")
    assert terminal.ended() == 0


def shown_with_imports(arguments: list[str], terminal: str, prompt: str, answer: str) -> list[bytes]:
    """The words that a program shows in a terminal, and those libraries for prompts that it imports."""
    program = (
        f"import sys; from minischeme.cli.main import main; status = main({arguments}); "
        "print(status, {'prompt_toolkit', 'pygments', 'asyncio'} & {name.split('.')[0] for name in sys.modules})"
    )
    environment = {**os.environ, "TERM": terminal}
    output: bytes = pexpect.run(f'{sys.executable} -c "{program}"', env=environment, events={prompt: answer})
    return output.split()


def test_only_the_prompt_imports_the_toolkit() -> None:
    assert shown_with_imports(["-e", "1", "-i"], "dumb", "> ", "\x04") == [b"1", b">", b"0", b"set()"]
    game = ["-e", "(begin (clear-screen) (move-cursor 0 1) (display (quote key?)) (read-key))"]
    assert shown_with_imports(game, "xterm", "key", "x")[-2:] == [b"0", b"set()"]


def test_mistakes_in_a_file_are_told_when_it_is_loaded(start: Start, tmp_path: Path) -> None:
    (tmp_path / "mine.scm").write_text("(define (f x) (frist x))\n")
    terminal = start("-i", "mine.scm")
    warning = [
        "*** Warning (unbound) at mine.scm:1:16:",
        "    unbound variable: frist",
        "  | (define (f x) (frist x))",
        "  |                ^^^^^",
        "  did you mean first?",
    ]
    terminal.wait_for(*warning, ">")
    terminal.send('(load "mine.scm")\r')
    terminal.wait_for('> (load "mine.scm")', *warning, "okay", ">")
    terminal.send("\x04")
    assert terminal.ended() == 0
    terminal = start("--no-warnings", "-i", "mine.scm")
    terminal.wait_for(">")
    terminal.send('(load "mine.scm")\r')
    terminal.wait_for('> (load "mine.scm")', "okay", ">")
