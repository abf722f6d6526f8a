"""Every standard procedure of the registry, given what it does not take: it says so in Scheme's words, whichever way it
is called; and a name means one procedure, known everywhere."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator

import pytest
from sessions import NOT_NAMED, PYTHON_WORDS, error_in, error_of, with_everything

from minischeme import Session
from minischeme.data.errors import SchemeError, SchemeExit, report
from minischeme.data.printer import write
from minischeme.data.values import (
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
from minischeme.evaluation.procedures import signature
from minischeme.primitives.kinds import Kind
from minischeme.primitives.registry import DIALECTS, PRIMITIVES, Primitive, primitive
from minischeme.runtime.names import standard_value

ALL = [
    pytest.param(dialect, module, id=f"{dialect}-{module.rpartition('.')[2]}")
    for dialect in DIALECTS
    for module in dict.fromkeys(known.function.__module__ for known in PRIMITIVES[dialect].values())
]
"""Each module of primitives in each dialect: a test for each primitive would take longer to start than to run."""

WAYS = ("called", "passed", "passed and called last", "applied")
"""How a procedure may be called: by its name, where it may be integrated; or as a value."""

STOP_EARLY = {"memq", "memv", "member"}
"""What may find its element before it sees that the list is none."""

DOTTED = 3
"""The place of a dotted list in `Bench.values`."""

MOST = 5
"""The most arguments that are tried."""


class Bench:
    """A session with values of all kinds.

    Args: dialect: the session's. step: what part of the values is tried: every so-manyth.
    """

    def __init__(self, dialect: str, step: int) -> None:
        self.step = step
        self.session = with_everything(dialect, output=io.StringIO(), input=io.StringIO(""))
        self._callers: dict[tuple[str, int], Procedure] = {}
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

    def caller(self, way: str, name: str, count: int) -> list[Value]:
        """What to call, and its first arguments, for a call of a procedure in this way with so many arguments."""
        if (way, count) not in self._callers and way != "called":
            parameters = " ".join("abcdeg"[:count])
            bodies = {
                "passed": f"(list (f {parameters}))",
                "passed and called last": f"(f {parameters})",
                "applied": f"(apply f (list {parameters}))",
            }
            self._callers[way, count] = self.session.eval(f"(lambda (f {parameters}) {bodies[way]})")
        if way != "called":
            return [self._callers[way, count], standard_value(self.session.library, name)]
        parameters = " ".join("abcdeg"[:count])
        return [self.session.eval(f"(lambda ({parameters}) (list ({name} {parameters})))")]

    def attempt(self, caller: list[Value], arguments: list[Value]) -> Value | SchemeError:
        """What becomes of an attempt: the value or the error."""
        try:
            return self.session.call(*caller, *arguments)
        except SchemeError as error:
            return error
        except SchemeExit:
            return UNSPECIFIED


@pytest.fixture(scope="module")
def benches() -> dict[str, Bench]:
    """The procedures of both dialects are mostly the same: one of them gets the closer look."""
    return {"berkeley": Bench("berkeley", 2), "r7rs": Bench("r7rs", 5)}


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


def without(error: SchemeError, known: Primitive, arguments: list[Value]) -> str:
    """A message without names and values, which are the program's own; that it can be reported is tried, too."""
    report(error)
    message = str(error)
    for text in [*known.names, *sorted(map(write, arguments), key=len, reverse=True)]:
        message = message.replace(text, "")
    return message


def check(error: SchemeError, known: Primitive, arguments: list[Value]) -> None:
    """Whether an error is one that a student can read."""
    message = str(error)
    written = [write(value) for value in arguments]
    assert not PYTHON_WORDS.search(without(error, known, arguments)), message
    named = any(name in message.lower() for name in known.names)
    assert named or NOT_NAMED.intersection(known.names), message
    other_culprit = re.search(r"too (few|many) arguments|#\[(input|output)-port console\]", message)
    assert other_culprit or not arguments or any(text in message for text in written), message


def procedures_of(module: str, dialect: str) -> list[Primitive]:
    """The primitives of a module that are for programs."""
    found = dict.fromkeys(known for known in PRIMITIVES[dialect].values() if known.function.__module__ == module)
    return [known for known in found if not known.names[0].startswith("%")]


@pytest.mark.parametrize(("dialect", "module"), ALL)
def test_a_wrong_argument_is_named_with_its_procedure(dialect: str, module: str, benches: dict[str, Bench]) -> None:
    bench = benches[dialect]
    for known in procedures_of(module, dialect):
        least, most = known.arity
        for position, kind in enumerate(kinds_of(known, min(MOST, least + 2 if most is None else most))):
            if kind is not None:
                check_argument(bench, known, position, kind, max(least, position + 1))


def check_argument(bench: Bench, known: Primitive, position: int, kind: Kind, count: int) -> None:
    """Whether a procedure complains of every argument outside a kind."""
    name = known.names[0]
    wrong = [index for index, value in enumerate(bench.values()) if not kind.test(value)]
    if name in STOP_EARLY:
        wrong.remove(DOTTED)
    for number, way in enumerate(WAYS):
        caller = bench.caller(way, name, count)
        # All values in the way that may be integrated, one of them in each of the others.
        for index in wrong[:: bench.step] if way == "called" else wrong[number : number + 1]:
            values = bench.values()
            arguments = fitting(known, count, values)
            arguments[position] = values[index]
            result = bench.attempt(caller, arguments)
            shown = f"({name} {' '.join(map(write, arguments))})"
            assert isinstance(result, SchemeError), f"{shown} → {write(result)}"
            check(result, known, arguments)


def fitting(known: Primitive, count: int, values: list[Value]) -> list[Value]:
    """Arguments that a procedure takes, as far as its kinds tell."""
    return [
        next((value for value in reversed(values) if kind.test(value)), 0) if kind is not None else 1
        for kind in kinds_of(known, count)
    ]


@pytest.mark.parametrize(("dialect", "module"), ALL)
def test_anything_at_all_gives_a_value_or_an_error(dialect: str, module: str, benches: dict[str, Bench]) -> None:
    """Also where a parameter names no kind, or the number of arguments is wrong."""
    bench = benches[dialect]
    pool = len(bench.values())
    for known in procedures_of(module, dialect):
        least, most = known.arity
        for count in range(max(0, least - 1), min(MOST, (least + 2) if most is None else most + 1) + 1):
            caller = bench.caller("called", known.names[-1], count)
            for turn in range(0, 4, bench.step):
                values = bench.values()
                arguments = [values[(turn * 7 + place * (3 + turn)) % pool] for place in range(count)]
                result = bench.attempt(caller, arguments)
                if isinstance(result, SchemeError):
                    assert not PYTHON_WORDS.search(without(result, known, arguments)), str(result)
                else:
                    assert result is not None
                    assert not isinstance(result, bool | str | tuple), (known.names, arguments)
                    write(result)


@pytest.mark.parametrize(("dialect", "module"), ALL)
def test_a_wrong_number_of_arguments_names_the_procedure(dialect: str, module: str, benches: dict[str, Bench]) -> None:
    bench = benches[dialect]
    for known in procedures_of(module, dialect):
        least, most = known.arity
        wrong = [("few", least - 1)] if least else []
        if most is not None and most < MOST:
            wrong.append(("many", most + 1))
        for word, count in wrong:
            for way in WAYS[:: bench.step]:
                result = bench.attempt(bench.caller(way, known.names[-1], count), [1] * count)
                assert isinstance(result, SchemeError), f"{known.names} takes {count} arguments"
                message = str(result)
                assert f"too {word} arguments to: (" in message
                assert way == "passed" or any(f"({name}" in message for name in known.names), message
                assert result.hint is not None
                assert any(f"({name}" in result.hint for name in known.names), result.hint


@pytest.mark.parametrize(("dialect", "module"), ALL)
def test_what_help_shows(dialect: str, module: str) -> None:
    for known in procedures_of(module, dialect):
        assert known.names
        assert dialect in known.dialects
        assert re.fullmatch(r"\S.*\S", known.doc), f"{known.names[0]} needs a line of help"
        assert known.doc.endswith((".", "…")), known.doc
        assert len(known.doc) <= 120
        shown = signature(known.function)
        assert shown is not None
        assert re.fullmatch(SIGNATURE, shown), shown
        assert len(set(known.parameters)) == len(known.parameters)


SIGNATURE = r"\(\S+( [a-z0-9!?*<>=/+-]+)*( \[[a-z0-9!?*<>=/+-]+\])*( [a-z0-9-]+ …)?\)"


@pytest.mark.parametrize("dialect", [None, *DIALECTS])
def test_a_name_is_that_of_one_procedure_in_a_dialect(dialect: str | None) -> None:
    before = {each: dict(table) for each, table in PRIMITIVES.items()}
    with pytest.raises(ValueError, match=r"apply is defined twice, in minischeme.primitives.control too"):
        primitive("apply", dialect=dialect)(lambda obj: obj)
    assert before == PRIMITIVES


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
    assert str(error_of(text)) == message


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
        error = error_in(session, text)
        assert str(error) == message
        assert error.hint is not None, text
        assert error.hint.endswith(shape), text


def test_a_primitive_added_in_one_place_is_known_everywhere() -> None:
    """A kind is enough for its errors."""
    for_testing: Callable[..., Value] = Session().library["string-length"]
    assert signature(for_testing) == "(string-length string)"  # type: ignore[arg-type]
    assert str(error_of("(string-length 'a)")) == "string-length: bad string: a"
