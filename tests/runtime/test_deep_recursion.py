"""Deep recursion through the library, and deep data, on a small C stack: a result or a Scheme error, and no crash."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import FunctionType

import pytest

from minischeme import Session
from minischeme.primitives.registry import primitive_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
DEPTH = 5_000
"""Far deeper than 1 MB of C stack allows, if each level takes any."""

STACK = (1 if sys.version_info < (3, 12) else 8) << 20
"""Bytes of C stack. CPython 3.12 and later free up to 10,000 nested objects on it, more than 1 MB holds."""

# A call of each procedure that calls others, by its names; (f) goes one level deeper.
CALLS = {
    "filter find keep remove": "({} (lambda (x) (f) #f) '(1))",
    "any andmap ormap every list-index filter-map for-each map append-map flatmap": "({} (lambda (x) (f) '()) '(1))",
    "fold fold-left fold-right foldl foldr": "({} (lambda (x y) (f)) 1 '(1))",
    "reduce reduce-left reduce-right": "({} (lambda (x y) (f)) 0 '(1 2))",
    "accumulate": "({} (lambda (x y) (f) 'a) '(1 2))",
    "sort sort!": "({} (list 2 1) (lambda (x y) (f) #t))",
    "delete-duplicates": "({} '(1 2) (lambda (x y) (f) #f))",
    "delete member": "({} 1 '(2) (lambda (x y) (f) #f))",
    "assoc": "({} 1 '((2 3)) (lambda (x y) (f) #f))",
    "list-tabulate": "({} 1 (lambda (x) (f)))",
    "vector-map vector-for-each": "({} (lambda (x) (f)) (vector 1))",
    "vector-binary-search": "({} (vector 1) 1 (lambda (x y) (f) 0))",
    "string-for-each string-map": '({} (lambda (c) (f) c) "a")',
    "stream-for-each stream-map": "({} (lambda (x) (f)) (stream 1))",
    "stream-filter": "({} (lambda (x) (f)) (stream 1))",
    "apply": "({} (lambda (x) (f) 1) '(1))",
    "call-with-current-continuation": "({} (lambda (k) (f) (k 1)))",
    "call-with-values": "({} (lambda () (f) 1) (lambda (x) x))",
    "values": "(call-with-values (lambda () 1) (lambda (x) (f) x))",
    "dynamic-wind": "({} (lambda () 1) (lambda () (f) 1) (lambda () 1))",
    "with-exception-handler": "({} (lambda (e) (f)) (lambda () (raise-continuable 1)))",
    "raise": "(guard (e (#t (f) 1)) ({} 1))",
    "error": "(call/cc (lambda (k) (with-exception-handler (lambda (e) (f) (k 1)) (lambda () ({} 1)))))",
    "%guard": "(guard (e (#f 1)) (f) 1)",
    "%parameterize": "(parameterize ((p 1)) (f) 1)",
    "make-parameter": "({} 1 (lambda (x) (f)))",
    "%case-lambda": "((case-lambda ((x) (f) 1)) 1)",
    "force": "({} (delay (begin (f) 1)))",
    "eval": "({} '(begin (f) 1) (the-environment))",
    "stream-cdr": "({} (cons-stream 1 (begin (f) '())))",
    "call-with-output-string": "({} (lambda (port) (f)))",
    "with-output-to-string": "({} (lambda () (f)))",
    "call-with-port": '({} (open-input-string "") (lambda (port) (f)))',
    "hash-table-walk hash-table-map": "({} h (lambda (k v) (f)))",
    "hash-table-fold": "({} h (lambda (k v so-far) (f)) 1)",
    "hash-table-ref": "({} h 2 (lambda () (f)))",
    "hash-table-update!": "({} h 1 (lambda (v) (f)) (lambda () 1))",
    "hash-table-update!/default": "({} h 1 (lambda (v) (f)) 1)",
    "repeated": "(({} (lambda (x) (f)) 2) 1)",
    "ask %instance": "(ask (instantiate deep) 'go)",
    "instantiate instantiate-parent": "({} deep-too)",
    "get-method": "({} 'deep 'go (lambda (message) (f) 1))",
    "parallel-execute without-interrupts": "({} (lambda () (f)))",
    "%time": "(time (begin (f) 1))",
}
NOT_DEEP = {
    "call-with-input-file": "opens a file at each level",
    "call-with-output-file": "opens a file at each level",
    "call-with-new-contents": "opens a file at each level",
    "with-input-from-file": "opens a file at each level",
    "with-output-to-file": "opens a file at each level",
    "find-counterexample": "runs Hypothesis at each level",
    "generator-bind": "is called by Hypothesis",
    "generator-filter": "is called by Hypothesis",
    "generator-map": "is called by Hypothesis",
    "parallel-tally": "runs its own processes",
    "with-screen": "needs a terminal",
    "exact-outcomes": "enumerates games at each level",
    "exact-guest-outcomes": "enumerates games at each level",
    "strategy-differences": "enumerates games at each level",
    "strategy-answers": "asks a strategy at each level",
    "tournament-table": "plays games at each level",
    "show-svg": "needs a notebook",
    "call-with-lock": "locks a file at each level",
    "procedure-body": "only looks at its argument",
    "procedure-name": "only looks at its argument",
    "procedure-parameters": "only looks at its argument",
}


def test_each_procedure_that_calls_others_is_here() -> None:
    library = Session().library.values()
    found = {known for value in library if type(value) is FunctionType and (known := primitive_of(value)) is not None}
    names = set(" ".join(CALLS).split()) | set(NOT_DEEP)
    for known in found:
        takes_procedures = any("procedure" in kind.complaint for kind in known.kinds.values())
        assert not takes_procedures or names.intersection(known.names), f"add {known.names[0]} to CALLS"


# Work on deep data, by what it is made of.
DATA = {
    "cars": "(define (deep n) (let loop ((i 0) (d '())) (if (= i n) d (loop (+ i 1) (cons d '())))))",
    "cdrs": "(define (deep n) (iota n))",
    "vectors": "(define (deep n) (let loop ((i 0) (d '())) (if (= i n) d (loop (+ i 1) (vector d)))))",
    "promises": "(define (deep n) (let loop ((i 0) (d '())) (if (= i n) d (loop (+ i 1) (delay d)))))",
    "forced promises": "(define (deep n) (let loop ((i 0) (d '())) (if (= i n) d (loop (+ i 1) (make-promise d)))))",
    "closures": "(define (deep n) (let loop ((i 0) (d '())) (if (= i n) d (loop (+ i 1) (lambda () d)))))",
    "assigned variables": (
        "(define (cell d) (define x d) (lambda (y) (set! x y) x))"
        " (define (deep n) (let loop ((i 0) (d '())) (if (= i n) d (loop (+ i 1) (cell d)))))"
    ),
    "streams": (
        "(define (from n) (cons-stream n (from (+ n 1)))) (define (deep n) (let ((s (from 0))) (stream-head s n) s))"
    ),
    "records": (
        "(define-record-type box (make-box x) box? (x unbox))"
        " (define (deep n) (let loop ((i 0) (d '())) (if (= i n) d (loop (+ i 1) (make-box d)))))"
    ),
    "hash tables": (
        "(define (table d) (let ((h (make-hash-table))) (hash-table-set! h 1 d) h))"
        " (define (deep n) (let loop ((i 0) (d '())) (if (= i n) d (loop (+ i 1) (table d)))))"
    ),
    "continuations": (
        "(define (deep n) (let loop ((i 0) (d '())) (if (= i n) d"
        " (loop (+ i 1) (let ((e d)) (call/cc (lambda (k) (cons k e))))))))"
    ),
    "parameters": ("(define (deep n) (let loop ((i 0) (d '())) (if (= i n) d (loop (+ i 1) (make-parameter d)))))"),
    "conditions": (
        "(define (deep n) (let loop ((i 0) (d '())) (if (= i n) d (loop (+ i 1) (guard (e (#t e)) (raise (list d)))))))"
    ),
    "environments": (
        "(define (deep n) (let loop ((i 0) (d '())) (if (= i n) d (loop (+ i 1) ((lambda (x) (the-environment)) d)))))"
    ),
    "objects": (
        "(define-class (holder d) (method (get) d))"
        " (define (deep n) (let loop ((i 0) (d '())) (if (= i n) d (loop (+ i 1) (instantiate holder d)))))"
    ),
}
USES = {
    "dropped": "(begin (deep size) 1)",
    "compared": "(begin (equal? (deep size) (deep size)) 1)",
    "written": "(begin (string-length (with-output-to-string (lambda () (write (deep size))))) 1)",
    "hashed": "(begin (hash-table-set! h (deep size) 1) 1)",
    "copied": "(begin (list-copy (list (deep size))) 1)",
}
OTHERS = {
    "read": "(begin (read (open-input-string (string-append (make-string size #\\() (make-string size #\\))))) 1)",
    "read quotes": '(begin (read (open-input-string (string-append (make-string size #\\\') "a"))) 1)',
    "read vectors": (
        '(begin (read (open-input-string (string-append (apply string-append (make-list size "#("))'
        " (make-string size #\\))))) 1)"
    ),
    "evaluated": "(begin (eval (let loop ((i 0) (d 1)) (if (= i size) d (loop (+ i 1) (list '+ 1 d)))) (the-environment)) 1)",  # noqa: E501
    "captured and entered again": (
        "(begin (define k #f) (define times 0)"
        " (define (down n) (if (= n 0) (call/cc (lambda (c) (set! k c) 0)) (+ 1 (down (- n 1)))))"
        " (define found (down size)) (set! times (+ times 1)) (if (< times 3) (k 0)) found)"
    ),
    "captured at each level": (
        "(begin (define l '()) (define (down n) (if (= n 0) 0 (+ 1 (call/cc (lambda (c) (set! l (cons c l))"
        " (down (- n 1))))))) (down size) (set! l '()) 1)"
    ),
}

SETUP = """
(define p (make-parameter 1))
(define h (make-hash-table))
(hash-table-set! h 1 1)
(define-class (deep) (method (go) (f)))
(define-class (deep-too) (initialize (f)))
"""

RUN = """
import io, sys, threading
from minischeme import Session, SchemeError
def run():
    session = Session(output=io.StringIO())
    for line in sys.stdin:
        name, setup, text = eval(line)
        print(name, end=" -> ", flush=True)
        try:
            session.eval(setup)
            print(session.eval(text), flush=True)
        except SchemeError as error:
            print("*", str(error)[:100], flush=True)
if "thread" in sys.argv:
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
else:
    run()
"""

PLACES = {"main thread": "", "another thread": "thread"}


def results(programs: dict[str, tuple[str, str]], where: str) -> dict[str, str]:
    """What each program gives, by its name, in a process with a small C stack. A program is a setup and a text."""
    resource = pytest.importorskip("resource")
    done = subprocess.run(
        [sys.executable, "-c", RUN, where],
        input="".join(f"{(name, *program)!r}\n" for name, program in programs.items()),
        capture_output=True,
        text=True,
        cwd=ROOT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK)),
    )
    assert done.returncode == 0, done.stdout[-300:] + done.stderr[-2000:]
    return dict(line.split(" -> ") for line in done.stdout.splitlines() if " -> " in line)


@pytest.mark.parametrize("place", PLACES)
def test_deep_recursion(place: str) -> None:
    programs = {}
    for names, call in CALLS.items():
        for name in names.split():
            text = f"(begin (if (> depth 0) (begin (set! depth (- depth 1)) {call.replace('{}', name)})) 'done)"
            setup = f"{SETUP}(define depth {DEPTH}) (define (f) {text})"
            programs[name] = setup, "(f)"
    found = results(programs, PLACES[place])
    assert {name: text for name, text in found.items() if text != "done"} == {}
    assert found.keys() == programs.keys()


def test_deep_data() -> None:
    setup = f"{SETUP}(define size {4 * DEPTH})"
    programs = {name: (setup, text) for name, text in OTHERS.items()}
    for made, definition in DATA.items():
        for used, text in USES.items():
            programs[f"{made} {used}"] = f"{setup}{definition}", text
    found = results(programs, PLACES["another thread"])
    assert found.keys() == programs.keys()
    wrong = {name: text for name, text in found.items() if not text.isdigit()}
    assert wrong == {"evaluated": "* expressions are nested too deeply"}
