"""Names and files of the course, and what its interpreter gives where others give something else."""

from __future__ import annotations

import gc
import io
import subprocess
import sys
from pathlib import Path

import pytest
from sessions import error_in, shown, value
from tables import cases

from minischeme import Session
from minischeme.cli.main import main
from minischeme.data.printer import write
from minischeme.data.source import Source
from minischeme.reading.reader import read

USES = r"""
    (catch (car 5)) → #t
    (catch (car '(1))) → #f
    (catch (raise 'oops) 5) → #t
    (begin (define n 0) (list (catch (set! n 1) (zork) (set! n 2)) n)) → (#t 1)
    (call/cc (lambda (k) (catch (k 'left)))) → left
    (string? (version)) → #t
    (map keyword? (list :a 'a ':b "a" ': 5)) → (#t #f #t #f #f #f)
    ((string->regexp "a(b*)c") "xxabbc") → ((2 6) (3 5))
    ((string->regexp "^[a-z]+$") "ten of hearts") → #f
    ((string->regexp "{|}") "a{") → ((1 2))
    (= (rand-update 7) (rand-update 7)) → #t
    (let ((x (rand-update 7))) (equal? x (rand-update x))) → #f
    (begin (define (f x) (* x x)) (procedure-body f)) → (lambda (x) (* x x))
    (begin (define f (lambda x 5)) (procedure-body f)) → (lambda x 5)
    (begin (define ((f a) b) 1 (+ a b)) (procedure-body f)) → (lambda (a) (lambda (b) 1 (+ a b)))
    (procedure-body (let () (define (g x) x) g)) → (lambda (x) x)
    (procedure-body (named-lambda (g x) x)) → (lambda (x) x)
    (procedure-body car) → #f
    (begin (define (f x) (* x x)) (list (uncode f) (uncode '(a b)))) → ((lambda (x) (* x x)) (a b))
    (with-output-to-string (lambda () (repl-display-prompt 'stk))) → "> "
    (with-module stk (define x 3) (+ x 1)) → 4
    (let ((x 10)) (parallel-execute (lambda () (set! x (+ x 1))) (lambda () (set! x (* x 2))))) → #t
    (let ((end #f)) (with-output-to-string (lambda () (set! end (display-stream (stream 1 2))))) end) → done
    (list (provide "mine.scm") (provide 'mine)) → ("mine.scm" mine)
    (list (log 0) (log 0.) (log 0 10) (log 0 1/2)) → (-inf.0 -inf.0 -inf.0 +inf.0)
    "a\'b\q\(\"" → "a'bq(\""
    (begin (define-class (k x) (method (get) x)) (ask (make k 5) 'get)) → 5
"""


@pytest.mark.parametrize(("program", "expected"), cases(USES))
def test_names_of_the_course(program: str, expected: str) -> None:
    assert value(Session(), program) == expected


def test_an_unknown_escape_is_an_error_in_r7rs() -> None:
    for text in (r'"a\qb"', r"'|a\qb|"):
        assert str(error_in(Session("r7rs"), text)) == r"read: bad escape: \q"
    assert str(error_in(Session(), r'"a\x"')) == r"read: bad escape: \x"


def test_the_environment_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARDS", "52")
    assert value(Session(), '(list (getenv "CARDS") (getenv "NO_SUCH_VARIABLE_HERE"))') == '("52" #f)'


def test_commands_of_the_system(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "program.scm"
    program.write_text('(display "before ") (display (system "echo inside; exit 3"))')
    assert main([str(program)]) == 1
    out, err = capfd.readouterr()
    assert out == "before \n" or out == "before "
    assert 'system: not allowed to run: "echo inside; exit 3"' in err
    assert "minischeme --allow-system allows it" in err
    done = subprocess.run(
        [sys.executable, "-m", "minischeme", "--allow-system", str(program)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("before inside\n3", "", 0)


# ── files ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return tmp_path


def ran(folder: Path, **files: str) -> str:
    """What is printed when main.scm is loaded, with files beside it."""
    for name, text in files.items():
        (folder / f"{name}.scm").write_text(text)
    output = io.StringIO()
    Session(output=output).load(folder / "main.scm")
    return output.getvalue()


def test_require_loads_a_file_that_lies_beside_once(folder: Path) -> None:
    main = '(require "helper.scm") (require "helper") (require "helper.scm") (display (f 5))'
    assert ran(folder, main=main, helper='(display "helper ") (define (f x) (* x 2))') == "helper helper 10"


def test_a_file_of_rackets_language_sicp_is_loaded(folder: Path) -> None:
    assert ran(folder, main='#lang sicp\n(#%require "helper.scm") (display (f 5))', helper="(define (f x) x)") == "5"


def test_what_provides_itself_is_not_required_again(folder: Path) -> None:
    assert ran(folder, main='(load "helper") (require "helper")', helper='(provide "helper") (display 1)') == "1"


def test_a_file_that_failed_is_required_again(folder: Path) -> None:
    (folder / "elsewhere" / "bad.scm").write_text("(car 5)")
    session = Session()
    assert "wrong type" in str(error_in(session, '(require "bad.scm")'))
    assert "wrong type" in str(error_in(session, '(require "bad.scm")'))
    assert str(error_in(session, '(require "nosuch.scm")')) == 'require: cannot open file: "nosuch.scm"'


@pytest.mark.parametrize("way", ["load", "include", "require"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("simply", "(define (butfirst x) (no-such-thing))"),
        ("berkeley", "(define (add-signal-handler! . x) (no-such-thing)) (no-such-thing)"),
        ("berkeley", "(add-signal-handler! |SIGINT| (lambda (i) (no-such-thing))) (no-such-thing)"),
    ],
)
def test_the_files_of_the_course_are_built_in(folder: Path, way: str, name: str, text: str) -> None:
    assert ran(folder, main=f'({way} "{name}.scm") (display (butfirst \'(a b)))', **{name: text}) == "(b)"


def test_a_file_of_ones_own_with_such_a_name_is_included(folder: Path) -> None:
    assert ran(folder, main='(include "simply.scm") (display (f))', simply="(define (f) 'mine)") == "mine"


# ── tests in programs ────────────────────────────────────────────────────────────────────────────────────────────────

SRFI_64 = """
(test-begin "cards")
(test-equal 4 (+ 2 2))
(test-equal "sum" 5 (+ 2
   2))
(test-equal '(a b) (list 'a "c"))
(test-assert (memq 'a '(b a)))
(test-assert "car" (car '()))
(test-eqv 'a 'a)
(test-eq "eq" "a" (string #\\a))
(test-error (car 5))
(test-error "none" (+ 1 1))
(test-error symbol? (raise 'oops))
(test-error "kind" symbol? (raise "oops"))
(test-approximate 3.14 3.1415 0.01)
(test-approximate "pi" 3.14 3.5 0.01)
(test-group "inner" (define x 5) (test-equal x 5))
(test-end "cards")
"""

SRFI_64_SHOWN = """\
;; FAIL sum: got 4, expected 5
;; FAIL (list 'a "c"): got (a "c"), expected (a b)
;; FAIL car: got an error: car: wrong type of argument: (), expected a true value
;; FAIL eq: got "a", expected "a"
;; FAIL none: got 2, expected an error
;; FAIL kind: got an exception: "oops", expected an error
;; FAIL pi: got 3.5, expected 3.14
;; inner: 1 passed, 0 failed
;; cards: 7 passed, 7 failed
"""

SRFI_78 = """
(check (+ 1 1) => 2)
(check (+ 1 1) => 3)
(check (car '()) => 'none)
(check (sqrt 2) (=> (lambda (x y) (< (abs (- x y)) 0.01))) 1.414)
(check-report)
(display (check-passed? 2))
(check-reset!)
(check-set-mode! 'report-failed)
(check 1 => 1)
(check 1 => 2)
(check-set-mode! 'off)
(check (no-such-thing) => 1)
(check-set-mode! 'summary)
(check 3 => 3)
(check-report)
"""

SRFI_78_SHOWN = """\
(+ 1 1) => 2 ; correct
(+ 1 1) => 2 ; *** failed ***
; expected result: 3
(car (quote ())) => an error: car: wrong type of argument: () ; *** failed ***
; expected result: none
(sqrt 2) => 1.4142135623730951 ; correct
; *** checks *** : 2 correct, 2 failed. First failed example:
(+ 1 1) => 2 ; *** failed ***
; expected result: 3
#f
1 => 1 ; *** failed ***
; expected result: 2
; *** checks *** : 2 correct, 1 failed. First failed example:
1 => 1 ; *** failed ***
; expected result: 2
"""


@pytest.mark.parametrize(
    ("imports", "dialect"),
    [
        ("", "berkeley"),
        ("(import (srfi 64) (srfi 78))", "berkeley"),
        ("(import (scheme base) (scheme write) (srfi 64) (srfi 78))", "r7rs"),
    ],
)
@pytest.mark.parametrize(
    ("program", "expected"), [(SRFI_64, SRFI_64_SHOWN), (SRFI_78, SRFI_78_SHOWN)], ids=["64", "78"]
)
def test_tests_in_programs(program: str, expected: str, imports: str, dialect: str) -> None:
    output = io.StringIO()
    Session(dialect, output=output).eval(imports + program)
    assert output.getvalue() == expected


def test_a_program_may_have_a_check_of_its_own() -> None:
    session = Session()
    assert value(session, "(define (f) (check 1 2)) (define (check a b) (list a b 'own)) (f)") == "(1 2 own)"
    assert str(error_in(Session(), "(check 1 2)")) == "unbound variable: check"


# ── a definition after a use ─────────────────────────────────────────────────────────────────────────────────────────


DEFINED_AFTER = [
    ("(define (f x) (delay x)) (define (delay e) (list 'mine e)) (f 3)", "(mine 3)"),
    ("(define (f x) (map (lambda (y) (assert y x)) '(1))) (define assert list) (f 3)", "((1 3))"),
    ("(define (f x) (delay x)) (define g f) (define (delay e) (list 'mine e)) (define (h) (f 1)) (h)", "(mine 1)"),
    ("(define (f x) (list check (map catch '(1)))) (define (catch x) (list x)) (define check 5) (f 1)", "(5 ((1)))"),
    ("(define (f x) (twice x)) (define-macro (twice e) `(list ,e ,e)) (f 3)", "(3 3)"),
    ("(define (f x) (twice x)) (define-syntax twice (syntax-rules () ((_ e) (list e e)))) (f 3)", "(3 3)"),
    ("(define (f) (while 1 2)) (define (g) (f)) (define (while a b) (list a b)) (define (while a b) (list b a)) (g)",
     "(2 1)"),
    ("(define (f x) (delay x)) (define l (list f)) (define (delay e) (list 'mine e)) (list (f 1) ((car l) 2))",
     "((mine 1) (mine 2))"),
    ("(define (f x) (twice x)) (define g f) (define-macro (twice e) `(list ,e)) (list (eq? f g) (g 3))", "(#t (3))"),
    ("(define (f n) (if (= n 0) 'ok (begin (assert #t) (f (- n 1))))) (define g f) (define (assert e) e) (g 50000)",
     "ok"),
    ("(define (f x) (delay x)) (define g f) (set! f car) (define (delay e) (list 'mine e)) (f '(1))", "1"),
    ("(define (loop n) (if (= n 0) 0 (loop (- n 1)))) (define (if x) (list x)) (if 1)", "(1)"),
    ("(define (f x) (if (delay x) (force (delay x)) 'no)) (define x (delay 1)) (define (delay e) e) (force x)", "1"),
]  # fmt: skip


@pytest.mark.parametrize(("program", "expected"), DEFINED_AFTER)
def test_a_use_means_what_is_defined_after_it(program: str, expected: str, tmp_path: Path) -> None:
    assert value(Session(), program) == expected
    (*_, last) = Session().interact(program)
    assert last.output == expected + "\n"
    file = tmp_path / "program.scm"
    *_, last_form = read(Source(program, "<test>"))
    file.write_text(program[: last_form.span.start])
    session = Session()
    session.load(file)
    assert value(session, last_form.span.text) == expected


def test_an_assignment_of_a_variable_with_a_forms_name_defines_nothing_again() -> None:
    session = Session()
    session.eval("(define time 0) (define (tick) (set! time (+ time 1)) time)")
    assert value(session, "(list (tick) (tick))") == "(1 2)"


def test_a_traced_procedure_stays_traced_when_a_form_in_it_is_defined() -> None:
    session = Session()
    session.eval("(define (f x) (delay x)) (trace f)")
    session.eval("(define (delay e) e)")
    assert shown(session, "(f 1)") == ".. -> f with x = 1\n.. <- f returns 1\n1\n"
    session.eval("(untrace f)")
    assert shown(session, "(f 1)") == "1\n"


def test_what_is_defined_again_is_warned_of_once() -> None:
    session = Session()
    assert shown(session, "(define (f x) (let (x) x) (delay x))").count("Warning") == 1
    assert "Warning" not in shown(session, "(define (delay e) e)")
    assert str(error_in(session, "(f 1)")) == "let: badly formed binding: x"


def test_what_a_file_has_defined_is_not_typed_when_it_is_defined_again(tmp_path: Path) -> None:
    (tmp_path / "f.scm").write_text("(define (f x) (delay x))")
    session = Session()
    list(session.interact(f'(load "{tmp_path / "f.scm"}") (define (delay e) e)'))
    assert session.loader._typed_names == {"delay"}


def test_what_is_defined_again_is_not_kept_alive() -> None:
    session = Session()
    for _ in range(100):
        session.eval("(define (f x) (delay x))")
    gc.collect()
    assert len(session.main._texts) == 1
    assert write(session.eval("(promise? (f 1))")) == "#t"
