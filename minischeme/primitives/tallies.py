"""`parallel-tally`: a count of the random results of a procedure that is called very often, by several processes."""

import io
import sys
from collections import Counter
from collections.abc import Generator
from contextlib import closing, suppress

from minischeme.data.errors import ReadError, SchemeError
from minischeme.data.printer import write
from minischeme.data.source import Source
from minischeme.data.values import Boolean, Pair, Symbol, Value, list_of
from minischeme.data.values import Procedure as ProcedureType
from minischeme.primitives.equivalence import equal_standard
from minischeme.primitives.kinds import Index, Procedure, as_index, check_procedure
from minischeme.primitives.registry import primitive
from minischeme.primitives.tracing import CallTracing
from minischeme.reading.reader import read
from minischeme.runtime.context import Context, ContinuationStack
from minischeme.runtime.tail_calls import TailCall
from minischeme.system.progress import ProgressBar

CHUNK = 100
"""The calls that share a seed. Results depend on it, so it must not depend on the number of processes."""

FEWEST = 1_000
"""The fewest calls that are worth the start of processes."""

_ATOMS = frozenset({int, float, Symbol, Boolean})
"""The types of the most frequent results; all of their values can be written and read."""


@primitive("parallel-tally", dialect="berkeley", example="(parallel-tally (lambda () (* 6 7)) 1000) → ((42 . 1000))")
def parallel_tally(
    play: Procedure,
    n: Index,
    when_stopped: Procedure = None,
    *,
    context: Context,
    continuations: ContinuationStack,
    tracer: CallTracing,
    tail: TailCall,
) -> Value:
    """Call play n times; a list of pairs of a result and how often it came, the most frequent first.

    The results must be data: numbers, words, lists of them. From 1000 calls on they are made by `Context.jobs`
    processes, in any order; each has a copy of all that play uses, so what play changes is gone in the end. What it
    prints is printed in order. The result for a seed does not depend on the number of processes.

    After Ctrl-C, when-stopped is called with what came out so far; then the program is interrupted, as always.
    """
    check_procedure(play)
    if when_stopped is not None:
        check_procedure(when_stopped)
    tally = _Tally(play, as_index(n), context, continuations, tail)
    output, usual = context.console.output, context.chance.random
    try:
        tally.run(may_fork=not tracer.names())  # a trace should be seen as it happens
    except KeyboardInterrupt as interrupt:
        context.chance.random = usual
        tally.count_waiting()
        wiped = tally.bar.hide()
        if context.console.input.echoes and not wiped and not interrupt.args:
            output.column += len("^C")
        output.fresh_line()
        if when_stopped is not None:
            tail.call(when_stopped, (tally.result(),))
        played = f"after {tally.total.total():,} of {tally.count:,} calls"
        raise KeyboardInterrupt(", ".join([played, *interrupt.args])) from None
    finally:
        context.chance.random = usual
        tally.bar.hide()
    return tally.result()


_Answer = tuple[dict[str, int] | None, str]
"""A worker's answer for some calls: how often each result came, None if they are to be made here; and the output."""


class _Tally:
    """The state of one call of `parallel-tally`: `total` counts the results by the text that `write` gives them."""

    def __init__(
        self, play: ProcedureType, count: int, context: Context, continuations: ContinuationStack, tail: TailCall
    ) -> None:
        self._play = play
        self.count = count
        self._context = context
        self._console = context.console
        self._continuations = continuations
        self._tail = tail
        self._seed = context.chance.random.getrandbits(64)
        self._chunks = -(-count // CHUNK)
        self._waiting: dict[int, _Answer] = {}
        self.total: Counter[str] = Counter()
        self.bar = ProgressBar(count)

    def result(self) -> Value:
        counted = self.total.most_common()
        results = self._read("\n".join(text for text, _ in counted))
        return list_of([Pair(result, times) for result, (_, times) in zip(results, counted, strict=True)])

    def run(self, *, may_fork: bool) -> None:
        """Make all calls, in other processes if they may be forked."""
        done = next_number = 0
        with closing(self._arriving(may_fork)) as arriving:
            for arrived, answer in arriving:
                self._waiting[arrived] = answer
                done += self._size(arrived)
                while next_number in self._waiting:
                    tally, output = self._waiting.pop(next_number)
                    if tally is None:  # an error, an exit or a continuation, too, can't leave a worker
                        self._play_chunk(next_number, self.total)
                    else:
                        if output:
                            self.bar.hide()
                            self._console.output.write(output)
                        self.total.update(tally)
                    next_number += 1
                self.bar.show(done)

    def _arriving(self, may_fork: bool) -> Generator[tuple[int, _Answer], None, None]:
        # Who has taken over the screen may go on to use it.
        if may_fork and self._context.jobs > 1 and self.count >= FEWEST and self._console.terminal is None:
            from minischeme.system.workers import answers, can_fork  # only here, since few programs need it

            if can_fork():
                for stream in (self._console.output, *self._console.files, sys.stdout, sys.stderr):
                    if hasattr(stream, "flush"):
                        stream.flush()  # or each process would write what is held back
                return answers(self._answer, self._chunks, min(self._context.jobs, self._chunks))
        return ((number, (None, "")) for number in range(self._chunks))

    def count_waiting(self) -> None:
        """Count what workers have answered, though an answer before it is missing."""
        for number in sorted(self._waiting):
            self.total.update(self._waiting.pop(number)[0] or {})

    def _answer(self, number: int) -> _Answer:
        """Play a chunk in a worker."""
        console, dynamic = self._console, self._context.dynamic
        self._context.jobs = 1
        console.input.readline = sys.exit  # which has the calls made again where there is input
        console.output.copy = None
        console.output.column = 0
        console.output.stream = printed = io.StringIO()
        in_force = dynamic.handlers, dynamic.winds
        tally: Counter[str] = Counter()
        try:
            self._play_chunk(number, tally)
            answer: _Answer = tally, printed.getvalue()
        except BaseException:
            answer = None, ""
            dynamic.handlers, dynamic.winds = in_force
            self._tail.forget()
        for port in console.files:
            if hasattr(port, "flush"):
                port.flush()
        return answer

    def _size(self, number: int) -> int:
        return min(CHUNK, self.count - number * CHUNK)

    def _play_chunk(self, number: int, tally: Counter[str]) -> None:
        continuations, tail, play = self._continuations, self._tail, self._play
        self._context.chance.begin(lambda: f"{self._seed} {number}")
        # A continuation can go back into the call that it was made in, not into one that is over.
        with continuations.reader_scope():
            for _ in range(self._size(number)):
                result = continuations.run_toplevel(tail.call, play, ())
                text = write(result)
                if text not in tally and type(result) not in _ATOMS:
                    self._check(result, text)
                tally[text] += 1

    def _check(self, result: Value, text: str) -> None:
        """Raise a SchemeError if a result can't be read back from its text."""
        with suppress(ReadError):
            back = self._read(text)
            if len(back) == 1 and equal_standard(back[0], result):
                return
        raise SchemeError("parallel-tally: this result is no data that can be counted:", result)

    def _read(self, text: str) -> list[Value]:
        forms = read(Source(text, "<parallel-tally>"), fold_case=self._console.dialect == "berkeley")
        return [form.datum for form in forms]
