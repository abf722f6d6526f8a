"""R7RS-small entire: every identifier of appendix A is in a row of the table below that is run."""

from __future__ import annotations

import io
import re

import pytest

from minischeme import Session
from minischeme.errors import SchemeExit
from minischeme.printer import write
from minischeme.standard_libraries import STANDARD_LIBRARIES

# Each row: an expression, an arrow, and what its value is written as (≈: how that begins).
TABLE = r"""
(* 2 3) → 6
(+ 1 2) → 3
(- 5 2) → 3
(/ 1 3) → 1/3
(list (< 1 2) (<= 2 2) (= 2 2) (> 1 2) (>= 1 2)) → (#t #t #t #f #f)
(list (abs -7) (max 1 3) (min 1 3) (square 5)) → (7 3 1 25)
(and 1 2) → 2
(append '(1) '(2 3)) → (1 2 3)
(apply + 1 '(2 3)) → 6
(list (assoc 2.0 '((1 one) (2 two)) =) (assq 'b '((a 1) (b 2))) (assv 5 '((2 3) (5 7)))) → ((2 two) (b 2) (5 7))
(begin 1 2) → 2
(let ((in (open-input-bytevector (bytevector 1 2 3)))) (list (binary-port? in) (textual-port? in) (port? in))) → (#t #f #t)
(list (boolean=? #t #t) (boolean? #f) (boolean? 0)) → (#t #t #f)
(bytevector-append (bytevector 1) (bytevector-copy (bytevector 1 2 3) 1)) → #u8(1 2 3)
(let ((b (make-bytevector 3 0))) (bytevector-copy! b 1 (bytevector 7 8)) (bytevector-u8-set! b 0 9) b) → #u8(9 7 8)
(list (bytevector-length (bytevector 1 2)) (bytevector-u8-ref (bytevector 5 6) 1) (bytevector? '())) → (2 6 #f)
(list (caar '((1) 2)) (cadr '(1 2)) (cdar '((1 2))) (cddr '(1 2 3)) (car '(1)) (cdr '(1))) → (1 2 (2) (3) 1 ())
(call-with-current-continuation (lambda (k) (+ 1 (k 5)))) → 5
(call/cc procedure?) → #t
(call-with-port (open-input-string "ab") read-char) → #\a
(call-with-values (lambda () (values 4 5)) (lambda (a b) b)) → 5
(case (* 2 3) ((2 3 5 7) 'prime) ((1 4 6 8 9) 'composite)) → composite
(case 5 ((1) 1) (else => (lambda (x) x))) → 5
(list (ceiling 2.5) (floor -2.5) (truncate -2.5) (round 3.5) (round 7/2)) → (3.0 -3.0 -2.0 4.0 4)
(list (char->integer #\A) (integer->char 66) (char? #\a)) → (65 #\B #t)
(let ((in (open-input-string "x"))) (list (char-ready? in) (peek-char in) (read-char in) (eof-object? (read-char in)))) → (#t #\x #\x #t)
(list (char<=? #\a #\b) (char<? #\a #\b) (char=? #\a #\b) (char>=? #\a #\b) (char>? #\a #\b)) → (#t #t #f #f #f)
(let ((in (open-input-string "x"))) (close-input-port in) (input-port-open? in)) → #f
(let ((out (open-output-string))) (close-output-port out) (output-port-open? out)) → #f
(let ((in (open-input-string "x"))) (close-port in) (list (input-port? in) (output-port? in))) → (#t #f)
(list (complex? 1) (real? 1.5) (rational? 1/2) (integer? 2.0) (number? 'a)) → (#t #t #t #t #f)
(cond ((assv 'b '((a 1) (b 2))) => cadr) (else #f)) → 2
(cond-expand (full-unicode 'yes) (else 'no)) → yes
(cond-expand ((and r7rs (not exact-complex) (or foo (library (scheme base)))) 1) (else 2)) → 1
(cons 1 '()) → (1)
(map output-port? (list (current-output-port) (current-error-port))) → (#t #t)
(input-port? (current-input-port)) → #t
(begin (define x 28) x) → 28
(begin (define-record-type pare (kons x y) pare? (x kar set-kar!) (y kdr)) (let ((p (kons 1 2))) (set-kar! p 3) (list (pare? p) (pare? 1) (kar p) (kdr p)))) → (#t #f 3 2)
(begin (define-syntax swap! (syntax-rules () ((_ a b) (let ((tmp a)) (set! a b) (set! b tmp))))) (let ((tmp 1) (other 2)) (swap! tmp other) (list tmp other))) → (2 1)
(let () (define-values (x y . z) (values 1 2 3)) (list x y z)) → (1 2 (3))
(let-syntax ((foo (syntax-rules () ((_ (a b ...) ...) '((b ... a) ...))))) (foo (1 2 3) (4))) → ((2 3 1) (4))
(letrec-syntax ((my-or (syntax-rules () ((_) #f) ((_ e) e) ((_ e r ...) (let ((t e)) (if t t (my-or r ...))))))) (let ((t 5)) (my-or #f t))) → 5
(guard (e (#t (error-object-message e))) (eval '(syntax-error "no" 1) (interaction-environment))) → "no"
(list (numerator 6/4) (denominator 6/4)) → (3 2)
(do ((vec (make-vector 5)) (i 0 (+ i 1))) ((= i 5) vec) (vector-set! vec i i)) → #(0 1 2 3 4)
(let ((path '())) (dynamic-wind (lambda () (set! path (cons 'in path))) (lambda () 'x) (lambda () (set! path (cons 'out path)))) path) → (out in)
(eof-object? (eof-object)) → #t
(list (eq? 'a 'a) (eqv? 1.0 1) (equal? '(a (b)) '(a (b)))) → (#t #f #t)
(guard (e ((error-object? e) (list (error-object-message e) (error-object-irritants e)))) (error "bad" 1 'x)) → ("bad" (1 x))
(list (even? 2) (odd? 2) (negative? -1) (positive? -1) (zero? 0)) → (#t #f #t #f #t)
(list (exact 2.0) (inexact 1/2) (exact? 1) (inexact? 1) (exact-integer? 5)) → (2 0.5 #t #f #t)
(call-with-values (lambda () (exact-integer-sqrt 17)) list) → (4 1)
(list (expt 2 10) (gcd 32 -36) (lcm 32 -36)) → (1024 4 288)
(and (memq 'r7rs (features)) (not (memq 'exact-complex (features)))) → #t
(guard (e ((file-error? e) 'file)) (open-input-file "/no/such/file")) → file
(guard (e ((read-error? e) 'read)) (read (open-input-string "(1 . 2 3)"))) → read
(list (floor-quotient -5 2) (floor-remainder -5 2) (truncate-quotient -5 2) (truncate-remainder -5 2)) → (-3 1 -2 -1)
(call-with-values (lambda () (floor/ -5 2)) list) → (-3 1)
(call-with-values (lambda () (truncate/ -5 2)) list) → (-2 -1)
(list (modulo -5 2) (quotient -5 2) (remainder -5 2)) → (1 -2 -1)
(let ((out (open-output-string))) (flush-output-port out) (write-string "ab" out) (write-char #\c out) (newline out) (get-output-string out)) → "abc\n"
(let ((n 0)) (for-each (lambda (x y) (set! n (+ n (* x y)))) '(1 2) '(3 4)) n) → 11
(let ((out (open-output-bytevector))) (write-u8 1 out) (write-bytevector (bytevector 2 3 4) out 1) (get-output-bytevector out)) → #u8(1 3 4)
(guard (e ((symbol? e) (list 'sym e))) (raise 'boom)) → (sym boom)
(if #f 1 2) → 2
(list (lambda () 1)) ≈ (#[closure arglist=() 
(length '(1 2 3)) → 3
(let* ((x 1) (y (+ x 1))) (list x y)) → (1 2)
(let-values (((a b) (values 1 2)) ((c) (values 3))) (list a b c)) → (1 2 3)
(let*-values (((a b) (values 1 2)) ((x y) (values a b))) (list a b x y)) → (1 2 1 2)
(letrec ((even? (lambda (n) (if (= n 0) #t (odd? (- n 1))))) (odd? (lambda (n) (if (= n 0) #f (even? (- n 1)))))) (even? 88)) → #t
(letrec* ((p (lambda (x) (+ 1 x))) (y (p 4))) y) → 5
(list (list->string '(#\a #\b)) (list->vector '(1 2)) (list-copy '(1 2)) (list-ref '(a b) 1) (list-tail '(a b c) 1)) → ("ab" #(1 2) (1 2) b (b c))
(let ((l (list 1 2))) (list-set! l 1 'x) (list l (list? l) (list? '(1 . 2)))) → ((1 x) #t #f)
(list (make-list 2 'x) (make-string 2 #\a) (make-vector 2 0)) → ((x x) "aa" #(0 0))
(let ((p (make-parameter 10 (lambda (x) (* 2 x))))) (list (p) (parameterize ((p 3)) (p)) (p))) → (20 6 20)
(map + '(1 2) '(10 20)) → (11 22)
(list (member 2.0 '(1 2 3) =) (memq 'c '(a b)) (memv 2 '(1 2 3))) → ((2 3) #f (2 3))
(list (not 3) (null? '()) (pair? '())) → (#f #t #f)
(list (number->string 255 16) (string->number "ff" 16) (string->number "x")) → ("ff" 255 #f)
(or #f 2) → 2
(let ((in (open-input-bytevector (bytevector 1 2 3 4 5)))) (list (u8-ready? in) (peek-u8 in) (read-u8 in) (read-bytevector 2 in))) → (#t 1 1 #u8(2 3))
(let ((b (bytevector 0 0 0)) (in (open-input-bytevector (bytevector 7 8)))) (list (read-bytevector! b in 1) b (eof-object? (read-u8 in)))) → (2 #u8(0 7 8) #t)
`(1 ,(+ 1 1) ,@(list 3 4)) → (1 2 3 4)
(quasiquote (1 (unquote (+ 1 1)) (unquote-splicing (list 3)))) → (1 2 3)
(quote a) → a
(with-exception-handler (lambda (e) 42) (lambda () (+ (raise-continuable 'oops) 23))) → 65
(list (rationalize 3/10 1/10) (rationalize .3 1/10)) → (1/3 0.3333333333333333)
(let ((in (open-input-string "one\ntwo three"))) (list (read-line in) (read-string 3 in) (read in))) → ("one" "two" three)
(reverse '(1 2 3)) → (3 2 1)
(let ((p (cons 1 2))) (set-car! p 3) (set-cdr! p 4) p) → (3 . 4)
(list (string #\a #\b) (string->list "abc" 1) (string->symbol "hi") (string->utf8 "é") (string->vector "ab")) → ("ab" (#\b #\c) hi #u8(195 169) #(#\a #\b))
(let ((s (string-copy "hello"))) (string-copy! s 1 "XY") (string-fill! s #\z 4) (string-set! s 0 #\-) s) → "-XYlz"
(let ((n 0)) (string-for-each (lambda (c) (set! n (+ n (char->integer c)))) "ab") n) → 195
(list (string-append "a" "b") (string-length "abc") (string-map char-upcase "abc") (string-ref "abc" 1) (substring "abc" 1 2) (string? "")) → ("ab" 3 "ABC" #\b "b" #t)
(list (string<=? "a" "b") (string<? "a" "b") (string=? "a" "b") (string>=? "a" "b") (string>? "a" "b")) → (#t #t #f #f #f)
(list (symbol->string 'Ab) (symbol=? 'a 'a 'a) (symbol? "a")) → ("Ab" #t #f)
(list (when #t 1 2) (unless #f 3)) → (2 3)
(utf8->string (bytevector 65 66)) → "AB"
(list (vector 1 2) (vector->list #(1 2 3) 1) (vector->string #(#\a)) (vector-append #(1) #(2)) (vector-copy #(1 2 3) 1 2)) → (#(1 2) (2 3) "a" #(1 2) #(2))
(let ((v (vector 1 2 3 4))) (vector-copy! v 1 #(8 9)) (vector-fill! v 0 3) v) → #(1 8 9 0)
(let ((n 0)) (vector-for-each (lambda (x) (set! n (+ n x))) #(1 2)) (list n (vector-length #(1)) (vector-map - #(1 2)) (vector-ref #(5) 0) (vector? 1))) → (3 1 #(-1 -2) 5 #f)
((case-lambda ((a) (list a)) ((a b) (list b a)) ((a . rest) rest)) 1 2) → (2 1)
(list (char-alphabetic? #\a) (char-numeric? #\a) (char-whitespace? #\space) (char-upper-case? #\a) (char-lower-case? #\a)) → (#t #f #t #f #t)
(list (char-ci<=? #\a #\B) (char-ci<? #\a #\B) (char-ci=? #\a #\A) (char-ci>=? #\a #\B) (char-ci>? #\a #\B)) → (#t #t #t #f #f)
(list (char-downcase #\A) (char-foldcase #\A) (char-upcase #\a) (digit-value #\3) (digit-value #\a)) → (#\a #\a #\A 3 #f)
(list (string-ci<=? "a" "B") (string-ci<? "a" "B") (string-ci=? "a" "A") (string-ci>=? "a" "B") (string-ci>? "a" "B")) → (#t #t #t #f #f)
(list (string-downcase "AB") (string-foldcase "AB") (string-upcase "ab")) → ("ab" "ab" "AB")
(list (angle 1) (imag-part 5) (magnitude -5) (make-polar 2 0) (make-rectangular 3 0) (real-part 7)) → (0 0 5 2 3 7)
(let ((t '(((1 . 2) 3 . 4) (5 . 6) 7 . 8))) (list (caaar t) (cdaar t) (cadar t) (cddar t) (caadr t) (cdadr t) (caddr t) (cdddr t))) → (1 2 3 4 5 6 7 8)
(let ((t '((((1 . 2) 3 . 4) (5 . 6) 7 . 8) ((9 . 10) 11 . 12) (13 . 14) 15 . 16))) (list (caaaar t) (cdaaar t) (cadaar t) (cddaar t) (caadar t) (cdadar t) (caddar t) (cdddar t))) → (1 2 3 4 5 6 7 8)
(let ((t '((((1 . 2) 3 . 4) (5 . 6) 7 . 8) ((9 . 10) 11 . 12) (13 . 14) 15 . 16))) (list (caaadr t) (cdaadr t) (cadadr t) (cddadr t) (caaddr t) (cdaddr t) (cadddr t) (cddddr t))) → (9 10 11 12 13 14 15 16)
(eval '(* 7 3) (environment '(scheme base))) → 21
(list (sqrt 16) (exp 0) (sin 0) (cos 0) (tan 0) (asin 0) (acos 1) (atan 0) (log 1)) → (4 1 0 1 0 0 0 0 0)
(list (finite? 1.0) (infinite? -inf.0) (nan? +nan.0)) → (#t #t #t)
(let* ((n 0) (p (delay (begin (set! n (+ n 1)) n)))) (list (force p) (force p) (promise? p) (force (make-promise 7)))) → (1 1 #t 7)
(let loop ((n 3)) (force (delay-force (if (= n 0) (delay 'end) (delay (loop (- n 1))))))) → end
(list? (command-line)) → #t
(list (get-environment-variable "NO_SUCH_VARIABLE_HERE") (pair? (get-environment-variables))) → (#f #t)
(eval 'x (interaction-environment)) → 28
(list (integer? (current-jiffy)) (exact? (jiffies-per-second)) (> (current-second) 1e9)) → (#t #t #t)
(let ((out (open-output-string))) (display "a" out) (write "a" out) (write-simple #\a out) (let ((x (list 1))) (write-shared (list x x) out)) (get-output-string out)) → "a\"a\"#\\a(#0=(1) #0#)"
(begin (call-with-output-file "one.txt" (lambda (out) (write '(a "b") out))) (call-with-input-file "one.txt" read)) → (a "b")
(begin (with-output-to-file "two.txt" (lambda () (display "(hi)"))) (with-input-from-file "two.txt" read)) → (hi)
(let ((out (open-output-file "three.txt"))) (write 3 out) (close-port out) (let ((in (open-input-file "three.txt"))) (read in))) → 3
(let ((out (open-binary-output-file "four.bin"))) (write-u8 255 out) (close-port out) (let ((in (open-binary-input-file "four.bin"))) (read-u8 in))) → 255
(begin (delete-file "three.txt") (list (file-exists? "three.txt") (file-exists? "two.txt"))) → (#f #t)
(begin (with-output-to-file "five.scm" (lambda () (write '(define five 5)))) (load "five.scm") five) → 5
(let () (include "five.scm") (+ five 1)) → 6
(let () (include-ci "five.scm") (+ five 2)) → 7
(guard (e (#t 'left)) (call/cc (lambda (k) (dynamic-wind (lambda () #f) (lambda () (if #f (exit 3) (k 1))) (lambda () (if #f (emergency-exit)))))))  → 1
"""

# Expression, kind of arrow, and what is expected.
ROWS = [tuple(re.split(" +([→≈]) ", row, maxsplit=1)) for row in TABLE.strip("\n").split("\n")]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    session = Session("r7rs")
    session.folder = tmp_path_factory.mktemp("files")
    return session


@pytest.mark.parametrize(("expression", "arrow", "expected"), ROWS)
def test_the_value_of_each_row(
    session: Session, expression: str, arrow: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert session.folder is not None
    monkeypatch.chdir(session.folder)
    found = write(session.eval(expression))
    assert found == expected if arrow == "→" else found.startswith(expected)


def words_of(expression: str) -> set[str]:
    for mark, word in (("'", "quote"), ("`", "quasiquote"), (",@", "unquote-splicing"), (",", "unquote")):
        expression = expression.replace(mark, f" {word} ")
    return set(re.sub(r'"(?:\\.|[^"\\])*"', "", expression).replace("(", " ").replace(")", " ").split())


WORDS = set().union(*(words_of(expression) for expression, _, _ in ROWS))


@pytest.mark.parametrize("library", STANDARD_LIBRARIES)
def test_every_identifier_of_the_standard_is_in_a_row(library: str) -> None:
    assert STANDARD_LIBRARIES[library] - WORDS == set()


@pytest.mark.parametrize("library", STANDARD_LIBRARIES)
@pytest.mark.parametrize("dialect", ["berkeley", "r7rs"])
def test_every_identifier_can_be_imported(library: str, dialect: str) -> None:
    session = Session(dialect)
    session.eval(f"(import (prefix {library} the-))")
    auxiliary = {"else", "=>", "_", "...", "unquote", "unquote-splicing", "syntax-rules"}
    missing = [
        name
        for name in STANDARD_LIBRARIES[library] - auxiliary
        if f"the-{name}" not in session.globals and f"the-{name}" not in session.macros
    ]
    assert missing == []


def test_the_libraries_are_complete() -> None:
    assert {name: len(exports) for name, exports in STANDARD_LIBRARIES.items()} == {
        "(scheme base)": 237,
        "(scheme case-lambda)": 1,
        "(scheme char)": 22,
        "(scheme complex)": 6,
        "(scheme cxr)": 24,
        "(scheme eval)": 2,
        "(scheme file)": 10,
        "(scheme inexact)": 12,
        "(scheme lazy)": 5,
        "(scheme load)": 1,
        "(scheme process-context)": 5,
        "(scheme read)": 1,
        "(scheme repl)": 1,
        "(scheme time)": 3,
        "(scheme write)": 4,
    }


@pytest.mark.parametrize(
    ("program", "status", "output"),
    [
        ("(exit)", 0, ""),
        ("(exit #f)", 1, ""),
        ("(exit 3)", 3, ""),
        ("(dynamic-wind (lambda () #f) (lambda () (exit 3)) (lambda () (display 'after)))", 3, "after"),
        ("(dynamic-wind (lambda () #f) (lambda () (emergency-exit 3)) (lambda () (display 'after)))", 3, ""),
        ("(with-exception-handler (lambda (e) (display 'caught)) (lambda () (exit 3)))", 3, ""),
        ("(guard (e (#t (display 'caught))) (exit 3))", 3, ""),
    ],
)
def test_leaving(program: str, status: int, output: str) -> None:
    stream = io.StringIO()
    with pytest.raises(SchemeExit) as caught:
        Session("r7rs", output=stream).eval(program)
    assert caught.value.status == status
    assert stream.getvalue() == output


def test_delay_force_takes_no_space() -> None:
    session = Session("r7rs")
    session.eval("(define (loop n) (if (= n 0) (delay 'end) (delay-force (loop (- n 1)))))")
    assert write(session.eval("(force (loop 100000))")) == "end"


def test_a_chain_of_promises_is_evaluated_once() -> None:
    session = Session("r7rs")
    session.eval("(define n 0) (define inner (delay (begin (set! n (+ n 1)) n))) (define outer (delay-force inner))")
    assert write(session.eval("(list (force outer) (force inner) (force outer) n)")) == "(1 1 1 1)"


BAD_USES = [
    ("(define-record-type)", "define-record-type: bad syntax"),
    ("(define-record-type p (mk z) p? (x px))", "define-record-type: no such field: z"),
    ("(define-record-type p (mk x) p? (x px)) (px 5)", "px: not a p: 5"),
    ("(define-record-type p (mk x) p? (x px set-px!)) (set-px! 'a 5)", "set-px!: not a p: a"),
    ("(define-values (a b) 1)", "define-values: expected 2 values, but got 1: (1)"),
    ("(let-values (((a b) (values 1 2 3))) a)", "let-values: expected 2 values, but got 3: (1 2 3)"),
    ("(let-values ((a)) a)", "let-values: badly formed binding: (a)"),
    ("(let-values (((a a) (values 1 2))) a)", "let-values: duplicate name: (a a)"),
    ("(receive (a) 1)", "receive: bad syntax: (receive (a) 1)"),
    ("(parameterize ((5 1)) 1)", "parameterize: not a parameter: 5"),
    ("(parameterize ((x)) 1)", "parameterize: badly formed binding: (x)"),
    ("((case-lambda ((a) 1)) 1 2)", "case-lambda: no clause takes the arguments: (1 2)"),
    ("(case-lambda (a))", "case-lambda: bad syntax: (case-lambda (a))"),
    ("(named-lambda (5) 1)", "named-lambda: bad variable name: 5"),
    ("(fluid-let ((never-defined 1)) 2)", "unbound variable: never-defined"),
    ("(while)", "while: bad syntax: (while)"),
    ("(guard)", "guard: bad syntax: (guard)"),
    ("(guard (5) 1)", "guard: bad variable name: 5"),
    ("(delay-force)", "delay-force: bad syntax: (delay-force)"),
    ("(force (delay-force 5))", "delay-force: not a promise: 5"),
    ("(cond-expand 5)", "cond-expand: bad syntax: (cond-expand 5)"),
    ('(include "no/such/file")', "no/such/file"),
    ("(import (no such library))", "import: no such library: (no such library)"),
    ("(make-parameter)", "too few arguments to: (make-parameter)"),
    ("(with-exception-handler 5 6)", "with-exception-handler: not a procedure: 5"),
    ("(error-object-message 5)", "error-object-message: not an error object: 5"),
    ("(hash-table-ref (make-hash-table) 'x)", "hash-table-ref: no such key: x"),
    ("(hash-table-set! 5 1 1)", "hash-table-set!: not a hash table: 5"),
    ('(read-u8 (open-input-string "a"))', "read-u8"),
    ("(write-u8 256 (open-output-bytevector))", "write-u8: not a byte: 256"),
    ("(read-char (open-input-bytevector (bytevector 1)))", "not a textual port"),
    ("(make-rectangular 1 2)", "make-rectangular: there are no complex numbers here: 2"),
]


@pytest.mark.parametrize(("program", "message"), BAD_USES)
def test_a_bad_use_is_named_with_its_culprit(program: str, message: str) -> None:
    (*_, last) = Session("r7rs").interact(program)
    assert last.error is not None
    assert message in str(last.error)


HASH_TABLE_ROWS = [
    ("(hash-table-ref/default t 'a 0)", "1"),
    ("(hash-table-ref/default t 'zz 0)", "0"),
    ("(hash-table-ref t 'a)", "1"),
    ("(hash-table-ref t 'zz (lambda () 'none))", "none"),
    ("(hash-table-ref t 'a (lambda () 'none) (lambda (x) (list x)))", "(1)"),
    ('(hash-table/get t "s" 0)', "2"),
    ("(hash-table-get t '(1 2) 0)", "3"),
    ("(hash-table-count t)", "3"),
    ("(hash-table-keys t)", '(a "s" (1 2))'),
    ("(hash-table-values t)", "(1 2 3)"),
    ("(hash-table->alist t)", '((a . 1) ("s" . 2) ((1 2) . 3))'),
    ("(begin (hash-table-update! t 'a (lambda (x) (+ x 10)) (lambda () 0)) (hash-table-ref t 'a))", "11"),
    ("(begin (hash-table-update!/default t 'n (lambda (x) (+ x 1)) 5) (hash-table-ref t 'n))", "6"),
    ("(begin (hash-table-delete! t 'a) (hash-table-contains? t 'a))", "#f"),
    ("(let ((n 0)) (hash-table-walk t (lambda (k v) (set! n (+ n v)))) n)", "6"),
    ("(let ((c (hash-table-copy t))) (hash-table-clear! t) (list (hash-table-count t) (hash-table-count c)))", "(0 3)"),
    ("(list (hash-table? t) (hash-table? 5))", "(#t #f)"),
    ("(hash-table-ref/default (let ((e (make-strong-eqv-hash-table))) (hash-table-set! e 1 'x) e) 1. 'no)", "no"),
]


@pytest.mark.parametrize("dialect", ["berkeley", "r7rs"])
@pytest.mark.parametrize(("expression", "expected"), HASH_TABLE_ROWS)
def test_hash_tables(expression: str, expected: str, dialect: str) -> None:
    session = Session(dialect)
    session.eval('(define t (make-equal-hash-table)) (hash-table-set! t \'a 1) (hash-table-put! t "s" 2)')
    session.eval("(hash-table/put! t (list 1 2) 3)")
    assert write(session.eval(expression)) == expected


@pytest.mark.parametrize(("dialect", "expected"), [("berkeley", "found"), ("r7rs", "none")])
def test_a_hash_table_compares_words_as_the_dialect_does(dialect: str, expected: str) -> None:
    session = Session(dialect)
    session.eval('(define t (make-hash-table)) (hash-table-set! t "10" \'found)')
    assert write(session.eval("(hash-table-ref/default t 10 'none)")) == expected
