"""Pictures of values as text: those of SICP's figures, and of what the book has no figure for."""

from __future__ import annotations

import io
import random
import re
from itertools import pairwise
from pathlib import Path

import pytest

from minischeme import Session
from minischeme.data.values import NIL, Environment, Pair, Promise, String, Value, Vector, intern
from minischeme.drawing.contents import MOST_SHAPES
from minischeme.drawing.picture import draw, picture_of
from minischeme.drawing.text import picture_text
from minischeme.runtime.ports import OutputPort

PICTURES = (Path(__file__).parent / "pictures.txt").read_text(encoding="utf-8").strip("\n").split("\n\n")
"""Expressions, each with its picture below it."""


def text_of(value: Value, width: int = 80, *, ascii_only: bool = False) -> str:
    return picture_text(picture_of([value], width=width), ascii_only=ascii_only)


def drawn(*texts: str, width: int = 80) -> str:
    """The picture of the value of a program."""
    session = Session()
    return text_of([session.eval(text) for text in texts][-1], width)


@pytest.mark.parametrize("example", PICTURES, ids=lambda example: example.partition("\n")[0][:40])
def test_pictures(example: str) -> None:
    text, _, picture = example.partition("\n")
    assert drawn(text) == picture + "\n"


def test_forty_columns() -> None:
    assert (
        drawn("'(four score and seven years ago)", width=40)
        == """\
┌──────┬───┐  ┌───────┬───┐
│ four │ •─┼─▶│ score │ •─┼─┐
└──────┴───┘  └───────┴───┘ │
  ┌─────────────────────────┘
  ▼
┌─────┬───┐  ┌───────┬───┐
│ and │ •─┼─▶│ seven │ •─┼─┐
└─────┴───┘  └───────┴───┘ │
  ┌────────────────────────┘
  ▼
┌───────┬───┐  ┌─────┬───┐
│ years │ •─┼─▶│ ago │ ╱ │
└───────┴───┘  └─────┴───┘
"""
    )


def test_ascii() -> None:
    value = Session().eval('(cons (delay 1) (string->symbol "caf\xe9"))')
    assert (
        text_of(value, ascii_only=True)
        == """\
+---+------+
| * | caf? |
+-+-+------+
  v
+ promise ---+
| not forced |
+------------+
"""
    )


class Stream(io.StringIO):
    """A text stream with an encoding."""

    def __init__(self, encoding: str, *, is_terminal: bool = False) -> None:
        super().__init__()
        self._encoding, self._is_terminal = encoding, is_terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    def isatty(self) -> bool:
        return self._is_terminal


@pytest.mark.parametrize(
    ("encoding", "is_terminal", "term", "plain"),
    [
        ("utf-8", True, "xterm", False),
        ("latin-1", True, "xterm", True),
        ("ascii", False, "xterm", True),
        ("utf-8", True, "dumb", True),
        ("utf-8", False, "dumb", False),
    ],
)
def test_characters_that_the_output_can_show(
    encoding: str, is_terminal: bool, term: str, plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    stream = Stream(encoding, is_terminal=is_terminal)
    draw(OutputPort(stream), [Pair(1, NIL)])
    assert stream.getvalue().isascii() == plain
    assert "1" in stream.getvalue()


def test_wide_characters_keep_their_columns() -> None:
    assert drawn("'(漢字 x)").splitlines()[:2] == ["┌──────┬───┐  ┌───┬───┐", "│ 漢字 │ •─┼─▶│ x │ ╱ │"]


def test_several_values_are_drawn_together_with_their_names() -> None:
    session = Session()
    session.eval("(define x (list 'a 'b)) (define y (cons 1 (cdr x)))")
    values = [session.eval("x"), session.eval("y"), session.eval("(+ 1 2)")]
    assert (
        picture_text(picture_of(values, ["x", "y", "(+ 1 2)"]))
        == """\
             ┌───┬───┐  ┌───┬───┐
x        •──▶│ a │ •─┼─▶│ b │ ╱ │
             └───┴───┘  └───┴───┘
                          ▲
             ┌───┬───┐    │
y        •──▶│ 1 │ •─┼────┘
             └───┴───┘

(+ 1 2)  3
"""
    )


# ── environments (SICP 3.2) ──────────────────────────────────────────────────────────────────────────────────────────

ACCOUNT = """
(define (make-account balance)
  (define (withdraw amount) (set! balance (- balance amount)) balance)
  (define (deposit amount) (set! balance (+ balance amount)) balance)
  (define (dispatch m) (if (eq? m 'withdraw) withdraw deposit))
  dispatch)
(define acc (make-account 100))
((acc 'withdraw) 30)
"""


def test_procedures_of_one_call_share_a_frame() -> None:
    text = drawn(ACCOUNT, "acc")
    assert text.count("frame of make-account") == 1
    assert "balance    70" in text
    assert text.count("parameters: (amount)") == 2
    assert all(name in text for name in ("withdraw", "deposit", "dispatch", "global environment", "acc  "))


def test_each_call_has_a_frame() -> None:
    text = drawn(ACCOUNT, "(list acc (make-account 50))")
    assert text.count("frame of make-account") == 2
    assert re.findall(r"balance +(\d+)", text) == ["70", "50"]
    assert text.count("global environment") == 1


def test_procedures_that_were_made_together_share_what_they_assign() -> None:
    make = "(define (make n) (list (lambda () (set! n (+ n 1)) n) (lambda () n)))"
    assert drawn(make, "(make 1)").count("frame of make") == 1


def test_frames_of_a_procedure_that_was_entered_again() -> None:
    session = Session()
    session.eval("(define k #f) (define n 0)")
    session.eval(
        "(define (f x) (let ((y (call/cc (lambda (c) (set! k c) 1)))) (define (g z) (+ x y z)) (lambda () g)))"
    )
    session.eval("(define h (f 5))")
    session.eval("(if (= n 0) (begin (set! n 1) (k 2)))")
    text = text_of(session.eval("h"))
    assert all(re.search(line, text) for line in ("x +5", "y +2", "frame of f"))


def test_frames_enclose_one_another() -> None:
    session = Session()
    session.eval("(define (f x) (lambda (y) (lambda (z) (+ x y z))))")
    picture = picture_of([session.eval("((f 1) 2)")])
    titles = [shape.title for shape in picture.shapes if shape.title]
    assert titles == ["frame", "frame of f", "global environment"]


OURS = {
    *("parameters", "body", "frame", "of", "global", "environment", "enclosing", "object", "class", "promise", "not"),
    *("forced", "procedure", "parameter", "continuatio", "default", "vector"),
}


@pytest.mark.parametrize(
    "program",
    [
        "(define-syntax swap (syntax-rules () ((_ a b) (let ((tmp a)) (lambda () (set! a b) tmp)))))"
        "(define (g p q) (swap p q)) (g 1 2)",
        "(define (h n) (do ((i 0 (+ i 1)) (kept '() (cons (lambda () i) kept))) ((= i n) kept))) (h 3)",
        "(define (h n) (let loop ((i n)) (if (= i 0) (lambda () (loop n)) (loop (- i 1))))) (h 3)",
        "(define (k s) (case s ((1) (lambda () s)) (else 2))) (k 1)",
        "(define-class (c n) (class-vars (all '())) (default-method message) (method (me) self)) (instantiate c 2)",
        "(define-class (c n) (method (me) self)) c",
        "(define (p) (delay (car '()))) (cons (p) (make-parameter 5))",
        "(call/cc (lambda (k) (vector k 1)))",
        "(define (o #!optional a . rest) (lambda () (list a rest))) (o)",
    ],
)
def test_no_name_is_shown_that_the_program_does_not_have(program: str) -> None:
    own = set(re.findall(r"[\w!?*+-]+", program)) | OURS
    assert set(re.findall(r"[a-z][\w!?*+-]*", drawn(program))) <= own


def test_all_that_a_program_has_defined() -> None:
    session = Session()
    session.eval("(define x 5) (define l '(1)) (define (f) l) (define |odd'name| 1)")
    session.prompt.name_values()
    session.prompt.evaluate_and_print("x")
    text = picture_text(picture_of([session.eval("(the-environment)")], bindings=session.globals))
    assert all(name in text for name in ("x  ", "l  ", "f  ", "odd'name"))
    assert "$" not in text
    assert text.count("global environment") == 1
    assert text.count("parameters") == 1


@pytest.mark.parametrize(
    ("procedure", "lines"),
    [
        ('(define (f a #!optional b) ; a "comment\n  (list a b)) f', ["(a #!opti…", "(list a b)"]),
        ('(define f (lambda args "; no comment" args)) f', ["args", '"; no comment"']),
        ("(define (f . args) 'x) f", ["args", "'x"]),
        ("(define ((f a) b) (+ a b)) (f 1)", ["(b)", "(+ a b)"]),
    ],
)
def test_texts_of_procedures(procedure: str, lines: list[str]) -> None:
    text = drawn(procedure)
    assert f"parameters: {lines[0]}\n" in text
    assert re.search(rf"body: {re.escape(lines[1])}( args)?\n", text)


# ── limits ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "program",
    [
        "(let loop ((i 0) (l '())) (if (= i 100000) l (loop (+ i 1) (cons i l))))",
        "(let loop ((i 0) (l '())) (if (= i 100000) l (loop (+ i 1) (list l))))",
        "(make-vector 100000 '(1 2))",
        "(vector->list (make-vector 1000 (make-vector 1000 'x)))",
    ],
)
def test_large_values_end_with_an_ellipsis(program: str) -> None:
    value = Session().eval(program)
    picture = picture_of([value])
    assert len(picture.shapes) <= MOST_SHAPES + 1
    assert "…" in picture_text(picture)


def test_two_hundred_pairs_are_all_drawn() -> None:
    text = drawn("(let loop ((i 0) (l '())) (if (= i 199) l (loop (+ i 1) (cons i l))))")
    assert re.findall(r"│ (\d+) │ [•╱]", text) == [str(number) for number in reversed(range(199))]
    assert "…" not in text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("(make-string 100 #\\a)", '"aaaaaaaaaaaaaaaaaaaaaa…'),
        ('"tab\\t<&>"', '"tab\\t<&>"'),
        ("(expt 10 100)", "10000000000000000000000…"),
        ("(current-output-port)", "#[output-port console]"),
        ("(if #f #f)", "okay"),
        ("car", "#[subr car]"),
        ("(make-equal-hash-table)", None),
        ("#\\space", "#\\space"),
        ('(string->symbol "")', "||"),
    ],
)
def test_values_without_parts_are_drawn_as_they_are_written(value: str, text: str | None) -> None:
    assert drawn(value).startswith(text or "#[hash-table")
    assert drawn(f"(list {value})").count("┌") == 1


# ── width ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def width_of(text: str) -> int:
    return max(map(len, text.splitlines()))


@pytest.mark.parametrize("width", [40, 80])
def test_a_procedure_with_its_environment_fits_the_width(width: int) -> None:
    session = Session()
    session.eval(ACCOUNT)
    values = [session.eval("(make-account 3)"), Environment()]
    text = picture_text(picture_of(values, ["(make-account 3)", "global"], width=width, bindings=session.globals))
    assert width_of(text) <= width
    assert text.count("global environment") == 1


def test_long_names_fit_the_width() -> None:
    name = "a-name-that-is-longer-than-a-line-of-forty-columns"
    assert width_of(drawn(f"(define ({name} {name}-2) (lambda () {name}-2)) ({name} 'ball)", width=40)) <= 40


@pytest.mark.parametrize("seed", [13, 18, 24, 75, 88, 119, 155])
def test_graphs_with_many_arrows_fit_the_width(seed: int) -> None:
    chance, width = random.Random(seed), (40, 80)[seed % 2]
    number = chance.choice([5, 10, 20, 40])
    parts = [Pair(NIL, NIL) if chance.random() < 0.8 else Vector([1] * chance.randint(2, 4)) for _ in range(number)]
    for part in parts:
        if type(part) is Pair:
            part.car, part.cdr = chance.choice(parts), chance.choice(parts)
        elif type(part) is Vector:
            part[:] = [chance.choice(parts) for _ in part]
    assert width_of(text_of(parts[0], width)) <= width


# ── every picture ────────────────────────────────────────────────────────────────────────────────────────────────────


def random_value(seed: int) -> Value:
    """Pairs, vectors and promises that lead to one another, with sharing and cycles."""
    chance = random.Random(seed)
    parts: list[Value] = []
    for _ in range(chance.choice([1, 2, 3, 5, 8, 13, 25])):
        parts.append(
            chance.choice([Pair(NIL, NIL), Pair(NIL, 1), Vector([1] * chance.randint(1, 5)), Promise(None, 1)])
        )
    back = chance.choice([0.0, 0.1, 0.4])

    def one(index: int) -> Value:
        if chance.random() < back:
            return chance.choice(parts)
        return parts[index + 1] if index + 1 < len(parts) and chance.random() < 0.6 else chance.choice(ATOMS)

    for index, part in enumerate(parts):
        if type(part) is Pair:
            part.car, part.cdr = one(index), one(index)
        elif type(part) is Vector:
            part[:] = [one(index) for _ in part]
        else:
            part.value = one(index)
    return parts[0]


ATOMS = [1, NIL, intern("word"), String("a\n<b>")]


@pytest.mark.parametrize("seed", range(60))
def test_arrows_pass_no_shape_and_shapes_do_not_overlap(seed: int) -> None:
    picture = picture_of([random_value(seed)], width=(40, 80)[seed % 2])
    at = {}
    for shape in picture.shapes:
        for x in range(shape.x, shape.x + shape.width):
            for y in range(shape.y, shape.y + shape.height):
                assert (x, y) not in at
                at[x, y] = shape
    dots = {id(slot) for shape in picture.shapes for slot in shape.slots if not slot.text}
    assert dots == {id(arrow) for arrow in picture.arrows}
    heads = {arrow.path[-2]: arrow.target for arrow in picture.arrows}
    for arrow in picture.arrows:
        path = arrow.path
        assert all(heads.get(point, arrow.target) is arrow.target for point in path)
        assert path[0] == (arrow.x, arrow.y)
        assert all(abs(x - u) + abs(y - v) == 1 for (x, y), (u, v) in pairwise(path))
        assert at[path[-1]] is arrow.target
        outside = next(index for index, point in enumerate(path) if at.get(point) is not arrow.shape)
        assert not any(point in at for point in path[outside:-1])
        assert all(0 <= x < picture.width and 0 <= y < picture.height for x, y in path)


def test_arrows_without_room_are_numbered_as_by_write() -> None:
    parts = [Pair(NIL, NIL) for _ in range(40)]
    chance = random.Random(1)
    for part, following in pairwise([*parts, parts[0]]):
        part.car, part.cdr = chance.choice(parts), following
    text = text_of(parts[0])
    references, titles = set(re.findall(r"#(\d+)# ", text)), set(re.findall(r"#(\d+)= ", text))
    assert references
    assert references == titles == {str(number) for number in range(1, len(titles) + 1)}


@pytest.mark.parametrize("seed", range(20))
def test_the_same_value_gives_the_same_picture(seed: int) -> None:
    assert text_of(random_value(seed)) == text_of(random_value(seed))
