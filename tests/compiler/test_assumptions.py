"""Direct calls and plain tail calls of the program's own procedures, and their invalidation: nobody may notice them,
whatever is defined anew, and whenever."""

from __future__ import annotations

import dis
import random
from pathlib import Path
from types import CodeType

import pytest
from sessions import depth, value

from minischeme import Session
from minischeme.compiler.assembly import Unit, info_of
from minischeme.compiler.assumptions import STANDARD, GlobalFacts
from minischeme.data.errors import SchemeError, report
from minischeme.data.values import Value
from minischeme.runtime.tail_calls import TailCall

FIB = "(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))"


def checks(session: Session, name: str) -> bool:
    """Whether a procedure's code looks whether what it has called left a tail call pending."""
    procedure = session.globals[name]
    info = info_of(procedure.__code__)
    assert info is not None
    if info.unit.stubbed:
        info.unit.recompile()
    code = procedure.__code__
    return "run" in code.co_names and any(type(constant) is TailCall for constant in code.co_consts)


# ── what is relied on ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "program",
    [
        FIB,
        "(define (g x) (* x 2)) (define (fib n) (+ 1 (g n)))",
        "(define (fib n) (+ 1 (g n))) (define (g x) (* x 2))",
        "(define (g x) (if (= x 0) 1 (g (- x 1)))) (define (fib n) (+ 1 (g n)))",
        "(define (h x) x) (define (g x) (h (+ x 1))) (define (fib n) (+ 1 (g n)))",
        "(define (g x) (reverse x)) (define (fib n) (length (g n)))",
    ],
)
def test_a_call_of_what_returns_directly_is_not_checked(program: str) -> None:
    session = Session()
    session.eval(program)
    assert not checks(session, "fib")


@pytest.mark.parametrize(
    "program",
    [
        "(define (g x) (x)) (define (f n) (+ 1 (g n)))",
        "(define (g x) (apply x '())) (define (f n) (+ 1 (g n)))",
        "(define g (lambda (x) x)) (set! g car) (define (f n) (+ 1 (g n)))",
        "(define (g x) x) (define (h) (set! g car)) (define (f n) (+ 1 (g n)))",
        "(define (g x) x) (define (f n) (+ 1 (g n))) (define (h) (set! g car))",
        "(define (g x) x) (define (f n) (eval 'x (the-environment)) (+ 1 (g n)))",
    ],
)
def test_a_call_of_what_may_leave_a_tail_call_pending_is_checked(program: str) -> None:
    session = Session()
    session.eval(program)
    assert checks(session, "f")


DIRECT_CALL = "(define (g x) x) (define (f n) (+ 1 (g n)))"


@pytest.mark.parametrize(
    "later",
    [
        "(define (change form) (eval form user-initial-environment))",
        "(define evaluate eval)",
        '(define (again) (load "other.scm"))',
        "(define (change value) (environment-assign! user-initial-environment 'g value))",
        "(map eval '(1 2))",
    ],
)
def test_every_call_is_checked_once_procedures_may_be_bound_while_others_run(later: str) -> None:
    session = Session()
    session.eval(f"{DIRECT_CALL} {later}")
    session.eval("(define (h n) (+ 1 (g n)))")
    assert checks(session, "f")
    assert checks(session, "h")
    assert value(session, "(list (f 1) (h 2))") == "(2 3)"


@pytest.mark.parametrize(
    "later",
    [
        "(eval '(define (other) 1) user-initial-environment)",
        "(define (eval x) x) (define (evaluate x) (eval x))",
        "(define value (eval '(+ 1 2) user-initial-environment))",
    ],
)
def test_what_is_evaluated_at_top_level_leaves_direct_calls(later: str) -> None:
    session = Session()
    session.eval(f"{DIRECT_CALL} {later}")
    assert not checks(session, "f")


def test_a_procedure_of_the_host_may_define_anything() -> None:
    session = Session()
    session.eval(PROGRAM)

    def change() -> Value:
        return session.eval("(define (g x) (apply twice-of (list x)))")

    session.define("change", change)
    session.eval("(define (main x) (change) (list (+ 1 (g x)) (f x)))")
    assert value(session, "(main 5)") == "(11 11)"


def test_tracing_leaves_it_as_it_is() -> None:
    session = Session()
    session.eval(FIB)
    session.eval("(trace fib) (fib 3)")
    session.eval("(define (f n) (+ 1 (fib n))) (f 3) (untrace fib)")
    assert not checks(session, "fib")
    assert not checks(session, "f")
    assert value(session, "(fib 10)") == "55"


def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """The names of the procedures of units that are compiled from now on."""
    names: list[str | None] = []
    compile_ = Unit.compile

    def noted(unit: Unit) -> CodeType:
        names.append(unit.summary.defines)
        return compile_(unit)

    monkeypatch.setattr(Unit, "compile", noted)
    return names


def test_a_procedure_is_the_same_before_and_after_its_first_call() -> None:
    """Whoever holds it: a host, a library's importer, a continuation."""
    session = Session()
    session.eval("(define (f x) (if (> x 5) x (f (+ x 1)))) (define (h x) (list x h)) (define k #f)")
    held = session.globals["f"]
    session.define("g", held)
    assert held(1) == held(2) == 6
    assert value(session, "(list (eq? f g) (g 3))") == "(#t 6)"
    assert session.globals["f"] is held
    session.eval("(define first (h (call/cc (lambda (c) (set! k c) 1)))) (if (= (car first) 1) (k 2))")
    assert value(session, "(list (car first) (eq? (cadr first) h))") == "(2 #t)"


def test_a_procedure_that_waiting_calls_hold_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The operator is evaluated before the operands, in which the recursion goes on."""
    session = Session()
    session.eval("(define (f . x) (+ (car x) 1)) (define (count n) (if (= n 0) 0 (f (count (- n 1)))))")
    names = compiled(monkeypatch)
    assert session.eval("(count 50)") == 50
    assert names == [None, "count", "f"]


def test_a_procedure_that_is_not_called_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    names = compiled(monkeypatch)
    session = Session()
    session.eval("(define (f x) (+ (g x) 1)) (define (g x) (if (> x 100) (h x) x)) (define (h x) x) (f 1) (f 2)")
    assert names == [None, "f", "g", None]
    session.eval("(define kept (list g h))")
    assert names[4:] == [None]
    assert session.eval("(eq? g (car kept))") is session.eval("(and (h 1) (eq? h (cadr kept)))")


@pytest.mark.parametrize("definition", [FIB, "(define (fib n) (if (< n 1) 0 (fib (- n 1))))"])
def test_calls_of_a_procedure_that_was_compiled_lazily_are_specialized(definition: str) -> None:
    session = Session()
    session.eval(f"{definition} (define (main) (+ 1 (fib 9)))")
    for _ in range(30):
        session.eval("(main)")
    found = dis.get_instructions(session.globals["main"].__code__, adaptive=True)
    assert "CALL_PY_EXACT_ARGS" in {instruction.opname for instruction in found}


def test_a_procedure_that_is_held_elsewhere_is_not_made_anew() -> None:
    session = Session()
    session.eval("(define (f x) (if (> x 0) (f (- x 1)) x)) (define kept (list f)) (define (g) 1)")
    held = session.globals["g"]
    session.eval("(f 3) (g)")
    assert value(session, "(eq? f (car kept))") == "#t"
    assert session.globals["g"] is held


# ── definitions anew ─────────────────────────────────────────────────────────────────────────────────────────────────

LATER = {
    "another that returns directly": ("(define (g x) (* x 10))", "51"),
    "one that does not": ("(define (g x) (apply twice (list (lambda () x))))", "11"),
    "another procedure": ("(define g twice-of)", "11"),
    "an assignment": ("(set! g twice-of)", "11"),
    "an assignment later": ("(define (change) (set! g twice-of)) (change)", "11"),
    "a closure": ("(define g (let ((k 2)) (lambda (x) (apply twice (list (lambda () x))))))", "11"),
    "by eval": ("(eval '(define (g x) (apply twice (list (lambda () x)))) (the-environment))", "11"),
    "what it calls": ("(define (inner x) (apply twice (list (lambda () x))))", "11"),
    "what that calls": ("(define (innermost x) (apply twice (list (lambda () x))))", "11"),
    "by apply": ("(define (g x) (apply twice-of (list x)))", "11"),
}
PROGRAM = """
(define (twice thunk) (+ (thunk) (thunk)))
(define (twice-of x) (apply twice (list (lambda () x))))
(define (innermost x) (+ x x))
(define (inner x) (innermost x))
(define (g x) (inner x))
(define (f x) (+ 1 (g x)))
"""


@pytest.mark.parametrize("later", LATER)
def test_what_is_defined_anew(later: str) -> None:
    change, expected = LATER[later]
    session = Session()
    session.eval(PROGRAM)
    assert value(session, "(f 5)") == "11"
    session.eval(change)
    assert value(session, "(f 5)") == expected
    session.eval("(define (inner x) (* x x)) (define (g x) (inner x))")
    assert value(session, "(f 5)") == "26"


@pytest.mark.parametrize("later", LATER)
def test_what_is_defined_anew_under_a_call_that_waits(later: str, tmp_path: Path) -> None:
    """The frame of `main` runs code that has relied on the procedure before."""
    change, expected = LATER[later]
    (tmp_path / "change.scm").write_text(change)
    session = Session()
    session.eval(PROGRAM)
    session.eval(f'(define (reload) (load "{tmp_path / "change.scm"}"))')
    session.eval("(define (main x) (reload) (list (+ 1 (g x)) (f x)))")
    session.eval("(define (outer x) (list (main x) (+ 1 (g x))))")
    assert value(session, "(outer 5)") == f"(({expected} {expected}) {expected})"


def test_what_is_bound_from_outside() -> None:
    session = Session()
    session.eval(PROGRAM)
    session.define("g", session.globals["twice-of"])
    assert value(session, "(f 5)") == "11"


def test_a_library_procedure_that_is_defined_anew() -> None:
    session = Session()
    session.eval("(define (square x) (* x x x)) (define (f x) (+ 1 (square x)))")
    assert not checks(session, "f")
    session.eval("(define (square x) (apply * (list x x)))")
    assert value(session, "(f 3)") == "10"


def test_a_library_procedure_that_a_tail_call_names_is_defined_anew() -> None:
    """What calls it no longer returns directly, which concerns its callers."""
    session = Session()
    session.eval("(define (f x) (square x)) (define (h x) (+ 1 (f x)))")
    assert value(session, "(h 2)") == "5"
    session.eval("(define (square x) (apply * (list x x)))")
    assert value(session, "(h 3)") == "10"


def test_a_loop_goes_on_with_what_it_was_defined_anew_as() -> None:
    session = Session()
    session.eval("(define (other n) (list n 'other))")
    session.eval("(define (change) (eval '(define (count n) (apply other (list n))) user-initial-environment))")
    session.eval("(define (count n) (cond ((= n 5) (change) (count 4)) ((= n 0) 'done) (else (count (- n 1)))))")
    session.eval("(define (f) (list (count 8)))")
    assert value(session, "(f)") == "((4 other))"


def test_a_closure_that_older_code_has_made_is_compiled_again_too() -> None:
    session = Session()
    session.eval("(define (g x) (+ x x)) (define kept #f)")
    session.eval("(define (change) (eval '(define (square x) 'mine) user-initial-environment))")
    session.eval("(define (main) (change) (set! kept (lambda (x) (list (g x) (square x)))) 'done)")
    session.eval("(main)")
    session.eval("(define (g x) (apply * (list x x)))")
    assert value(session, "(kept 5)") == "(25 mine)"


@pytest.mark.parametrize("done", range(4))
def test_what_an_interrupt_leaves_undone_is_done_later(done: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the four forms that have to be compiled, some are."""
    change = "(define (innermost x) (apply twice (list (lambda () x))))"
    session = Session()
    session.eval(PROGRAM)
    left = done
    compile_ = Unit.compile

    def interrupted(unit: Unit) -> CodeType:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        return compile_(unit)

    with monkeypatch.context() as context:
        context.setattr(Unit, "compile", interrupted)
        with pytest.raises(KeyboardInterrupt):
            session.eval(f"{change} (f 5)")
    assert value(session, "(f 5)") == "11"
    session.eval(change)
    assert value(session, "(f 5)") == "11"


def compiled_again(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """The names of the procedures of units that are compiled again from now on."""
    names: list[str | None] = []
    recompile = Unit.recompile

    def noted(unit: Unit) -> dict[str, CodeType]:
        if unit.layout is not None:
            names.append(unit.summary.defines)
        return recompile(unit)

    monkeypatch.setattr(Unit, "recompile", noted)
    return names


@pytest.mark.parametrize("change", ["(define (first l) (list l))", "(set! first list)", "(define first list)"])
def test_only_what_is_called_again_is_compiled_again(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session()
    session.eval("".join(f"(define (p{index} l) (first l))" for index in range(20)))
    session.eval("(define (closure) (lambda (l) (first l))) (define kept (closure)) (define other (closure))")
    session.eval("(list (p3 '((1))) (p4 '((1))))")
    names = compiled_again(monkeypatch)
    session.eval(change)
    assert names == []
    assert value(session, "(list (p3 '(1)) (p3 '(2)) (kept '(3)) (other '(4)))") == "(((1)) ((2)) ((3)) ((4)))"
    assert names == ["p3", "closure"]
    session.eval("(define (first l) l)")
    assert value(session, "(list (p3 '(1)) (p4 '(2)))") == "((1) (2))"
    assert set(names) == {"p3", "closure", "p4"}


def test_defining_names_again_and_again_compiles_nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    program = (
        "(define (helper x) (if (= x 0) 'done (other (- x 1)))) (define (other x) (helper x)) (define (f) (helper 3))"
    )
    session = Session()
    names = compiled_again(monkeypatch)
    for _ in range(40):
        assert value(session, f"{program} (f)") == "done"
    assert names == []


def test_an_entry_stub_is_as_the_procedure() -> None:
    """Also to those who look at it before it is called, and where the call fails."""
    session = Session()
    session.eval("(define (f l #!optional more) (first l)) (define (g a . rest) (list (first a) rest))")
    session.eval("(define (make n) (lambda (l) (+ n (first l)))) (define made (make 1))")
    session.eval("(define (first l) (car (cdr l)))")
    with pytest.raises(SchemeError) as caught:
        session.eval("(g)")
    assert "(g)" in report(caught.value)
    assert value(session, "(list (f '(1 2)) (g '(1 2) 3 4) (made '(5 6)))") == "(2 (2 (3 4)) 7)"
    session.eval("(define (second-of l) (list (second l)))")
    session.eval("(define (second l) (car l))")
    with pytest.raises(SchemeError) as caught:
        session.eval("(second-of 5)")
    first = report(caught.value)
    with pytest.raises(SchemeError) as caught:
        session.eval("(second-of 5)")
    assert report(caught.value) == first
    assert "second-of" in first


# ── tail calls stay proper ───────────────────────────────────────────────────────────────────────────────────────────

CYCLES = {
    "downwards": "(define (a n) (if (= n 0) (depth) (b n))) (define (b n) (c n)) (define (c n) (a (- n 1)))",
    "upwards": "(define (c n) (if (= n 0) (depth) (a (- n 1)))) (define (b n) (c n)) (define (a n) (b n))",
    "through inner procedures": """(define (a n) (define (inner m) (if (= m 0) (depth) (b (- m 1)))) (list) (inner n))
        (define (b n) (let ((k n)) (define (again) (a k)) (again)))""",
    "closed later": """(define (b n) 'first) (define (a n) (if (= n 0) (depth) (b n))) (a 0)
        (define (c n) (a (- n 1))) (define (b n) (c n))""",
    "by another name": "(define (b n) n) (define (a n) (if (= n 0) (depth) (b (- n 1)))) (define b a)",
    "by assignment": "(define (b n) n) (define (a n) (if (= n 0) (depth) (b (- n 1)))) (set! b a)",
    "as an argument": "(define (b f n) (f n)) (define (a n) (if (= n 0) (depth) (b a (- n 1))))",
    "by apply": "(define (b n) (apply a (list (- n 1)))) (define (a n) (if (= n 0) (depth) (b n)))",
    "of a closure": """(define (b n) n) (define a (let ((k 1)) (lambda (n) (if (= n 0) (depth) (b n)))))
        (define (b n) (a (- n 1)))""",
    "of itself with fewer": """(define (a n . rest)
        (cond ((= n 0) (depth)) ((null? rest) (a (- n 1) 5)) (else (a (- n 1)))))""",
}


@pytest.mark.parametrize("cycle", CYCLES)
def test_tail_calls_in_a_circle_need_no_stack(cycle: str) -> None:
    session = Session()
    session.define("depth", depth)
    session.eval(CYCLES[cycle])
    assert abs(session.eval("(a 100)") - session.eval("(a 5)")) < 5


# ── at random ────────────────────────────────────────────────────────────────────────────────────────────────────────


class Definitions:
    """Random definitions of five procedures of a count that goes down, which call each other in every way."""

    NAMES = ("a", "b", "c", "d", "e")

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def _call(self, argument: str) -> str:
        name = self._random.choice(self.NAMES)
        return self._random.choice([f"({name} {argument})"] * 4 + [f"(apply {name} (list {argument}))"])

    def _value(self, depth: int) -> str:
        kinds = ["call", "call", "plus", "call of a call", "change", "constant", "let"]
        kind = self._random.choice(kinds) if depth else "constant"
        if kind == "call":
            return self._call("(- n 1)")
        if kind == "plus":
            return f"(+ 1 {self._value(depth - 1)})"
        if kind == "call of a call":
            return f"(begin {self._value(depth - 1)} {self._value(depth - 1)})"
        if kind == "change":
            return f"(begin (change '{self.definition(depth - 1)}) {self._value(depth - 1)})"
        if kind == "let":
            return f"(let ((v {self._value(depth - 1)})) (if (even? v) v {self._call('(- n 2)')}))"
        return str(self._random.randrange(10))

    def definition(self, depth: int = 3) -> str:
        name, value = self._random.choice(self.NAMES), self._value(depth)
        body = f"(if (< n 1) 1 {value})"
        usual = f"(define ({name} n) {body})"
        others = [
            f"(define {name} (lambda (n) {body}))",
            f"(set! {name} (lambda (n) {body}))",
            f"(define {name} {self._random.choice(self.NAMES)})",
        ]
        return self._random.choice([usual] * 4 + others)

    def program(self) -> list[str]:
        forms = [f"(define ({name} n) (if (< n 1) 1 {self._value(2)}))" for name in self.NAMES]
        for _ in range(8):
            forms += [self.definition(), f"({self._random.choice(self.NAMES)} 4)"]
        return forms


CHANGE = """
(define left 0)
(define (change form)
  (if (> left 0)
      (begin (set! left (- left 1)) (eval form user-initial-environment))))
"""
"""Defines something anew while a program runs, but not too often."""


def results(forms: list[str]) -> list[str]:
    session = Session()
    session.eval(CHANGE)
    return [value(session, f"(set! left 20) {form}") for form in forms]


grant = GlobalFacts.grant


def only_standard(facts: GlobalFacts, kind: str, name: str, own: str | None) -> bool:
    return kind == STANDARD and grant(facts, kind, name, own)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 120, 40))
def test_random_definitions_give_the_same_as_without_assumptions(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(first, first + 40):
        forms = Definitions(seed).program()
        found = results(forms)
        with monkeypatch.context() as context:
            context.setattr(GlobalFacts, "grant", only_standard)
            assert found == results(forms), (seed, forms)
