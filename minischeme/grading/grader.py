"""The grader of a class: submissions are given to judges on this machine or on many, and each result is kept."""

import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from queue import SimpleQueue

import msgspec

from minischeme.grading.judge import Judge, Result
from minischeme.grading.submissions import Job
from minischeme.system.progress import ProgressBar

Workers = Callable[[Iterator[Job]], Iterator[Result]]
"""A function that grades jobs and gives their results in any order; it takes the jobs as it goes."""


class Store:
    """A folder that keeps results under the digests of their jobs, so that a later run finds them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def result_of(self, job: Job) -> Result | None:
        """The result of a job, if it is there and complete."""
        try:
            return msgspec.json.decode((self._folder / f"{job.digest}.json").read_bytes(), type=Result)
        except (OSError, msgspec.MsgspecError):
            return None

    def keep(self, job: Job, result: Result) -> None:
        path = self._folder / f"{job.digest}.json"
        beside = path.with_suffix(".new")
        beside.write_bytes(msgspec.json.encode(result))
        beside.replace(path)


def grade_class(
    jobs: Iterable[Job], total: int, workers: Workers, store: Store | None, *, again: bool
) -> Iterator[Result]:
    """The results of jobs in the order in which they are known; they are looked for in the store, unless `again`."""
    bar = ProgressBar(total)
    known: list[Result] = []
    given: dict[str, Job] = {}

    def left() -> Iterator[Job]:
        for job in jobs:
            result = store.result_of(job) if store is not None and not again else None
            if result is not None:
                known.append(result)
            else:
                given[job.name] = job
                yield job

    try:
        for done, result in enumerate(workers(left()), 1):
            job = given.pop(result.name)
            if store is not None and not result.is_transient:
                store.keep(job, result)
            bar.show(done + len(known))
            yield result
        yield from known
    finally:
        bar.hide()


def local_workers(count: int) -> Workers:
    """So many judges on this machine."""

    def results(jobs: Iterator[Job]) -> Iterator[Result]:
        answers: SimpleQueue[Result | BaseException | None] = SimpleQueue()
        lock = threading.Lock()
        judges = [Judge() for _ in range(count)]

        def work(judge: Judge) -> None:
            try:
                while judges:
                    with lock:
                        job = next(jobs, None)
                    if job is None:
                        break
                    answers.put(judge.grade(job))
                answers.put(None)
            except BaseException as error:
                answers.put(error)

        for judge in judges:
            threading.Thread(target=work, args=[judge], daemon=True).start()
        try:
            ended = 0
            while ended < count:
                answer = answers.get()
                if isinstance(answer, BaseException):
                    raise answer
                if answer is None:
                    ended += 1
                else:
                    yield answer
        finally:
            stopped, judges[:] = judges[:], []  # so that no thread takes another job
            for judge in stopped:
                judge.close()

    return results
