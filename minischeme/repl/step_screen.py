"""The steps of a recorded run, full screen in a terminal."""

from collections.abc import Callable

from prompt_toolkit.application import Application, get_app
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import FormattedTextControl, HSplit, Layout, Window
from prompt_toolkit.styles import Style

from minischeme.data.wrapping import in_columns
from minischeme.session.session import Session
from minischeme.stepping import navigation
from minischeme.stepping.pictures import Pictures
from minischeme.stepping.recording import RecordedRun
from minischeme.stepping.text import frame_text

_STYLE = Style.from_dict({"mark": "reverse", "title": "bold", "quiet": "#767676"})

_KEYS = [
    ("→ space n", "next step"),
    ("← b", "back"),
    ("o", "over: to the value of this call"),
    ("u", "out: to where this procedure returns"),
    ("c", "next call of this procedure"),
    ("v", "next change of a variable"),
    ("/", "search; / and ENTER: search again"),
    ("g e", "first step, end"),
    ("+ -", "more or less of the source"),
    ("q", "leave"),
]

_Target = Callable[[int], int | None]
"""The number of the step to go to from one; None if there is none."""


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
        self._run = run
        self.pictures = Pictures(session, run)
        self._number = 0
        self._message = self._question = self._answer = self._sought = ""
        self._shows_keys = False
        self._ask: _Target | Callable[[str], int | None] | None = None  # takes the answer that is being typed
        self._share = 2  # sixths of the screen for the source

    def application(self) -> Application[None]:
        parts = (
            (self._source, self._source_rows),
            (self._title, lambda: 1),
            (self._expression, None),
            (self._details, lambda: 0 if self._shows_keys else min(len(self._detail_lines()), self._size()[0] // 3)),
            (self._status, lambda: 1),
        )
        windows = [Window(FormattedTextControl(text), height=rows, wrap_lines=True) for text, rows in parts]
        return Application(Layout(HSplit(windows)), style=_STYLE, key_bindings=self._bindings(), full_screen=True)

    def _source_rows(self) -> int:
        rows = self._size()[0]
        is_crowded = self._shows_keys and rows < 2 * len(_KEYS)
        return 1 if is_crowded else max(1, rows * self._share // 6)

    @staticmethod
    def _size() -> tuple[int, int]:
        size = get_app().output.get_size()
        return size.rows, size.columns

    # ── keys ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _bindings(self) -> KeyBindings:
        run, last = self._run, len(self._run.steps)
        targets: dict[str, _Target] = {
            "right space n down enter": lambda number: number + 1,
            "left b up backspace": lambda number: number - 1,
            "g home": lambda number: 0,
            "e end": lambda number: last,
            "o": lambda number: navigation.over(run, number),
            "u": lambda number: navigation.out(run, number),
            "c": lambda number: navigation.next_calls(run)[number],
            "v": lambda number: self._begin("variable (empty: any): ", lambda name: self._next_change(number, name)),
            "/": lambda number: self._begin("search: ", self._search),
            "? h": self._show_keys,
            "+": lambda number: self._resize(number, 1),
            "-": lambda number: self._resize(number, -1),
        }
        bindings = KeyBindings()
        for keys, target in targets.items():
            for key in keys.split():
                bindings.add(key)(lambda event, key=key, target=target: self._pressed(event, key, target))
        for key in ("q", "escape", "c-c", "c-d"):
            bindings.add(key, eager=True)(lambda event, key=key: self._leave(event, key))
        bindings.add(Keys.Any)(lambda event: self._type(event.data))
        return bindings

    def _pressed(self, event: KeyPressEvent, key: str, target: _Target) -> None:
        if self._ask is None:
            self._message = ""
            self._shows_keys = self._shows_keys and key in "?h"
            self._go(target(self._number))
        elif key == "enter":
            ask, self._ask = self._ask, None
            self._go(ask(self._answer))  # type: ignore[arg-type]
        elif key == "backspace":
            self._answer = self._answer[:-1]
        else:
            self._type(event.data)

    def _go(self, number: int | None) -> None:
        self._message = "there is none" if number is None else ""
        self._number = self._number if number is None else min(max(number, 0), len(self._run.steps))

    def _type(self, text: str) -> None:
        self._answer += text if self._ask is not None and text.isprintable() else ""

    def _begin(self, question: str, ask: Callable[[str], int | None]) -> int:
        self._ask, self._question, self._answer = ask, question, ""
        return self._number

    def _next_change(self, number: int, name: str) -> int | None:
        return navigation.next_changes(self._run, name)[number]

    def _search(self, text: str) -> int | None:
        self._sought = text or self._sought
        return navigation.next_found(self._run, self._number, lambda at: self._sought in self.pictures.redex(at))

    def _show_keys(self, number: int) -> int:
        self._shows_keys = not self._shows_keys
        return number

    def _resize(self, number: int, change: int) -> int:
        self._share = min(max(self._share + change, 1), 4)
        return number

    def _leave(self, event: KeyPressEvent, key: str) -> None:
        if self._ask is None or key == "c-d":
            event.app.exit()
        elif key == "q":
            self._type(key)
        else:
            self._ask = None

    # ── the parts of the screen ──────────────────────────────────────────────────────────────────────────────────

    @property
    def _is_at_end(self) -> bool:
        return self._number == len(self._run.steps)

    def _source(self) -> StyleAndTextTuples:
        step = self._run.steps[min(self._number, len(self._run.steps) - 1)]
        span, whole = step.node.span, step.frame.unit.root.span
        if span is None or whole is None:
            return []
        source = span.source
        rows = self._source_rows()
        start = whole.start if whole.source is source else span.start
        line = max(source.position(start)[0], source.position(span.start)[0] - rows // 2)
        end = whole.end if whole.source is source else span.end
        return _with_mark(
            source.text[:end], source.offset(line, 0), span.start, span.end, is_marked=not self._is_at_end
        )

    def _title(self) -> StyleAndTextTuples:
        span = self._run.steps[min(self._number, len(self._run.steps) - 1)].node.span
        return [("class:quiet", f"── {span.source.name if span is not None else ''} ".ljust(self._size()[1], "─"))]

    def _expression(self) -> StyleAndTextTuples:
        rows, columns = self._size()
        if self._shows_keys:
            return [("", in_columns(_KEYS, columns))]
        if self._is_at_end:
            kind, text = self.pictures.result()
            return [("class:title", "the value is " if kind == "value" else ""), ("", text)]
        picture = self.pictures.picture(self._number, columns)
        lines, before = picture.text.split("\n"), picture.text[: picture.start].count("\n")
        room = rows - rows * self._share // 6 - 2 - len(self._detail_lines())
        skipped = max(0, min(before - room // 2, len(lines) - room))
        first = sum(len(line) + 1 for line in lines[:skipped])
        return _with_mark(picture.text, first, picture.start, picture.end)

    def _detail_lines(self) -> list[str]:
        printed = self._run.output if self._is_at_end else self._run.output[: self._run.steps[self._number].printed]
        lines = [frame_text(frame) for frame in self.pictures.frames(self._number) if frame.variables]
        return [*lines, *(f"prints: {line}" for line in printed.splitlines()[-3:])]

    def _details(self) -> StyleAndTextTuples:
        return [("class:quiet", "\n".join(self._detail_lines()))]

    def _status(self) -> StyleAndTextTuples:
        if self._ask is not None:
            return [("class:title", self._question), ("", self._answer), ("class:mark", " ")]
        total = len(self._run.steps)
        place = "end" if self._is_at_end else f"step {self._number + 1:,} of {total:,}"
        return [("class:title", f"{place}   "), ("class:quiet", self._message or "? keys   q leave")]


def _with_mark(text: str, first: int, start: int, end: int, *, is_marked: bool = True) -> StyleAndTextTuples:
    """A text from an offset on, with a part marked."""
    if not is_marked:
        return [("", text[first:])]
    return [("", text[first:start]), ("class:mark", text[max(first, start) : end]), ("", text[end:])]
