"""Tracebacks that are taken apart, as where freeing a long one would end the interpreter."""

from __future__ import annotations

import weakref

from minischeme.system.tracebacks import _take_apart


class Kept:
    """An object that a frame refers to."""


def test_a_traceback_is_taken_apart_and_its_frames_are_freed() -> None:
    kept: list[weakref.ref[Kept]] = []

    def fail(depth: int) -> None:
        value = Kept()
        kept.append(weakref.ref(value))
        if depth == 0:
            raise KeyError(value)
        fail(depth - 1)

    try:
        fail(300)
    except KeyError as error:
        link = error.__traceback__
        error.args = ()
        _take_apart(error)
        left = error.__traceback__
    assert left is None
    assert link is not None
    assert link.tb_next is None
    del link
    assert not any(reference() for reference in kept)
