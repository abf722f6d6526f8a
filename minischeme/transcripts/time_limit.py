"""A limit to the running time of Python code, for endless loops in a transcript."""

import _thread
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from minischeme.runtime.recursion import runs_scheme

AGAIN = 0.25  # seconds until Scheme that ignores an interrupt gets the next one


class TimeLimit:
    """A time limit for a ``with`` block, which gets KeyboardInterrupts after it; `is_over` tells whether it did.

    It works only in the main thread, since Python interrupts no other.
    """

    def __init__(self) -> None:
        self.is_over = False
        self.reason = ""

    @contextmanager
    def of(self, seconds: float, reason: str) -> Iterator[None]:
        """Limit the ``with`` block to so many seconds; `reason` follows "interrupted" in messages."""
        self.is_over = False
        self.reason = reason
        seconds = max(seconds, 0.001)
        if threading.current_thread() is not threading.main_thread():
            yield
        elif hasattr(signal, "setitimer"):
            # Whoever uses this timer already, such as pytest-timeout, gets it back with what is left of its time.
            handler = signal.signal(signal.SIGALRM, self._alarmed)
            before, interval = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
            began = time.monotonic()
            try:
                yield
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, handler)
                if before:
                    left = before - (time.monotonic() - began)
                    signal.setitimer(signal.ITIMER_REAL, max(left, 0.001), interval)
        elif sys.platform == "emscripten":  # no threads either; the playground brings a timer
            yield
        else:  # Windows
            is_left = threading.Event()
            threading.Thread(target=self._interrupt, args=(seconds, is_left), daemon=True).start()
            try:
                yield
            finally:
                is_left.set()

    def _alarmed(self, _signal: int, _frame: FrameType | None) -> None:
        self.is_over = True
        if runs_scheme():  # and not the code that prepares to run it or shows its error
            raise KeyboardInterrupt(self.reason)

    def _interrupt(self, seconds: float, is_left: threading.Event) -> None:
        while not is_left.wait(seconds):
            self.is_over = True
            _thread.interrupt_main()
            seconds = AGAIN
