"""The settings of Python's cyclic garbage collector for programs that keep many pairs."""

import gc
import sys

THRESHOLDS = 200_000, 20, 100
"""Arguments of `gc.set_threshold`. Nearly all that a Scheme program allocates is in no cycle, and the unwinding of a
deep recursion allocates millions of frames and tracebacks, none of them garbage."""


def collect_seldom() -> None:
    """Run the collector only when the heap may have doubled, and after at least 200,000 new objects.

    With a fixed threshold, collections take half the time of a program that builds large structures.
    """
    _set_threshold("stop", {})
    if _set_threshold not in gc.callbacks:
        gc.callbacks.append(_set_threshold)


def _set_threshold(phase: str, info: dict[str, int]) -> None:
    if phase == "stop":
        smallest, *others = THRESHOLDS
        gc.set_threshold(max(smallest, sys.getallocatedblocks()), *others)
