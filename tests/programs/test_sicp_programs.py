"""What SICP shows, chapter by chapter, as transcripts in `sicp/`: each line gives what stands there."""

from __future__ import annotations

from pathlib import Path

import pytest
from transcript_runs import outcomes

from minischeme.transcripts.outcomes import Verdict

TRANSCRIPTS = sorted(Path(__file__).with_name("sicp").glob("*.txt"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_the_chapters_programs_run_as_shown(path: Path) -> None:
    found = outcomes(path.read_text(encoding="utf-8"), path.name, path=path)
    assert len(found) > 30
    assert [f"{path.name}:{one.line}" for one in found if one.verdict is not Verdict.SAME] == []
