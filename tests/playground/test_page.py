"""The playground in a browser: the prompt, the editor, Stop, links, storage."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playground.browsing import Page

pytestmark = [pytest.mark.slow, pytest.mark.browser]


@pytest.fixture(scope="module")
def shared(chromium: Any, site: Any) -> Iterator[Page]:
    """A page that tests share which leave no definitions behind that matter."""
    page = Page(chromium, site.address).ready()
    yield page
    assert not page.problems
    page.close()


@pytest.fixture
def opened(chromium: Any) -> Iterator[Callable[..., Page]]:
    """Opens pages that are closed at the end."""
    pages: list[Page] = []

    def open_page(address: str, **options: Any) -> Page:
        pages.append(Page(chromium, address, **options))
        return pages[-1]

    yield open_page
    for page in pages:
        assert not page.problems
        page.close()


def test_a_value(shared: Page) -> None:
    assert shared.enter("(every bf '(have fun now))") == "(ave un ow)"


def test_an_unbound_name_has_a_hint(shared: Page) -> None:
    shown = shared.enter("(fist 'hello)")
    assert shown == "*** Error:\n    unbound variable: fist\n  | (fist 'hello)\n  |  ^^^^\n  did you mean first?"


def test_an_endless_loop_is_stopped_with_definitions_alive(shared: Page) -> None:
    shared.enter("(define kept 42)")
    shared.enter("(define (forever) (forever))")
    shared.type("(forever)")
    shared.page.locator("body.busy").wait_for()
    time.sleep(0.5)
    began = time.monotonic()
    shared.page.locator("#stop").click()
    shared.page.locator("body:not(.busy)").wait_for()
    assert time.monotonic() - began < 0.5
    assert "interrupted" in shared.log.rpartition("(forever)")[2] or "interrupted" in shared.log
    assert shared.enter("kept") == "42"
