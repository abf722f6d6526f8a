"""The settings of Python's cyclic garbage collector for programs that keep many pairs."""

import gc
import sys

from minischeme.system.memory import available_memory

USUAL_THRESHOLDS = gc.get_threshold()

THRESHOLDS = 200_000, 20, 100
"""Arguments of `gc.set_threshold`. Nearly all that a Scheme program allocates is in no cycle, and the unwinding of a
deep recursion allocates millions of frames and tracebacks, none of them garbage."""

_WINDOW = 400_000
_SAMPLED = 24  # one new object of so many
_BATCH = 10_000  # that the processor's cache holds
_BYTES = 2_000  # of memory for each object: some thirty times what it takes
_NEVER = 1 << 30
_IS_INCREMENTAL = sys.version_info >= (3, 14)  # looks at some old objects each time


def collect_seldom() -> None:
    """Let the collector look at a sample of new objects only, as long as hardly any of these are garbage.

    To look at all of them takes half the time of a program that builds large structures, and finds nothing.
    """
    known = next((callback for callback in gc.callbacks if isinstance(callback, _Sampler)), None)
    if known is None:
        known = _Sampler()
        gc.callbacks.append(known)
    known.skip()


class _Sampler:
    """A callback of the collector that has it look at a sample of the new objects while hardly any are garbage, at all
    new ones otherwise, and at all objects when they take a good part of the memory and have become four times as many.
    """

    def __init__(self) -> None:
        self._looks_at = 0
        self._finds = False
        self._most = 0

    def __call__(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            if not self._looks_at and info["generation"] < 2 and not _IS_INCREMENTAL:
                gc.freeze()  # makes all objects old, without a look at them
                gc.unfreeze()
            return
        blocks = sys.getallocatedblocks()
        if _IS_INCREMENTAL:
            self.skip()
            return
        if info["generation"] == 2:
            self._most = 4 * blocks
        is_large = blocks > max(self._most, available_memory() // _BYTES)
        found, self._finds = self._finds, info["collected"] * 10 >= self._looks_at > 0
        if self._finds:
            self._look(_BATCH, everything=is_large or not found)
        elif is_large or not self._looks_at:
            self._look(max(_WINDOW, blocks) // _SAMPLED, everything=is_large)
        else:
            self.skip()

    def skip(self) -> None:
        """Make new objects old, without a look at them, when they are as many as the others."""
        self._looks_at = 0
        others = THRESHOLDS[1:] if _IS_INCREMENTAL else (0, _NEVER)
        gc.set_threshold(max(_WINDOW, sys.getallocatedblocks()), *others)

    def _look(self, count: int, *, everything: bool) -> None:
        """Look at so many new objects, and at all others if the collector agrees."""
        self._looks_at = count
        gc.set_threshold(count, 0, 0 if everything else _NEVER)
