"""Transcripts of strangers: files by paths of another machine, random results, loads that fail, and old encodings."""

from __future__ import annotations

from pathlib import Path

import pytest
from transcript_runs import failures, holds, outcomes

from minischeme.cli import main as cli
from minischeme.transcripts.document import Document
from minischeme.transcripts.outcomes import Verdict
from minischeme.transcripts.replay import Replay, Settings, find_by_tail


def write(folder: Path, name: str, text: str) -> Path:
    """A new file."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("~/Documents/projects/Project1/mine.scm", "ann/mine.scm"),
        ("/Users/bob/Documents/Project1/Mine.SCM", "ann/mine.scm"),
        ("C:\\Users\\Bob\\mine", "mine.scm"),
        ("/home/bob/Project1/mine.scm", "project1/MINE.scm"),
        ("../../sub/./lib/mine.scm", "lib/mine.scm"),
        ("/home/bob/lib/mine.scm", "shared/lib/mine.scm"),
        ("mine.scm", "shared/mine.scm"),
    ],
)
def test_files_of_another_machine_are_found(name: str, place: str, tmp_path: Path) -> None:
    write(tmp_path, place, "(define mine 7)\n")
    typed = name.replace("\\", "\\\\")
    path = write(tmp_path, "ann/talk.txt", f'STk> (load "{typed}")\nokay\nSTk> mine\n7\n')
    document = Document(path.read_text(encoding="utf-8"), str(path))
    replay = Replay(document, Settings(folders=[tmp_path / "shared"]))
    assert [outcome.verdict for outcome in replay.run()] == [Verdict.SAME, Verdict.SAME]
    assert replay.found in ({}, {name: tmp_path / place})
    assert replay.found or place == "ann/mine.scm"
    directive = Document(f"; minischeme: load {name}\n> mine\n7\n", str(path))
    assert [outcome.verdict for outcome in Replay(directive, Settings(folders=[tmp_path / "shared"])).run()] == [
        Verdict.SAME
    ]


def test_the_longest_tail_wins_and_then_the_nearest_folder(tmp_path: Path) -> None:
    for place in ("a/b/mine.scm", "a/b/p1/mine.scm", "a/p1/mine.scm", "x/p1/mine.scm", "Projects/p1/mine.scm"):
        write(tmp_path, place, "")
    folders = [tmp_path / "a/b", tmp_path / "x", tmp_path / "a", tmp_path]

    def found(name: str) -> str | None:
        path = find_by_tail(name, folders)
        return None if path is None else path.relative_to(tmp_path).as_posix()

    assert found("~/projects/P1/mine.scm") == "Projects/p1/mine.scm"
    assert found("~/hw/p1/mine.scm") == "a/b/p1/mine.scm"
    assert found("~/hw/p2/mine") == "a/b/mine.scm"
    assert found("~/hw/p2/other.scm") is None
    assert found("/") is None


def test_a_file_that_another_one_loads_is_found_too(tmp_path: Path) -> None:
    write(tmp_path, "mine.scm", '(load "/home/bob/lib/helpers.scm")\n')
    write(tmp_path, "helpers.scm", "(define helpful 1)\n")
    assert holds('> (load "mine.scm")\nokay\n> helpful\n1\n', str(tmp_path / "talk.txt"))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252", "utf-16"])
def test_files_of_old_editors_are_read_and_written_as_utf_8(encoding: str, tmp_path: Path) -> None:
    text = 'It’s naïve:\r\n\r\nSTk> (display "naïve")\r\nnaïveokay\r\nSTk> (+ 1 1)\r\n'
    path = tmp_path / "talk.txt"
    path.write_bytes(f"{text}2\r\n".encode(encoding))
    assert cli.main(["test", str(tmp_path)]) == 0
    path.write_bytes(f"{text}3\r\n".encode(encoding))
    assert cli.main(["test", "--update", str(path)]) == 0
    assert path.read_bytes() == f"{text}2\r\n".encode()
    path.write_bytes(b"> \x00\xff")
    assert cli.main(["test", str(path)]) == 2


LOADS = """\
STk> (load "/home/bob/lost.scm")
okay
STk> (lost 1)
2
STk> (+ 1 2)
4
STk> (load "/home/bob/also-lost.scm")
okay
STk> (list (also-lost))
(5)
STk> (lost 2)
4
"""


def test_one_line_tells_what_follows_from_a_load_that_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, "talk.txt", LOADS)
    assert cli.main(["test", str(path)]) == 1
    output = capsys.readouterr().out
    assert output.count("@@ -") == 3
    assert output.endswith(
        f"{path}:1: 1 more interaction fails because this load does\n"
        f"{path}:7: 2 more interactions fail because this load does\n"
        f"{path}: 6 interactions, 3 different, 3 following from a load that failed\n"
    )
    write(tmp_path, "lost.scm", "(define (lost x) (* x 2))\n")
    write(tmp_path, "lib/ALSO-LOST.scm", "(define (also-lost) 5)\n")
    assert cli.main(["test", str(path), "--path", str(tmp_path), "--path", str(tmp_path / "lib")]) == 1
    output = capsys.readouterr().out
    assert output.startswith(
        f'(load "/home/bob/lost.scm") is taken to mean {tmp_path / "lost.scm"}\n'
        f'(load "/home/bob/also-lost.scm") is taken to mean {tmp_path / "lib" / "ALSO-LOST.scm"}\n{path}:5: (+ 1 2)\n'
    )
    assert output.endswith(f"{path}: 6 interactions, 1 different\n")


def test_what_was_found_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, "mine.scm", "(define mine 7)\n")
    for name in ("ann", "bob"):
        write(tmp_path, f"{name}/talk.txt", 'STk> (load "~/Mine.scm")\nokay\nSTk> (load "~/Mine.scm")\nokay\n')
    assert cli.main(["test", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("is taken to mean") == 1


def test_a_load_that_succeeds_later_or_in_a_new_session_ends_it(tmp_path: Path) -> None:
    write(tmp_path, "mine.scm", "(define mine 7)\n(car 'x)\n")
    wrong = "> (car mine)\n7\n"
    start = '> (load "~/nothing.scm")\nokay\n' + wrong
    name = str(tmp_path / "talk.txt")
    kinds = [outcome.verdict for outcome in outcomes(f"{start}; minischeme: fresh\n{wrong}", name)]
    assert kinds == [Verdict.DIFFERENT, Verdict.FOLLOWING, Verdict.DIFFERENT]
    as_shown = '> (load "lib/mine.scm")\n*** Error at line 2 of file mine.scm:\n    car: wrong type of argument: x\n'
    assert outcomes(f"{as_shown}{wrong}", name)[1].verdict is Verdict.DIFFERENT
    write(tmp_path, "sub/nothing.scm", "")
    assert outcomes(f'{start}> (load "sub/nothing.scm")\nokay\n{wrong}', name)[-1].verdict is Verdict.DIFFERENT


RANDOM = """\
STk> (define (roll) (random 1000000))
roll
STk> (roll)
17
STk> (begin (display "Game: ") (newline) (roll))
Game: 
18
STk> (begin (roll) (undefined-thing))
19
STk> (roll)
STk> (+ 1 1)
3
"""  # noqa: W291


def test_random_results_without_a_seed_are_no_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, "talk.txt", RANDOM)
    assert cli.main(["test", str(path)]) == 1
    assert capsys.readouterr().out.endswith(f"{path}: 6 interactions, 3 different, 2 random\n")
    assert cli.main(["test", "--seed", "4", str(path)]) == 1
    assert capsys.readouterr().out.endswith(f"{path}: 6 interactions, 5 different\n")
    assert failures(f"; minischeme: seed 4\n{RANDOM}") == [4, 6, 9, 11, 12]
    assert cli.main(["test", "--update", str(path)]) == 0
    capsys.readouterr()
    assert cli.main(["test", str(path)]) == 0
    assert capsys.readouterr().out.endswith(f"{path}: 6 interactions\n")


def test_an_error_that_is_shown_may_have_another_culprit_by_chance() -> None:
    text = "> (begin (random 5) (car 5))\n*** Error:\n    car: wrong type of argument: 7\n"
    assert [outcome.verdict for outcome in outcomes(text)] == [Verdict.RANDOM]
