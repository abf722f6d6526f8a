"""Worker processes, forked from this one: they know all that it knows, and answer with bytes.

Leaves what the work is to `primitives.tallies`.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, Pipe, wait
from typing import NoReturn

from minischeme.data.errors import SchemeError

_NUMBER = 8
"""Bytes of a number in a pipe."""


def can_fork() -> bool:
    """Whether this process can be forked: not on Windows, and not while it has other threads, which would be missing in
    the copy, with whatever they hold."""
    return hasattr(os, "fork") and threading.active_count() == 1


def answers(work: Callable[[int], bytes], count: int, workers: int) -> Generator[tuple[int, bytes], None, None]:
    """Each number below `count` with the answer of `work`, in the order in which they come.

    Whoever leaves the iterator before its end must close it: that ends the workers. They also end when this process
    does, however it ends.

    Raises: SchemeError if a worker dies.
    """
    with _Workers(work, count, workers) as team:
        while team.processes:
            for connection in wait(list(team.processes)):
                assert isinstance(connection, Connection)
                try:
                    answer = connection.recv_bytes()
                except EOFError:
                    team.leave(connection)
                else:
                    yield int.from_bytes(answer[:_NUMBER]), answer[_NUMBER:]


class _Workers:
    """The processes, while they are needed.

    `processes` are the ids of those at work, by the connection that they answer on.
    """

    def __init__(self, work: Callable[[int], bytes], count: int, workers: int) -> None:
        self._work = work
        self._count = count
        self._workers = workers
        self.processes: dict[Connection[bytes, bytes], int] = {}

    def __enter__(self) -> _Workers:
        with _undisturbed() as signals:
            # The pipe holds one number, the next to be worked on: who has read it puts back the one after it.
            self._numbers = os.pipe()
            os.write(self._numbers[1], bytes(_NUMBER))
            # Nothing is ever written here: it ends when nobody could write any more.
            self._life = os.pipe()
            try:
                for _ in range(self._workers):
                    self._start(signals)
            except BaseException:
                self._end()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        with _undisturbed():
            self._end()

    def leave(self, connection: Connection[bytes, bytes]) -> None:
        """See to the end of a worker that answers no more.

        Raises: SchemeError if it was not done.
        """
        with _undisturbed():
            process = self.processes.pop(connection)
            connection.close()
            status = _wait_for(process)
        if status != 0:
            raise SchemeError("parallel-tally: a worker process has died")

    def _start(self, signals: set[signal.Signals]) -> None:
        receiver, sender = Pipe(duplex=False)
        process = os.fork()
        if process == 0:
            self._serve(sender, signals)
        sender.close()
        self.processes[receiver] = process

    def _serve(self, connection: Connection[bytes, bytes], signals: set[signal.Signals]) -> NoReturn:
        status = 1
        try:
            gc.freeze()  # what there is stays shared with the other processes
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that has started this one stops it
            signal.pthread_sigmask(signal.SIG_SETMASK, signals)
            nothing = os.open(os.devnull, os.O_RDWR)
            for standard in range(3):
                os.dup2(nothing, standard)
            os.close(self._life[1])
            threading.Thread(target=self._outlive_nobody, daemon=True).start()
            while (number := self._next_number()) < self._count:
                connection.send_bytes(number.to_bytes(_NUMBER) + self._work(number))
            status = 0
        finally:
            os._exit(status)

    def _outlive_nobody(self) -> None:
        os.read(self._life[0], 1)
        os._exit(1)

    def _next_number(self) -> int:
        source, target = self._numbers
        number = int.from_bytes(os.read(source, _NUMBER))
        os.write(target, (number + 1).to_bytes(_NUMBER))
        return number

    def _end(self) -> None:
        for connection, process in self.processes.items():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
            _wait_for(process)
            connection.close()
        self.processes.clear()
        for descriptor in (*self._numbers, *self._life):
            os.close(descriptor)


def _wait_for(process: int) -> int:
    """The status with which a child process ends, 0 if somebody else has waited for it."""
    try:
        return os.waitpid(process, 0)[1]
    except ChildProcessError:
        return 0


@contextmanager
def _undisturbed() -> Iterator[set[signal.Signals]]:
    """Hold back Ctrl-C and the alarm clock inside the ``with``; gives the signals that were held back before."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGALRM})
    try:
        yield {signal.Signals(number) for number in before}
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
