"""The playground in a browser: visits, links, storage, servers without headers, and its use by everybody."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playground.browsing import Page

pytestmark = [pytest.mark.slow, pytest.mark.browser]

HOSTILE = "<script>document.title = 'hacked'</script><img src=x onerror=\"document.title = 'hacked'\">"


@pytest.fixture
def opened(chromium: Any) -> Iterator[Callable[..., Page]]:
    """Opens pages that are closed at the end."""
    pages: list[Page] = []

    def open_page(address: str, **options: Any) -> Page:
        pages.append(Page(chromium, address, **options))
        return pages[-1]

    yield open_page
    for page in pages:
        problems = page.problems
        page.close()
        assert not problems


Open = Callable[..., Page]


def test_what_was_typed_survives_a_reload(opened: Open, site: Any) -> None:
    page = opened(site.address).ready()
    page.write("(define precious 1)")
    page.enter("(+ 40 2)")
    page.page.reload()
    page.ready()
    assert page.program == "(define precious 1)"
    assert "> (+ 40 2)\n42" in page.log
    page.page.locator("#prompt .cm-content").click()
    page.page.keyboard.press("ArrowUp")
    assert page.page.locator("#prompt .cm-content").inner_text() == "(+ 40 2)"


def test_a_link_opens_in_a_fresh_profile_and_runs_nothing(opened: Open, site: Any) -> None:
    page = opened(site.address).ready()
    page.write('(display "ran")')
    page.enter("(* 6 7)")
    address = page.share()
    assert "#" in address
    other = opened(address).ready()
    assert other.program == '(display "ran")'
    assert "> (* 6 7)\n42" in other.log
    assert "ran" not in other.log
    other.run()
    assert "ran" in other.log


def test_a_link_keeps_ones_own_work(opened: Open, site: Any) -> None:
    page = opened(site.address).ready()
    page.write("(define theirs 1)")
    address = page.share()
    other = opened(site.address).ready()
    other.write("(define mine 2)")
    other.page.wait_for_timeout(400)
    other.page.goto("about:blank")
    other.page.goto(address)
    other.ready()
    assert other.program == "(define theirs 1)"
    other.page.get_by_role("button", name="Back to mine").click()
    assert other.program == "(define mine 2)"


def test_work_goes_on_from_a_link_after_a_reload(opened: Open, site: Any) -> None:
    page = opened(site.address).ready()
    other = opened(page.share()).ready()
    other.write("(define changed 1)")
    other.page.reload()
    other.ready()
    assert other.program == "(define changed 1)"


def test_a_hostile_link_shows_text_and_runs_nothing(opened: Open, site: Any) -> None:
    page = opened(site.address).ready()
    page.menu("File", "Rename")
    page.page.locator("#dialog-input").fill("<img src=x onerror=alert(1)>.scm")
    page.page.keyboard.press("Enter")
    page.write(f"(display {json.dumps(HOSTILE)}) (fist {json.dumps(HOSTILE)})")
    page.run()
    page.enter(f"(begin (display {json.dumps(HOSTILE)}) 1)")
    address = page.share()
    other = opened(address).ready()
    other.run()
    for each in (page, other):
        assert HOSTILE in each.log
        assert each.page.title() == "minischeme playground"
        assert each.page.locator("#log img, #log script, #tabs img, #editor img, #editor script").count() == 0


def test_a_picture_runs_no_script(opened: Open, site: Any) -> None:
    page = opened(site.address).ready()
    svg = "<svg xmlns='http://www.w3.org/2000/svg' onload='document.title=1'><script>document.title=2</script></svg>"
    page.enter(f'(call-with-output-file "x.svg" (lambda (port) (display "{svg}" port)))')
    page.page.locator("#log img").wait_for()
    assert page.page.title() == "minischeme playground"


def test_inline_scripts_are_forbidden(opened: Open, site: Any) -> None:
    page = opened(site.address).ready()
    page.page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "document.title = 1";
          document.body.append(script);
        }"""
    )
    assert page.page.title() == "minischeme playground"


@pytest.mark.parametrize("fragment", ["nonsense", "1" + "A" * 5000])
def test_an_address_that_cannot_be_read_says_so(opened: Open, site: Any, fragment: str) -> None:
    page = opened(f"{site.address}#{fragment}").ready()
    assert "can be read" in page.page.locator("#notice").inner_text()


def test_a_second_visit_makes_no_request(opened: Open, site: Any) -> None:
    page = opened(site.address).ready()
    page.page.wait_for_timeout(500)
    del site.requests[:]
    page.page.goto("about:blank")
    page.page.goto(site.address)
    page.ready()
    assert page.enter("(+ 1 1)") == "2"
    assert site.requests == []


def test_it_works_offline(opened: Open, site: Any) -> None:
    page = opened(site.address).ready()
    page.page.wait_for_timeout(500)
    page.context.set_offline(True)
    page.page.reload()
    page.ready()
    assert page.enter("(first 'offline)") == "o"


def test_without_headers_stop_restarts_and_keeps_the_text(opened: Open, plain_site: Any) -> None:
    page = opened(plain_site.address).ready()
    assert not page.page.evaluate("crossOriginIsolated")
    page.write("(define mine 1)")
    page.enter("(define (forever) (forever))")
    page.type("(forever)")
    page.page.locator("body.busy").wait_for()
    page.page.locator("#stop").click()
    page.ready()
    assert "definitions are gone" in page.log
    assert page.program == "(define mine 1)"
    assert page.enter("(+ 1 1)") == "2"


def test_without_headers_read_asks_nevertheless(opened: Open, plain_site: Any) -> None:
    page = opened(plain_site.address).ready()
    for word in ("one", "two"):
        page.type("(list 'got (read))")
        page.page.locator("#entry.asking").wait_for()
        page.page.keyboard.insert_text(word)
        page.page.keyboard.press("Enter")
        page.page.locator("#log", has_text=f"(got {word})").wait_for()
        page.ready()


def test_without_headers_the_second_visit_has_shared_memory(opened: Open, plain_site: Any) -> None:
    page = opened(plain_site.address).ready()
    page.page.reload()
    page.ready()
    assert page.page.evaluate("crossOriginIsolated")


def test_memory_exhausted_is_told_and_loses_no_text(opened: Open, site: Any) -> None:
    page = opened(site.address).ready()
    page.write("(define mine 1)")
    page.type("(define (grow l) (grow (cons (make-vector 1000000 0) l)))")
    page.ready()
    page.type("(grow '())")
    page.page.wait_for_timeout(300)
    page.page.locator("#state", has_text="Ready").wait_for(timeout=120_000)
    assert "out of memory" in page.log or "definitions are gone" in page.log
    assert page.program == "(define mine 1)"
    assert page.enter("(+ 1 1)") == "2"


def test_python_that_dies_begins_again_with_the_text(opened: Open, site: Any) -> None:
    page = opened(site.address).ready()
    page.write("(define mine 1)")
    page.enter("(define k 0)")
    page.type("(let f ((n 200000)) (if (= n 0) (call/cc (lambda (c) (set! k c) 0)) (+ 1 (f (- n 1)))))")
    page.page.wait_for_timeout(300)
    page.page.locator("#state", has_text="Ready").wait_for(timeout=120_000)
    assert page.program == "(define mine 1)"
    assert page.enter("(+ 1 1)") == "2"


@pytest.mark.parametrize("with_questions", [False, True])
def test_nothing_is_wider_than_the_window(opened: Open, site: Any, *, with_questions: bool) -> None:
    page = opened(site.address).ready()
    if with_questions:
        page.menu("New", "Twenty-One")
    for width in (360, 768, 1280):
        page.page.set_viewport_size({"width": width, "height": 700})
        assert page.page.evaluate("document.documentElement.scrollWidth") <= width
        for name in ("Run", "Stop", "New", "File", "Transcript", "Share"):
            box = page.page.get_by_role("button", name=name, exact=True).bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width


CONTRAST = """() => {
  const channel = (c) => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const parsed = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ground = (node) => {
    for (; node; node = node.parentElement) {
      const c = parsed(getComputedStyle(node).backgroundColor);
      if (c.length === 3 || c[3] > 0.5) return c;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || node.closest("[disabled], [hidden], [popover], dialog, noscript")) continue;
    if (!node.getClientRects().length) continue;
    const a = light(parsed(getComputedStyle(node).color)), b = light(ground(node));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(`${node.className} ${ratio.toFixed(2)} ${node.textContent.slice(0, 30)}`);
  }
  return poor;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(opened: Open, site: Any, scheme: str) -> None:
    page = opened(site.address, color_scheme=scheme).ready()
    page.write('(define (f x) (fist "a" 12 #t)) ; c\n(f \'a)')
    page.run()
    page.enter("(+ 1 1)")
    page.menu("New", "Twenty-One")
    page.page.get_by_role("button", name="Check all questions").click()
    page.page.get_by_text("0 of 9 questions are right").wait_for(timeout=60_000)
    page.page.get_by_role("tab", name="program.scm").click()
    assert page.page.evaluate(CONTRAST) == []


def test_everything_has_a_role_and_a_name(opened: Open, site: Any) -> None:
    page = opened(site.address).ready()
    page.menu("New", "Twenty-One")
    unnamed = page.page.evaluate(
        """() => [...document.querySelectorAll("button, input, [role=textbox], [role=tab], [role=log], [role=menu]")]
          .filter((n) => !n.hidden && !(n.getAttribute("aria-label") || n.textContent || n.labels?.length))
          .map((n) => n.outerHTML)"""
    )
    assert unnamed == []
    for role, name in (("textbox", "Scheme prompt"), ("textbox", "Program my-twenty-one.scm"), ("log", "Output")):
        assert page.page.get_by_role(role, name=name).count() == 1
    assert page.page.locator("html").get_attribute("lang") == "en"


def test_it_can_be_used_by_keyboard_alone(opened: Open, site: Any) -> None:
    page = opened(site.address).ready()
    keyboard = page.page.keyboard

    def focus_on(selector: str) -> None:
        for _ in range(40):
            if page.page.evaluate(f"() => document.activeElement.matches({json.dumps(selector)})"):
                return
            keyboard.press("Tab")
        raise AssertionError(selector)

    focus_on("#editor .cm-content")
    keyboard.press("Control+a")
    keyboard.insert_text("(define seven 7)")
    keyboard.press("Control+Enter")
    page.page.wait_for_timeout(100)
    page.ready()
    focus_on("#prompt .cm-content")
    keyboard.insert_text("(* seven 6)")
    keyboard.press("Enter")
    page.page.locator("#log", has_text="42").wait_for()
    focus_on("[popovertarget=new-menu]")
    keyboard.press("Enter")
    focus_on("[data-do=new-handout]")
    keyboard.press("Enter")
    page.page.get_by_role("heading", name="1. best-total").wait_for()


def test_readiness_and_size(chromium: Any, site: Any, built: Any) -> None:
    import gzip

    size = sum(len(gzip.compress(path.read_bytes(), 9)) for path in built.rglob("*") if path.is_file())
    assert size <= 7_500_000, size
    page = Page(chromium, site.address)
    page.ready()  # how soon, on a quiet machine, is in ARCHITECTURE.md
    page.close()
