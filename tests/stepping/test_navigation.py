"""The ways from step to step, on the screen and in what is exported."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from typed_commands import Prompt

from minischeme import Session
from minischeme.repl.step_screen import _Screen
from minischeme.stepping import navigation
from minischeme.stepping.export import as_data, as_page
from minischeme.stepping.pictures import Pictures
from minischeme.stepping.recorder import record
from minischeme.stepping.recording import RecordedRun

FIB = "(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))"
COUNTER = "(define n 0) (define (count!) (set! n (+ n 1)) n)"


def run_of(*texts: str) -> tuple[Session, RecordedRun]:
    """The recorded run of the last text."""
    session = Session(output=io.StringIO(), seed=7)
    for text in texts[:-1]:
        session.eval(text)
    return session, record(session, texts[-1])


def redexes(session: Session, run: RecordedRun) -> list[str]:
    """What is reduced by each step."""
    return [Pictures(session, run).redex(number) for number in range(len(run.steps))] + ["end"]


def test_over_and_out() -> None:
    session, run = run_of(FIB, "(fib 3)")
    found = redexes(session, run)
    first = found.index("(fib 2)")
    assert found[navigation.over(run, first)] == "(- 3 2)"
    assert found[navigation.over(run, found.index("(< 2 2)"))] == "(if #f 2 (+ (fib (- 2 1)) (fib (- 2 2))))"
    assert found[navigation.out(run, found.index("(< 2 2)"))] == "(- 3 2)"
    assert found[navigation.over(run, 0)] == found[navigation.out(run, 2)] == "end"


def test_next_call_of_the_same_procedure() -> None:
    session, run = run_of(FIB, "(fib 3)")
    found = redexes(session, run)
    at, calls = 0, []
    while at is not None:
        calls.append(found[at])
        at = navigation.next_calls(run)[at]
    assert calls == ["(fib 3)", "(fib 2)", "(fib 1)", "(fib 0)", "(fib 1)"]
    assert found[navigation.next_calls(run)[found.index("(if #f 3 (+ (fib (- 3 1)) (fib (- 3 2))))")] or 0] == "(fib 2)"


def test_next_change() -> None:
    session, run = run_of(COUNTER, "(let ((v (vector 1))) (count!) (vector-set! v 0 (count!)) v)")
    found = redexes(session, run)
    first = navigation.next_changes(run, "n")[0]
    assert first is not None
    second = navigation.next_changes(run, "n")[first]
    assert [found[at or 0] for at in (first, second)] == ["(set! n 1)", "(set! n 2)"]
    assert found[navigation.next_changes(run)[second or 0] or 0] == "(vector-set! '#(1) 0 2)"
    assert navigation.next_changes(run, "m")[0] is None


def test_exported_data() -> None:
    session, run = run_of(COUNTER, "(begin (display 'hi) (count!))")
    data = json.loads(json.dumps(as_data(session, run)))
    assert (data["format"], data["version"], data["output"], data["result"]) == (
        "minischeme-run",
        1,
        "hi",
        {"value": "1"},
    )
    for step in data["steps"]:
        start, end = step["mark"]
        assert step["text"][start:end].strip()
        source, first, last = step["place"]
        assert data["sources"][source]["text"][first:last]
        assert 0 < step["over"] <= len(data["steps"])
    last = data["steps"][-1]
    assert last["frames"][-1] == {"name": "global", "procedure": "", "variables": [["n", "1"]]}
    assert data["steps"][0]["printed"] == 0
    assert last["printed"] == 2


def test_a_page_needs_nothing_else_and_holds_any_text() -> None:
    session, run = run_of('(string-append "</script><script>alert(1)</script>" "&amp;\\x2028;")')
    page = as_page(session, run)
    assert page.count("<script") == page.count("</script>") == 2
    assert not re.search(r"(?:src|href)=|https?:|@import|url\(", page)
    data = re.search(r'<script type="application/json" id="run">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    assert json.loads(data[1])["result"] == {"value": '"</script><script>alert(1)</script>&amp;\u2028"'}


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("", "(fib 3)"),
        ("n n\x1b[C", "(fib 2)"),
        ("nnnb", "(if #f 3 (+ (fib (- 3 1)) (fib (- 3 2))))"),
        ("nnnno", "(- 3 2)"),
        ("nnnnnnu", "(- 3 2)"),
        ("cc", "(fib 1)"),
        ("/fib 1\r", "(fib 1)"),
        ("/fib 1\r/\r", "(fib 1)"),
        ("/nowhere\r", "(fib 3)"),
        ("v\r", "(fib 3)"),
        ("?+-?e", "end"),
        ("eg", "(fib 3)"),
        ("bb", "(fib 3)"),
        ("ennn", "end"),
        ("/q\x1b", "(fib 3)"),
    ],
)
def test_keys_of_the_screen(keys: str, expected: str) -> None:
    session, run = run_of(FIB, "(fib 3)")
    with create_pipe_input() as keyboard, create_app_session(input=keyboard, output=DummyOutput()):
        keyboard.send_text(keys + "\x04")
        screen = _Screen(session, run)
        screen.application().run()
    assert redexes(session, run)[screen.number] == expected


def test_keys_are_shown_on_a_low_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    session, run = run_of("(define x 1)", "(begin (set! x 2) (set! x 3))")
    monkeypatch.setattr(_Screen, "_size", lambda self: (12, 40))
    screen = _Screen(session, run)
    screen.go(1)
    heights = [window.preferred_height(40, 12).preferred for window in screen.application().layout.find_all_windows()]
    assert (heights[0], heights[3]) == (4, 1)
    screen.show_keys()
    heights = [window.preferred_height(40, 12).preferred for window in screen.application().layout.find_all_windows()]
    assert (heights[0], heights[3]) == (1, 0)


def test_the_command(tmp_path: Path) -> None:
    program = tmp_path / "fib.scm"
    program.write_text(FIB, encoding="utf-8")
    command = [sys.executable, "-m", "minischeme", "step", str(program), "-e"]

    def done(*more: str) -> tuple[int, str, str]:
        result = subprocess.run([*command, *more], capture_output=True, text=True, encoding="utf-8", timeout=60)
        return result.returncode, result.stdout, result.stderr

    assert done("(fib 1)") == (0, "  (fib 1)\n→ (if (< 1 2) 1 (+ (fib (- 1 1)) (fib (- 1 2))))\n"
                               "→ (if #t 1 (+ (fib (- 1 1)) (fib (- 1 2))))\n→ 1\n", "")  # fmt: skip
    status, output, errors = done("(fib 'a)")
    assert (status, output.splitlines()[0]) == (1, "  (fib 'a)")
    assert "Bad number in a comparison: (a 2)" in errors
    assert done("(fib 20)", "--limit", "5")[1].endswith("… the run was ended after 5 steps\n")
    assert done("(fib")[::2] == (
        1,
        "*** Error:\n    read: end of file inside list\n  | (fib\n  | ^\n",
    )
    assert done("(fib 30)", "--json", str(tmp_path / "a.json"))[0] == 0
    assert len(json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["steps"]) == 2000
    assert done("(fib 2)", "--html", str(tmp_path / "a.html"), "--json", str(tmp_path / "a.json"))[:2] == (0, "")
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["result"] == {"value": "1"}
    assert (tmp_path / "a.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_the_command_of_the_prompt() -> None:
    prompt = Prompt(FIB)
    assert prompt.said(",step (fib 0)") == (
        "  (fib 0)\n→ (if (< 0 2) 0 (+ (fib (- 0 1)) (fib (- 0 2))))\n"
        "→ (if #t 0 (+ (fib (- 0 1)) (fib (- 0 2))))\n→ 0\n"
    )
    assert prompt.said(",step (car '())").startswith("  (car '())\n*** Error:\n    car: wrong type of argument: ()\n")
    assert "there is nothing to evaluate" in prompt.said(",step ; that")
    assert ",step EXPR" in prompt.said(",help")
    assert "SICP" not in prompt.said(",help step")
