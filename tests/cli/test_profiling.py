"""The options --profile, --coverage and --lcov, of a program and of `minischeme test`."""

from __future__ import annotations

from pathlib import Path

import pytest

from minischeme.cli.main import main

PROGRAM = """\
(define (f x)
  (if (= x 0)
      'done
      (f (- x 1))))
(display (f 3))
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "p.scm"
    path.write_text(PROGRAM, encoding="utf-8")
    return str(path)


def test_profile(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--profile", program]) == 0
    shown = capsys.readouterr()
    assert shown.out == "done"
    assert [line.split()[0] for line in shown.err.splitlines() if line.endswith("f  p.scm:1")] == ["4"]


def test_coverage(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--coverage", program]) == 0
    assert (
        capsys.readouterr().err
        == f"""\
{program}: 5 of 5 lines ran, 100 %
        1 │ (define (f x)
        4 │   (if (= x 0)
        1 │       'done
        3 │       (f (- x 1))))
        1 │ (display (f 3))
"""
    )


def test_lcov(program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--lcov", str(tmp_path / "out.info"), program]) == 0
    assert "DA:2,4\n" in (tmp_path / "out.info").read_text(encoding="utf-8")
    assert main(["--lcov", str(tmp_path / "no" / "out.info"), program]) == 2
    assert "cannot write" in capsys.readouterr().err


@pytest.mark.parametrize(("expression", "status"), [("(exit 3)", 3), ("(car 5)", 1)])
def test_the_status_is_the_programs(expression: str, status: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--profile", "-e", expression]) == status
    assert "in all" in capsys.readouterr().err


def test_transcripts(program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    talk = tmp_path / "talk.txt"
    talk.write_text("; minischeme: load p.scm\n> (f 0)\ndone\n> (f 0)\ndone\n", encoding="utf-8")
    assert main(["test", "--coverage", "--lcov", str(tmp_path / "out.info"), str(talk)]) == 0
    shown = capsys.readouterr()
    assert "2 interactions" in shown.out
    assert shown.err == f"{program}: 5 of 5 lines ran, 100 %\n"
    assert "DA:2,6\n" in (tmp_path / "out.info").read_text(encoding="utf-8")
    assert main(["test", "--coverage", "--sandbox", str(talk)]) == 2
    assert "in the sandbox" in capsys.readouterr().err
