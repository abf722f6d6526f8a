"""A time limit ends whatever Scheme does, soon, and says which limit it was; what comes after it goes on."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

import pytest
from transcript_runs import outcomes

from minischeme.cli.transcripts import check_file
from minischeme.transcripts import time_limit
from minischeme.transcripts.document import Document
from minischeme.transcripts.outcomes import Verdict
from minischeme.transcripts.replay import Replay, Settings

LIMIT = 0.3
LATE = 10.0
"""Seconds after the limit by when everything must have ended, on a machine that does other things too."""

LOOP = "(let loop () (loop))"

OUTLIVING = {
    "a loop": LOOP,
    "an after thunk": f"(dynamic-wind (lambda () 1) (lambda () {LOOP}) (lambda () {LOOP}))",
    "after thunks in each other": f"(define (f) (dynamic-wind (lambda () 1) (lambda () {LOOP}) f)) (f)",
    "after thunks around each other": (
        f"(define (f n) (dynamic-wind (lambda () 1) (lambda () (if (= n 0) {LOOP} (f (- n 1)))) (lambda () {LOOP})))"
        " (f 1000)"
    ),
    "an after thunk that escapes": (
        f"(define (f) (call/cc (lambda (k) (dynamic-wind (lambda () 1) (lambda () {LOOP}) (lambda () (k 1))))) (f)) (f)"
    ),
    "an after thunk that goes back": (
        "(define k #f) (define (f) (dynamic-wind (lambda () 1)"
        f" (lambda () (call/cc (lambda (c) (set! k c))) {LOOP}) (lambda () (k 1)))) (f)"
    ),
    "an after thunk that raises": (
        f"(define (f) (guard (e (#t (f))) (dynamic-wind (lambda () 1) (lambda () {LOOP}) (lambda () (raise 'no))))) (f)"
    ),
    "a before thunk": f"(dynamic-wind (lambda () {LOOP}) (lambda () 1) (lambda () {LOOP}))",
    "a parameter's converter": f"(define p (make-parameter 1 (lambda (x) (or (= x 1) {LOOP})))) (parameterize ((p 2)) 1)",  # noqa: E501
    "a guard's clause": f"(let again () (guard (e (#t (again))) (vector-ref (vector) 1) {LOOP}))",
    "a guard around a loop": f"(let again () (guard (e (#t (again))) {LOOP}))",
    "a handler": f"(with-exception-handler (lambda (e) {LOOP}) (lambda () (car 5)))",
    "a handler that raises": (
        "(define (f) (with-exception-handler (lambda (e) (f)) (lambda () (raise-continuable 1)))) (f)"
    ),
    "runaway recursion that is caught": "(let again () (guard (e (#t (again))) (let f () (+ 1 (f)))))",
    "a continuation that is called again": "(let ((k (call/cc (lambda (c) c)))) (k k))",
    "generators": (
        "(define k #f) (define (next) (call/cc (lambda (return) (for-each (lambda (x)"
        " (call/cc (lambda (c) (set! k c) (return x)))) '(1 2 3))))) (let loop () (next) (loop))"
    ),
    "output": '(let loop () (display "some words and more of them") (newline) (loop))',
    "a higher-order procedure": f"(map (lambda (x) {LOOP}) '(1 2 3))",
    "a sort": f"(sort (list 3 1 2) (lambda (a b) {LOOP}))",
    "a hash table": f"(let ((h (make-hash-table))) (hash-table-set! h 1 1) (hash-table-walk h (lambda x {LOOP})))",
    "a promise": f"(force (delay {LOOP}))",
    "a stream": "(define (from n) (cons-stream n (from (+ n 1)))) (stream-filter negative? (from 1))",
    "squares of large numbers": "(let loop ((n 3)) (if (= n 0) 1 (loop (* n n))))",
    "large numbers as text": "(define n (expt 3 2000000)) (let loop () (number->string n) (loop))",
    "a tally": f"(parallel-tally (lambda () {LOOP}) 5)",
    "a tally's last word": f"(parallel-tally (lambda () {LOOP}) 5 (lambda (so-far) {LOOP}))",
}


@pytest.fixture(autouse=True)
def no_report_of_the_alarm_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """The alarm may ring while pytest notes an exception that could not be raised."""
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: None)


@pytest.mark.slow
@pytest.mark.parametrize("text", OUTLIVING.values(), ids=OUTLIVING)
def test_nothing_outlives_the_limit(text: str) -> None:
    began = time.monotonic()
    first, last = outcomes(f"> (define x 41)\nx\n\n> {text}\n\n> (+ x 1)\n42\n", limit=LIMIT)[1:]
    assert time.monotonic() - began < LIMIT + LATE
    assert first.verdict is Verdict.ENDLESS
    assert first.note == f"endless loop? stopped after {LIMIT} s, the limit for an interaction (--limit)"
    assert last.verdict is Verdict.SAME


def test_continuations_that_take_longer_to_capture_than_until_the_next_interrupt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(time_limit, "AGAIN", 0.01)
    began = time.monotonic()
    define = "(define (f) (call/cc (lambda (k) (dynamic-wind (lambda () 1) (lambda () (k 1)) f))))"
    *_, first, last = outcomes(f"> {define}\nf\n\n> (f)\n\n> (+ 1 2)\n3\n", limit=LIMIT)
    assert time.monotonic() - began < LIMIT + LATE
    assert (first.verdict, last.verdict) == (Verdict.ENDLESS, Verdict.SAME)


def test_the_error_names_the_limit() -> None:
    (found,) = outcomes(f"> {LOOP}\n", limit=LIMIT)
    message = f"    interrupted after {LIMIT} s, the limit for an interaction (--limit)"
    assert found.lines[:2] == ("*** Error:", message)


def test_the_first_interrupt_runs_after_thunks() -> None:
    text = f"> (dynamic-wind (lambda () 1) (lambda () {LOOP}) (lambda () (set! x 1)))\n\n> x\n1\n"
    assert outcomes("> (define x 0)\nx\n\n" + text, limit=LIMIT)[-1].verdict is Verdict.SAME


def test_the_limit_of_the_file() -> None:
    document = Document(f"> {LOOP}\n\n> (+ 1 2)\n3\n", "talk.txt")
    endless, rest = Replay(document, Settings(limit=9.0, file_limit=LIMIT)).run()
    assert f"since the limit of the file is {LIMIT} s (--file-limit)" in endless.note
    assert rest.note == f"the limit of the file, {LIMIT} s, is over (--file-limit)"


def test_a_file_that_a_directive_loads(tmp_path: Path) -> None:
    (tmp_path / "endless.scm").write_text(LOOP, encoding="utf-8")
    transcript = tmp_path / "talk.txt"
    transcript.write_text("; minischeme: load endless.scm\n> (+ 1 2)\n3\n", encoding="utf-8")
    report = check_file(transcript, settings=Settings(limit=9.0, file_limit=LIMIT, seed=1))
    assert report.problem is not None
    assert "endless.scm: interrupted after" in report.problem
    assert report.problem.endswith(f"since the limit of the file is {LIMIT} s (--file-limit)")


def test_a_file_with_expectations(tmp_path: Path) -> None:
    program = tmp_path / "endless.scm"
    program.write_text(f"{LOOP}\n; expect 1\n", encoding="utf-8")
    report = check_file(program, settings=Settings(limit=LIMIT))
    assert f"interrupted after {LIMIT} s, the limit for an expression (--limit)" in report.outcomes[0].difference


def test_output_of_a_loop_is_cut() -> None:
    (found,) = outcomes('> (let loop () (display "words") (newline) (loop))\n', limit=LIMIT)
    assert found.lines[0] == "words"
    assert "…" in found.lines
    assert any(line.startswith("    interrupted after") for line in found.lines)
    assert len(found.lines) < 3_000


@pytest.mark.parametrize("text", [LOOP, OUTLIVING["an after thunk"]])
def test_where_there_are_no_timers(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(signal, "setitimer")
    first, last = outcomes(f"> {text}\n\n> (+ 1 2)\n3\n", limit=LIMIT)
    assert (first.verdict, last.verdict) == (Verdict.ENDLESS, Verdict.SAME)
