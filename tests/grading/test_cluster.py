"""A Dask cluster grades as one machine does, also when a worker is killed in the middle."""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("the sandbox has its layers on Linux only", allow_module_level=True)

distributed = pytest.importorskip("distributed")

from minischeme.cli.class_report import comma_separated, table  # noqa: E402
from minischeme.cli.grade import grade  # noqa: E402
from minischeme.grading.judge import Result  # noqa: E402
from minischeme.grading.submissions import Job  # noqa: E402
from minischeme.grading.workers import cluster_workers, grade_class, local_workers  # noqa: E402

TESTS = {"t.txt": "; minischeme: load hw1.scm\n" + "".join(f"> (sq {n})\n{n * n}\n" for n in range(10))}
SLOW = "(define (sq x) (let loop ((i 0)) (if (< i 300000) (loop (+ i 1)) (* x x))))"
COUNT = 16


def jobs() -> Iterator[Job]:
    for number in range(COUNT):
        program = SLOW if number % 4 else "(define (sq x) (if (> x 4) (car x) (* x x)))"
        yield Job(f"student {number:02}", {"hw1.scm": program.encode()}, [], TESTS)


def in_order(results: Iterable[Result]) -> list[Result]:
    return sorted(results, key=lambda result: result.name)


@pytest.fixture(scope="module")
def cluster() -> Iterator[object]:
    os.environ["DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES"] = "5"
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as made:
        yield made


@pytest.fixture(scope="module")
def alone() -> list[Result]:
    with local_workers(1) as workers:
        return in_order(grade_class(jobs(), COUNT, workers, None, again=False))


@pytest.mark.slow
def test_a_worker_is_killed(cluster: object, alone: list[Result]) -> None:
    address = cluster.scheduler_address  # type: ignore[attr-defined]
    with distributed.Client(address) as client:
        victim = next(iter(client.run(os.getpid).values()))
    found: list[Result] = []
    with cluster_workers(address) as workers:
        for result in grade_class(jobs(), COUNT, workers, None, again=False):
            found.append(result)
            if len(found) == 4:
                os.kill(victim, signal.SIGKILL)
    assert Counter(result.name for result in found) == {job.name: 1 for job in jobs()}
    found = in_order(found)
    assert comma_separated(found) == comma_separated(alone)
    assert table(found) == table(alone)


@pytest.mark.slow
def test_the_command(cluster: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for job in jobs():
        (tmp_path / "class" / job.name).mkdir(parents=True)
        (tmp_path / "class" / job.name / "hw1.scm").write_bytes(job.files["hw1.scm"])
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/t.txt").write_text(TESTS["t.txt"])
    arguments = [str(tmp_path / "class"), "--tests", str(tmp_path / "tests")]
    address = cluster.scheduler_address  # type: ignore[attr-defined]
    assert grade([*arguments, "--cluster", address]) == 0
    on_cluster = capsys.readouterr().out
    assert grade([*arguments, "-j", "1"]) == 0
    assert on_cluster == capsys.readouterr().out


def test_there_is_no_cluster(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.txt").write_text("> 1\n1\n")
    arguments = [str(tmp_path), "--tests", str(tmp_path), "--cluster", "tcp://127.0.0.1:1"]
    assert grade(arguments) == 2
    assert "there is no cluster at tcp://127.0.0.1:1" in capsys.readouterr().err
