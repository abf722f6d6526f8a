"""The playground in a browser: the prompt, the editor, Stop, pictures, transcripts, the assignment."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playground.browsing import Page

pytestmark = [pytest.mark.slow, pytest.mark.browser]

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def kept(chromium: Any, site: Any) -> Iterator[Page]:
    """A page for all tests of a file."""
    page = Page(chromium, site.address).ready()
    yield page
    assert not page.problems
    page.close()


@pytest.fixture
def page(kept: Page) -> Page:
    """The page with a new session, an empty log and an empty file."""
    kept.write("")
    kept.run()
    kept.menu("Transcript", "Clear")
    kept.ready()
    return kept


def wait_for(condition: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


# ── the prompt ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_greeting_is_that_of_the_prompt(chromium: Any, site: Any) -> None:
    page = Page(chromium, site.address).ready()
    assert page.log.startswith("minischeme 0.1.0: Berkeley Scheme.")
    page.close()


def test_a_value(page: Page) -> None:
    assert page.enter("(every bf '(have fun now))") == "(ave un ow)"


def test_an_unbound_name_has_a_hint(page: Page) -> None:
    shown = page.enter("(fist 'hello)")
    assert shown == "*** Error:\n    unbound variable: fist\n  | (fist 'hello)\n  |  ^^^^\n  did you mean first?"
    assert page.page.locator("#log .hint").last.inner_text().strip() == "did you mean first?"


def test_an_entry_of_several_lines_is_indented_and_goes_on_until_its_bracket(page: Page) -> None:
    page.type("(define (add1 n)")
    wait_for(lambda: page.page.locator("#prompt .cm-line").count() == 2)
    page.page.keyboard.insert_text("(+ n 1))")
    page.page.keyboard.press("Enter")
    wait_for(lambda: "add1\n" in page.log + "\n" and "(define (add1 n)\n" in page.log)
    assert "  (+ n 1))" in page.log
    page.ready()
    assert page.enter("(add1 5)") == "6"


def test_earlier_entries_come_back(page: Page) -> None:
    page.enter("(+ 1 1)")
    page.enter("(+ 2 2)")
    page.page.keyboard.press("ArrowUp")
    page.page.keyboard.press("ArrowUp")
    assert page.page.locator("#prompt .cm-content").inner_text() == "(+ 1 1)"
    page.page.keyboard.press("ArrowDown")
    assert page.page.locator("#prompt .cm-content").inner_text() == "(+ 2 2)"
    page.page.keyboard.press("ArrowDown")
    assert page.page.locator("#prompt .cm-content").inner_text().strip() == ""


def test_values_have_names(page: Page) -> None:
    page.enter("(* 6 7)")
    assert page.enter("(+ $ 1)") == "43"


def test_commands_of_the_prompt(page: Page) -> None:
    assert page.enter(",help first").startswith("(first x)    procedure")


def test_a_trace(page: Page) -> None:
    page.enter("(define (fact n) (if (= n 0) 1 (* n (fact (- n 1)))))")
    page.enter("(trace fact)")
    assert ".. -> fact with n = 2\n.... -> fact with n = 1" in page.enter("(fact 2)")


def test_completion_offers_names_with_their_help(page: Page) -> None:
    page.enter("(define (count-aces hand) 0)")
    page.page.locator("#prompt .cm-content").click()
    page.page.keyboard.type("(count-a")
    page.page.keyboard.press("Tab")
    option = page.page.locator(".cm-tooltip-autocomplete li", has_text="count-aces")
    option.wait_for()
    assert "(count-aces hand)" in option.inner_text()
    page.page.keyboard.press("Tab")
    wait_for(lambda: "(count-aces" in page.page.locator("#prompt .cm-content").inner_text())
    page.page.keyboard.press("Control+c")


def test_recursion_ten_thousand_deep(page: Page) -> None:
    page.enter("(define (count-to n) (if (= n 0) 0 (+ 1 (count-to (- n 1)))))")
    assert page.enter("(count-to 10000)") == "10000"


def test_continuations(page: Page) -> None:
    page.enter("(define k #f)")
    page.enter("(+ 1 (call/cc (lambda (c) (set! k c) 1)))")
    assert page.enter("(k 41)") == "42"


# ── input and output ─────────────────────────────────────────────────────────────────────────────────────────────


def test_read_asks_for_a_datum(page: Page) -> None:
    page.type("(list 'got (read))")
    page.page.locator("#entry.asking").wait_for()
    page.page.keyboard.insert_text("(1 2 3)")
    page.page.keyboard.press("Enter")
    wait_for(lambda: "(got (1 2 3))" in page.log)
    page.ready()


def test_read_line_asks_behind_the_question(page: Page) -> None:
    page.type('(begin (display "Your name? ") (se \'hello (read-line)))')
    page.page.locator("#entry.asking").wait_for()
    wait_for(lambda: page.log.endswith("Your name? "))
    page.page.keyboard.insert_text("Grace")
    page.page.keyboard.press("Enter")
    wait_for(lambda: 'Your name? Grace\n(hello "Grace")' in page.log)
    page.ready()


def test_the_input_can_end(page: Page) -> None:
    page.type("(eof-object? (read))")
    page.page.locator("#entry.asking").wait_for()
    page.page.keyboard.press("Control+d")
    wait_for(lambda: page.log.rstrip().endswith("#t"))
    page.ready()


def test_stop_ends_a_question(page: Page) -> None:
    page.type("(list (read))")
    page.page.locator("#entry.asking").wait_for()
    page.page.locator("#stop").click()
    wait_for(lambda: "interrupted" in page.log)
    page.ready()
    assert page.enter("'alive") == "alive"


def test_output_appears_while_the_program_runs(page: Page) -> None:
    page.enter("(define (forever) (display '*) (forever))")
    page.type("(forever)")
    wait_for(lambda: "*****" in page.log)
    assert page.page.locator("body.busy").count() == 1
    page.page.locator("#stop").click()
    page.ready()


# ── Stop, and what is too much ───────────────────────────────────────────────────────────────────────────────────


def test_an_endless_loop_is_stopped_with_definitions_alive(page: Page) -> None:
    began = time.monotonic()
    page.page.reload()
    page.ready()
    beginning = time.monotonic() - began
    page.enter("(define kept 42)")
    page.enter("(define (forever) (forever))")
    times = []
    for _ in range(3):  # the best of three: the machine may be busy with other work
        page.type("(forever)")
        page.page.locator("body.busy").wait_for()
        time.sleep(0.3)
        began = time.monotonic()
        page.page.locator("#stop").click()
        page.page.locator("body:not(.busy)").wait_for()
        times.append(time.monotonic() - began)
        page.ready()
    assert min(times) < beginning / 3, (times, beginning)  # 0.1 s where Python begins in 1.5
    assert "interrupted" in page.log
    page.page.keyboard.type("(+ kept 1)")  # the prompt has the focus
    page.page.keyboard.press("Enter")
    wait_for(lambda: page.log.endswith("43\n"))


def test_control_c_stops(page: Page) -> None:
    page.enter("(define (forever) (forever))")
    page.type("(forever)")
    page.page.locator("#log .typed", has_text="(forever)").last.wait_for()
    page.page.locator("body.busy").wait_for()
    time.sleep(0.3)
    page.page.keyboard.press("Control+c")
    wait_for(lambda: "interrupted" in page.log)
    page.ready()


def test_a_runaway_recursion_is_an_error(page: Page) -> None:
    page.enter("(define (down n) (+ 1 (down n)))")
    assert "maximum recursion depth exceeded" in page.enter("(down 1)")
    assert page.enter("'alive") == "alive"


HELPERS = """(begin
  (define (up n l) (if (= n 0) l (up (- n 1) (cons n l))))
  (define (wrap n l) (if (= n 0) l (wrap (- n 1) (list l))))
  (define (nest n f) (if (= n 0) f (nest (- n 1) (lambda () f))))
  (define (from n) (cons-stream n (from (+ n 1))))
  (define (deep n end) (if (= n 0) (end 0) (+ 1 (deep (- n 1) end)))))"""
DEEP = {
    "a list": "(begin (set! x (up 300000 '())) (set! x 0) 'fine)",
    "a nest": "(begin (set! x (wrap 100000 '())) (set! x 0) 'fine)",
    "closures": "(begin (set! x (nest 50000 car)) (set! x 0) 'fine)",
    "a stream": "(begin (set! x (from 1)) (stream-tail x 20000) (set! x 0) 'fine)",
    "an escape": "(call/cc (lambda (k) (deep 50000 (lambda (_) (k 'fine)))))",
    "an error": "(guard (e (#t 'fine)) (deep 50000 car))",
    "a comparison": "(if (equal? (wrap 9000 1) (wrap 9000 1)) 'fine 'no)",
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_structures_do_not_end_python(page: Page, name: str) -> None:
    page.enter(HELPERS)
    page.enter("(define x 0)")
    assert page.enter(DEEP[name]) == "fine"


def test_two_thousand_nested_calls(page: Page) -> None:
    assert page.enter("(+ 1 " * 2000 + "0" + ")" * 2000).endswith("2000")


def test_too_many_nested_calls_are_an_error(page: Page) -> None:
    assert "nested too deeply" in page.enter("(+ 1 " * 30000 + "0" + ")" * 30000)
    assert page.enter("'alive") == "alive"


# ── the editor ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_run_loads_the_file_into_a_new_session(page: Page) -> None:
    page.enter("(define earlier 1)")
    page.write("(define (cube x) (* x x x))")
    page.run()
    assert page.enter("(cube 3)") == "27"
    assert "unbound variable: earlier" in page.enter("earlier")


def test_an_error_is_underlined_in_the_editor_with_its_hint(page: Page) -> None:
    page.write("(define (f x)\n(fist x))\n(f 'a)")
    page.run()
    mark = page.page.locator("#editor .cm-lintRange-error")
    assert mark.inner_text() == "fist"
    mark.hover()
    assert "did you mean first?" in page.page.locator(".cm-tooltip-lint").inner_text()


def test_an_empty_file_is_edited_after_a_reload(page: Page) -> None:
    page.write("")
    page.page.wait_for_timeout(500)  # it is stored
    page.page.reload()
    page.ready()
    page.write("(define answer 42)")
    assert page.page.locator("#editor .tok-definition").inner_text() == "answer"
    page.run()
    assert page.enter("answer") == "42"


def test_a_line_is_indented_by_the_form_it_is_in(page: Page) -> None:
    page.write("")
    page.page.keyboard.type("(define (f x)\n(cond ((= x 1)\n'one)")
    lines = page.program.split("\n")
    assert [len(line) - len(line.lstrip()) for line in lines] == [0, 2, 9]


def test_words_have_colours(page: Page) -> None:
    page.write('(define (f x) (first "abc")) ; comment')
    for kind, text in (("keyword", "define"), ("definition", "f"), ("string", '"abc"'), ("comment", "; comment")):
        assert page.page.locator(f"#editor .tok-{kind}", has_text=text).first.inner_text() == text


def test_brackets_that_match_are_marked(page: Page) -> None:
    page.write("(car (list 1))")
    page.page.keyboard.press("End")
    assert page.page.locator("#editor .cm-matchingBracket").count() == 2


def test_several_files_load_each_other(page: Page) -> None:
    page.menu("New", "File")
    page.page.locator("#dialog-input").fill("helpers.scm")
    page.page.keyboard.press("Enter")
    page.write("(define (double x) (* 2 x))")
    page.page.get_by_role("tab", name="program.scm").click()
    page.write('(load "helpers.scm") (define eight (double 4))')
    page.run()
    assert page.enter("eight") == "8"
    page.page.get_by_role("tab", name="helpers.scm").click()
    page.menu("File", "Delete")
    assert page.page.get_by_role("tab").count() == 1
    page.page.get_by_role("button", name="Dismiss").click()


def test_the_library_is_there(page: Page) -> None:
    page.enter('(load "twenty-one.scm")')
    page.enter("(define (best-total hand) 17)")
    assert page.enter("(count (make-deck))") == "52"
    assert page.enter("(twenty-one (lambda (hand up) #f))") in ("-1", "0", "1")


def test_a_chart_is_a_picture(page: Page) -> None:
    page.enter('(load "twenty-one.scm")')
    page.enter("(define (best-total hand) 17) (define (stand hand up) #f)")
    page.enter('(load "strategy-lab.scm")')
    page.enter('(strategy-chart stand "chart.svg")')
    picture = page.page.locator("#log img")
    picture.wait_for()
    assert picture.get_attribute("alt") == "Picture chart.svg"
    assert picture.bounding_box()["width"] > 100


def test_a_drawing_is_a_picture(page: Page) -> None:
    page.enter("(draw (list 1 (list 2) 3))")
    page.page.locator("#log img").wait_for()
    assert "┌" not in page.log


def test_steps_are_shown_forward_and_back(page: Page) -> None:
    page.enter("(define (double n) (* 2 n))")
    assert page.enter(",step (+ 1 (double 4))") == ""
    step = page.page.locator("#side-body .step")
    assert step.inner_text().strip() == "(+ 1 (double 4))"
    assert step.locator("mark").inner_text() == "(double 4)"
    page.page.get_by_role("button", name="Forward").click()
    assert step.inner_text().strip() == "(+ 1 (* 2 4))"
    page.page.get_by_role("slider", name="Step").press("End")
    assert step.inner_text().strip() == "9"
    page.page.get_by_role("button", name="Back").click()
    assert step.inner_text().strip() == "(+ 1 8)"
    page.page.locator("#side-close").click()


def test_a_text_that_a_program_writes_is_a_file(page: Page) -> None:
    page.enter('(call-with-output-file "out.txt" (lambda (port) (write 42 port)))')
    page.page.get_by_role("tab", name="out.txt").click()
    assert page.program == "42"
    page.menu("File", "Delete")
    page.page.get_by_role("button", name="Dismiss").click()


# ── transcripts and the assignment ───────────────────────────────────────────────────────────────────────────────


def replayed(page: Page, text: str, folder: Path) -> str:
    path = folder / "testing.txt"
    path.write_text(text, encoding="utf-8")
    with page.page.expect_file_chooser() as chooser:
        page.menu("Transcript", "Replay a file")
    chooser.value.set_files(path)
    page.page.locator("#side h2", has_text="Replay of testing.txt").wait_for(timeout=60_000)
    shown = page.page.locator("#side-body").inner_text()
    page.page.locator("#side-close").click()
    return str(shown)


def test_the_assignment_replays_to_the_letter(chromium: Any, site: Any, tmp_path: Path) -> None:
    page = Page(chromium, site.address).ready()
    folder = ROOT / "transcripts/cs61a"
    for name in ("twenty-one.scm", "twenty-one-joker.scm"):
        with page.page.expect_file_chooser() as chooser:
            page.menu("File", "Open")
        chooser.value.set_files(folder / name)
        page.page.get_by_role("tab", name=name).wait_for()
    text = (folder / "testing.txt").read_text(encoding="utf-8")
    shown = replayed(page, text, tmp_path)
    assert re.match(r"\d+ interactions, all as in the transcript", shown), shown[:2000]
    page.close()


def test_a_difference_is_marked(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "testing.txt"
    path.write_text("> (+ 1 1)\n3\n> (+ 1 2)\n3\n", encoding="utf-8")
    with page.page.expect_file_chooser() as chooser:
        page.menu("Transcript", "Replay a file")
    chooser.value.set_files(path)
    page.page.locator("#side-body ins").wait_for()
    assert page.page.locator("#side-body del").inner_text().strip() == "-3"
    assert page.page.locator("#side-body ins").inner_text().strip() == "+2"
    assert "1 of 2 interactions differ" in page.page.locator("#side-body").inner_text()
    page.page.locator("#side-close").click()


def test_the_transcript_is_downloaded_and_replays(page: Page, tmp_path: Path) -> None:
    page.enter("(random 1000000)")
    page.enter("(fist 1)")
    with page.page.expect_download() as download:
        page.menu("Transcript", "Download")
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert "> (random 1000000)" in text
    assert "all as in the transcript" in replayed(page, text, tmp_path)


def test_an_endless_interaction_of_a_transcript_meets_its_limit(page: Page, tmp_path: Path) -> None:
    text = '; minischeme: question "q"\n; minischeme: limit 1\n> (let loop () (loop))\nokay\n> (+ 1 1)\n2\n'
    assert "1 of 2 interactions differ" in replayed(page, text, tmp_path)


def test_the_assignment_is_opened_and_checked(chromium: Any, site: Any) -> None:
    page = Page(chromium, site.address).ready()
    page.menu("New", "Twenty-One")
    assert page.page.get_by_role("tab", name="my-twenty-one.scm").get_attribute("aria-selected") == "true"
    page.page.get_by_role("button", name="Check all questions").click()
    page.page.get_by_text("0 of 9 questions are right").wait_for(timeout=60_000)
    page.write((ROOT / "transcripts/cs61a/twenty-one.scm").read_text(encoding="utf-8"))
    page.page.get_by_role("button", name="Check all questions").click()
    page.page.get_by_text("8 of 9 questions are right").wait_for(timeout=60_000)
    assert page.page.locator("#side .passed").count() == 8
    page.close()
