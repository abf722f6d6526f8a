"""Everything can be redefined at any time: procedures that run, primitives that are compiled in, library names."""

from __future__ import annotations

import gc
import io
import weakref

import pytest

from minischeme import Session
from minischeme.data.cpython import last_constant
from minischeme.data.errors import SchemeError
from minischeme.data.printer import write


def value(text: str) -> str:
    """What the last form of a program gives, as `write` shows it."""
    return write(Session().eval(text))


def unparsed(session: Session, name: str) -> str:
    """The Python that a procedure is compiled to."""
    text: str = last_constant(session.globals[name].__code__).unit.python_text()
    return text


@pytest.mark.parametrize(
    "change",
    [
        "(define (f n) (list 'new n))",
        "(set! f (lambda (n) (list 'new n)))",
        "(define f (lambda (n) (list 'new n)))",
        "(define (change!) (set! f (lambda (n) (list 'new n)))) (f 2) (change!)",
        "(eval '(define (f n) (list 'new n)) (the-environment))",
        "(environment-assign! (the-environment) 'f (lambda (n) (list 'new n)))",
    ],
)
def test_a_loop_that_calls_nothing_else_follows_its_name(change: str) -> None:
    program = "(define (f n) (if (= n 0) 'old (f (- n 1)))) (define g f) (f 3)"
    assert value(f"{program} {change} (list (g 0) (g 5) (f 1))") == "(old (new 4) (new 1))"


def test_a_loop_that_calls_nothing_else_is_traced_in_every_turn() -> None:
    session = Session(output=(output := io.StringIO()))
    session.eval("(define (f n) (if (= n 0) 'done (f (- n 1)))) (define g f) (f 1)")
    session.eval("(trace f) (g 1)")
    assert output.getvalue().count("-> f") == 1
    session.eval("(untrace f) (g 1) (f 1)")
    assert output.getvalue().count("-> f") == 1
    assert "is not f" not in unparsed(session, "f")


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        # a procedure that replaces itself in the middle of a loop: the next turn is the new one's
        (
            "(define (f n) (if (= n 3) (set! f (lambda (n) (list 'new n)))) (if (= n 0) 'old (f (- n 1)))) (f 5)",
            "(new 2)",
        ),
        (
            "(define (change) (set! f (lambda (n) (list 'new n))))"
            " (define (f n) (if (= n 3) (change)) (if (= n 0) 'old (f (- n 1)))) (f 5)",
            "(new 2)",
        ),
        (
            "(define (f n) (if (= n 3) (eval '(define (f n) (list 'new n)))) (if (= n 0) 'old (f (- n 1)))) (f 5)",
            "(new 2)",
        ),
        (
            "(define (f n) (if (= n 3) (begin (define g f) (change))) (if (= n 0) 'old (f (- n 1))))"
            " (define (change) (set! f (lambda args (cons 'new args)))) (f 5)",
            "(new 2)",
        ),
        (
            "(define (f n) (if (= n 3) (set! f car)) (if (= n 0) 'old (f (- n 1)))) (f 5)",
            "error",
        ),
        (
            "(define (f n) (if (= n 0) 'old (f (- n 1)))) (define g f) (define (f n) 'new) (list (g 0) (g 5))",
            "(old new)",
        ),
        # not in tail position
        (
            "(define (f n) (if (= n 2) (set! f (lambda (n) '(new)))) (if (= n 0) '() (cons n (f (- n 1))))) (f 4)",
            "(4 3 2 new)",
        ),
        # a local procedure that is assigned
        (
            "(define (g) (define (f n) (if (= n 3) (set! f (lambda (n) (list 'new n))))"
            " (if (= n 0) 'old (f (- n 1)))) (f 5)) (g)",
            "(new 2)",
        ),
        (
            "(let loop ((n 5)) (if (= n 3) (set! loop (lambda (n) (list 'new n)))) (if (= n 0) 'old (loop (- n 1))))",
            "(new 2)",
        ),
    ],
)
def test_redefinition_of_a_running_procedure(program: str, expected: str) -> None:
    if expected == "error":
        with pytest.raises(SchemeError):
            Session().eval(program)
    else:
        assert value(program) == expected


PRIMITIVES = [
    ("car", "(car '(1 2))", "1"),
    ("cadr", "(cadr '(1 2))", "2"),
    ("cons", "(cons 1 2)", "(1 . 2)"),
    ("first", "(first 'abc)", "a"),
    ("bf", "(bf '(1 2))", "(2)"),
    ("null?", "(if (null? '()) 1 2)", "1"),
    ("not", "(if (not #f) 1 2)", "1"),
    ("not", "(not (pair? 1))", "#t"),
    ("pair?", "(or (pair? '(1)) 5)", "#t"),
    ("eq?", "(eq? 'a 'a)", "#t"),
    ("eqv?", "(if (eqv? x 5) 1 2)", "1"),
    ("+", "(+ x 1)", "6"),
    ("-", "(- x 1)", "4"),
    ("*", "(* x 2)", "10"),
    ("=", "(if (= x 5) 1 2)", "1"),
    ("<", "(< x 6)", "#t"),
    ("zero?", "(and (zero? 0) 3)", "3"),
    ("odd?", "(odd? x)", "#t"),
    ("quotient", "(quotient x 2)", "2"),
    ("1+", "(1+ x)", "6"),
    ("vector-ref", "(vector-ref #(1 2) 1)", "2"),
    ("empty?", "(empty? '())", "#t"),
    ("list", "(list x)", "(5)"),
    ("length", "(length '(1 2))", "2"),
    ("map", "(map car '((1) (2)))", "(1 2)"),
    ("string?", '(string? "a")', "#t"),
    ("apply", "(apply + '(1 2))", "3"),
]
# Each way to reach code that was compiled before: directly, in a closure, in a loop, as a local of a running procedure.
WAYS = [
    "(define x 5) (define (probe) {})",
    "(define x 5) (define (make x) (lambda () {})) (define probe (make 5))",
    "(define x 5) (define (probe) (let loop ((i #f)) (if i (loop #f) (let ((value {})) value))))",
    "(define x 5) (define probe (let ((x 5)) (define (inner) {}) (lambda () (define r (inner)) r)))",
    "(define (probe) ((lambda (x) {}) 5))",
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "expression", "expected"), PRIMITIVES, ids=[row[1] for row in PRIMITIVES])
def test_redefinition_of_a_primitive(way: str, name: str, expression: str, expected: str) -> None:
    session = Session()
    session.eval(way.format(expression))
    assert write(session.eval("(probe)")) == expected
    session.eval(f"(define old {name})")
    different = "2" if "(if" in expression else "5" if "(or" in expression else "#f"
    for change in (f"(set! {name} (lambda arguments #f))", f"(begin (define ({name} . arguments) #f) 1)"):
        session.eval(change)
        assert write(session.eval("(probe)")) == different
    session.eval(f"(define {name} old)")
    assert write(session.eval("(probe)")) == expected
    session.eval(f"(define ({name} . r) 'again)")
    assert write(session.eval(f"({name} 1 2)")) == "again"


def test_redefinition_while_it_runs() -> None:
    """Code that calls `eval` or `load` sees what they redefined, in the same call too."""
    assert value("(define (f) (eval '(define (car x) 'mine)) (car '(1))) (f)") == "mine"
    assert value("(begin (eval '(define (square x) 'mine)) (square 2))") == "mine"
    assert (
        value("(define (f) (g) (h)) (define (g) (eval '(define (car x) 'mine))) (define (h) (car '(1))) (f)") == "mine"
    )


def test_a_closure_made_after_the_redefinition_by_code_from_before() -> None:
    program = (
        "(define (make) (lambda (x) (car x))) (define a (make)) (define (car x) 'mine) (list (a '(1)) ((make) '(1)))"
    )
    assert value(program) == "(mine mine)"


def test_a_redefinition_that_is_never_reached() -> None:
    assert value("(define (f) (car '(1))) (if #f (define (car x) 'mine)) (f)") == "1"
    assert value("(define (f) (car '(1))) (define (g) (set! car cdr)) (list (f) (begin (g) (f)))") == "(1 ())"


def test_redefinition_by_the_embedding_program() -> None:
    session = Session()
    session.eval("(define (f x) (car x))")
    session.define("car", session.eval("(lambda (x) 'mine)"))
    assert write(session.eval("(f '(1))")) == "mine"


REDEFINITIONS = """
(define (map list f) 'mine)
(define (reverse . x) 'mine)
(define (append . x) 'mine)
(define (+ . x) 'mine)
(define (- . x) 'mine)
(define (count . x) 'mine)
(define (length . x) 'mine)
(define (equal? . x) #f)
(define (eqv? . x) #f)
(define (eq? . x) #f)
(define (list-ref . x) 'mine)
(define (list . x) 'mine)
(define (cons . x) 'mine)
(define (car . x) 'mine)
(define (cdr . x) 'mine)
(define (null? . x) #t)
(define (pair? . x) #f)
(define (not x) 'mine)
(define (first . x) 'mine)
(define (bf . x) 'mine)
(define (butfirst . x) 'mine)
(define (word . x) 'mine)
(define (word? . x) 'mine)
(define (sentence . x) 'mine)
(define (se . x) 'mine)
(define (empty? . x) 'mine)
(define (filter . x) 'mine)
(define (keep . x) 'mine)
(define (every . x) 'mine)
(define (apply . x) 'mine)
(define (force . x) 'mine)
(define (= . x) #f)
(define (< . x) #f)
(define (vector-ref . x) 'mine)
"""

LIBRARY_CALLS = [
    ("(accumulate max '(1 3 2))", "3"),
    ("(reduce max '(1 3 2))", "3"),
    ("(sort '(3 1 2) >)", "(3 2 1)"),
    ("(list-tail '(1 2 3) 1)", "(2 3)"),
    ("(member '(1) '((0) (1)))", "((1))"),
    ("(assoc '(1) '(((1) 2)))", "((1) 2)"),
    ("(delete 1 '(1 2 1))", "(2)"),
    ("(remove odd? '(1 2 3))", "(2)"),
    ("(flatmap (lambda (x) '(1 2)) '(a b))", "(1 2 1 2)"),
    ("(for-each display '())", "okay"),
    ("(vector-map abs #(-1 2))", "#(1 2)"),
    ("(list->string '(#\\a #\\b))", '"ab"'),
    ("(butlast 'hello)", "hell"),
    ("(item 2 'hello)", "e"),
    ("(last '(1 2 3))", "3"),
    ("(member? 'e 'hello)", "#t"),
    ("(appearances 'l 'hello)", "2"),
    ("((repeated cdddr 2) '(1 2 3 4 5 6 7))", "(7)"),
    ('(string-append "a" "b")', '"ab"'),
    ("(case 2 ((1 2) 'two) (else 'no))", "two"),
    ("`(1 ,@'(2 3) ,(* 2 2))", "(1 2 3 4)"),
    ("`#(1 ,(* 2 2))", "#(1 4)"),
    ("(stream-car (stream-cdr (cons-stream 1 (cons-stream 2 3))))", "2"),
    ("(let loop ((i 0)) (if (> i 3) i (loop (1+ i))))", "4"),
    ("(do ((i 0 (1+ i))) ((> i 3) i))", "4"),
    ("(append! '(1) '(2))", "(1 2)"),
    ("(list-copy '(1 2))", "(1 2)"),
    ("(call-with-values (lambda () (values 1 2)) max)", "2"),
    ("(dynamic-wind void (lambda () 5) void)", "5"),
    ("(expt 2 10)", "1024"),
    ("(gcd 12 18)", "6"),
    ("(number->string 255 16)", '"ff"'),
]


@pytest.mark.parametrize(("call", "expected"), LIBRARY_CALLS, ids=[row[0] for row in LIBRARY_CALLS])
def test_the_library_does_not_notice_redefinitions(call: str, expected: str) -> None:
    assert value(call) == expected, "before any redefinition"
    assert value(REDEFINITIONS + call) == expected


def test_the_redefinitions_do_redefine() -> None:
    session = Session()
    session.eval(REDEFINITIONS)
    for line in REDEFINITIONS.strip().splitlines():
        name = line.removeprefix("(define (").split()[0]
        arguments = "1" if name == "not" else "1 2"
        assert write(session.eval(f"({name} {arguments})")) in ("mine", "#t", "#f")


def test_accumulate_with_its_arguments_swapped() -> None:
    assert value("(define (accumulate initial f list) (if (null? list) initial (f (car list)"
                 " (accumulate initial f (cdr list))))) (accumulate 0 + '(1 2 3))") == "6"  # fmt: skip
    assert value("(define (square x) (list 'square x)) (map square '(1 2))") == "((square 1) (square 2))"


def test_two_sessions_do_not_disturb_each_other() -> None:
    one, other = Session(), Session()
    for session in (one, other):
        session.eval("(define (f x) (car x)) (define n 1)")
    one.eval("(define (car x) 'mine) (define n 2) (define (if a b c) 'no-form)")
    assert write(one.eval("(list (f '(1)) n (if 1 2 3))")) == "(mine 2 no-form)"
    assert write(other.eval("(list (f '(1)) n (if 1 2 3))")) == "(1 1 2)"
    one.eval("(define other-f 0)")
    one.define("other-f", other.globals["f"])
    assert write(one.eval("(other-f '(1))")) == "1"
    other.eval("(define (cdr x) 'others)")
    assert write(one.eval("(cdr '(1 2))")) == "(2)"


USES = [
    "1",
    "(define (f x) (car x)) (f '(1))",
    "(define (f n) (if (= n 0) 'x (g (- n 1)))) (define (g n) (f n)) (f 10)",
    "(define (make x) (lambda () (set! x (+ x 1)) x)) (define c (make 1)) (c)",
    "(define (f x) (car x)) (define (car x) 'mine) (f 1)",
    "(define (f n) (+ n 1)) (map f '(1 2 3)) (apply f '(1)) (call/cc (lambda (k) (f (k 1))))",
    "(define s (cons-stream 1 (stream-cdr s))) (define p (delay p)) (force p)",
    "(define l (list 1 2)) (set-cdr! l l) (define v (vector 1)) (vector-set! v 0 v)",
    "(eval '(define (f x) x)) (f 1)",
    "(define (f x) x) (define-syntax twice (syntax-rules () ((_ e) (begin e e)))) (twice (f 1))",
]


@pytest.mark.parametrize("use", USES)
def test_sessions_are_collected_after_use(use: str) -> None:
    session = Session()
    session.eval("(define (probe x) (other x)) (define (other x) x) (probe 1)")
    session.eval(use)
    references = [weakref.ref(session), weakref.ref(session.globals["probe"])]
    references += [weakref.ref(session.globals["f"])] if "f" in session.globals else []
    del session
    gc.collect()
    assert [reference() for reference in references] == [None] * len(references)


def test_a_session_is_collected_after_an_error() -> None:
    session = Session()
    with pytest.raises(SchemeError) as caught:
        session.eval("(define (f x) (if (= x 0) (car x) (+ 1 (f (- x 1))))) (f 10)")
    references = [weakref.ref(session), weakref.ref(session.globals["f"])]
    error = caught.value.with_traceback(None)
    del session, caught
    gc.collect()
    assert str(error) == "car: wrong type of argument: 0"
    assert [reference() for reference in references] == [None, None]
