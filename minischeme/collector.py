"""The settings of Python's cyclic garbage collector for programs that keep many pairs."""

from __future__ import annotations

import gc
import sys

_SMALLEST_THRESHOLD = 200_000
_RARELY = 20, 100


def collect_seldom() -> None:
    """Let the collector run whenever the heap may have doubled, but not for fewer than 200,000 new objects.

    Nearly all that a Scheme program allocates is in no cycle: each run looks at the new objects in vain. With a fixed
    threshold these runs take half the time of a program that builds large structures.
    """
    _set_threshold("stop", {})
    if _set_threshold not in gc.callbacks:
        gc.callbacks.append(_set_threshold)


def _set_threshold(phase: str, info: dict[str, int]) -> None:
    """Called by the collector before and after each run."""
    if phase == "stop":
        gc.set_threshold(max(_SMALLEST_THRESHOLD, sys.getallocatedblocks()), *_RARELY)
