"""Files as people have them who worked through the course, the book or SICP (DIALECT.md section 7): they run."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from minischeme import SchemeError, Session
from minischeme.cli.main import main
from minischeme.data.errors import report
from minischeme.data.printer import write

Files = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    """Loads a file of that text, with others beside it, and gives what it prints."""
    monkeypatch.chdir(tmp_path)

    def load(text: str | bytes, typed: str = "", **others: str) -> str:
        for name, contents in others.items():
            path = tmp_path / name.replace("__", "/")
            path.parent.mkdir(exist_ok=True)
            path.with_suffix(".scm").write_text(contents, encoding="utf-8")
        (tmp_path / "program.scm").write_bytes(text if isinstance(text, bytes) else text.encode())
        output = io.StringIO()
        Session(seed=1, output=output, input=io.StringIO(typed)).load("program.scm")
        return output.getvalue()

    return load


# Other systems' modules


@pytest.mark.parametrize(
    "language", ["simply-scheme", "planet dyoo/simply-scheme:1:2", "racket", "sicp", "scheme", "racket/base"]
)
def test_the_language_line_of_racket(language: str, run: Files) -> None:
    assert run(f"#lang {language}\n(display (+ 1 2))") == "3"
    assert run(f'#reader(planet "{language}.ss" ("dyoo" "simply-scheme.plt"))((x (y)) "z")\n(display (+ 1 2))') == "3"
    assert run(f"; homework 1\n\n#lang {language}\r\n(display (+ 1 2))") == "3"


def test_modules_are_noted_once(run: Files) -> None:
    shown = run(
        "#lang racket\n(require (planet dyoo/simply-scheme:1:2))\n(require racket/trace)\n(provide (all-defined-out))\n"
        "(#%require (only racket/base printf))\n(display (se 'a 'b))"
    )
    assert shown == (
        ";; require: ignored, everything is there already\n;; provide: ignored, everything is there already\n"
        ";; #%require: ignored, everything is there already\n(a b)"
    )


def test_advice_to_a_compiler(run: Files) -> None:
    assert run("(declare (usual-integrations))\n(define (f x) (declare (integrate x)) (* 2 x))\n(display (f 4))") == "8"


def test_a_program_may_have_a_require_of_its_own(run: Files) -> None:
    assert (
        run("(define (require p) (if (not p) 'retry 'ok))\n(display (list (require #t) (require #f)))") == "(ok retry)"
    )


# load


@pytest.mark.parametrize(
    "name",
    [
        "simply.scm",
        "berkeley.scm",
        "obj.scm",
        "simply",
        "~cs61a/lib/obj.scm",
        "~cs61a/lib/simply",
        "/usr/local/lib/simply.scm",
        "../lib/obj",
        "~/Simply.scm",
    ],
)
def test_the_books_own_library_is_there_already(name: str, run: Files) -> None:
    assert run(f'(load "{name}")\n(display (first \'hello))') == "h"


OWN_COPIES = {
    "simply": "(define butfirst (lambda (x) 'slow))\n(define bf butfirst)",
    "berkeley": ";; for SCM\n(define (butfirst x) 'slow)",
}


@pytest.mark.parametrize("name", OWN_COPIES)
def test_a_copy_of_the_books_library_is_not_run(name: str, run: Files) -> None:
    program = (
        f"(load \"{name}.scm\") (define-class (c) (method (m) 5)) (display (list (bf '(a b)) (ask (instantiate c) 'm)))"
    )
    assert run(program, **{name: OWN_COPIES[name]}) == "((b) 5)"
    assert run(f'(load "{name}") (display mine)', **{name: "(define mine 'mine)"}) == "mine"
    assert run('(load "other") (display (bf \'(a b)))', other=OWN_COPIES["simply"]) == "slow"


def test_files_are_found(run: Files) -> None:
    assert run('(load "a") (load "b.scm") (display (+ a b))', a="(define a 1)", b="(define b 2)") == "3"
    assert run('(load "./a") (display a)', a="(define a 5)") == "5"
    assert run('(load \'("a.scm" "b")) (display (+ a b))', a="(define a 1)", b="(define b a)") == "2"
    # what is named in a file is beside that file, or else in the current folder
    assert run('(load "lib/a")', lib__a='(load "b")', lib__b="(display 'beside)", b="(display 'current)") == "beside"
    assert run('(load "lib/a")', lib__a='(load "../b")', b="(display 'above)") == "above"
    assert run('(load "lib/a")', lib__a='(load "c")', c="(display 'current)") == "current"


def test_the_courses_account_means_the_library(run: Files) -> None:
    assert run('(load "~cs61a/lib/twenty-one.scm") (display (procedure? twenty-one))') == "#t"
    with pytest.raises(SchemeError, match=r"load: cannot open file: .*nosuch\.scm") as caught:
        run('(display 1)\n(load "~cs61a/lib/nosuch.scm")')
    assert caught.value.span is not None
    assert caught.value.span.source.position(caught.value.span.start)[0] == 2


def test_loading_says_nothing_by_itself(run: Files) -> None:
    assert run('(load "a") 5 (+ 1 1) "text" (define x 1)', a="1 2 (display 'a) 3") == "a"


# The text


def test_line_ends_pages_and_marks_of_editors(run: Files) -> None:
    program = "(define (f x) ; twice\n  (* 2 x))\n\f\n#| (f 1)\n #| inside |# |#\n(display (f 21))"
    assert run(program) == "42"
    assert run(program.replace("\n", "\r\n")) == "42"
    assert run(program.replace("\n", "\r")) == "42"
    assert run(b"\xef\xbb\xbf" + program.encode()) == "42"
    assert run(program.encode("utf-16")) == "42"
    assert run("; caf\u00e9, \u201cquoted\u201d\n(display \u2019(a b))".encode("cp1252")) == "(a b)"
    assert run('(display "line 1\r\nline 2")') == "line 1\nline 2"
    assert run("; nothing but a comment, and no end of line") == ""


def test_a_file_that_is_no_text(run: Files) -> None:
    with pytest.raises(SchemeError, match="load: cannot read file"):
        run(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")


def test_typographic_quotes_are_quotes(run: Files) -> None:
    assert run("(display (se ’a ‘(b c)))") == "(a b c)"
    with pytest.raises(SchemeError, match=r"− is a typographic minus sign, type -") as caught:
        run("(define twenty− one 21)")
    assert "program.scm" in str(caught.value.span)
    with pytest.raises(SchemeError, match="“ is a typographic quotation mark"):
        run("(display “hello”)")


def test_cases_are_mixed(run: Files) -> None:
    assert run(
        "(DEFINE (Value Card) (IF (MEMBER? (BL card) '(K Q J)) 10 (bl Card)))\n(display (every VALUE '(KH 2c)))"
    ) == ("(10 2)")
    assert run("(display (member? 'a '(A 2 3))) (display (list 'Foo \"Foo\" #\\A))") == "#t(foo Foo A)"


def test_square_brackets(run: Files) -> None:
    assert run(
        "(define (f x)\n  (let ([y 1])\n    (cond [(= x y) 'one] [else '[a b]])))\n(display (list (f 1) (f 2)))"
    ) == ("(one (a b))")


def test_a_superfluous_bracket_is_noted_and_the_rest_runs(run: Files) -> None:
    shown = run("(define (f x)\n  (+ x 1)))\n\n(display (f 1))\n)")
    place = ";; read: unexpected close parenthesis, ignored, at"
    assert shown.splitlines()[0].startswith(place)
    assert shown.splitlines()[0].endswith("program.scm:2:11")
    assert shown.splitlines()[1] == "2"
    assert shown.splitlines()[2].endswith("program.scm:5:1")


def test_a_missing_bracket_names_the_one_that_is_open(run: Files) -> None:
    with pytest.raises(SchemeError, match="read: end of file inside list") as caught:
        run("(define a 1)\n(define (f x)\n  (+ x 1)\n\n(define (g x) (f x))\n")
    shown = report(caught.value)
    assert "program.scm:2:1" in shown
    assert "begins at line 5: is a ) missing before it?" in shown


def test_what_came_before_a_missing_bracket_is_there(tmp_path: Path) -> None:
    (tmp_path / "half.scm").write_text("(define a 1)\n(define (f x)\n  (+ x 1)\n")
    session = Session(output=io.StringIO())
    with pytest.raises(SchemeError):
        session.load(tmp_path / "half.scm")
    assert write(session.eval("a")) == "1"


@pytest.mark.parametrize(
    ("program", "shown"),
    [
        ("(write (list : :key 'b))", "(: :key b)"),
        (
            "(define (f . options) (if (memq :loud options) 'LOUD 'quiet)) (display (list (f :loud) (f)))",
            "(loud quiet)",
        ),
        ("(define :x 5) (display :x)", "5"),
        ("(define :x 5)(define (f :y) (+ :x :y)) (display (f 1))", "6"),
        ("(display (cons 1 ())) (display (if () 'true 'false)) (display (append () '(a)))", "(1)true(a)"),
        ("(define x) (set! x 5) (display x)", "5"),
        ("(define (f x) (if (> x 0) 'positive)) (display (f 1)) (f -1)", "positive"),
        (
            "(display (list (cond (else)) (cond (#f 1) (5)) (cond ((assv 2 '((1 a) (2 b))) => cadr) (else 'no))))",
            "(#t 5 b)",
        ),
        ("(begin) (display (let () 5))", "5"),
        ("(define ((adder n) x) (+ n x)) (display ((adder 3) 4))", "7"),
        ("(define (f) (display 1) (define x 2) (display x)) (f)", "12"),
        ("(define lst '(1 2 . (3))) (display lst) (display '(quote a))", "(1 2 3)(quote a)"),
        ("(display (list #t #f #true #false true false nil))", "(#t #f #t #f #t #f ())"),
        ("(display (list 10s 8h)) (define 10s 5)", "error"),
        ("(define 10s 5) (display (list 10s '8h 1+))", "(5 8h #[subr 1+])"),
        (
            "(define e 2) (display (eval '(+ e 1))) (eval '(define z 7)) (display z) (display (eval (list 'if #t e)))",
            "372",
        ),
        ("(define-macro (when2 test . body) `(if ,test (begin ,@body))) (when2 #t (display 1) (display 2))", "12"),
        ("(case (word 1 0) ((10) (display 'ten)) (else (display 'no)))", "ten"),
        ("(do ((i 0 (+ i 1))) ((= i 3)) (display i))", "012"),
        ("(display (call/cc (lambda (return) (for-each (lambda (x) (if (> x 1) (return x))) '(1 2 3)) 'none)))", "2"),
        ("(let loop ((i 0)) (cond ((< i 3) (display i) (loop (1+ i)))))", "012"),
        ("(display `(a ,(+ 1 2) ,@(map 1+ '(1 2)) . end))", "(a 3 2 3 . end)"),
        (
            '(define (show-all . args) (for-each (lambda (x) (display x) (display " ")) args)) (show-all 1 \'a "b")',
            "1 a b ",
        ),
        ("(define-structure point x y) (display (point-y (make-point 1 2)))", "2"),
    ],
)
def test_habits(program: str, shown: str, run: Files) -> None:
    if shown == "error":
        with pytest.raises(SchemeError, match="unbound variable"):
            run(program)
    else:
        assert run(program) == shown


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ('(error "Unknown request -- MAKE-ACCOUNT" \'foo)', "Unknown request -- MAKE-ACCOUNTfoo"),
        ('(error "Unknown op: " \'foo \'(1 "two"))', "Unknown op: foo(1 two)"),
        ('(error \'who "bad ~s" "x")', 'who: bad "x"'),
        ('(error \'who "bad" 5)', "who: bad5"),
        ("(error 'foo)", "foo"),
        ('(error "no ~a in ~s" \'key \'(a "b"))', 'no key in (a "b")'),
        ('(error "two~%lines")', "two\nlines"),
        ('(error "")', ""),
        ("(error 5 'is 'wrong)", "5iswrong"),
    ],
)
def test_error_in_all_its_uses(program: str, message: str, run: Files) -> None:
    with pytest.raises(SchemeError) as caught:
        run(program)
    assert str(caught.value) == message


def test_programs_that_ask(run: Files) -> None:
    program = """
        (define (ask-number) (display "Number? ") (let ((n (read))) (if (number? n) n (ask-number))))
        (define n (ask-number))
        (define rest (read-line))
        (define line (read-line))
        (show (list n rest line (read-string) (eof-object? (read))))"""
    assert run(program, typed="abc 12 apples\nHave fun\nRaw  line\n") == (
        "Number? Number? (12 (apples) (Have fun) Raw  line #t)\n"
    )


# trace


def test_tracing_in_a_file(run: Files) -> None:
    program = """
        (define (f x) (if (= x 0) 'end (f (- x 1))))
        (define (g x) (list x))
        (trace f g)
        (f 1) (g 2)
        (untrace f g)
        (f 1)"""
    assert run(program) == (
        ".. -> f with x = 1\n.... -> f with x = 0\n.... <- f returns end\n.. <- f returns end\n"
        ".. -> g with x = 2\n.. <- g returns (2)\n"
    )


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("(define (f x) x) (trace f) (trace f)", "trace: procedure ``f'' is already traced"),
        ("(trace f) (define (f x) x)", "unbound variable: f"),
        ("(define (f x) x) (untrace f)", "untrace: f is not traced"),
        ("(define f 5) (trace f)", "trace: cannot trace 5"),
    ],
)
def test_tracing_what_is_traced_or_not_there(program: str, message: str, run: Files) -> None:
    with pytest.raises(SchemeError) as caught:
        run(program)
    assert message in str(caught.value)


def test_a_new_definition_ends_its_tracing(run: Files) -> None:
    assert run("(define (f x) x) (trace f) (define (f x) (* 2 x)) (display (f 2)) (trace f) (f 3)") == (
        "4\n.. -> f with x = 3\n.. <- f returns 6\n"
    )


def test_a_file_with_many_names_of_the_library(run: Files) -> None:
    names = "square accumulate reverse repeated count filter even? eval length append every equal? first second apply"
    definitions = "\n".join(f"(define ({name} . arguments) 'mine)" for name in names.split())
    uses = "\n".join(f"(display ({name} 1))" for name in names.split())
    assert run(f"{definitions}\n{uses}\n(display (map max '(1 2) '(2 1)))") == "mine" * len(names.split()) + "(2 2)"


# From the shell


def test_the_status_of_a_file_that_leaves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "hw1.scm"
    program.write_text("#lang simply-scheme\n(display (every first '(have fun)))\n(exit 3)\n")
    assert main([str(program)]) == 3
    assert capsys.readouterr().out.startswith("(h f)")
    program.write_text("(define (f x)\n  (car x))\n(f 5)\n")
    assert main([str(program)]) == 1
    shown = "".join(capsys.readouterr())
    assert "car: wrong type of argument: 5" in shown
    assert "hw1.scm:2:8" in shown
