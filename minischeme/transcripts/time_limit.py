"""A limit to the time that a piece of Python may take, for endless loops in a transcript."""

from __future__ import annotations

import _thread
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class TimeLimit:
    """Raises KeyboardInterrupt inside a ``with`` that takes too long; `is_over` tells that from a Ctrl-C.

    It works in the main thread only, since Python interrupts no other; elsewhere there is no limit.
    """

    def __init__(self) -> None:
        self.is_over = False

    @contextmanager
    def of(self, seconds: float) -> Iterator[None]:
        """Give what runs inside the ``with`` so many seconds."""
        self.is_over = False
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        stop = self._start(max(seconds, 0.001))
        try:
            yield
        finally:
            stop()

    def _start(self, seconds: float) -> Callable[[], object]:
        if not hasattr(signal, "setitimer"):  # Windows
            timer = threading.Timer(seconds, self._interrupt)
            timer.daemon = True
            timer.start()
            return timer.cancel
        # Whoever uses this timer already, such as pytest-timeout, gets it back with what is left of its time.
        handler = signal.signal(signal.SIGALRM, self._alarmed)
        before, interval = signal.setitimer(signal.ITIMER_REAL, seconds)
        began = time.monotonic()

        def stop() -> None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler)
            if before:
                left = before - (time.monotonic() - began)
                signal.setitimer(signal.ITIMER_REAL, max(left, 0.001), interval)

        return stop

    def _alarmed(self, _signal: int, _frame: FrameType | None) -> None:
        self.is_over = True
        raise KeyboardInterrupt

    def _interrupt(self) -> None:
        self.is_over = True
        _thread.interrupt_main()
