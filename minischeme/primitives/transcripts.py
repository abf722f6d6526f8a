"""`transcript-on` and `transcript-off` (DIALECT.md section 3). Leaves what a transcript holds to `recorder`."""

from __future__ import annotations

from typing import Protocol

from minischeme.data.values import UNSPECIFIED, String, Value
from minischeme.primitives.kinds import StringArg
from minischeme.primitives.registry import primitive


class Recording(Protocol):
    """What these procedures need of the session."""

    def start_recording(self, name: str) -> None: ...

    def stop_recording(self) -> None: ...


@primitive("transcript-on")
def transcript_on(filename: StringArg, *, session: Recording) -> Value:
    """Writes all that is typed and shown from here on to the end of a file, until (transcript-off)."""
    if type(filename) is not String:  # a character has a text, too
        raise TypeError("not a string")
    session.start_recording(filename.text)
    return UNSPECIFIED


@primitive("transcript-off")
def transcript_off(*, session: Recording) -> Value:
    """Ends the transcript that (transcript-on filename) began."""
    session.stop_recording()
    return UNSPECIFIED
