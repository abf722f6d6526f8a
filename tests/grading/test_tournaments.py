"""Tournaments of students' files: in the sandbox, on several processes and on a cluster, and who may not play."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

if sys.platform != "linux":
    pytest.skip("the sandbox has its layers on Linux only", allow_module_level=True)

from tables import SOLUTIONS

from minischeme.cli.grade import grade
from minischeme.cli.tournament import tournament
from minischeme.grading.tournament import Team
from minischeme.system.progress import ProgressBar

GAME = (SOLUTIONS / "twenty-one.scm").read_text()

CLASS = {
    "fifteen": "(define my-strategy (stop-at 15))",
    "cards": "(define my-strategy valentine)",
    "luck": "(define (my-strategy hand up) (< (best-total hand) (+ 15 (random 4))))",
    "memory": "(define n 0) (define (my-strategy hand up) (set! n (+ n 1)) (< (best-total hand) (if (even? n) 14 16)))",
}

OUT = {
    "fails": (
        "(define (my-strategy hand up) (if (> (best-total hand) 19) (car '()) #t))",
        "car: wrong type of argument: ()",
    ),
    "loops": ("(define (my-strategy hand up) (let loop () (loop)))", "stopped after 1 s"),
    "peeks": ("(define (my-strategy hand up) (member 'ah (make-deck)))", "it deals cards or plays games of its own"),
    "changes": ("(define (my-strategy hand up) (set! twenty-one list) #f)", "it changes the game"),
    "late": (
        "(define n 0) (define (my-strategy hand up) (set! n (+ n 1)) "
        "(if (> n 4000) (vector-ref '#(1) 7) (pair? (member 'joker hand))))",
        "vector-ref:",
    ),
    "leaves": ("(define (my-strategy hand up) (exit 0))", "it called exit"),
    "unbound": ("(define your-strategy 17)", "unbound variable: my-strategy"),
    "unclosed": ("(define (my-strategy", "unclosed.scm: read: end of file inside list"),
}


def written(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir()
    for name, text in files.items():
        (folder / f"{name}.scm").write_text(f"{text}\n" if name == "unbound" else f"{GAME}\n{text}\n")
    return folder


def table(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert tournament([str(argument) for argument in arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.slow
def test_the_table_does_not_depend_on_the_number_of_workers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = written(tmp_path / "class", CLASS)
    alone = table(capsys, folder, "--games", 11_000)
    assert alone == table(capsys, folder, "--games", 11_000, "-j", 2)
    assert "11,000 games each" in alone
    assert all(name in alone for name in CLASS)
    assert "disqualified" not in alone
    assert alone != table(capsys, folder, "--games", 11_000, "--seed", 2)


@pytest.mark.slow
def test_who_fails_is_disqualified_and_the_rest_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = written(
        tmp_path / "class", {"good": "(define my-strategy stop-at-17)"} | {n: t for n, (t, _) in OUT.items()}
    )
    printed = table(capsys, folder, "--games", 6_000, "--limit", 1)
    for name, (_, reason) in OUT.items():
        assert f"disqualified: {name}: {reason}" in printed
    assert "    1  good " in printed
    assert "disqualified: good" not in printed


def test_until_sure_and_what_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = written(tmp_path / "class", {n: f"(define my-strategy (stop-at {n}))" for n in ("12", "21")})
    board, picture = tmp_path / "board.json", tmp_path / "table.svg"
    printed = table(capsys, folder, "--until-sure", "--leaderboard", board, "--svg", picture)
    assert "ahead by" in printed
    assert "\n    2  21 " in printed
    assert picture.read_text().startswith("<svg")
    assert [entry["name"] for entry in json.loads(board.read_text())["12"]] == [
        "place",
        "gain per game",
        "games won (%)",
    ]
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/t.txt").write_text("; minischeme: load 12.scm\n> (+ 1 1)\n2\n")
    arguments = [str(folder / "12.scm"), "--tests", str(tmp_path / "tests"), "--format", "gradescope"]
    assert grade([*arguments, "--leaderboard", str(board)]) == 0
    assert json.loads(capsys.readouterr().out)["leaderboard"][0] == {"name": "place", "value": 1, "order": "asc"}


def test_nobody_can_play(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.scm").write_text("(define x 1)")
    assert tournament([str(tmp_path / "a.scm")]) == 1
    assert capsys.readouterr().out == "disqualified: a: unbound variable: my-strategy\n"


def test_no_such_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tournament([str(tmp_path / "b.scm")]) == 1
    assert capsys.readouterr().out == "disqualified: b: it has no file that can be read\n"


# Workers


def work(marks: Path, number: int) -> int:
    """A number's square; the worker that first gets 3 is killed."""
    if number == 3 and not marks.exists():
        marks.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def test_a_worker_that_is_killed_changes_nothing(tmp_path: Path) -> None:
    with Team(2) as team:
        assert list(team.map(partial(work, tmp_path / "mark"), range(12))) == [number**2 for number in range(12)]
    assert (tmp_path / "mark").exists()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None, silence_logs=50) as made:
        yield made


@pytest.mark.slow
def test_a_cluster(cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = written(tmp_path / "class", CLASS)
    by_cluster = table(capsys, folder, "--games", 11_000, "--cluster", cluster.scheduler_address)
    assert by_cluster == table(capsys, folder, "--games", 11_000)


@pytest.mark.slow
def test_a_worker_of_a_cluster_that_is_killed_changes_nothing(
    cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker is killed when the first of seven chunks has come back; it has others then."""
    killed: list[int] = []

    class Killing(ProgressBar):
        def show(self, done: int) -> None:
            if not killed:
                killed.append(next(iter(cluster.workers.values())).pid)
                os.kill(killed[0], signal.SIGKILL)

    folder = written(tmp_path / "class", {name: CLASS[name] for name in ("fifteen", "memory")})
    alone = table(capsys, folder, "--games", 33_000)
    monkeypatch.setattr("minischeme.cli.tournament.ProgressBar", Killing)
    assert table(capsys, folder, "--games", 33_000, "--cluster", cluster.scheduler_address) == alone
    assert len(killed) == 1


# The transcript


@pytest.mark.slow
def test_the_transcript(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SOLUTIONS.parent / "tournament")
    interactions = re.findall(r"(?m)^\$ minischeme tournament (.*)\n((?:(?!\$ ).*\n)*)", Path("class.txt").read_text())
    assert len(interactions) == 2
    for arguments, expected in interactions:
        assert table(capsys, *shlex.split(arguments)) == expected.partition("\n\n\n")[0].rstrip() + "\n"
