"""Locked tests: `minischeme lock` hides results, `minischeme unlock` asks for them, and only then they count."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from minischeme.cli.locks import lock as lock_command
from minischeme.cli.locks import unlock as unlock_command
from minischeme.cli.transcripts import test as run_test
from minischeme.transcripts.locks import lock, unlock

TRANSCRIPT = """\
; minischeme: points 1 each
> (define (square x) (* x x))
square
> (square 3)
9

Some prose.

> (begin (display "two") (newline) 'lines)
two
lines
> (lambda (x) x)
#[closure arglist=(x) 1234]
> (car '())
*** Error:
    car: wrong type of argument: ()
> (newline)

okay
"""

SCHEME = "(define (f x) (* x x))\n(f 3)\n; expect 9\n(f 4) ; expect 16\n(car 5)\n; expect Error: car: x\n"


def answering(answers: Iterable[str]):  # type: ignore[no-untyped-def]
    """A student with these answers, in order; wrong ones are followed by more."""
    given = iter(answers)

    def ask(source, is_right):  # type: ignore[no-untyped-def]
        return next((answer for answer in given if is_right(answer)), None)

    return ask


def test_results_are_hidden() -> None:
    locked = lock(TRANSCRIPT, "t.txt")
    assert [line for line in locked.splitlines() if line in TRANSCRIPT.splitlines()] == [
        line
        for line in TRANSCRIPT.splitlines()
        if line not in ("9", "two", "lines", "okay") and not line.startswith(("#[", "***", "    car"))
    ] + ["okay"]
    assert locked.count("LOCKED: ") == 5
    assert lock(locked, "t.txt") == locked


def test_the_same_result_has_another_digest_elsewhere() -> None:
    locked = lock("> (+ 1 2)\n3\n> (+ 2 1)\n3\n", "t.txt").splitlines()
    assert locked[1] != locked[3]


def test_answers_unlock() -> None:
    locked = lock(TRANSCRIPT, "t.txt")
    unlocked = unlock(locked, "t.txt", answering(["8", " 9 ", "two", "lines", "Function", "nothing", "ERROR"]))
    assert "LOCKED" not in unlocked
    assert "> (square 3)\n9\n" in unlocked
    assert "#[...]\n" in unlocked
    assert "*** Error...\n...\n" in unlocked


def test_whoever_gives_up_keeps_what_is_found() -> None:
    locked = lock(TRANSCRIPT, "t.txt")
    unlocked = unlock(locked, "t.txt", answering(["9", "two"]))
    assert unlocked.count("LOCKED") == 3
    assert unlock(unlocked, "t.txt", answering(["lines", "function", "error"])).count("LOCKED") == 0


def test_scheme_files() -> None:
    locked = lock(SCHEME, "t.scm")
    assert locked.count("; expect LOCKED: ") == 3
    assert unlock(locked, "t.scm", answering(["9", "16", "error"])) == SCHEME.replace("Error: car: x", "Error")


@pytest.mark.parametrize(("name", "text"), [("t.txt", TRANSCRIPT), ("t.scm", SCHEME)])
def test_what_is_locked_does_not_count(
    name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.write_text("; minischeme: points 1 each\n" + text)
    assert lock_command([str(tmp_path)]) == 0
    assert run_test([str(path)]) == 0
    shown = capsys.readouterr().out
    assert "not run; 2 of 6 points" in shown if name == "t.txt" else "3 not run; 0 of 3 points" in shown
    answers = iter(["no", "9", "two", "lines", "function", "error"] if name == "t.txt" else ["9", "", "16", "error"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(answers))
    assert unlock_command([str(path)]) == 0
    shown = capsys.readouterr().out
    assert "> (square 3)" in shown or "> (f 3)" in shown
    assert shown.endswith("nothing is locked\n")
    assert run_test([str(path)]) == 0
    assert ("6 of 6 points" if name == "t.txt" else "3 of 3 points") in capsys.readouterr().out


def test_unlocking_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.txt"
    path.write_text(lock(TRANSCRIPT, "t.txt"))
    answers = iter(["7", "9", "exit"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(answers))
    assert unlock_command([str(path)]) == 1
    shown = capsys.readouterr().out
    assert "Not quite. Try again!" in shown
    assert shown.endswith("4 results are locked\n")
    assert "> (square 3)\n9\n" in path.read_text()


@pytest.mark.parametrize("end", ["exit", EOFError, KeyboardInterrupt])
def test_who_ends_it_is_asked_no_more(
    end: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("1.txt", "2.txt"):
        (tmp_path / name).write_text(lock("> (+ 1 2)\n3\n> (+ 2 3)\n5\n", name))
    answers = iter(["3", end])

    def answer(prompt: str) -> str:
        found = next(answers)
        if not isinstance(found, str):
            raise found  # type: ignore[misc]
        return found

    monkeypatch.setattr("builtins.input", answer)
    assert unlock_command([str(tmp_path)]) == 1
    shown = capsys.readouterr().out
    assert "2.txt" not in shown
    assert shown.endswith("3 results are locked\n")
    assert "> (+ 1 2)\n3\n" in (tmp_path / "1.txt").read_text()


def test_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lock_command([str(tmp_path / "no.txt")]) == 2
    assert "no.txt" in capsys.readouterr().err
