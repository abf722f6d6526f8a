"""The judge: a process that grades submissions one by one, and can be ended whatever a submission makes it do.

It runs the programs in the sandbox, and compares what they print with what the tests expect.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Set
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any

import msgspec

from minischeme.data.errors import SchemeError
from minischeme.grading.sandbox import Sandbox, SandboxEvaluator, process_sandbox, python_process
from minischeme.grading.submissions import Job, printable
from minischeme.transcripts.console import ReplayConsole
from minischeme.transcripts.document import TranscriptError
from minischeme.transcripts.evaluator import Evaluation, Limit, LoadError, Output, Typed
from minischeme.transcripts.files import opened_text
from minischeme.transcripts.outcomes import Outcome, Verdict
from minischeme.transcripts.questions import points_of
from minischeme.transcripts.replay import Settings

_SPARE = 30.0  # seconds for starting processes and comparing
_LONGEST_FEEDBACK = 4_000
_LONGEST_PROBLEM = 300


class QuestionResult(msgspec.Struct):
    """The result of a question of a test file."""

    test: str
    name: str
    points: float
    max_points: float
    visibility: str
    right: int  # interactions that give what they should
    count: int  # of all interactions
    feedback: str = ""
    after: str = ""  # the question that it builds on
    is_skipped: bool = False  # because of what it builds on

    @property
    def passed(self) -> bool:
        return self.right == self.count

    @property
    def title(self) -> str:
        return f"{self.test}: {self.name}"

    @property
    def score(self) -> str:
        return points_of(self.points, self.max_points)


class Result(msgspec.Struct):
    """The result of a submission; `error` is the reason if it could not be graded."""

    name: str
    questions: list[QuestionResult] = []
    problems: list[str] = []
    error: str = ""
    is_transient: bool = False  # whether the error is not the submission's
    sandbox: str = ""  # the layers in effect
    seconds: float = 0.0
    leaderboard: list[dict[str, Any]] = []  # entries for Gradescope

    @property
    def points(self) -> float:
        return round(sum(question.points for question in self.questions), 6)

    @property
    def max_points(self) -> float:
        return round(sum(question.max_points for question in self.questions), 6)


class GradedEvaluator(SandboxEvaluator):
    """An evaluator that goes on behind files that do not load, and does not take an exit for an end."""

    def __init__(self, job: Job, problems: list[str], *others: Any) -> None:
        super().__init__(*others)
        self.problems = problems
        self._limit = Limit(job.limit, f"after {job.limit:g} s, the limit for an interaction (--limit)")

    def load(self, name: str, limit: Limit) -> None:
        try:
            super().load(name, min(limit, self._limit))  # so that time is left for the interactions
        except LoadError as error:
            self.problems.append(str(error))

    def evaluate(self, typed: Typed, prompt: str, limit: Limit) -> Evaluation:
        evaluation = super().evaluate(typed, prompt, limit)
        if evaluation.exited and not typed.text.lstrip().startswith("(exit"):
            evaluation.exited = False
            evaluation.stopped = evaluation.stopped or "since it called exit"
        if typed.name != "<prompt>" and typed.text.startswith("(load"):  # in a Scheme file
            problem = evaluation.stopped or evaluation.outputs[-1].error
            self.problems += [f"{typed.text}: {problem}"] if problem else []
            return Evaluation([Output("")])
        return evaluation


def grade(job: Job, sandbox: Sandbox) -> Result:
    """Grade a submission by all tests; each test file has a process and a folder of its own."""
    began = time.monotonic()
    result = Result(job.name, problems=list(job.problems), sandbox=str(sandbox))
    if not job.files:
        result.error = "there is no file that can be read"
    if job.requires_sandbox and sandbox.missing:
        result.error, result.is_transient = f"{result.sandbox}, and all layers are required", True
    if result.error:
        return result
    for name in job.tests:
        result.questions += _results(job, name, sandbox, result.problems)
    result.seconds = round(time.monotonic() - began, 3)
    return result


def _results(job: Job, name: str, sandbox: Sandbox, problems: list[str]) -> Iterator[QuestionResult]:
    """The results of the questions of a test file; problems of loading are added to the list."""
    folder = sandbox.new_folder()
    write_files(folder, job.files)
    found: list[str] = []

    def evaluator(console: ReplayConsole, _folder: str, _find: object) -> GradedEvaluator:
        return GradedEvaluator(job, found, sandbox, console, folder, int(job.file_limit) + 1)

    text = job.tests[name]
    file = opened_text(text, Path(name), name, Settings(job.seed, job.limit, job.file_limit, evaluator=evaluator))
    outcomes: dict[int, Outcome] = {}
    try:
        outcomes |= {outcome.line: outcome for outcome in file.run()}
    except (TranscriptError, SchemeError) as error:
        found.append(str(error))
    problems += (printable(f"{name}: {problem}")[:_LONGEST_PROBLEM] for problem in found)
    for question in file.questions:
        own = {line for number, line in enumerate(text.splitlines(), 1) if file.questions.at(number) is question}
        feedback = (_feedback(name, line, outcomes.get(line), own) for line in question.verdicts)
        yield QuestionResult(
            name,
            question.name,
            points=round(question.earned, 6),
            max_points=round(question.max_points, 6),
            visibility=question.visibility,
            right=question.right_count,
            count=len(question.verdicts),
            feedback="\n".join(filter(None, feedback))[:_LONGEST_FEEDBACK],
            after=question.after,
            is_skipped=bool(file.questions.obstacle(question.line)),
        )


def _feedback(name: str, line: int, outcome: Outcome | None, own: Set[str]) -> str:
    """The words of `minischeme test` about an interaction, without lines of other questions; empty if it is right."""
    if outcome is None:
        return f"{name}:{line}: not run"
    if outcome.verdict is Verdict.SAME:
        return ""
    difference = outcome.difference or f"{outcome.location}: {outcome.note or outcome.verdict.value}"
    head, mark, diff = difference.partition(f"\n--- {name}\n")
    return head + mark + "\n".join(text for text in diff.split("\n") if text[:1] not in ("-", " ") or text[1:] in own)


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a submission's files."""
    for name, data in files.items():
        path = folder / name
        if os.path.isabs(name) or ".." in path.parts:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(0o644)


class Judge:
    """A process that grades jobs one by one, and is started again when it is needed after its end."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False

    def grade(self, job: Job) -> Result:
        """Grade a submission; the result tells if that could not be done in time."""
        deadline = len(job.tests) * (job.file_limit + 5) + _SPARE
        reason = "its judge has died"
        try:
            if self._process is None or self._process.poll() is not None:
                self._start()
            self._pipe.send(job)
            if self._pipe.poll(deadline):
                result: Result = self._pipe.recv()
                return result
            reason = "it took too long"
        except (EOFError, OSError):
            pass
        self._end()
        return Result(job.name, error=f"it could not be graded: {reason}", is_transient=True)

    def _start(self) -> None:
        self._pipe, theirs = Pipe()
        with theirs:
            self._process = python_process("from minischeme.grading.judge import main; main()", theirs.fileno())
        if self._is_closed:
            raise EOFError

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.terminate()  # it removes the folder of its program
            with suppress(subprocess.TimeoutExpired):
                process.wait(2)
            process.kill()
            process.wait()

    def close(self) -> None:
        """End the process, and with it the sandbox, for good; also while another thread waits for its result."""
        self._is_closed = True
        self._end()


def main() -> None:
    """Grade what comes from standard input, a socket, until that is closed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    pipe = Connection(os.dup(0))
    while True:
        try:
            job: Job = pipe.recv()
            pipe.send(grade(job, process_sandbox(bwrap=job.bwrap)))
        except (EOFError, ConnectionError):
            return
        except SchemeError as error:
            sys.exit(f"minischeme grade: {error}")
