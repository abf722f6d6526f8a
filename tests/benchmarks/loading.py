"""What is measured of the cache of compiled code: a load that finds all of it there, beside one without a cache."""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median

from minischeme import Session
from minischeme.evaluation.code_cache import CodeCache

from .measuring import Measurement, like_the_command, timed
from .programs import student_program


def measure_cached_load(rounds: int, lines: int = 2_000) -> Measurement:
    """A load from the cache; the load without one stands in the place of the counterpart.

    Args: lines: of the program.
    """
    with tempfile.TemporaryDirectory() as name, like_the_command():
        program, caches = Path(name, "input.scm"), Path(name, "cache")
        program.write_text(student_program(lines), encoding="utf-8")
        caches.mkdir(mode=0o700)

        def load(cache: CodeCache | None) -> float:
            session = Session()
            session.cache = cache
            seconds, _ = timed(lambda: session.load(program))
            return seconds

        load(CodeCache(caches))
        runs = [(load(CodeCache(caches)), load(None)) for _ in range(rounds)]
    cached, usual = (median(seconds) for seconds in zip(*runs, strict=True))
    ratio = median(fast / slow for fast, slow in runs)
    return Measurement("cached load", cached, lines, "lines", by_hand=usual, ratio=ratio, target=0.3)
