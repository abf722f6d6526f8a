"""The check of a single text, for tests."""

import io
from collections.abc import Sequence

from minischeme import Session
from minischeme.checking.check import diagnostics
from minischeme.checking.registry import Diagnostic


def mistakes(
    text: str, filename: str = "<text>", session: Session | str = "berkeley", loads: Sequence[str] = ()
) -> list[Diagnostic]:
    """The mistakes in a text, which is checked in a session, or in a new one of a dialect."""
    known = Session(session, output=io.StringIO()) if isinstance(session, str) else session
    (found,) = diagnostics({filename: text}, known, loads)
    return found
