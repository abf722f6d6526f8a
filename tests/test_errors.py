"""Errors as people see them: message, place under the culprit, hint, and the way there."""

from __future__ import annotations

import io
import random
import signal
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from minischeme import Session
from minischeme.errors import (
    Activation,
    Interrupted,
    ReadError,
    RecursionDepthExceeded,
    SchemeError,
    SchemeExit,
    ScmSyntaxError,
    UnfinishedInput,
    UserError,
    report,
)
from minischeme.source import Source, Span, columns
from minischeme.values import intern, list_of


def error_of(*texts: str, dialect: str = "berkeley", name: str = "<eval>") -> SchemeError:
    """The error of the last text; those before it must have none."""
    session = Session(dialect, output=io.StringIO(), input=io.StringIO(""))
    for text in texts[:-1]:
        session.eval(text)
    with pytest.raises(SchemeError) as caught:
        session.eval(texts[-1], name)
    return caught.value


def shown(*texts: str, name: str = "<eval>") -> str:
    return report(error_of(*texts, name=name)) + "\n"


def block(text: str) -> str:
    """A report as written below: without the indentation of this file."""
    return textwrap.dedent(text).removeprefix("\n")


# ── messages ─────────────────────────────────────────────────────────────────────────────────────────────────────────

MESSAGES = r"""
    (first '()) → Invalid argument to FIRST: ()
    (first "") → Invalid argument to FIRST: ""
    (last '()) → Invalid argument to LAST: ()
    (bf "") → Invalid argument to BUTFIRST: ""
    (butfirst '()) → Invalid argument to BUTFIRST: ()
    (bl '()) → Invalid argument to BUTLAST: ()
    (word 'a '()) → Invalid argument to WORD: ()
    (se 'a #t) → Argument to SENTENCE not a word or sentence: #t
    (item 0 'abc) → Invalid first argument to ITEM (must be positive): 0
    (item 5 'abc) → No such item: 5 abc
    (member? 'at 'cat) → Invalid arguments to MEMBER?: at cat
    (before? '(a) 'b) → Invalid first argument to BEFORE? (not a word): (a)
    (every 3 '(1 2)) → Invalid first argument to EVERY (not a procedure): 3
    (keep even? #t) → Bad second argument to KEEP (not a word or sentence): #t
    (accumulate max '()) → Can't accumulate empty input with that combiner: #[subr max]
    (show-line 'a) → Invalid argument to SHOW-LINE (not a list): a
    zot → unbound variable: zot
    (zot 1) → unbound variable: zot
    (set! zot 1) → set!: variable not defined: zot
    (3 4) → eval: bad function in : (3 4)
    ("f" 1) → eval: bad function in : ("f" 1)
    ((+ 1 2)) → eval: bad function in : ((+ 1 2))
    (apply 5 '(1)) → apply: not a procedure: 5
    (bf 3 5) → too many arguments to: (bf 3 5)
    (let ((f (lambda (x) x))) (f)) → too few arguments to: (f)
    ((lambda (x) x)) → too few arguments to: ((lambda (x) x))
    (car 5) → car: wrong type of argument: 5
    (cdr '()) → cdr: wrong type of argument: ()
    (cadr '(1)) → cadr: bad list: (1)
    (set-car! 5 1) → set-car!: wrong type of argument: 5
    (+ 'a 1) → +: not a number: a
    (+ 1 2 "x") → +: not a number: "x"
    (- 'a) → -: not a number: a
    (< 'a 1) → Bad number in a comparison: (a 1)
    (= "x" 1) → Bad number in a comparison: ("x" 1)
    (/ 1 0) → /: not a valid number: 0
    (quotient 1 0) → quotient: division by 0
    (modulo 1 0) → modulo: division by 0
    (random -7) → random: bad number: -7
    (vector-ref (vector 1) 5) → vector-ref: index out of bounds: 5
    (string-ref "abc" 3) → string-ref: index out of bounds: 3
    (length 5) → length: not calculable. 5
    (length '(1 . 2)) → length: not calculable. (1 . 2)
    (force 3) → Not a promise: 3
    (load "nosuch.scm") → load: cannot open file: "nosuch.scm"
    (letrec ((a b) (b 1)) a) → unassigned variable: b
    (define 5 3) → define: bad variable name: 5
    (if) → if: bad syntax: (if)
    (let ((x 1) (x 2)) x) → let: duplicate binding: ((x 1) (x 2))
    (lambda (x x) x) → lambda: duplicate parameter: x
    (cond 5) → cond: bad syntax: (cond 5)
    (error "Bad thing" 'x "y") → Bad thingxy
    (error "Bad thing: " '(a "b") 1.5 #\c) → Bad thing: (a b)1.5c
    (error 'who "bad ~s" "x") → who: bad "x"
    (error "~a is ~s~%" "x" "y") → x is "y"\n
    (error 'oops) → oops
    (error '(1 2) 3) → (1 2)3
    (car (quote (a)) → read: end of file inside list
"""


def rows(table: str) -> list[tuple[str, ...]]:
    return [tuple(part.strip() for part in line.split("→")) for line in table.strip().splitlines()]


@pytest.mark.parametrize(("program", "message"), rows(MESSAGES))
def test_messages(program: str, message: str) -> None:
    assert str(error_of(program)) == message.replace("\\n", "\n")


def test_messages_are_the_same_through_variables_and_tail_calls() -> None:
    """Where the compiler knows neither the procedure nor the values."""
    session = Session()
    session.eval("(define (try f . arguments) (apply f arguments))")
    session.eval("(define (pass f x y) (f x y))")
    for program, message in [
        ("(try car 5)", "car: wrong type of argument: 5"),
        ("(try + 1 'a)", "+: not a number: a"),
        ("(pass vector-ref (vector 1) 5)", "vector-ref: index out of bounds: 5"),
        ("(pass < 'a 1)", "Bad number in a comparison: (a 1)"),
        ("(pass 5 1 2)", "eval: bad function in : (5 1 2)"),
        ("(pass car 1 2)", "too many arguments to: (car 1 2)"),
        ("(pass first '(a) 2)", "too many arguments to: (first (a) 2)"),
        ("(map car '(1))", "car: wrong type of argument: 1"),
        ("(sort '(2 a) <)", "Bad number in a comparison: (a 2)"),
    ]:
        with pytest.raises(SchemeError) as caught:
            session.eval(program)
        assert str(caught.value) == message, program


def test_the_kinds_of_errors() -> None:
    assert isinstance(error_of("(if)"), ScmSyntaxError)
    assert isinstance(error_of("(car '(1)"), UnfinishedInput)
    assert isinstance(error_of("#<x>"), ReadError)
    error = error_of('(error \'(a b) 1 "x")')
    assert isinstance(error, UserError)
    assert str(error) == "(a b)1x"


# ── places ───────────────────────────────────────────────────────────────────────────────────────────────────────────

PLACES = [
    # An operand, where it is certain which.
    "(+ 1 «'a»)",
    "(+ «'a» (* 2 3))",
    "(+ (* 2 3) «(first '(a))»)",
    "(* 2 «'a» 3)",
    "(< «'a» 1)",
    "(- «car»)",
    "(car «5»)",
    "(car «(cdr '(1))»)",
    "(vector-ref (vector 1 2) «10»)",
    "(vector-ref «'(1)» 0)",
    "(let ((v (vector 1 2)) (i 2)) (vector-ref v «i»))",
    "(list-tail '(1 2) «'a»)",
    '(symbol->string «"a"»)',
    '(string-append "a" «\'b» "c")',
    "(first «'()»)",
    "(every «3» '(1 2))",
    "(se 'a «#t»)",
    "(item «0» 'abc)",
    "(cadr «'(1)»)",
    "(if (zero? «'a») 1 2)",
    "(if (not (< 1 «'a»)) 1 2)",
    "(let loop ((i 0)) (if (< i 10) (loop (+ i 1)) (car «i»)))",
    "(do ((i 0 (+ i 1))) ((= i 5) (car «i»)))",
    "(case (car «5») ((1) 2))",
    "(and 1 (+ 1 «'a»))",
    "`(1 ,(car «5»))",
    # The call, where it is not.
    "«(+ 'a 'a)»",
    "«(+ (first '(a)) (first '(b)))»",
    "«(map car '(1))»",
    "«(item 5 'abc)»",
    "«(list->string '(1))»",
    "«(quotient 1 0)»",
    '«(error "x" \'y)»',
    "«(apply car '(5))»",
    "(+ 1 «(f)» 2)",
    "(+ 1 «((lambda (x) x))»)",
    "(begin 1 «(3 4)» 5)",
    "(begin «((+ 1 2))»)",
    "(let ((x 5)) (list «(x 1)»))",
    # The variable.
    "(+ 1 «zot»)",
    "(«zot» 1)",
    "(if «zot» 1 2)",
    "(begin «(set! zot 1)»)",
    "(letrec ((a «b») (b 1)) a)",
    # The part of a special form.
    "(begin «(if)»)",
    "(+ 1 (define «5» 3))",
    "(cond ((= 1 2) 3) «5»)",
    "(let («(x)») x)",
    "(let ((x 1) «(y 2 3)») x)",
    "(let ((a 1) «(a 2)») a)",
    "(lambda (x «x») x)",
    "(+ 1 «if»)",
    # What can't be read.
    "(car 5 «#<x>»)",
    "«(»car 5",
]


@pytest.mark.parametrize("marked", PLACES)
def test_place(marked: str) -> None:
    before, inside, after = marked.replace("»", "«").split("«")
    for indentation in ("", "(begin 1\n       2\n       "):
        if indentation and marked.count("(") != marked.count(")"):
            continue
        whole = indentation + before + inside + after + (")" if indentation else "")
        error = error_of("(define (f x) x)", whole)
        assert error.span is not None
        assert error.span.text == inside
        assert error.span.start == len(indentation + before)
        assert str(error.span) == f"<eval>:{3 if indentation else 1}:{len(before) + (8 if indentation else 1)}"


def test_a_call_lost_by_a_tail_call_is_found_again() -> None:
    for program, place, procedure in [
        ("(define (g x) x) (define (f x) (g x 1)) (f 5)", "(g x 1)", "f"),
        ("(define (f x) (x 1)) (+ 1 (f 5))", "(x 1)", "f"),
        ("(define (g x) x) (define (f x) (if (> x 0) (car x) (g))) (f 0)", "(g)", "f"),
        ("(define (g x) x) (define (h x) (cond (#f 1) (else (g x 2)))) (define (f x) (h x)) (f 5)", "(g x 2)", "h"),
        ("(define (f x) (let loop ((i x)) (if (= i 0) (car 1 2) (loop (- i 1))))) (f 3)", "(car 1 2)", "f"),
        ("(define (f x) (define (g y) y) (g x 1)) (f 3)", "(g x 1)", "f"),
        ("(let loop ((i 0)) (loop))", "(loop)", "loop"),
        ("(define (f g x) (g x)) (+ 1 (f car 5))", "x", "f"),
        ("(define (f x) (apply g x)) (define (g a) a) (f '(1 2))", "(apply g x)", "f"),
        ("(define (f x) (car x x)) (map f '(1 2))", "(car x x)", "f"),
    ]:
        error = error_of(program)
        assert error.span is not None
        assert error.span.text == place, program
        assert error.activations[0].name == procedure, program


def test_a_lost_call_is_not_guessed() -> None:
    """Two calls fit, so the place is that of the call outside."""
    error = error_of("(define (g x) x) (define (f x g) (if (= x 0) (g x x) (g x (+ x 0)))) (f 5 g)")
    assert error.span is not None
    assert error.span.text == "(f 5 g)"
    error = error_of("(define (g x) x) (define (f x) (if (= x 0) (g x 1) (g x 2))) (f 5)")
    assert error.span is not None
    assert error.span.text == "(g x 2)", "the constant tells"
    error = error_of("(define (f x) x) (+ 1 (apply f '(1 2)))")
    assert error.span is not None
    assert error.span.text == "(apply f '(1 2))"


# ── the report ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_report_at_the_prompt() -> None:
    assert shown("(define (plus x) (+ 1 x))", "(list (plus 1)\n      (plus 'a))") == block("""
        *** Error:
            +: not a number: a
          | (define (plus x) (+ 1 x))
          |                       ^
          in plus at <eval>:1:18 with x = a
    """)


def test_report_of_an_error_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "hand.scm"
    file.write_text("(define (best hand)\n  (if (empty? hand)\n      0\n      (+ 1\n\t (best (bf hand))\n\t bonus)))\n")
    session = Session(output=io.StringIO())
    session.load(file)
    with pytest.raises(SchemeError) as caught:
        session.eval("(define (twice hand) (* 2 (best hand)))\n(+ 1\n   (twice '(a b c)))", "<prompt>")
    assert report(caught.value) + "\n" == block(f"""
        *** Error at {file}:6:3:
            unbound variable: bonus
          |          bonus)))
          |          ^^^^^
          in best at {file}:6:3 with hand = (c)
          in best at {file}:5:3 (2 times)
          in twice at <prompt>:1:27 with hand = (a b c)
    """)


def test_an_error_while_loading_names_the_file(tmp_path: Path) -> None:
    inner = tmp_path / "inner.scm"
    inner.write_text("(define ok 1)\n(display 'x)\n(car ok)\n(define never 1)\n")
    (tmp_path / "outer.scm").write_text('(define before 1)\n(load "inner.scm")\n')
    session = Session(output=io.StringIO())
    with pytest.raises(SchemeError) as caught:
        session.eval(f'(load "{tmp_path / "outer.scm"}")')
    assert report(caught.value).startswith(f"*** Error at {inner}:3:6:\n    car: wrong type of argument: 1\n")
    assert session.eval("(+ ok before)") == 2
    with pytest.raises(SchemeError):
        session.eval("never")


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [("(define x 1)\n(car '(1)\n", 2, 1), ('(define x 1)\n  (display "abc', 2, 12), ("1 2\n#<x>", 2, 1)],
)
def test_an_error_of_the_reader_in_a_file(tmp_path: Path, text: str, line: int, column: int) -> None:
    file = tmp_path / "bad.scm"
    file.write_text(text)
    with pytest.raises(ReadError) as caught:
        Session().load(file)
    assert f"{file}:{line}:{column}:" in report(caught.value)


def test_repeated_activations_are_folded() -> None:
    assert shown("(define (f n) (if (= n 0) (car n) (+ 1 (f (- n 1)))))", "(f 50)").endswith(
        "\n  in f at <eval>:1:27 with n = 0\n  in f at <eval>:1:40 (50 times)\n"
    )
    mutual = "(define (f n) (if (= n 0) (car n) (+ 1 (g (- n 1))))) (define (g n) (+ 1 (f (- n 1))))"
    assert shown(mutual, "(f 100)").endswith(
        "\n  in f at <eval>:1:27 with n = 0\n  in g at <eval>:1:74\n  in f at <eval>:1:40\n"
        "  … these 2 again and again, 50 times\n"
    )


def test_a_long_trail_is_cut() -> None:
    programs = [f"(define (f{number} x) (+ 1 (f{number + 1} x)))" for number in range(20)]
    lines = shown(*programs, "(define (f20 x) (car x))", "(f0 5)").splitlines()
    assert lines[-1] == "  … and 13 more"
    assert lines[-2].startswith("  in f13 at <eval>:1:22")


def test_endless_recursion() -> None:
    session = Session()
    session.eval("(define (f n) (+ 1 (g n))) (define (g n) (+ 1 (f n)))")
    with pytest.raises(RecursionDepthExceeded) as caught:
        session.eval("(f 1)")
    text = report(caught.value)
    assert text.startswith("*** Error:\n    maximum recursion depth exceeded\n  | (define (f n)")
    assert text.endswith("  … these 2 again and again")
    assert session.eval("(+ 1 2)") == 3


def test_a_message_of_several_lines_is_indented() -> None:
    assert shown('(error "one\\ntwo")').startswith("*** Error:\n    one\n    two\n  | (error")


def test_a_huge_culprit_is_cut() -> None:
    text = shown("(vector-ref (iota 100000) 1)")
    assert len(text) < 2_000
    assert "vector-ref: not a vector: (0 1 2 3" in text
    assert " … " in text
    assert "99999)\n" in text


def test_a_circular_culprit() -> None:
    assert "car: wrong type" not in shown("(define x (list 1 2))", "(set-cdr! x x)", "(vector-ref x 0)")
    assert "#0=(1 . #0#)" in shown("(define x (list 1 2))", "(set-cdr! x x)", "(vector-ref x 0)")


@pytest.mark.parametrize("dialect", ["berkeley", "r7rs"])
def test_interrupted_is_an_error_like_others(dialect: str) -> None:
    error = Interrupted("interrupted")
    error.activations = (Activation("loop", None, 3),)
    assert report(error) == "*** Error:\n    interrupted\n  in loop (3 times)"
    assert dialect in ("berkeley", "r7rs")


# ── excerpts ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def excerpt(line: str, culprit: str, width: int = 40) -> list[str]:
    start = line.index(culprit)
    return Span(Source(f"before\n{line}\nafter", "<x>"), start + 7, start + 7 + len(culprit)).excerpt(width).split("\n")


def under(line: str, culprit: str, width: int = 40) -> str:
    """What the carets stand under, by columns of a terminal."""
    above, carets = excerpt(line, culprit, width)
    cells: list[str] = []
    for character in above:
        if columns(character) == 0:
            cells[-1] += character
        else:
            cells += [character, ""][: columns(character)]
    first = carets.index("^")
    assert set(carets[first:]) == {"^"}
    assert set(carets[:first]) <= {" "}
    assert columns(above) <= width
    return "".join(cells[first : len(carets)])


def test_carets_stand_under_the_culprit() -> None:
    assert excerpt("(+ 1 a)", "a") == ["(+ 1 a)", "     ^"]
    assert under("(+ 1 abc)", "abc") == "abc"
    assert under("\t(+ 1\tabc)", "abc") == "abc"
    assert under('(f "漢字" x)', "x") == "x"
    assert under('(f "漢字" x)', "漢字") == "漢字"
    assert under('(f "e\u0301" xyz)', "xyz") == "xyz"


def test_a_long_line_is_cut_around_the_culprit() -> None:
    for before in (0, 10, 30, 35, 100):
        for after in (0, 10, 30, 35, 100):
            line = "b" * before + "(car 5)" + "a" * after
            assert under(line, "(car 5)") == "(car 5)"
            above, _ = excerpt(line, "(car 5)")
            assert above.startswith("…") == (above[0] != line[0])
            assert above.endswith("…") == (above[-1] != line[-1])
    assert under("漢" * 50 + "(car 5)" + "字" * 50, "(car 5)") == "(car 5)"
    assert set(under("x" * 100, "x" * 100)) == {"x", "…"}


def test_the_first_line_of_a_culprit_of_several_lines() -> None:
    source = Source("(f (g 1\n      2) 3)", "<x>")
    assert Span(source, 3, 16).excerpt() == "(f (g 1\n   ^^^^"


def test_the_end_of_the_text_has_a_caret() -> None:
    assert Span(Source("(f ", "<x>"), 3, 3).excerpt() == "(f \n   ^"


# ── hints ────────────────────────────────────────────────────────────────────────────────────────────────────────────

HINTS = [
    # A misspelt name.
    (["(equl? 1 2)"], "did you mean equal?"),
    (["(lenght '(1))"], "did you mean length?"),
    (["(frist '(1))"], "did you mean first?"),
    (["(dispaly 1)"], "did you mean display?"),
    (["(lamda (x) x)"], "did you mean lambda?"),
    (["(define best-total 1)", "(best-totl '(ad))"], "did you mean best-total?"),
    (["(define (f my-hand) (first my-hnad))", "(f '(a))"], "did you mean my-hand?"),
    (["(define counter 1)", "(set! conuter 2)"], "did you mean counter?"),
    (["(define square-it 1)", "(squar-it 2)"], "did you mean square-it?"),
    # Extra brackets.
    (["((+ 1 2))"], "(+ 1 2) gives a number, not a procedure: one pair of brackets too many?"),
    (["(define x 5)", "(x)"], "x is 5, which is not a procedure"),
    (["(define (f x) (x 1))", "(f 'a)"], "x is a, which is not a procedure"),
    (["(5)"], "5 is a number, not a procedure: it needs no brackets"),
    (
        ["((display 'x) (newline))"],
        "(display 'x) gives no value to call: to do several things in order, use begin",
    ),
    # Infix.
    (["(3 + 4)"], "the procedure comes first: (+ 3 4)"),
    # A missing quote.
    (["(define (best-total hand) hand)", "(best-total (ad 8s))"], "did you forget a quote? '(ad 8s)"),
    (["(define hand (ad 8s))"], "did you forget a quote? '(ad 8s)"),
    (["(first (zip zap))"], "did you forget a quote? '(zip zap)"),
    (["(se 8h 7d)"], "did you forget a quote? '8h"),
    (["(first zonk)"], "did you forget a quote? 'zonk is the word itself"),
    (["(first (1 2 3))"], "1 is a number, not a procedure; did you forget a quote? '(1 2 3)"),
    # Special forms are not values; else.
    (["(map if '(1))"], "a special form is not a value: it can't be passed, returned or printed"),
    (["(if else 1 2)"], "else has its meaning only at the start of the last clause of cond or case"),
    # = on words.
    (["(= 'joker 'joker)"], "= compares numbers; for words and lists use equal?"),
    (["(= '() '(a))"], "= compares numbers; for words and lists use equal?"),
    (["(< 'a 'b)"], "< compares numbers; for words use before?"),
    # Swapped arguments.
    (["(item '(a b) 1)"], "are the arguments swapped? It is called as (item n thing)"),
    (["(every '(1 2) square)"], "are the arguments swapped? It is called as (every procedure thing)"),
    (["(keep '(1 2) even?)"], "are the arguments swapped? It is called as (keep predicate thing)"),
    (["(member? '(a b) 'a)"], "are the arguments swapped? It is called as (member? word thing)"),
    (["(define (f x y) (accumulate x y))", "(f '(1 2) +)"], "are the arguments swapped? It is called as (accumulate "),
    (["(map '(1 2) square)"], "are the arguments swapped? It is called as (map procedure list"),
    (["(list-ref 1 '(a b))"], "are the arguments swapped? It is called as (list-ref list"),
    # What is no value, and what was not called.
    (["(+ 1 (if #f #f))"], "okay means that there was no value: is an else missing"),
    (["(define (total) 1)", "(+ 1 total)"], "total is a procedure, and was not called: (total …)"),
    # How it is called.
    (["(define (f x . rest) x)", "(f)"], "it is called as (f x . rest)"),
    (["(bf 1 2)"], "it is called as (bf "),
    (["((lambda (x y) x))"], "its parameters are (x y)"),
    (["(define (add x y) x)", "(map add '(1))"], "it is called as (add x y)"),
    (["(define (add x y) x) (trace add)", "(add 1)"], "it is called as (add x y)"),
    (["(if)"], "expected (if test consequent [alternative])"),
]


@pytest.mark.parametrize(("texts", "hint"), HINTS)
def test_hints(texts: list[str], hint: str) -> None:
    error = error_of(*texts)
    assert error.hint is not None, str(error)
    assert error.hint.startswith(hint)
    assert f"\n  {error.hint}" in report(error)


@pytest.mark.parametrize(
    "texts",
    [
        ["x"],
        ["(ab 1)"],
        ["(foo 5)"],
        ["(define ad 1)", "(+ 1 ab)"],
        ["(hash-frobnicate 1)"],
        ["(car 5)"],
        ["(item 5 '(a b))"],
        ["(item 'x '(a b))"],
        ["(keep even? 'abc)"],
        ["(accumulate max '())"],
        ["(define (= a b) (car a))", "(= 'a 'b)"],
        ["(< 1 (vector))"],
        ["(member? 'at 'cat)"],
        ['(error "x" car)'],
        ["(define (f x) (foo x))", "(f 1)"],
    ],
)
def test_no_hint_is_better_than_a_wrong_one(texts: list[str]) -> None:
    assert error_of(*texts).hint is None


# ── no error escapes, no report fails ────────────────────────────────────────────────────────────────────────────────

SEEDS = """
(define (f x . r) (if (null? x) r (f (cdr x) (car x) r)))
(let loop ((i 0) (s '())) (if (< i 5) (loop (+ i 1) (se i s)) (every square s)))
(define (best hand) (cond ((empty? hand) 0) ((equal? (bl (first hand)) 'a) (+ 11 (best (bf hand)))) (else (car hand))))
(best '(ad 10s kh))
(map (lambda (x y) (* x y)) '(1 2) (vector->list #(3 4)))
(let* ((a 1) (b (+ a 1))) (set! a (list b 'c "d" #\\e 1.5)) (vector-ref (list->vector a) b))
(do ((i 0 (+ i 1)) (acc '() (cons i acc))) ((= i 3) (apply + acc)))
(define-syntax swap! (syntax-rules () ((_ a b) (let ((t a)) (set! a b) (set! b t)))))
(case (word 1 0) ((10) `(yes ,(+ 1 2) ,@(list 3 4))) (else 'no))
(call/cc (lambda (k) (dynamic-wind (lambda () 1) (lambda () (k (force (delay 5)))) (lambda () 2))))
(accumulate word (keep (lambda (w) (member? 'a w)) '(banana cherry apple)))
(string-append (symbol->string 'abc) (number->string (/ 1 3)) (substring "hello" 1 3))
"""


def mutated(generator: random.Random, pieces: list[str]) -> str:
    text = generator.choice(pieces)
    for _ in range(generator.randint(1, 4)):
        tokens = text.replace("(", " ( ").replace(")", " ) ").split()
        place = generator.randrange(len(tokens))
        action = generator.randrange(4)
        if action == 0:
            del tokens[place]
        elif action == 1:
            tokens.insert(place, generator.choice(tokens))
        elif action == 2:
            other = generator.choice(pieces).replace("(", " ( ").replace(")", " ) ").split()
            tokens[place] = generator.choice(other)
        else:
            second = generator.randrange(len(tokens))
            tokens[place], tokens[second] = tokens[second], tokens[place]
        text = " ".join(tokens) or "()"
    return text


@contextmanager
def no_longer_than(seconds: float) -> Iterator[None]:
    """Ctrl-C after a time: a mutated loop may have no end."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timer to end endless programs")
def test_whatever_goes_wrong_has_a_report() -> None:
    generator = random.Random(1729)
    pieces = SEEDS.strip().splitlines()
    session = Session(output=io.StringIO(), input=io.StringIO(""))
    errors = 0
    for _ in range(800):
        text = mutated(generator, pieces)
        try:
            with no_longer_than(0.5):
                session.eval(text)
        except (SchemeExit, KeyboardInterrupt):
            continue
        except SchemeError as error:
            errors += 1
            shown_text = report(error)
            assert shown_text.startswith("*** Error"), text
            assert all(columns(line) <= 80 for line in shown_text.split("\n") if line.startswith("  | ")), text
            for word in ("Traceback", "NoneType", "<function", "object at 0x", "' object", "positional"):
                assert word not in shown_text, f"{text}: {shown_text}"
        if generator.random() < 0.02:
            session = Session(output=io.StringIO(), input=io.StringIO(""))
    assert errors > 250


def test_any_error_can_be_reported() -> None:
    """Also one that an embedding program makes."""
    source = Source("", "<x>")
    for span in (None, Span(source, 0, 0), Span(Source("a\r\nb", "f.scm"), 3, 4), Span(Source("a\n", "f"), 2, 2)):
        for irritants in ((), (1,), (intern("a"), list_of([1, 2]))):
            error = SchemeError("message:", *irritants, span=span, hint="hint")
            error.activations = (Activation("f", span), Activation("g", None, 7))
            assert report(error).startswith("*** Error")
    assert report(SchemeError("")) == "*** Error:\n    "


@pytest.mark.parametrize(
    ("program", "hint"),
    [
        (
            "(define (stop-at-17 hand up) #t) (define (play s) (s '() 'ad))\n(play (stop-at-17))",
            "to pass the procedure itself, write stop-at-17 without brackets",
        ),
        (
            "(define (f a b) a)\n(define (f a) a)\n(+ 1 (f 1 2))",
            "f was redefined: it is called as (f a), and before it was called as (f a b)",
        ),
        ("(+ 1 (bf '10s))", "the rank is all but the last letter, (bl '10s)"),
    ],
)
def test_hints_for_a_beginners_usual_mistakes(program: str, hint: str) -> None:
    assert hint in shown(program)


def test_the_trail_shows_arguments() -> None:
    lines = shown("(define (f a . rest) (car a))", '(define (g x) (+ 1 (f x \'b "c")))', "(g '(1 2))(g 5)").splitlines()
    assert lines[-2] == '  in f at <eval>:1:22 with a = 5, rest = (b "c")'
    assert lines[-1] == "  in g at <eval>:1:20 with x = 5"


def test_a_long_argument_is_cut() -> None:
    lines = shown("(define (f l) (+ 1 (car (cdr l) 2)))", "(f (iota 1000000))").splitlines()
    assert lines[-1].startswith("  in f at <eval>:1:20 with l = (0 1 2")
    assert lines[-1].endswith("…")
