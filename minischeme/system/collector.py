"""The settings of Python's cyclic garbage collector for programs that keep many pairs."""

from __future__ import annotations

import gc
import sys

THRESHOLDS = 200_000, 20, 100
"""For `gc.set_threshold`: nearly all that a Scheme program allocates is in no cycle, and the unwinding of a deep
recursion allocates millions of frames and tracebacks, none of them garbage."""


def collect_seldom() -> None:
    """Let the collector run whenever the heap may have doubled, but not for fewer than 200,000 new objects.

    With a fixed threshold its runs take half the time of a program that builds large structures.
    """
    _set_threshold("stop", {})
    if _set_threshold not in gc.callbacks:
        gc.callbacks.append(_set_threshold)


def _set_threshold(phase: str, info: dict[str, int]) -> None:
    if phase == "stop":
        smallest, *others = THRESHOLDS
        gc.set_threshold(max(smallest, sys.getallocatedblocks()), *others)
