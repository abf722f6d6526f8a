"""The cyclic garbage collector runs seldom when the heap is large, and still frees cycles."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from minischeme import Session
from minischeme.collector import collect_seldom


@pytest.fixture(autouse=True)
def settings_restored() -> Iterator[None]:
    threshold, callbacks = gc.get_threshold(), list(gc.callbacks)
    yield
    gc.callbacks[:] = callbacks
    gc.set_threshold(*threshold)


@pytest.fixture
def runs() -> list[int]:
    """The collector's runs from here on, as the generation of each."""
    found: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            found.append(info["generation"])

    collect_seldom()
    gc.callbacks.append(note)
    return found


def test_a_growing_list_is_searched_seldom(runs: list[int]) -> None:
    session = Session()
    session.eval("(define (grow n all) (if (= n 0) all (grow (- n 1) (cons n all))))")
    session.eval("(define all (grow 1500000 '()))")
    assert 1 <= len(runs) <= 4  # 7 with a fixed threshold of 200,000


def test_cycles_are_freed(runs: list[int]) -> None:
    session = Session()
    session.eval("""
        (define (make n)
          (define (odd i) (if (= i 0) n (even (- i 1))))
          (define (even i) (list odd i))
          (even 0))
        (define (repeat i) (if (> i 0) (begin (make i) (repeat (- i 1)))))
        (repeat 1000)""")
    gc.collect()
    before = len(gc.get_objects())
    session.eval("(repeat 300000)")  # a million and more objects, if all were kept
    assert runs
    assert len(gc.get_objects()) - before < 700_000
