"""Calls of higher-order procedures with a `lambda` are loops, and mean what the calls of the procedures mean."""

from __future__ import annotations

import io
import re

import pytest
from reentered import values_seen

from minischeme import Session
from minischeme.compiler.assembly import info_of
from minischeme.compiler.higher_order import TABLE
from minischeme.data.errors import SchemeError, report
from minischeme.data.printer import write
from minischeme.primitives.registry import primitive_of

SEES = "(define trail '()) (define (see x) (set! trail (cons x trail)) x)"


def value(text: str, dialect: str = "berkeley") -> str:
    """What the last form of a program gives, as `write` shows it."""
    return write(Session(dialect=dialect).eval(text))


CALLS = [
    "(map (lambda (x) (see (* x x))) '(1 2 3))",
    "(map (lambda (x) x) '())",
    "(map (lambda (x y) (list x (see y))) '(1 2 3) '(a b))",
    "(map (lambda (x y) (list x y)) '(1 2 3) (let ((ring (list 1 2))) (set-cdr! (cdr ring) ring) ring))",
    "(map (lambda (x) (see x)) '(1 2 . 3))",
    "(map (lambda (x) (see x)) 5)",
    "(map (lambda (x) (see x)) (let ((ring (list 1 2))) (set-cdr! (cdr ring) ring) ring))",
    "(map (lambda (x) (car (see x))) '((1) 2))",
    "(map (lambda (x y) x) '(1 2))",
    "(map (lambda (x) (set! x (+ x 1)) (see x)) '(1 2 3))",
    "(map (lambda (x) (define y (* 2 x)) (define (z) (+ y 1)) (see (z))) '(1 2 3))",
    "(map (lambda (x) ((lambda (y) (* x y)) (see x))) '(1 2 3))",
    "(map (lambda (x) (let loop ((i x)) (if (= i 0) x (loop (- i 1))))) '(1 2 3))",
    "(map (lambda (x) (if (even? x) (error \"even\" x) (see x))) '(1 2 3))",
    "(map (lambda (x) (map (lambda (y) (see (+ x y))) '(10 20))) '(1 2))",
    "(map (lambda (f) (f)) (map (lambda (x) (lambda () x)) '(1 2 3)))",
    "(map (lambda (f) (f)) (map (lambda (x) (set! x (+ x 1)) (lambda () (set! x (+ x 1)) x)) '(1 2 3)))",
    "(map (lambda x x) '(1 2))",
    "(for-each (lambda (x) (see x)) '(1 2 3))",
    "(for-each (lambda (x y) (see (list x y))) '(1 2 3) '(a b))",
    "(for-each (lambda (x) (see x)) '(1 . 2))",
    "(vector-map (lambda (x) (see (* 2 x))) #(1 2 3))",
    "(vector-map (lambda (x y) (+ x y)) #(1 2 3) #(10 20))",
    "(vector-map (lambda (x) x) '(1 2))",
    "(vector-for-each (lambda (x) (see x)) #(1 2 3))",
    "(vector-for-each (lambda (x) (see x)) \"abc\")",
    "(string-for-each (lambda (c) (see c)) \"abc\")",
    "(string-for-each (lambda (c d) (see (list c d))) \"abc\" \"xy\")",
    "(string-for-each (lambda (c) (see c)) 'abc)",
    "(filter (lambda (x) (see (> x 1))) '(1 2 3))",
    "(filter (lambda (x) (set! x (- x)) (< x -1)) '(1 2 3))",
    "(filter (lambda (x) (see x)) '(1 . 2))",
    "(remove (lambda (x) (see (> x 1))) '(1 2 3))",
    "(find (lambda (x) (> (see x) 1)) '(1 2 3))",
    "(find (lambda (x) (> x 5)) '(1 2 3))",
    "(list-index (lambda (x) (> (see x) 1)) '(1 2 3))",
    "(list-index (lambda (x) (see #f)) '(1 2 3))",
    "(list-index (lambda (x y) (set! x (+ x 1)) (= x (see y))) '(1 2 3) '(9 3))",
    "(list-index (lambda (x) x) '(1 . 2))",
    "(list-index (lambda (x) x) 5)",
    "(member 2 '(1 2 3) (lambda (a b) (see (list a b)) (= a b)))",
    "(member 2.0 (list 1 2 3) (lambda (a b) (set! a (- a 1)) (= (see a) b)))",
    "(member 9 '(1 2 3) (lambda (a b) (= a b)))",
    "(member 9 '() (lambda (a b) (= a b)))",
    "(member 9 '(1 . 2) (lambda (a b) (= a (see b))))",
    "(member 9 5 (lambda (a b) (= a b)))",
    "(member (see 9) (see '(1 9)) (lambda (a b) (see (= a b))))",
    "(member 9 '(1 2) (lambda (a) #t))",
    "(member 'b '(a b c))",
    "(member (lambda (a b) #t) '(a b c))",
    "(let ((data (list 1 2 3 4))) (member 3 data (lambda (a b) (set-cdr! (cdr data) '()) (= a (see b)))))",
    "(let ((data (list 1 2 3))) (member 9 data (lambda (a b) (set-car! (cdr data) 9) (= a (see b)))))",
    "(assoc 2 '((1 one) (2 two)) (lambda (a b) (see (list a b)) (= a b)))",
    "(assoc 2.0 '((1 one) (2 two)) (lambda (a b) (= a b)))",
    "(assoc 9 '((1 one) (2 two)) (lambda (a b) (= a b)))",
    "(assoc 9 '((1 one) 2) (lambda (a b) (= a (see b))))",
    "(assoc 9 '((1 one) . 2) (lambda (a b) (= a (see b))))",
    "(assoc 9 5 (lambda (a b) (= a b)))",
    "(assoc 1 '((1 one)) (lambda (a) #t))",
    "(delete 2 '(1 2 3 2) (lambda (a b) (see (list a b)) (= a b)))",
    "(delete 2 '(1 . 2) (lambda (a b) (= a (see b))))",
    "(list-tabulate 4 (lambda (i) (see (* i i))))",
    "(make-initialized-list 2 (lambda (i) (see i)))",
    "(list-tabulate 'four (lambda (i) (see i)))",
    "(list-tabulate -1 (lambda (i) (see i)))",
    "(list-tabulate 100000000000000000000 (lambda (i) (see i)))",
    "(list-tabulate 3 (lambda (i j) (see i)))",
    "(flatmap (lambda (x) (see (list x x))) '(1 2 3))",
    "(flatmap (lambda (x) (see x)) '(1 2 3))",
    "(flatmap (lambda (x) (see x)) 5)",
    "(append-map (lambda (x) (list (see x) 'and)) '(1 2))",
    "(append-map (lambda (x) (if (= x 2) (cons x x) '())) '(1 2))",
    "(append-map (lambda (x) x) '(1 . 2))",
    "(filter-map (lambda (x) (and (> (see x) 1) (* x x))) '(1 2 3))",
    "(filter-map (lambda (x) x) '(1 . 2))",
    "(string-map (lambda (c) (char-upcase (see c))) \"abc\")",
    "(string-map (lambda (c d) (see c) d) \"abc\" \"xy\")",
    "(string-map (lambda (c) 1) \"abc\")",
    "(string-map (lambda (c) c) 'abc)",
    "(hash-table-walk (let ((t (make-equal-hash-table))) (hash-table-set! t 'a 1) t) (lambda (k v) (see (list k v))))",
    "(hash-table-walk 5 (lambda (k v) (see k)))",
    "(hash-table-map (let ((t (make-equal-hash-table))) (hash-table-set! t 'a 1) t) (lambda (k v) (see (list k v))))",
    "(let ((t (make-equal-hash-table))) (hash-table-set! t 1 2) (hash-table-set! t 2 3)\
          (hash-table-walk t (lambda (k v) (hash-table-delete! t 2) (hash-table-set! t 9 9) (see (list k v))))\
          (hash-table-count t))",
    "(hash-table-walk (make-equal-hash-table) (lambda (k) (see k)))",
    "(any (lambda (x) (and (> (see x) 1) (* x x))) '(1 2 3))",
    "(any (lambda (x y) (and (> x y) x)) '(1 2 3) '(2 1))",
    "(ormap (lambda (x) (and (> (see x) 1) x)) '(1 2 3))",
    "(andmap (lambda (x) (and (< (see x) 2) x)) '(1 2 3))",
    "(andmap (lambda (x) x) '())",
    "(every (lambda (w) (first (see w))) '(have fun now))",
    "(every (lambda (letter) (word (see letter) letter)) 'abc)",
    "(every (lambda (digit) (* digit digit)) 123)",
    "(every (lambda (w) (se w (see w))) '(a b))",
    "(every (lambda (w) '()) '(a b))",
    "(every (lambda (w) (list (list (see w)))) '(a b))",
    "(every (lambda (w) (see (= 1 w))) '(1 2))",
    "(every (lambda (w) (see w)) '(a . b))",
    "(every (lambda (w) (see w)) (make-vector 2 0))",
    "(every (lambda (w) w) \"\")",
    "(let ((l (list 1 2 3))) (every (lambda (x) (if (= x 1) (set-cdr! l '(8 9))) (see x)) l))",
    "(let ((l (list 1 2 3))) (keep (lambda (x) (set-car! l 7) (set-cdr! l '()) (see x)) l))",
    "(let ((l (list 1 2 3))) (keep (lambda (x) (set-cdr! (cdr l) 4) (see x)) l))",
    "(let ((l (list 1 2 3))) (map (lambda (x) (if (= x 1) (set-cdr! l '(8 9))) (see x)) l))",
    "(keep (lambda (n) (even? (see n))) '(1 2 3 4))",
    "(keep (lambda (letter) (member? (see letter) 'aeiou)) 'information)",
    "(keep (lambda (digit) (> digit 2)) 1234)",
    "(keep (lambda (w) (set! w 'z) (see w)) '(a b))",
    "(keep (lambda (w) (see w)) '(a . b))",
    "(keep (lambda (w) (see w)) #t)",
    "(accumulate (lambda (a b) (- (see a) b)) '(10 3 2))",
    "(accumulate (lambda (a b) (word b a)) 'abc)",
    "(accumulate (lambda (a b) (set! b (+ a b)) (see b)) 100 '(10 3 2))",
    "(accumulate (lambda (a b) (+ a b)) 7 '())",
    "(accumulate (lambda (a b) (+ a b)) '())",
    "(accumulate (lambda (a b) (+ a b)) '(1 . 2))",
    "(accumulate (lambda (a b) (+ a b)) '(7))",
    "(reduce (lambda (a b) (- a b)) '(10 3 2))",
    "(reduce (lambda (a b) (- a b)) 0 '(10 3 2))",
    "(reduce (lambda (a b) (- a b)) '())",
    "(reduce (lambda (a b) (- a b)) 'abc)",
    "(reduce-left (lambda (a b) (- a b)) 0 '(10 3 2))",
    "(reduce-left (lambda (a b) (- a b)) 0 '())",
    "(reduce-right (lambda (a b) (- a b)) 0 '(10 3 2))",
    "(fold-left (lambda (total x) (- total (see x))) 0 '(1 2 3))",
    "(fold-left (lambda (total x y) (+ total (* x y))) 0 '(1 2 3) '(1 10 100))",
    "(fold-right (lambda (x rest) (cons (see x) rest)) '() '(1 2 3))",
    "(fold-right (lambda (x y rest) (cons (+ x y) rest)) '() '(1 2) '(10 20))",
    "(fold (lambda (x rest) (cons x rest)) '() '(1 2 3))",
    "(fold (lambda (x rest) rest) 'none 5)",
    "(foldl (lambda (x rest) (cons x rest)) '() '(1 2 3))",
    "(foldr (lambda (x rest) (cons x rest)) '() '(1 2 3))",
    "(call/cc (lambda (leave) (for-each (lambda (x) (if (> (see x) 1) (leave x))) '(1 2 3))))",
]  # fmt: skip


NAMES = {"call/cc", *(name for procedure in TABLE for name in procedure.__dict__["primitive"].names)}


def outcome(session: Session, text: str) -> tuple[str, str]:
    """The value of a form or the message of its error, and what it has done before."""
    session.eval("(set! trail '())")
    try:
        shown = write(session.eval(text))
    except SchemeError as error:
        shown = str(error).partition("#[")[0]
    return shown, write(session.eval("trail"))


@pytest.mark.parametrize("call", CALLS)
def test_a_loop_means_what_the_procedure_means(call: str) -> None:
    session = Session()
    session.eval(SEES)
    named = [name for name in NAMES if f"({name} " in call]
    aliases = " ".join(f"({name} (if #t {name}))" for name in named)
    expected = outcome(session, f"(let ({aliases}) {call})")
    assert outcome(session, call) == expected
    session.eval(f"(define (f) {call})")
    session.eval(f"(define (g) (let ((result {call})) (list 'result result)))")
    assert outcome(session, "(f)") == expected
    if expected[0] == outcome(session, "(g)")[0].removeprefix("(result ").removesuffix(")"):
        assert outcome(session, "(g)")[1] == expected[1]


def test_every_rule_is_compared() -> None:
    compared = {call[1:].split()[0] for call in CALLS}
    for procedure in TABLE:
        known = primitive_of(procedure)
        assert known is not None
        assert known.names[0] in compared or known.dialects == ("r7rs",), known.names


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("(reduce (lambda (x total) (- x total)) 0 '(10 3 2))", "9"),
        ("(reduce (lambda (x total) (- x total)) 'none '())", "none"),
        ("(remove (lambda (x) (> x 1)) '(1 2 3))", "(1)"),
    ],
)
def test_what_the_names_mean_in_the_other_dialect(call: str, expected: str) -> None:
    assert value(f"(import (scheme base) (srfi 1)) (define (f) {call}) (f)", "r7rs") == expected


REPEATED = "(define (f step n thing) (cons 'value ((repeated {} n) thing)))"


@pytest.mark.parametrize("step", ["bf", "butfirst", "cdr", "first", "(lambda (x) (bf x))"])
@pytest.mark.parametrize(
    "arguments",
    ["0 '(a b)", "2 '(a b c)", "3 '(a b)", "1 'abc", "4 'abc", "'2 'abc", '"2" \'abc', "-1 'abc", "1.0 'abc"],
)
def test_a_repeated_step_means_what_the_procedure_means(step: str, arguments: str) -> None:
    session = Session()
    session.eval(SEES)
    session.eval(REPEATED.format("step"))
    expected = outcome(session, f"(f {step} {arguments})")
    session.eval(REPEATED.format(step))
    assert outcome(session, f"(f {step} {arguments})") == expected


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        ("(define (bf x) (list 'mine x))", "(mine (mine (a b)))"),
        ("(define (repeated f n) (lambda (x) (list n x)))", "(2 (a b))"),
    ],
)
def test_a_repeated_step_is_redefined(later: str, expected: str) -> None:
    assert value(f"(define (f n x) ((repeated bf n) x)) (f 1 '(a b)) {later} (f 2 '(a b))") == expected


def test_the_operands_of_a_repeated_step_are_evaluated_in_order() -> None:
    program = "(define (f) ((repeated bf (see 1)) (see '(a b))))"
    assert value(f"{SEES} {program} (f) (reverse trail)") == "(1 (a b))"
    assert values_seen("(watch ((repeated bf (mark 1)) '(a b c d)))", "2 3") == "((b c d) (c d) (d))"
    assert values_seen("(watch ((repeated bf 1) (mark '(a b))))", "'(1 2 3)") == "((b) (2 3))"


# ── which calls are loops ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("(map (lambda (x) (* x y)) l)", True),
        ("(every (lambda (x) (word x y)) l)", True),
        ("(for-each (lambda (x) (for-each (lambda (z) (set! y (+ x z))) l)) l)", True),
        ("(let loop ((i 2)) (if (= i 0) 'done (begin (map (lambda (x) (* x i)) l) (loop (- i 1)))))", True),
        ("(map (lambda (x) (lambda () x)) l)", False),  # a closure captures what each turn binds anew
        ("(let ((map map)) (map (lambda (x) (* x y)) l))", False),
        ("(map (lambda x x) l)", False),
    ],
)
def test_which_calls_are_loops(body: str, expected: bool) -> None:
    session = Session()
    session.eval(f"(define (f l y) {body}) (f '(1 2) 3)")
    info = info_of(session.eval("f").__code__)
    assert info is not None
    assert ("def lambda" not in info.unit.python_text()) is expected


def test_a_lambda_does_not_keep_its_procedure_from_being_a_loop() -> None:
    program = "(define (f n) (if (= n 0) 'done (begin (map (lambda (x) (+ x n)) '(1 2)) (f (- n 1)))))"
    assert value(f"{program} (f 100000)") == "done"


def test_deeply_nested_calls() -> None:
    depth = 30
    variables = " ".join(f"x{index}" for index in range(depth))
    call = f"(list {variables})"
    for index in reversed(range(depth)):
        call = f"(map (lambda (x{index}) {call}) '({index}))"
    expected = "(" * depth + "(" + " ".join(map(str, range(depth))) + ")" * (depth + 1)
    assert value(f"(define (f) {call}) (f)") == expected


# ── redefinition and trace ───────────────────────────────────────────────────────────────────────────────────────────

USES = "(define (f l) (map (lambda (x) (* x 10)) l)) (f '(1 2))"


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        ("(define (map f l) 'mine) (f '(1 2))", "mine"),
        ("(define (map f l) (f (car l))) (f '(1 2))", "10"),
        ("(set! map (lambda (f l) (list 'mine (f 1)))) (f '(1 2))", "(mine 10)"),
        ("(define old map) (define (map f l) (old f (reverse l))) (f '(1 2))", "(20 10)"),
        ("(define (* a b) (+ a b)) (f '(1 2))", "(11 12)"),
    ],
)
def test_the_procedure_is_redefined(later: str, expected: str) -> None:
    assert value(f"{USES} {later}") == expected


def test_the_procedure_is_redefined_while_the_loop_runs() -> None:
    program = """
        (define (change) (eval '(define (map f l) 'mine) user-initial-environment))
        (define (f l) (map (lambda (x) (if (= x 2) (change)) x) l))
    """
    assert value(f"{program} (let ((first (f '(1 2 3)))) (list first (f '(1 2 3))))") == "((1 2 3) mine)"


def test_the_procedure_is_traced() -> None:
    output = io.StringIO()
    session = Session(output=output)
    session.eval(USES)
    session.eval("(trace map)")
    assert write(session.eval("(f '(1 2))")) == "(10 20)"
    assert "map" in output.getvalue()
    session.eval("(untrace map)")
    shown = output.getvalue()
    assert write(session.eval("(f '(1 2))")) == "(10 20)"
    assert output.getvalue() == shown


def test_a_lambda_that_runs_keeps_working_when_its_call_becomes_a_loop() -> None:
    session = Session(output=io.StringIO())
    session.eval("(define (stop) (untrace map))")
    session.eval("(define (f l) (map (lambda (x) (if (= x 1) (stop)) (* 10 x)) l))")
    session.eval("(trace map)")
    assert write(session.eval("(f '(1 2 3))")) == "(10 20 30)"
    assert write(session.eval("(f '(4 5))")) == "(40 50)"


# ── continuations ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("(map (lambda (x) (* 10 (mark x))) '(1 2 3))", "((10 20 30) (70 20 30) (80 20 30))"),
        ("(map (lambda (x) (if (= x 2) (mark x) x)) '(1 2 3))", "((1 2 3) (1 7 3) (1 8 3))"),
        ("(map (lambda (x y) (+ y (if (= x 2) (mark x) x))) '(1 2 3) '(10 20 30))",
         "((11 22 33) (11 27 33) (11 28 33))"),
        ("(vector-map (lambda (x) (if (= x 2) (mark x) x)) #(1 2 3))", "(#(1 2 3) #(1 7 3) #(1 8 3))"),
        ("(every (lambda (x) (if (= x 2) (mark x) x)) '(1 2 3))", "((1 2 3) (1 7 3) (1 8 3))"),
        ("(every (lambda (x) (if (equal? x 'b) (se x (mark x)) x)) 'abc)", "((a b b c) (a b 7 c) (a b 8 c))"),
        ("(keep (lambda (x) (if (= x 2) (= 7 (mark x)) #t)) '(1 2 3))", "((1 3) (1 2 3) (1 3))"),
        ("(let ((l (list 1 2 3))) (every (lambda (x) (set-cdr! l (list (mark 5))) (list x)) l))",
         "((1 5) (1 7) (1 8))"),
        ("(let ((l (list 1 2 3))) (keep (lambda (x) (set-car! l 9) (= 7 (mark x))) l))", "(() (1) ())"),
        ("(keep (lambda (x) (set! x (mark x)) (= x 7)) 123)", "(\"\" 1 \"\")"),
        ("(filter (lambda (x) (if (= x 2) (= 7 (mark x)) #t)) '(1 2 3))", "((1 3) (1 2 3) (1 3))"),
        ("(remove (lambda (x) (if (= x 2) (= 7 (mark x)) #f)) '(1 2 3))", "((1 2 3) (1 3) (1 2 3))"),
        ("(find (lambda (x) (= (mark x) 7)) '(1 2 3))", "(#f 1 #f)"),
        ("(any (lambda (x) (and (= x 2) (mark x))) '(1 2 3))", "(2 7 8)"),
        ("(andmap (lambda (x) (if (= x 2) (mark x) x)) '(1 2 3))", "(3 3 3)"),
        ("(member 7 '(1 7 3) (lambda (a b) (= a (mark b))))", "((7 3) (1 7 3) (7 3))"),
        ("(member 7 (list 1 (mark 2) 3) (lambda (a b) (= a b)))", "(#f (7 3) #f)"),
        ("(member 7 '(1 7 3) (lambda (a b) (set! a (- (mark b) 7)) (= a 0)))", "((7 3) (1 7 3) (7 3))"),
        ("(assoc 7 '((1 a) (7 b)) (lambda (a b) (= a (mark b))))", "((7 b) (1 a) (7 b))"),
        ("(delete 7 '(1 7 3) (lambda (a b) (= a (mark b))))", "((1 3) (3) (1 3))"),
        ("(list-index (lambda (x) (= (mark x) 7)) '(1 2 7))", "(2 0 2)"),
        ("(list-tabulate 3 (lambda (i) (mark i)))", "((0 1 2) (7 1 2) (8 1 2))"),
        ("(flatmap (lambda (x) (list x (if (= x 2) (mark x) x))) '(1 2))", "((1 1 2 2) (1 1 2 7) (1 1 2 8))"),
        ("(append-map (lambda (x) (list (mark x))) '(1 2))", "((1 2) (7 2) (8 2))"),
        ("(filter-map (lambda (x) (and (= (mark x) 7) x)) '(1 2))", "(() (1) ())"),
        ("(let ((t (make-equal-hash-table))) (hash-table-set! t 'a 1) (hash-table-map t (lambda (k v) (mark v))))",
         "((1) (7) (8))"),
        ("(accumulate (lambda (x total) (+ total (if (= x 2) (mark x) x))) '(1 2 3))", "(6 11 12)"),
        ("(fold-left (lambda (total x) (- total (mark x))) 0 '(1 2))", "(-3 -9 -10)"),
        ("(fold-right (lambda (x rest) (cons (if (= x 2) (mark x) x) rest)) '() '(1 2 3))",
         "((1 2 3) (1 7 3) (1 8 3))"),
        ("(map (lambda (x) (define y (mark x)) (set! y (+ y 1)) (set! x (+ x y)) x) '(1 2))", "((3 5) (11 5) (20 5))"),
        ("(map (lambda (x) (map (lambda (y) (if (and (= x 1) (= y 20)) (mark (+ x y)) (+ x y))) '(10 20))) '(1 2))",
         "(((11 21) (12 22)) ((11 7) (12 22)) ((11 8) (12 22)))"),
        ("(map (lambda (x) (let loop ((i 2)) (if (= i 0) (mark x) (loop (- i 1))))) '(1 2))", "((1 2) (7 2) (8 2))"),
        ("(map (lambda (x) (* x x)) (list 1 (mark 2) 3))", "((1 4 9) (1 49 9) (1 64 9))"),
        ("(let loop ((i 2)) (if (= i 0) '() (cons (map (lambda (x) (+ i (mark x))) '(1 2)) (loop (- i 1)))))",
         "(((3 4) (2 3)) ((9 4) (2 3)) ((10 4) (2 3)))"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["(watch {0})", "(define (f) (watch {0})) (f)", "(define (f) {0}) (watch (f))"])
def test_a_turn_is_entered_again(call: str, expected: str, form: str) -> None:
    assert values_seen(form.format(call), "7 8") == expected


def test_a_turn_that_was_entered_again_is_entered_again() -> None:
    program = """
        (define ks '())
        (define (mark x) (call/cc (lambda (k) (set! ks (cons k ks)) x)))
        (define (f) (map (lambda (x) (mark x)) '(1 2 3)))
        (define seen '())
        (define turns 0)
        (let ((found (f)))
          (set! seen (cons found seen))
          (set! turns (+ turns 1))
          (if (< turns 5) ((list-ref ks (- (length ks) 2)) (* 10 turns))))
        (reverse seen)
    """
    assert value(program) == "((1 2 3) (1 10 3) (1 20 3) (1 30 3) (1 40 3))"


def test_a_generator_over_a_list() -> None:
    program = """
        (define return #f)
        (define (generator l)
          (define resume #f)
          (lambda ()
            (call/cc
             (lambda (k)
               (set! return k)
               (if resume
                   (resume 'on)
                   (begin (for-each (lambda (x) (call/cc (lambda (next) (set! resume next) (return x)))) l)
                          (return 'end)))))))
        (define next (generator '(a b c)))
        (list (next) (next) (next) (next))
    """
    assert value(program) == "(a b c end)"


def test_the_procedure_is_redefined_before_a_turn_is_entered_again() -> None:
    program = """
        (define k #f)
        (define (f l) (map (lambda (x) (call/cc (lambda (c) (if (not k) (set! k c)) x))) l))
        (define first (f '(1 2 3)))
        (define (map f l) 'mine)
        (define count 0)
        (if (= count 0) (begin (set! count 1) (k 7)))
        (list first count (f '(1 2 3)))
    """
    assert value(program) == "((7 2 3) 1 mine)"


def test_a_frame_is_resumed_by_the_assumptions_that_it_runs_by() -> None:
    program = """
        (define k #f)
        (define (f)
          (define (loop i total)
            (define (g y) (+ i y))
            (if (= i 0) total (loop (- i 1) (+ (g 1) (g 2) total))))
          (call/cc (lambda (c) (set! k c)))
          (loop 3 0))
        (define seen '())
        (set! seen (cons (f) seen))
        (if (null? (cdr seen)) (k 'again))
        seen
    """
    assert value(program) == "(21 21)"


# ── errors ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def reported(program: str) -> str:
    with pytest.raises(SchemeError) as caught:
        Session().eval(program)
    return report(caught.value)


HELPER = "(define (helper x) (+ 1 (car x)))\n"


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (
            "(define (f l) (map (lambda (x) (* 2 (helper x))) l))\n(define (g l) (list 1 (f l)))\n(g '((1) 2))",
            "in helper with x = 2 / in lambda with x = 2 / in f with l = ((1) 2) / in g with l = ((1) 2)",
        ),
        (
            "(define (t x) (if (pair? x) (map (lambda (y) (t y)) x) (car x)))\n(t '(((1))))",
            "in t with x = 1 / in lambda / in t / … these 2 again and again, 3 times",
        ),
        (
            "(define (f l) (for-each (lambda (x) (map (lambda (y) (car y)) x)) l))\n(f '((1)))",
            "in lambda with y = 1 / in lambda with x = (1) / in f with l = ((1))",
        ),
        ("(define (f l) (map (lambda (x) x) l))\n(f '(1 . 2))", "in f with l = (1 . 2)"),
        ("(for-each (lambda (x) (car x)) '(1))", "in lambda with x = 1"),
        (
            "(define (f l) (assoc 1 l (lambda (a b) (car b))))\n(f '((2)))",
            "in lambda with a = 1, b = 2 / in f with l = ((2))",
        ),
    ],
)
def test_the_trail_of_an_error(program: str, expected: str) -> None:
    lines = [line.strip() for line in reported(HELPER + program).splitlines() if line.startswith(("  in", "  …"))]
    assert " / ".join(re.sub(r" at \S+", "", line) for line in lines) == expected


@pytest.mark.parametrize(
    ("call", "message", "place"),
    [
        ("(map (lambda (x) x) (cdr '(1 . 2)))", "map: malformed list: 2", "(cdr '(1 . 2))"),
        ("(filter (lambda (x) x) 5)", "filter: not a list: 5", "5"),
        ("(every (lambda (x) (list (list x))) '(1))", "Argument to SENTENCE not a word or sentence: ((1))", None),
        ("(keep (lambda (x) x) #t)", "Bad second argument to KEEP (not a word or sentence): #t", "#t"),
        ("(vector-map (lambda (x) x) '(1))", "vector-map: not a vector: (1)", "'(1)"),
        ("(map (lambda (x y) x) '(1))", None, "(lambda (x y) x)"),
        ("(assoc 1 5 (lambda (a b) #t))", "assoc: not an association list: 5", "5"),
        ("(assoc 1 '((1)) (lambda (a) a))", None, "(lambda (a) a)"),
        ("(member 1 '(1 . 2) (lambda (a b) #t))", "member: not a list: (1 . 2)", "'(1 . 2)"),
        ("(list-tabulate 'x (lambda (i) i))", "list-tabulate: bad index: x", "'x"),
        ("(flatmap (lambda (x) x) '(1))", "flatmap: malformed list: 1", None),
        ("(string-map (lambda (c) 1) \"a\")", "string-map: bad character: 1", None),
        ("(accumulate (lambda (a b) a) '())", None, "(lambda (a b) a)"),
    ],
)  # fmt: skip
def test_the_place_of_an_error(call: str, message: str | None, place: str | None) -> None:
    for program in call, f"(define (f) {call}) (f)", f"(define (f) (list {call})) (f)":
        with pytest.raises(SchemeError) as caught:
            Session().eval(program)
        span = caught.value.span
        assert span is not None
        if message is not None:
            assert str(caught.value) == message
        if place is not None:
            assert span.text == place or place in span.text
