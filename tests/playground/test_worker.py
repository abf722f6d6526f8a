"""The requests of the playground's page, as Python answers them: here without a browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from minischeme.playground.worker import Worker


class Page:
    """A page that collects what is shown, and types the given lines when it is asked."""

    def __init__(self, folder: Path) -> None:
        self.shown: list[str] = []
        self.lines: list[str] = []
        self.worker = Worker(self.shown.append, lambda: self.lines.pop(0), str(folder))
        self.ask("start", files={}, greeting=False)

    def ask(self, action: str, **given: object) -> dict[str, object]:
        answer: dict[str, object] = json.loads(self.worker.handle(json.dumps({"do": action, **given})))
        return answer

    def enter(self, text: str) -> str:
        """What is shown for an entry, without the escape sequences."""
        del self.shown[:]
        self.ask("enter", text=text)
        text = "".join(self.shown)
        for number in ("", *"0123456"):
            text = text.replace(f"\x1b[{number}m", "")
        return text


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Page:
    monkeypatch.chdir(tmp_path)  # the worker changes the folder
    return Page(tmp_path)


def test_values_and_errors_are_those_of_the_prompt(page: Page) -> None:
    assert page.enter("(first 'hello)") == "h\n"
    assert page.enter("(+ $ 1)").startswith("*** Error:\n    +: not a number: h\n")


def test_an_error_has_its_place_in_the_file_in_units_of_javascript(page: Page) -> None:
    files = {"my.scm": "(define x '🂡)\n(fist x)\n"}
    (error,) = page.ask("run", name="my.scm", files=files)["errors"]  # type: ignore[misc]
    assert error == {
        "file": "my.scm",
        "from": 16,
        "to": 20,
        "message": "unbound variable: fist",
        "hint": "did you mean first?",
    }


def test_a_run_begins_a_new_session(page: Page) -> None:
    page.ask("run", name="a.scm", files={"a.scm": "(define a 1)", "b.scm": "(define b 2)"})
    page.ask("run", name="b.scm")
    assert "unbound variable: a" in page.enter("a")
    assert page.enter("b") == "2\n"


def test_files_that_are_gone_cannot_be_loaded(page: Page) -> None:
    page.ask("unfinished", text="", files={"a.scm": "(define a 1)"})
    page.ask("unfinished", text="", files={})
    assert "cannot open file" in page.enter('(load "a.scm")')


def test_the_program_reads_what_is_typed(page: Page) -> None:
    page.lines = ["(1 2)\n", "a line\n"]
    assert page.enter("(list (read) (read-line) (read-line))") == "((1 2) () (a line))\n"


def test_a_file_that_the_program_writes_comes_with_the_answer(page: Page) -> None:
    answer = page.ask("enter", text='(call-with-output-file "out.txt" (lambda (port) (write 42 port)))')
    assert answer["written"] == {"out.txt": "42"}
    assert "written" not in page.ask("enter", text="1")


def test_the_transcript_holds_all_sessions_and_replays(page: Page) -> None:
    page.enter("(random 1000)")
    page.ask("run", name="a.scm", files={"a.scm": "(define (roll) (random 1000))"})
    page.enter("(list (roll) (roll))")
    text = page.ask("enter", text="(car 5)")["transcript"]
    answer = page.ask("replay", name="transcript.txt", text=text)
    assert [each["verdict"] for each in answer["outcomes"]] == ["same"] * 4  # type: ignore[index,union-attr]


def test_a_replay_shows_what_differs(page: Page) -> None:
    (outcome,) = page.ask("replay", name="t.txt", text="> (+ 1 1)\n3\n")["outcomes"]  # type: ignore[misc]
    assert outcome["fails"]
    assert "-3\n+2" in outcome["difference"]


def test_clearing_the_transcript_keeps_definitions(page: Page) -> None:
    page.enter("(define kept 1)")
    page.ask("clear")
    assert page.enter("kept") == "1\n"
    assert "(define" not in str(page.ask("enter", text="1")["transcript"])


def test_a_program_may_record_a_transcript_of_its_own(page: Page) -> None:
    page.enter('(transcript-on "own.txt")')
    page.enter("(+ 40 2)")
    answer = page.ask("enter", text="(transcript-off)")
    assert "> (+ 40 2)\n42" in answer["written"]["own.txt"]  # type: ignore[index]


def test_exit_begins_a_new_session(page: Page) -> None:
    page.enter("(define x 1)")
    assert "a new one begins" in page.enter("(exit)")
    assert "unbound variable" in page.enter("x")


def test_an_entry_that_lacks_a_bracket_is_unfinished(page: Page) -> None:
    assert page.ask("unfinished", text="(define (f)")["unfinished"]
    assert not page.ask("unfinished", text="(f)")["unfinished"]
    assert not page.ask("unfinished", text="(f))")["unfinished"]


def test_names_are_completed_with_their_help(page: Page) -> None:
    page.enter("(define (best-total hand) 0)")
    (name,) = page.ask("complete", word="best-t")["names"]  # type: ignore[misc]
    assert name["detail"] == "(best-total hand)"


def test_output_that_does_not_end_is_shown_as_it_comes(page: Page) -> None:
    page.worker._screen._shown = 0.0
    page.enter("(define (loop n) (if (= n 0) 'done (begin (display n) (newline) (loop (- n 1))))) (loop 200000)")
    assert len(page.shown) > 1


def test_the_handout_is_checked(page: Page) -> None:
    text = '; minischeme: load PROGRAM\n; minischeme: question "q"\n> (f 1)\n2\n> (f 2)\n3\n'
    files = {"my.scm": "(define (f n) 2)"}
    (question,) = page.ask("check", text=text, name="my.scm", files=files)["questions"]  # type: ignore[misc]
    assert (question["passed"], question["right"], question["all"]) == (False, 1, 2)


def test_a_drawing_is_a_picture_and_text_in_the_transcript(page: Page) -> None:
    answer = page.ask("enter", text="(define x '(1 2)) (draw x)")
    (svg,) = answer["pictures"]  # type: ignore[misc]
    assert svg.startswith("<svg")
    assert "┌" in str(answer["transcript"])
    assert "┌" not in "".join(page.shown)
    assert "pictures" not in page.ask("enter", text="1")


def test_steps_are_data_for_the_page(page: Page) -> None:
    page.enter("(define (double n) (* 2 n))")
    run = page.ask("enter", text=",step (double 4)")["run"]
    assert run["steps"][0]["kind"] == "call"  # type: ignore[index]
    assert run["result"] == {"value": "8"}  # type: ignore[index]
