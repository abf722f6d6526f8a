"""The documents: what comments cite of them is there, and so are the files and the tests that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sessions import exchanges

from minischeme import Session

ROOT = Path(__file__).parent.parent
DOCUMENTS = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [*ROOT.glob("minischeme/*.md"), ROOT / "lib/README.md", *ROOT.glob(".github/*.md")]
}
FILES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for folder in ("minischeme", "lib", "tests")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in {".py", ".scm", ".sld", ".lark", ".md"} or path.parent.name == "bad_uses" or "hands" in path.name
}
OWN = FILES["tests/test_documents.py"]
HEADINGS = {
    name.rpartition("/")[2] if name != "lib/README.md" else name: set(
        re.findall(r"^#+ (\d[\d.]*|[A-D]\d*)\. ", text, re.MULTILINE)
    )
    for name, text in DOCUMENTS.items()
}
"""The numbers of a document's headings."""

PATHS = [
    path.relative_to(ROOT).as_posix() + "/" * path.is_dir()
    for folder in (".ci", ".github", "minischeme", "lib", "tests", "transcripts")
    for path in [ROOT / folder, *(ROOT / folder).rglob("*")]
]

OTHER_SOURCES = {"R7RS", "R5RS", "SICP"}
NUMBER = r"\d+(?:\.\d+)*"
SECTION = re.compile(rf"(?:(\S+),?\s)?\bsections?\s({NUMBER}(?:(?:, | to | and ){NUMBER})*)")
RULE = re.compile(r"\b[A-D]\d{1,2}\b")
PARENTHESIZED_RULE = re.compile(r"\([A-D]\d{1,2}(?:(?:, | to | and )[A-D]\d{1,2})*\)")


def citations(name: str, text: str) -> Iterator[tuple[str, str]]:
    """What a file cites: a document and a number; a section of a nameless document is one of that file itself."""
    for source, numbers in SECTION.findall(text):
        document = source.strip("(\"'`;,")
        if document not in OTHER_SOURCES:
            own = name.rpartition("/")[2]
            document = document if document in HEADINGS or own not in HEADINGS else own
            yield from ((document, number) for number in re.findall(NUMBER, numbers))
    if "lib/README.md" in text and not name.startswith("minischeme"):
        yield from (("lib/README.md", rule) for rule in RULE.findall(text))
    else:
        yield from (("a document that is not named", rule) for rule in PARENTHESIZED_RULE.findall(text))


CITED = {(name, *cited) for name, text in FILES.items() if text != OWN for cited in citations(name, text)}


def test_what_is_cited_is_a_heading() -> None:
    wrong = sorted(cited for cited in CITED if cited[2] not in HEADINGS.get(cited[1], ()))
    assert not wrong, wrong


def test_citations_are_found() -> None:
    """What the test above rests on."""
    assert list(citations("a.py", "(DIALECT.md sections 1.1 to 1.4), as in design section 6; (R7RS section 7)")) == [
        ("DIALECT.md", "1.1"),
        ("DIALECT.md", "1.4"),
        ("design", "6"),
    ]
    assert list(citations("minischeme/DIALECT.md", "as section 99 says")) == [("DIALECT.md", "99")]
    assert list(citations("a.scm", ";; (lib/README.md, D4 to D5)")) == [
        ("lib/README.md", "D4"),
        ("lib/README.md", "D5"),
    ]
    assert [number for _, number in citations("a.scm", "(D4)")] == ["(D4)"]
    cited = {(document, number) for _, document, number in CITED}
    assert {("ARCHITECTURE.md", "6"), ("DIALECT.md", "1.1"), ("lib/README.md", "A1"), ("lib/README.md", "D10")} <= cited
    assert not HEADINGS["DIALECT.md"] & {"99", "A1"}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_files_that_it_names_exist(document: str) -> None:
    named = re.findall(r"`([\w./-]+(?:/|\.(?:py|md|scm|lark|csv|txt|yml)))`", DOCUMENTS[document])
    assert named
    missing = [
        name for name in named if "NAME" not in name and not any(f"/{path}".endswith(f"/{name}") for path in PATHS)
    ]
    assert not missing


def test_the_catalogue_has_all_of_the_library() -> None:
    files = {path.relative_to(ROOT / "lib").as_posix() for path in (ROOT / "lib").rglob("*.scm")}
    catalogue = DOCUMENTS["lib/README.md"].partition("## Catalogue")[2].partition("\n## ")[0]
    assert set(re.findall(r"`([\w/-]+\.scm)`", catalogue)) == files


def test_sessions_of_the_dialect() -> None:
    scheme = Session()
    sessions = re.findall(r"```scheme\n(>.*?)```", DOCUMENTS["minischeme/DIALECT.md"], re.DOTALL)
    assert sessions
    for typed, shown in exchanges("".join(sessions)):
        assert "".join(interaction.output for interaction in scheme.interact(typed)) == shown, typed


def test_the_glossary_is_short() -> None:
    glossary = DOCUMENTS["minischeme/ARCHITECTURE.md"].partition(". Glossary")[2]
    assert 10 <= len(re.findall(r"^\| [a-z]", glossary, re.MULTILINE)) - 1 <= 25
