"""Names that the course, the book and SICP take for granted (DIALECT.md sections 1.3 and 7): each in a small use."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from sessions import error_of

from minischeme import SchemeError, Session
from minischeme.data.printer import write
from minischeme.expansion.forms import TABLE

USES = """
; words and sentences
(first 'hello)                                  h
(first '(have fun))                             have
(bf 'hello)                                     ello
(butfirst '(a b c))                             (b c)
(last '(a b c))                                 c
(bl '10s)                                       10
(butlast '(a b c))                              (a b)
(se 'a '(b c) 5)                                (a b c 5)
(sentence)                                      ()
(word 'a 'b)                                    ab
(empty? "")                                     #t
(word? 'a)                                      #t
(sentence? '(a b))                              #t
(count 'hello)                                  5
(item 2 '(a b c))                               b
(nth 1 '(a b c))                                b
(member? 'a '(b a))                             #t
(before? 'apple 'banana)                        #t
(appearances 'a 'banana)                        3
(every first '(have fun))                       (h f)
(every (lambda (n) (* n n)) 123)                (1 4 9)
(keep number? '(1 a 2))                         (1 2)
(keep (lambda (l) (member? l 'aeiou)) 'piano)   iao
(filter odd? '(1 2 3))                          (1 3)
(accumulate + '(1 2 3))                         6
(accumulate - '(10 3 2))                        9
(accumulate cons '() '(1 2 3))                  (1 2 3)
(accumulate word '(a b c))                      abc
(reduce + '(1 2 3))                             6
(reduce append '((1) (2)))                      (1 2)
((repeated bf 2) 'hello)                        llo
((repeated bf 0) 'hello)                        hello
(align 7 3)                                     "  7"
(align 3.14159 6 2)                             "  3.14"
(align 'abcdef 3)                               "ab+"
(string->word "12")                             12
(word->string 'ace)                             "ace"
(strings-are-numbers #t)                        #t
(call-with-port (open-input-string "have fun") read-line)    (have fun)
(call-with-port (open-input-string "Have fun") read-string)  "Have fun"
(string? (with-output-to-string (lambda () (show 'a))))      #t
(with-output-to-string (lambda () (show '(a "b"))))          "(a b)\\n"
(with-output-to-string (lambda () (show-line '(a "b"))))     "a b\\n"
(with-output-to-string (lambda () (print '(a "b"))))         "(a \\"b\\")\\n"
(with-output-to-string (lambda () (displayln "b")))          "b\\n"
(with-output-to-string (lambda () (write-line "b")))         "\\"b\\"\\n"
; numbers
(1+ 5)                                          6
(-1+ 5)                                         4
(1- 5)                                          4
(add1 5)                                        6
(sub1 5)                                        4
(inc 5)                                         6
(dec 5)                                         4
(square 5)                                      25
(sqr 5)                                         25
(cube 2)                                        8
(div 7 2)                                       3
(exact->inexact 1/4)                            0.25
(inexact->exact 2.0)                            2
(round 2.5)                                     2
(sqrt 16)                                       4
(random 1)                                      0
(< (random 1.0) 1)                              #t
(number? (runtime))                             #t
(number? (real-time))                           #t
(number? (current-time))                        #t
; lists
(list true false nil null)                      (#t #f () ())
(atom? 'a)                                      #t
(append! (list 1) (list 2))                     (1 2)
(last-pair '(1 2))                              (2)
(except-last-pair '(1 2))                       (1)
(except-last-pair! (list 1 2))                  (1)
(list-index even? '(1 2))                       1
(list-head '(a b c) 2)                          (a b)
(sublist '(a b c d) 1 3)                        (b c)
(iota 3)                                        (0 1 2)
(enumerate-interval 1 3)                        (1 2 3)
(fold-left list '() '(1 2))                     ((() 1) 2)
(fold-right list '() '(1 2))                    (1 (2 ()))
(reduce-left - 0 '(10 3 2))                     5
(reduce-left - 0 '())                           0
(reduce-right - 0 '(10 3 2))                    9
(flatmap (lambda (x) (list x x)) '(1 2))        (1 1 2 2)
(append-map list '(1 2))                        (1 2)
(filter-map (lambda (x) (and (odd? x) (* x x))) '(1 2 3))    (1 9)
(list-tabulate 3 square)                        (0 1 4)
(delete 2 '(1 2 3))                             (1 3)
(delete-duplicates '(a b a))                    (a b)
(remove 'a '(b a n a))                          (b n)
(remove odd? '(1 2 3))                          (2)
(remq 'a '(a b))                                (b)
(assoc 2.0 '((1 one) (2 two)) =)                (2 two)
(del-assq 'a '((a 1) (b 2)))                    ((b 2))
(del-assv 1 '((1 a) (2 b)))                     ((2 b))
(del-assoc "a" '(("a" 1) ("b" 2)))              (("b" 2))
(tree-copy '(1 (2 . 3)))                        (1 (2 . 3))
(second '(a b c d e))                           b
(third '(a b c d e))                            c
(fourth '(a b c d e))                           d
(fifth '(a b c d e))                            e
(sort '(3 1 2) <)                               (1 2 3)
(sort (vector 3 1 2) >)                         #(3 2 1)
(datum (make-node 'a '()))                      a
(children (make-node 'a (list (make-node 'b '()))))    ((b))
(attach-tag 'polar '(1 2))                      (polar 1 2)
(type-tag '(polar 1 2))                         polar
(contents '(polar 1 2))                         (1 2)
; symbols and strings
(symbol? (gensym))                              #t
(eq? (generate-uninterned-symbol) (generate-uninterned-symbol))    #f
(symbol-append 'a 'b)                           ab
(symbol<? 'a 'b)                                #t
(string-search-forward "an" "banana" 2)         3
(string-search-backward "an" "banana" 6)        5
(string-search-all "an" "banana")               (1 3)
(string-pad-left "7" 3)                         "  7"
(string-pad-right "ab" 3)                       "ab "
(string-index "banana" #\\n)                    2
(boolean=? #t #t)                               #t
; control
(call/cc (lambda (k) (+ 1 (k 5))))              5
(call-with-escape-continuation (lambda (k) (k 1)))    1
(eval '(+ 1 2))                                 3
(eval '(+ 1 2) user-initial-environment)        3
(eval '(+ 1 2) (the-environment))               3
(eval '(+ 1 2) system-global-environment)       3
(void)                                          okay
(assert (= 1 1))                                okay
(let ((i 0)) (while (< i 3) (set! i (+ i 1))) i)    3
(let ((x 1)) (fluid-let ((x 2)) x))             2
(begin (define-macro (twice e) `(list ,e ,e)) (twice 5))    (5 5)
(eof-object? (read (open-input-string "")))     #t
; tables
(begin (put 'area 'square 25) (get 'area 'square))    25
(get 'area 'circle)                             #f
(put 'a 'b 1)                                   ok
(begin (put 'add '(complex complex) +) ((get 'add '(complex complex)) 1 2))    3
(begin (put-coercion 'integer 'real square) ((get-coercion 'integer 'real) 3))    9
(get-coercion 'a 'b)                            #f
(let ((t (make-table))) (insert! 'a 1 t) (lookup 'a t))    1
(let ((t (make-table))) (insert! 'a 1 t) (insert! 'a 2 t) (list (lookup 'a t) (lookup 'b t)))    (2 #f)
(let ((t (make-table))) (insert! 'math '+ 43 t) (insert! 'math '- 45 t) t)    (*table* (math (- . 45) (+ . 43)))
(let ((t (make-table))) (insert! 'math '+ 43 t) (list (lookup 'math '+ t) (lookup 'math '* t)))    (43 #f)
(let ((t (make-hash-table))) (hash-table-put! t 'a 1) (hash-table-get t 'a))    1
(let ((t (make-hash-table eq?))) (hash-table-get t 'a 'none))    none
(let ((t (make-hash-table))) (hash-table-get t 'a (lambda () 'none)))    none
(let ((t (make-hash-table))) (hash-table-put! t '(1 2) 3) (hash-table-get t (list 1 2)))    3
(let ((t (make-equal-hash-table))) (hash-table/put! t 'a 1) (hash-table/get t 'a 0))    1
(let ((t (make-hash-table))) (hash-table-set! t 'a 1) (hash-table->alist t))    ((a . 1))
(let ((t (make-hash-table))) (hash-table-put! t 'a 1) (hash-table-remove! t 'a) (hash-table-count t))    0
; streams
(stream-car (cons-stream 1 2))                  1
(stream-car (stream-cdr (stream-cons 1 (stream 2))))    2
(stream-first (stream-rest (stream 1 2)))       2
(stream-null? the-empty-stream)                 #t
(empty-stream? (stream-cdr (stream 1)))         #t
(stream-pair? (stream 1))                       #t
(stream-ref (stream-enumerate-interval 5 9) 2)  7
(ss (stream-map + (range 1 3) (range 10 12)))   (11 13 15)
(show-stream (stream-filter odd? (range 1 9)) 3)    (1 3 5 ...)
(stream-head (stream-append (stream 1 2) (stream 3)) 3)    (1 2 3)
(stream-head (interleave (range 1 9) (range 11 19)) 4)    (1 11 2 12)
(ss (list->stream '(a b)))                      (a b)
(ss (make-stream 1 2))                          (1 2)
(stream-head (stream-tail (range 1 9) 3) 2)     (4 5)
(stream->list (range 1 3))                      (1 2 3)
(with-output-to-string (lambda () (display-stream (range 1 2))))    "\\n1\\n2"
(with-output-to-string (lambda () (stream-for-each display (range 1 3))))    "123"
; text laid out
(format #f "~a ~s ~d~%" "x" "y" 5)              "x \\"y\\" 5\\n"
(format #f "100~~")                             "100~"
(format "~A" 'x)                                "x"
(format #f "~b ~o ~x" 5 8 255)                  "101 10 ff"
(format #f "~d" "a word")                       "a word"
(with-output-to-string (lambda () (format #t "hi~n")))       "hi\\n"
(with-output-to-string (lambda () (printf "~a" 5)))          "5"
(let ((port (open-output-string))) (format port "~s" "a") (get-output-string port))    "\\"a\\""
(with-output-to-string (lambda () (pp '(define (f x) x))))    "(define (f x) x)\\n"
(with-output-to-string (lambda () (check-equal? (+ 1 1) 2)))    ""
; processes
(let ((x 10)) (parallel-execute (lambda () (set! x (* x x))) (lambda () (set! x (+ x 1)))) (member? x '(101 121)))    #t
((((lambda () (make-serializer))) +) 1 2)       3
(list (test-and-set! (list #f)) (test-and-set! (list #t)))    (#f #t)
(without-interrupts (lambda () 5))              5
"""
"""An expression, then at least two blanks, then its value."""


def rows() -> list[tuple[str, str]]:
    found = []
    for line in USES.strip().splitlines():
        if not line.startswith(";"):
            expression, value = re.split(" {2,}", line, maxsplit=1)
            found.append((expression, value))
    return found


@pytest.fixture(scope="module")
def shared() -> Session:
    """One for all of these: none of them changes what the others see."""
    return Session(seed=1, output=io.StringIO(), input=io.StringIO(""))


@pytest.mark.parametrize(("expression", "value"), rows(), ids=[row[0] for row in rows()])
def test_use(expression: str, value: str, shared: Session) -> None:
    assert write(shared.eval(expression)) == value


NAMES = """
    first last bf butfirst bl butlast word se sentence empty? sentence? word? count item member? before? appearances
    every keep accumulate filter reduce repeated show show-line read-line read-string align 1+ -1+ 1- print get put
    attach-tag type-tag contents make-node datum children random round sqrt error cons-stream stream-car stream-cdr
    stream-null? the-empty-stream stream-ref stream-map stream-filter stream-for-each display-stream stream-append
    interleave list->stream make-stream stream-enumerate-interval range show-stream ss flatmap enumerate-interval
    define-macro close-all-ports define-class instantiate ask strings-are-numbers trace untrace format while fluid-let
    append! last-pair gensym pp time runtime sort remove div nth atom? call/cc parallel-execute make-serializer
    make-hash-table hash-table-put! hash-table-get true false nil add1 sub1 inc dec null sqr square displayln printf
    assert check-equal? sublist stream-cons string-search-forward string->word word->string eval load transcript-on
    transcript-off user-initial-environment the-environment make-table lookup insert! require provide
"""


def test_every_name_of_the_dialect_means_something() -> None:
    known = Session().library.keys() | TABLE.keys()
    assert [name for name in NAMES.split() if name not in known] == []


def test_a_definition_of_the_users_wins_and_the_library_does_not_notice() -> None:
    """Each procedure of these is redefined in turn; then all uses of the others still hold."""
    for batch in range(2):
        session = Session(seed=1, output=io.StringIO(), input=io.StringIO(""))
        names = [name for name in NAMES.split() if name in session.library][batch::2]
        names += ["car", "cdr", "cons", "list", "append", "length", "equal?", "apply", "+", "map", "not", "force"]
        for name in names:
            session.eval(f"(define ({name} . arguments) 'mine)")
            assert write(session.eval(f"({name} 1 2)")) == "mine"
        for expression, value in rows():
            mentioned = set(expression.replace("(", " ").replace(")", " ").replace("'", " ").split())
            if not mentioned.intersection(names):
                assert write(session.eval(expression)) == value, expression


# Printing, errors and state


def printed(program: str, session: Session | None = None) -> str:
    """What a program prints."""
    session = session or Session(seed=1)
    stream = io.StringIO()
    session.output.stream = stream
    session.eval(program)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ('(format #f "~q")', 'format: bad directive: "~q"'),
        ('(format #f "a~")', 'format: bad directive: "~"'),
        ('(format #f "~a ~a" 1)', 'format: too few arguments for "~a ~a"'),
        ('(format 5 "a")', "format: not a port, #t or #f: 5"),
        ("(format #t 'a)", "format: bad string: a"),
        ("(format #t)", "format: no template behind #t"),
        ("(printf 'a)", "printf: bad string: a"),
        ("(lookup 'a 5)", "lookup: not a table: 5"),
        ("(let ((t (make-table))) (insert! 'a 1 t) (lookup 'a 'b t))", "lookup: not a table: (a . 1)"),
        ("(lookup 'a)", "lookup: too few arguments"),
        ("(insert! 'a 1)", "insert!: too few arguments"),
        ("(insert! 'a 1 '(1 2))", "insert!: not a table: (1 2)"),
        ("(second '(1))", "second: list too short: (1)"),
        ("(second 5)", "second: wrong type of argument: 5"),
        ("(parallel-execute car 5)", "parallel-execute: not a procedure: 5"),
        ("(parallel-execute (lambda () (car 5)))", "car: wrong type of argument: 5"),
        ("((make-serializer) 5)", "make-serializer: not a procedure: 5"),
        ("(stream-car '())", "stream-car: not a stream: ()"),
        ("(stream-cdr '(1 2))", "stream-cdr: not a stream: (1 2)"),
        ("(stream-ref (stream 1) 4)", "stream-ref: the stream is too short: 4"),
        ("(hash-table-get 5 'a)", "hash-table-get: not a hash table: 5"),
        ("(while)", "while: bad syntax: (while)"),
        ("(fluid-let ((x 5)) x)", "unbound variable: x"),
        ("(fluid-let ((5 x)) x)", "fluid-let: bad variable name: 5"),
    ],
)
def test_misuse(program: str, message: str) -> None:
    assert message in str(error_of(program))


def test_pp_breaks_long_data_as_code_is_laid_out() -> None:
    program = """(pp '(define (count-change amount kinds) (cond ((= amount 0) 1) ((or (< amount 0) (= kinds 0)) 0)
                  (else (let ((value (first-denomination kinds))) (+ (count-change amount (- kinds 1))
                  (count-change (- amount value) kinds)))))))"""
    assert printed(program) == (
        "(define (count-change amount kinds)\n"
        "  (cond ((= amount 0) 1)\n"
        "        ((or (< amount 0) (= kinds 0)) 0)\n"
        "        (else (let ((value (first-denomination kinds)))\n"
        "                (+ (count-change amount (- kinds 1))\n"
        "                   (count-change (- amount value) kinds))))))\n"
    )


def test_pp_of_a_procedure_is_its_definition() -> None:
    assert printed("(define (double x)\n  ; twice\n  (* 2 x))\n(pp double)") == (
        "(define (double x)\n  ; twice\n  (* 2 x))\n"
    )
    assert printed("(pp car)") == "#[subr car]\n"
    assert printed("(define l (list 1)) (set-cdr! l l) (pp l)") == "#0=(1 . #0#)\n"
    deep = printed("(define (nest n) (if (= n 0) 'x (list n (nest (- n 1))))) (pp (nest 3000))")
    assert deep.split()[0] == "(3000"


def test_checks_that_fail_are_noted_and_the_program_goes_on() -> None:
    assert printed("(display 1) (check-equal? (+ 1 1) 3) (check-equal? 'a 'b \"the letter\") (display 2)") == (
        "1\n;; check-equal? failed: got 2, expected 3\n;; check-equal? failed (the letter): got a, expected b\n2"
    )
    assert printed("(check-true 1) (check-false #f) (check-eq? 'a 'a)") == ";; check-true failed: got 1, expected #t\n"


def test_time_shows_what_an_evaluation_took() -> None:
    shown = printed("(display (+ 1 (time (display 'a) 5)))")
    before, line, after = shown.split("\n")
    assert (before, after) == ("a", "6")
    assert line.startswith(";; time: ")
    assert line.endswith(" ms")
    assert printed("(define (time x) (list 'my x)) (display (time 5)) (display (let ((time 1)) time))") == "(my 5)1"


def test_operations_belong_to_the_session() -> None:
    one, other = Session(), Session()
    one.eval("(put 'a 'b 1)")
    assert write(one.eval("(get 'A 'b)")) == "1"
    assert write(other.eval("(get 'a 'b)")) == "#f"
    assert write(one.eval("(define (get . x) 'mine) (put 'a 'b 2) (get 'a 'b)")) == "mine"


# Processes


def test_processes_run_in_an_order_of_chance_that_a_seed_repeats() -> None:
    program = "(define x 10) (parallel-execute (lambda () (set! x (* x x))) (lambda () (set! x (+ x 1)))) x"
    results = [write(Session(seed=seed).eval(program)) for seed in range(8)]
    assert set(results) == {"101", "121"}
    assert results == [write(Session(seed=seed).eval(program)) for seed in range(8)]


ACCOUNTS = """
(define (make-account balance)
  (let ((serializer (make-serializer)))
    (define (withdraw amount)
      (if (>= balance amount) (begin (set! balance (- balance amount)) balance) 'insufficient))
    (define (deposit amount) (set! balance (+ balance amount)) balance)
    (lambda (m)
      (cond ((eq? m 'withdraw) withdraw)
            ((eq? m 'deposit) deposit)
            ((eq? m 'balance) balance)
            ((eq? m 'serializer) serializer)))))
(define (exchange a b)
  (let ((difference (- (a 'balance) (b 'balance))))
    ((a 'withdraw) difference)
    ((b 'deposit) difference)))
(define (serialized-exchange a b) (((a 'serializer) ((b 'serializer) exchange)) a b))
(define peter (make-account 100))
(define paul (make-account 50))
"""


def test_serializers_nest() -> None:
    session = Session(seed=1)
    session.eval(ACCOUNTS)
    program = "(parallel-execute (lambda () (serialized-exchange peter paul)) (lambda () ((paul 'deposit) 10)))"
    session.eval(program)
    assert write(session.eval("(+ (peter 'balance) (paul 'balance))")) == "160"
    with pytest.raises(SchemeError, match="deadlock"):
        session.eval("(serialized-exchange peter peter)")
    assert write(session.eval("(serialized-exchange peter paul) 'again")) == "again"


def test_a_serialized_procedure_that_fails_or_escapes_is_free_again() -> None:
    session = Session()
    session.eval(
        "(define s (make-serializer)) (define f (s (lambda (x) (car x)))) (define g (s (lambda (k) (k 'out))))"
    )
    for _ in range(2):
        with pytest.raises(SchemeError, match="car: wrong type of argument: 5"):
            session.eval("(f 5)")
        assert write(session.eval("(call/cc g)")) == "out"
    assert write(session.eval("(f '(1))")) == "1"


# fluid-let, while, files


@pytest.mark.parametrize(
    ("program", "value"),
    [
        ("(define x 1) (define (get-x) x) (list (fluid-let ((x 2)) (get-x)) x)", "(2 1)"),
        ("(define x 1) (list (call/cc (lambda (k) (fluid-let ((x 2)) (k x)))) x)", "(2 1)"),
        ("(define x 1) (guard (e (#t x)) (fluid-let ((x 2)) (car 5)))", "1"),
        ("(define x 1) (define y 2) (fluid-let ((x y) (y x)) (list x y))", "(2 1)"),
        ("(define x 1) (fluid-let ((x 2)) (set! x 5)) x", "1"),
        ("(define x 1) (list (fluid-let ((x 2)) (fluid-let ((x (+ x 1))) x)) x)", "(3 1)"),
        ("(let ((depth 0)) (define (go n) (if (= n 0) depth (fluid-let ((depth (+ depth 1))) (go (- n 1)))))"
         " (list (go 5) depth))", "(5 0)"),
        ("(define car-count 0) (fluid-let ((car (lambda (x) 'mine))) (car '(1)))", "mine"),
        ("(fluid-let ((car (lambda (x) 'mine))) 1) (car '(1))", "1"),
        ("(define i 0) (define l '()) (while (< i 3) (set! l (cons i l)) (set! i (+ i 1))) l", "(2 1 0)"),
        ("(define i 0) (call/cc (lambda (break) (while #t (if (= i 5) (break i)) (set! i (+ i 1)))))", "5"),
        ("(define i 0) (define (f) (while (< i 100000) (set! i (+ i 1)))) (f) i", "100000"),
        ("(define i 0) (define j 0) (define n 0)"
         " (while (< i 3) (set! j 0) (while (< j 3) (set! n (+ n 1)) (set! j (+ j 1))) (set! i (+ i 1))) n", "9"),
    ],
)  # fmt: skip
def test_fluid_let_and_while(program: str, value: str) -> None:
    assert write(Session().eval(program)) == value


def test_fluid_let_of_a_variable_that_is_not_there_changes_nothing() -> None:
    session = Session()
    with pytest.raises(SchemeError, match="unbound variable: y"):
        session.eval("(define x 1) (fluid-let ((x 2) (y 3)) x)")
    assert write(session.eval("x")) == "1"


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    session = Session(output=io.StringIO())
    session.eval("""
        (define out (open-output-file "songs"))
        (show-line '(all together now) out)
        (show "All Together Now" out)
        (write '(a "b") out) (newline out)
        (display 10 out) (display "s 5" out) (newline out)
        (format out "~a~%" 'end)
        (define result (close-all-ports))
        (define in (open-input-file "songs"))""")
    assert write(session.eval("result")) == "closed"
    lines = [write(session.eval(reading)) for reading in ("(read-line in)", "(read-string in)", "(read in)")]
    assert lines == ["(all together now)", '"All Together Now"', '(a "b")']
    # the rest of the line that (read) left, then the others
    lines = [write(session.eval("(read-line in)")) for _ in range(4)]
    assert lines == ["()", '("10s" 5)', "(end)", "#[eof]"]
    assert write(session.eval("(close-port in) (close-all-ports)")) == "closed"
    for use in ("(show 'x out)", "(read-line in)"):
        with pytest.raises(SchemeError, match="the port is closed"):
            session.eval(use)


def test_copying_a_file_line_by_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("scores").write_text("brian hayward 67 40\npaulo 98\n")
    Session().eval("""
        (define (process-grades line)
          (se line 'total: (accumulate + (keep number? line))))
        (define (file-map f in out)
          (let ((inport (open-input-file in)) (outport (open-output-file out)))
            (define (helper)
              (let ((line (read-line inport)))
                (if (eof-object? line)
                    'done
                    (begin (show-line (f line) outport) (helper)))))
            (helper)
            (close-input-port inport)
            (close-output-port outport)))
        (file-map process-grades "scores" "results")""")
    assert Path("results").read_text() == "brian hayward 67 40 total: 107\npaulo 98 total: 98\n"
