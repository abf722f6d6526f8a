"""Worker processes, forked from this one: they know all that it knows, and answer with bytes.

Leaves what the work is to `primitives.tallies`.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait

from minischeme.data.errors import SchemeError

_NUMBER = 8  # bytes of a number in a pipe


def can_fork() -> bool:
    """Whether this process can be forked: not on Windows, and not while it has other threads, which would be missing in
    the copy, with whatever they hold."""
    return hasattr(os, "fork") and threading.active_count() == 1


def answers(work: Callable[[int], bytes], count: int, workers: int) -> Generator[tuple[int, bytes], None, None]:
    """Each number below `count` with the answer of `work`, in the order in which they come; an error if a worker dies.

    Whoever leaves the iterator before its end must close it, which ends the workers, as does the end of this process.
    """
    context = get_context("fork")
    team = {}
    # The pipe holds one number, the next to be worked on: who has read it puts back the one after it.
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
                    answer = connection.recv_bytes()
                except EOFError:
                    with _undisturbed():
                        process = team.pop(connection)
                        connection.close()
                        process.join()
                    if process.exitcode:  # None if somebody else has waited for it
                        raise SchemeError("parallel-tally: a worker process has died") from None
                else:
                    yield int.from_bytes(answer[:_NUMBER]), answer[_NUMBER:]
    finally:
        with _undisturbed():
            for connection, process in team.items():
                process.kill()
                process.join()
                connection.close()
            for descriptor in numbers:
                os.close(descriptor)


def _serve(
    work: Callable[[int], bytes],
    count: int,
    numbers: tuple[int, int],
    connection: Connection[bytes, bytes],
    signals: set[signal.Signals],
) -> None:
    gc.freeze()  # what there is stays shared with the other processes
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that has started this one stops it
    signal.pthread_sigmask(signal.SIG_SETMASK, signals)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    threading.Thread(target=_outlive_nobody, daemon=True).start()
    source, target = numbers
    while (number := int.from_bytes(os.read(source, _NUMBER))) < count:
        os.write(target, (number + 1).to_bytes(_NUMBER))
        connection.send_bytes(number.to_bytes(_NUMBER) + work(number))
    os.write(target, number.to_bytes(_NUMBER))


def _outlive_nobody() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


@contextmanager
def _undisturbed() -> Iterator[set[signal.Signals]]:
    """Hold back Ctrl-C and the alarm clock inside the ``with``; gives the signals that were held back before."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGALRM})
    try:
        yield {signal.Signals(number) for number in before}
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
