"""The command `minischeme check`: its formats, its exit status, and the warnings at the prompt."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from program_checks import mistakes

from minischeme.checking.formats import as_github, as_json, as_sarif, as_text
from minischeme.checking.registry import RULES
from minischeme.cli.main import main

WRONG = "(define (f x)\n  (cons x\n        1)\n  (frist x))\n"

TEXT = """\
*** Warning (unused-value) at bad.scm:2:3:
    the value is ignored: (cons x 1)
  |   (cons x
  |   ^^^^^^^
  only the last value of a body counts
*** Warning (unbound) at bad.scm:4:4:
    unbound variable: frist
  |   (frist x))
  |    ^^^^^
  did you mean first?
"""


def test_text_is_that_of_errors() -> None:
    assert as_text(mistakes(WRONG, "bad.scm")) == TEXT


def test_json() -> None:
    assert json.loads(as_json(mistakes(WRONG, "bad.scm")))[0] == {
        "file": "bad.scm",
        "line": 2,
        "column": 3,
        "endLine": 3,
        "endColumn": 11,
        "rule": "unused-value",
        "level": "warning",
        "message": "the value is ignored: (cons x 1)",
        "hint": "only the last value of a body counts",
    }
    assert json.loads(as_json([])) == []


def test_github_annotations() -> None:
    lines = as_github(mistakes(WRONG, "a,b.scm")).splitlines()
    assert lines[0].startswith("::warning file=a%2Cb.scm,line=2,endLine=3,title=unused-value::the value is ignored")
    assert lines[1] == (
        "::warning file=a%2Cb.scm,line=4,col=4,endLine=4,endColumn=9,title=unbound::"
        "unbound variable: frist%0Adid you mean first?"
    )


def struct(**properties: Any) -> dict[str, Any]:
    """The schema of an object that has all these properties, and maybe others whose names begin with ``$``."""
    return {
        "type": "object",
        "required": list(properties),
        "properties": properties,
        "patternProperties": {"^\\$": {}},
        "additionalProperties": False,
    }


TEXT_FIELD, FROM_ONE = {"type": "string", "minLength": 1}, {"type": "integer", "minimum": 1}
REGION = struct(startLine=FROM_ONE, startColumn=FROM_ONE, endLine=FROM_ONE, endColumn=FROM_ONE)
LOCATION = struct(
    physicalLocation=struct(artifactLocation=struct(uri={"type": "string", "format": "uri-reference"}), region=REGION)
)
RULE = struct(id=TEXT_FIELD, shortDescription=struct(text=TEXT_FIELD))
RESULT = struct(
    ruleId={"enum": list(RULES)},
    level={"enum": ["none", "note", "warning", "error"]},
    message=struct(text=TEXT_FIELD),
    locations={"type": "array", "items": LOCATION, "minItems": 1},
)
RUN = struct(
    tool=struct(driver=struct(name=TEXT_FIELD, rules={"type": "array", "items": RULE, "uniqueItems": True})),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    results={"type": "array", "items": RESULT},
)
SARIF = struct(version={"const": "2.1.0"}, runs={"type": "array", "items": RUN, "minItems": 1})
"""The part of the schema of SARIF 2.1.0 that our logs use."""


def test_sarif_has_the_shape_of_its_schema() -> None:
    log = json.loads(as_sarif(mistakes(WRONG + ")", "my programs/bad.scm")))
    jsonschema.validate(log, SARIF)
    results = log["runs"][0]["results"]
    assert [(each["ruleId"], each["level"]) for each in results] == [
        ("unused-value", "warning"),
        ("unbound", "warning"),
        ("read", "error"),
    ]
    assert results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "my%20programs/bad.scm"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**log, "version": "2.0"}, SARIF)


# ── the command ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.scm").write_bytes(WRONG.replace("\n", "\r\n").encode())
    (tmp_path / "homework").mkdir()
    (tmp_path / "homework" / "good.scm").write_text("(define (g x) (list x))")
    assert main(["check", "bad.scm", "homework"]) == 1
    assert capsys.readouterr().out == TEXT + "bad.scm: 2 warnings\nhomework/good.scm: nothing to report\n"
    assert main(["check", "homework"]) == 0
    assert main(["check", "-l", "homework/good.scm", "--format", "json", "bad.scm"]) == 1
    assert len(json.loads(capsys.readouterr().out.partition("\n")[2])) == 2


def test_the_report_in_the_readme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    program = "(define (total n sum hand) sum)\n(define (best-total hand)\n  total 0 0 hand)\n"
    (tmp_path / "my-twenty-one.scm").write_text(program)
    assert main(["check", "my-twenty-one.scm"]) == 1
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert f"$ minischeme check my-twenty-one.scm\n{capsys.readouterr().out}```" in readme


def test_the_command_reads_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("(first 'a))"))
    assert main(["check", "-"]) == 1
    assert capsys.readouterr().out.startswith("*** Error (read) at stdin:1:11:\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO("(first 'a)"))
    assert main(["check", "--r7rs", "-"]) == 1


@pytest.mark.parametrize("words", [["nowhere.scm"], ["-l", "nowhere.scm", "-"], ["binary.scm"], ["empty"]])
def test_a_file_that_cannot_be_read(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    (tmp_path / "binary.scm").write_bytes(b"\xff\0\xfe")
    (tmp_path / "empty").mkdir()
    assert main(["check", *words]) == 2
    assert capsys.readouterr().err.startswith("minischeme check: ")


def test_a_run_of_a_program_is_not_checked(tmp_path: Path) -> None:
    (tmp_path / "bad.scm").write_text(WRONG)
    for words in (["bad.scm"], ["-l", "bad.scm", "-e", "1"], ["-i", "bad.scm"]):
        command = [sys.executable, "-m", "minischeme", *words]
        done = subprocess.run(command, cwd=tmp_path, input="", capture_output=True, text=True, timeout=60)
        assert "frist" not in done.stdout + done.stderr
