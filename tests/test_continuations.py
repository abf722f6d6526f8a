"""Continuations that are entered again: what a call returns to, any number of times (R7RS 6.10, design section 6)."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from minischeme import Session
from minischeme.errors import SchemeError
from minischeme.printer import write

# ``(again n)`` enters the continuation that ``(mark x)`` has captured, with n. Expected are the values that `watch` has
# seen: the first time, and each time that the expression inside it gets a value again.
MARK = """
(define k #f)
(define values-seen '())
(define (mark x) (call/cc (lambda (c) (if (not k) (set! k c)) x)))
(define (see x) (set! values-seen (cons x values-seen)) x)
(define (again . ns) (for-each (lambda (n) (call/cc (lambda (return) (set! back return) (k n)))) ns))
(define back #f)
(define-macro (watch expression) `(begin (see ,expression) (if back (back 'on))))
"""

PLACES = {
    "operand": (
        "(watch (+ 1 (mark 1)))",
        "1 2 3",
        "(2 2 3 4)",
    ),
    "operand behind a computed one": (
        "(define (f x) (* x 10)) (watch (list (f 1) (mark 2) (f 3)))",
        "7",
        "((10 2 30) (10 7 30))",
    ),
    "operands before and after, deep": (
        "(watch (list (list 'a (vector (car '(1)) (mark 2) (cdr '(3)))) 'b))",
        "7",
        "(((a #(1 2 ())) b) ((a #(1 7 ())) b))",
    ),
    "operator": (
        "(watch ((mark +) 2 3))",
        "(lambda (a b) (* a b))",
        "(5 6)",
    ),
    "test": (
        "(watch (if (mark #t) 'yes 'no))",
        "#f 5",
        "(yes no yes)",
    ),
    "test of a comparison": (
        "(watch (if (< (car '(1)) (mark 2)) 'less 'more))",
        "0 9",
        "(less more less)",
    ),
    "branch": (
        "(watch (if #t (list (mark 1)) 'no))",
        "2",
        "((1) (2))",
    ),
    "or": (
        "(watch (or (mark #f) 'second))",
        "5 #f",
        "(second 5 second)",
    ),
    "second of or": (
        "(watch (or #f (mark 1)))",
        "2",
        "(1 2)",
    ),
    "and": (
        "(watch (and 1 (mark 2) 3))",
        "#f 4",
        "(3 #f 3)",
    ),
    "cond arrow": (
        "(watch (cond ((mark 1) => list) (else 'none)))",
        "2 #f",
        "((1) (2) none)",
    ),
    "case": (
        "(watch (case (mark 1) ((1) 'one) ((2) 'two) (else 'many)))",
        "2 3",
        "(one two many)",
    ),
    "sequence": (
        "(define (f) (mark 1) 'end) (watch (f))",
        "2 3",
        "(end end end)",
    ),
    "let": (
        "(watch (let ((a 1) (b (mark 2)) (c 3)) (list a b c)))",
        "7",
        "((1 2 3) (1 7 3))",
    ),
    "let*": (
        "(watch (let* ((a (mark 1)) (b (+ a 1))) (list a b)))",
        "7",
        "((1 2) (7 8))",
    ),
    "set!": (
        "(define x 0) (watch (begin (set! x (mark 1)) x))",
        "2",
        "(1 2)",
    ),
    "local set!": (
        "(watch (let ((x 0)) (set! x (+ x (mark 1))) x))",
        "5",
        "(1 5)",
    ),
    "a variable keeps what was assigned": (
        "(watch (let ((n 0)) (mark 1) (set! n (+ n 1)) n))",
        "1 1 1",
        "(1 2 3 4)",
    ),
    "a parameter keeps what was assigned": (
        "(define (f n) (mark 1) (set! n (+ n 1)) n) (watch (f 0))",
        "1 1 1",
        "(1 2 3 4)",
    ),
    "a closure shares what was assigned": (
        "(define get #f) (define (f) (let ((n 0)) (set! get (lambda () n)) (mark 1) (set! n (+ n 1)) (get)))"
        " (watch (f))",
        "1 1",
        "(1 2 3)",
    ),
    "variables that are not assigned are each turn's own": (
        "(define all '()) (define (f) (let ((n (mark 1))) (set! all (cons (lambda () n) all)) (map (lambda"
        " (p) (p)) all))) (watch (f))",
        "2 3",
        "((1) (2 1) (3 2 1))",
    ),
    "internal definition": (
        "(define (f) (define a (mark 1)) (define b (+ a 1)) (list a b)) (watch (f))",
        "5",
        "((1 2) (5 6))",
    ),
    "internal definition used by an earlier one": (
        "(define (f) (define (g) (* 10 y)) (define y (mark 1)) (g)) (watch (f))",
        "2 3",
        "(10 20 30)",
    ),
    "internal procedure defined later": (
        "(define (f) (define (g) (h)) (define x (mark 1)) (define (h) (list x)) (g)) (watch (f))",
        "2",
        "((1) (2))",
    ),
    "internal procedures, recursive": (
        "(define (f n) (define (up i) (if (= i n) (mark 0) (+ 1 (up (+ i 1))))) (up 0)) (watch (f 5))",
        "10",
        "(5 15)",
    ),
    "named let": (
        "(watch (let loop ((i 0) (acc '())) (if (= i 4) (reverse acc) (loop (+ i 1) (cons (if (= i 2) (mark"
        " 'x) i) acc)))))",
        "'y",
        "((0 1 x 3) (0 1 y 3))",
    ),
    "named let, in each turn": (
        "(watch (let loop ((i 0) (acc 0)) (if (= i 3) acc (begin (mark i) (loop (+ i 1) (+ acc i))))))",
        "1 1",
        "(3 3 3)",
    ),
    "nested loops": (
        "(watch (let outer ((i 0) (acc '())) (if (= i 3) acc (outer (+ i 1) (let inner ((j 0) (acc acc)) (if"
        " (= j 2) acc (inner (+ j 1) (cons (if (and (= i 1) (= j 1)) (mark 'x) (+ (* 10 i) j)) acc))))))))",
        "'y",
        "((21 20 x 10 1 0) (21 20 y 10 1 0))",
    ),
    "do": (
        "(watch (do ((i 0 (+ i 1)) (acc '() (cons (if (= i 1) (mark 'x) i) acc))) ((= i 3) acc)))",
        "'y",
        "((2 x 0) (2 y 0))",
    ),
    "while": (
        "(watch (let ((i 0) (acc '())) (while (< i 3) (set! acc (cons (mark i) acc)) (set! i (+ i 1))) acc))",
        "9",
        "((2 1 0) (9 2 1 0))",
    ),
    "self tail call": (
        "(define (f i acc) (if (= i 3) acc (f (+ i 1) (cons (if (= i 1) (mark 'x) i) acc)))) (watch (f 0 '()))",
        "'y",
        "((2 x 0) (2 y 0))",
    ),
    "non-tail recursion": (
        "(define (f l) (if (null? l) (mark '()) (cons (car l) (f (cdr l))))) (watch (f '(1 2 3)))",
        "'(9)",
        "((1 2 3) (1 2 3 9))",
    ),
    "rest parameter": (
        "(define (f a . r) (list a r (mark 1))) (watch (f 1 2 3))",
        "2",
        "((1 (2 3) 1) (1 (2 3) 2))",
    ),
    "free variable": (
        "(define (f a) (lambda (b) (list a b (mark 1)))) (watch ((f 1) 2))",
        "3",
        "((1 2 1) (1 2 3))",
    ),
    "apply": (
        "(watch (apply list (mark 1) '(2)))",
        "3",
        "((1 2) (3 2))",
    ),
    "call-with-values": (
        "(watch (call-with-values (lambda () (values 1 (mark 2))) list))",
        "3",
        "((1 2) (1 3))",
    ),
    "let-values": (
        "(watch (let-values (((a b) (values (mark 1) 2))) (list a b)))",
        "7",
        "((1 2) (7 2))",
    ),
    "map": (
        "(watch (map (lambda (x) (if (= x 2) (mark x) x)) '(1 2 3)))",
        "7 8",
        "((1 2 3) (1 7 3) (1 8 3))",
    ),
    "map of two": (
        "(watch (map (lambda (x y) (+ x (if (= x 2) (mark y) y))) '(1 2 3) '(4 5 6)))",
        "7",
        "((5 7 9) (5 9 9))",
    ),
    "map of three": (
        "(watch (map (lambda (x y z) (mark x)) '(1) '(4) '(5)))",
        "7",
        "((1) (7))",
    ),
    "vector-map": (
        "(watch (vector-map (lambda (x) (if (= x 2) (mark x) x)) #(1 2 3)))",
        "7",
        "(#(1 2 3) #(1 7 3))",
    ),
    "string-map": (
        '(watch (string-map (lambda (c) (mark c)) "ab"))',
        "#\\z",
        '("ab" "zb")',
    ),
    "for-each": (
        "(define seen '()) (watch (begin (for-each (lambda (x) (set! seen (cons (mark x) seen))) '(1 2)) seen))",
        "7",
        "((2 1) (2 7 2 1))",
    ),
    "vector-for-each": (
        "(define seen '()) (watch (begin (vector-for-each (lambda (x) (set! seen (cons (mark x) seen))) #(1 2)) seen))",
        "7",
        "((2 1) (2 7 2 1))",
    ),
    "filter": (
        "(watch (filter (lambda (x) (if (= x 2) (mark #t) #t)) '(1 2 3)))",
        "#f",
        "((1 2 3) (1 3))",
    ),
    "reduce": (
        "(watch (reduce (lambda (x y) (+ (mark x) y)) '(1 2 3)))",
        "10",
        "(6 14)",
    ),
    "fold-left": (
        "(watch (fold-left (lambda (x y) (+ x (mark y))) 0 '(1 2 3)))",
        "10",
        "(6 15)",
    ),
    "every": (
        "(watch (every (lambda (x) (if (equal? x 'b) (mark x) x)) '(a b c)))",
        "'z",
        "((a b c) (a z c))",
    ),
    "keep": (
        "(watch (keep (lambda (x) (if (equal? x 'b) (mark #t) #t)) '(a b c)))",
        "#f",
        "((a b c) (a c))",
    ),
    "accumulate": (
        "(watch (accumulate (lambda (x y) (+ (mark x) y)) '(1 2 3)))",
        "10",
        "(6 14)",
    ),
    "repeated": (
        "(watch ((repeated (lambda (x) (* 2 (mark x))) 3) 1))",
        "5",
        "(8 40)",
    ),
    "force: the first value stands": (
        "(watch (force (delay (mark 1))))",
        "2",
        "(1 1)",
    ),
    "eval": (
        "(watch (list 'a (eval '(+ 1 (mark 1)) (the-environment))))",
        "2",
        "((a 2) (a 3))",
    ),
    "dynamic-wind": (
        "(define trail '()) (define (go x) (set! trail (cons x trail))) (watch (begin (dynamic-wind (lambda"
        " () (go 'in)) (lambda () (go (mark 1))) (lambda () (go 'out))) (reverse trail)))",
        "2",
        "((in 1 out) (in 1 out in 2 out))",
    ),
    "parameterize": (
        "(define p (make-parameter 0)) (watch (list (parameterize ((p 1)) (mark 1) (p)) (p)))",
        "1 1",
        "((1 0) (1 0) (1 0))",
    ),
    "fluid-let": (
        "(define x 0) (watch (list (fluid-let ((x 1)) (mark 1) x) x))",
        "1 1",
        "((1 0) (1 0) (1 0))",
    ),
    "guard": (
        "(watch (guard (e ((symbol? e) (list 'caught e))) (let ((x (mark 1))) (if (symbol? x) (raise x) x))))",
        "'a 2",
        "(1 (caught a) 2)",
    ),
    "guard, with an error": (
        "(watch (guard (e ((error-object? e) 'error)) (car (mark '(1)))))",
        "5 '(2)",
        "(1 error 2)",
    ),
    "guard clause": (
        "(watch (guard (e (#t (list (mark e)))) (raise 'a)))",
        "'b",
        "((a) (b))",
    ),
    "handler": (
        "(watch (with-exception-handler (lambda (e) (+ e 1)) (lambda () (* 2 (raise-continuable (mark 1))))))",
        "4",
        "(4 10)",
    ),
    "in a handler": (
        "(watch (with-exception-handler (lambda (e) (mark e)) (lambda () (* 2 (raise-continuable 1)))))",
        "4",
        "(2 8)",
    ),
    "several values": (
        "(watch (call-with-values (lambda () (mark 1)) list))",
        "2",
        "((1) (2))",
    ),
    "object": (
        "(define-class (cell v) (method (twice) (list v (mark v)))) (watch (ask (instantiate cell 1) 'twice))",
        "2",
        "((1 1) (1 2))",
    ),
}


@pytest.mark.parametrize("name", PLACES)
def test_a_call_returns_again(name: str) -> None:
    setup, again, expected = PLACES[name]
    session = Session()
    session.eval(MARK)
    session.eval(setup)
    session.eval(f"(again {again})")
    assert write(session.eval("(reverse values-seen)")) == expected


def shown(text: str, session: Session | None = None) -> str:
    """What the prompt shows for the forms of a text."""
    return "".join(interaction.output for interaction in (session or Session()).interact(text))


# ── programs ─────────────────────────────────────────────────────────────────────────────────────────────────────────

PROGRAMS = {
    "amb": (
        """(define fail #f)
           (define (amb choices)
             (call/cc (lambda (return)
               (define outer fail)
               (for-each (lambda (choice)
                           (call/cc (lambda (next)
                             (set! fail (lambda () (set! fail outer) (next #f)))
                             (return choice))))
                         choices)
               (outer))))
           (define (pythagorean)
             (call/cc (lambda (give-up)
               (set! fail (lambda () (give-up 'none)))
               (let* ((a (amb '(1 2 3 4 5 6 7))) (b (amb '(1 2 3 4 5 6 7))) (c (amb '(1 2 3 4 5 6 7))))
                 (if (or (<= b a) (not (= (* c c) (+ (* a a) (* b b))))) (fail))
                 (list a b c)))))
           (pythagorean)""",
        "(3 4 5)",
    ),
    "generator": (
        """(define (leaves tree)
             (define return #f)
             (define (walk tree)
               (cond ((null? tree) 'skip)
                     ((pair? tree) (walk (car tree)) (walk (cdr tree)))
                     (else (call/cc (lambda (rest) (set! resume (lambda () (rest #f))) (return tree))))))
             (define (resume) (walk tree) (return 'end))
             (lambda () (call/cc (lambda (k) (set! return k) (resume)))))
           (define (collect next) (let ((leaf (next))) (if (eq? leaf 'end) '() (cons leaf (collect next)))))
           (collect (leaves '((1 2) (3 (4 5)))))""",
        "(1 2 3 4 5)",
    ),
    "coroutines": (
        """(define waiting '())
           (define trail '())
           (define (later! thunk) (set! waiting (append waiting (list thunk))))
           (define (next!) (let ((thunk (car waiting))) (set! waiting (cdr waiting)) (thunk)))
           (define (yield) (call/cc (lambda (k) (later! (lambda () (k #f))) (next!))))
           (define (worker name n)
             (lambda () (do ((i 0 (+ i 1))) ((= i n)) (set! trail (cons (list name i) trail)) (yield)) (next!)))
           (call/cc (lambda (done)
             (later! (worker 'a 2)) (later! (worker 'b 3)) (later! (lambda () (done 'done)))
             (next!)))
           (let settle () (if (pair? waiting) (begin (yield) (settle))))
           (reverse trail)""",
        "((a 0) (b 0) (a 1) (b 1) (b 2))",
    ),
    "yin and yang": (
        """(define trail "")
           (define (show-it x) (set! trail (string-append trail x)))
           (call/cc (lambda (stop)
             (define (tell x k) (show-it x) (if (= (string-length trail) 30) (stop trail) k))
             (let* ((yin (tell "@" (call/cc (lambda (c) c)))) (yang (tell "*" (call/cc (lambda (c) c)))))
               (yin yang))))""",
        '"@*@**@***@****@*****@******@**"',
    ),
    "mondo bizarro": (
        """(define trail '())
           (define (tell x) (set! trail (cons x trail)))
           (let ((k (call/cc (lambda (c) c))))
             (tell 1) (call/cc (lambda (c) (k c))) (tell 2) (call/cc (lambda (c) (k c))) (tell 3))
           (reverse trail)""",
        "(1 1 2 1 3)",
    ),
    "pitfall 1.1": (
        """(let ((cont #f))
             (letrec ((x (call/cc (lambda (c) (set! cont c) 0))) (y (call/cc (lambda (c) (set! cont c) 0))))
               (if cont (let ((c cont)) (set! cont #f) (set! x 1) (set! y 1) (c 0)) (+ x y))))""",
        "0",
    ),
    "pitfall 1.2": (
        """(letrec ((x (call/cc list)) (y (call/cc list)))
             (cond ((procedure? x) (x (pair? y))) ((procedure? y) (y (pair? x))))
             (let ((x (car x)) (y (car y))) (and (call/cc x) (call/cc y) (call/cc x))))""",
        "#t",
    ),
    "pitfall 1.3": (
        """(letrec ((x (call/cc (lambda (c) (list #t c)))))
             (if (car x) ((cadr x) (list #f (lambda () x))) (eq? x ((cadr x)))))""",
        "#t",
    ),
    "pitfall 2.1": ("(call/cc (lambda (c) (0 (c 1))))", "1"),
    "pitfall 7.1": (
        """(let ((x '()) (y 0))
             (call/cc (lambda (escape)
               (let* ((yin ((lambda (foo) (set! x (cons y x)) (if (= y 10) (escape x) (begin (set! y 0) foo)))
                            (call/cc (lambda (bar) bar))))
                      (yang ((lambda (foo) (set! y (+ y 1)) foo) (call/cc (lambda (baz) baz)))))
                 (yin yang)))))""",
        "(10 9 8 7 6 5 4 3 2 1 0)",
    ),
    "pitfall 7.3": (
        """(define r #f) (define a #f) (define b #f) (define c #f) (define i 0)
           (let ()
             (set! r (+ 1
                        (+ 2 (+ 3 (call/cc (lambda (k) (set! a k) 4))))
                        (+ 5 (+ 6 (call/cc (lambda (k) (set! b k) 7))))))
             (if (not c) (set! c a))
             (set! i (+ i 1))
             (case i ((1) (b 8)) ((2) (a 5)) ((3) (b 7)) ((4) (c 4)))
             r)""",
        "28",
    ),
    "pitfall 7.4": (
        """(let ((k1 #f) (k2 #f) (k3 #f) (state 0))
             (define (keep! n k) (case n ((1) (set! k1 k)) ((2) (set! k2 k)) (else (set! k3 k))))
             (define (at n x) (if (= state 0) (call/cc (lambda (k) (keep! n k) x)) x))
             (define (fn) ((at 1 +) (at 2 1) (at 3 2)))
             (define (check states)
               (set! state 0)
               (let* ((results '()) (r (fn)))
                 (set! results (cons r results))
                 (if (null? states)
                     results
                     (begin (set! state (car states))
                            (set! states (cdr states))
                            (case state ((1) (k3 4)) ((2) (k2 2)) ((3) (k1 -)))))))
             (map check '((1 2 3) (1 3 2) (2 1 3) (2 3 1) (3 1 2) (3 2 1))))""",
        "((-1 4 5 3) (4 -1 5 3) (-1 5 4 3) (5 -1 4 3) (4 5 -1 3) (5 4 -1 3))",
    ),
    "an escape out of what was entered again": (
        """(define k #f) (define n 0)
           (define (f) (call/cc (lambda (out) (let ((x (call/cc (lambda (c) (set! k c) 1)))) (out (* 10 x))))))
           (define result (f))
           (set! n (+ n 1))
           (if (= n 1) (k 2))
           result""",
        "20",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    program, expected = PROGRAMS[name]
    assert write(Session().eval(program)) == expected


# ── top level ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_prompt_shows_the_value_of_the_form_that_is_entered_again() -> None:
    assert shown("(define k #f) (list 1 (call/cc (lambda (c) (set! k c) 2))) (k 3) (k 4) 'on") == (
        "k\n(1 2)\n(1 3)\n(1 4)\non\n"
    )


def test_a_file_goes_on_behind_the_form_that_was_running(tmp_path: Path) -> None:
    program = "(define k #f) (define n 0) (display (list 'n (call/cc (lambda (c) (set! k c) 0)))) (set! n (+ n 1))"
    (tmp_path / "again.scm").write_text(f"{program} (if (< n 3) (k n)) (display 'end)")
    output = io.StringIO()
    Session(output=output).load(tmp_path / "again.scm")
    assert output.getvalue() == "(n 0)(n 1)end"


def test_a_continuation_leaves_the_file_that_calls_it(tmp_path: Path) -> None:
    (tmp_path / "inner.scm").write_text("(k 'from-inner) (display 'never)")
    (tmp_path / "outer.scm").write_text(
        "(define k #f) (display (call/cc (lambda (c) (set! k c) 'first))) "
        f"(begin (load \"{tmp_path / 'inner.scm'}\") (display 'never)) (display 'end)"
    )
    output = io.StringIO()
    Session(output=output).load(tmp_path / "outer.scm")
    assert output.getvalue() == "firstfrom-innerend"


def test_definitions_stay_when_a_form_is_given_up() -> None:
    assert shown(
        "(define k #f) (+ 1 (call/cc (lambda (c) (set! k c) 1))) (begin (define x 5) (k 2) (define y 6)) x"
    ).endswith("3\n5\n")


def test_a_call_from_python() -> None:
    session = Session()
    session.eval("(define k #f) (define (f x) (list x (call/cc (lambda (c) (set! k c) 0))))")
    assert write(session.call(session.eval("f"), 1)) == "(1 0)"
    assert write(session.eval("(k 7)")) == "(1 7)"


# ── limits and costs ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("(sort '(2 1) (lambda (a b) (catch #t) (< a b)))", "sort"),
        ("(hash-table-update! (make-equal-hash-table) 1 (lambda (x) x) (lambda () (catch 1)))", "hash-table-update!"),
        ("(stream-head (stream-filter (lambda (x) (catch #t)) (stream 1 2)) 1)", "stream-filter"),
    ],
)
def test_a_procedure_that_cannot_go_on_says_so(call: str, name: str) -> None:
    session = Session()
    session.eval("(define k #f) (define (catch x) (call/cc (lambda (c) (set! k c) x)))")
    session.eval(call)
    with pytest.raises(SchemeError) as caught:
        session.eval("(k #f)")
    assert str(caught.value) == f"call/cc: can't go back into a call that has ended of: {name}"
    assert write(session.eval("(call/cc (lambda (k) (sort '(2 1) (lambda (a b) (k 'left)))))")) == "left"


def test_an_error_in_what_is_entered_again_has_its_place() -> None:
    text = shown("(define k #f)\n(define (f x)\n  (car (call/cc (lambda (c) (set! k c) x))))\n(f '(1))\n(k 5)")
    assert "car: wrong type of argument: 5" in text
    assert "in f at <prompt>:3" in text


def test_a_redefinition_between_holds() -> None:
    session = Session()
    session.eval("(define k #f) (define (f) (+ 1 (call/cc (lambda (c) (set! k c) 1))))")
    assert session.eval("(f)") == 2
    session.eval("(define (+ a b) (list a b))")
    assert write(session.eval("(k 5)")) == "(1 5)"


def test_deep_recursion_is_entered_again() -> None:
    session = Session()
    session.eval(
        "(define k #f) (define (deep n) (if (= n 0) (call/cc (lambda (c) (set! k c) 0)) (+ 1 (deep (- n 1)))))"
    )
    assert session.eval("(deep 20000)") == 20000
    assert session.eval("(k 5)") == 20005
    assert session.eval("(k 6)") == 20006


def test_rests_are_compiled_once() -> None:
    session = Session()
    session.eval(
        """(define (count-to n)
             (define return #f)
             (define resume #f)
             (define (produce) (let loop ((i 0)) (call/cc (lambda (k) (set! resume k) (return i))) (loop (+ i 1))))
             (let consume ((turn 0) (sum 0))
               (if (= turn n)
                   sum
                   (consume (+ turn 1)
                            (+ sum (call/cc (lambda (k) (set! return k) (if resume (resume #f) (produce)))))))))"""
    )
    session.eval("(count-to 10)")
    compiled = len(session.continuations._rests)
    assert session.eval("(count-to 200)") == 19900
    assert len(session.continuations._rests) == compiled + 1  # that of the form itself, which is another one


def test_an_escape_captures_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session()
    captured: list[object] = []
    monkeypatch.setattr(session.continuations, "capture", lambda *state: captured.append(state))
    session.eval("(define (find-it l) (call/cc (lambda (k) (for-each (lambda (x) (if (odd? x) (k x))) l) #f)))")
    assert session.eval("(find-it '(2 3 4))") == 3
    session.eval("(call/cc (lambda (outer) (call/cc (lambda (inner) (outer 1)))))")
    session.eval("(define (g k) (k 1)) (define (f k) (g k)) (call/cc (lambda (k) (f k)))")
    assert captured == []
