"""The questions of a handout: what its transcript says of a student's file."""

from pathlib import Path

from minischeme.transcripts.document import Document, TranscriptError
from minischeme.transcripts.replay import Replay


def answered(text: str, program: Path) -> list[dict[str, object]]:
    """The questions of a handout, whose PROGRAM is the student's: whether it passes each, and the first difference."""
    document = Document(text.replace("PROGRAM", program.name), "questions.txt", path=program.parent / "questions.txt")
    replay = Replay(document)
    failures: dict[str, str] = {}
    try:
        for outcome in replay.run():
            if outcome.verdict.fails:
                failures.setdefault(replay.questions.at(outcome.line).name, outcome.difference)
    except TranscriptError as error:
        return [{"name": "", "passed": False, "difference": str(error)}]
    return [
        {
            "name": question.name,
            "passed": question.passed,
            "right": question.right_count,
            "all": len(question.verdicts),
            "difference": failures.get(question.name, ""),
        }
        for question in replay.questions
    ]
