"""`minischeme grade`: points and tables of a class, and what may stand in folders of submissions."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from grading.sample_class import GOOD, JUDGE, TESTS

from minischeme.cli import class_report as report
from minischeme.grading import submissions
from minischeme.grading.judge import QuestionResult, Result
from minischeme.grading.submissions import Job, files_needed, job_of, submissions_in
from minischeme.grading.submissions import tests_of as texts_of
from minischeme.grading.workers import grade_class

if sys.platform != "linux":
    pytest.skip("the sandbox has its layers on Linux only", allow_module_level=True)

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tests(tmp_path: Path) -> Path:
    folder = tmp_path / "tests"
    folder.mkdir()
    for name, text in TESTS.items():
        (folder / name).write_text(text)
    return folder


def submit(folder: Path, **programs: str) -> Path:
    for name, program in programs.items():
        (folder / "class" / name).mkdir(parents=True)
        (folder / "class" / name / "hw1.scm").write_text(program)
    return folder / "class"


def minischeme(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "minischeme", "grade", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=250)


@pytest.mark.slow
def test_the_class(tmp_path: Path, tests: Path) -> None:
    folder = submit(tmp_path, ann=GOOD, bob="(define (sq x) (+ x x))", eve="(define (sq x) (exit 0))")
    out = tmp_path / "out"
    done = minischeme(folder, "--tests", tests, "-o", out, "-j", 2, "--limit", 2)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ann  8 of 8 points\nbob  0 of 8 points\neve  0 of 8 points\n")
    assert "first.txt: squares: 2 of 3 submissions" in done.stdout
    assert done.stderr.startswith("sandbox: ")
    with (out / "grades.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["name"], row["points"], row["first.txt: each"]) for row in rows] == [
        ("ann", "8", "2"),
        ("bob", "0", "0"),
        ("eve", "0", "0"),
    ]
    page = (out / "grades.html").read_text()
    assert "<h2>Distribution</h2>" in page
    assert "first.txt:4: (sq 3)" in page
    assert "http" not in page  # it needs nothing else
    again = minischeme(folder, "--tests", tests, "-j", 1, "--limit", 2)
    assert again.stdout == done.stdout


def test_a_single_file_stands_for_the_one_that_is_needed(tmp_path: Path, tests: Path) -> None:
    (tmp_path / "zoe.scm").write_text(GOOD)
    done = minischeme(tmp_path / "zoe.scm", "--tests", tests)
    assert done.stdout == "zoe  8 of 8 points\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "--tests", "{tests}"], "nowhere: not graded"),
        (["{tests}", "--tests", "{empty}"], "no test found in"),
        (["{empty}", "--tests", "{tests}"], "no submission found"),
        (["{tests}", "--tests", "{bad}"], "unknown directive: odd"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str, tmp_path: Path, tests: Path) -> None:
    for name in ("empty", "bad"):
        (tmp_path / name).mkdir()
    (tmp_path / "bad/t.txt").write_text("; minischeme: odd\n> 1\n1\n")
    places = {"tests": tests, "empty": tmp_path / "empty", "bad": tmp_path / "bad"}
    done = minischeme(*(argument.format(**places) for argument in arguments))
    assert done.returncode in (1, 2)
    assert message.partition(": ")[2] in done.stderr + done.stdout


def test_no_folder_adds_modules_to_the_grader(tmp_path: Path, tests: Path) -> None:
    (tmp_path / "hw1.scm").write_text(GOOD)
    for name in ("msgspec", "minischeme", "random", "json", "socket"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('harm')")
    command = [sys.executable, "-P", "-m", "minischeme", "grade", ".", "--tests", tests]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert "8 of 8 points" in done.stdout, done.stderr


@pytest.mark.slow
def test_results_are_kept(tmp_path: Path, tests: Path) -> None:
    folder = submit(tmp_path, ann=GOOD, bob="(define (sq x) 9)")
    texts = texts_of(tests)
    needed = files_needed(texts)
    counted: list[str] = []

    def jobs() -> list[Job]:
        found = submissions_in([folder], needed)
        return [job_of(name, path, texts, needed) for name, path in found.items()]

    class Counting(ThreadPoolExecutor):
        def submit(self, function, job):  # type: ignore[no-untyped-def]
            counted.append(job.name)
            return super().submit(function, job)

    def names(*, again: bool = False) -> list[str]:
        counted.clear()
        return sorted(each.name for each in grade_class(jobs(), 2, (Counting(2), 2), tmp_path / "out", again=again))

    (tmp_path / "out").mkdir()

    assert (names(), sorted(counted)) == (["ann", "bob"], ["ann", "bob"])
    assert (names(), counted) == (["ann", "bob"], [])
    (folder / "bob/hw1.scm").write_text(GOOD)
    assert (names(), counted) == (["ann", "bob"], ["bob"])
    assert (names(again=True), sorted(counted)) == (["ann", "bob"], ["ann", "bob"])
    next(iter((tmp_path / "out").iterdir())).write_text("{")
    assert names() == ["ann", "bob"]
    assert len(counted) <= 1


def test_ctrl_c_keeps_what_is_done(tmp_path: Path, tests: Path) -> None:
    slow = "(let loop () (loop))"
    folder = submit(tmp_path, ann=GOOD, bob=slow, cleo=slow, dora=slow)
    command = [sys.executable, "-m", "minischeme", "grade", folder, "--tests", tests, "-o", tmp_path / "out"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    results = tmp_path / "out/results"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (results.is_dir() and list(results.glob("*.json"))):
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert output.startswith("ann  8 of 8 points\n")
    assert "interrupted; 1 of 4 submissions are graded" in errors
    assert "ann,8,8" in (tmp_path / "out/grades.csv").read_text()


# ── what stands in folders of submissions ────────────────────────────────────────────────────────────────────────────
def test_strange_files(tmp_path: Path, tests: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = submit(tmp_path, good=GOOD)
    strange = folder / "strange"
    strange.mkdir()
    (strange / "hw1.scm").symlink_to(tests / "first.txt")
    (strange / "folder").symlink_to("/etc")
    os.mkfifo(strange / "pipe")
    with (strange / "large").open("wb") as file:
        file.truncate(1 << 30)
    (strange / "a b\n../x.scm").parent.mkdir()
    (strange / "a b\n../x.scm").write_text("1")
    Path(os.fsdecode(os.fsencode(strange) + b"/\xff.scm")).write_text("1")
    job = job_of("strange", strange, TESTS, ["hw1.scm"])
    assert list(job.files) == ["a b\n../x.scm"]
    assert [problem.partition(":")[0] for problem in job.problems] == [
        "folder",
        "hw1.scm",
        "large",
        "pipe",
        "\ufffd.scm",
    ]
    monkeypatch.setattr(submissions, "_contents", lambda path, most: path.open("rb").read(20))
    (strange / "folder").unlink()
    (strange / "pipe").unlink()  # a reader would wait for ever
    naive = job_of("strange", strange, TESTS, ["hw1.scm"])
    assert naive.files["hw1.scm"] == TESTS["first.txt"][:20].encode()
    assert naive.files["large"] == bytes(20)
    monkeypatch.undo()
    done = minischeme(folder, "--tests", tests)
    assert "good     8 of 8 points\n" in done.stdout
    assert "strange  0 of 8 points" in done.stdout


@pytest.mark.skipif(os.getuid() != 0, reason="only root makes device files")
def test_devices(tmp_path: Path) -> None:
    os.mknod(tmp_path / "hw1.scm", 0o20666, os.makedev(1, 5))  # /dev/zero
    job = job_of("device", tmp_path, TESTS, ["hw1.scm"])
    assert (job.files, job.problems) == ({}, ["hw1.scm: not read: it is no file"])
    assert JUDGE.grade(job).error == "there is no file that can be read"


def test_many_files_and_deep_folders(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number:03}.scm").write_text("1")
    deep = tmp_path / "a/b/c/d/e/f/g"
    deep.mkdir(parents=True)
    (deep / "x.scm").write_text("1")
    job = job_of("many", tmp_path, TESTS, [])
    assert len(job.files) == 200
    assert len(job.problems) == 20


def test_names_of_submissions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a b", "new\nline", "..x", "=1+1", "<b>", os.fsdecode(b"\xff")):
        (tmp_path / "class" / name).mkdir(parents=True)
    found = submissions_in([tmp_path / "class"], ["hw1.scm"])
    assert sorted(found) == ["<b>", "=1+1", "a b", "new\ufffdline", "\ufffd"]
    with monkeypatch.context() as patch:
        patch.setattr(submissions, "printable", str)
        assert "new\nline" in submissions_in([tmp_path / "class"], ["hw1.scm"])
    (tmp_path / "other/a b").mkdir(parents=True)
    twice = submissions_in([tmp_path / "class", tmp_path / "other"], ["hw1.scm"])
    assert len(twice) == 6
    assert str(tmp_path / "other/a b") in twice


def test_the_files_that_tests_need() -> None:
    library = '(load "~cs61a/lib/twenty-one.scm")\n(load "twenty-one")\n'
    assert files_needed({"t.scm": library}) == ["twenty-one.scm"]
    assert files_needed({"t.scm": library + "; minischeme: load hw1.scm\n"}) == ["hw1.scm"]


def test_paths_of_a_job_stay_in_the_folder(tmp_path: Path) -> None:
    target = tmp_path / "harm"
    files = {"../../../../../../../../.." + str(target): b"x", str(target): b"x", "hw1.scm": GOOD.encode()}
    assert JUDGE.grade(Job("paths", files, [], TESTS)).points == 8
    assert not target.exists()


def test_reports_quote_what_strangers_write() -> None:
    question = QuestionResult("t", "q", 0, 1, "visible", 0, 1, "<script>alert(1)</script>")
    results = [Result("=HYPERLINK(1)", [question], ["<img>"]), Result("@x", error="+1")]
    rows = list(csv.reader(report.comma_separated(results).splitlines()))
    assert [(row[0], row[-1]) for row in rows[1:]] == [("'=HYPERLINK(1)", "<img>"), ("'@x", "'+1")]
    page = report.page(results, "<title>")
    assert "<script>" not in page
    assert "<img>" not in page


def test_a_job_has_a_digest_of_all_that_matters() -> None:
    job = Job("a", {"x": b"1"}, [], {"t": "1"})
    others = [
        Job("b", {"x": b"1"}, [], {"t": "1"}),
        Job("a", {"x": b"2"}, [], {"t": "1"}),
        Job("a", {"x": b"1"}, [], {"t": "2"}),
        Job("a", {"x": b"1"}, [], {"t": "1"}, limit=3),
    ]
    assert len({each.digest for each in [job, *others]}) == 5
    assert job.digest == Job("a", {"x": b"1"}, [], {"t": "1"}).digest


def test_no_more_jobs_are_taken_than_are_worked_on() -> None:
    taken: list[int] = []

    def jobs():  # type: ignore[no-untyped-def]
        for number in range(3):
            taken.append(number)
            yield Job(f"{number}", {}, [], TESTS)

    class Slow(ThreadPoolExecutor):
        def submit(self, function, job):  # type: ignore[no-untyped-def]
            return super().submit(lambda: time.sleep(1.2) or Result(job.name))

    next(grade_class(jobs(), 3, (Slow(1), 1), None, again=False))
    assert taken == [0]


def test_an_error_of_a_worker_is_not_lost() -> None:
    class Broken(ThreadPoolExecutor):
        def submit(self, function, job):  # type: ignore[no-untyped-def]
            return super().submit(lambda: 1 / 0)

    (result,) = grade_class([Job("one", {}, [], TESTS)], 1, (Broken(1), 1), None, again=False)
    assert (result.error, result.is_transient) == ("it could not be graded: division by zero", True)
