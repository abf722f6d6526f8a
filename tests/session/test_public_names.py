"""What embedding programs see of a session is small."""

from __future__ import annotations

import pytest

from minischeme import Session


@pytest.mark.parametrize("part", ["session", "prompt", "prompt.recording", "loader", "tracer"])
def test_at_most_twenty_public_names(part: str) -> None:
    found: object = Session()
    for name in part.split(".")[part.startswith("session") :]:
        found = getattr(found, name)
    public = [name for name in dir(found) if not name.startswith("_")]
    assert len(public) <= 20, public
