"""Profiles: counts that are known exactly, times that add up, and programs that run as they do without."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from sessions import error_in
from transcript_runs import outcomes

from minischeme import Session
from minischeme.compiler.assembly import Unit
from minischeme.data.printer import write
from minischeme.profiling.profile import Profile
from minischeme.profiling.report import coverage, lcov, table
from minischeme.transcripts.outcomes import Verdict

FIB = "(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))"
SICP = Path(__file__).parent.parent / "programs" / "sicp"


def profiled(definitions: str, text: str, *, is_defined_before: bool, timed: bool = True) -> tuple[Profile, str]:
    """The profile of an expression and its value, with procedures that were defined before or meanwhile."""
    session = Session(seed=1, output=io.StringIO())
    profile = Profile(timed=timed)
    if is_defined_before:
        session.eval(definitions)
        with profile.recording(session.main):
            value = session.eval(text)
    else:
        with profile.recording():
            session.eval(definitions)
            value = session.eval(text)
    return profile, write(value)


def calls(profile: Profile) -> dict[str, int]:
    named: dict[str, int] = {}
    for count in profile.procedures.values():
        if count.times:
            named[count.name] = named.get(count.name, 0) + count.times
    return named


def own_times(profile: Profile) -> int:
    return profile.outside.own + sum(count.own for count in profile.procedures.values())


PROGRAMS = [
    (FIB, "(fib 15)", {"fib": 1973}),
    ("(define (f n acc) (if (= n 0) acc (f (- n 1) (* 2 acc))))", "(f 10 1)", {"f": 11}),
    ("(define (f n) (let loop ((i 0)) (if (= i n) i (loop (+ i 1)))))", "(+ (f 3) (f 4))", {"f": 2, "loop": 9}),
    ("(define (f n) (do ((i 0 (+ i 1))) ((= i n) i) (g i))) (define (g i) i)", "(f 7)", {"f": 1, "g": 7}),
    ("(define (f n) (define (g x) (* x x)) (define (h x) (+ 1 (g x))) (h (g n)))", "(f 3)", {"f": 1, "g": 2, "h": 1}),
    ("(define (sq x) (* x x))", "(map sq '(1 2 3))", {"sq": 3}),
    ("(define (sq x) (* x x))", "(every (lambda (w) (sq w)) '(1 2 3))", {"sq": 3, "lambda": 3}),
    ("(define (even n) (if (= n 0) #t (odd (- n 1)))) (define (odd n) (if (= n 0) #f (even (- n 1))))", "(even 10)",
     {"even": 6, "odd": 5}),
    ("(define (f n) (call/cc (lambda (k) (for-each (lambda (i) (if (= i n) (k i))) '(1 2 3 4)) 'no)))", "(f 3)",
     {"f": 1, "lambda": 4}),
    ("(define k #f) (define n 0) (define (h x) (+ 1 (call/cc (lambda (c) (set! k c) x))))"
     "(define (g) (let ((v (h 1))) (set! n (+ n 1)) (if (< n 4) (k n) v)))", "(g)", {"g": 1, "h": 1, "lambda": 1}),
    ("(define (fail) (car '())) (define (f) (guard (e (#t 'caught)) (fail)))", "(list (f) (f))", {"f": 2, "fail": 2}),
    ("(define (f #!optional x) (if (default-object? x) 0 x)) (define (g . l) (apply + l))", "(list (f) (f 1) (g 1 2))",
     {"f": 2, "g": 1}),
    ("(define (twice f) (lambda (x) (f (f x)))) (define (inc x) (+ x 1))", "(((twice twice) inc) 0)",
     {"twice": 3, "lambda": 4, "inc": 4}),
    ("(define (ints n) (cons-stream n (ints (+ n 1))))", "(stream-ref (ints 0) 5)", {"ints": 6}),
    ("(define-class (counter n) (method (next) (set! n (+ n 1)) n))", "(ask (instantiate counter 4) 'next)",
     {"counter": 1, "next": 1}),
]  # fmt: skip


@pytest.mark.parametrize("is_defined_before", [True, False])
@pytest.mark.parametrize(("definitions", "text", "expected"), PROGRAMS)
def test_calls(definitions: str, text: str, expected: dict[str, int], is_defined_before: bool) -> None:
    profile, value = profiled(definitions, text, is_defined_before=is_defined_before)
    counted = calls(profile)
    assert {name: counted.get(name, 0) for name in expected if name != "lambda"} == {
        name: count for name, count in expected.items() if name != "lambda"
    }
    assert counted.get("lambda", 0) == expected.get("lambda", 0)
    assert counted.keys() == expected.keys()
    plain = Session(seed=1)
    plain.eval(definitions)
    assert value == write(plain.eval(text))
    assert all(count.own >= 0 for count in profile.procedures.values())
    assert all(count.active == 0 for count in profile.procedures.values())
    shown = table(profile).splitlines()
    total = next(line for line in shown if line.endswith("in all"))
    assert float(total.split()[0]) == pytest.approx(own_times(profile) / 1e6, abs=0.001)


@pytest.mark.parametrize(("definitions", "text", "expected"), PROGRAMS)
def test_counts_without_times(definitions: str, text: str, expected: dict[str, int]) -> None:
    profile, _ = profiled(definitions, text, is_defined_before=False, timed=False)
    assert calls(profile) == expected
    assert all(count.own == 0 for count in profile.procedures.values())


def test_closures_and_objects_made_before_count_too() -> None:
    session = Session()
    session.eval("""
        (define (make-adder n) (lambda (x) (+ n x)))
        (define adders (list (make-adder 1) (make-adder 2)))
        (define-class (counter) (instance-vars (n 0)) (method (next) (set! n (+ n 1)) n))
        (define c (instantiate counter))
        (ask c 'next)
    """)
    profile = Profile(timed=True)
    with profile.recording(session.main):
        value = session.eval("(list ((car adders) 1) ((cadr adders) 1) ((cadr adders) 2) (ask c 'next))")
    assert write(value) == "(2 3 4 2)"
    assert calls(profile) == {"lambda": 3, "next": 1}
    assert write(session.eval("(list ((car adders) 1) (ask c 'next))")) == "(2 3)"
    assert calls(profile) == {"lambda": 3, "next": 1}


def test_afterwards_nothing_is_counted_and_the_code_is_as_before() -> None:
    session = Session()
    session.eval(FIB)
    before = session.eval("(fib 5) fib").__code__.co_code
    profile = Profile(timed=True)
    with profile.recording(session.main):
        session.eval("(define (new x) (fib x)) (new 5)")
    counted = dict(calls(profile))
    session.eval("(fib 10) (new 3)")
    assert calls(profile) == counted
    assert session.eval("fib").__code__.co_code == before
    assert "profile" not in session.main.unit(session.eval("new").__code__.co_consts[-1].unit.root).python_text()


def test_a_redefinition_meanwhile_is_kept() -> None:
    session = Session()
    session.eval("(define (f x) x) (define (g x) (f x))")
    profile = Profile(timed=True)
    with profile.recording(session.main):
        session.eval("(g 1) (define (f x) (* 10 x)) (g 1)")
    assert write(session.eval("(list (g 1) (f 2))")) == "(10 20)"
    assert calls(profile) == {"f": 2, "g": 2}


def test_an_error_ends_the_profile_and_is_told_as_without() -> None:
    session = Session()
    session.eval("(define (f x) (* 2 (car x)))")
    plain = error_in(session, "(f 5)")
    profile = Profile(timed=True)
    with profile.recording(session.main):
        error = error_in(session, "(f 5)")
    assert (str(error), str(error.span)) == (str(plain), str(plain.span))
    assert [each.name for each in error.activations] == ["f"]
    variables = error.activations[0].variables
    assert variables is not None
    assert variables() == {"x": 5}
    assert write(session.eval("(f '(4))")) == "8"


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A clock that advances by one at each look."""
    clock = itertools.count(1000)
    monkeypatch.setattr("minischeme.profiling.profile.perf_counter_ns", lambda: next(clock))
    return clock


def test_time_goes_to_the_procedure_that_spends_it(ticks: Iterator[int]) -> None:
    definitions = """
        (define (work n) (if (= n 0) 0 (+ 1 (work (- n 1)))))
        (define (caller) (+ 0 (work 2000)))
        (define (tail-caller) (work 2000))
        (define (main) (+ (caller) (tail-caller)))
    """
    profile, _ = profiled(definitions, "(main)", is_defined_before=True)
    counts = {count.name: count for count in profile.procedures.values()}
    assert counts["work"].times == 4002
    assert counts["work"].own > 8000
    assert all(counts[name].own < 10 for name in ("caller", "tail-caller", "main"))
    assert 4000 < counts["caller"].whole < 4020
    assert counts["tail-caller"].whole < 10  # its call is in tail position, and counts for main
    assert counts["main"].whole > 8000


def test_compiling_counts_for_no_procedure(ticks: Iterator[int], monkeypatch: pytest.MonkeyPatch) -> None:
    recompile = Unit.recompile

    def recompile_slowly(unit: Unit) -> object:
        assert len(list(itertools.islice(ticks, 5000))) == 5000
        return recompile(unit)

    monkeypatch.setattr(Unit, "recompile", recompile_slowly)
    definitions = "(define (work x) (+ x 1)) (define (main) (+ 0 (accumulate + (every work '(1 2)))))"
    profile, _ = profiled(definitions, "(main)", is_defined_before=True)
    counts = {count.name: count for count in profile.procedures.values()}
    assert profile.outside.own > 5000
    assert counts["main"].whole == counts["main"].own + counts["work"].own < 100


def test_own_times_add_up_to_the_time_of_all(ticks: Iterator[int]) -> None:
    profile, _ = profiled(FIB, "(fib 10)", is_defined_before=True)
    assert own_times(profile) == next(ticks) - 1 - 1000
    (fib,) = profile.procedures.values()
    assert fib.own == fib.whole
    assert 2 * 177 - 1 <= fib.own <= 2 * 177 + 1  # each call is entered and left once


def test_the_work_of_a_loop_is_its_own(ticks: Iterator[int]) -> None:
    profile, _ = profiled("(define (f n) (if (= n 0) 0 (f (- n 1))))", "(f 1000)", is_defined_before=True)
    (f,) = profile.procedures.values()
    assert f.own > 1000
    assert f.whole >= f.own
    assert profile.outside.own < 20


def test_a_long_loop_needs_no_more_memory_than_a_short_one() -> None:
    profile, value = profiled(
        "(define (down n) (if (= n 0) 'done (up (- n 1)))) (define (up n) (down n))", "(down 100000)",
        is_defined_before=True,
    )  # fmt: skip
    assert value == "done"
    assert calls(profile) == {"down": 100001, "up": 100000}


@pytest.mark.slow
@pytest.mark.parametrize("timed", [True, False])
@pytest.mark.parametrize("path", sorted(SICP.glob("*.txt")), ids=lambda path: path.stem)
def test_the_books_programs_run_as_without(path: Path, timed: bool) -> None:
    with Profile(timed=timed).recording():
        found = outcomes(path.read_text(encoding="utf-8"), path.name, path=path)
    assert [f"{one.name}:{one.line}" for one in found if one.verdict is not Verdict.SAME] == []


# ── lines ────────────────────────────────────────────────────────────────────────────────────────────────────────────

PROGRAM = """\
(define (fib n)
  (if (< n 2)
      n
      (+ (fib (- n 1))
         (fib (- n 2)))))

(define (sum-to n)
  (define (loop i total)
    (cond ((> i n) total)
          ((< n 0)
           'negative)
          (else
           (loop (+ i 1)
                 (+ total i)))))
  (loop 0 0))

(define (unused x)
  (display x)
  (newline))
(define (square x) (* x x))
(define limit
  12)
(fib limit)
(do ((i 0 (+ i 1)))
    ((= i 5))
  (square i))
(sum-to 10)
"""
COUNTS = {
    **{1: 1, 2: 465, 3: 233, 4: 232, 5: 232},
    **{7: 1, 8: 1, 9: 12, 10: 11, 11: 0, 13: 11, 14: 11, 15: 1},
    **{17: 1, 18: 0, 19: 0, 20: 5, 21: 1, 22: 1, 23: 1, 24: 1, 25: 6, 26: 5, 27: 1},
}


@pytest.mark.parametrize("timed", [True, False])
def test_lines(timed: bool) -> None:
    profile = Profile(timed=timed)
    with profile.recording():
        Session().eval(PROGRAM, "p.scm")
    assert {count.line: count.times for count in profile.lines.values()} == COUNTS
    report = coverage(profile, listed=True).splitlines()
    assert report[0] == "p.scm: 21 of 24 lines ran, 87 %; never: 11, 18–19"
    assert report[2] == "      465 │   (if (< n 2)"
    assert report[11] == "    never │            'negative)"
    assert report[12] == "          │           (else"


def test_the_first_form_of_a_line_stands_for_it() -> None:
    profile = Profile(timed=False)
    with profile.recording():
        for _ in range(2):  # loaded again, it counts on
            Session().eval("(define (f x) (* x x)) (f 1) (f 2)\n(f 3) (f 4)", "p.scm")
    assert coverage(profile, listed=True).splitlines()[1:] == [
        "        8 │ (define (f x) (* x x)) (f 1) (f 2)",
        "        2 │ (f 3) (f 4)",
    ]


def test_lcov() -> None:
    profile = Profile(timed=False)
    with profile.recording():
        Session().eval("(define (f x)\n  (* x x))\n(define (g x)\n  x)\n(f (f 2))\n", "/p/q.scm")
    assert lcov(profile).splitlines() == [
        *("TN:", "SF:/p/q.scm", "FN:1,f", "FNDA:2,f", "FN:3,g", "FNDA:0,g", "FNF:2", "FNH:1"),
        *("DA:1,1", "DA:2,2", "DA:3,1", "DA:4,0", "DA:5,1", "LF:5", "LH:4", "end_of_record"),
    ]


# ── the table ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_table_says_what_counts() -> None:
    profile, _ = profiled(FIB, "(fib 15)", is_defined_before=True)
    text = table(profile)
    assert text.splitlines()[0].split() == ["calls", "own", "below", "procedure"]
    assert text.splitlines()[1].split()[0] == "1,973"
    assert "Calls in tail position count for the caller's caller." in text
    assert max(map(len, table(profile, 40).splitlines()[:3])) <= 40
