"""`transcript-on` and `transcript-off` (DIALECT.md section 3). Leaves what a transcript holds to `recorder`."""

from __future__ import annotations

from collections.abc import Callable

from minischeme.data.values import UNSPECIFIED, Value
from minischeme.primitives.kinds import StringArg
from minischeme.primitives.registry import primitive


@primitive("transcript-on")
def transcript_on(filename: StringArg, *, start_recording: Callable[[str], None]) -> Value:
    """Writes all that is typed and shown from here on to the end of a file, until (transcript-off)."""
    start_recording(filename.text)
    return UNSPECIFIED


@primitive("transcript-off")
def transcript_off(*, stop_recording: Callable[[], None]) -> Value:
    """Ends the transcript that (transcript-on filename) began."""
    stop_recording()
    return UNSPECIFIED
