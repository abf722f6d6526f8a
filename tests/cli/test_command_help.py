"""The help of comma-commands: what is known of names, and the examples, which are right."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from typed_commands import FACT, Prompt

from minischeme import Session
from minischeme.data.printer import write
from minischeme.data.source import Source
from minischeme.expansion.forms import TABLE as FORMS
from minischeme.primitives.registry import primitive_of
from minischeme.reading.reader import read
from minischeme.session.describe import NameKind, describe, names

# ── help ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_help_on_a_standard_procedure() -> None:
    assert Prompt().said(",help bf") == (
        "(bf x)    procedure\n"
        "  All words of a sentence, or letters of a word, but the first.\n"
        "  Example: (bf '(have fun now)) → (fun now)\n"
        "  Also called butfirst\n"
    )


def test_help_on_a_special_form_shows_its_grammar() -> None:
    assert Prompt().said(",help if") == (
        "(if test consequent [alternative])    special form\n"
        "  The consequent if the test is true (anything but #f), else the alternative.\n"
        "  Example: (if (> 3 2) 'yes 'no) → yes\n"
    )


def test_help_on_a_user_s_procedure_shows_its_source(tmp_path: Path) -> None:
    file = tmp_path / "mine.scm"
    file.write_text(";; The factorial of n.\n(define (fact n)\n  (if (= n 0) 1 (* n (fact (- n 1)))))\n")
    prompt = Prompt()
    prompt.session.load(file)
    assert prompt.said(",help FACT") == (
        "(fact n)    your procedure\n"
        "  The factorial of n.\n"
        f"  Defined at {file}:2:1\n"
        "\n"
        "  (define (fact n)\n"
        "    (if (= n 0) 1 (* n (fact (- n 1)))))\n"
    )


def test_help_on_other_names() -> None:
    prompt = Prompt("(define x '(1 2))", "(define-macro (m a) a)", FACT, "(trace fact)", "(define also fact)")
    assert prompt.said(",help x") == "x    your variable\n  = (1 2)\n"
    assert prompt.said(",help m").startswith("(m …)    your macro\n")
    assert prompt.said(",help fact").startswith("(fact n)    your procedure\n")
    assert prompt.said(",help also").startswith("(also n)    your procedure\n")
    assert prompt.said(",help ,time").startswith(",time EXPR\n")
    assert prompt.said(",help reload").startswith(",reload\n")
    assert prompt.said(",help nil") == "nil    constant\n  = ()\n"


def test_a_redefined_library_name_is_the_user_s() -> None:
    prompt = Prompt("(define (square x) 'mine)")
    assert "your procedure" in prompt.said(",help square")
    assert "(define (square x) 'mine)" in prompt.said(",help square")


def test_every_name_can_be_described() -> None:
    prompt = Prompt(FACT, "(define x 5)", "(define-macro (m a) a)")
    for name in names(prompt.session):
        description = describe(prompt.session, name)
        assert description is not None, name
        assert description.name == name
        assert description.kind is not NameKind.PRIMITIVE or description.doc, name
        assert "\n" not in description.doc
    assert describe(prompt.session, "nosuch") is None
    assert describe(prompt.session, "%traced") is None
    assert describe(prompt.session, "__builtins__") is None


def test_a_long_value_is_shortened() -> None:
    description = describe(Prompt("(define l (iota 1000))").session, "l")
    assert description is not None
    assert len(description.doc) < 100


def test_apropos_searches_names_and_help_names_first() -> None:
    rows = Prompt("(define (my-reverse l) l)").said(",apropos reverse").splitlines()
    first_words = [row.split()[0] for row in rows]
    assert {"reverse", "reverse!", "my-reverse"} <= set(first_words)
    with_name = ["reverse" in word for word in first_words]
    assert with_name == sorted(with_name, reverse=True)
    assert "count" in Prompt().said(",apropos letter")


# ── examples ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def examples(dialect: str) -> dict[str, str]:
    library = Session(dialect=dialect).library
    known = {name: primitive_of(value) for name, value in library.items()}
    found = {name: procedure.example for name, procedure in known.items() if procedure and procedure.example}
    if dialect == "berkeley":
        found |= {name: form.example for name, form in FORMS.items() if form.example}
    return found


def test_there_are_many_examples() -> None:
    assert len(set(examples("berkeley").values())) >= 100


@pytest.mark.parametrize(("name", "example"), examples("berkeley").items())
def test_an_example_of_the_help_is_right(name: str, example: str) -> None:
    expression, value = example.split(" → ")
    assert write(Session(output=io.StringIO()).eval(expression)) == value
    (form,) = read(Source(expression, "<example>"))
    assert any(name in (alias, *(primitive_names(alias))) for alias in words_in(write(form.datum)))


def words_in(text: str) -> list[str]:
    return text.replace("(", " ").replace(")", " ").split()


def primitive_names(name: str) -> tuple[str, ...]:
    known = primitive_of(Session().library.get(name))
    return known.names if known is not None else ()
