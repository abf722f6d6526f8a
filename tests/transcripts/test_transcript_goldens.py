"""The course's interpreter's own sessions, replayed: each interaction holds but for those in the table below."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from transcript_runs import outcomes

from minischeme.transcripts.outcomes import Verdict

GOLDEN = Path(__file__).parents[1] / "golden"

SUPPLIED = "DIALECT.md section 1.3: a name that we supply and the original lacks"
DEVIATIONS = {
    "errors_session.txt": {
        72: "DIALECT.md section 7: (define x) occurs in real files",
        84: "DIALECT.md section 6: #true is read",
        226: "DIALECT.md section 1.4: the text of a wrong number of arguments is the same with apply",
        302: SUPPLIED,
        308: "what the original's machine measured",
        315: SUPPLIED,
        321: SUPPLIED,
        327: SUPPLIED,
        367: "the original ends here: it prints what is typed after it",
    },
    "trace_and_print_session.txt": {
        89: SUPPLIED,
        97: SUPPLIED,
        105: SUPPLIED,
        135: "random numbers: the original's generator",
        211: "random numbers: the original's generator",
        213: "random numbers: the original's generator",
        217: "random numbers: the original's generator",
    },
    "trace_session.txt": {
        34: "DIALECT.md section 6: (untrace) untraces all",
        42: "DIALECT.md section 6: (trace) lists",
        58: "the original's message is about the set! that trace expands to",
        64: "the original's message is about the set! that trace expands to",
        149: "DIALECT.md section 1.4: the text of a wrong number of arguments is the same when traced",
        156: "DIALECT.md section 1.4: the text of a wrong number of arguments is the same when traced",
        191: "the original shows its wrapper's parameters",
        255: "DIALECT.md section 6: special forms are no values",
        363: "DIALECT.md section 6: special forms are no values",
    },
    "transcript_file.txt": {},
}

COUNTS = {
    "errors_session.txt": 100,
    "trace_and_print_session.txt": 60,
    "trace_session.txt": 103,
    "transcript_file.txt": 11,
}

FILES = {
    "bad.scm": "(define a 1)\n(define (f x)\n  (car x))\n(define b (f 5))\n(define c 3)\n",
    "ok.scm": '(display "loading")\n',
    "unbal.scm": "(define d 1)\n(define (g x)\n  (* x\n     2)\n",
}
"""The files that trace_session.txt loads, as far as the session shows what was in them."""


@pytest.mark.parametrize("name", sorted(DEVIATIONS))
def test_golden_session(name: str, tmp_path: Path) -> None:
    for file, text in FILES.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    path = Path(shutil.copy(GOLDEN / name, tmp_path))
    text = path.read_text(encoding="utf-8")
    if name == "transcript_file.txt":  # it begins in the middle of a session
        text = text.replace("okay\n", "STk> (define (p x) (* x 2))\np\n", 1)
    found = outcomes(text, name, path=path)
    assert len(found) == COUNTS[name]
    different = {outcome.line: outcome.source for outcome in found if outcome.verdict is not Verdict.SAME}
    assert different.keys() == DEVIATIONS[name].keys(), different
