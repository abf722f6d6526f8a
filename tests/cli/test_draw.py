"""The command `minischeme draw`, and the comma-commands that draw."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from typed_commands import Prompt

from minischeme.cli.main import main

PAIR = """\
┌───┬───┐
│ 1 │ 2 │
└───┴───┘
"""


def test_values_of_expressions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["draw", "-e", "(cons 1 2)"]) == 0
    assert capsys.readouterr().out == PAIR


def test_a_file_and_a_picture_for_a_browser(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, picture = tmp_path / "p.scm", tmp_path / "p.svg"
    program.write_text("(define x (cons 1 2))", encoding="utf-8")
    assert main(["draw", str(program), "-e", "x", "--svg", str(picture)]) == 0
    assert ElementTree.fromstring(picture.read_text(encoding="utf-8")).tag.endswith("svg")
    capsys.readouterr()
    assert main(["draw", str(program), "-e", "x", "--svg", "-"]) == 0
    assert capsys.readouterr().out == picture.read_text(encoding="utf-8")
    assert main(["draw", str(program)]) == 0
    assert "global environment" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        ([], 2, "draw what? Give a FILE or -e EXPR"),
        (["nosuch.scm"], 2, "cannot open file: nosuch.scm"),
        (["-e", "(car 5)"], 1, "car: wrong type of argument: 5"),
        (["-e", "(list 1"], 1, "end of file inside list"),
        (["-e", ""], 2, "draw what? Give a FILE or -e EXPR"),
        (["-e", "1", "--svg", "no/such/folder.svg"], 2, "cannot write no/such/folder.svg"),
    ],
)
def test_wrong_uses(arguments: list[str], status: int, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["draw", *arguments]) == status
    assert told in capsys.readouterr().err


def test_the_program_may_exit() -> None:
    assert main(["draw", "-e", "(exit 3)"]) == 3


def test_commands() -> None:
    prompt = Prompt("(define x (cons 1 2))")
    assert prompt.said(",draw (cons 1 2)") == PAIR
    assert prompt.said(",draw x").splitlines()[1] == "x  •──▶│ 1 │ 2 │"
    assert "x" in prompt.said(",draw-environment")
    assert "global environment" in prompt.said(",draw-environment (lambda () 5)")
    assert [each.output for each in prompt.session.interact("(draw x)")] == [PAIR + "okay\n"]


def test_a_page_of_help() -> None:
    for typed in (",help ,draw", ",help draw"):
        assert "the left half is the car" in Prompt().said(typed)
    assert "Print a picture" in Prompt().said(",help draw")
