"""Random sessions at the prompt that write a transcript, and its replay, which must find no difference.

``python tests/recorded_sessions.py [N [SEED]]`` records and replays so many sessions, by default 2,000, and shows those
that differ.
"""

from __future__ import annotations

import io
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TextIO

from minischeme import SchemeExit, Session
from minischeme.data.errors import UnfinishedInput
from minischeme.repl.colours import coloured_report
from minischeme.repl.evaluation import evaluate_entry, plain_prompt
from minischeme.session.recorder import open_transcript
from minischeme.transcripts.document import Document
from minischeme.transcripts.outcomes import Outcome, Verdict, edited
from minischeme.transcripts.replay import Replay, Settings

FILES = {
    "game.scm": "(define (deal) (list (random 1000) (random 1000)))\n(define score 10)\n"
    '(define (double x) (* x 2))\n(define (ask-name) (display "Name? ") (read-line))\n',
    "noisy.scm": '(display "loading")\n(define loud (lambda (x) (display x) (newline) x))\n',
    "broken.scm": "(define before 1)\n(define (bad x)\n  (car x))\n(define value (bad 5))\n(define after 3)\n",
    "unread.scm": "(define half 1)\n(define (open x)\n  (* x\n",
    "nested.scm": '(load "game.scm")\n(define (play) (apply + (deal)))\n',
}

WORDS = ["a", "hello", "10s", "x1", "naïve", "λ", "日本", "🂡", "ß", "it's", "...", "->", "STk>", "okay"]
STRINGS = [
    "", " ", "a b", "ünï", "日本語", "🂡🂮", "two\\nlines", "\\n", "\\n\\n", "ends\\n", "\\ttab", "> (+ 1 2)",
    "*** Error:", "    car: wrong", "...", "a ... z", "#[closure arglist=(x) 7f]", ".. -> f with x = 1",
    "\\x1b;[31mred\\x1b;[0m", "\\x1b;", "\\a\\b", "\\r", "a\\rb", "\\x1e;", "\\x85;\\x2028;", "trailing   ",
    "   leading", "1.50", "```", "okay", "()",
]  # fmt: skip
LINES = ["y", "n", "(a b c)", "hello there 10s", "", "42 rest of the line", "1 2 3", '"str" x', "(a", "b)", "a b) c",
         "'q", "日本 λ", "#\\a #t", ")", "1 ; comment", "  indented", "3.50", "okay", "#[eof]", "..."]  # fmt: skip

DEFINITIONS = """
(define x {d})
(define (f a)⏎  (if (= a 0)⏎      0⏎      (+ a (f (- a 1)))))
(define (g . rest) (f (length rest)))
(define (noarg) (g 1 2))
(define ones (cons-stream 1 ones))
(define (integers-from n) (cons-stream n (integers-from (+ n 1))))
(define s (integers-from {n}))
(define p (delay (begin (display {s}) {d})))
(define-record-type point (make-point x y) point? (x point-x) (y point-y))
(define-class (counter start) (instance-vars (count start)) (method (next) (set! count (+ count 1)) count))
(define c (instantiate counter {n}))
(define t (make-equal-hash-table))
(define k #f)
(define (app h x) (+ 1 (h x)))
(define (pause) (display {s}) (read-line))
(define-syntax swap! (syntax-rules () ((_ a b) (let ((tmp a)) (set! a b) (set! b tmp)))))
(define y {n}) ; a comment
(set! x {d})
(trace f)
(trace f g noarg)
(untrace)
(untrace f)
(load "game.scm")
(load "noisy.scm")
(load "broken.scm")
(load "unread.scm")
(load "nested.scm")
(load "none.scm")
""".strip().splitlines()

EXPRESSIONS = """
{d}
x
'{d}
(list {d} {d})
(f {n})
(g {d} 'a "b")
(noarg)
(display {s})
(begin (display {s}) {d})
(begin (display {s}) (newline) {d})
(begin (newline) (display {s}) (newline) (newline) (display {s}) 7)
(write {s})
(string->list {s})
(begin (write-string {s}) (write-char #\\newline) (write {d}))
(newline)
(begin (newline) (newline))
(for-each (lambda (e) (display e) (display " ")) {d})
(show {s})
(print {d})
(error "Bad thing" {d})
(error {s} {d})
(error 'who {s} {d})
(raise {d})
(car {n})
(car {d})
(begin (display {s}) (car {n}))
(vector-ref (vector 1 2) {n})
(/ {n} 7)
(/ {n} 0)
(/ {n}.5 7)
(sqrt {n})
(exact->inexact (/ {n} 3))
(expt 2.5 {n})
undefined-name
(undefined-name {d})
(if)
(let ((a)) a)
)
(+ 1 {n}))
1 2 (display {s}) 'four
(display {s}) (display {s})
(lambda (x y) x)
(list f g car (lambda rest rest))
f
ones
(list s)
(ss s)
(ss ones 5)
(stream-cdr s)
(stream-head s 3)
(list p (delay 1) (make-promise 2))
(force p)
p
(the-environment)
(list (the-environment))
(procedure-environment f)
(call/cc (lambda (k) k))
(call/cc (lambda (c) (set! k c) {n}))
(list (make-point {n} 2) point?)
point
t
(list t)
c
(ask c 'next)
(ask c 'nothing)
(current-output-port)
(make-parameter {n})
(call/cc (lambda (k) (with-exception-handler (lambda (e) (k (list 'caught e))) (lambda () (car 5)))))
(guard (e (#t e)) (error "inner" f {s}))
(guard (e (#t (display {s}) (condition/report-string e))) (error {s} {d}))
(with-output-to-string (lambda () (display {s})))
(string-append {s} "-" {s})
(app f {n})
(point-x (make-point {d} {n}))
(point-x {n})
(app (lambda (y) (car y)) {d})
(app (lambda (y z) y) s)
(app car p)
(app t (list f ones p t))
(random {m})
(list (random {m}) (random {m}) (random 1.))
(begin (display (random {m})) (display {s}))
(deal)
(play)
(ask-name)
(loud {s})
(double x)
(read)
(read-line)
(read-char)
(peek-char)
(read-string 3)
(read-word)
(list (read) (read))
(list (read-char) (read-char) (read-char))
(let* ((a (read)) (b (read-line))) (list a b))
(let* ((a (read-char)) (b (read)) (c (read-line))) (list a b c))
(let* ((a (read-line)) (b (read-line))) (list a b))
(begin (display "Hit? ") (let ((answer (read))) (newline) (eq? answer 'y)))
(begin (display "Name: ") (read-line))
(begin (display {q}) (let ((a (read))) (display {q}) (list a (read))))
(begin (display "A? ") (let ((a (read))) (display "B? ") (list a (read-line))))
(read) (read)
(read) (display {q}) (read-line)
(begin (read) (car 5))
(let loop ((i 0)) (display "? ") (let ((a (read))) (write (list i a)) (newline) (if (< i 3) (loop (+ i 1)) 'done)))
(pause)
(eof-object? (read-line))
; only a comment
#| block |# 5
(word {n} 's)
(every first '(the long and winding road))
(values 1 2)
(values)
(if #f #f)
(string->symbol {s})
(list 'a "b c" #\\d 1.5 #t '() (if #f #f))
'pasted ; with⏎(+ {n}⏎  1) 'more⏎(car {n})⏎(list 'a⏎'b)⏎)⏎'last
(+ 1 1) (display {s})⏎#<unreadable>
(begin (f 30) (f 3))
(map (lambda (i) (display i) i) {d})
(let loop ((i 0)) (if (< i 12) (begin (display i) (newline) (loop (+ i 1)))))
(begin (newline) (display "> (+ 1 2)") (newline) (display "; minischeme: seed 1") 7)
(runtime-is-not-bound)
(begin (write-line {d}) (pp f))
(pp '{d})
(eval '(define z {n}) user-initial-environment)
z
(dynamic-wind (lambda () (display "in")) (lambda () (car {n})) (lambda () (display "out")))
(vector-map (lambda (e) (* e e)) #({n} 2))
(assert (= 1 {n}))
(exact->inexact 1/3)
(list .1 -0.0 1e21 1e-7 (/ 0. 0.) (/ 1. 0))
""".strip().splitlines()

COMMANDS = [",seed {n}", ",load game.scm", ",reload", ",time (random {m})", ",trace f", ",trace --tree (f 3)",
            ",trace --tree (deal)", ",help car", ",apropos vector", ",expand (let ((a 1)) a)", ",nonsense"]  # fmt: skip

LAST = [
    '(begin (display "Bye? ") (read) (exit))',
    "(exit)",
    "(transcript-off)",
    "(begin (display {s}) (exit 3))",
    '(transcript-on "again")',
    "'#(",
    '"open',
    ")",
]

AT_TERMINAL = ["$", "$$", "(list $ $1)", "(begin (define z $) z)"]

R7RS = """
(define x {d})
x
{d}
(display {s})
(begin (display {s}) (car {n}))
(newline)
(set! x {n})
(car x)
'ABC
(if #f #f)
(values)
(read-line)
(read)
(lambda (x) x)
(delay 1)
(make-parameter 1)
(list {d} (delay-force (delay 1)))
(error {s} {d})
""".strip().splitlines()


@dataclass
class Maker:
    """Fills in what is typed."""

    random: Random

    def datum(self, depth: int = 0) -> str:
        """A constant, as it is typed."""
        pick = self.random
        if depth < 2 and pick.random() < 0.3:
            inside = " ".join(self.data(depth + 1) for _ in range(pick.randrange(4)))
            return f"'({inside})" if pick.random() < 0.8 else f"#({inside})"
        return pick.choice(
            [
                lambda: str(pick.randrange(-20, 1000)),
                lambda: f"{pick.randrange(100)}/{pick.randrange(1, 30)}",
                lambda: repr(round(pick.uniform(-10, 10), pick.randrange(1, 14))),
                lambda: f"'{pick.choice(WORDS[:9])}",
                lambda: f'"{pick.choice(STRINGS)}"',
                lambda: pick.choice(["#t", "#f", "'()", "#\\a", "#\\space", "#\\λ", "'|a b|", "car"]),
            ]
        )()

    def data(self, depth: int) -> str:
        """A constant inside a quotation."""
        return self.datum(depth).replace("'", "").replace("#(", "(")

    def filled(self, template: str) -> str:
        """A template with random parts."""
        parts: dict[str, Callable[[], str]] = {
            "{n}": lambda: str(self.random.randrange(13)),
            "{m}": lambda: str(self.random.randrange(1, 1000)),
            "{s}": lambda: f'"{self.random.choice(STRINGS)}"',
            "{q}": lambda: f'"{self.random.choice([text for text in STRINGS if text[:1] != ">"])}"',
            "{d}": self.datum,
        }
        text = template.replace("⏎", "\n")
        return re.sub(r"\{[nmsqd]\}", lambda found: parts[found[0]](), text)


class Terminal(io.StringIO):
    """What a session at a terminal prints to."""

    def isatty(self) -> bool:
        return True


def typed_lines(maker: Maker, dialect: str, *, commands: bool, at_terminal: bool) -> Iterator[str]:
    """What is typed at the prompt, entry by entry."""
    pick = maker.random
    if dialect == "berkeley" and pick.random() < 0.8:
        yield from (maker.filled(each) for each in DEFINITIONS[:16] if pick.random() < 0.8)
    for _ in range(pick.randrange(2, 16)):
        if dialect == "r7rs":
            yield maker.filled(pick.choice(R7RS))
        elif commands and pick.random() < 0.06:
            yield maker.filled(pick.choice(COMMANDS))
        elif at_terminal and pick.random() < 0.05:
            yield pick.choice(AT_TERMINAL)
        else:
            yield maker.filled(pick.choice(DEFINITIONS if pick.random() < 0.2 else EXPRESSIONS))
    if pick.random() < 0.3:
        yield maker.filled(pick.choice(LAST))


def record(folder: Path, seed: int) -> Path:
    """The file of a random session's transcript."""
    maker = Maker(Random(seed))
    pick = maker.random
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    target = folder / f"talk{seed}.txt"
    for _ in range(1 if pick.random() < 0.8 else 2):
        _record_once(folder, target, maker)
    return target


def _record_once(folder: Path, target: Path, maker: Maker) -> None:
    pick = maker.random
    dialect = "r7rs" if pick.random() < 0.1 else "berkeley"
    at_terminal = pick.random() < 0.6
    session = Session(dialect, pick.randrange(1000), output=Terminal() if at_terminal else io.StringIO())
    session.loader.folder = folder
    session.context.console.prompt = pick.choice(["> ", "> ", "> ", "STk> ", "λ: "])
    session.prompt.recording.open_file = lambda name: _opened(folder, name, target)
    entries = list(typed_lines(maker, dialect, commands=dialect == "berkeley", at_terminal=at_terminal))
    answers = [pick.choice(LINES) for _ in range(pick.randrange(12))]
    begin = pick.choice([f",transcript {target}", f'(transcript-on "{target}")'])
    before = [f'(load "{pick.choice(list(FILES))}")' for _ in range(pick.choice([0, 0, 1, 2]))]
    if dialect == "r7rs":
        begin, before = f",transcript {target}", []
    if at_terminal:
        type_at_terminal(session, [*before, begin, *entries], answers)
    else:
        mixed = [*entries]
        for answer in answers:
            mixed.insert(pick.randrange(len(mixed) + 1), answer)
        text = "".join(f"{line}\n" for line in [*before, begin, *mixed])
        session.input.readline = io.StringIO(text).readline
        session.input.tied = session.output
        with suppress(SchemeExit):
            plain_prompt(session, session.context.console.prompt if pick.random() < 0.5 else "")
    session.prompt.recording.stop()


def _opened(folder: Path, name: str, target: Path) -> TextIO:
    """The file that a session writes its transcript to; what it asks for later is another one."""
    return open_transcript(name if name == str(target) else str(folder / f"{name}.other"))


def type_at_terminal(session: Session, entries: list[str], answers: list[str]) -> None:
    """Type entries at a terminal's prompt, until one of them leaves, and answers where programs read."""
    session.input.tied = session.output
    session.input.readline = io.StringIO("".join(f"{line}\n" for line in answers)).readline
    session.input.echoes = True
    session.prompt.display.error_text = coloured_report
    session.prompt.name_values()
    for entry in entries:
        session.input.discard()
        session.output.fresh_line()
        try:
            evaluate_entry(session, entry + "\n")
        except UnfinishedInput:
            continue
        except SchemeExit:
            return


def replayed(path: Path) -> tuple[Document, list[Outcome]]:
    """What comes of the interactions of a transcript."""
    document = Document(path.read_bytes().decode("utf-8"), str(path))
    return document, list(Replay(document, Settings(limit=100.0)).run())


def complaints(path: Path) -> list[str]:
    """What is wrong with a transcript and its replay."""
    document, outcomes = replayed(path)
    fine = (Verdict.SAME, Verdict.NOT_COMPARED)
    found = [outcome.difference or str(outcome) for outcome in outcomes if outcome.verdict not in fine]
    if "\x1b" in document.text:
        found.append("there is an escape sequence")
    if not found and edited(document.text, outcomes) != document.text:
        found.append("an update changes the text")
    return found


def main(count: int = 2000, first: int = 0) -> int:
    """Record and replay; the number of sessions that differ."""
    differing = interactions = 0
    with tempfile.TemporaryDirectory() as name:
        for seed in range(first, first + count):
            folder = Path(name) / str(seed)
            folder.mkdir()
            path = record(folder, seed)
            interactions += len(replayed(path)[1])
            found = complaints(path)
            if found:
                differing += 1
                print(f"== session {seed}", *found, sep="\n")
    print(f"{count} sessions, {interactions} interactions: {differing} sessions differ")
    return differing


if __name__ == "__main__":
    sys.exit(min(main(*map(int, sys.argv[1:])), 1))
