"""The words of the code: docstrings that say what a thing is, one name for one class, and no private vocabulary."""

from __future__ import annotations

import ast
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "minischeme"
TREES = {
    path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(PACKAGE.rglob("*.py"))
}
Assignment = ast.Assign | ast.AnnAssign
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

RIDDLE = re.compile(r"(?:What|Whose|Who|Where|How|Why)\b")
"""The beginning of a docstring that leaves open what the thing is; "Whether" says that it is a predicate."""

HEADING = re.compile(r"\b(?:Args|Returns|Raises|Yields):")

RETIRED_WORDS = {"settle", "settles", "settled", "settling", "unsettle", "roomy"}
RETIRED = {
    *("near_call", "passes_on", "passed_on", "works_for", "with_room", "leave_room_for"),
    *("Chance", "Follower", "LateBox", "NotPlain", "Places", "Reliance", "Renewal", "Teller"),
    *("home", "is_renewed", "renewed"),
}
"""Names that no one outside the project would understand."""


def is_primitive(node: ast.AST) -> bool:
    """Whether a docstring is what a user's help shows."""
    decorators = [ast.unparse(decorator) for decorator in getattr(node, "decorator_list", [])]
    return any(decorator.startswith(("primitive(", "special_form(", "command(")) for decorator in decorators)


def docstrings(tree: ast.Module) -> list[tuple[int, str]]:
    """The docstrings of a module with their lines, those of attributes included."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, Documented) and not is_primitive(node):
            for before, part in pairwise([None, *node.body]):
                match part:
                    case ast.Expr(ast.Constant(str(text))) if before is None or isinstance(before, Assignment):
                        found.append((part.lineno, text))
    return found


def names(tree: ast.Module) -> set[str]:
    """All identifiers of a module."""
    return {
        value
        for node in ast.walk(tree)
        for field in ("id", "attr", "name", "arg", "asname")
        if isinstance(value := getattr(node, field, None), str)
    }


@pytest.mark.parametrize("module", TREES)
def test_a_docstring_begins_by_saying_what_the_thing_is(module: str) -> None:
    riddles = [f"{line}: {text.splitlines()[0]}" for line, text in docstrings(TREES[module]) if RIDDLE.match(text)]
    assert not riddles, riddles


@pytest.mark.parametrize("module", TREES)
def test_the_headings_of_a_docstring_stand_on_lines_of_their_own(module: str) -> None:
    beside = [
        f"{line}: {shown.strip()}"
        for line, text in docstrings(TREES[module])
        for shown in text.splitlines()
        if HEADING.search(shown) and not HEADING.fullmatch(shown.strip())
    ]
    assert not beside, beside


def test_no_two_classes_have_one_name() -> None:
    found = Counter(node.name for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    twice = [name for name, count in found.items() if count > 1]
    assert not twice


@pytest.mark.parametrize("module", TREES)
def test_no_name_is_of_a_private_vocabulary(module: str) -> None:
    found = {
        name
        for name in names(TREES[module])
        if name.strip("_") in RETIRED or RETIRED_WORDS & set(re.findall(r"[A-Z]?[a-z]+", name.lower()))
    }
    assert not found, found
