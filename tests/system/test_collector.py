"""The cyclic garbage collector runs seldom when the heap is large, and still frees cycles.

Each test is a process of its own: how often the collector runs depends on all that there is.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

SETTINGS = """
import gc
from resource import RUSAGE_SELF, getrusage
from time import process_time

from minischeme import Session
from minischeme.system.collector import collect_seldom

spent, began, runs = 0, 0, 0
def note(phase, info):
    global spent, began, runs
    if phase == "start":
        began = process_time()
    else:
        spent += process_time() - began
        runs += 1

def share(text):
    "The collector's part of the time that a form takes, in percent, and how often it runs."
    global spent, runs
    spent, runs, start = 0, 0, process_time()
    session.eval(text)
    return int(100 * spent / (process_time() - start)), runs

def grown(text):
    "By how many megabytes a form lets the process grow."
    before = getrusage(RUSAGE_SELF).ru_maxrss
    session.eval(text)
    return (getrusage(RUSAGE_SELF).ru_maxrss - before) >> 10

gc.callbacks.append(note)
collect_seldom()
session = Session()
session.eval('''
    (define (grow n all) (if (= n 0) all (grow (- n 1) (cons n all))))
    (define (tree n) (if (< n 2) n (list n (tree (quotient n 2)) (tree (quotient n 2)))))
    (define (closures n all) (if (= n 0) all (closures (- n 1) (cons (lambda () n) all))))
    (define (make n)
      (define (odd i) (if (= i 0) n (even (- i 1))))
      (define (even i) (list odd i))
      (even 0))
    (define (cycles i) (if (> i 0) (begin (make i) (cycles (- i 1)))))
    (define (circle) (let ((c (list 1 2 3))) (set-cdr! (cddr c) c) c))
    (define ring (make-vector 100000 0))
    (define (aging i) (if (> i 0) (begin (vector-set! ring (modulo i 100000) (circle)) (aging (- i 1)))))''')
"""


def printed(program: str) -> list[int]:
    done = subprocess.run([sys.executable, "-c", SETTINGS + program], capture_output=True, text=True, check=True)
    return [int(number) for number in done.stdout.split()]


@pytest.mark.parametrize("structure", ["(grow 1000000 '())", "(tree 500000)", "(closures 400000 '())"])
def test_a_growing_structure_is_hardly_looked_at(structure: str) -> None:
    percent, runs = printed(f'print(*share("(define all {structure})"))')
    assert runs
    assert percent < (20 if sys.version_info >= (3, 14) else 10)  # 30 to 40 if all new objects are looked at


@pytest.mark.parametrize("kept", ["'()", "(grow 300000 '())"])
def test_cycles_are_freed_as_they_are_made(kept: str) -> None:
    (megabytes,) = printed(f"session.eval(\"(define all {kept})\")\nprint(grown('(cycles 400000)'))")
    assert megabytes < 100  # 230 if all were kept


@pytest.mark.slow
def test_cycles_that_grow_old_are_freed_in_the_end() -> None:
    program = """
import minischeme.system.collector as collector
collector.available_memory = lambda: 1 << 30
print(grown("(aging 3000000)"))"""
    (megabytes,) = printed(program)
    assert megabytes < 250  # 410 if all were kept


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="the incremental collector always looks at some objects")
def test_a_structure_may_follow_cycles_and_cycles_a_structure() -> None:
    program = """
session.eval("(cycles 300000)")
first, _ = share("(define all (grow 1000000 '()))")
print(first, grown("(cycles 300000)"))"""
    percent, megabytes = printed(program)
    assert percent < 25
    assert megabytes < 200
