"""The commands `minischeme test` and `minischeme record`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from transcript_runs import TESTING, failures

from minischeme.cli import main as cli

BAD = "Prose\n> (+ 1 2)\n4\n> (+ 2 2)\n4\n> (car 5)\nokay\n"


def write(folder: Path, name: str, text: str) -> Path:
    """A new file."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))
    return path


def test_the_command_shows_differences_in_the_files_line_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, "bad.txt", BAD)
    assert cli.main(["test", str(path)]) == 1
    output = capsys.readouterr().out
    assert (
        f"{path}:2: (+ 1 2)\n--- {path}\n+++ {path} (now)\n@@ -2,5 +2,5 @@\n > (+ 1 2)\n-4\n+3\n > (+ 2 2)\n" in output
    )
    assert f"{path}:6: (car 5)\n" in output
    assert output.endswith(f"{path}: 3 interactions, 2 different\n")
    assert path.read_text(encoding="utf-8") == BAD


def test_statuses_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = write(tmp_path, "good.txt", TESTING)
    assert cli.main(["test", str(good)]) == 0
    assert cli.main(["test", str(tmp_path / "none.txt")]) == 2
    assert cli.main(["test", str(write(tmp_path, "empty/none.txt", "No prompt.\n"))]) == 2
    assert cli.main(["test", str(tmp_path / "empty")]) == 2
    assert cli.main(["test", str(write(tmp_path, "odd.txt", "; minischeme: odd\n> 1\n1\n"))]) == 2
    assert "odd.txt:1: unknown directive: odd" in capsys.readouterr().err
    assert cli.main(["test", str(good), "--path", str(good)]) == 2
    assert "no such folder" in capsys.readouterr().err
    for wrong in (["test"], ["test", "--check", "--update", str(good)], ["test", "-j", "0", str(good)]):
        with pytest.raises(SystemExit) as ended:
            cli.main(wrong)
        assert ended.value.code == 2


def test_folders_and_several_processes(tmp_path: Path) -> None:
    for number in range(3):
        write(tmp_path, f"deep/{number}.txt", TESTING)
    write(tmp_path, "bad.txt", BAD)
    write(tmp_path, "notes.md", "> a quotation\n")
    write(tmp_path, "sums.scm", "(+ 1 2) ; expect 3\n(+ 1 2)\n; expect 4\n")
    done = subprocess.run(
        [sys.executable, "-m", "minischeme", "test", "-j", "2", str(tmp_path)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=Path(cli.__file__).parents[2],
        timeout=120,
    )
    assert done.returncode == 1
    assert done.stdout.endswith("5 files: 20 interactions, 3 different\n"), done.stdout
    assert "sums.scm:2: (+ 1 2)\n-4\n+3\n" in done.stdout


def test_differences_fit_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "40")
    words = " ".join(["word"] * 20)
    write(tmp_path, "bad.txt", f"> '({words})\n(word {words})\n")
    assert cli.main(["test", "bad.txt"]) == 1
    assert f"\n-(word {words})\n" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert cli.main(["test", "bad.txt"]) == 1
    output = capsys.readouterr().out
    assert "\n-(word word word word word word word\n  word word" in output
    assert all(len(line) <= 40 for line in output.splitlines())


def test_update_changes_what_differs_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, "bad.txt", BAD)
    assert cli.main(["test", "--update", str(path)]) == 0
    assert capsys.readouterr().out.startswith(f"updated {path}:2: (+ 1 2)\nupdated {path}:6: (car 5)\n")
    error = "*** Error:\n    car: wrong type of argument: 5\n  | (car 5)\n  |      ^\n"
    assert path.read_text(encoding="utf-8") == BAD.replace("(+ 1 2)\n4", "(+ 1 2)\n3").replace("okay\n", error)
    before = path.stat()
    assert cli.main(["test", "--update", str(path)]) == 0
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_interactive_asks_for_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["n", "y"])
    monkeypatch.setattr("builtins.input", lambda _question: next(answers))
    path = write(tmp_path, "bad.txt", BAD)
    assert cli.main(["test", "--interactive", str(path)]) == 1
    assert "1 accepted" in capsys.readouterr().out
    assert failures(path.read_text(encoding="utf-8")) == [2]


def test_interactive_asks_for_expectations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["n", "y"])
    monkeypatch.setattr("builtins.input", lambda _question: next(answers))
    path = write(tmp_path, "sums.scm", "1 ; expect 2\n(+ 1 2) ; expect 4\n")
    assert cli.main(["test", "--interactive", str(path)]) == 1
    assert f"updated {path}:2: (+ 1 2)\n" in capsys.readouterr().out
    assert path.read_text(encoding="utf-8") == "1 ; expect 2\n(+ 1 2) ; expect 3\n"


def test_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = write(tmp_path, "lib/solution.scm", "(define (double x) (* 2 x))\n(define (roll) (random 1000000))\n")
    target = tmp_path / "testing.txt"
    expressions = ["(double 4)", "(roll)", "(trace double)", "(double\n  5)", "(car 5)"]
    assert cli.main(["record", str(program), "-o", str(target), *expressions, "--seed", "5"]) == 0
    text = target.read_text(encoding="utf-8")
    assert text.startswith('; minischeme: seed 5\n> (load "lib/solution.scm")\nokay\n> (double 4)\n8\n> (roll)\n')
    assert "> (double\n  5)\n.. -> double with x = 5\n" in text
    assert cli.main(["test", str(target)]) == 0
    assert cli.main(["record", str(program), "-o", str(target), "1"]) == 2
    assert target.read_text(encoding="utf-8") == text
    assert cli.main(["record", str(program), "-o", str(target), "1", "--force"]) == 0
    assert target.read_text(encoding="utf-8").endswith("> 1\n1\n")
    assert cli.main(["record", str(program), "(car"]) == 2
    assert cli.main(["record", str(tmp_path / "none.scm"), "1"]) == 2
    capsys.readouterr()
    assert cli.main(["record", str(program), "(double 1)", "(exit)", "(double 2)"]) == 0
    assert capsys.readouterr().out.endswith("> (double 1)\n2\n> (exit)\n")


@pytest.mark.parametrize("text", ["(define (f) 1", "(car 5)", ")(car"])
def test_record_of_a_program_that_does_not_load(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = write(tmp_path, "solution.scm", text)
    target = tmp_path / "testing.txt"
    assert cli.main(["record", str(program), "-o", str(target), "(+ 1 2)"]) == 1
    assert not target.exists()
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"minischeme record: {program} does not load, so nothing was recorded\n*** Error")


EXPECTATIONS = """\
(define (f x) (* x 2))  ; a comment
(f 4) ;; expect 9
(f 3) ; expect 6

(car 5)
; expect 5
; more to say
(begin (display "one") (newline) (display "two") (newline) 'three)
  ;  Expect one
  ;  Expect 2
(begin (display "hi") (newline) 'x) ; expect y
(f 'a) ; expect Error
(+ 1 2)
; Expect 1
; between
; expect 2
(f 'a) ; expect error
"""


def test_expectations_are_updated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, "sums.scm", EXPECTATIONS)
    assert cli.main(["test", str(path)]) == 1
    assert path.read_text(encoding="utf-8") == EXPECTATIONS
    capsys.readouterr()
    assert cli.main(["test", "--update", str(path)]) == 0
    assert f"updated {path}:2: (f 4)\n" in capsys.readouterr().out
    renewed = EXPECTATIONS.replace("expect 9", "expect 8").replace("expect y", "expect x")
    renewed = renewed.replace("expect 5", "expect Error: car: wrong type of argument: 5")
    renewed = renewed.replace("  ;  Expect 2\n", "  ;  Expect two\n  ;  Expect three\n")
    renewed = renewed.replace("; Expect 1\n; between\n; expect 2\n", "; Expect 3\n; between\n")
    assert path.read_text(encoding="utf-8") == renewed
    assert cli.main(["test", str(path)]) == 0


def test_an_endless_expression_is_not_updated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "(let loop () (loop)) ; expect 9\n"
    path = write(tmp_path, "endless.scm", text)
    assert cli.main(["test", "--update", "--limit", "0.2", str(path)]) == 1
    assert path.read_text(encoding="utf-8") == text
    assert "1 stopped by the time limit" in capsys.readouterr().out


def test_the_help_names_each_directive_and_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["test", "--help"])
    text = capsys.readouterr().out
    for word in ("seed", "load", "random", "skip", "fresh", "r7rs", "prompt", "--path", "--seed", "--limit"):
        assert word in text
