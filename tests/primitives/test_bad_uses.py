"""The errors of every special form and standard procedure: `tests/bad_uses` has a wrong use of each."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from bad_use_tables import BAD_USES, BadUse, forms_of
from sessions import NOT_NAMED, PYTHON_WORDS, error_in, with_everything

from minischeme import Session
from minischeme.data.errors import SchemeError, report
from minischeme.data.printer import write
from minischeme.data.values import Pair, Symbol
from minischeme.expansion.forms import TABLE
from minischeme.primitives.kinds import is_list
from minischeme.primitives.registry import primitive_of
from minischeme.runtime.names import scheme_name

LIBRARIES = {
    dialect: {scheme_name(key): value for key, value in Session(dialect).library.items()}
    for dialect in ("berkeley", "r7rs")
}

HASH_TABLE_MAKERS = {"make-hash-table", "make-equal-hash-table", "make-key-weak-equal-hash-table"}
TAKE_ANYTHING = {"list", "make-stream", "stream", "values", "vector", "void", *HASH_TABLE_MAKERS}
"""Nothing is wrong for these."""

OTHER_WORDS = NOT_NAMED | {"assert", "error", "raise", "raise-continuable", "syntax-error"}
"""Their errors are worded by the course's interpreter, or by the program."""


WORD = r"[^\s()'\":|]+|\(\)"


def head_of(use: BadUse) -> str:
    """What the last form of a program calls."""
    datum = forms_of(use.program)[-1].datum
    return datum.car.name if type(datum) is Pair and type(datum.car) is Symbol else write(datum)


def names_of(name: str, dialect: str) -> tuple[str, ...]:
    """All names of a standard procedure or special form."""
    known = primitive_of(LIBRARIES[dialect].get(name))
    return known.names if known is not None else (name,)


@pytest.fixture(autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One for all: some programs write files."""
    monkeypatch.chdir(tmp_path_factory.getbasetemp())
    return tmp_path_factory.getbasetemp()


@pytest.fixture(scope="module")
def sessions() -> dict[str, Session]:
    """A session of each dialect for the programs that define nothing."""
    return {dialect: new_session(dialect) for dialect in LIBRARIES}


def new_session(dialect: str) -> Session:
    session = with_everything(dialect, output=io.StringIO(), input=io.StringIO())
    session.eval("(define kept '(a b))")
    return session


def session_for(use: BadUse, sessions: dict[str, Session]) -> Session:
    return new_session(use.dialect) if re.search("[(](define|set!|trace)", use.program) else sessions[use.dialect]


@pytest.mark.parametrize("use", BAD_USES, ids=lambda use: use.program)
def test_what_is_said(use: BadUse, sessions: dict[str, Session]) -> None:
    session = session_for(use, sessions)
    error = error_in(session, use.program)
    assert str(error) == use.message
    assert error.span is not None
    assert error.span.text == use.piece
    assert error.span.start == use.start
    own_text = re.compile("|".join(map(re.escape, sorted(use.program.split(), key=len, reverse=True))))
    said = f"{error} {error.hint or ''}".replace("instance-vars", "")
    assert not PYTHON_WORDS.search(own_text.sub("", said))
    assert write(session.eval("kept")) == "(a b)"
    if use.piece != forms_of(use.program)[-1].span.text:
        assert names_culprit(use, session), "the message does not show what the caret points at"


@pytest.mark.parametrize("use", BAD_USES[::10], ids=lambda use: use.program)
def test_the_same_is_said_of_a_program_in_a_file(use: BadUse, sessions: dict[str, Session], folder: Path) -> None:
    file = folder / "bad.scm"
    start = ";;; A program\n(define (first-line) 1)\n\n  "
    file.write_text(start + use.program, encoding="utf-8")
    with pytest.raises(SchemeError) as caught:
        session_for(use, sessions).load(file)
    assert str(caught.value) == use.message
    assert report(caught.value).startswith(f"*** Error at {file}:4:{use.start + 3}:\n    ")


def names_culprit(use: BadUse, session: Session) -> bool:
    """Whether a message shows the piece that is to blame, something in it, or its value."""
    if set(re.findall(WORD, use.piece)) & set(re.findall(WORD, use.message)):
        return True
    try:
        return write(session.eval(use.piece)) in use.message
    except SchemeError:  # a local variable, or the comma of an unquote
        return re.fullmatch(r"[a-z]+|,@?", use.piece) is not None


def calls_of_procedures() -> list[BadUse]:
    """The bad uses whose last form calls a standard procedure, and whose culprit is in that form."""
    found = []
    for use in BAD_USES:
        last = forms_of(use.program)[-1]
        known = primitive_of(LIBRARIES[use.dialect].get(head_of(use)))
        is_call = is_list(last.datum) and "(define" not in last.span.text
        if known is not None and is_call and last.span.start <= use.start:
            found.append(use)
    return found


@pytest.mark.parametrize("use", calls_of_procedures()[::4], ids=lambda use: use.program)
def test_the_same_is_said_of_a_procedure_that_was_passed(use: BadUse, sessions: dict[str, Session]) -> None:
    name, last = head_of(use), forms_of(use.program)[-1]
    setup, operands = use.program[: last.span.start], last.span.text[len(f"({name}") :]
    error = error_in(session_for(use, sessions), f"{setup} ((lambda (proc) (proc{operands}) {name})")
    assert str(error).partition("arguments to: (")[0] in said_of(use, name)
    assert error.span is not None
    assert error.span.text == (f"(proc{operands}" if use.piece == last.span.text else use.piece)


@pytest.mark.parametrize("use", calls_of_procedures()[2::4], ids=lambda use: use.program)
def test_the_same_is_said_of_a_procedure_that_was_applied(use: BadUse, sessions: dict[str, Session]) -> None:
    name, last = head_of(use), forms_of(use.program)[-1]
    setup, operands = use.program[: last.span.start], last.span.text[len(f"({name}") :]
    error = error_in(session_for(use, sessions), f"{setup} (apply {name} (list{operands})")
    assert str(error).partition("arguments to: (")[0] in said_of(use, name)


def said_of(use: BadUse, name: str) -> set[str]:
    """What may be said where a procedure is not called by its name, but maybe has several; without what was called."""
    lead = names_of(name, use.dialect)[0]
    others = [use.message.replace(f"{name}:", f"{lead}:", 1), use.message.replace(f"by {name}", f"by {lead}")]
    return {message.partition("arguments to: (")[0] for message in [use.message, *others]}


# ── completeness ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_there_are_two_bad_uses_of_each_special_form() -> None:
    heads = [head_of(use) for use in BAD_USES]
    inside = [part for use in BAD_USES for part in re.findall(r"[(]([^\s()]+)", use.program)]
    for name in TABLE:
        assert name in heads, f"tests/bad_uses has no bad use of {name}: add a line to forms.txt"
        assert inside.count(name) > 1, name


@pytest.mark.parametrize("dialect", list(LIBRARIES))
def test_there_is_a_bad_use_of_each_procedure_that_names_it(dialect: str) -> None:
    said: dict[str, list[str]] = {}
    for use in BAD_USES:
        said.setdefault(f"{use.dialect} {head_of(use)}", []).append(use.message.lower())
    for name, procedure in LIBRARIES[dialect].items():
        known = primitive_of(procedure)
        if known is None or name.startswith("%"):
            continue
        is_common = dialect == "r7rs" and code_of("berkeley", name) is known.function.__code__
        messages = said.get(f"{'berkeley' if is_common else dialect} {name}", [])
        if name in TAKE_ANYTHING:
            assert known.arity == (0, None)
            assert not known.kinds
            continue
        assert messages, f"tests/bad_uses has no bad use of {name} in {dialect}: add a line"
        is_named = any(other in message for other in known.names for message in messages)
        assert is_named or name in OTHER_WORDS, name


def code_of(dialect: str, name: str) -> object:
    known = primitive_of(LIBRARIES[dialect].get(name))
    return known.function.__code__ if known is not None else None
