"""`parallel-tally`: the same comes out of any number of processes, whatever happens to them."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from math import sqrt
from pathlib import Path

import pytest
from sessions import error_of
from tables import SOLUTIONS, table
from terminals import Terminal

from minischeme import SchemeError, Session
from minischeme.data.errors import SchemeExit
from minischeme.system import workers
from minischeme.system.workers import answers, can_fork

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no worker processes")

PATIENCE = 20.0
"""Seconds to wait for what must come."""


def value(program: str, jobs: int, seed: int = 3) -> tuple[str, str]:
    """The value of a program as text, and what it printed."""
    output = io.StringIO()
    session = Session(seed=seed, output=output)
    session.context.jobs = jobs
    return session.prompt.written(session.eval(program)), output.getvalue()


@pytest.fixture
def forks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The ids of the processes that are forked."""
    started: list[int] = []
    fork = os.fork

    def noted() -> int:
        process = fork()
        if process:
            started.append(process)
        return process

    monkeypatch.setattr(os, "fork", noted)
    return started


# What comes out


@needs_fork
def test_the_number_of_processes_makes_no_difference(forks: list[int]) -> None:
    program = """
        (define (dice) (+ (random 6) (random 6) 2))
        (define tally (parallel-tally dice 2345))
        (list tally (random 1000000))
    """
    alone = value(program, 1)
    assert not forks
    assert [value(program, jobs) for jobs in (2, 3, 8)] == [alone] * 3
    assert len(forks) == 2 + 3 + 8
    assert value(program, 2, seed=4) != alone


@needs_fork
def test_few_calls_start_no_processes(forks: list[int]) -> None:
    assert value("(parallel-tally (lambda () 'a) 999)", 2)[0] == "((a . 999))"
    assert not forks
    value("(parallel-tally (lambda () 'a) 1000)", 2)
    assert len(forks) == 2


def test_the_tally() -> None:
    session = Session(seed=1, output=io.StringIO())
    tally = [(pair.car, pair.cdr) for pair in session.eval("(parallel-tally (lambda () (random 6)) 6000)")]
    assert sorted(result for result, _ in tally) == list(range(6))
    counts = [count for _, count in tally]
    assert sum(counts) == 6000
    assert counts == sorted(counts, reverse=True)
    assert all(abs(count - 1000) < 4.5 * sqrt(6000 * 5 / 36) for count in counts)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("count", [0, 1, 99, 100, 101, 999, 1000, 1001])
def test_every_count(count: int, jobs: int) -> None:
    expected = f"((a . {count}))" if count else "()"
    assert value(f"(parallel-tally (lambda () 'a) {count})", jobs)[0] == expected


@pytest.mark.parametrize(
    "result",
    [
        "-1/3",
        "2.5",
        "+nan.0",
        '"10h"',
        "|A b|",
        "#\\space",
        "#t",
        "()",
        '(a (b . 2) #(1 #u8(2)) "")',
        "123456789012345678901234567890",
    ],
)
def test_data_comes_back_as_it_was(result: str) -> None:
    for jobs in (1, 2):
        assert value(f"(parallel-tally (lambda () '{result}) 1000)", jobs)[0] == f"(({result} . 1000))"


def test_circular_data_comes_back() -> None:
    program = "(map cdr (parallel-tally (lambda () (if (= (random 2) 0) '#0=(a . #0#) '#1=(b . #1#))) 9))"
    counts = value(program, 1)[0].strip("()").split()
    assert len(counts) == 2
    assert sum(map(int, counts)) == 9


def test_results_that_differ_in_type_are_counted_apart() -> None:
    program = '(sort (map cdr (parallel-tally (lambda () (item (+ 1 (random 3)) \'(5 "5" 5.))) 1200)) <)'
    counts = value(program, 2)[0]
    assert len(counts.split()) == 3


@needs_fork
def test_what_is_printed_is_printed_in_order(forks: list[int]) -> None:
    program = '(define (f) (display (random 10)) 1) (display ">") (parallel-tally f 1500)'
    assert value(program, 3) == value(program, 1)
    assert forks


@needs_fork
def test_a_file_gets_what_all_have_written(tmp_path: Path) -> None:
    path = tmp_path / "log"
    value(
        f'(define port (open-output-file "{path}")) (display "start " port)'
        '(parallel-tally (lambda () (display "x" port) 1) 1000) (close-port port)',
        2,
    )
    text = path.read_text()
    assert text.startswith("start ")
    assert len(text) == 1006


def test_games_inside_games() -> None:
    program = """
        (define (best) (caar (parallel-tally (lambda () (random 3)) 50)))
        (parallel-tally best 1000)
    """
    assert value(program, 2) == value(program, 1)


def test_a_game_may_go_back_into_itself() -> None:
    program = """
        (define (game)
          (let* ((k #f) (times 0) (again (call/cc (lambda (here) (set! k here) 'first))))
            (set! times (+ times 1))
            (if (< times 3) (k 'again) (list again times))))
        (parallel-tally game 1000)
    """
    for jobs in (1, 2):
        assert value(program, jobs)[0] == "(((again 3) . 1000))"


@needs_fork
def test_recursion_is_as_deep_as_elsewhere() -> None:
    program = """
        (define (deep n) (if (= n 0) 0 (+ 1 (deep (- n 1)))))
        (define played 0)
        (parallel-tally (lambda () (set! played (+ played 1)) (if (= 1 (remainder played 100)) (deep 150000) 0)) 1000)
    """
    assert value(program, 2)[0] == "((0 . 990) (150000 . 10))"


# Errors and other ways out


def failure(call: str, jobs: int) -> SchemeError:
    with pytest.raises(SchemeError) as caught:
        value(call, jobs)
    return caught.value


UNLUCKY = "(define (unlucky) (if (= (random 700) 1) {} 'fine)) (parallel-tally unlucky 3000)"


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_an_error_has_its_place_and_ends_all(jobs: int, request: pytest.FixtureRequest) -> None:
    forks = request.getfixturevalue("forks") if jobs > 1 and hasattr(os, "fork") else []
    error = failure(UNLUCKY.format("(car (random 1000))"), jobs)
    assert str(error) == str(failure(UNLUCKY.format("(car (random 1000))"), 1))
    assert str(error).startswith("car: wrong type of argument: ")
    assert error.span is not None
    assert error.span.text == "(random 1000)"
    assert [activation.name for activation in error.activations] == ["unlucky"]
    assert not any(map(is_running, forks))


@pytest.mark.parametrize("jobs", [1, 2])
def test_other_ways_out(jobs: int) -> None:
    assert value("(call/cc (lambda (return) " + UNLUCKY.format("(return 'out)") + "))", jobs)[0] == "out"
    assert (
        value("(guard (e (#t (list 'caught e))) " + UNLUCKY.format("(raise 'oops)") + ")", jobs)[0] == "(caught oops)"
    )
    handled = (
        "(with-exception-handler (lambda (e) 'bad) (lambda () " + UNLUCKY.format("(raise-continuable 'oops)") + "))"
    )
    assert value(f"(map car {handled})", jobs)[0] == "(fine bad)"
    with pytest.raises(SchemeExit) as left:
        value(UNLUCKY.format("(exit 7)"), jobs)
    assert left.value.status == 7


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("(parallel-tally (lambda () car) 2000)", "parallel-tally: this result is no data that can be counted: #["),
        (
            "(parallel-tally (lambda () (if #f #f)) 5)",
            "parallel-tally: this result is no data that can be counted: okay",
        ),
        ("(parallel-tally 'game 5)", "parallel-tally: not a procedure: game"),
        ("(parallel-tally random 5)", "too few arguments to: "),
        ("(parallel-tally list -5)", "parallel-tally: bad index: -5"),
        ("(parallel-tally random 5 'report)", "parallel-tally: not a procedure: report"),
    ],
)
def test_wrong_arguments_and_results(call: str, message: str) -> None:
    for jobs in (1, 2):
        assert str(failure(call, jobs)).startswith(message)


@needs_fork
def test_after_an_error_there_are_random_numbers_as_before() -> None:
    after = []
    for jobs in (1, 2):
        session = Session(seed=3, output=io.StringIO())
        session.context.jobs = jobs
        with pytest.raises(SchemeError):
            session.eval(UNLUCKY.format("(car 5)"))
        after.append(session.eval("(random 1000000)"))
    assert after[0] == after[1]


@needs_fork
def test_traced_games_stay_in_the_session(forks: list[int]) -> None:
    _, printed = value("(define (game) 'a) (trace game) (parallel-tally game 1000)", 2)
    assert printed.count("game returns a") == 1000
    assert not forks


# Workers


def is_running(process: int) -> bool:
    """Whether a process is there, and not only its entry in a list that nobody reads."""
    shown = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False)
    return shown.stdout.strip()[:1] not in ("", "Z")


def children(process: int) -> list[int]:
    shown = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True)
    rows = [tuple(map(int, line.split())) for line in shown.stdout.splitlines()]
    return [child for child, parent in rows if parent == process]


def wait_until(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@needs_fork
def test_workers_answer_once_for_each_number(forks: list[int]) -> None:
    found = dict(answers(lambda number: b"x" * number * 1000, 200, 3))
    assert {number: len(answer) for number, answer in found.items()} == {number: number * 1000 for number in range(200)}
    assert len(forks) == 3
    assert not any(map(is_running, forks))


@needs_fork
def test_who_leaves_ends_the_workers(forks: list[int]) -> None:
    def work(number: int) -> bytes:
        if number > 3:
            time.sleep(60)
        return b"done"

    with closing(answers(work, 100, 2)) as arriving:
        assert next(arriving)[1] == b"done"
    assert not any(map(is_running, forks))


@needs_fork
def test_a_worker_that_dies_is_noticed(forks: list[int]) -> None:
    def work(number: int) -> bytes:
        if number == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        return b""

    with pytest.raises(SchemeError, match="a worker process has died"):
        dict(answers(work, 100, 2))
    assert not any(map(is_running, forks))


ENDLESS = "(parallel-tally (lambda () (if (= 1 (random 5000)) (let loop () (loop)) 'fine)) 100000000)"


@pytest.fixture
def endless(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """minischeme as it plays without end, by three processes, as the leader of a group."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    arguments = ["--seed", "1", "--jobs", "3", "-e", ENDLESS]
    with subprocess.Popen(
        [sys.executable, "-m", "minischeme", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=environment,
        start_new_session=True,
    ) as process:
        try:
            wait_until(lambda: len(children(process.pid)) == 3)
            yield process
        finally:
            process.kill()


@needs_fork
def test_control_c_ends_all_processes(endless: subprocess.Popen[str]) -> None:
    workers = children(endless.pid)
    time.sleep(0.3)
    os.killpg(endless.pid, signal.SIGINT)
    output, errors = endless.communicate(timeout=PATIENCE)
    assert endless.returncode == 130
    assert output == ""
    assert errors.startswith("minischeme: interrupted after ")
    assert errors.endswith(" of 100,000,000 calls\n")
    assert not any(map(is_running, workers))


@needs_fork
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nobody_outlives_the_session(endless: subprocess.Popen[str], number: signal.Signals) -> None:
    workers = children(endless.pid)
    endless.send_signal(number)
    endless.wait(PATIENCE)
    wait_until(lambda: not any(map(is_running, workers)))


# Reports of games


@pytest.mark.slow
@needs_fork
def test_a_report_of_many_games(forks: list[int]) -> None:
    games = 4000
    session = Session(seed=8, output=io.StringIO())
    session.context.jobs = 2
    session.load(SOLUTIONS / "twenty-one.scm")
    session.eval('(load "strategy-lab.scm")')
    (interaction,) = session.interact(f"(play-report (stop-at 15) {games})")
    report = {line.split()[0]: line.split()[1] for line in interaction.output.splitlines()[:-1]}
    (row,) = [row for row in table("ev_cs61a") if (row["deck"], row["strategy"]) == ("52", "stop-at 15")]
    assert len(forks) == 2
    assert report["games"] == str(games)
    assert abs(float(report["mean"]) - float(row["ev"])) < 4.5 * float(row["sd_per_game"]) / sqrt(games)
    share = float(row["p_bust"])
    assert abs(int(report["busts"]) - games * share) < 4.5 * sqrt(games * share * (1 - share))


@pytest.mark.slow
@needs_fork
def test_control_c_shows_what_was_played(tmp_path: Path) -> None:
    (tmp_path / "game.scm").write_text(
        """
        (define (best-total hand) 17)
        (define (twenty-one strategy)
          (let loop ((n 1000)) (if (> n 0) (loop (- n 1)) (- (random 3) 1))))
        """
    )
    terminal = Terminal(tmp_path, "-i", "-l", "game.scm", "-l", "strategy-lab.scm", "--jobs", "2", "--seed", "4")
    terminal.wait_for(">")
    terminal.send("(play-report (lambda (h u) #f) 5000000)\r")
    terminal.wait(lambda lines: any("/5000000" in line for line in lines))  # the bar
    workers = children(terminal.process.pid)
    assert len(workers) == 2
    terminal.send("\x03")
    lines = terminal.wait(lambda lines: lines[-1] == ">" and any("*** Error" in line for line in lines))
    assert not any(map(is_running, workers))
    assert not any("/5000000" in line for line in lines)
    (played,) = [int(line.split()[1]) for line in lines if line.startswith("games")]
    assert 0 < played < 5_000_000
    assert f"    interrupted after {played:,} of 5,000,000 calls" in lines
    terminal.send("(+ 1 2)\r")
    terminal.wait_for("> (+ 1 2)", "3", ">")
    terminal.process.terminate(force=True)


@needs_fork
def test_calls_are_counted_that_have_returned_while_an_earlier_one_has_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(work: Callable[[int], bytes], count: int, processes: int) -> Iterator[tuple[int, bytes]]:
        """All answers but one: with this seed one of the first hundred calls takes long, and of the others none."""
        with closing(answers(work, count, processes)) as arriving:
            yield from islice(arriving, count - 1)
        raise KeyboardInterrupt

    monkeypatch.setattr(workers, "answers", interrupted)
    session = Session(seed=21, output=io.StringIO())
    session.context.jobs = 2
    assert can_fork()
    play = "(lambda () (if (= 0 (random 1000)) (do ((i 0 (+ i 1))) ((= i 50000000) 'fine)) 'fine))"
    with pytest.raises(KeyboardInterrupt, match="after 900 of 1,000 calls"):
        session.eval(f"(define seen 'nothing) (parallel-tally {play} 1000 (lambda (so-far) (set! seen so-far)))")
    assert session.prompt.written(session.eval("seen")) == "((fine . 900))"


# The command


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "minischeme", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60)


def test_the_option() -> None:
    tally = "(parallel-tally (lambda () (random 4)) 3000)"
    outputs = {run("--seed", "5", *jobs, "-e", tally).stdout for jobs in ([], ["--jobs", "3"])}
    assert len(outputs) == 1
    assert outputs.pop().startswith("((")
    assert "--jobs N" in run("--help").stdout
    refused = run("--jobs", "0", "-e", "1")
    assert refused.returncode == 2
    assert "--jobs" in refused.stderr


def test_it_is_a_procedure_of_the_berkeley_dialect() -> None:
    (shown,) = Session(output=io.StringIO()).interact("(procedure? parallel-tally)")
    assert shown.output == "#t\n"
    assert str(error_of("parallel-tally", dialect="r7rs")) == "unbound variable: parallel-tally"
