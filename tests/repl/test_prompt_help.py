"""What the prompt knows of names: colours, completion, the toolbar, and names for earlier values."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from sessions import error_in

from minischeme import Session
from minischeme.data.errors import report
from minischeme.data.printer import write
from minischeme.evaluation.procedures import signature
from minischeme.expansion.forms import TABLE
from minischeme.primitives.registry import primitive_of
from minischeme.repl.colours import CODE_STYLES, CodeLexer, coloured_report
from minischeme.repl.commands import TABLE as COMMANDS
from minischeme.repl.completer import SchemeCompleter
from minischeme.repl.toolbar import KEYS, called_at, fragments, open_bracket, toolbar_text
from minischeme.session.describe import NameKind, describe, kind_of, names, spelling

BF = str(signature(Session().library["bf"], "bf"))
PROGRAM = """
; The best total of a hand.
;; Second line.
(define (best-total hand) 21)
(define plain (lambda (x . more) x))
(define limit 17)
"""


@pytest.fixture
def session() -> Session:
    session = Session(output=io.StringIO())
    session.eval(PROGRAM, "my.scm")
    return session


def kind(session: Session, name: str) -> NameKind | None:
    return kind_of(session, spelling(session, name))


# Meanings


def test_kinds(session: Session) -> None:
    session.eval("(define (first x) x) (trace best-total car) (define-macro (swap! a b) a)")
    expected = {
        "define": NameKind.SPECIAL_FORM,
        "bf": NameKind.PRIMITIVE,
        "BF": NameKind.PRIMITIVE,
        "nil": NameKind.CONSTANT,
        "first": NameKind.USER_PROCEDURE,
        "best-total": NameKind.USER_PROCEDURE,
        "car": NameKind.PRIMITIVE,
        "limit": NameKind.USER_VARIABLE,
        "swap!": NameKind.USER_MACRO,
        "else": None,
        "nosuch": None,
        "%traced": None,
        "__builtins__": None,
    }
    assert {name: kind(session, name) for name in expected} == expected


def test_meanings(session: Session) -> None:
    doc = primitive_of(Session().library["bf"])
    assert doc is not None
    known = ("bf", "best-total", "plain", "limit", "if", "nosuch")
    meanings = [describe(session, name) for name in known]
    assert [meaning and (meaning.signature, meaning.doc) for meaning in meanings] == [
        (BF, doc.doc),
        ("(best-total hand)", "The best total of a hand."),
        ("(plain x . more)", "defined at my.scm:5:1"),
        ("limit", "= 17"),
        (TABLE["if"].grammar, TABLE["if"].doc),
        None,
    ]


def test_the_other_dialect_minds_case() -> None:
    session = Session(dialect="r7rs")
    assert kind(session, "CAR") is None
    assert kind(session, "bf") is None
    assert kind(session, "car") is NameKind.PRIMITIVE


# Colours


def styles(session: Session, text: str) -> list[tuple[str, str]]:
    """The coloured pieces of a text, each with its class."""
    document = Document(text)
    line = CodeLexer(session).lex_document(document)
    fragments = [line(number) for number in range(document.line_count)]
    assert ["".join(fragment[1] for fragment in each) for each in fragments] == document.lines
    return [(part[1], part[0].removeprefix("class:")) for each in fragments for part in each if part[0] and part[1]]


def test_names_have_the_colour_of_their_kind(session: Session) -> None:
    assert styles(session, "(if (best-total limit) (bf zot) 10s)") == [
        ("if", "special-form"),
        ("best-total", "user-procedure"),
        ("limit", "user-variable"),
        ("bf", "primitive"),
    ]


def test_a_procedure_has_its_colour_as_soon_as_it_is_defined(session: Session) -> None:
    assert styles(session, "(zot)") == []
    session.eval("(define (zot) 1)")
    assert styles(session, "(zot)") == [("zot", "user-procedure")]


def test_local_names_have_none(session: Session) -> None:
    assert styles(session, "(lambda (list) list) list") == [("lambda", "special-form"), ("list", "primitive")]


def test_literals_data_and_comments(session: Session) -> None:
    assert styles(session, '"a\nb" -1.5 #t \'ad `(if ,bf) #;(bf) ; c\n#| (\n|# #\\a -') == [
        ('"a', "string"),
        ('b"', "string"),
        ("-1.5", "number"),
        ("#t", "number"),
        ("'", "quoted"),
        ("ad", "quoted"),
        ("`", "quoted"),
        ("if", "quoted"),
        (",", "quoted"),
        ("bf", "primitive"),
        ("#;", "comment"),
        ("(", "comment"),
        ("bf", "comment"),
        (")", "comment"),
        ("; c", "comment"),
        ("#|", "comment"),
        (" (", "comment"),
        ("|#", "comment"),
        ("#\\a", "string"),
        ("-", "primitive"),
    ]


def luminance(colour: str) -> float:
    channels = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("name", CODE_STYLES)
def test_colours_can_be_read_on_black_and_on_white(name: str) -> None:
    own = luminance(CODE_STYLES[name].split()[0])
    assert (1.05 / (own + 0.05)) > 3.7
    assert ((own + 0.05) / 0.05) > 3.7


def test_a_mistake_in_the_lexer_costs_only_the_colours(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minischeme.repl.colours.kind_of", lambda *_: 1 / 0)
    assert styles(session, "(car\n x)") == []


def test_error_reports_are_coloured(session: Session) -> None:
    error = error_in(session, "(fist 'hello)")
    lines = coloured_report(error).split("\n")
    assert lines[0] == "\x1b[1;31m*** Error:\x1b[0m"
    assert "  |  \x1b[31m^^^^\x1b[0m" in lines
    assert f"\x1b[35m  {error.hint}\x1b[0m" in lines
    plain = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(lines))
    assert plain == report(error)


# Completion


def completions(session: Session, text: str) -> dict[str, str]:
    """What is offered where | stands, with what is said of it; by the whole word."""
    cursor = text.index("|")
    document = Document(text.replace("|", ""), cursor)
    completer = SchemeCompleter(session)
    found = completer.get_completions(document, CompleteEvent())
    return {each.text: each.display_meta_text for each in found}


def test_names_are_completed(session: Session) -> None:
    assert completions(session, "(best|") == {"best-total": "your procedure: The best total of a hand."}
    (help,) = completions(session, "(butla|").values()
    assert re.fullmatch(r"procedure: .{10,49}…?", help)
    assert completions(session, "(lim|)") == {"limit": "your variable: = 17"}
    assert list(completions(session, "(lamb|")) == ["lambda"]
    assert list(completions(session, "(-total|")) == ["best-total"]
    assert list(completions(session, "(BEST|")) == ["best-total"]


def test_the_users_names_come_first(session: Session) -> None:
    assert next(iter(completions(session, "(l|"))) == "limit"


def test_local_names_are_completed(session: Session) -> None:
    assert completions(session, "(define (f handful) (foo han|") == {"handful": "local"}
    assert completions(session, "(let ((zebra 1)) (lambda (zeal) ze|") == {
        "zeal": "local",
        "zebra": "local",
        **completions(session, "(ze|"),
    }
    assert completions(session, "(define (f) (zeb| 1)\n (define (zebra x) x))") == {"zebra": "local"}


@pytest.mark.parametrize("text", ['"bes|', "; bes|", "#| bes|", "'bes|", "'(a bes|", "#\\bes|"])
def test_nothing_is_offered_in_text_and_data(session: Session, text: str) -> None:
    assert completions(session, text) == {}


def test_files_are_completed_in_load(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / "inner.scm").touch()
    (tmp_path / "tables.scm").touch()
    (tmp_path / ".tab").touch()
    assert list(completions(session, '(load "tab|')) == ["tables.scm", "table/"]
    assert list(completions(session, '(load "tab|")')) == ["tables.scm", "table/"]
    assert list(completions(session, '(load "table/|")')) == ["inner.scm"]
    assert completions(session, '(load "twenty|') == {"twenty-one.scm": "in the library"}
    assert list(completions(session, '(load "~cs61a/lib/twenty|')) == ["twenty-one.scm"]
    assert list(completions(session, ",load tab|")) == ["tables.scm", "table/"]
    assert completions(session, '(display "tab|') == {}
    assert completions(session, '(load "nosuch/|') == {}


def test_commands_are_completed(session: Session) -> None:
    assert list(completions(session, ",|")) == list(COMMANDS)
    assert completions(session, ",q|") == {"quit": "Leave, as Ctrl-D does."}


def test_a_mistake_in_the_completer_costs_only_the_offers(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minischeme.repl.completer.names", lambda *_: 1 / 0)
    assert completions(session, "(best|") == {}


# The toolbar


@pytest.mark.parametrize(
    ("text", "signature"),
    [
        ("(bf |", BF),
        ("(|bf 1)", BF),
        ("(bf 1)|", None),
        ("(bf (zot |", BF),
        ("(bf '(ad |", BF),
        ("'(bf |", None),
        ("(best-total '(ad 8s|))", "(best-total hand)"),
        ("(if (bf x) |", TABLE["if"].grammar),
        ("(lambda (bf) (bf |", TABLE["lambda"].grammar),
        ("(limit |", None),
        ("; (bf |", None),
    ],
)
def test_what_is_called(session: Session, text: str, signature: str | None) -> None:
    meaning = called_at(text.replace("|", ""), text.index("|"), session)
    assert (meaning and meaning.signature) == signature


def test_the_toolbar_fits(session: Session) -> None:
    def text(typed: str, width: int) -> str:
        return "".join(fragment[1] for fragment in fragments(session, typed, len(typed), width))

    assert text("(best-total ", 80) == "(best-total hand) · The best total of a hand."
    assert text("(best-total ", 30) == "(best-total hand)"
    assert text("(best-total ", 5) == ""
    assert text("", 200) == " · ".join(KEYS)
    assert text("", 40) == "Tab completes · Alt-Enter new line"
    assert text("", 30) == "Tab completes · Alt-Q indents"


@pytest.mark.parametrize(
    ("typed", "opened"),
    [
        ("(define (f x)\n", "( of line 1 is open"),
        ("1\n\n(let ((a 1)\n      [b", "( of line 3 and 1 more are open"),
        ("[a\n", "[ of line 1 is open"),
        ("(define (f x)", None),
        ("(define (f x)\n  x)", None),
        ("(define (f x)\n  x)\n(f", None),
    ],
)
def test_the_bracket_that_is_open(typed: str, opened: str | None) -> None:
    assert open_bracket(typed) == (opened or "")


def test_the_toolbar_tells_of_an_open_bracket(session: Session) -> None:
    typed = "(define (g y)\n  (best-total "
    shown = "".join(fragment[1] for fragment in fragments(session, typed, len(typed), 80))
    assert shown == "( of line 1 is open · (best-total hand) · The best total of a hand."


def test_a_mistake_in_the_toolbar_costs_only_its_text(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minischeme.repl.toolbar.fragments", lambda *arguments: 1 / 0)
    assert not toolbar_text(session)


# Earlier values


def test_earlier_values_have_names(session: Session) -> None:
    session.prompt.name_values()
    session.prompt.evaluate_and_print('(+ 1 2) (define x 3) (display 1) \'a (car 5) "b" (set! x 4)')
    assert [write(session.eval(name)) for name in ("$1", "$2", "$3", "$", "$$")] == ["3", "a", '"b"', '"b"', "a"]
    assert "unbound variable: $4" in next(session.interact("$4")).output
    assert not [name for name in names(session) if name.startswith("$")]
