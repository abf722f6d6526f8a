"""Types that are known of variables: tests that they make needless are left out, and nobody may notice."""

from __future__ import annotations

import random

import pytest

from minischeme import SchemeError, Session
from minischeme.compiler.call_facts import CallFacts
from minischeme.data.cpython import last_constant
from minischeme.data.errors import report
from minischeme.data.printer import write


def outcome(session: Session, form: str) -> str:
    try:
        return write(session.eval(form))
    except SchemeError as error:
        return report(error)


def outcomes(program: str, *calls: str) -> list[str]:
    session = Session()
    session.eval(program)
    return [outcome(session, call) for call in calls]


def without_types(monkeypatch: pytest.MonkeyPatch, program: str, *calls: str) -> list[str]:
    with monkeypatch.context() as context:
        context.setattr(CallFacts, "has_type", lambda *_: False)
        return outcomes(program, *calls)


def python_of(program: str, name: str) -> str:
    session = Session()
    session.eval(program)
    text: str = last_constant(session.globals[name].__code__).unit.python_text()
    return text


SIEVE = """(define (f n) (let ((v (make-vector n 0)))
             (do ((i 0 (+ i 1))) ((= i n) v) (vector-set! v i (* i i)))))"""


def test_a_loop_that_counts_up_tests_nothing_but_its_end() -> None:
    assert "type(" not in python_of(SIEVE, "f")
    assert outcomes(SIEVE, "(f 5)", "(f 0)") == ["#(0 1 4 9 16)", "#()"]


@pytest.mark.parametrize(
    ("body", "tested"),
    [
        ("(let loop ((i 0)) (if (< i n) (begin (vector-set! v i 0) (loop (+ i 1)))))", False),
        ("(let loop ((i 0)) (if (< i n) (begin (vector-set! v i 0) (loop (+ i 0.5)))))", True),
        ("(let loop ((i 0)) (if (< i n) (begin (vector-set! v i 0) (loop (+ i n)))))", True),
        ("(let loop ((i 2)) (if (> i -2) (begin (vector-set! v i 0) (loop (- i 1)))))", True),
        ("(let loop ((i 0)) (if (< i n) (begin (vector-set! v i 0) (set! i (+ i 1)) (loop i))))", True),
        ("(define (put i) (vector-set! v i 0)) (put 0) (put n)", True),
        ("(define (put i) (vector-set! v i 0)) (put 0) (put 1)", False),
        ("(define (put i) (vector-set! v i 0)) (for-each put '(0 1 -1))", True),
        ("(let ((i (if (> n 1) 1 'one))) (vector-set! v i 0))", True),
        ("(let* ((i (vector-length v)) (j (quotient i 2))) (vector-set! v j 0))", False),
    ],
)
def test_what_is_known_of_an_index(body: str, tested: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    program = f"(define (f n) (define v (make-vector 3 1)) {body} v)"
    assert ("vector_set(" in python_of(program, "f")) is tested
    calls = [f"(f {argument})" for argument in ("1", "2", "3", "4", "1.5", "-1", '"2"', "'a")]
    assert outcomes(program, *calls) == without_types(monkeypatch, program, *calls)


def test_a_procedure_of_the_program_has_values_of_any_type() -> None:
    session = Session()
    session.eval(SIEVE)
    assert outcome(session, "(f 3)") == "#(0 1 4)"
    session.eval("(define (+ a b) (- a -1.0))")
    assert "vector-set!" in outcome(session, "(f 3)")
    session.eval("(define (make-vector n x) 'none)")
    assert "none" in outcome(session, "(f 3)")


def test_a_loop_that_is_entered_again() -> None:
    session = Session()
    session.eval("""(define k #f) (define times 0)
        (define (f) (let ((v (vector 'a 'b 'c)))
          (let loop ((i 0) (seen '()))
            (if (= i 3)
                (reverse seen)
                (loop (+ i 1) (cons (call/cc (lambda (c) (if (= i 1) (set! k c)) (vector-ref v i))) seen))))))""")
    assert write(session.eval("(f)")) == "(a b c)"
    session.eval("(define result '()) (set! result (f))")
    session.eval("(if (< times 1) (begin (set! times (+ times 1)) (k 'again)))")
    assert write(session.eval("result")) == "(a again c)"


class Loops:
    """Random procedures with a loop over numbers, some of which are no indices."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def number(self, depth: int = 2) -> str:
        choose = self._random.choice
        if depth == 0 or self._random.random() < 0.4:
            return choose(["i", "i", "j", "0", "1", "3", "-1", "0.5", "n", '"2"', "(vector-length v)"])
        operator = choose(["+", "+", "*", "-", "quotient", "remainder", "modulo", "abs", "if", "max"])
        if operator == "abs":
            return f"(abs {self.number(depth - 1)})"
        first, second = self.number(depth - 1), self.number(depth - 1)
        return f"(if (odd? n) {first} {second})" if operator == "if" else f"({operator} {first} {second})"

    def program(self) -> str:
        used = ["(vector-ref v X)", "(vector-set! v X i)", "(string-ref s X)", "(even? X)", "(= X Y)", "(- X)"]
        used += ["(remainder X 3)", "(quotient X 2)", "(abs X)", "(eqv? X 1)", "(vector-ref (vector X Y) Y)"]
        parts = [self._random.choice(used).replace("X", self.number()).replace("Y", self.number()) for _ in range(3)]
        start, step = self._random.choice(["0", "1", "n", "2.5", "-2"]), self._random.choice(["1", "2", "0.5", "j"])
        return f"""(define (f n j)
          (define v (make-vector 4 'x)) (define s "abcd")
          (let loop ((i {start}) (j j) (rounds 0) (seen '()))
            (if (= rounds 5)
                (list v seen)
                (loop (+ i {step}) {self.number(1)} (+ rounds 1) (list {" ".join(parts)} seen)))))"""


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_random_loops_give_the_same_as_without(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = "(f 1 0)", "(f 4 1)", "(f 0 2)"
    for seed in range(first, first + 20):
        program = Loops(seed).program()
        assert outcomes(program, *calls) == without_types(monkeypatch, program, *calls), program
