"""Files that are loaded again when they are saved: at the prompt, and by `minischeme test --watch`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from terminals import Terminal

from minischeme.session.watching import FileWatch
from minischeme.transcripts.watching import files_of

Start = Callable[..., Terminal]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts terminals, and ends what still runs in them."""
    started: list[Terminal] = []

    def new(*arguments: str, **settings: str) -> Terminal:
        started.append(Terminal(tmp_path, *arguments, **settings))
        return started[-1]

    yield new
    for terminal in started:
        terminal.process.close(force=True)


# ── changes ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_change_is_told_once_and_only_when_the_file_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.scm"
    path.write_text("(f 1)")
    texts = {str(path): "(f 1)"}
    watch = FileWatch(texts)
    assert [watch.changed() for _ in range(3)] == [[], [], []]
    path.write_text("(f")  # an editor writes in pieces
    assert watch.changed() == []
    path.write_text("(f 2)")
    assert watch.changed() == []
    assert watch.changed() == [str(path)]
    texts[str(path)] = "(f 2)"
    assert watch.changed() == []
    os.utime(path, ns=(1, 1))  # saved without a change
    assert [watch.changed() for _ in range(3)] == [[], [], []]


def test_a_file_that_is_replaced_is_followed(tmp_path: Path) -> None:
    path, new = tmp_path / "a.scm", tmp_path / "a.scm~"
    path.write_text("(f 1)")
    watch = FileWatch({str(path): "(f 1)"})
    watch.changed()
    path.unlink()
    assert watch.changed() == []
    new.write_text("(f 2)")
    new.rename(path)
    assert [watch.changed(), watch.changed()] == [[], [str(path)]]


def test_files_of_any_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.scm"
    path.write_bytes(b"\0\xff")
    watch = FileWatch({str(path): "", str(tmp_path / "nowhere.scm"): ""})
    assert [watch.changed(), watch.changed()] == [[], [str(path)]]


# ── the prompt ───────────────────────────────────────────────────────────────────────────────────────────────────────


def replace(path: Path, text: str) -> None:
    """Save a file as vim does: a new file takes the place of the old one."""
    new = path.with_suffix(".new")
    new.write_text(text)
    new.rename(path)


def test_what_is_saved_is_loaded_and_the_entry_stays(start: Start, tmp_path: Path) -> None:
    program, tools = tmp_path / "mine.scm", tmp_path / "tools.scm"
    program.write_text('(load "tools.scm")\n(define (f x) (g x))\n')
    tools.write_text("(define (g x) (* 2 x))\n")
    terminal = start("--watch", "mine.scm")
    terminal.wait_for(">")
    terminal.send("(list (f 3)\r4")
    terminal.wait_for("> (list (f 3)", "        4")
    terminal.send("\x1b[D")  # the cursor goes back
    replace(tools, "(define (g x) (* 5 x))\n(define (h x) x)\n")
    terminal.wait_for("tools.scm loaded again; new: h; changed: g", "> (list (f 3)", "        4")
    terminal.send("(h 7) ")
    terminal.send("\x1b[C)\r")
    terminal.wait_for("> (list (f 3)", "        (h 7) 4)", "(15 7 4)", ">")

    # An error is shown, and the prompt goes on; what was there stays.
    program.write_text('(load "tools.scm")\n(define (f x) (g x))\n(car 5)\n')
    terminal.wait(lambda lines: "    car: wrong type of argument: 5" in lines and lines[-1] == ">")
    terminal.send("(f 1)")
    program.write_text('(load "tools.scm")\n(define (f x)\n')
    terminal.wait(lambda lines: "    read: end of file inside list" in lines and lines[-1] == "> (f 1)")
    program.write_text('(load "tools.scm")\n(define (f x) (+ 1 (g x)))\n')
    terminal.wait(lambda lines: lines[-2].startswith("mine.scm loaded again; ") and lines[-1] == "> (f 1)")
    terminal.send("\r")
    terminal.wait_for("> (f 1)", "6", ">")

    # Ctrl-C ends a program that does not end.
    terminal.send("half")
    terminal.wait_for("> half")
    program.write_text("(define (loop) (loop)) (display 'begun) (loop)")
    terminal.wait(lambda lines: lines[-1] == "begun")
    terminal.process.sendintr()
    terminal.wait(lambda lines: lines[-2:] == ["    interrupted", "> half"])
    terminal.send("\x03\x04")
    assert terminal.ended() == 0


def test_a_file_that_cannot_be_loaded_at_first_is_watched(start: Start, tmp_path: Path) -> None:
    (tmp_path / "mine.scm").write_text("(define (f x) (* 2 x)\n")
    terminal = start("--watch", "-i", "mine.scm")
    terminal.wait(lambda lines: lines[-1:] == [">"] and "    read: end of file inside list" in lines)
    (tmp_path / "mine.scm").write_text("(define (f x) (* 2 x))\n")
    terminal.wait(lambda lines: lines[-2].startswith("mine.scm loaded again; ") and lines[-1] == ">")
    terminal.send("(f 2)\r")
    terminal.wait_for("> (f 2)", "4", ">")


def test_a_watch_needs_a_capable_terminal(start: Start, tmp_path: Path) -> None:
    (tmp_path / "mine.scm").write_text("1")
    terminal = start("--watch", "mine.scm", TERM="dumb")
    assert terminal.ended() == 2


# ── transcripts ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_files_of_a_transcript(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text('; minischeme: load one.scm\n> (load "two")\nokay\n> (load "nowhere.scm")\n')
    (tmp_path / "one.scm").write_text('(load "two.scm")')
    (tmp_path / "two.scm").write_text('(load "one.scm")')
    assert [Path(path).name for path in files_of(tmp_path / "a.txt")] == ["a.txt", "one.scm", "two.scm"]


def test_transcripts_run_again_when_something_changes(start: Start, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.scm").write_text("(define (f x) (* 2 x))\n")
        (tmp_path / f"{name}.txt").write_text(f"; minischeme: load {name}.scm\n> (f 2)\n4\n")
    terminal = start("test", "--watch", "a.txt", "b.txt")
    terminal.wait_for("a.txt: 1 interaction", "b.txt: 1 interaction", "2 files: 2 interactions")
    replace(tmp_path / "b.scm", "(define (f x) (* 3 x))\n")
    terminal.wait(lambda lines: "b.scm changed" in lines and lines[-1] == "b.txt: 1 interaction, 1 different")
    (tmp_path / "b.txt").write_text("; minischeme: load b.scm\n> (f 2)\n6\n")
    terminal.wait_for("b.txt changed", "b.txt: 1 interaction")
    time.sleep(0.5)  # until its status is known, too
    terminal.process.sendintr()
    assert terminal.ended() == 0
