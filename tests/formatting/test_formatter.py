"""What `minischeme fmt` changes, and what it leaves alone."""

from __future__ import annotations

import io
import os
import random
import re
import sys
from pathlib import Path

import pytest
from damaged_texts import TOKEN, damaged

from minischeme.cli.main import main
from minischeme.data.errors import SchemeError
from minischeme.data.printer import write
from minischeme.data.source import Source
from minischeme.formatting.formatter import formatted
from minischeme.reading.reader import read

ROOT = Path(__file__).parents[2]
PROGRAMS = [
    path
    for folder in ("lib", "transcripts", "tests")
    for path in sorted((ROOT / folder).rglob("*.scm"))
]  # fmt: skip


def data(text: str) -> list[str]:
    """The data in a text, as `write` shows them."""
    return [write(form.datum) for form in read(Source(text, "<text>"), fold_case=False)]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: str(path.relative_to(ROOT)))
def test_programs_keep_their_data_and_their_words(path: Path) -> None:
    text = path.read_bytes().decode("utf-8")
    found = formatted(text)
    assert data(found) == data(text)
    assert [line.strip() for line in found.splitlines()] == [line.strip() for line in text.splitlines()]
    assert formatted(found) == found


CASES = {
    "a body": ("(define (f x)\n(* x\nx))\n", "(define (f x)\n  (* x\n     x))\n"),
    "tabs": ("(define (f x)\n\t(* x x))\n", "(define (f x)\n  (* x x))\n"),
    "blanks at the end": ("(f 1)  \n  \t\n(g)\t\n", "(f 1)\n\n(g)\n"),
    "blanks inside a line": ("(f   1 )\n", "(f   1 )\n"),
    "comments": ("(f ; a  \n   ; b\n;;; c\n; d\n 1)\n", "(f ; a\n   ; b\n;;; c\n 1)\n".replace(" 1", " ; d\n 1")),
    "a comment beside code": (
        "(define (f x)\n      (g x)       ; the first\n                  ; and more\n      x)\n",
        "(define (f x)\n  (g x)       ; the first\n              ; and more\n  x)\n",
    ),
    "a long string": ('(define s\n    "one  \n   two\t\n")\n', '(define s\n  "one  \n   two\t\n")\n'),
    "a block comment": ("(f #| a  \n\t b |#\n      1)\n", "(f #| a  \n\t b |#\n 1)\n"),
    "the character space": ("(list #\\ \n      1)\n", "(list #\\ \n      1)\n"),
    "a symbol with a line break": ("(f |a \n   b|)\n", "(f |a \n   b|)\n"),
    "no newline at the end": ("(f 1)", "(f 1)\n"),
    "blank lines": ("\n\n(f 1)\n\n\n(g)\n\n", "\n\n(f 1)\n\n\n(g)\n\n"),
    "nothing": ("", ""),
    "CRLF": ("(f\r\n1)\r\n", "(f\r\n 1)\r\n"),
    "CRLF without an end": ("(f\r\n1)", "(f\r\n 1)\r\n"),
    "mixed line ends": ("(f\r\n1)\n(g\n   2)\r\n", "(f\r\n 1)\n(g\n 2)\r\n"),
    "a byte-order mark": ("\ufeff(f\n1)\n", "\ufeff(f\n 1)\n"),
    "a quoted argument": ("(test '(a b)\n  1)\n", "(test '(a b)\n      1)\n"),
    "with-…": ("(with-thing x\n(f))\n", "(with-thing x\n  (f))\n"),
    "a library": (
        "(define-library (a)\n(begin\n(define x 1)\n))\n",
        "(define-library (a)\n  (begin\n(define x 1)\n))\n",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_layout(name: str) -> None:
    before, after = CASES[name]
    assert formatted(before) == after
    assert formatted(after) == after


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("(define (f x)\n(g x)\n", "read: end of file inside list", "<text>:1:1"),
        ("(f))\n", "read: unexpected close parenthesis", "<text>:1:4"),
        ("(f]\n", "read: the ( at line 1, column 1 is closed by ]", "<text>:1:3"),
        ('(f "abc\n', "read: end of file inside string", "<text>:1:4"),
    ],
)
def test_what_cannot_be_read_is_left_alone(text: str, message: str, place: str) -> None:
    with pytest.raises(SchemeError) as caught:
        formatted(text)
    assert (str(caught.value), str(caught.value.span)) == (message, place)


def test_damaged_programs_keep_their_data_or_are_left_alone() -> None:
    random_ = random.Random(11)
    texts = [path.read_text(encoding="utf-8")[:1500] for path in PROGRAMS[:20]]
    vocabulary = sorted({token for text in texts for token in TOKEN.findall(text)})
    outcomes = {"same": 0, "left alone": 0}
    for _ in range(200):
        pieces = damaged(re.findall(rf"\s+|{TOKEN.pattern}", random_.choice(texts), re.VERBOSE), vocabulary, random_)
        text = "".join(piece if piece.isspace() else piece + random_.choice(["", " ", "\n"]) for piece in pieces)
        try:
            found = formatted(text)
        except SchemeError:
            outcomes["left alone"] += 1
            continue
        assert data(found) == data(text), text
        assert formatted(found) == found, text
        outcomes["same"] += 1
    assert min(outcomes.values()) > 20, outcomes


# ── the command ──────────────────────────────────────────────────────────────────────────────────────────────────────

UNREADABLE = Path("/proc/self/mem")
"""A file whose first byte nobody can read."""

BAD, GOOD = "(define (f x)\n(* x x))\n", "(define (f x)\n  (* x x))\n"


def test_files_are_rewritten_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    program, link = tmp_path / "a.scm", tmp_path / "link.scm"
    program.write_bytes(BAD.encode())
    program.chmod(0o640)
    link.symlink_to(program)
    (tmp_path / "good.scm").write_bytes(GOOD.encode())
    good = (tmp_path / "good.scm").stat().st_mtime_ns
    assert main(["fmt", "link.scm", "good.scm"]) == 0
    assert capsys.readouterr().out == "formatted link.scm\n"
    assert program.read_bytes() == GOOD.encode()
    assert link.is_symlink()
    assert program.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "good.scm").stat().st_mtime_ns == good
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.scm", "good.scm", "link.scm"]


def test_check_and_diff_write_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.scm").write_text(BAD)
    assert main(["fmt", "--check", "."]) == 1
    assert capsys.readouterr().out == "would format ./a.scm\n"
    assert main(["fmt", "--diff", "a.scm"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        *("--- a.scm", "+++ a.scm", "@@ -1,2 +1,2 @@", " (define (f x)", "-(* x x))", "+  (* x x))")
    ]
    assert (tmp_path / "a.scm").read_text() == BAD
    (tmp_path / "a.scm").write_text(GOOD)
    assert main(["fmt", "--check", "--diff", "a.scm"]) == 0
    assert capsys.readouterr().out == ""


def test_a_damaged_file_stays_and_the_others_are_formatted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.scm").write_text("(define (f x)\n(* x x)\n")
    (tmp_path / "latin.scm").write_bytes(b"(define \xe9 1)\n")
    (tmp_path / "fine.scm").write_text(BAD)
    assert main(["fmt", "broken.scm", "latin.scm", "fine.scm"]) == 2
    shown = capsys.readouterr()
    assert shown.out == "formatted fine.scm\n"
    assert shown.err == (
        "*** Error at broken.scm:1:1:\n    read: end of file inside list\n  | (define (f x)\n  | ^\n"
        "  the next expression begins at line 2: is a ) missing before it?\n"
        "*** Error:\n    fmt: not a text in UTF-8: latin.scm\n"
    )
    assert (tmp_path / "broken.scm").read_text() == "(define (f x)\n(* x x)\n"
    assert main(["fmt", "nowhere.scm"]) == 2
    assert capsys.readouterr().err == "minischeme fmt: no such file: nowhere.scm\n"


def test_what_the_system_refuses_is_told_and_the_others_are_formatted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("kept.scm", "fine.scm"):
        (tmp_path / name).write_text(BAD)
    # The superuser may write everything.
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK or path != "kept.scm")
    names = ["kept.scm", "fine.scm"]
    expected = "minischeme fmt: cannot write kept.scm: it is write-protected\n"
    if UNREADABLE.exists():
        names.insert(0, str(UNREADABLE))
        expected = f"*** Error:\n    fmt: cannot read {UNREADABLE}: Input/output error\n{expected}"
    assert main(["fmt", *names]) == 2
    assert capsys.readouterr() == ("formatted fine.scm\n", expected)
    assert (tmp_path / "kept.scm").read_text() == BAD


@pytest.mark.skipif(not UNREADABLE.exists(), reason="the system has no such file")
def test_check_tells_which_file_cannot_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(UNREADABLE)]) == 2
    assert capsys.readouterr().err == f'minischeme check: cannot read file: "{UNREADABLE}"\n'


def test_standard_input_is_written_to_standard_output(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BAD.replace("\n", "\r\n").encode()), newline=""))
    assert main(["fmt", "-"]) == 0
    assert capfdbinary.readouterr().out == GOOD.replace("\n", "\r\n").encode()
