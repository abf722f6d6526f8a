"""What programs do with continuations: backtracking, generators, coroutines, exceptions, and the puzzles about them."""

from __future__ import annotations

import pytest

from minischeme import Session
from minischeme.data.printer import write

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
    "entered again inside the same dynamic-wind": (
        """(define trail '())
           (define (go x) (set! trail (cons x trail)))
           (define (again)
             (let ((k #f) (n 0)) (call/cc (lambda (c) (set! k c))) (set! n (+ n 1)) (if (< n 3) (k #f)) n))
           (dynamic-wind (lambda () (go 'in)) (lambda () (go (again))) (lambda () (go 'out)))
           (reverse trail)""",
        "(in 3 out)",
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
    "amb by one continuation for all choices": (
        """(let ()
             (define waiting '())
             (define (fail) (let ((k (car waiting))) (set! waiting (cdr waiting)) (k k)))
             (define (amb choices)
               (let ((again (call/cc (lambda (k) k))))
                 (if (null? choices)
                     (fail)
                     (let ((choice (car choices)))
                       (set! choices (cdr choices))
                       (set! waiting (cons again waiting))
                       choice))))
             (let* ((a (amb '(1 2 3 4 5))) (b (amb '(1 2 3 4 5))) (c (amb '(1 2 3 4 5))))
               (if (not (= (* c c) (+ (* a a) (* b b)))) (fail))
               (if (not (< b a)) (fail))
               (list a b c)))""",
        "(4 3 5)",
    ),
    "six queens": (
        """(define fail #f)
           (define (amb choices)
             (call/cc (lambda (return)
               (define outer fail)
               (for-each (lambda (choice)
                           (call/cc (lambda (next) (set! fail (lambda () (next #f))) (return choice))))
                         choices)
               (set! fail outer)
               (fail))))
           (define (safe? row rows)
             (let loop ((others rows) (distance 1))
               (or (null? others)
                   (and (not (= row (car others)))
                        (not (= (abs (- row (car others))) distance))
                        (loop (cdr others) (+ distance 1))))))
           (define (queens n)
             (let loop ((column 0) (rows '()))
               (if (= column n)
                   rows
                   (let ((row (amb (iota n))))
                     (if (not (safe? row rows)) (fail))
                     (loop (+ column 1) (cons row rows))))))
           (call/cc (lambda (none) (set! fail (lambda () (none 'none))) (queens 6)))""",
        "(4 2 0 5 3 1)",
    ),
    "same fringe": (
        """(define (leaves tree)
             (define return #f)
             (define (resume) (for-each-leaf tree) (return '()))
             (define (for-each-leaf tree)
               (if (pair? tree)
                   (for-each for-each-leaf tree)
                   (call/cc (lambda (rest) (set! resume (lambda () (rest #f))) (return tree)))))
             (lambda () (call/cc (lambda (k) (set! return k) (resume)))))
           (define (same-fringe? one other)
             (let ((one (leaves one)) (other (leaves other)))
               (let loop ()
                 (let ((a (one)) (b (other)))
                   (and (eq? a b) (or (null? a) (loop)))))))
           (list (same-fringe? '(1 (2 (3))) '((1 2) 3)) (same-fringe? '(1 (2 (3))) '((1 2) 4)))""",
        "(#t #f)",
    ),
    "exceptions": (
        """(define handlers '())
           (define (throw x) ((car handlers) x))
           (define (catch body handle)
             (let* ((outer handlers)
                    (thrown (call/cc (lambda (k)
                              (set! handlers (cons (lambda (x) (k (list x))) outer))
                              (let ((value (body))) (lambda () value))))))
               (set! handlers outer)
               (if (pair? thrown) (handle (car thrown)) (thrown))))
           (catch (lambda () (+ 1 (catch (lambda () (throw 1)) (lambda (x) (throw (+ x 1))))))
                  (lambda (x) (list 'got x)))""",
        "(got 2)",
    ),
    "engines": (
        """(define steps 0)
           (define stop #f)
           (define (tick) (set! steps (- steps 1)) (if (= steps 0) (call/cc (lambda (rest) (stop rest)))))
           (define (run thunk budget)
             (call/cc (lambda (k) (set! stop k) (set! steps budget) (let ((value (thunk))) (stop (list value))))))
           (define (count n) (let loop ((i 0)) (if (= i n) n (begin (tick) (loop (+ i 1))))))
           (let loop ((work (lambda () (count 10))) (turns 1))
             (let ((result (run work 4)))
               (if (pair? result) (list (car result) turns) (loop (lambda () (result #f)) (+ turns 1)))))""",
        "(10 3)",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    program, expected = PROGRAMS[name]
    assert write(Session().eval(program)) == expected
