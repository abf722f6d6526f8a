"""The programs of SICP's last chapters, `sicp/`: evaluators, one of which evaluates itself, the query system, the
register machine simulator, a compiler for it. All of them agree with the Scheme that they are written in."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

import pytest

from minischeme import Session
from minischeme.data.printer import write

FOLDER = Path(__file__).with_name("sicp")

PROGRAMS = {
    "factorial": "(begin (define (factorial n) (if (= n 0) 1 (* n (factorial (- n 1))))) (factorial 20))",
    "fib": "(begin (define (fib n) (cond ((< n 2) n) (else (+ (fib (- n 1)) (fib (- n 2)))))) (fib 8))",
    "iteration": """
        (begin (define (sum-to n) (define (loop i sum) (if (> i n) sum (loop (+ i 1) (+ sum i)))) (loop 1 0))
               (sum-to 100))""",
    "state": """
        (begin (define (make-counter) (let ((n 0)) (lambda () (set! n (+ n 1)) n)))
               (define a (make-counter)) (define b (make-counter)) (a) (a) (b) (list (a) (b)))""",
    "procedures as values": """
        (begin (define (compose f g) (lambda (x) (f (g x)))) (define (twice f) (compose f f))
               (((twice twice) (lambda (n) (+ n 1))) 0))""",
    "lists": """
        (begin (define (map f items) (cond ((null? items) '()) (else (cons (f (car items)) (map f (cdr items))))))
               (map (lambda (pair) (* (car pair) (cadr pair))) '((1 2) (3 4) (5 6))))""",
    "mutual recursion": """
        (begin (define (even? n) (if (= n 0) true (odd? (- n 1)))) (define (odd? n) (if (= n 0) false (even? (- n 1))))
               (list (even? 10) (odd? 10)))""",
    "scope": "(let ((x 1)) (let ((f (lambda (y) (+ x y))) (x 10)) (+ x (f 100))))",
}

EVALUATORS = {
    "metacircular.scm": "(evaluate '{} (make-global-environment))",
    "analyzing.scm": "(evaluate '{} (make-global-environment))",
    "lazy.scm": "(actual-value '{} (make-global-environment))",
    "amb.scm": "(first-value '{} (make-amb-environment))",
    "explicit-control.scm": "(machine-evaluate '{} (make-global-environment))",
    "compiler.scm": "(compile-and-run '{})",
}


@cache
def running(name: str) -> Session:
    """A session that has loaded one of the files."""
    session = Session(output=io.StringIO())
    session.load(FOLDER / name)
    return session


def value(name: str, text: str) -> str:
    """What a text gives when a file is loaded."""
    return write(running(name).eval(text))


def talk(name: str, expression: str, typed: str) -> str:
    """What is printed when an expression of a fresh session reads what is typed."""
    output = io.StringIO()
    session = Session(output=output, input=io.StringIO(typed))
    session.load(FOLDER / name)
    session.eval(expression)
    return output.getvalue()


@pytest.mark.parametrize("evaluator", EVALUATORS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_each_evaluator_agrees_with_the_scheme_below(evaluator: str, program: str) -> None:
    text = PROGRAMS[program]
    assert value(evaluator, EVALUATORS[evaluator].format(text)) == write(Session().eval(text))


# The evaluator in itself (SICP 4.1)

EVALUATE_FILE = """
(define (evaluate-file name environment)
  (let ((port (open-input-file name)))
    (define (evaluate-from form)
      (if (not (eof-object? form))
          (begin (evaluate form environment)
                 (evaluate-from (read port)))))
    (evaluate-from (read port))))"""


@pytest.fixture(scope="module")
def inside() -> Session:
    """The evaluator, which has evaluated its own file in the environment `outer`."""
    session = Session(output=io.StringIO())
    session.load(FOLDER / "metacircular.scm")
    session.eval(EVALUATE_FILE)
    session.eval("(define outer (make-global-environment))")
    session.eval(f'(evaluate-file "{FOLDER / "metacircular.scm"}" outer)')
    return session


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_evaluator_evaluates_itself(inside: Session, program: str) -> None:
    text = PROGRAMS[program]
    found = inside.eval(f"(evaluate '(evaluate '{text} (make-global-environment)) outer)")
    assert write(found) == write(Session().eval(text))


def test_an_error_comes_through_both_levels(inside: Session) -> None:
    (interaction,) = inside.interact("(evaluate '(evaluate '(car nowhere) (make-global-environment)) outer)")
    assert "unbound variable: nowhere" in interaction.output


def test_the_driver_loop_reads_what_is_piped_in() -> None:
    typed = "(define (square x) (* x x))\n(square\n  12)\nsquare '(a . b)\n"
    assert talk("metacircular.scm", "(driver-loop)", typed) == (
        "evaluate> square\nevaluate> 144\nevaluate> (compound-procedure (x))\nevaluate> (a . b)\nevaluate> "
    )


# Lazy evaluation (SICP 4.2)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("(begin (define (try a b) (if (= a 0) 1 b)) (try 0 (car 5)))", "1"),
        ("(begin (define n 0) (define (twice x) (+ x x)) (twice (begin (set! n (+ n 1)) 7)) n)", "1"),
        ("(begin (define n 0) (define (ignore x) n) (ignore (set! n 5)))", "0"),
    ],
)
def test_an_operand_is_evaluated_when_needed_and_once(program: str, expected: str) -> None:
    assert value("lazy.scm", f"(actual-value '{program} (make-global-environment))") == expected


def test_lazy_lists_may_be_endless() -> None:
    program = """
        (begin (define (add a b) (cons (+ (car a) (car b)) (add (cdr a) (cdr b))))
               (define ones (cons 1 ones))
               (define integers (cons 1 (add ones integers)))
               (define (item n items) (if (= n 0) (car items) (item (- n 1) (cdr items))))
               (item 17 integers))"""
    assert value("lazy.scm", f"(actual-value '{program} (make-lazy-environment))") == "18"


# Choices (SICP 4.3)

RACE = """
(define (race)
  (define (distinct? items)
    (cond ((null? items) true)
          ((memv (car items) (cdr items)) false)
          (else (distinct? (cdr items)))))
  (let ((ann (amb 1 2 3 4)) (bob (amb 1 2 3 4)) (cid (amb 1 2 3 4)) (dee (amb 1 2 3 4)))
    (require (distinct? (list ann bob cid dee)))
    (require (= (+ bob 1) cid))
    (require (< ann 4))
    (require (> dee 1))
    (require (not (= (abs (- ann dee)) 1)))
    (list (list 'ann ann) (list 'bob bob) (list 'cid cid) (list 'dee dee))))"""


def test_amb_finds_who_came_in_when() -> None:
    """Bob came in right before Cid, Ann was not the last and Dee not the first, nor was Dee next to Ann."""
    session = running("amb.scm")
    session.eval("(define racers (make-amb-environment))")
    session.eval("(define-variable! 'memv (make-primitive memv) racers)")
    session.eval("(define-variable! 'abs (make-primitive abs) racers)")
    session.eval(f"(first-value '{RACE} racers)")
    assert write(session.eval("(values-of '(race) 5 racers)")) == "(((ann 1) (bob 2) (cid 3) (dee 4)))"


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("(list (amb 1 2) (amb 'a 'b))", "((1 a) (1 b) (2 a) (2 b))"),
        ("(let ((n (an-integer-from 1))) (require (= 0 (- (* n n) (* 5 n) -6))) n)", "(2 3)"),
        ("(amb)", "()"),
        ("(let ((n 0)) (amb 1 2) (set! n (+ n 1)) n)", "(1 1)"),
        ("(let ((n 0)) (amb 1 2) (permanent-set! n (+ n 1)) n)", "(1 2)"),
    ],
)
def test_amb_goes_back_to_the_last_choice(expression: str, values: str) -> None:
    found = value("amb.scm", f"(values-of '{expression} {max(1, values.count(' ') + 1)} (make-amb-environment))")
    assert found.startswith(values.rstrip(")"))


def test_the_amb_driver_tries_again() -> None:
    typed = "(let ((n (amb 1 2 3))) (require (> n 1)) n)\ntry-again\ntry-again\ntry-again\n"
    assert talk("amb.scm", "(amb-driver-loop)", typed) == (
        "amb> 2\namb> 3\namb> no more values of (let ((n (amb 1 2 3))) (require (> n 1)) n)\n"
        "amb> there is nothing to try again\namb> "
    )


# Questions (SICP 4.4)

FAMILY = """
(forget-everything!)
(assert-all! '(son adam cain) '(son cain enoch) '(son enoch irad) '(son irad mehujael) '(wife lamech ada)
             '(son ada jabal) '(son ada jubal) '(age cain 40) '(age enoch 20)
             '(rule (grandson ?g ?s) (and (son ?g ?f) (son ?f ?s)))
             '(rule (child-of ?m ?s) (or (son ?m ?s) (and (wife ?m ?w) (son ?w ?s))))
             '(rule (same ?x ?x))
             '(rule (descendant ?a ?d) (or (son ?a ?d) (and (son ?a ?s) (descendant ?s ?d))))
             '(rule (append () ?y ?y))
             '(rule (append (?first . ?rest) ?y (?first . ?z)) (append ?rest ?y ?z)))"""


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("(son cain ?x)", "((son cain enoch))"),
        ("(son ?x adam)", "()"),
        ("(grandson ?g irad)", "((grandson cain irad))"),
        ("(child-of lamech ?s)", "((child-of lamech jabal) (child-of lamech jubal))"),
        ("(descendant enoch ?d)", "((descendant enoch irad) (descendant enoch mehujael))"),
        ("(append (1 2) (3) ?all)", "((append (1 2) (3) (1 2 3)))"),
        ("(append ?a (3) (1 2 3))", "((append (1 2) (3) (1 2 3)))"),
        ("(and (age ?who ?n) (lisp-value > ?n 30))", "((and (age cain 40) (lisp-value > 40 30)))"),
        ("(and (son ada ?x) (not (same ?x jabal)))", "((and (son ada jubal) (not (same jubal jabal))))"),
        ("(same (a ?x) (?y b))", "((same (a b) (a b)))"),
        ("(same ?x (f ?x))", "()"),
        ("(son ?who . ?more)", None),
    ],
)
def test_what_follows_from_facts_and_rules(question: str, answers: str | None) -> None:
    running("query.scm").eval(FAMILY)
    if answers is None:
        assert value("query.scm", f"(length (ask-about '{question}))") == "6"
    else:
        assert value("query.scm", f"(ask-about '{question})") == answers


def test_a_question_with_endless_answers_gives_the_first_ones() -> None:
    running("query.scm").eval("(forget-everything!)")
    running("query.scm").eval("(assert-all! '(number zero) '(rule (number (next ?n)) (number ?n)))")
    assert value("query.scm", "(stream-head (answers '(number ?n)) 3)") == (
        "((number zero) (number (next zero)) (number (next (next zero))))"
    )


def test_the_query_driver_is_told_and_asked() -> None:
    typed = "(assert! (job ben wizard)) (assert! (job alyssa hacker))\n(job ?who hacker)\n"
    assert talk("query.scm", "(query-driver-loop)", typed) == "query> query> query> (job alyssa hacker)\nquery> "


# Register machines (SICP 5)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ("(run gcd-machine '((a 206) (b 40)) 'a)", "2"),
        ("(run factorial-machine '((n 10)) 'value)", "3628800"),
        ("(run fib-machine '((n 15)) 'value)", "610"),
        ("(begin (run gcd-machine '((a 5) (b 0)) 'a) (gcd-machine 'executed))", "2"),
        ("(begin (run factorial-machine '((n 10)) 'value) ((factorial-machine 'stack) 'statistics))",
         "(total-pushes 20 maximum-depth 20)"),
    ],
)  # fmt: skip
def test_machines_compute(run: str, expected: str) -> None:
    assert value("machines.scm", run) == expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("((goto (label nowhere)))", "there is no label nowhere"),
        ("(here here)", "a label stands twice: here"),
        ("((assign a (op +) (reg b)))", "the machine has no operation +"),
        ("((jump a))", "unknown instruction: (jump a)"),
    ],
)
def test_the_assembler_complains_of(text: str, complaint: str) -> None:
    (interaction,) = running("register-machine.scm").interact(f"(make-machine '() '{text})")
    assert complaint in interaction.output


FACTORIAL = "(define (factorial n) (if (= n 1) 1 (* (factorial (- n 1)) n)))"


def test_the_evaluators_stack_follows_the_books_formulas() -> None:
    """A recursive factorial takes 32n - 16 pushes and depth 5n + 3 when it is interpreted (exercise 5.27)."""
    session = running("explicit-control.scm")
    session.eval("(define global (make-global-environment))")
    session.eval(f"(machine-evaluate '{FACTORIAL} global)")
    for n in (2, 5, 9):
        session.eval(f"(machine-evaluate '(factorial {n}) global)")
        assert write(session.eval("(machine-statistics)")) == f"(total-pushes {32 * n - 16} maximum-depth {5 * n + 3})"


def test_tail_calls_need_no_stack_on_the_machine() -> None:
    session = running("explicit-control.scm")
    session.eval("(define global (make-global-environment))")
    session.eval("(machine-evaluate '(define (count-down n) (if (= n 0) 'done (count-down (- n 1)))) global)")
    depths = set()
    for n in (10, 300):
        assert write(session.eval(f"(machine-evaluate '(count-down {n}) global)")) == "done"
        depths.add(write(session.eval("(cadddr (machine-statistics))")))
    assert len(depths) == 1


def test_compiled_code_uses_the_stack_less() -> None:
    session = running("compiler.scm")
    session.eval(f"(define machine (compile-to-machine '(begin {FACTORIAL} (factorial 9))))")
    assert write(session.eval("(run machine (list (list 'environment (make-global-environment))) 'value)")) == "362880"
    pushes = session.eval("(cadr ((machine 'stack) 'statistics))")
    assert 0 < pushes < (32 * 9 - 16) / 3


@pytest.mark.parametrize(
    ("expression", "saved"),
    [
        ("(f)", "()"),
        ("(f 1 x)", "()"),
        ("(f (g))", "((save procedure))"),
        ("(f (g) x)", "((save procedure) (save arguments))"),
        ("(f (g x) y)", "((save procedure) (save arguments))"),
        ("(f x (g x))", "((save procedure) (save environment))"),
    ],
)
def test_only_what_is_needed_is_saved(expression: str, saved: str) -> None:
    instructions = f"(filter pair? (statements (compile '{expression} 'value 'next)))"
    assert value("compiler.scm", f"(filter (lambda (one) (eq? (car one) 'save)) {instructions})") == saved
