"""Every standard procedure, given what it does not take: it says so in Scheme's words, whichever way it is called."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator

import pytest

from minischeme import Session
from minischeme.errors import SchemeError, SchemeExit, report
from minischeme.primitives import MODULES
from minischeme.primitives.kinds import Kind
from minischeme.primitives.registry import DIALECTS, Primitive, primitives_in
from minischeme.printer import write
from minischeme.signatures import signature
from minischeme.values import (
    EOF,
    NIL,
    TRUE,
    UNSPECIFIED,
    Bytevector,
    Char,
    Pair,
    Procedure,
    Promise,
    String,
    Value,
    Vector,
    intern,
    list_of,
)

ALL = [
    pytest.param(dialect, known, id=f"{dialect} {known.names[0]}")
    for dialect in DIALECTS
    for known in dict.fromkeys(primitives_in(MODULES, dialect).values())
    if not known.names[0].startswith("%")
]
INTERNAL = [
    known for known in dict.fromkeys(primitives_in(MODULES, "berkeley").values()) if known.names[0].startswith("%")
]

PYTHON_WORDS = re.compile(
    r"\b(objects?|int|float|str|NoneType|None|True|False|attribute|positional|tuple|dict|keyword|unsupported"
    r"|subscriptable|iterable|callable|instance|Python|Vector|Pair|Symbol|String|Rational|_\w+|\w+_)\b|<class|<function"
)

WAYS = {
    "called, where it may be integrated": "(list ({name} {arguments}))",
    "called in tail position": "({name} {arguments})",
    "applied": "(apply {name} (list {arguments}))",
    "passed to a procedure": "(list (call-it {name} {arguments}))",
    "passed, and called in tail position": "(call-it {name} {arguments})",
}
"""Each as the body of a procedure."""

STOP_EARLY = {"memq", "memv", "member"}
"""What may find its element before it sees that the list is none."""

DOTTED = 3
"""The place of a dotted list in `Bench.values`."""

MOST = 5
"""The most arguments that are tried."""

NOT_NAMED = {"=", "<", ">", "<=", ">=", "force"}
"""What the course's interpreter complains of without a name: ``Bad number in a comparison``, ``Not a promise``."""


class Bench:
    """A session with values of all kinds.

    Args: dialect: the session's.
    """

    def __init__(self, dialect: str) -> None:
        self.session = Session(dialect, output=io.StringIO(), input=io.StringIO(""))
        self.session.eval("(define (call-it f . arguments) (apply f arguments))")
        self.procedures: list[Procedure] = [
            self.session.eval(text) for text in ("(lambda () 1)", "(lambda (x) x)", "(lambda (x y) x)")
        ]

    def values(self) -> list[Value]:
        """Fresh ones, for some procedures change what they are given."""
        return [
            intern("a"),
            TRUE,
            NIL,
            Pair(1, 2),
            list_of([1, 2]),
            String("abc"),
            String("12"),
            Char.of("x"),
            Vector([1, 2]),
            Bytevector(b"ab"),
            -3,
            0,
            1,
            1.5,
            *self.procedures,
            EOF,
            UNSPECIFIED,
            Promise(None, 1),
        ]

    def define_attempt(self, name: str, body: str, count: int) -> None:
        """Define how the following attempts call a procedure."""
        parameters = " ".join("abcde"[:count])
        self._attempt = self.session.eval(f"(lambda ({parameters}) {body.format(name=name, arguments=parameters)})")

    def attempt(self, arguments: list[Value]) -> Value | SchemeError:
        """What becomes of an attempt: the value or the error."""
        try:
            return self.session.call(self._attempt, *arguments)
        except SchemeError as error:
            return error
        except SchemeExit:
            return UNSPECIFIED


@pytest.fixture(scope="module")
def benches() -> dict[str, Bench]:
    return {dialect: Bench(dialect) for dialect in DIALECTS}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some procedures write files."""
    monkeypatch.chdir(tmp_path_factory.getbasetemp())


def python_parameters(known: Primitive) -> Iterator[str]:
    """The Python name of each parameter, the rest parameter's again and again."""
    code = known.function.__code__
    yield from code.co_varnames[: code.co_argcount]
    while known.arity[1] is None:
        yield code.co_varnames[code.co_argcount + code.co_kwonlyargcount]


def kinds_of(known: Primitive, count: int) -> list[Kind | None]:
    """The kinds of the first parameters, None for those that take anything."""
    kinds = known.kinds
    return [kinds.get(name) for name, _ in zip(python_parameters(known), range(count), strict=False)]


def check(error: SchemeError, known: Primitive, arguments: list[Value]) -> None:
    """Whether an error is one that a student can read."""
    message = str(error)
    report(error)
    written = [write(value) for value in arguments]
    bare = message
    for text in [*known.names, *sorted(written, key=len, reverse=True)]:
        bare = bare.replace(text, "")
    assert not PYTHON_WORDS.search(bare), message
    named = any(name in message.lower() for name in known.names)
    assert named or NOT_NAMED.intersection(known.names), message
    calls_procedures = re.search(r"too (few|many) arguments|not calculable", message)
    assert calls_procedures or not arguments or any(text in message for text in written), message


@pytest.mark.parametrize(("dialect", "known"), ALL)
def test_a_wrong_argument_is_named_with_its_procedure(
    dialect: str, known: Primitive, benches: dict[str, Bench]
) -> None:
    bench = benches[dialect]
    least, most = known.arity
    name = known.names[0]
    for position, kind in enumerate(kinds_of(known, min(MOST, least + 2 if most is None else most))):
        if kind is None:
            continue
        count = max(least, position + 1)
        wrong_values = [index for index, value in enumerate(bench.values()) if not kind.test(value)]
        if name in STOP_EARLY:
            wrong_values.remove(DOTTED)
        for number, body in enumerate(WAYS.values()):
            bench.define_attempt(name, body, count)
            # All values in the way that may be integrated, a few of them in the other ways.
            for index in wrong_values if number == 0 else wrong_values[number :: 2 * len(WAYS)]:
                values = bench.values()
                arguments = fitting(known, count, values)
                arguments[position] = values[index]
                result = bench.attempt(arguments)
                shown = f"({name} {' '.join(map(write, arguments))})"
                assert isinstance(result, SchemeError), f"{shown} → {write(result)}"
                check(result, known, arguments)


def fitting(known: Primitive, count: int, values: list[Value]) -> list[Value]:
    """Arguments that a procedure takes, as far as its kinds tell."""
    return [
        next((value for value in reversed(values) if kind.test(value)), 0) if kind is not None else 1
        for kind in kinds_of(known, count)
    ]


@pytest.mark.parametrize(("dialect", "known"), ALL)
def test_anything_at_all_gives_a_value_or_an_error(dialect: str, known: Primitive, benches: dict[str, Bench]) -> None:
    """Also where a parameter names no kind, or the number of arguments is wrong."""
    bench = benches[dialect]
    least, most = known.arity
    name = known.names[-1]
    pool = len(bench.values())
    for count in range(max(0, least - 1), min(MOST, (least + 2) if most is None else most + 1) + 1):
        for number, body in enumerate(list(WAYS.values())[::2]):
            bench.define_attempt(name, body, count)
            for turn in range(4):
                values = bench.values()
                arguments = [values[(number + turn * 7 + place * (3 + turn)) % pool] for place in range(count)]
                result = bench.attempt(arguments)
                if isinstance(result, SchemeError):
                    message = str(result)
                    report(result)
                    for text in [*known.names, *sorted(map(write, arguments), key=len, reverse=True)]:
                        message = message.replace(text, "")
                    assert not PYTHON_WORDS.search(message), str(result)
                else:
                    assert result is not None
                    assert not isinstance(result, bool | str | tuple), (name, arguments)
                    write(result)


@pytest.mark.parametrize(("dialect", "known"), ALL)
def test_a_wrong_number_of_arguments_names_the_procedure(
    dialect: str, known: Primitive, benches: dict[str, Bench]
) -> None:
    bench = benches[dialect]
    least, most = known.arity
    name = known.names[-1]
    wrong = [("few", least - 1)] if least else []
    if most is not None and most < MOST:
        wrong.append(("many", most + 1))
    for word, count in wrong:
        for body in WAYS.values():
            bench.define_attempt(name, body, count)
            result = bench.attempt([1] * count)
            assert isinstance(result, SchemeError), f"{name} takes {count} arguments"
            message = str(result)
            assert f"too {word} arguments to: (" in message
            assert any(f"({known_name}" in message for known_name in known.names), message
            assert result.hint is not None
            assert any(f"({known_name}" in result.hint for known_name in known.names), result.hint


@pytest.mark.parametrize(("dialect", "known"), ALL)
def test_what_help_shows(dialect: str, known: Primitive) -> None:
    assert known.names
    assert dialect in known.dialects
    assert re.fullmatch(r"\S.*\S", known.doc), f"{known.names[0]} needs a line of help"
    assert known.doc.endswith((".", "…")), known.doc
    assert len(known.doc) <= 120
    shown = signature(known.function)
    assert shown is not None
    assert re.fullmatch(r"\(\S+( [a-z0-9!?*<>=/+-]+)*( \[[a-z0-9!?*<>=/+-]+\])*( [a-z0-9-]+ …)?\)", shown), shown
    assert len(set(known.parameters)) == len(known.parameters)


def test_there_are_few_procedures_that_are_not_for_programs() -> None:
    assert len(INTERNAL) <= 12


def test_the_same_name_means_one_procedure_in_a_dialect() -> None:
    for dialect in DIALECTS:
        seen: dict[str, Primitive] = {}
        for known in dict.fromkeys(primitives_in(MODULES, dialect).values()):
            for name in known.names:
                assert name not in seen, f"{name} is defined twice for {dialect}"
                seen[name] = known


def message_of(text: str, dialect: str = "berkeley") -> str:
    with pytest.raises(SchemeError) as caught:
        Session(dialect, output=io.StringIO()).eval(text)
    return str(caught.value)


EXAMPLES: list[tuple[str, str]] = [
    ("(+ 'a 1)", "+: not a number: a"),
    ("(+ 1 'a)", "+: not a number: a"),
    ("(+ car 1)", "+: not a number: #[subr car]"),
    ("(* 2 (vector 1) 3)", "*: not a number: #(1)"),
    ("(square 'a)", "square: bad number: a"),
    ("(1+ 'a)", "1+: bad number: a"),
    ('(zero? "x")', 'zero?: bad number: "x"'),
    ('(symbol->string "a")', 'symbol->string: bad symbol: "a"'),
    ("(exact->inexact 'a)", "exact->inexact: bad number: a"),
    ("(call/cc 5)", "call/cc: not a procedure: 5"),
    ('(string-append "a" \'b)', "string-append: bad string: b"),
    ("(vector-ref '(1) 0)", "vector-ref: not a vector: (1)"),
    ("(vector-ref 5 0)", "vector-ref: not a vector: 5"),
    ("(vector-ref (vector 1 2) 1.5)", "vector-ref: bad index: 1.5"),
    ("(vector-ref (vector 1 2) -1)", "vector-ref: bad index: -1"),
    ("(+ (expt 10 400) 1.5)", "+: number too large for inexact arithmetic"),
]


@pytest.mark.parametrize(("text", "message"), EXAMPLES)
def test_examples(text: str, message: str) -> None:
    assert message_of(text) == message


def test_a_wrong_count_in_a_call_by_a_primitive_names_the_users_procedure() -> None:
    session = Session()
    calls: list[tuple[str, str, str]] = [
        ("(map add '(1 2))", "too few arguments to: add, called by map", "(add x y)"),
        ("(every add '(1 2))", "too few arguments to: add, called by every", "(add x y)"),
        ("(vector-map car (vector 1) (vector 2))", "too many arguments to: car, called by vector-map", "(car pair)"),
        ("(keep cons '(1 2))", "too few arguments to: cons, called by keep", "(cons car cdr)"),
        ("(map (lambda (x y) x) '(1 2))", "too few arguments to: lambda, called by map", "(x y)"),
        ("(for-each (lambda () 1) '(1 2))", "too many arguments to: lambda, called by for-each", "()"),
    ]
    session.eval("(define (add x y) (+ x y))")
    for text, message, shape in calls:
        with pytest.raises(SchemeError) as caught:
            session.eval(text)
        assert str(caught.value) == message
        assert caught.value.hint is not None, text
        assert caught.value.hint.endswith(shape), text


def test_a_primitive_added_in_one_place_is_known_everywhere() -> None:
    """A kind is enough for its errors."""
    for_testing: Callable[..., Value] = Session().library["string-length"]
    assert signature(for_testing) == "(string-length string)"  # type: ignore[arg-type]
    assert message_of("(string-length 'a)") == "string-length: bad string: a"
