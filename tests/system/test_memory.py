"""Where memory ends there is a Scheme error, and the session goes on with its definitions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from minischeme.runtime import recursion as runtime
from minischeme.system import memory

ROOT = Path(__file__).parents[2]
LIMIT = 160 << 20

EXHAUSTING = {
    "a list": "(let loop ((l '())) (loop (cons 1 l)))",
    "a list in a global": "(define l '()) (let loop () (set! l (cons 1 l)) (loop))",
    "a nested list": "(let loop ((l 1)) (loop (list l)))",
    "appended lists": "(let loop ((l '(1 2))) (loop (append l l)))",
    "a sentence": "(let loop ((s '(a b))) (loop (se s s)))",
    "a string": '(let loop ((s "abc")) (loop (string-append s s)))',
    "a word": "(let loop ((w 'abc)) (loop (word w w)))",
    "symbols": "(let loop ((n 0) (l '())) (loop (+ n 1) (cons (string->symbol (number->string n)) l)))",
    "a vector": "(let loop ((v (vector 1 2))) (loop (vector-append v v)))",
    "nested vectors": "(let loop ((v 1)) (loop (vector v v v v)))",
    "a number": "(let loop ((n 2)) (loop (* n n)))",
    "a hash table": "(define h (make-hash-table)) (let loop ((n 0)) (hash-table-set! h n n) (loop (+ n 1)))",
    "procedures": "(let loop ((p 1)) (loop (lambda () p)))",
    "promises": "(let loop ((p 1)) (loop (delay p)))",
    "a stream": "(define (ones) (cons-stream 1 (ones))) (define s (ones)) (stream-ref s 100000000)",
    "a string port": (
        "(define p (open-output-string)) (define s (make-string 100000 #\\a)) (let loop () (display s p) (loop))"
    ),
    "records": "(define-record-type point (make-point x) point? (x x)) (let loop ((p 1)) (loop (make-point p)))",
    "a large vector": "(make-vector 1000000000 0)",
    "a large list": "(make-list 1000000000 0)",
    "a large string": "(make-string 2000000000 #\\a)",
    "a large bytevector": "(make-bytevector 2000000000 1)",
    "a large value that is shown": "(make-string 150000000 #\\a)",
    "a large culprit": "(car (make-string 150000000 #\\a))",
    "a large irritant": "(error 'too-large (make-string 150000000 #\\a))",
    "recursion": "(define (f n) (+ 1 (f n))) (f 1)",
    "recursion with data": "(define (f v) (+ 1 (f (make-vector 100 v)))) (f 1)",
    "recursion through map": "(define (f n) (cons 1 (map f (list n)))) (f 1)",
    "recursion through call/cc": "(define (f n) (+ 1 (call/cc (lambda (k) (f k))))) (f 1)",
    "recursion in call/cc": "(define (f n) (call/cc (lambda (k) (+ 1 (f n))))) (f 1)",
    "recursion through a handler": (
        "(define (f n) (with-exception-handler (lambda (e) 1) (lambda () (+ 1 (f n))))) (f 1)"
    ),
    "recursion through guard": "(define (f n) (guard (e (#f 1)) (+ 1 (f n)))) (f 1)",
    "recursion through dynamic-wind": (
        "(define (f n) (dynamic-wind (lambda () 1) (lambda () (+ 1 (f n))) (lambda () 1))) (f 1)"
    ),
}

LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))
from minischeme.cli.main import main
sys.exit(main([]))
"""


def prompted(text: str) -> str:
    """What the prompt shows for a text, in a process with little memory."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED.format(limit=LIMIT)],
        input=text,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
    )
    assert done.returncode in (0, 1), done.stderr[-2000:]
    assert done.stderr == ""
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")
@pytest.mark.parametrize("text", EXHAUSTING.values(), ids=EXHAUSTING)
def test_out_of_memory(text: str) -> None:
    if sys.version_info >= (3, 12) and text in (EXHAUSTING["procedures"], EXHAUSTING["promises"]):
        pytest.skip("CPython 3.12 and later free a code object twice where no memory is left for a function of it")
    shown = prompted(f"(define kept 42)\n{text}\n(+ kept 1)\n")
    assert "internal error" not in shown
    assert "*** Error:\n    out of memory" in shown or "maximum recursion depth exceeded" in shown, shown[:1000]
    assert shown.endswith("\n43\n")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")
def test_out_of_memory_can_be_handled() -> None:
    shown = prompted("(guard (e (#t (condition/report-string e))) (let loop ((l '())) (loop (cons 1 l))))\n")
    assert shown == '"out of memory"\n'


# ── how much there is ────────────────────────────────────────────────────────────────────────────────────────────────


def system(folder: Path, files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> int:
    """The memory that is available where the system tells what these files say."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(memory, "SYSTEM", str(folder))
    memory._available_memory.cache_clear()
    try:
        return memory.available_memory()
    finally:
        memory._available_memory.cache_clear()


MACHINE = {"proc/meminfo": "MemTotal: 9000 kB\nMemAvailable:    8000 kB\n"}
GROUP = {"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.stat": "anon 1000\nfile 700\n"}
OLD_GROUP = {
    "proc/self/cgroup": "5:cpu,cpuacct:/\n4:memory:/a\n",
    "sys/fs/cgroup/memory/memory.stat": "cache 5\nhierarchical_memory_limit 5000\ntotal_rss 2000\n",
}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (MACHINE, 8000 * 1024),
        (MACHINE | GROUP | {"sys/fs/cgroup/a/b/memory.max": "max\n"}, 8000 * 1024),
        (MACHINE | GROUP | {"sys/fs/cgroup/a/b/memory.max": "6000\n"}, 5000),
        (MACHINE | GROUP | {"sys/fs/cgroup/a/memory.max": "900\n", "sys/fs/cgroup/a/memory.stat": "anon 800\n"}, 100),
        (MACHINE | GROUP | {"sys/fs/cgroup/a/b/memory.max": "600\n"}, 0),
        (MACHINE | OLD_GROUP, 3000),
    ],
)
def test_available_memory(
    files: dict[str, str], expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert system(tmp_path, files, monkeypatch) == expected


def test_recursion_ends_earlier_where_there_is_less_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    depths = []
    for gigabytes in (100, 2, 1, 0.25, 0):
        monkeypatch.setattr(runtime, "available_memory", lambda found=gigabytes: int(found * 1e9))
        depths.append(runtime.deepest_recursion(10))
    assert depths[0] == 2_200_000
    assert depths[1] > 1_000_000
    assert depths == sorted(depths, reverse=True)
    assert len(set(depths)) == len(depths)
    assert depths[-1] > 1_000
