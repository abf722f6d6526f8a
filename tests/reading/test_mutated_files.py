"""Real files with something dropped, doubled or swapped: whatever the text, it ends without a bug of ours.

``MUTATED_TEXTS=30000 pytest tests/reading/test_mutated_files.py`` tries so many of them in each dialect;
``MUTATED_SEED`` says which.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from damaged_texts import NOT_FOR_PEOPLE, TOKEN, damaged, needs_timer, outcomes_of
from tables import HERE

from minischeme import Session
from minischeme.data.errors import SchemeError, report
from minischeme.data.source import Source
from minischeme.data.values import Pair, Symbol
from minischeme.expansion.lists import defined_name
from minischeme.expansion.unparse import core_text
from minischeme.reading.forms import Form
from minischeme.reading.reader import read
from minischeme.session.describe import expansion

pytestmark = pytest.mark.slow

TEXTS = int(os.environ.get("MUTATED_TEXTS", "300"))
SEED = int(os.environ.get("MUTATED_SEED", "61"))

LONGEST = 2_000
"""Characters of a form that is mutated; most are far shorter."""

PIECE = re.compile(rf"(?:{TOKEN.pattern})\s*")

OPERANDS = ["", "1", "'a", "'(1 2)", "'(ad 10s)", "car", '"ab"', "3 '(a b)", "car '(1 2)", "1 2 3"]


def forms_of_files() -> list[list[Form]]:
    """The forms of the Scheme files here, those that ask for keys or wait aside."""
    found = []
    for folder in ("lib", "tests", "transcripts"):
        for path in sorted((HERE.parent / folder).rglob("*.scm")):
            text = path.read_text(encoding="utf-8")
            if "key" not in text and "sleep" not in text:
                found.append([form for form in read(Source(text, path.name)) if len(form.span.text) < LONGEST])
    return [forms for forms in found if forms]


def mutated(forms: list[Form], vocabulary: list[str], random_: random.Random) -> str:
    """Some neighbours among the forms, one of them damaged, and then calls of what they define."""
    start = random_.randrange(len(forms))
    chosen = forms[start : start + random_.choice((1, 1, 2, 3))]
    texts = [form.span.text for form in chosen]
    place = random_.randrange(len(texts))
    texts[place] = " ".join(damaged(PIECE.findall(texts[place]), vocabulary, random_))
    if random_.random() < 0.3:
        texts[place] = f"(define (around a) (if a {texts[place]} 'b) {random_.choice(vocabulary)}) (around 1)"
    names = [
        defined_name(form.datum)
        for form in chosen
        if type(form.datum) is Pair and type(form.datum.cdr) is Pair and form.span.text.startswith("(define ")
    ]
    calls = [f"({name.name} {random_.choice(OPERANDS)})" for name in names if type(name) is Symbol]
    calls += [f"(pp {name.name})" for name in names if type(name) is Symbol and random_.random() < 0.1]
    return "\n".join([*texts, *calls])


def run(session: Session, text: str, random_: random.Random) -> Iterator[str]:
    """What is shown of a text that is run in one of the ways that there are; anything but a Scheme error is raised."""
    match random_.randrange(6):
        case 0:
            try:
                session.eval(text)
            except SchemeError as error:
                yield report(error)
        case 1:
            path = Path("mutated.scm")
            path.write_text(text, encoding="utf-8")
            for interaction in session.interact('(load "mutated.scm")'):
                yield interaction.output
        case 2:
            try:
                for form in read(Source(text, "<text>"), fold_case=session.dialect == "berkeley"):
                    yield core_text(expansion(session, form))
            except SchemeError as error:
                yield report(error)
        case _:
            for interaction in session.interact(text):
                yield interaction.output


def outcome(session: Session, text: str, random_: random.Random) -> str:
    """How a text ended."""
    found = "value"
    for shown in run(session, text, random_):
        if "*** Error" in shown:
            found = "error"
        said = re.sub(r"^  \| .*", "", shown, flags=re.MULTILINE)  # the excerpts are of texts, also of earlier ones
        assert all(words in text for words in NOT_FOR_PEOPLE.findall(said)), shown
        assert "internal error" not in shown, shown
    return found


@needs_timer
@pytest.mark.parametrize("dialect", ["berkeley", "r7rs"])
def test_mutated_files(dialect: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    random_ = random.Random(SEED)
    files = forms_of_files()
    vocabulary = [token for forms in files for form in forms[:10] for token in TOKEN.findall(form.span.text)[:40]]
    vocabulary = [token for token in vocabulary if token not in "()" and token[0] != ";"]
    outcomes = outcomes_of(
        TEXTS,
        lambda: mutated(random_.choice(files), vocabulary, random_),
        lambda session, text: outcome(session, text, random_),
        dialect=dialect,
    )
    assert outcomes["value"] > TEXTS / 50
    assert outcomes["error"] > TEXTS / 20
    assert outcomes["endless"] < TEXTS / 10
