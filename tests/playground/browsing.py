"""The page of the playground in a browser, as a person uses it."""

from __future__ import annotations

import re
from typing import Any

READY = 60_000  # milliseconds, on a slow machine


class Page:
    """A page in a profile of its own, unless it shares a context."""

    def __init__(self, browser: Any, address: str, *, context: Any = None, **options: Any) -> None:
        options = {"viewport": {"width": 1280, "height": 800}, **options}
        self.context = context if context is not None else browser.new_context(**options)
        self.page = self.context.new_page()
        self.problems: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.goto(address)

    def ready(self) -> Page:
        """Wait until Python is there and idle."""
        self.page.locator("#state", has_text="Ready").wait_for(timeout=READY)
        return self

    def type(self, text: str) -> None:
        """Type an entry at the prompt, and wait for nothing."""
        self.page.locator("#prompt .cm-content").click()
        self.page.keyboard.insert_text(text)
        self.page.keyboard.press("Enter")

    def enter(self, text: str) -> str:
        """What is shown below an entry."""
        before = len(self.log)
        self.type(text)
        self.page.locator("#prompt .cm-line:only-child", has_text=re.compile("^$")).wait_for()  # it was taken
        last = text.splitlines()[-1]
        self.ready()
        return self.log[before:].partition(last)[2].strip("\n")

    @property
    def log(self) -> str:
        return str(self.page.locator("#log").text_content())

    @property
    def program(self) -> str:
        return "\n".join(self.page.locator("#editor .cm-line").all_inner_texts())

    def write(self, text: str) -> None:
        """Replace the text of the current file."""
        self.page.locator("#editor .cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.press("Delete")
        self.page.keyboard.insert_text(text)

    def run(self) -> None:
        typed = self.page.locator("#log .typed")
        before = typed.count()
        self.page.locator("#run").click()
        typed.nth(before).wait_for()
        self.ready()

    def menu(self, name: str, item: str) -> None:
        """Choose an item of a menu."""
        self.page.get_by_role("button", name=name, exact=True).click()
        self.page.get_by_role("menuitem", name=item).click()

    def share(self) -> str:
        """The address with the work."""
        self.page.get_by_role("button", name="Share", exact=True).click()
        self.page.locator("#dialog[open]").wait_for()
        address = str(self.page.locator("#dialog-input").input_value())
        self.page.get_by_role("button", name="Cancel").click()
        return address

    def close(self) -> None:
        self.context.close()
