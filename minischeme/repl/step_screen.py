"""The steps of a recorded run, full screen in a terminal."""

from collections.abc import Callable

from prompt_toolkit.application import Application, get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import has_focus
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.layout import BufferControl, FormattedTextControl, HSplit, Layout, ScrollOffsets, Window
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.styles import Style

from minischeme.data.wrapping import in_columns
from minischeme.session.session import Session
from minischeme.stepping import navigation
from minischeme.stepping.pictures import Pictures
from minischeme.stepping.recording import RecordedRun
from minischeme.stepping.text import frame_text

_STYLE = Style.from_dict({"mark": "reverse", "title": "bold", "quiet": "#767676"})

_KEYS: list[tuple[str, str, str, Callable[["_Screen", str], int | None]]] = [
    ("→ space n", "next step", "right space n down enter", lambda screen, _: screen.number + 1),
    ("← b", "back", "left b up backspace", lambda screen, _: screen.number - 1),
    ("o", "over this call", "o", lambda screen, _: navigation.over(screen.run, screen.number)),
    ("u", "out of this procedure", "u", lambda screen, _: navigation.out(screen.run, screen.number)),
    ("c", "next call of this procedure", "c", lambda screen, _: navigation.next_calls(screen.run)[screen.number]),
    ("v", "next change of a variable", "v", lambda screen, _: screen.ask("variable (empty: any): ", screen.change)),
    ("/", "search; / ENTER: again", "/", lambda screen, _: screen.ask("search: ", screen.search)),
    ("g e", "first step, end", "g home e end", lambda screen, key: screen.last if key in ("e", "end") else 0),
    ("?", "keys, or the step again", "? h", lambda screen, _: screen.show_keys()),
]
"""The keys as they are shown, what they do, their names, and the step that one of them leads to; None for no step."""


def show_on_screen(session: Session, run: RecordedRun) -> None:
    """Show a recorded run until the user leaves, and then its value."""
    output = session.output
    output.flush()
    with session.settings():
        screen = _Screen(session, run)
        screen.application().run()
        if run.error is None:
            output.fresh_line()
            output.write(f"{screen.pictures.result()[1]}\n")


class _Screen:
    """The screen: the source with the present piece marked, the expression as it stands, frames and output."""

    def __init__(self, session: Session, run: RecordedRun) -> None:
        self.run: RecordedRun = run
        self.pictures = Pictures(session, run)
        self.number: int = 0
        self.last: int = len(run.steps)
        self._message = self._question = self._sought = ""
        self._field = Buffer(multiline=False, accept_handler=self._accept)
        self._answered: Callable[[str], int | None] = self.search  # takes what is typed there
        self._shows_keys = False

    def application(self) -> Application[None]:
        parts = (
            (self._source, lambda: 1 if self._shows_keys else max(1, self._size()[0] // 3)),
            (self._title, lambda: 1),
            (self._expression, None),
            (self._details, lambda: min(len(self._detail_lines()), self._size()[0] // 3)),
        )
        near = ScrollOffsets(top=2, bottom=2)
        windows = [
            Window(
                FormattedTextControl(text, focusable=True),
                height=rows,
                wrap_lines=True,
                scroll_offsets=near,
                always_hide_cursor=True,
            )
            for text, rows in parts
        ]
        status = BufferControl(self._field, input_processors=[BeforeInput(self._status)])
        layout = Layout(
            HSplit([*windows, Window(status, height=1, always_hide_cursor=~has_focus(self._field))]), windows[0]
        )
        return Application(layout, style=_STYLE, key_bindings=self._bindings(), full_screen=True)

    @staticmethod
    def _size() -> tuple[int, int]:
        size = get_app().output.get_size()
        return size.rows, size.columns

    # ── keys ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _bindings(self) -> KeyBindings:
        bindings, is_asking = KeyBindings(), has_focus(self._field)
        for _, _, names, target in _KEYS:
            for key in names.split():
                bindings.add(key, filter=~is_asking)(lambda event, key=key, target=target: self._press(key, target))
        for key in ("q", "escape", "c-c", "c-d"):
            bindings.add(key, filter=~is_asking, eager=True)(lambda event: event.app.exit())
        for key in ("escape", "c-c"):
            bindings.add(key, filter=is_asking, eager=True)(lambda event: event.app.layout.focus_last())
        return bindings

    def _press(self, key: str, target: Callable[["_Screen", str], int | None]) -> None:
        self._shows_keys = self._shows_keys and key in "?h"
        self.go(target(self, key))

    def go(self, number: int | None) -> None:
        """Show the step of a number, or say that there is none."""
        self._message = "there is none" if number is None else ""
        self.number = self.number if number is None else min(max(number, 0), self.last)

    def ask(self, question: str, answered: Callable[[str], int | None]) -> int:
        self._question, self._answered = question, answered
        self._field.reset()
        get_app().layout.focus(self._field)
        return self.number

    def _accept(self, field: Buffer) -> bool:
        get_app().layout.focus_last()
        self.go(self._answered(field.text))
        return False

    def change(self, name: str) -> int | None:
        return navigation.next_changes(self.run, name)[self.number]

    def search(self, text: str) -> int | None:
        self._sought = text or self._sought
        return navigation.next_found(self.run, self.number, lambda at: self._sought in self.pictures.redex(at))

    def show_keys(self) -> int:
        self._shows_keys = not self._shows_keys
        return self.number

    # ── the parts of the screen ──────────────────────────────────────────────────────────────────────────────────

    @property
    def _is_at_end(self) -> bool:
        return self.number == self.last

    def _source(self) -> StyleAndTextTuples:
        span = self.run.steps[self.number - self._is_at_end].node.span
        style = "" if self._is_at_end else "class:mark"
        return _with_part(span.source.text, span.start, span.end, style) if span is not None else []

    def _title(self) -> StyleAndTextTuples:
        span = self.run.steps[self.number - self._is_at_end].node.span
        return [("class:quiet", f"── {span.source.name if span is not None else ''} ".ljust(self._size()[1], "─"))]

    def _expression(self) -> StyleAndTextTuples:
        columns = self._size()[1]
        if self._shows_keys:
            return [("", in_columns([(keys, what) for keys, what, _, _ in _KEYS], columns))]
        if self._is_at_end:
            kind, text = self.pictures.result()
            return [("class:title", "the value is " if kind == "value" else ""), ("", text)]
        picture = self.pictures.picture(self.number, columns)
        return _with_part(picture.text, picture.start, picture.end, "class:mark")

    def _detail_lines(self) -> list[str]:
        if self._shows_keys:
            return []
        printed = self.run.output[: self.run.printed[self.number]]
        lines = [frame_text(frame) for frame in self.pictures.frames(self.number) if frame.variables]
        return [*lines, *(f"prints: {line}" for line in printed.splitlines()[-3:])]

    def _details(self) -> StyleAndTextTuples:
        return [("class:quiet", "\n".join(self._detail_lines()))]

    def _status(self) -> StyleAndTextTuples:
        if get_app().layout.has_focus(self._field):
            return [("class:title", self._question)]
        place = "end" if self._is_at_end else f"step {self.number + 1:,} of {self.last:,}"
        return [("class:title", f"{place}   "), ("class:quiet", self._message or "? keys   q leave")]


def _with_part(text: str, start: int, end: int, style: str) -> StyleAndTextTuples:
    """A text with a part in a style, which is in view."""
    return [("", text[:start]), ("[SetCursorPosition]", ""), (style, text[start:end]), ("", text[end:])]
