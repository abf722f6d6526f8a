"""The pytest plugin: what it collects, how failures look, and that it costs nothing where it finds nothing."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import minischeme
import minischeme.session.session
import minischeme.transcripts.files

# pytester forgets the modules that a run imports; what the plugin needs is imported here, so that there is one of each.

pytest_plugins = ["pytester"]

# Hypothesis would be imported anew for each run, which takes longer than the run.
WITH_CACHE = ("-p", "minischeme.pytest_plugin", "-p", "no:benchmark", "-p", "no:hypothesispytest")
PLUGIN = (*WITH_CACHE, "-p", "no:cacheprovider")
TALK = "; minischeme: seed 3\n> (define x 5)\nx\n> (+ x 1)\n6\n> (+ x 2)\n8\n> (set! x 9)\nokay\n> (* x 2)\n18\n"
SUMS = """\
(define (square x) (* x x))
(square 3)
; expect 9
(square 4) ; expect 17
(display "hi")
; expect hi
(car 5)
; expect Error
(car 5) ; expect car: wrong type of argument: 5
(begin (display "a") (newline) (display "b") (newline) 3)
; expect a
; expect b
; expect 3
'(1 2) ; expect (1 2)
"""


def write(folder: Path, name: str, text: str) -> Path:
    """A new file."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_one_item_for_each_interaction(pytester: pytest.Pytester) -> None:
    write(pytester.path, "transcripts/deep/talk.txt", TALK)
    result = pytester.runpytest(*PLUGIN, "-v", "transcripts")
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(
        [
            "transcripts/deep/talk.txt::2: (define x 5) PASSED*",
            "transcripts/deep/talk.txt::6: (+ x 2) FAILED*",
            "transcripts/deep/talk.txt:6: (+ x 2)",
            "--- transcripts/deep/talk.txt",
            "@@ -6,5 +6,5 @@",
            "-8",
            "+7",
        ]
    )


def test_what_is_collected(pytester: pytest.Pytester) -> None:
    plain = "> 1\n1\n"
    write(pytester.path, "transcripts/a.txt", plain)
    write(pytester.path, "transcripts/prose.txt", "Nothing here.\n")
    write(pytester.path, "transcripts/page.md", "# Title\n> quoted\n```\n> 2\n2\n```\n")
    write(pytester.path, "notes/marked.txt", "; minischeme: seed 1\n" + plain)
    write(pytester.path, "notes/plain.txt", plain)
    write(pytester.path, "tests/sums.scm", "(+ 1 2) ; expect 3\n")
    write(pytester.path, "tests/program.scm", "(+ 1 2)\n")
    write(pytester.path, "lib/sums.scm", "(+ 1 2) ; expect 4\n")
    pytester.runpytest(*PLUGIN).assert_outcomes(passed=4)
    pytester.runpytest(*PLUGIN, "notes/plain.txt").assert_outcomes(passed=1)
    pytester.makeini("[pytest]\nminischeme_transcripts = notes/*.txt\n")
    pytester.runpytest(*PLUGIN, "notes").assert_outcomes(passed=2)
    for folders in ("notes", "./notes/", "transcripts notes"):
        pytester.makeini(f"[pytest]\nminischeme_transcripts = {folders}\n")
        pytester.runpytest(*PLUGIN, "notes").assert_outcomes(passed=2)
    pytester.makeini("[pytest]\nminischeme_transcripts = note\n")
    pytester.runpytest(*PLUGIN, "notes").assert_outcomes(passed=1)


def test_selected_items_have_what_went_before(pytester: pytest.Pytester) -> None:
    path = write(pytester.path, "transcripts/talk.txt", TALK)
    pytester.runpytest(*PLUGIN, "-k", "define or 10").assert_outcomes(passed=2, deselected=3)
    pytester.runpytest(*PLUGIN, f"{path}::10: (* x 2)").assert_outcomes(passed=1)
    pytester.runpytest(*PLUGIN, "-x").assert_outcomes(passed=2, failed=1)


def test_last_failed(pytester: pytest.Pytester) -> None:
    write(pytester.path, "transcripts/talk.txt", TALK)
    pytester.runpytest(*WITH_CACHE).assert_outcomes(passed=4, failed=1)
    pytester.runpytest(*WITH_CACHE, "--lf").assert_outcomes(failed=1)


def test_update(pytester: pytest.Pytester) -> None:
    path = write(pytester.path, "transcripts/talk.txt", TALK.replace("\n6\n", "\n66\n"))
    result = pytester.runpytest(*PLUGIN, "--transcript-update", "-k", "2")
    assert path.read_text(encoding="utf-8") == TALK.replace("\n6\n", "\n66\n").replace("\n8\n", "\n7\n")
    result.stdout.fnmatch_lines(["*updated transcripts/talk.txt:6: (+ x 2)"])
    pytester.runpytest(*PLUGIN, "--transcript-update").assert_outcomes(passed=5)
    assert path.read_text(encoding="utf-8") == TALK.replace("\n8\n", "\n7\n")


def test_update_of_expectations(pytester: pytest.Pytester) -> None:
    path = write(pytester.path, "tests/sums.scm", SUMS + "(let loop () (loop)) ; expect 1\n")
    result = pytester.runpytest(*PLUGIN, "--transcript-update", "--transcript-limit", "0.3")
    result.assert_outcomes(passed=7, failed=1)
    result.stdout.fnmatch_lines(["*updated tests/sums.scm:4: (square 4)"])
    assert path.read_text(encoding="utf-8") == SUMS.replace("17", "16") + "(let loop () (loop)) ; expect 1\n"


def test_skipped_and_broken_transcripts(pytester: pytest.Pytester) -> None:
    write(pytester.path, "transcripts/a.txt", "; minischeme: skip\n> (car 5)\n1\n> (exit)\n> 2\n")
    pytester.runpytest(*PLUGIN).assert_outcomes(passed=1, skipped=2)
    write(pytester.path, "transcripts/b.txt", "; minischeme: odd\n> 1\n1\n")
    result = pytester.runpytest(*PLUGIN, "transcripts/b.txt")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*b.txt:1: unknown directive: odd*"])
    write(pytester.path, "transcripts/c.txt", "; minischeme: load none.scm\n> 1\n1\n> 2\n2\n")
    result = pytester.runpytest(*PLUGIN, "transcripts/c.txt")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*c.txt:1: cannot open file: none.scm"])


def test_an_endless_loop_is_a_failure(pytester: pytest.Pytester) -> None:
    write(pytester.path, "transcripts/a.txt", "> (let loop () (loop))\n1\n> 2\n2\n")
    write(pytester.path, "tests/b.scm", "(let loop () (loop)) ; expect 1\n2 ; expect 2\n")
    result = pytester.runpytest(*PLUGIN, "--transcript-limit", "0.3")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(
        ["*endless loop? stopped after 0.3 s, the limit for an interaction (--transcript-limit)"]
    )


def test_expectations_in_scheme_files(pytester: pytest.Pytester) -> None:
    write(pytester.path, "tests/sums.scm", SUMS)
    result = pytester.runpytest(*PLUGIN, "-v")
    result.assert_outcomes(passed=6, failed=1)
    result.stdout.fnmatch_lines(["tests/sums.scm::2: (square 3) PASSED*", "tests/sums.scm:4: (square 4)", "-17", "+16"])
    write(pytester.path, "tests/broken.scm", "(car 5)\n1 ; expect 1\n2 ; expect 2\n")
    write(pytester.path, "tests/unread.scm", "1 ; expect 1\n(car")
    pytester.runpytest(*PLUGIN, "tests/broken.scm").assert_outcomes(failed=2)
    pytester.runpytest(*PLUGIN, "tests/unread.scm").assert_outcomes(errors=1)


def test_nothing_is_imported_where_nothing_is_collected(tmp_path: Path) -> None:
    write(
        tmp_path,
        "test_plain.py",
        "import sys\ndef test():\n    print(sorted(m for m in sys.modules if 'scheme' in m))\n",
    )
    write(tmp_path, "notes.txt", "> 1\n2\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *PLUGIN, "-s", "-q", str(tmp_path)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=Path(minischeme.__file__).parent.parent,
        timeout=120,
    )
    assert "['minischeme', 'minischeme.pytest_plugin']" in done.stdout, done.stdout


def test_the_plugin_is_an_entry_point() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert "minischeme.pytest_plugin" in project["project"]["entry-points"]["pytest11"].values()


def test_transcripts_of_another_machine(pytester: pytest.Pytester) -> None:
    write(pytester.path, "transcripts/a.txt", 'STk> (load "/home/bob/Mine.scm")\nokay\nSTk> (mine)\n8\nSTk> mine\nx\n')
    write(pytester.path, "transcripts/b.txt", "STk> (random 1000000)\n17\n")
    result = pytester.runpytest(*PLUGIN)
    result.assert_outcomes(failed=1, skipped=3)
    program = write(pytester.path, "lib/mine.scm", "(define (mine) 8)\n")
    result = pytester.runpytest(*PLUGIN, "--transcript-path", "lib", "-rs")
    result.assert_outcomes(passed=2, failed=1, skipped=1)
    result.stdout.fnmatch_lines(["*the random numbers are others, as the transcript has no seed"])
    told = f'(load "/home/bob/Mine.scm") is taken to mean {program.relative_to(pytester.path)}'
    assert result.outlines.count(told) == 1
    pytester.runpytest(*PLUGIN, "--transcript-path", "lib", "--transcript-update").assert_outcomes(passed=4)
    pytester.runpytest(*PLUGIN, "--transcript-path", "lib").assert_outcomes(passed=4)
    assert pytester.runpytest(*PLUGIN, "--transcript-path", "none").ret == pytest.ExitCode.USAGE_ERROR
