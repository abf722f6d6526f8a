"""Recorded runs: they give what compiled code gives, with the same output, errors and continuations."""

from __future__ import annotations

import gc
import io
import tracemalloc
import weakref
from pathlib import Path

import pytest
from continuation_comparison import actual, program
from stepping.stepped_sessions import stepped_sessions
from tables import SOLUTIONS
from transcript_runs import outcomes

from minischeme import Session
from minischeme.data.errors import SchemeError, report
from minischeme.data.printer import write
from minischeme.stepping.pictures import Pictures
from minischeme.stepping.recorder import record
from minischeme.stepping.recording import RecordedRun
from minischeme.transcripts.outcomes import Verdict

SICP = sorted((Path(__file__).parent.parent / "programs" / "sicp").glob("*.txt"))


def recorded(*texts: str, session: Session | None = None, limit: int = 100_000) -> RecordedRun:
    """The recorded run of the last text; those before it are run as usual."""
    session = session or Session(output=io.StringIO(), input=io.StringIO("typed line\n"), seed=7)
    for text in texts[:-1]:
        session.eval(text)
    return record(session, texts[-1], limit=limit)


# ── as compiled code ─────────────────────────────────────────────────────────────────────────────────────────────────

FACT = "(define (fact n) (if (= n 0) 1 (* n (fact (- n 1)))))"

PROGRAMS = [
    f"{FACT} (fact 10)",
    "(define (loop i) (if (= i 5000) 'done (loop (+ i 1)))) (loop 0)",
    "(define (f . rest) rest) (apply f 1 '(2 3))",
    '(display \'hello) (newline) (write "a") 5',
    "(read-line)",
    "(list (random 1000) (random 1000))",
    "(define x 1) (set! x (+ x 1)) x",
    "(define (make) (let ((n 0)) (lambda () (set! n (+ n 1)) n))) (define c (make)) (c) (c)",
    "(map (lambda (x) (* x x)) '(1 2 3))",
    "(sort '(3 1 2) (lambda (a b) (< a b)))",
    "(every (lambda (w) (word w 's)) '(card hand))",
    "(accumulate (lambda (a b) (+ a b)) '(1 2 3))",
    "(call-with-values (lambda () (values 1 2)) (lambda (a b) (list a b)))",
    "(let-values (((q r) (floor/ 7 2)) ((x) 1)) (list q r x))",
    "(dynamic-wind (lambda () (display 'in)) (lambda () (display 'body) 5) (lambda () (display 'out)))",
    "(call/cc (lambda (k) (dynamic-wind (lambda () (display 'in)) (lambda () (k 5)) (lambda () (display 'out)))))",
    "(define k #f) (define n 0) (display (call/cc (lambda (c) (set! k c) 0))) (set! n (+ n 1)) (if (< n 3) (k n)) n",
    "(guard (e ((symbol? e) (list 'caught e))) (+ 1 (raise 'oops)))",
    "(guard (e (#t (condition/report-string e))) (car 5))",
    "(with-exception-handler (lambda (x) 42) (lambda () (+ (raise-continuable 'oops) 1)))",
    "(define p (make-parameter 1)) (list (parameterize ((p 2)) (p)) (p))",
    "(define x 1) (define (get) x) (list (fluid-let ((x 2)) (get)) x)",
    "(define (ints n) (cons-stream n (ints (+ n 1)))) (show-stream (ints 1) 5)",
    "(define-syntax swap! (syntax-rules () ((_ a b) (let ((t a)) (set! a b) (set! b t))))) "
    "(define x 1) (define y 2) (swap! x y) (list x y)",
    "(do ((i 0 (+ i 1)) (sum 0 (+ sum i))) ((= i 4) sum) (display i))",
    "(define i 0) (while (< i 3) (display i) (set! i (+ i 1))) i",
    "(let loop ((i 0)) (if (< i 3) (loop (+ i 1)) i))",
    "(letrec ((ev? (lambda (n) (or (= n 0) (od? (- n 1))))) (od? (lambda (n) (and (> n 0) (ev? (- n 1)))))) (ev? 100))",
    "(define (f) (define a 1) (define (g) (+ a b)) (define b 2) (g)) (f)",
    "(define-record-type point (make-point x y) point? (x px set-px!) (y py)) "
    "(define p (make-point 1 2)) (set-px! p 5) (px p)",
    "(define (f) (define-values (q r) (floor/ 7 2)) (list q r)) (f)",
    "(define (f x #!optional y) (if (default-object? y) x y)) (list (f 1) (f 1 2))",
    "(define f (case-lambda ((a) (list 'one a)) ((a b) (list 'two a b)))) (list (f 1) (f 1 2))",
    "(let ((x 5)) (eval '(* x x) (the-environment)))",
    "(eval '(begin (define (sq x) (* x x)) (sq 5)) user-initial-environment)",
    "(define-class (counter) (instance-vars (n 0)) (method (next) (set! n (+ n 1)) n)) "
    "(define c (instantiate counter)) (ask c 'next) (ask c 'next)",
    "(define (f x) (* x 2)) (trace f) (+ 1 (f 3))",
    "(define t (make-hash-table)) (hash-table-update! t 'a (lambda (n) (+ n 1)) (lambda () 0)) (hash-table-ref t 'a)",
    "(case (* 2 3) ((2 3 5 7) 'prime) ((1 4 6 8 9) => (lambda (x) (list 'composite x))) (else 'none))",
    "(cond ((assv 'b '((a 1) (b 2))) => cadr) (else #f))",
    "(define (fact n) (if (= n 0) (car '()) (* n (fact (- n 1))))) (fact 3)",
    "(define (f x) (+ x undefined-name)) (f 1)",
    "(fist 'hello)",
    "(display 1) (fist (display 2))",
    "((lambda (x) x))",
    "(define (f x) x) (f 1 2)",
    "(5 3)",
    "(define (f g) (g 2)) (f 3)",
    "(vector-ref (vector 1 2) 5)",
    "(< 1 'a)",
    '(error "Bad thing:" \'x)',
    "(raise 'oops)",
    "(map (lambda (x) (car x)) '((1) 2))",
    "(letrec ((a b) (b 1)) a)",
    "(set! nowhere 1)",
    "(define (f) (if)) (f)",
    "(define (f x) (+ 1 (car x))) (define (g x y) (set! y 5) (+ 1 (f (cdr x)))) (+ (g '(1) 2) 1)",
    "(define (f x) (* 2 (car x))) (list (map (lambda (x) (+ 1 (f x))) '((1) 2)))",
    "(+ (not 1) (not #f))",
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_a_recorded_run_gives_what_compiled_code_gives(text: str) -> None:
    printed = io.StringIO()
    compiled = Session(output=printed, input=io.StringIO("typed line\n"), seed=7)
    value = error = None
    try:
        value = write(compiled.eval(text, "<prompt>"))
    except SchemeError as caught:
        error = caught
    run = recorded(text)
    if error is not None:
        assert run.error is not None
        # Of a tail call that was pending, compiled code no longer knows the arguments around it.
        assert report(run.error).removesuffix(" with g = 3") == report(error)
    else:
        assert run.error is None, report(run.error)
        assert write(run.value) == value
        assert run.steps
    assert run.output == printed.getvalue()


@pytest.mark.parametrize("path", SICP, ids=lambda path: path.stem)
@pytest.mark.slow
def test_transcripts_of_recorded_runs_are_the_same(path: Path) -> None:
    with stepped_sessions(recorded=False):
        found = outcomes(path.read_text(encoding="utf-8"), path.name, path=path, limit=120)
    assert len(found) > 30
    assert [f"{path.name}:{one.line}" for one in found if one.verdict is Verdict.DIFFERENT] == []


@pytest.mark.slow
def test_games_of_the_assignment_are_the_same() -> None:
    def games() -> str:
        session = Session(output=io.StringIO(), seed=42)
        session.load(SOLUTIONS / "twenty-one.scm")
        return write(
            session.eval("(list (play-n stop-at-17 10) (play-n (suit-strategy 'hearts (stop-at 15) valentine) 5))")
        )

    expected = games()
    with stepped_sessions() as recordings:
        assert games() == expected
    assert sum(len(recording.steps) for recording in recordings) > 1000


@pytest.mark.slow
def test_random_programs_with_continuations_give_the_same() -> None:
    for seed in range(150):
        forms = program(seed)
        expected = actual(forms)
        with stepped_sessions():
            assert actual(forms) == expected, (seed, forms)


# ── what a run costs ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_endless_run_ends_at_the_limit() -> None:
    run = recorded("(define (loop) (loop))", "(loop)", limit=1000)
    assert (len(run.steps), run.value, run.error) == (1000, None, None)
    assert run.ending == "the run was ended after 1,000 steps"
    handled = recorded("(define (loop) (loop))", "(guard (e (#t 1)) (loop))", limit=100)
    assert handled.ending


def test_tail_calls_do_not_grow() -> None:
    loop = "(define (loop i) (cond ((= i 0) 'done) (else (call/cc (lambda (k) (loop (- i 1)))))))"
    run = recorded(loop, "(loop 2000)")
    assert write(run.value) == "done"
    assert max(step.depth for step in run.steps) < 20


def test_recursion_is_as_deep_as_the_limit_allows() -> None:
    run = recorded("(define (count n) (if (= n 0) 0 (+ 1 (count (- n 1)))))", "(count 10000)")
    assert run.value == 10000


def test_ten_thousand_steps_take_less_than_twenty_megabytes() -> None:
    session = Session(output=io.StringIO())
    session.eval("(define (count n) (let ((m (- n 1))) (if (< m 0) 0 (+ 1 (count m)))))")
    tracemalloc.start()
    try:
        run = record(session, "(count 100000)", limit=10_000)
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(run.steps) == 10_000
    assert size < 20_000_000


# ── what is opened ───────────────────────────────────────────────────────────────────────────────────────────────────


def called(run: RecordedRun) -> list[str]:
    """The texts of the calls in a run."""
    return [step.node.span.text for step in run.steps if step.kind == "call" and step.node.span is not None]


def test_procedures_of_the_library_are_one_step() -> None:
    run = recorded('(load "twenty-one.scm")', "(define (best-total hand) 17)", "(shuffle '(ah 2h) 2)")
    assert called(run) == ["(shuffle '(ah 2h) 2)"]


@pytest.mark.parametrize("call", ["(every double '(1 2))", "(map double '(1 2))", "(vector-map double (vector 1 2))"])
def test_calls_of_one_s_own_procedure_are_shown(call: str) -> None:
    run = recorded("(define (double x) (* 2 x))", call)
    assert called(run).count("(* 2 x)") == 2


def test_compiled_closures_are_opened() -> None:
    define = "(define (adder n) (define total 0) (lambda (x) (set! total (+ total x n)) total)) (define add3 (adder 3))"
    session = Session(output=io.StringIO())
    session.eval(define + "(add3 1)")
    run = record(session, "(add3 2)")
    assert run.value == 9
    assert "(+ total x n)" in called(run)
    assert session.eval("(add3 0)") == 12


def test_closures_of_a_recorded_run_live_on() -> None:
    session = Session(output=io.StringIO())
    run = record(session, "(define add3 ((lambda (n) (lambda (x) (+ x n))) 3))")
    count = len(run.steps)
    assert session.eval("(+ (add3 1) (apply + (map add3 '(1 2))))") == 13
    assert len(run.steps) == count
    assert write(session.eval("add3")).startswith("#[closure arglist=(x)")
    with pytest.raises(SchemeError, match="too many arguments to: "):
        session.eval("(add3 1 2)")


def test_the_limit_of_a_run_does_not_hold_afterwards() -> None:
    session = Session(output=io.StringIO())
    record(session, "(define down (let ((by 1)) (lambda (n) (if (= n 0) 'done (down (- n by))))))", limit=2)
    assert write(session.eval("(down 100)")) == "done"


def test_a_recorded_run_does_not_keep_its_session() -> None:
    session = Session(output=io.StringIO())
    record(session, "(define (sq x) (* x x)) (define f (let ((n 1)) (lambda (x) (map sq (list n x))))) (f 3)")
    procedure = weakref.ref(session.eval("f"))
    del session
    gc.collect()
    assert procedure() is None


def test_strings_are_shown_as_they_were() -> None:
    session = Session(output=io.StringIO())
    run = record(session, "(let ((s (make-string 2 #\\a))) (string-set! s 0 #\\b) s)")
    pictures = Pictures(session, run)
    assert [pictures.redex(number) for number in range(len(run.steps))][-1] == '(string-set! "aa" 0 #\\b)'


def test_leaving_ends_the_run() -> None:
    assert recorded("(exit 3)").ending == "the program ends with exit status 3"
