"""Tournaments of strangers' strategies. A student's process is only asked what it would do; the cards are dealt here.

What it answers is its strategy, whatever it does to find the answer: it has no deck that it could read or change.
"""

import os
import re
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from itertools import islice
from multiprocessing import get_context, parent_process
from multiprocessing.util import Finalize
from typing import TypeVar

import msgspec

from minischeme.data.errors import SchemeError
from minischeme.data.values import String
from minischeme.grading.judge import write_files
from minischeme.grading.sandbox import SandboxEvaluator, process_sandbox
from minischeme.grading.workers import Workers
from minischeme.odds.customer import value_of_card
from minischeme.odds.tournament import AnswerTable, AskedPlayer, Player, Question, TablePlayer, Tally, play
from minischeme.transcripts.console import ReplayConsole
from minischeme.transcripts.evaluator import Limit, LoadError, Typed

T = TypeVar("T")
R = TypeVar("R")

_BATCH = 1_000  # questions that are asked at a time
_AHEAD = 20  # things for each process that are sent at a time
_MOST_DEATHS = 5  # of workers, before it is no accident
_one_at_a_time = threading.Lock()  # for the sandbox, where a worker of a cluster has several threads

_GUARD = """(define (tournament-refuses . ignored) (error "it deals cards or plays games of its own"))
(define make-deck tournament-refuses)
(define shuffle tournament-refuses)
(define twenty-one tournament-refuses)
(define (tournament-answer question)
  (if ({strategy} (car question) (cadr question)) 1 0))
(define tournament-deck '({deck}))"""
_INTACT = "(equal? (list make-deck shuffle twenty-one) (list tournament-refuses tournament-refuses tournament-refuses))"


class Entrant(msgspec.Struct, frozen=True):
    """A strategy, an expression to be evaluated behind a file, and its table of answers if it has one."""

    name: str
    file: str
    files: dict[str, bytes]
    strategy: str
    limit: float  # seconds for loading, and for some questions
    table: AnswerTable | None = None
    reason: str = ""  # why it is disqualified


class Chunk(msgspec.Struct, frozen=True):
    """Games to be played."""

    seed: int
    number: int
    count: int
    entrants: list[Entrant]
    deck: list[str]


class _Disqualified(Exception):
    pass


class _Guest:
    """A session of a student's file in the sandbox."""

    def __init__(self, entrant: Entrant, deck: Sequence[str], seed: int) -> None:
        sandbox = process_sandbox()
        folder = sandbox.new_folder()
        write_files(folder, entrant.files)
        self._deck = deck
        self._limit = Limit(entrant.limit, f"after {entrant.limit:g} s (--limit)")
        self._evaluator = SandboxEvaluator(sandbox, ReplayConsole(), folder, seconds=600)
        self._evaluator.begin("berkeley", seed)
        try:
            self._evaluator.load(entrant.file, self._limit)
        except LoadError as error:
            raise _Disqualified(str(error)) from None
        self.value(_GUARD.format(strategy=entrant.strategy, deck=" ".join(deck)))

    def value(self, text: str) -> str:
        """The last line that is printed when a text is typed."""
        evaluation = self._evaluator.evaluate(Typed(text, ()), "> ", self._limit)
        if evaluation.stopped or evaluation.exited:
            raise _Disqualified(f"stopped {evaluation.stopped}" if evaluation.stopped else "it called exit")
        for output in evaluation.outputs:
            if output.error is not None:
                raise _Disqualified(str(output.error).partition("\n")[0])
        return evaluation.outputs[-1].text.rstrip().rpartition("\n")[2]

    def check(self) -> None:
        """Check that the game is as it was."""
        if self.value(_INTACT) != "#t":
            raise _Disqualified("it changes the game")

    def ask(self, questions: Sequence[Question]) -> list[bool]:
        answers: list[bool] = []
        for start in range(0, len(questions), _BATCH):
            batch = questions[start : start + _BATCH]
            hands = (f"(({' '.join(self._deck[card] for card in hand)}) {self._deck[up]})" for hand, up in batch)
            line = self.value(f"(map tournament-answer '({' '.join(hands)}))")
            if not re.fullmatch(r"\([01]( [01])*\)", line) or line.count(" ") != len(batch) - 1:
                raise _Disqualified("it does not answer")
            answers += (answer == "1" for answer in line[1:-1].split())
        return answers


def admitted(deck: list[str], entrant: Entrant) -> Entrant:
    """The entrant with its table, or with the reason why it can't play."""
    if entrant.reason:
        return entrant
    with _one_at_a_time:
        try:
            guest = _Guest(entrant, deck, 0)
            guest.ask([((0, 1), 2), ((0, 13), 2)])
            line = guest.value(f"(strategy-answers {entrant.strategy} best-total tournament-deck)")
            guest.check()
        except _Disqualified as error:
            return msgspec.structs.replace(entrant, reason=str(error))
    with suppress(msgspec.MsgspecError):
        return msgspec.structs.replace(entrant, table=msgspec.json.decode(line.strip('"'), type=AnswerTable))
    return entrant


def play_chunk(chunk: Chunk) -> tuple[Tally, dict[str, str]]:
    """The results of a chunk, and the reasons why players fail in it, by name."""
    failures: dict[str, str] = {}
    values = tuple(value_of_card(String(card)) for card in chunk.deck)
    players = [_player(entrant, chunk, failures) for entrant in chunk.entrants]
    with _one_at_a_time:
        return play(chunk.seed, chunk.number, chunk.count, players, values), failures


def _player(entrant: Entrant, chunk: Chunk, failures: dict[str, str]) -> Player:
    if entrant.table is not None:
        return TablePlayer(entrant.table)
    guests: list[_Guest] = []

    def ask(questions: Sequence[Question]) -> Sequence[bool]:
        if entrant.name in failures:
            return [False] * len(questions)
        try:
            if not guests:  # one for each chunk, so that what it remembers does not depend on other chunks
                guests.append(_Guest(entrant, chunk.deck, chunk.seed + chunk.number))
            answers = guests[0].ask(questions)
            guests[0].check()
            return answers
        except _Disqualified as error:
            failures[entrant.name] = str(error)
            return [False] * len(questions)

    return AskedPlayer(ask)


# Workers


def _begin_worker() -> None:
    """Leave Ctrl-C to the process that has started this one, and end when it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_outlive_nobody, daemon=True).start()
    Finalize(None, process_sandbox.cache_clear, exitpriority=0)  # which removes its folder


def _outlive_nobody() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


class Team:
    """Processes of this machine, unless one is enough, or the workers of a cluster."""

    def __init__(self, jobs: int, cluster: Workers | None = None) -> None:
        self._jobs = jobs
        self._cluster = cluster
        self._pool = self._local_pool() if cluster is None and jobs > 1 else None

    def _local_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._jobs, get_context("spawn"), _begin_worker)

    def __enter__(self) -> "Team":
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def map(self, work: Callable[[T], R], things: Iterable[T]) -> Iterator[R]:
        """The values of a function for some things, in order. The work of a worker that dies is done again."""
        executor, ahead = self._cluster or (self._pool, _AHEAD * self._jobs)
        left = iter(things)
        batch: list[T] = []
        deaths = 0
        while batch := batch or list(islice(left, ahead)):
            try:
                for result in map(work, batch[:]) if executor is None else executor.map(work, batch):
                    yield result
                    del batch[0]
            except BrokenProcessPool:
                deaths += 1
                if deaths > _MOST_DEATHS:
                    raise SchemeError("worker processes die again and again") from None
                executor = self._pool = self._local_pool()
