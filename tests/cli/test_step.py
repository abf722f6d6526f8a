"""The command `minischeme step` when it is called wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest

from minischeme.cli.step import step


@pytest.mark.parametrize("arguments", [[], ["-e", ""], ["-e", " "]])
def test_an_expression_is_needed(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        step(arguments)
    assert "which expression?" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--html", "--json"])
def test_a_file_that_cannot_be_written(option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "missing" / "out")
    assert step(["-e", "(+ 1 2)", option, out]) == 2
    assert capsys.readouterr().err == f"minischeme step: cannot write {out}: No such file or directory\n"
