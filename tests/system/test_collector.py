"""The cyclic garbage collector runs seldom when the heap is large, and still frees cycles.

Each test is a process of its own: how often the collector runs depends on all that there is.
"""

from __future__ import annotations

import subprocess
import sys

SETTINGS = """
import gc
from minischeme import Session
from minischeme.system.collector import collect_seldom

runs = []
gc.callbacks.append(lambda phase, info: runs.append(phase))
collect_seldom()
session = Session()
"""

GROWING = """
session.eval("(define (grow n all) (if (= n 0) all (grow (- n 1) (cons n all))))")
runs.clear()
session.eval("(define all (grow 1500000 '()))")
print(runs.count("start"))
"""

CYCLES = """
session.eval('''
    (define (make n)
      (define (odd i) (if (= i 0) n (even (- i 1))))
      (define (even i) (list odd i))
      (even 0))
    (define (repeat i) (if (> i 0) (begin (make i) (repeat (- i 1)))))
    (repeat 1000)''')
gc.collect()
before = len(gc.get_objects())
runs.clear()
session.eval("(repeat 300000)")
print(runs.count("start"), len(gc.get_objects()) - before)
"""


def printed(program: str) -> list[int]:
    done = subprocess.run([sys.executable, "-c", SETTINGS + program], capture_output=True, text=True, check=True)
    return [int(number) for number in done.stdout.split()]


def test_a_growing_list_is_searched_seldom() -> None:
    (runs,) = printed(GROWING)
    assert 1 <= runs <= 4  # 7 with a fixed threshold of 200,000


def test_cycles_are_freed() -> None:
    runs, left = printed(CYCLES)
    assert runs
    assert left < 700_000  # a million and more objects, if all were kept
