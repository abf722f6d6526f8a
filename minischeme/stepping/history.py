"""The data that a standard procedure may change, and what it has changed of them."""

from typing import Any

from minischeme.data.values import Pair, Record, String, Value, Vector
from minischeme.stepping.recording import RecordedRun, contents

_MOST = 1_000  # of the data inside one that are looked at


def mutable_data(values: tuple[Value, ...]) -> list[tuple[Value, tuple[Any, ...]]]:
    """The data in values that can be changed, each with its parts."""
    found: dict[int, tuple[Value, tuple[Any, ...]]] = {}
    waiting = list(values)
    while waiting and len(found) < _MOST:
        datum = waiting.pop()
        if isinstance(datum, Pair | Vector | Record | String) and id(datum) not in found:
            found[id(datum)] = datum, contents(datum)
            waiting += found[id(datum)][1] if type(datum) is not String else ()
    return list(found.values())


def note_mutations(recording: RecordedRun | None, before: list[tuple[Value, tuple[Any, ...]]]) -> None:
    """Record which of the data no longer have the parts that they had before."""
    for datum, parts in before:
        now = contents(datum)
        if recording is not None and (
            len(now) != len(parts) or any(a is not b for a, b in zip(now, parts, strict=True))
        ):
            recording.note_change(id(datum), datum, parts)
