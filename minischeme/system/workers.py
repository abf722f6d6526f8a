"""Worker processes, forked from this one: they have all of its state, and answer with what can be pickled.

Their work is defined by `primitives.tallies`. An executor of `concurrent.futures` would wait for running calls after
Ctrl-C or a time limit, keep threads in this process, which then could not be forked, and outlive it if it is killed.
"""

import gc
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from minischeme.data.errors import SchemeError

T = TypeVar("T")

_NUMBER = 8  # bytes of a number in a pipe


def can_fork() -> bool:
    """Whether this process can be forked: not on Windows, nor while other threads run, which a copy lacks."""
    return hasattr(os, "fork") and threading.active_count() == 1


def answers(work: Callable[[int], T], count: int, workers: int) -> Generator[tuple[int, T], None, None]:
    """Each number below `count` with the answer of `work`, in order of arrival; a `SchemeError` if a worker dies.

    An iterator that is left before its end must be closed, which ends the workers, as does the end of this process.
    """
    context = get_context("fork")
    team = {}
    # The pipe holds one number, the next to be worked on: its reader puts back the number after it.
    numbers = os.pipe()
    try:
        with _undisturbed() as signals:
            os.write(numbers[1], bytes(_NUMBER))
            for _ in range(workers):
                receiver, sender = context.Pipe(duplex=False)
                process = context.Process(target=_serve, args=(work, count, numbers, sender, signals), daemon=True)
                process.start()
                sender.close()
                team[receiver] = process
        while team:
            for connection in wait(list(team)):
                assert isinstance(connection, Connection)
                try:
                    answer = connection.recv()
                except EOFError:
                    with _undisturbed():
                        process = team.pop(connection)
                        connection.close()
                        process.join()
                    if process.exitcode:  # None if another waiter has collected the exit code
                        raise SchemeError("parallel-tally: a worker process has died") from None
                else:
                    yield answer
    finally:
        with _undisturbed():
            for connection, process in team.items():
                process.kill()
                process.join()
                connection.close()
            for descriptor in numbers:
                os.close(descriptor)


def _serve(
    work: Callable[[int], T],
    count: int,
    numbers: tuple[int, int],
    connection: "Connection[tuple[int, T], Any]",
    signals: set[signal.Signals],
) -> None:
    gc.freeze()  # existing objects stay shared with the other processes
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process ends this one
    signal.pthread_sigmask(signal.SIG_SETMASK, signals)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    threading.Thread(target=_outlive_nobody, daemon=True).start()
    source, target = numbers
    while (number := int.from_bytes(os.read(source, _NUMBER))) < count:
        os.write(target, (number + 1).to_bytes(_NUMBER))
        connection.send((number, work(number)))
    os.write(target, number.to_bytes(_NUMBER))


def _outlive_nobody() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


@contextmanager
def _undisturbed() -> Iterator[set[signal.Signals]]:
    """A scope in which Ctrl-C and the alarm clock are blocked; the value is the set of signals blocked before."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGALRM})
    try:
        yield {signal.Signals(number) for number in before}
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
