"""A progress bar on standard error for long computations; nothing is shown unless that is a terminal."""

import os
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

_PATIENCE = 1.0  # seconds before there is a bar
_PERIOD = 0.1  # seconds between two drawings of it


class ProgressBar:
    def __init__(self, total: int) -> None:
        self._total = total
        self._bar: Progress | None = None
        stream = sys.stderr
        is_seen = stream is not None and stream.isatty() and os.environ.get("TERM", "dumb") not in ("", "dumb")
        self._next = time.monotonic() + _PATIENCE if is_seen else float("inf")

    def show(self, done: int) -> None:
        """Show the progress, if an update is due."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _PERIOD
        if self._bar is None:
            # Imported here, since most programs never need it.
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

            self._bar = Progress(
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(compact=True),
                console=Console(stderr=True),
                transient=True,
                auto_refresh=False,  # no thread, since processes may be forked meanwhile
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._bar.add_task("", total=self._total)
            self._bar.start()
        self._bar.update(self._bar.task_ids[0], completed=done)
        self._bar.refresh()

    def hide(self) -> bool:
        """Erase the bar until the next `show`; returns whether there was one."""
        bar, self._bar = self._bar, None
        if bar is not None:
            bar.stop()
        return bar is not None
