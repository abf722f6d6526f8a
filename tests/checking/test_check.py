"""What the check finds in programs: beginners' mistakes and nothing else, where, and what comments allow."""

from __future__ import annotations

import io
import random
import time
from pathlib import Path

import pytest
from damaged_texts import NOT_FOR_PEOPLE, TOKEN, damaged
from program_checks import mistakes

from minischeme import Session
from minischeme.checking.check import diagnostics
from minischeme.checking.formats import as_text
from minischeme.checking.registry import RULES
from minischeme.modules.files import source_text
from minischeme.transcripts.document import Document

ROOT = Path(__file__).parents[2]


def table() -> list[tuple[str, str, str, str]]:
    """The rule, the title, the wrong program and the mended one of each entry of the table."""
    found = []
    for entry in Path(__file__).with_name("mistakes.txt").read_text(encoding="utf-8").split("\n=== ")[1:]:
        title, _, programs = entry.partition("\n")
        rule, _, title = title.partition(": ")
        wrong, _, mended = programs.partition("\n---\n")
        found.append((rule, title, wrong, mended))
    return found


MISTAKES = table()
TITLES = [f"{rule}: {title}" for rule, title, _, _ in MISTAKES]


def found(text: str, session: Session | str = "berkeley") -> list[tuple[str, str]]:
    """The rules that found something, each with the text that it blames."""
    return [(each.rule, each.span.text) for each in mistakes(text, session=session)]


@pytest.mark.parametrize(("rule", "title", "wrong", "mended"), MISTAKES, ids=TITLES)
def test_a_mistake_is_found_and_its_fix_silences_it(rule: str, title: str, wrong: str, mended: str) -> None:
    assert {each.rule for each in mistakes(wrong)} == {rule}
    assert mistakes(mended) == []


def test_there_are_sixty_mistakes_and_one_at_least_for_each_rule() -> None:
    assert len(MISTAKES) >= 60
    assert {row[0] for row in MISTAKES} | {"allow"} == set(RULES)


# ── no false reports ─────────────────────────────────────────────────────────────────────────────────────────────────

PROGRAMS = {
    "berkeley": ["lib transcripts", "tests/programs/sicp", "tests/benchmarks", "tests/library"],
    "r7rs": ["tests/programs/r7rs"],
}
"""The folders of programs by dialect, those whose files use each other's definitions together."""


def test_what_the_book_types_gives_no_report() -> None:
    for path in sorted((ROOT / "tests" / "programs" / "sicp").glob("*.txt")):
        document = Document(path.read_text(encoding="utf-8"), path.name)
        typed = "\n".join(interaction.text for interaction in document.interactions())
        assert [each for each in mistakes(typed, str(path)) if each.rule != "unbound"] == []


@pytest.mark.parametrize(
    ("dialect", "folders"), [(dialect, each) for dialect, groups in PROGRAMS.items() for each in groups]
)
def test_programs_that_work_give_no_report(dialect: str, folders: str) -> None:
    files = [path for folder in folders.split() for path in sorted((ROOT / folder).rglob("*.scm"))]
    assert files
    session = Session(dialect, output=io.StringIO())
    assert [as_text(each) for each in diagnostics({str(f): source_text(str(f)) for f in files}, session)] == (
        [""] * len(files)
    )


WORKING = [
    "(define (even-number? n) (if (= n 0) #t (odd-number? (- n 1)))) (define (odd-number? n) (even-number? (- n 1)))",
    "(define-syntax swap! (syntax-rules () ((_ a b) (let ((t a)) (set! a b) (set! b t)))))"
    " (define (f x y) (swap! x y) (list x y))",
    "(define (f) (unless-zero 3 'no)) (define-syntax unless-zero (syntax-rules () ((_ n v) (if (= n 0) #f v))))",
    "(define-macro (def name value) `(define ,name ,value)) (def answer 42) (display answer)",
    "(define-macro (point name) `(define ,(symbol-append 'make- name) list)) (point p) (make-p 1 2)",
    "(define (f) (define-macro (twice e) `(begin ,e ,e)) (twice (g))) (define (g) 1)",
    '(load (string-append "a" ".scm")) (helper 1)',
    "(eval '(define helper car) (interaction-environment)) (helper '(1))",
    "(define-record-type point (make-point x) point? (x point-x set-point-x!)) (point-x (make-point 1))",
    "(define-structure card rank suit) (card-rank (make-card 'a 'h))",
    "(define-class (account balance) (method (deposit n) (set! balance (+ n balance)) balance))"
    " (ask (instantiate account 3) 'deposit 4)",
    "(define f (lambda (x) x)) (set! f (lambda (x y) y)) (f 1 2)",
    "(define (f a #!optional b) (if (default-object? b) a b)) (f 1) (f 1 2)",
    "(define f (case-lambda ((a) a) ((a b) b))) (f 1) (f 1 2)",
    "(define (compose first second) (lambda (x) (first (second x))))",
    "(define (accumulate-all list) (list 1 2))",
    "(define (f op) (op + 3))",
    "(define (fold-all f items) (f + items))",
    "(define (ordered sorter items) (sorter < items))",
    "(define (p) (p))",
    "(define (driver-loop) (let ((input (read))) (display input)) (driver-loop))",
    "(define (serve n) (read-line) (serve (+ n 1)))",
    "(define (integers n) (cons-stream n (integers (+ n 1))))",
    "(define (search k) (call/cc (lambda (return) (k return))) (search k))",
    "(define (my-abs x) (cond ((> x 0) x) ((= x 0) 0) ((< x 0) (- x)))) (+ 1 (my-abs -3))",
    "(define (g x) (cond ((pair? x) 1) ((not (pair? x)) 2))) (+ 1 (g 3))",
    '(define (f x) (if (> x 3) (display "big")) x)',
    "(define (f x) (cond ((> x 3) (newline)) ((< x 0) (display x))) x)",
    '(define (f x) "The value of x." x)',
    '(define (check-positive x) (if (< x 0) (error "negative" x))) (define (f x) (check-positive x) x)',
    "(define (f s) (force (cdr s)) (vector-set! s 0 1) (set-car! s 2) s)",
    "(define (f x) (guard (e (#t 'caught)) (car 5) x))",
    "(define x 1) (display x) (define x 2)",
    "(define f car) (define f (let ((old f)) (lambda (x) (old x))))",
    "(define (make-counter) (let ((n 0)) (lambda () (set! n (+ n 1)) n)))",
    "(define (f) (define (g) (h)) (define (h) 1) (g))",
    "'(define x 'y) '(if 'a 'b)",
    "(define (f x) (let loop ((i 0)) (if (< i 10) (loop (+ i 1)) i)))",
    "(define (f n) (do ((i 0 (+ i 1))) ((= i n)) (display i)))",
    "(define (f . args) (apply + args)) (f) (f 1 2 3)",
    "(define (f) (trace g) (g 1)) (define (g x) x) (trace f)",
    "(every (lambda (a) (* a a)) '(1 2)) (map (lambda (a b) (+ a b)) '(1) '(2)) (accumulate max '(1 2))",
    "(define (f items) (sort items (lambda (a b) (< a b))))",
    "(case 'a ((quote) 1) ((a) 2) (else 3))",
    "(define (f x) (and x 5 (or 'a x)))",
    "(define assert 5) (+ assert 1)",
    "(define (select test) (lambda (node) (cond ((null? node) node) (else ((select test) (cdr node))))))",
    "(test-error (car 5)) (test-equal 3 (+ 1 2))",
]
"""Programs that may look wrong."""


@pytest.mark.parametrize("program", WORKING)
def test_no_false_report(program: str) -> None:
    assert found(program) == []


# ── places, messages and hints ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("program", "message", "blamed", "hint"),
    [
        ("(define (f x) (frist x))", "unbound variable: frist", "frist", "did you mean first?"),
        ("(define (f x)\n  (list x y))", "unbound variable: y", "y", "did you forget a quote? 'y is the word itself"),
        (
            "(define (g a b) a) (define (f) (g 1))",
            "too few arguments to: (g 1)",
            "(g 1)",
            "it is called as (g a b)",
        ),
        ("(car 1 2)", "too many arguments to: (car 1 2)", "(car 1 2)", "it is called as (car pair)"),
        (
            "(define (best t hand)\n  best 0 hand)",
            "the values are ignored: best 0",
            "best 0",
            "are brackets missing? (best 0 hand)",
        ),
        (
            "(define (f x) x) (define (g x) f(x) 1)",
            "the value is ignored: f",
            "f",
            "the procedure's name belongs inside the brackets: (f x)",
        ),
        (
            "(define (f n) (= n 'ace))",
            "=: not a number: ace",
            "'ace",
            "= compares numbers; for words and lists use equal?",
        ),
        (
            "(define (f x) (cons x ; the rest\n 1) x)",
            "the value is ignored: (cons x 1)",
            "(cons x ; the rest\n 1)",
            "only the last value of a body counts",
        ),
        ("(display deck) (define deck '())", "unbound variable: deck", "deck", "it is defined only later, in line 1"),
        ("(define (f x) x)\n)", "read: unexpected close parenthesis", ")", "it closes nothing"),
    ],
)
def test_messages_are_those_of_errors(program: str, message: str, blamed: str, hint: str) -> None:
    (first, *_) = mistakes(program)
    assert (first.message, first.span.text, first.hint) == (message, blamed, hint)


def test_a_misspelt_form_is_reported_once() -> None:
    assert found("(deifne (f x) (* x y))") == [("unbound", "deifne")]
    assert found("(define (f x) (lett ((y 1)) (+ x y)))") == [("unbound", "lett")]


def test_nesting_that_is_too_deep_is_reported() -> None:
    (only,) = mistakes("(list " * 6000 + ")" * 6000)
    assert (only.rule, only.message) == ("syntax", "expressions are nested too deeply")


def test_what_cannot_be_read_hides_nothing_after_it() -> None:
    assert found("(define (f x)\n  (* 2 x)\n\n(define (g n) (* n (g (- n 1))))\n") == [
        ("read", "("),
        ("no-base-case", "(define (g n) (* n (g (- n 1))))"),
    ]


# ── files and sessions ───────────────────────────────────────────────────────────────────────────────────────────────


def test_definitions_of_files_that_are_loaded_are_known(tmp_path: Path) -> None:
    (tmp_path / "tools.scm").write_text('(load "more.scm") (define (double x) (* 2 x))')
    (tmp_path / "more.scm").write_text(
        "(define-syntax my-or (syntax-rules () ((_ a b) (let ((t a)) (if t t b))))) (define (f) (oops))"
    )
    text = '(load "tools.scm") (define (g t) (my-or t (double t))) (double 1 2)'
    (only,) = mistakes(text, str(tmp_path / "main.scm"))
    assert only.message == "too many arguments to: (double 1 2)"
    assert mistakes("(double 1)", "<text>", loads=[str(tmp_path / "tools.scm")]) == []
    assert mistakes("; minischeme: load tools.scm\n(double 1)", str(tmp_path / "main.scm")) == []


def test_files_that_are_checked_together_know_each_other() -> None:
    texts = {"a.scm": "(define (f x) (g x))", "b.scm": "(define (g x) (f (h x)))"}
    first, second = diagnostics(texts, Session(output=io.StringIO()))
    assert first == []
    assert [each.span.text for each in second] == ["h"]


def test_definitions_of_a_session_are_known_and_stay() -> None:
    session = Session(output=io.StringIO())
    session.eval("(define (helper a b) a) (define-syntax m (syntax-rules () ((_ a) 'a)))")
    assert found("(helper 1) (m unknown) (define other 1)", session) == [("arity", "(helper 1)")]
    assert "other" not in session.globals


def test_nothing_is_evaluated(tmp_path: Path) -> None:
    output = io.StringIO()
    session = Session(output=output)
    mistakes(f'(display "ran") (call-with-output-file "{tmp_path}/x" display) (define-macro (m) (display 1))'
                " (m) (cond-expand (else (display 2)))", session=session)  # fmt: skip
    assert output.getvalue() == ""
    assert list(tmp_path.iterdir()) == []


def test_libraries_are_followed() -> None:
    library = "(define-library (tools) (export double) (import (scheme base)) (begin (define (double x) (* 2 y))))"
    assert found(f"{library} (import (tools)) (double 1) (triple 1)", "r7rs") == [
        ("unbound", "y"),
        ("unbound", "triple"),
    ]
    assert found("(import (nowhere))", "r7rs") == [("load", "(nowhere)")]
    assert found('(include "nowhere.scm")', "r7rs") == [("load", '"nowhere.scm"')]
    assert found("(first '(1))", "r7rs") == [("unbound", "first")]
    assert found("(import (only (minischeme) first)) (first '(1))", "r7rs") == []


# ── comments that allow ──────────────────────────────────────────────────────────────────────────────────────────────

TWO = "(define (f x)\n  (cons x 1)\n  (g x))\n"
"""A program with an ignored value and an unbound variable."""


@pytest.mark.parametrize(
    ("program", "rules"),
    [
        (TWO, ["unused-value", "unbound"]),
        ("; minischeme: allow unused-value unbound\n" + TWO, []),
        (";;; A comment.\n\n;; minischeme: allow unused, unbound\n\n" + TWO, []),
        ("; minischeme: allow unused\n" + TWO, ["unbound"]),
        (TWO.replace("1)\n", "1)  ; minischeme: allow unused\n"), ["unbound"]),
        (TWO.replace("  (cons", "  ; minischeme: allow unused\n  (cons"), ["unbound"]),
        (
            "'here\n; minischeme: allow unbound\n" + TWO + TWO.replace("(f", "(h"),
            ["unused-value", "unused-value", "unbound"],
        ),
        ("; minischeme: allow unuzed\n" + TWO, ["allow", "unused-value", "unbound"]),
        ("; minischeme: allow\n'a", ["allow"]),
    ],
)
def test_a_comment_switches_a_rule_off(program: str, rules: list[str]) -> None:
    assert [rule for rule, _ in found(program)] == rules


# ── damaged programs, and speed ──────────────────────────────────────────────────────────────────────────────────────


def test_damaged_programs_are_reported_in_schemes_words() -> None:
    random_ = random.Random(17)
    texts = [row[3] for row in MISTAKES] + [source_text(str(ROOT / "lib" / "twenty-one.scm"))[:1500]]
    vocabulary = sorted({token for text in texts for token in TOKEN.findall(text)})
    session = Session(output=io.StringIO())
    reports = 0
    for _ in range(400):
        text = " ".join(damaged(TOKEN.findall(random_.choice(texts)), vocabulary, random_))
        found = mistakes(text, session=session)
        reports += bool(found)
        assert not NOT_FOR_PEOPLE.search(as_text(found, None).replace(text, "")), text
    assert reports > 200


def test_a_long_file_takes_not_much_longer_than_to_load_it() -> None:
    text = "".join(
        source_text(str(ROOT / "tests" / "programs" / "sicp" / f"{name}.scm")).replace("(define (", f"(define ({name}-")
        for name in ("explicit-control", "amb", "query", "compiler", "metacircular")
    )
    assert text.count("\n") > 1000

    def seconds(work: object) -> float:
        session = Session(output=io.StringIO())
        start = time.process_time()
        work(session)  # type: ignore[operator]
        return time.process_time() - start

    def check(session: Session) -> None:
        mistakes(text, session=session)

    def load(session: Session) -> None:
        for _ in session.interact(text):
            pass

    checks, loads = zip(*[(seconds(check), seconds(load)) for _ in range(3)], strict=True)
    assert min(checks) < 3 * min(loads)
