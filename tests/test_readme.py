"""The README is true: its sessions, its Python and its commands are run, its claims about the project looked up."""

from __future__ import annotations

import doctest
import io
import re
import tomllib
from pathlib import Path

import pytest
from sessions import exchanges

from minischeme import Session, __version__
from minischeme.repl.commands import dispatch

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def blocks(language: str) -> list[str]:
    """The README's fenced blocks in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("session", blocks("scheme"))
def test_sessions(session: str) -> None:
    pairs = list(exchanges(session))
    assert pairs, "a session without a prompt"
    scheme = Session()
    for typed, shown in pairs:
        assert "".join(interaction.output for interaction in scheme.interact(typed)) == shown, typed


def test_there_is_a_session() -> None:
    assert blocks("scheme")


def test_the_steps_are_those_of_the_command() -> None:
    (steps,) = [text for text in blocks("text") if text.startswith("  (fact 1)")]
    define, typed = re.findall(r"`(\(define \(fact .*?|,step \(fact .*?)`", README)
    output = io.StringIO()
    session = Session(output=output)
    session.eval(define)
    dispatch(session, typed)
    assert output.getvalue() == steps


def test_embedding_example() -> None:
    examples = doctest.DocTestParser().get_doctest("".join(blocks("python")), {}, "README.md", "README.md", 0)
    assert examples.examples
    assert doctest.DocTestRunner(verbose=False).run(examples).failed == 0


def test_two_commands_that_set_up_everything() -> None:
    commands = [line for line in README.splitlines() if line.startswith("python3 -m pip install uv && ")]
    assert len(commands) == 2
    assert "uv run minischeme" in commands[0]
    assert commands[1].endswith("uv run pytest")


def test_paths_that_it_names_exist() -> None:
    for name in re.findall(r"`([\w./-]+/[\w.*-]*|[\w-]+\.(?:md|scm|lark|toml))`", README):
        places = (ROOT / name, ROOT / "lib" / name, ROOT / "minischeme" / name)
        assert any(place.exists() for place in places), name


def test_version_is_the_same_everywhere() -> None:
    assert PROJECT["project"]["version"] == __version__


def test_extra_and_group_for_tests_agree() -> None:
    shared = [package for package in PROJECT["dependency-groups"]["test"] if isinstance(package, str)]
    assert PROJECT["project"]["optional-dependencies"]["test"] == shared
