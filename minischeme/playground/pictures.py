"""Pictures for the page, in place of those that a terminal shows as text."""

import io
from collections.abc import Callable, Sequence
from typing import Any

from minischeme.data.values import Value
from minischeme.drawing import picture
from minischeme.drawing.svg import picture_svg
from minischeme.repl import commands
from minischeme.runtime.ports import OutputPort
from minischeme.session.session import Session
from minischeme.stepping.export import as_data
from minischeme.stepping.recording import RecordedRun


class Shown:
    """The pictures that a program has drawn since the last `take`, as SVG, and the run that was recorded."""

    def __init__(self) -> None:
        self.pictures: list[str] = []
        self.run: dict[str, Any] | None = None

    def take(self) -> dict[str, object]:
        """The pictures and the run, for the page; afterwards there are none."""
        taken: dict[str, object] = {}
        if self.pictures:
            taken["pictures"], self.pictures = self.pictures, []
        if self.run is not None:
            taken["run"], self.run = self.run, None
        return taken


def show_on_page(shown: Shown, console: Callable[[], OutputPort]) -> None:
    """From now on, let `draw` and the stepper show on the page what they would print on the console."""
    draw_as_text = picture.draw

    def draw(port: OutputPort, values: Sequence[Value], texts: Sequence[str] = (), **more: Any) -> None:
        if port is not console():
            draw_as_text(port, values, texts, **more)
            return
        shown.pictures.append(picture_svg(picture.picture_of(values, texts, **{"width": picture.SVG_WIDTH} | more)))
        stream, port.stream = port.stream, io.StringIO()  # a transcript gets the text
        try:
            draw_as_text(port, values, texts, **more)
        finally:
            port.stream = stream

    def show_steps(session: Session, run: RecordedRun) -> None:
        shown.run = as_data(session, run)

    picture.draw = draw
    commands.show_steps = show_steps
