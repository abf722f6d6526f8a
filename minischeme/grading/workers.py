"""The grading of a class by judges on this machine or on those of a Dask cluster; each result is kept.

Only jobs and results travel: a worker of a cluster needs minischeme, and no files. The scheduler gives the jobs of a
worker that has died to another one.
"""

import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from minischeme.data.errors import SchemeError
from minischeme.grading.judge import Judge, Result
from minischeme.grading.submissions import Job
from minischeme.system.progress import ProgressBar
from minischeme.transcripts.files import rewrite

_TICK = 0.5  # seconds until the progress bar is drawn again
_AHEAD = 3  # jobs for each thread of a cluster that are sent before they are needed
_of_thread = threading.local()
_judges: list[Judge] = []

Workers = tuple[Executor, int]
"""An executor for jobs, and the number of them that it should have at a time."""


def grade_job(job: Job) -> Result:
    """Grade a job by the judge of this thread."""
    if not hasattr(_of_thread, "judge"):
        _of_thread.judge = Judge()
        _judges.append(_of_thread.judge)
    result: Result = _of_thread.judge.grade(job)
    return result


@contextmanager
def local_workers(count: int) -> Iterator[Workers]:
    """So many judges on this machine, which end with the ``with`` block."""
    executor = ThreadPoolExecutor(count)
    try:
        yield executor, count
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        while _judges:
            _judges.pop().close()


@contextmanager
def cluster_workers(address: str) -> Iterator[Workers]:
    """The workers of the scheduler at an address, such as ``tcp://host:8786``; a SchemeError if there is none."""
    try:
        distributed: Any = import_module("distributed")
        client = distributed.Client(address, timeout=5)
    except ImportError as error:
        raise SchemeError("--cluster needs the Python package distributed: install minischeme[cluster]") from error
    except OSError as error:
        raise SchemeError(f"there is no cluster at {address}") from error
    with client:
        yield client.get_executor(pure=False), _AHEAD * max(1, sum(client.nthreads().values()))


def grade_class(
    jobs: Iterable[Job], total: int, workers: Workers, store: Path | None, *, again: bool
) -> Iterator[Result]:
    """The results of jobs in the order in which they are known.

    Args:
        total: the number of jobs.
        store: a folder that keeps results under the digests of their jobs, so that a later run finds them.
        again: whether to grade also what the store has.
    """
    executor, most = workers
    bar = ProgressBar(total)
    running: dict[Future[Result], tuple[str, Path | None]] = {}
    left = iter(jobs)
    done = 0
    try:
        while True:
            while len(running) < most and (job := next(left, None)) is not None:
                path = store / f"{job.digest}.json" if store is not None else None
                known = _kept(path) if path is not None and not again else None
                if known is None:
                    running[executor.submit(grade_job, job)] = job.name, path
                else:
                    done += 1
                    yield known
            if not running:
                return
            bar.show(done)
            for future in wait(running, _TICK, FIRST_COMPLETED).done:
                (name, path), error = running.pop(future), future.exception()
                reason = f"it could not be graded: {error}"
                result = Result(name, error=reason, is_transient=True) if error else future.result()
                if path is not None and not result.is_transient:
                    rewrite(path, msgspec.json.encode(result).decode())
                done += 1
                yield result
    finally:
        bar.hide()


def _kept(path: Path) -> Result | None:
    """The result in a file, if it is there and complete."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Result)
    except (OSError, msgspec.MsgspecError):
        return None
