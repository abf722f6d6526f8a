"""`Session` as a program that embeds minischeme uses it."""

from __future__ import annotations

import _thread
import gc
import io
import re
import signal
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest

from minischeme import Interaction, SchemeError, SchemeExit, Session
from minischeme.data.errors import Interrupted, RecursionDepthExceeded, ScmSyntaxError, UnfinishedInput
from minischeme.data.values import FALSE, NIL, TRUE, UNSPECIFIED, Char, Pair, String, Symbol, Vector, intern, list_of


def outputs(text: str, dialect: str = "berkeley") -> list[str]:
    return [interaction.output for interaction in Session(dialect).interact(text)]


# ── eval ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_eval_gives_the_last_value() -> None:
    session = Session()
    assert session.eval("(define x 20) (+ x 22)") == 42
    assert session.eval("(* x 2)") == 40
    assert session.eval("") is UNSPECIFIED
    assert session.eval("(define y 1)") is intern("y")
    assert session.eval("#f") is FALSE


def test_values_are_readable_for_people_who_debug_python() -> None:
    session = Session()
    for text, shown in [
        ('\'(a (b . c) "d" #\\e #t ())', '(a (b . c) "d" #\\e #t ())'),
        ("(vector 1 'b)", "#(1 b)"),
        ("(/ 2 4)", "1/2"),
        ("1.5", "1.5"),
        ('"a\\nb"', '"a\\nb"'),
        ("(if #f #f)", "okay"),
        ("(iota 100)", "(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 ...)"),
        ("'sym", "sym"),
    ]:
        assert repr(session.eval(text)) == shown
    circular = session.eval("(define c (list 1 2)) (set-cdr! c c) c")
    assert len(repr(circular)) < 100
    assert "f" in repr(session.eval("(define (f x) x) f"))
    assert repr(next(Session().interact("1"))) == "Interaction(source='1', output='1\\n', error=None)"


def test_values_come_and_go() -> None:
    session = Session()
    session.define("numbers", list_of([1, 2.5]))
    session.define("name", String("Ada"))
    session.define("None", 7)
    assert session.eval("(apply + numbers)") == 3.5
    assert session.eval("(string-length name)") == 3
    assert session.eval("(+ |None| 1)") == 8
    value = session.eval("(list name 'x #\\c #t '() (vector 1))")
    assert type(value) is Pair
    types = [type(item) for item in value]
    assert types[:3] == [String, Symbol, Char]
    assert (value.cdr.cdr.cdr.car, value.cdr.cdr.cdr.cdr.car) == (TRUE, NIL)
    assert types[5] is Vector


def test_define_replaces_a_standard_procedure_in_code_compiled_before() -> None:
    session = Session()
    session.eval("(define (f x) (car x))")
    session.define("car", session.eval("cdr"))
    assert repr(session.eval("(f '(1 2))")) == "(2)"


def test_call() -> None:
    session = Session()
    adder = session.eval("(define (add . numbers) (apply + numbers)) add")
    assert session.call(adder) == 0
    assert session.call(adder, 1, 2, 3, 4, 5, 6, 7) == 28
    assert session.call(session.eval("(lambda (f) (f 3 4))"), adder) == 7
    assert session.call(session.eval("car"), list_of([intern("a")])) is intern("a")
    with pytest.raises(SchemeError, match=r"too few arguments to: \(car\)"):
        session.call(session.eval("car"))
    with pytest.raises(SchemeError, match="eval: bad function in : \\(5 1\\)"):
        session.call(5, 1)
    with pytest.raises(SchemeExit):
        session.call(session.eval("exit"))


def test_errors_are_scheme_errors_and_the_session_goes_on() -> None:
    session = Session()
    for text in ("(car 5)", "zot", "(if)", "(car", ")(car 5)", '(error "x" 1)', "(vector-ref (vector) 1)"):
        with pytest.raises(SchemeError) as caught:
            session.eval(text)
        assert caught.value.__cause__ is caught.value.__context__ is None, "no Python exception is behind it"
    with pytest.raises(UnfinishedInput):
        session.eval("(car '(1)")
    assert session.eval("(+ 1 2)") == 3


def test_what_a_text_defines_before_an_error_stays() -> None:
    session = Session()
    with pytest.raises(SchemeError):
        session.eval("(define x 1) (car x) (define x 2)")
    assert session.eval("x") == 1


def test_exit() -> None:
    session = Session()
    for text, status in [("(exit)", 0), ("(exit 3)", 3), ("(exit #t)", 0), ("(exit #f)", 1), ("(exit 256)", 0)]:
        with pytest.raises(SchemeExit) as caught:
            session.eval(text)
        assert caught.value.status == status
    assert session.eval("1") == 1
    with pytest.raises(SchemeExit):
        list(session.interact("1 (exit) 2"))


def test_the_name_of_the_text_is_in_errors() -> None:
    with pytest.raises(SchemeError) as caught:
        Session().eval("1\n(car 5)", name="cell 7")
    assert str(caught.value.span) == "cell 7:2:6"


def test_dialects() -> None:
    with pytest.raises(ValueError, match="no such dialect: 'scheme'"):
        Session("scheme")


# ── load ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_load(tmp_path: Path) -> None:
    (tmp_path / "a.scm").write_text('(define a 1) (load "b") (define c (+ a b))', encoding="utf-8")
    (tmp_path / "b.scm").write_text("(define b 41)", encoding="utf-8")
    output = io.StringIO()
    session = Session(output=output)
    session.load(tmp_path / "a.scm")
    session.load(str(tmp_path / "a"))
    assert session.eval("c") == 42
    assert output.getvalue() == ""


def test_load_of_what_is_no_file(tmp_path: Path) -> None:
    session = Session()
    with pytest.raises(SchemeError, match="load: cannot open file"):
        session.load(tmp_path / "missing.scm")
    (tmp_path / "binary.scm").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SchemeError, match="load: cannot read file"):
        session.load(tmp_path / "binary.scm")


def test_load_of_a_file_of_the_library() -> None:
    session = Session(seed=1)
    session.load("twenty-one.scm")
    assert session.eval("(procedure? twenty-one)") is TRUE


# ── interact ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_interact_gives_each_form_with_all_that_the_prompt_shows() -> None:
    interactions = list(
        Session().interact("(define x 3) ; comment\n(display 'hi)\n(begin (display 1) (newline) x)\n'(a \"b\")\n")
    )
    assert interactions == [
        Interaction("(define x 3)", "x\n", None),
        Interaction("(display 'hi)", "hi\nokay\n", None),
        Interaction("(begin (display 1) (newline) x)", "1\n3\n", None),
        Interaction('\'(a "b")', '(a "b")\n', None),
    ]


def test_interact_goes_on_after_errors() -> None:
    interactions = list(Session().interact("(car 5)\n(zot)\n(+ 1 2)"))
    assert [interaction.source for interaction in interactions] == ["(car 5)", "(zot)", "(+ 1 2)"]
    assert interactions[0].output == "*** Error:\n    car: wrong type of argument: 5\n  | (car 5)\n  |      ^\n"
    assert isinstance(interactions[1].error, SchemeError)
    assert interactions[2].output == "3\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('(car 5) (foo #\\nosuch (a b) "x)") (+ 1 2)', ["(car 5)", "#\\nosuch", "(+ 1 2)"]),
        ("(define (f x)\n  (list #<no>\n        x))\n(+ 3 4)", ["#<no>", "(+ 3 4)"]),
        ("(foo ] (+ 1 2)", ["]", "(+ 1 2)"]),
        ("(a (b 1 2]\n  (c)\n(+ 2 2)\n(+ 3 3)", ["]", "(+ 2 2)", "(+ 3 3)"]),
        ("(a . ) 5 . 6", [".", "5", ".", "6"]),
        ("') 6", [")", "6"]),
        ("#u8(1 300 2) 7", ["300", "7"]),
        ("(a #0=#0#) 8 #0# 9", ["#0=#0#", "8", "#0#", "9"]),
        ('(a "b\\xzz;c" (d)) 10', ["\\x", "10"]),
        ("#;#\\nosuch 7 '#\\nosuch 8 #| ( #\\nosuch |# 9", ["#\\nosuch", "7", "#\\nosuch", "8", "9"]),
        ("#!no-fold-case #\\nosuch 'A", ["#\\nosuch", "'A"]),
        ("(foo #\\nosuch", ["#\\nosuch"]),
        ("(foo #\\nosuch) (bar", ["#\\nosuch", "("]),
    ],
)
def test_interact_goes_on_after_what_can_not_be_read(text: str, shown: list[str]) -> None:
    assert [interaction.source for interaction in Session().interact(text)] == shown


def test_the_prompt_goes_on_after_what_can_not_be_read() -> None:
    output = io.StringIO()
    session = Session(output=output)
    assert not session.prompt.evaluate_and_print("1 (foo #\\nosuch)\n(+ 1 1) #u8(a) 3")
    shown = re.sub(r"^  .*\n", "", output.getvalue(), flags=re.MULTILINE)
    assert shown == "1\n*** Error:\n2\n*** Error:\n3\n"
    with pytest.raises(UnfinishedInput):
        session.prompt.evaluate_and_print("1 (foo #\\nosuch) (bar")


def test_interact_with_unfinished_input() -> None:
    interactions = list(Session().interact("(+ 1 2)\n(car '(1 2)"))
    assert interactions[0].output == "3\n"
    assert len(interactions) == 2
    assert isinstance(interactions[1].error, UnfinishedInput)
    assert interactions[1].output.startswith("*** Error:\n    read: end of file inside list\n  | (car '(1 2)\n  | ^")


def test_interact_with_stray_brackets() -> None:
    interactions = list(Session().interact("(+ 1 2))\n(* 2 3)"))
    assert [interaction.error for interaction in interactions] == [None, None]
    assert "".join(interaction.output for interaction in interactions).count("close parenthesis, ignored") == 1
    assert interactions[-1].output.endswith("6\n")
    assert list(Session().interact("")) == []


def test_interact_shows_syntax_errors_and_unreadable_text() -> None:
    interactions = list(Session().interact("(if)\n(+ 1 1)\n#<x>\n(+ 2 2)"))
    assert isinstance(interactions[0].error, ScmSyntaxError)
    assert interactions[1].output == "2\n"
    assert isinstance(interactions[2].error, SchemeError)


def test_interact_shows_trace_lines() -> None:
    (*_, last) = Session().interact("(define (f x) (* x 2)) (trace f) (f 3)")
    assert last.output == ".. -> f with x = 3\n.. <- f returns 6\n6\n"


def test_interact_leaves_the_sessions_output_alone() -> None:
    output = io.StringIO()
    session = Session(output=output)
    forms = session.interact("(display 1) (display 2)")
    next(forms)
    session.eval("(display 'between)")
    list(forms)
    assert output.getvalue() == "between"


# ── output and input ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_output_and_input() -> None:
    output = io.StringIO()
    session = Session(output=output, input=io.StringIO("(a b) rest\nsecond line\n"))
    session.eval("(define x (read)) (define rest (read-line)) (define line (read-line)) (define end (read-line))")
    session.eval("(display (list x rest line (eof-object? end)))")
    assert output.getvalue() == "((a b) (rest) (second line) #t)"


def test_the_standard_streams_are_those_of_the_moment(capsys: pytest.CaptureFixture[str]) -> None:
    Session().eval("(display 'hello)")
    assert capsys.readouterr().out == "hello"


# ── sessions beside each other ───────────────────────────────────────────────────────────────────────────────────────


def test_sessions_do_not_disturb_each_other() -> None:
    first_output, second_output = io.StringIO(), io.StringIO()
    first, second = Session(output=first_output, seed=1), Session(output=second_output, seed=1)
    first.eval("(define x 1) (define (car p) 'mine) (strings-are-numbers #f) (display 'one)")
    second.eval("(display 'two)")
    with pytest.raises(SchemeError, match="unbound variable: x"):
        second.eval("x")
    assert second.eval("(car '(5))") == 5
    assert first.eval("(car '(5))") is intern("mine")
    assert second.eval('(+ "2" 3)') == 5
    with pytest.raises(SchemeError):
        first.eval('(+ "2" 3)')
    assert (first_output.getvalue(), second_output.getvalue()) == ("one", "two")
    numbers = "(list (random 1000000) (random 1000000))"
    first.eval(numbers)
    assert repr(Session(seed=1).eval(numbers)) == repr(second.eval(numbers)), "the first one's numbers are its own"


def test_a_session_inside_another() -> None:
    """A Python procedure given to one session may use another, whatever that changes."""
    outer, inner = Session(), Session()
    inner.eval("(strings-are-numbers #f)")

    def ask(value: object) -> object:
        return inner.eval(f'(if (number? "{value}") 1 0)')

    outer.define("ask", ask)
    assert outer.eval('(list (ask 5) (+ "2" 3))').cdr.car == 5
    assert outer.eval("(ask 5)") == 0


def test_a_seed_makes_runs_repeatable() -> None:
    text = "(list (random 1000) (random 1000) (random 1.) (random 10))"
    assert repr(Session(seed=7).eval(text)) == repr(Session(seed=7).eval(text))
    assert repr(Session(seed=7).eval(text)) != repr(Session(seed=8).eval(text))
    assert repr(Session().eval(text)) != repr(Session().eval(text))


def test_two_sessions_in_two_threads_at_once() -> None:
    results: dict[int, list[object]] = {}
    program = """
        (define (count-to n) (if (= n 0) 0 (+ 1 (count-to (- n 1)))))
        (define (ping n) (if (= n 0) me (pong (- n 1))))
        (define (pong n) (if (= n 0) me (ping (- n 1))))
    """

    def work(me: int) -> None:
        session = Session(output=io.StringIO(), seed=me)
        session.define("me", me)
        session.eval(program)
        if me == 1:
            session.eval("(strings-are-numbers #f)")
        found: list[object] = []
        for _ in range(15):
            found += [session.eval("(count-to 3000)"), session.eval("(ping 3001)")]
            try:
                found.append(session.eval('(+ "2" 3)'))
            except SchemeError as error:
                found.append(str(error))
        results[me] = found

    threads = [threading.Thread(target=work, args=(number,)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert results[0] == [3000, 0, 5] * 15
    assert results[1] == [3000, 1, '+: not a number: "2"'] * 15


@pytest.mark.slow
def test_a_session_that_is_no_longer_used_is_freed() -> None:
    session = Session()
    session.eval("(define (f x) (if (= x 0) f (f (- x 1)))) (f 10) (define l (list f f))")
    list(session.interact("(car 5)"))
    reference = weakref.ref(session)
    del session
    gc.collect()
    assert reference() is None


# ── limits and interruption ──────────────────────────────────────────────────────────────────────────────────────────


def test_the_recursion_limit_is_put_back() -> None:
    before = sys.getrecursionlimit()
    session = Session()
    session.eval("(define (count-to n) (if (= n 0) 0 (+ 1 (count-to (- n 1)))))")
    assert session.eval("(count-to 50000)") == 50_000
    assert sys.getrecursionlimit() == before
    with pytest.raises(SchemeError):
        session.eval("(car 5)")
    assert sys.getrecursionlimit() == before


def test_an_error_in_deep_recursion() -> None:
    session = Session()
    session.eval("(define (count-to n) (if (= n 0) (car n) (+ 1 (count-to (- n 1)))))")
    with pytest.raises(SchemeError, match="car: wrong type of argument: 0") as caught:
        session.eval("(count-to 100000)")
    assert not isinstance(caught.value, RecursionDepthExceeded)
    assert [activation.times for activation in caught.value.activations] == [1, 100_000]


def interrupted_after(seconds: float, work: Callable[[], object]) -> None:
    """Ctrl-C while `work` runs, or right after it should have ended."""
    timer = threading.Timer(seconds, _thread.interrupt_main)
    timer.start()
    try:
        work()
    finally:
        timer.cancel()
        timer.join()


ENDLESS = [
    "(let loop () (loop))",
    "(begin (define (f x) (f x)) (f 1))",
    "(begin (define (f x) (g x)) (define (g x) (f x)) (f 1))",
    "(let loop ((i 0)) (if (< i 0) 1 (loop (+ i 1))))",
    "(do () (#f) (map square '(1 2 3)))",
]


@pytest.mark.skipif(signal.getsignal(signal.SIGINT) is not signal.default_int_handler, reason="Ctrl-C is not Python's")
@pytest.mark.parametrize("text", ENDLESS)
def test_ctrl_c_leaves_the_session_usable(text: str) -> None:
    session = Session(output=io.StringIO())
    session.eval("(define x 42)")
    with pytest.raises(KeyboardInterrupt):
        interrupted_after(0.1, lambda: session.eval(text))
    assert session.eval("(+ x (apply + (map square '(1 2))))") == 47


@pytest.mark.skipif(signal.getsignal(signal.SIGINT) is not signal.default_int_handler, reason="Ctrl-C is not Python's")
def test_ctrl_c_at_the_prompt_is_shown_with_its_place() -> None:
    session = Session()
    found: list[Interaction] = []
    interrupted_after(0.1, lambda: found.extend(session.interact("(define (f x) (let loop () (loop))) (+ 1 (f 1)) 5")))
    define, stopped, last = found
    assert isinstance(stopped.error, Interrupted)
    assert stopped.output.startswith("*** Error:\n    interrupted\n  | (define (f x)")
    assert stopped.error.activations[0].name == "f"
    assert (define.output, last.output) == ("f\n", "5\n")


# ── the other dialect ────────────────────────────────────────────────────────────────────────────────────────────────


def test_r7rs() -> None:
    session = Session("r7rs")
    assert session.eval("(eq? 'abc 'ABC)") is FALSE
    assert Session().eval("(eq? 'abc 'ABC)") is TRUE
    assert session.eval('(number? "5")') is FALSE
    assert Session().eval('(number? "5")') is TRUE
    assert session.eval('(equal? "A" "a")') is FALSE
    assert Session().eval('(equal? "A" "a")') is TRUE
    for name in ("first", "bf", "word", "se", "every", "keep", "accumulate", "nil", "strings-are-numbers"):
        with pytest.raises(SchemeError, match=f"unbound variable: {name}"):
            session.eval(name)
    with pytest.raises(SchemeError, match='\\+: not a number: "2"'):
        session.eval('(+ "2" 3)')
    with pytest.raises(SchemeError, match='Bad thing x "y"'):
        session.eval('(error "Bad thing" \'x "y")')


def test_r7rs_prints_nothing_for_no_value() -> None:
    assert outputs('(if #f #f) (display \'x) 5 "s"', "r7rs") == ["", "x\n", "5\n", '"s"\n']
    assert outputs('(if #f #f) (display \'x) 5 "s"') == ["okay\n", "x\nokay\n", "5\n", '"s"\n']
