"""The grading of submissions by the workers of a Dask cluster.

Only jobs and results travel, as JSON: a worker needs minischeme, and no files. The scheduler gives the jobs of a worker
that has died to another one.
"""

import threading
from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from typing import Any

import msgspec

from minischeme.data.errors import SchemeError
from minischeme.grading.grader import Workers
from minischeme.grading.judge import Judge, Result
from minischeme.grading.submissions import Job

_AHEAD = 3  # jobs for each thread of the cluster that are sent before they are needed
_local = threading.local()


def grade_there(data: bytes) -> bytes:
    """Grade a job in a worker; each of its threads has a judge."""
    if not hasattr(_local, "judge"):
        _local.judge = Judge()
    result: Result = _local.judge.grade(msgspec.json.decode(data, type=Job))
    return msgspec.json.encode(result)


def cluster_workers(address: str) -> Workers:
    """The workers of the scheduler at an address, such as ``tcp://host:8786``; a SchemeError if there is none."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise SchemeError("--cluster needs the Python package distributed: install minischeme[cluster]") from error
    try:
        client = distributed.Client(address, timeout=5)
    except OSError as error:
        raise SchemeError(f"there is no cluster at {address}") from error

    def results(jobs: Iterator[Job]) -> Iterator[Result]:
        names: dict[Any, str] = {}

        def sent(job: Job) -> Any:
            future = client.submit(grade_there, msgspec.json.encode(job), key=f"minischeme-{job.digest}")
            names[future] = job.name
            return future

        with client:
            ahead = _AHEAD * max(1, sum(client.nthreads().values()))
            waiting = distributed.as_completed(map(sent, islice(jobs, ahead)))
            for future in waiting:
                name = names.pop(future)
                if future.status == "finished":
                    yield msgspec.json.decode(future.result(), type=Result)
                else:
                    yield Result(name, error=f"it could not be graded: {future.exception()}", is_transient=True)
                waiting.update(map(sent, islice(jobs, 1)))

    return results
