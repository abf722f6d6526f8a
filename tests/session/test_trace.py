"""`trace` and `untrace`, point by point as in DIALECT.md section 2, and what goes beyond the original."""

from __future__ import annotations

import io
import re
import signal
import time
from pathlib import Path

import pytest

from minischeme import Session
from minischeme.data.cpython import last_constant
from minischeme.data.errors import SchemeError
from minischeme.data.printer import write
from minischeme.data.values import untraced

FACT = "(define (fact n) (if (= n 0) 1 (* n (fact (- n 1)))))"
ITER = "(define (iter i acc) (if (= i 0) acc (iter (- i 1) (+ acc i))))"
TOTAL = """
(define (best-total hand)
  (define (value card) (if (number? (bl card)) (bl card) 10))
  (accumulate + (every value hand)))
"""


class Console:
    """A session whose output can be looked at."""

    def __init__(self, *definitions: str, **options: object) -> None:
        self.stream = io.StringIO()
        self.session = Session(output=self.stream, **options)  # type: ignore[arg-type]
        for text in definitions:
            self.session.eval(text)

    def typed(self, text: str) -> list[str]:
        """The lines that the prompt shows for a text."""
        self.stream.seek(0)
        self.stream.truncate()
        self.session.prompt.evaluate_and_print(text)
        return self.stream.getvalue().splitlines()


def lines(text: str) -> list[str]:
    return text.strip("\n").splitlines()


# ── the eight points ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_calls_and_values_are_shown() -> None:
    console = Console(FACT)
    assert console.typed("(trace fact)") == ["okay"]
    assert console.typed("(fact 2)") == lines(
        """
.. -> fact with n = 2
.... -> fact with n = 1
...... -> fact with n = 0
...... <- fact returns 1
.... <- fact returns 1
.. <- fact returns 2
2
"""
    )


@pytest.mark.parametrize(
    ("definition", "call", "entry"),
    [
        ("(define (va a . rest) a)", "(va 1 2 3)", "va with a = 1,  rest = (2 3)"),
        ("(define (va a . rest) a)", "(va 1)", "va with a = 1,  rest = ()"),
        ("(define (vb . args) 1)", '(vb 1 "a" \'b)', 'vb with args = (1 "a" b)'),
        ("(define (vb . args) 1)", "(vb)", "vb with args = ()"),
        ("(define (two x y) 1)", '(two "s" #\\a)', 'two with x = "s",  y = #\\a'),
        ("(define none (lambda () 1))", "(none)", "none"),
        ("(define (5% a% . %s) 1)", "(5% 1 2)", "5% with a% = 1,  %s = (2)"),
        ("(define (six a b c d e f) 1)", "(six 1 2 3 4 5 6)", "six with a = 1,  b = 2,  c = 3,  d = 4,  e = 5,  f = 6"),
    ],
)
def test_arguments_are_shown_by_name(definition: str, call: str, entry: str) -> None:
    console = Console(definition)
    name = entry.split()[0]
    console.typed(f"(trace {name})")
    assert console.typed(call) == [f".. -> {entry}", f".. <- {name} returns 1", "1"]


def test_a_call_of_no_parameters_has_a_line_of_its_own() -> None:
    console = Console("(define (noarg) 42)")
    console.typed("(trace noarg)")
    assert console.typed("(noarg)") == [".. -> noarg", ".. <- noarg returns 42", "42"]


def test_a_primitive_adds_no_depth_and_shows_a_list_of_arguments() -> None:
    console = Console("(define (f x) (+ 1 (car x)))", "(define (g x) (f x))")
    console.typed("(trace car f g)")
    assert console.typed("(car '(1 2))") == [" -> car with args = ((1 2))", " <- car returns 1", "1"]
    assert console.typed("(g '(1 2))") == lines(
        """
.. -> g with x = (1 2)
.... -> f with x = (1 2)
.... -> car with args = ((1 2))
.... <- car returns 1
.... <- f returns 2
.. <- g returns 2
2
"""
    )


def test_the_course_library_shows_names() -> None:
    """It was written in Scheme, so the original shows the parameters."""
    console = Console()
    console.typed("(trace bf)")
    assert console.typed("(bf 'abc)") == [".. -> bf with x = abc", ".. <- bf returns bc", "bc"]


@pytest.mark.parametrize("name", ["first", "last", "butfirst", "butlast", "bf", "bl"])
def test_parts_of_words_take_an_x(name: str) -> None:
    console = Console()
    console.typed(f"(trace {name})")
    assert console.typed(f"({name} 'ab)")[0] == f".. -> {name} with x = ab"


def test_tail_calls_nest_and_return_at_the_end() -> None:
    console = Console(ITER)
    console.typed("(trace iter)")
    assert console.typed("(iter 2 0)") == lines(
        """
.. -> iter with i = 2,  acc = 0
.... -> iter with i = 1,  acc = 2
...... -> iter with i = 0,  acc = 3
...... <- iter returns 3
.... <- iter returns 3
.. <- iter returns 3
3
"""
    )


def test_several_procedures_share_one_depth() -> None:
    console = Console(
        "(define (ev? n) (if (= n 0) #t (od? (- n 1))))", "(define (od? n) (if (= n 0) #f (ev? (- n 1))))"
    )
    assert console.typed("(trace ev? od?)") == ["okay"]
    assert console.typed("(ev? 2)")[:3] == [
        ".. -> ev? with n = 2",
        ".... -> od? with n = 1",
        "...... -> ev? with n = 0",
    ]


def test_after_an_error_depth_starts_at_one() -> None:
    console = Console("(define (f x) (if (= x 0) (car x) (f (- x 1))))")
    console.typed("(trace f)")
    for _ in range(2):
        shown = console.typed("(f 1)")
        assert shown[:3] == [".. -> f with x = 1", ".... -> f with x = 0", "*** Error:"]
        assert shown[3] == "    car: wrong type of argument: 0"
        assert not any("returns" in line for line in shown)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(trace fact)", "trace: procedure ``fact'' is already traced"),
        ("(untrace iter)", "untrace: iter is not traced"),
        ("(trace nosuch)", "unbound variable: nosuch"),
        ("(untrace nosuch)", "unbound variable: nosuch"),
        ("(trace x)", "trace: cannot trace 5"),
        ("(untrace x)", "untrace: x is not traced"),
        ("(trace 5)", "trace: bad variable name: 5"),
        ("(trace (inner iter))", "trace: iter defines no procedure inner"),
        ("(trace (inner car))", "trace: car is not a procedure defined by (define (car …) …) at top level"),
    ],
)
def test_mistakes_are_told(text: str, message: str) -> None:
    console = Console(FACT, ITER, "(define x 5)", "(trace fact)")
    with pytest.raises(SchemeError) as caught:
        console.session.eval(text)
    assert str(caught.value) == message


def test_trace_alone_lists_and_untrace_alone_ends_all() -> None:
    console = Console(FACT, ITER, "(define (outer x) (define (inner y) (* 2 y)) (+ 1 (inner x)))")
    assert console.typed("(trace)") == ["()"]
    console.typed("(trace iter fact car (inner outer))")
    assert console.typed("(trace)") == ["(car fact iter (inner outer))"]
    assert console.typed("(untrace)") == ["okay"]
    assert console.typed("(trace)") == ["()"]
    assert console.typed("(list (fact 3) (iter 3 0) (car '(1)) (outer 1))") == ["(6 6 1 3)"]


def test_untrace_ends_the_tracing_of_one() -> None:
    console = Console(FACT, ITER)
    console.typed("(trace fact iter)")
    assert console.typed("(untrace fact)") == ["okay"]
    assert console.typed("(fact 3)") == ["6"]
    assert console.typed("(trace)") == ["(iter)"]


def test_redefinition_ends_tracing() -> None:
    console = Console(FACT)
    console.typed("(trace fact)")
    assert console.typed("(define (fact n) 'new)") == ["fact"]
    assert console.typed("(fact 3)") == ["new"]
    assert console.typed("(trace)") == ["()"]


def test_a_procedure_that_runs_is_seen_from_its_next_call_on() -> None:
    """The loop of a self tail call asks its global each turn, so that `trace` takes effect inside a run."""
    console = Console("(define (f n) (if (= n 1) (trace-it)) (if (= n 0) 'done (f (- n 1))))")
    console.session.eval("(define (trace-it) (trace f))")
    assert console.typed("(f 2)") == [".. -> f with n = 0", ".. <- f returns done", "done"]


# ── procedures from variables, and inside others ─────────────────────────────────────────────────────────────────────


def test_a_procedure_in_a_variable_shows_that_name() -> None:
    console = Console("(define (stop-at n) (lambda (hand up) (< (count hand) n)))", "(define s (stop-at 17))")
    console.typed("(trace s)")
    assert console.typed("(s '(ah) '2c)") == [".. -> s with hand = (ah),  up = 2c", ".. <- s returns #t", "#t"]


def test_typed_and_dealt_cards() -> None:
    console = Console("(define (stop-at-17 my-hand dealer-up-card) #f)")
    console.typed("(trace stop-at-17)")
    shown = console.typed("(stop-at-17 (se (word 2 'd) 'ah 'kh) (word 2 'c))")
    assert shown[0] == '.. -> stop-at-17 with my-hand = ("2d" ah kh),  dealer-up-card = "2c"'


def twenty_one() -> Console:
    console = Console(TOTAL, seed=3)
    console.session.load("twenty-one.scm")
    console.session.eval("(define (stop-at-17 hand up) (< (best-total hand) 17))")
    return console


def test_a_strategy_and_best_total_inside_twenty_one() -> None:
    console = twenty_one()
    console.typed("(trace best-total stop-at-17)")
    shown = console.typed("(twenty-one stop-at-17)")
    assert shown[0].startswith(".. -> best-total with hand = (")
    assert any(re.match(r"\.\. -> stop-at-17 with hand = \(.*\),  up = ", line) for line in shown)
    assert any(line.startswith(".... -> best-total") for line in shown)
    assert shown[-1] in ("1", "0", "-1")


def test_a_procedure_that_was_passed_on_already_is_the_untraced_one() -> None:
    """Tracing binds the name anew; who has the procedure itself never notices."""
    console = Console(FACT, "(define held fact)")
    console.typed("(trace fact)")
    assert console.typed("(held 0)") == ["1"]


def test_a_procedure_inside_another() -> None:
    console = twenty_one()
    assert console.typed("(trace (play-dealer twenty-one))") == ["okay"]
    shown = [line for game in range(5) for line in console.typed("(twenty-one stop-at-17)")]
    entries = [line for line in shown if "-> play-dealer" in line]
    assert entries
    assert entries[0].startswith(".. -> play-dealer with dealer-hand = (")
    assert ",  customer-hand = (" in entries[0]
    assert console.typed("(untrace (play-dealer twenty-one))") == ["okay"]
    assert len(console.typed("(twenty-one stop-at-17)")) == 1


def test_redefining_the_outer_procedure_ends_tracing_inside() -> None:
    console = Console("(define (outer x) (define (inner y) (* 2 y)) (inner x))", "(trace (inner outer))")
    assert console.typed("(outer 2)") == [".. -> inner with y = 2", ".. <- inner returns 4", "4"]
    console.typed("(define (outer x) (define (inner y) (* 3 y)) (inner x))")
    assert console.typed("(outer 2)") == ["6"]
    assert console.typed("(trace)") == ["()"]


def test_a_local_variable() -> None:
    console = Console(
        "(define (outer x) (define (inner y) (* 2 y)) (trace inner)"
        " (let ((r (inner x))) (untrace inner) (+ r (inner x))))"
    )
    assert console.typed("(outer 2)") == [".. -> inner with y = 2", ".. <- inner returns 4", "8"]


# ── output ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_trace_lines_start_on_a_fresh_line() -> None:
    console = Console('(define (f x) (display "busy") x)')
    console.typed("(trace f)")
    assert console.typed('(begin (display "go") (f 1))') == [
        "go",
        ".. -> f with x = 1",
        "busy",
        ".. <- f returns 1",
        "1",
    ]


def test_deep_calls_show_their_depth_as_a_number() -> None:
    console = Console("(define (len l) (if (null? l) 0 (+ 1 (len (cdr l)))))")
    console.typed("(trace len)")
    shown = console.typed("(len (iota 150))")
    assert max(len(re.match(r"\.*", line)[0]) for line in shown) == 200  # type: ignore[index]
    assert any(line.startswith("..[151].. -> len with l = ()") for line in shown)
    assert "..[101].. <- len returns 50" in shown


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_the_width_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    session = Session(output=stream)
    session.eval(f"{FACT} (trace fact) (fact 15)")
    assert ".................... -> fact with n = 6" in stream.getvalue()
    assert "\n..[11].. -> fact with n = 5" in stream.getvalue()


def test_a_terminal_of_another_width_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    session = Session(output=stream)
    session.eval(f"{FACT} (trace fact) (fact 15)")
    monkeypatch.setenv("COLUMNS", "80")
    session.eval("(fact 15)")
    assert "\n..[11].. -> fact with n = 5" in stream.getvalue()
    assert f"\n{'..' * 16} -> fact with n = 0" in stream.getvalue()


def test_a_trace_into_a_file_does_not_ask_for_the_terminal_s_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    console = Console(FACT, "(trace fact)")
    assert f"{'..' * 16} -> fact with n = 0" in console.typed("(fact 15)")


def test_a_value_is_shown_at_the_depth_of_its_call() -> None:
    """Also when a continuation goes in again."""
    console = Console(
        "(define again #f)", "(define (f n) (if (= n 0) (call/cc (lambda (k) (set! again k) 0)) (f (- n 1))))"
    )
    console.typed("(trace f)")
    entered = console.typed("(f 2)")
    assert console.typed("(again 7)") == [line.replace("returns 0", "returns 7") for line in entered[3:6]] + ["7"]


# ── soundness ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_depth_is_right_after_an_escape() -> None:
    console = Console("(define (f n k) (if (= n 0) (k 'out) (+ 1 (f (- n 1) k))))", "(define (g) 1)")
    console.typed("(trace f g)")
    shown = console.typed("(list (call/cc (lambda (k) (f 2 k))) (g))")
    assert shown[-3:] == [".. -> g", ".. <- g returns 1", "(out 1)"]


def test_errors_are_explained_as_without_tracing() -> None:
    for call in ("(f 5)", "(f)", "(f 1 2)", "(h 5)", "(f 'a)"):
        plain, traced = (Console("(define (f x) (+ 1 (car x)))", "(define (h x) (f x))") for _ in range(2))
        traced.session.eval("(trace f h)")
        assert [line for line in traced.typed(call) if "->" not in line][:2] == plain.typed(call)[:2]


def test_deep_recursion_while_tracing() -> None:
    console = Console("(define (down n) (if (= n 0) 0 (+ 1 (down (- n 1)))))", "(trace down)")
    assert console.typed("(down 20000)")[-1] == "20000"


def test_ctrl_c_in_a_long_trace_leaves_the_session_sound() -> None:
    class Interrupting(io.StringIO):
        remaining = 500

        def write(self, text: str) -> int:
            self.remaining -= 1
            if self.remaining == 0:
                signal.raise_signal(signal.SIGINT)
            return super().write(text)

    stream = Interrupting()
    session = Session(output=stream)
    session.eval("(define (forever n) (forever (+ n 1))) (define (one) 1) (trace forever one)")
    assert not session.prompt.evaluate_and_print("(forever 0)")
    assert session.tracer.depth == 0
    start = len(stream.getvalue())
    session.prompt.evaluate_and_print("(one)")
    assert stream.getvalue()[start:] == ".. -> one\n.. <- one returns 1\n1\n"
    assert write(session.eval("(trace)")) == "(forever one)"


def test_time_is_in_proportion_to_the_calls() -> None:
    def seconds(calls: int) -> float:
        console = Console("(define (f n) n)", "(define (times n) (if (= n 0) 'done (begin (f n) (times (- n 1)))))")
        console.session.eval("(trace f)")
        before = time.process_time()
        console.session.eval(f"(times {calls})")
        return time.process_time() - before

    seconds(1000)
    few = min(seconds(10_000) for _ in range(3))
    assert seconds(100_000) < 10 * few * 3


# ── nothing is left behind ───────────────────────────────────────────────────────────────────────────────────────────


def all_code(session: Session, name: str) -> bytes:
    unit = last_constant(session.globals[name].__code__).unit
    if unit.stubbed:
        unit.recompile()
    return session.globals[name].__code__.co_code  # type: ignore[no-any-return]


def test_untraced_code_is_what_it_was() -> None:
    session = Session()
    session.eval(f"{FACT} {ITER} (define (user l) (fact (car l))) (list fact iter user)")
    names = ("fact", "iter", "user")
    before = [all_code(session, name) for name in names]
    procedures = [session.globals[name] for name in names]
    session.eval("(trace fact iter)")
    assert [untraced(session.globals[name]) for name in names] == procedures
    # A loop that was sure of its own name must look for the wrapper from now on.
    assert [untraced(session.globals[name]).__code__.co_code for name in ("fact", "user")] == before[::2]
    session.eval("(untrace)")
    assert [session.globals[name] for name in names] == procedures
    assert [all_code(session, name) for name in names] == before


@pytest.mark.parametrize("untrace", ["(untrace car)", "(untrace)"])
def test_integrated_primitives_are_integrated_again(untrace: str) -> None:
    session = Session(output=io.StringIO())
    session.eval("(define (user l) (+ 1 (car l)))")
    before = all_code(session, "user")
    session.eval("(trace car) (user '(1))")
    assert all_code(session, "user") != before
    session.eval(f"{untrace} (user '(1))")
    assert all_code(session, "user") == before
    assert "car" not in session.globals


def test_a_user_s_own_version_of_a_library_procedure_stays() -> None:
    console = Console("(define (square x) 'mine)")
    console.typed("(trace square)")
    assert console.typed("(square 2)")[-1] == "mine"
    console.typed("(untrace square)")
    assert console.typed("(square 2)") == ["mine"]


def test_a_procedure_inside_another_is_compiled_as_before() -> None:
    session = Session()
    session.eval("(define (outer x) (define (inner y) (if (= y 0) x (inner (- y 1)))) (inner x))")
    before = all_code(session, "outer")
    procedure = session.globals["outer"]
    session.eval("(trace (inner outer))")
    session.eval("(untrace (inner outer))")
    assert session.globals["outer"] is procedure
    assert all_code(session, "outer") == before


def test_tracing_a_file_s_procedures(tmp_path: Path) -> None:
    (tmp_path / "a.scm").write_text(f"{FACT}\n(trace fact)\n")
    console = Console()
    console.session.load(tmp_path / "a.scm")
    assert console.typed("(fact 0)") == [".. -> fact with n = 0", ".. <- fact returns 1", "1"]
    console.session.load(tmp_path / "a.scm")
    assert console.typed("(fact 0)") == [".. -> fact with n = 0", ".. <- fact returns 1", "1"]


def test_too_few_arguments_before_a_rest_parameter_fail_as_untraced() -> None:
    session = Session(output=io.StringIO())
    session.eval("(define (f x . rest) x) (trace f)")
    with pytest.raises(SchemeError, match=r"too few arguments to: \(f\)"):
        session.eval("(f)")
