"""What minischeme rests on of CPython's insides is checked before anything is computed."""

from __future__ import annotations

import ast
import builtins
import re
import runpy
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from minischeme.data import cpython


def folded_placeholder(part: Any, **where: int) -> ast.expr:
    """A placeholder that the compiler takes for a text."""
    (text,) = part if isinstance(part, list) else (ast.Constant(str(part.value)),)
    return ast.Constant(text.value, **where)


def checked() -> dict[str, Any]:
    """Import `cpython` anew."""
    return runpy.run_path(cpython.__file__)


def test_this_python_is_good() -> None:
    assert checked()["UNSHARED"] == cpython.UNSHARED


def test_constants_that_are_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    for node in ("JoinedStr", "Slice"):
        monkeypatch.setattr(ast, node, folded_placeholder)
    with pytest.raises(ImportError, match=r"would compute wrongly .*: it computes with constants too early"):
        checked()


def test_references_that_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "getrefcount", lambda _: 1)
    with pytest.raises(ImportError, match="it counts references differently"):
        checked()


def test_references_that_are_borrowed_once_the_code_is_warm(monkeypatch: pytest.MonkeyPatch) -> None:
    count, calls = sys.getrefcount, []

    def borrowing(item: object) -> int:
        calls.append(item)
        return count(item) - (len(calls) > 10)

    monkeypatch.setattr(sys, "getrefcount", borrowing)
    with pytest.raises(ImportError, match="it counts references differently"):
        checked()


def test_places_that_are_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = sys._getframe
    monkeypatch.setattr(sys, "_getframe", lambda depth=0: frame(0))
    with pytest.raises(ImportError, match="it doesn't tell where calls stand"):
        checked()


def test_lists_that_are_extended_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtins, "map", lambda function, *lists: [function(*row) for row in zip(*lists, strict=False)])
    with pytest.raises(ImportError, match="it extends lists differently"):
        checked()


def test_a_python_of_the_future(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which it is does not count, as long as the checks hold; else the ones that are known are named."""
    monkeypatch.setattr(sys, "version_info", (3, 99, 0, "final", 0))
    if cpython.PLACEHOLDER is ast.Slice:
        assert checked()["PLACEHOLDER"] is ast.Slice
    monkeypatch.setattr(sys, "getrefcount", lambda _: 1)
    with pytest.raises(ImportError, match=r"on this Python 3.99.0: .* \(3.11 to 3.14 are known to be good\)"):
        checked()


def test_another_implementation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.implementation, "name", "pypy")
    with pytest.raises(ImportError, match="minischeme runs on CPython alone, not on pypy"):
        checked()


def test_the_checks_take_below_a_millisecond() -> None:
    def seconds() -> float:
        begin = time.perf_counter()
        cpython.check()
        return time.perf_counter() - begin

    limit = 0.001 if sys.platform != "emscripten" else 0.01
    assert min(seconds() for _ in range(20)) < limit


NO_PLACES = [sys.executable, "-X", "no_debug_ranges"]
"""A Python that people can have, and that lacks something."""

MESSAGE = r"minischeme would compute wrongly on this Python 3[.0-9]*: it doesn't tell where calls stand [^\n]*"


@pytest.mark.parametrize("arguments", [["-e", "1"], [], ["test", "."], ["--version"], ["no-such-file.scm"]])
def test_the_command_says_so_and_stops(arguments: list[str]) -> None:
    done = subprocess.run(
        [*NO_PLACES, "-m", "minischeme", *arguments], capture_output=True, text=True, input="(car '())"
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(MESSAGE + "\n", done.stderr)


def test_an_embedding_program_gets_an_import_error() -> None:
    code = "try: from minischeme import Session\nexcept ImportError as error: print(error)"
    done = subprocess.run([*NO_PLACES, "-c", code], capture_output=True, text=True)
    assert re.fullmatch(MESSAGE + "\n", done.stdout), done


@pytest.mark.slow
def test_pytest_fails_for_transcripts_alone(tmp_path: Path) -> None:
    (tmp_path / "test_sum.py").write_text("def test_sum(): assert 1 + 1 == 2")
    command = [*NO_PLACES, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    assert "1 passed" in subprocess.run(command, capture_output=True, text=True, cwd=tmp_path).stdout
    (tmp_path / "sum.txt").write_text("> (+ 1 1)\n2\n")
    done = subprocess.run([*command, "sum.txt", "test_sum.py"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode != 0
    assert re.search(MESSAGE, done.stdout)


def test_the_insides_of_code_objects_are_used_in_one_module_alone() -> None:
    insides = re.compile(r"getrefcount|co_consts|co_positions|co_stacksize|JoinedStr|ast\.Slice")
    package = Path(cpython.__file__).parents[1]
    users = [path.name for path in package.rglob("*.py") if insides.search(path.read_text(encoding="utf-8"))]
    assert users == ["cpython.py"]
