"""The compiler: order of evaluation, loops and the closures made in them, size and depth of programs."""

from __future__ import annotations

import subprocess
import sys
from types import CodeType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_programs import PRELUDE, RESULT, Evaluator, Programs

from minischeme import Session
from minischeme.compiler.analysis import DEEPEST_LOOPS
from minischeme.data.cpython import last_constant
from minischeme.data.errors import SchemeError
from minischeme.data.printer import write


def value(text: str) -> str:
    """What the last form of a program gives, as `write` shows it."""
    return write(Session().eval(text))


# ── against the evaluator ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False), st.integers(5, 45))
def test_compiled_programs_do_what_the_evaluator_does(random: object, size: int) -> None:
    program = Programs(random.randrange, size).program()  # type: ignore[attr-defined]
    expected = Evaluator().run(PRELUDE + program + RESULT)
    assert value(PRELUDE + program + RESULT) == write(expected), program


# ── order of evaluation ──────────────────────────────────────────────────────────────────────────────────────────────

NOTING = """
(define trail '())
(define (note x) (set! trail (cons x trail)) x)
(define (done . ignored) (reverse trail))
"""


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("(done (note 1) (note 2) (note 3))", "(1 2 3)"),
        ("(done (note 1) (let ((x (note 2))) (note x)) (note 3))", "(1 2 2 3)"),
        ("(done (+ (note 1) (note 2)) (begin (note 3) (note 4)) (note 5))", "(1 2 3 4 5)"),
        ("(done (note 1) (let loop ((i 0)) (if (< i 2) (loop (note (+ i 1))) (note 'end))) (note 5))", "(1 1 2 end 5)"),
        ("(done (note 1) (cond ((note #f) 1) ((note 2) => note)) (note 3))", "(1 #f 2 2 3)"),
        (
            "(done (if (note #f) 1 (note 2)) (or (note #f) (begin (note 3) 4)) (and (note 5) (note 6)))",
            "(#f 2 #f 3 5 6)",
        ),
        ("(define (f) (done (note 1) (let ((x (note 2))) x) (note 3))) (f)", "(1 2 3)"),
        ("(define g 1) (list g (begin (set! g 2) g) g)", "(1 2 2)"),
        ("(define (f x) (list x (begin (set! x 2) x) x)) (f 1)", "(1 2 2)"),
        ("(define (f x) (+ x (let ((y 10)) (set! x 5) y) x)) (f 1)", "16"),
        ("(define (f x) (define (up!) (set! x (+ x 1)) x) (list x (up!) x (up!) x)) (f 1)", "(1 2 2 3 3)"),
        (
            "(define (f x) (list x (let loop ((i 0)) (if (< i 3) (begin (set! x i) (loop (+ i 1))) i)) x)) (f 9)",
            "(9 3 2)",
        ),
        ("(define g 1) (define (f) (set! g 2) 1) (= g (f))", "#t"),
        ("(define g 1) (define (f) (set! g 2) 1) (list (= g (f)) (= (f) g) (= g 2))", "(#t #f #t)"),
        ("(define (h g) (define (f) (set! g 2) 1) (list (= g (f)) (= g (f)) (= g 2) (f))) (h 1)", "(#t #f #t 1)"),
        (
            "(define g 1) (define (f) (set! g 5) 0) (list (< g (f)) (vector-ref (vector 1 2 g) (f)) (eqv? g (f)))",
            "(#f 1 #f)",
        ),
        ("(define v (vector 1 2)) (define (f) (set! v (vector 3 4)) 0) (vector-ref v (f))", "1"),
        ("(define (f x) (let* ((a x) (b (begin (set! x 9) x))) (list a b x))) (f 1)", "(1 9 9)"),
        ("((begin (note 1) done) (note 2))", "(1 2)"),
        ("(define f car) (f (begin (set! f cdr) '(1 2)))", "1"),
        ("(define (g) (define h car) (h (begin (set! h cdr) '(1 2)))) (g)", "1"),
        ("(cons (note 1) (cons (note 2) (let ((x (note 3))) (done x))))", "(1 2 1 2 3)"),
    ],
)
def test_operands_are_evaluated_from_left_to_right(program: str, expected: str) -> None:
    assert value(NOTING + program) == expected


# ── closures ─────────────────────────────────────────────────────────────────────────────────────────────────────────

CALL_ALL = "(define (call-all fs) (if (null? fs) '() (cons ((car fs)) (call-all (cdr fs)))))"


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("(let loop ((i 0) (fs '())) (if (= i 3) (call-all fs) (loop (+ i 1) (cons (lambda () i) fs))))", "(2 1 0)"),
        ("(do ((i 0 (+ i 1)) (fs '() (cons (lambda () i) fs))) ((= i 3) (call-all fs)))", "(2 1 0)"),
        ("(define (f i fs) (if (= i 3) (call-all fs) (f (+ i 1) (cons (lambda () i) fs)))) (f 0 '())", "(2 1 0)"),
        (
            "(define fs '()) (define (f i) (if (= i 3) (call-all fs)"
            " (let ((j (* i 10))) (set! fs (cons (lambda () (set! j (+ j 1)) j) fs)) (f (+ i 1)))))"
            " (list (f 0) (call-all fs))",
            "((21 11 1) (22 12 2))",
        ),
        (
            "(define fs '()) (define (f i) (if (= i 3) (call-all fs)"
            " (begin (set! fs (cons (lambda () i) fs)) (set! i (+ i 1)) (f i)))) (f 0)",
            "(3 2 1)",
        ),
        (
            "(define fs '()) (let outer ((i 0)) (if (< i 2) (let inner ((j 0)) (if (< j 2)"
            " (begin (set! fs (cons (lambda () (list i j)) fs)) (inner (+ j 1))) (outer (+ i 1))))))"
            " (call-all (reverse fs))",
            "((0 0) (0 1) (1 0) (1 1))",
        ),
        (
            "(define (f n) (define fs '()) (define (add! g) (set! fs (cons g fs))) (let loop ((i 0))"
            " (let ((j (* i i))) (if (= i n) (call-all fs) (begin (add! (lambda () j)) (loop (+ i 1))))))) (f 4)",
            "(9 4 1 0)",
        ),
        (
            "(define fs '()) (define (f n) (let loop ((i 0)) (define (get) i) (if (= i n) (call-all fs)"
            " (begin (set! fs (cons (lambda () (get)) fs)) (loop (+ i 1)))))) (f 3)",
            "(2 1 0)",
        ),
        (
            "(define fs '()) (define (f n) (let loop ((i 0)) (define (keep! k) (set! fs (cons (lambda () k) fs)))"
            " (if (= i n) (call-all fs) (begin (keep! (* 2 i)) (loop (+ i 1)))))) (f 3)",
            "(4 2 0)",
        ),
        (
            "(define fs '()) (define (f n) (define (keep! k) (set! fs (cons (lambda () k) fs)))"
            " (let loop ((i 0)) (if (= i n) (call-all fs) (begin (keep! (* 2 i)) (loop (+ i 1)))))) (f 3)",
            "(4 2 0)",
        ),
        (
            "(define ps '()) (let loop ((i 0)) (if (< i 3) (begin (set! ps (cons (delay i) ps)) (loop (+ i 1)))))"
            " (map force ps)",
            "(2 1 0)",
        ),
        (
            "(define (ints n) (cons-stream n (ints (+ n 1)))) (define (take s n) (if (= n 0) '() (cons (stream-car s)"
            " (take (stream-cdr s) (- n 1))))) (take (ints 3) 3)",
            "(3 4 5)",
        ),
        (
            "(define (f x) (lambda () (set! x (+ x 1)) x)) (define a (f 1)) (define b (f 10)) (a) (b) (list (a) (b))",
            "(3 12)",
        ),
        ("(define (f x) (define (g) x) (set! x 5) g) ((f 1))", "5"),
        ("(define (f) (define (g) (lambda () (h))) (define (h) 'late) (g)) ((f))", "late"),
    ],
)
def test_each_turn_of_a_loop_has_variables_of_its_own(program: str, expected: str) -> None:
    assert value(CALL_ALL + program) == expected


# ── inner procedures that become loops ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        # the next turn of an outer loop from an inner one
        (
            "(define (f n) (let outer ((i 0) (s 0)) (if (= i n) s (let inner ((j 0) (s s))"
            " (if (= j i) (outer (+ i 1) s) (inner (+ j 1) (+ s 1))))))) (f 10)",
            "45",
        ),
        # the same through three levels, past the one in between
        (
            "(define (f n) (let a ((i 0) (s 0)) (if (= i n) s (let b ((j 0) (s s)) (if (= j 2) (a (+ i 1) s)"
            " (let c ((k 0) (s s)) (cond ((= k 3) (b (+ j 1) s)) ((= (+ i j k) 5) (a (+ i 1) (+ s 100)))"
            " (else (c (+ k 1) (+ s 1)))))))))) (f 6)",
            "420",
        ),
        # in the position of an operand, of a test, of a value
        ("(+ 1 (let loop ((i 0)) (if (= i 3) i (loop (+ i 1)))) 10)", "14"),
        ("(define (f) (if (let loop ((i 0)) (if (= i 3) #f (or (= i 5) (loop (+ i 1))))) 'yes 'no)) (f)", "no"),
        ("(define (f) (let ((x (let loop ((i 0)) (if (= i 3) i (loop (+ i 1)))))) (* x 2))) (f)", "6"),
        ("(define (f) (let loop ((i 0)) (if (= i 3) 'x (loop (+ i 1)))) 'after) (f)", "after"),
        (
            "(define (f) (let outer ((i 0) (s 0)) (if (= i 3) s (outer (+ i 1) (+ s (let inner ((j 0))"
            " (if (= j i) j (inner (+ j 1))))))))) (f)",
            "3",
        ),
        # not in tail position
        ("(let loop ((i 3)) (if (= i 0) '() (cons i (loop (- i 1)))))", "(3 2 1)"),
        ("(let loop ((i 3)) (cond ((= i 0) 0) ((odd? i) (loop (- i 1))) (else (+ i (loop (- i 1))))))", "2"),
        # entered from another inner procedure
        (
            "(define (f n) (define (down i) (if (= i 0) 'done (down (- i 1)))) (define (start) (down n)) (start))"
            " (f 5)",
            "done",
        ),
        (
            "(define (f n) (define (g i) (if (= i 0) n (g (- i 1)))) (define (h) (list (g 1) (g 2))) (h)) (f 7)",
            "(7 7)",
        ),
        (
            "(define (f n) (define (g i) (* i n)) (let loop ((i 0) (s 0)) (if (= i 4) s (loop (+ i 1) (+ s (g i))))))"
            " (f 10)",
            "60",
        ),
        # called from two places, and by each other
        (
            "(define (f x) (define (g y) (if (> y 9) y (g (+ y x)))) (if (> x 2) (g 0) (g 1))) (list (f 2) (f 3))",
            "(11 12)",
        ),
        (
            "(define (f n) (define (even n) (if (= n 0) 'even (odd (- n 1)))) (define (odd n) (if (= n 0) 'odd"
            " (even (- n 1)))) (even n)) (list (f 10) (f 7))",
            "(even odd)",
        ),
        (
            "(define (f n) (let a ((i 0)) (define (b j) (if (> j 2) (a (+ i 1)) (b (+ j 1)))) (if (= i n) i (b 0))))"
            " (f 4)",
            "4",
        ),
        (
            "(define (f n) (let loop ((i 0)) (define (g) (if (< i n) (loop (+ i 1)) i))"
            " (if (even? i) (g) (+ 100 (g))))) (f 3)",
            "203",
        ),
        # that contain a closure, or are one
        ("(define (f) (define (g x) (lambda (y) (+ x y))) ((g 1) 2)) (f)", "3"),
        ("(define (f) (define (g x) (map (lambda (y) (+ x y)) '(1 2))) (g 10)) (f)", "(11 12)"),
        ("(define (f) (define (g x) (if (= x 0) g (g (- x 1)))) (procedure? (g 3))) (f)", "#t"),
        ("(define (f) (define (g . r) (if (null? r) 'end (apply g (cdr r)))) (g 1 2 3)) (f)", "end"),
        ("(define (f) (define (g x) x) (set! g (lambda (x) (* x 2))) (g 5)) (f)", "10"),
        # that are never called, or call themselves by another name
        ("(define (f) (define (g x) (g x)) 5) (f)", "5"),
        ("(define (f n) (define g (lambda (i) (if (= i 0) 'end (g (- i 1))))) (g n)) (f 3)", "end"),
        ("(define (f n) (define g f) (if (= n 0) 'end (g (- n 1)))) (f 3)", "end"),
        # in a sequence, a when, a cond with an arrow
        (
            "(define (f) (let loop ((i 0)) (when (< i 3) (loop (+ i 1))))"
            " (let loop ((i 9)) (unless (= i 0) (loop (- i 1))) i)) (f)",
            "9",
        ),
        ("(let loop ((l '((a 1) (b 2)))) (cond ((null? l) 'none) ((assq 'b l) => cadr) (else (loop (cdr l)))))", "2"),
        (
            "(define (f) (let loop ((i 0)) (cond ((= i 3) => (lambda (t) (list t i))) (else (loop (+ i 1)))))) (f)",
            "(#t 3)",
        ),
    ],
)
def test_inner_procedures(program: str, expected: str) -> None:
    assert value(program) == expected


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("(let loop ((n 7) (a 0) (b 1)) (if (= n 0) (list a b) (loop (- n 1) b (+ a b))))", "(13 21)"),
        ("(let loop ((n 3) (a 'x) (b 'y)) (if (= n 0) (list a b) (loop (- n 1) b a)))", "(y x)"),
        ("(define (f n a b) (if (= n 0) (list a b) (f (- n 1) b a))) (f 3 'x 'y)", "(y x)"),
        ("(define (f n a b c) (if (= n 0) (list a b c) (f (- n 1) (+ a b) a b))) (f 5 1 0 0)", "(8 5 3)"),
        ("(let loop ((n 3) (a 1)) (define (next) (* a 2)) (if (= n 0) a (loop (- n 1) (next))))", "8"),
        (
            "(let loop ((n 3) (a 1) (b 1)) (define (sum) (+ a b)) (if (= n 0) (list a b) (loop (- n 1) (sum) (sum))))",
            "(8 8)",
        ),
        (
            "(let loop ((n 3) (a 1) (b 1)) (define (sum k) (if (= k 0) (+ a b) (+ 1 (sum (- k 1)))))"
            " (if (= n 0) (list a b) (loop (- n 1) (sum 1) (sum 2))))",
            "(18 19)",
        ),
        ("(let loop ((i 0) (j 10)) (if (< i j) (loop (+ i 1) (begin (set! i 100) (- j 1))) (list i j)))", "(5 5)"),
        ("(let loop ((i 0) (j 0)) (if (< i 3) (loop (+ i 1) (let ((k i)) (+ k j))) (list i j)))", "(3 3)"),
        ("(do ((i 0 (+ i 1)) (j 0 i)) ((= i 4) (list i j)))", "(4 3)"),
    ],
)
def test_variables_of_a_loop_change_all_at_once(program: str, expected: str) -> None:
    assert value(program) == expected


def nested_loops(depth: int) -> str:
    """Named lets inside one another, each of two turns, that count the innermost turns in ``n``."""
    opening = "".join(f"(let l{level} ((i{level} 0)) (if (< i{level} 2) (begin " for level in range(depth))
    closing = "".join(f" (l{level} (+ i{level} 1)))))" for level in reversed(range(depth)))
    return f"{opening}(set! n (+ n 1)){closing}"


@pytest.mark.parametrize("wrapping", ["{}", "(define (f) {}) (f)", "(define (f x) (if (> x 0) (f (- x 1)) {})) (f 1)"])
def test_loops_nest_deeper_than_cpython_allows_blocks(wrapping: str) -> None:
    assert value("(define n 0)" + wrapping.format(nested_loops(12)) + "n") == "4096"
    one_turn = nested_loops(25).replace(" 2) (begin", " 1) (begin")
    assert value("(define n 0)" + wrapping.format(one_turn) + "n") == "1"


def test_only_some_of_many_nested_loops_are_functions() -> None:
    """Although the calls in the inner ones may be returned from twice."""
    session = Session()
    text = "".join(f"(do ((i{n} 0 (+ i{n} 1))) ((= i{n} 3)) (g i{n}) " for n in range(3 * DEEPEST_LOOPS))
    function = session.eval(f"(define (g x) x) (define (f x) {text} x{')' * 3 * DEEPEST_LOOPS}) f")

    def functions(code: CodeType) -> int:
        return 1 + sum(functions(inner) for inner in code.co_consts if isinstance(inner, CodeType))

    last_constant(function.__code__).unit.recompile()
    assert functions(function.__code__) == 3


def test_jumps_out_of_many_nested_loops() -> None:
    depth = 20
    program = "".join(f"(let l{level} ((n{level} n{level - 1})) (if (= n{level} 0) 'end " for level in range(1, depth))
    program += f"(l1 (- n{depth - 1} 1))" + "))" * (depth - 1)
    assert value(f"(define (f n0) {program}) (f 1000)") == "end"


# ── size and depth of programs ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("(+ 1 " * 5000 + "0" + ")" * 5000, "5000"),
        ("(define (f x) " + "(+ 1 " * 4900 + "x" + ")" * 4900 + ") (f 5)", "4905"),
        ("(let ((x " + "(car (list " * 1000 + "5" + "))" * 1000 + ")) x)", "5"),
        ("(define (f x) " + "(let ((x (+ x 1))) " * 500 + "x" + ")" * 500 + ") (f 0)", "500"),
        ("".join("(lambda (x) " for _ in range(60)) + "x" + ")" * 60 + " 'read", "read"),
        ("(define (f x) (cond " + "".join(f"((= x {n}) {n})" for n in range(1000)) + ")) (f 999)", "999"),
        ("(define (f x) (+ 1 (cond " + "".join(f"((= x {n}) {n})" for n in range(1000)) + "))) (f 999)", "1000"),
        ("(define (f x) (case x ((" + " ".join(f"a{n}" for n in range(2000)) + ") 1) (else 2))) (f 'a1999)", "1"),
        ("(define (f x) (list (or " + "".join(f"(= x {n})" for n in range(500)) + "))) (f 499)", "(#t)"),
        ("(define (f x) (if (and " + "(< 0 x)" * 2000 + ") 1 2)) (f 1)", "1"),
        ("(define (f " + " ".join(f"a{n}" for n in range(300)) + ") (list a0 a299)) (f "
         + " ".join(map(str, range(300))) + ")", "(0 299)"),
        ("(length (list " + "1 " * 3000 + "))", "3000"),
        ("(+ " + "1 " * 3000 + ")", "3000"),
        ("(begin " + "(define x 1) " * 2000 + "x)", "1"),
        ("(define (f) " + "".join(f"(define x{n} {n})" for n in range(500)) + " x499) (f)", "499"),
        ("(let* (" + "".join(f"(x{n} {n})" for n in range(500)) + ") x499)", "499"),
    ],
    ids=lambda text: text[:40],
)  # fmt: skip
def test_large_programs(program: str, expected: str) -> None:
    assert value(program) == expected


def test_what_is_too_deep_for_cpython_is_an_error_of_ours() -> None:
    session = Session()
    with pytest.raises(SchemeError, match="nested too deeply"):
        session.eval("(list " * 10_000 + ")" * 10_000)
    assert write(session.eval("(+ 1 2)")) == "3"


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("(define (f n) (if (= n 0) 0 (+ 1 (f (- n 1))))) (f 1000000)", "1000000"),
        pytest.param(
            "(define (f n) (if (= n 0) 0 (+ 1 (g n)))) (define (g n) (f (- n 1))) (f 1000000)",
            "1000000",
            marks=pytest.mark.skipif(sys.maxsize < 1 << 32, reason="too few addresses for two million frames"),
        ),
        ("(define (f n) (if (= n 0) 0 (+ 1 (car (map (lambda (x) (f (- n 1))) '(1)))))) (f 100000)", "100000"),
        ("(define (f n) (if (= n 0) 0 (+ 1 (apply f (list (- n 1)))))) (f 300000)", "300000"),
    ],
)
def test_deep_recursion(program: str, expected: str) -> None:
    assert value(program) == expected


RUNAWAY = """
import re
from minischeme import Session
from minischeme.compiler.analysis import DEEPEST_LOOPS
from minischeme.data.errors import RecursionDepthExceeded, report

session = Session()
try:
    session.eval({program!r})
except RecursionDepthExceeded as error:
    assert len(report(error).splitlines()) < 20
    assert session.eval("(+ 1 2)") == 3
    status = open("/proc/self/status").read()
    print(int(re.search(r"VmHWM:\\s*(\\d+)", status)[1]) // 1024)
"""


FIFTEEN_LOCALS = (
    "(define (f a b c) (let* (" + "".join(f"(v{n} (- a {n}))" for n in range(12)) + ") (+ b c "
    + " ".join(f"v{n}" for n in range(12)) + " (f a b c)))) (f 50 1 2)"
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as on Linux")
def test_runaway_recursion_ends_in_bounded_memory() -> None:
    script = RUNAWAY.format(program=FIFTEEN_LOCALS)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    megabytes = int(done.stdout)
    assert 100 < megabytes < 1500
