"""The results in the formats of platforms, each checked against a JSON schema of it, and the autograder's zip file."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest

from minischeme.cli.grade import grade
from minischeme.grading.formats import FOR_ONE, formatted
from minischeme.grading.gradescope import autograder
from minischeme.grading.judge import QuestionResult, Result

jsonschema = pytest.importorskip("jsonschema")

ROOT = Path(__file__).parents[2]
SCHEMAS = {path.stem: json.loads(path.read_text()) for path in (Path(__file__).parent / "schemas").glob("*.json")}

RIGHT = QuestionResult("a.txt", "squares", 2.0, 2.0, "visible", 1, 1)
WRONG = QuestionResult("a.txt", "cubes", 1.5, 3.0, "visible", 1, 2, 'a.txt:7: (cube 3)\n-27\n+9 "<&>" \x00')
HIDDEN = QuestionResult("a.txt", "secret", 0.0, 5.0, "hidden", 0, 1, "a.txt:9: (cube 99)\n-970299\n+1")
LATER = QuestionResult("a.txt", "later", 1.0, 1.0, "after-due-date", 1, 1)
SKIPPED = QuestionResult("a.txt", "sums", 0.0, 1.0, "visible", 0, 1, "a.txt:12: cubes fails", "cubes", True)

RESULTS = {
    "all right": Result("ann", [RIGHT], seconds=0.25),
    "some wrong": Result("bob", [RIGHT, WRONG, LATER, SKIPPED], ["hw1.scm: not read"], seconds=1.5),
    "a hidden one wrong": Result("cleo", [RIGHT, HIDDEN]),
    "nothing": Result("dora"),
    "not graded": Result("eve", error="there is no file that can be read"),
}


@pytest.mark.parametrize("kind", FOR_ONE)
@pytest.mark.parametrize("name", RESULTS)
def test_schemas(kind: str, name: str) -> None:
    jsonschema.validate(json.loads(formatted(kind, [RESULTS[name]])), SCHEMAS[kind])


@pytest.mark.parametrize("kind", FOR_ONE)
def test_schemas_refuse_what_is_wrong(kind: str) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[kind])
    good = json.loads(formatted(kind, [RESULTS["some wrong"]]))
    key = "results" if kind == "check50" else "tests"
    for wrong in (
        {**good, "more": 1},
        {**good, key: "none"},
        {**good, key: [{**good[key][0], "name": 5, "test-name": 5}]},
        {**good, "score": "2", "version": 2},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, SCHEMAS[kind])


def loaded(kind: str, name: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(formatted(kind, [RESULTS[name]]))
    return found


def test_gradescope() -> None:
    assert loaded("gradescope", "a hidden one wrong") == {
        "output": "1 of 1 questions that are shown are right.\nNot shown here: 1 more.",
        "execution_time": 0.0,
        "stdout_visibility": "hidden",
        "tests": [
            {
                "name": "a.txt: squares",
                "score": 2.0,
                "max_score": 2.0,
                "status": "passed",
                "visibility": "visible",
                "output": "",
            },
            {
                "name": "a.txt: secret",
                "score": 0.0,
                "max_score": 5.0,
                "status": "failed",
                "visibility": "hidden",
                "output": HIDDEN.feedback,
            },
        ],
    }
    assert [test["visibility"] for test in loaded("gradescope", "some wrong")["tests"]][2] == "after_due_date"
    assert loaded("gradescope", "not graded")["score"] == 0
    assert "could not be graded" in str(loaded("gradescope", "not graded")["output"])


def test_prairielearn() -> None:
    found = loaded("prairielearn", "some wrong")
    assert (found["gradable"], found["score"]) == (True, pytest.approx(4.5 / 7))
    assert [test["name"] for test in found["tests"]] == ["a.txt: squares", "a.txt: cubes", "a.txt: sums"]
    assert loaded("prairielearn", "not graded") == {
        "gradable": False,
        "format_errors": ["there is no file that can be read"],
    }


def test_classroom50(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLASSROOM", "cs61a")
    found = loaded("classroom50", "some wrong")
    assert (found["classroom"], found["score"], found["max-score"]) == ("cs61a", 4, 7)
    assert found["tests"][1] == {"test-name": "a.txt: cubes", "passed": False, "score": 1, "max-score": 3}


def test_check50() -> None:
    found = loaded("check50", "some wrong")
    squares, cubes, sums, hidden = found["results"]
    assert (hidden["passed"], hidden["log"]) == (None, ["Not shown here: 1 more."])
    assert (squares["passed"], cubes["passed"], sums["passed"]) == (True, False, None)
    assert (squares["cause"], cubes["cause"]["rationale"]) == (None, "a.txt:7: (cube 3)")
    assert sums["dependency"] == "a.txt: cubes"
    (unread,) = loaded("check50", "not graded")["results"]
    assert (unread["name"], unread["passed"]) == ("submission: readable", False)
    assert unread["cause"]["rationale"] == "not graded: there is no file that can be read"


@pytest.mark.parametrize("kind", ["prairielearn", "classroom50", "check50"])
def test_hidden_questions_do_not_show_where_nothing_hides_them(kind: str) -> None:
    text = formatted(kind, [RESULTS["a hidden one wrong"]])
    assert "secret" not in text
    assert "970299" not in text


@pytest.mark.parametrize("kind", FOR_ONE)
@pytest.mark.parametrize("name", RESULTS)
def test_nothing_says_that_all_is_right(kind: str, name: str) -> None:
    text = formatted(kind, [RESULTS[name]]).casefold()
    assert "all passed" not in text
    assert "all right" not in text
    if name == "a hidden one wrong" and kind == "prairielearn":
        assert json.loads(text)["score"] == pytest.approx(2 / 7)
    if name == "a hidden one wrong" and kind == "check50":
        assert [each["passed"] for each in json.loads(text)["results"]] == [True, None]


def test_junit() -> None:
    root = ElementTree.fromstring(formatted("junit", list(RESULTS.values())))
    suites = {suite.get("name"): suite for suite in root}
    counts = {
        name: tuple(suite.get(key) for key in ("tests", "failures", "errors", "skipped"))
        for name, suite in suites.items()
    }
    assert counts == {
        "ann": ("1", "0", "0", "0"),
        "bob": ("4", "1", "0", "1"),
        "cleo": ("2", "1", "0", "0"),
        "dora": ("0", "0", "0", "0"),
        "eve": ("1", "0", "1", "0"),
    }
    failure = suites["bob"].find("testcase[@name='cubes']/failure")
    assert failure is not None
    assert failure.text == 'a.txt:7: (cube 3)\n-27\n+9 "<&>" \ufffd'


def test_a_reader_of_junit_files() -> None:
    junitparser = pytest.importorskip("junitparser")
    read = junitparser.JUnitXml.fromstring(formatted("junit", list(RESULTS.values())).encode())
    suites = {suite.name: suite for suite in read}
    assert list(suites) == ["ann", "bob", "cleo", "dora", "eve"]
    for suite in suites.values():
        told = (suite.tests, suite.failures, suite.errors, suite.skipped)
        suite.update_statistics()
        assert told == (suite.tests, suite.failures, suite.errors, suite.skipped)
    kinds = {case.name: [type(result).__name__ for result in case.result] for case in suites["bob"]}
    assert kinds == {"squares": [], "cubes": ["Failure"], "later": [], "sums": ["Skipped"]}
    (problem,) = next(iter(suites["eve"])).result
    assert (type(problem).__name__, problem.message) == ("Error", "there is no file that can be read")


def test_json() -> None:
    found = json.loads(formatted("json", list(RESULTS.values())))
    assert [result["name"] for result in found] == ["ann", "bob", "cleo", "dora", "eve"]


# ── the command ──────────────────────────────────────────────────────────────────────────────────────────────────────
TEST = "; minischeme: load hw1.scm\n; minischeme: points 2\n> (sq 3)\n9\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/sq.txt").write_text(TEST)
    (tmp_path / "submission").mkdir()
    (tmp_path / "submission/hw1.scm").write_text("(define (sq x) (* x x))")
    return tmp_path


@pytest.mark.skipif(sys.platform != "linux", reason="the sandbox has its layers on Linux only")
@pytest.mark.parametrize("kind", FOR_ONE)
def test_the_command(kind: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert grade([str(place / "submission"), "--tests", str(place / "tests"), "--format", kind]) == 0
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, SCHEMAS[kind])
    assert "2.0" in json.dumps(found) or "2 of 2" in json.dumps(found) or found["score"] in (1, 2)
    (place / "submission/hw1.scm").unlink()
    assert grade([str(place / "submission"), "--tests", str(place / "tests"), "--format", kind]) == 0
    jsonschema.validate(json.loads(capsys.readouterr().out), SCHEMAS[kind])
    assert grade([str(place / "nothing"), "--tests", str(place / "tests"), "--format", kind]) == 0
    jsonschema.validate(json.loads(capsys.readouterr().out), SCHEMAS[kind])


def test_a_platform_gets_one_submission(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [str(place / "submission"), str(place / "tests"), "--tests", str(place / "tests")]
    assert grade([*arguments, "--format", "check50"]) == 2
    assert "the format check50 is for one submission" in capsys.readouterr().err


# ── the autograder for Gradescope ────────────────────────────────────────────────────────────────────────────────────
def test_the_zip_file(tmp_path: Path) -> None:
    data = autograder({"folder/sq.txt": TEST})
    assert data == autograder({"folder/sq.txt": TEST})
    (tmp_path / "out.zip").write_bytes(data)
    with ZipFile(tmp_path / "out.zip") as archive:
        names = archive.namelist()
        assert {"setup.sh", "run_autograder", "tests/folder/sq.txt"} < set(names)
        for name in ("setup.sh", "run_autograder"):
            assert stat.S_IXUSR & archive.getinfo(name).external_attr >> 16
        wheel = next(name for name in names if name.endswith(".whl"))
        archive.extract(wheel, tmp_path)
    with ZipFile(tmp_path / wheel) as archive:
        inside = set(archive.namelist())
    assert {"minischeme/__main__.py", "minischeme/lib/twenty-one.scm", "minischeme/reading/grammar.lark"} < inside
    assert not [name for name in inside if "tests/" in name or "__pycache__" in name]


def folder_command(root: Path, script: str) -> list[str]:
    return ["env", f"AUTOGRADER_ROOT={root}", "bash", str(root / "source" / script)]


def container_command(root: Path, script: str) -> list[str]:
    """A command in a container with a root of its own, which has a network only for the set-up."""
    if (
        shutil.which("bwrap") is None
        or subprocess.run(["bwrap", "--unshare-all", "--bind", "/", "/", "true"]).returncode
    ):
        pytest.skip("there is no bubblewrap that can make a container")
    command = ["bwrap", "--unshare-all", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    command += ["--share-net"] if script == "setup.sh" else []
    for path in ("/usr", "/bin", "/lib", "/lib64", "/etc", "/run", sys.base_prefix):
        command += ["--ro-bind-try", path, path]
    return [*command, "--bind", str(root), "/autograder", f"/autograder/source/{script}"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the sandbox has its layers on Linux only")
@pytest.mark.parametrize("command", [folder_command, container_command])
def test_the_autograder_in_a_clean_place(command: Callable[[Path, str], list[str]], place: Path) -> None:
    """Everything but the package index comes from the zip file."""
    done = grade(["--gradescope-zip", str(place / "out.zip"), "--tests", str(place / "tests")])
    assert done == 0
    root = place / "autograder"
    for name in ("source", "submission", "results"):
        (root / name).mkdir(parents=True)
    with ZipFile(place / "out.zip") as archive:
        archive.extractall(root / "source")
    for name in ("setup.sh", "run_autograder"):
        (root / "source" / name).chmod(0o755)
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    environment |= {"PATH": f"{Path(sys.base_prefix) / 'bin'}:{os.environ['PATH']}"}

    def run(script: str) -> None:
        words = command(root, script)
        done = subprocess.run(words, cwd="/", env=environment, capture_output=True, text=True, timeout=280)
        assert done.returncode == 0, done.stdout + done.stderr

    run("setup.sh")
    results = root / "results/results.json"
    for program, status in (("(define (sq x) (* x x))", "passed"), ("(define (sq x) (exit 0))", "failed")):
        (root / "submission/hw1.scm").write_text(program)
        run("run_autograder")
        found = json.loads(results.read_text())
        jsonschema.validate(found, SCHEMAS["gradescope"])
        assert [test["status"] for test in found["tests"]] == [status]
    (root / "submission/hw1.scm").unlink()
    run("run_autograder")
    assert "could not be graded" in json.loads(results.read_text())["output"]
