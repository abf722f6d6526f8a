"""The generated tables of the grammar: when they are made, and by whom."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import minischeme

PACKAGE = Path(minischeme.__file__).parent

SCRIPT = """
import sys
from minischeme.reading.reader import read
from minischeme.data.source import Source
print([form.span.text for form in read(Source("(a 'b) 10s", "x"))], "lark" in sys.modules)
"""


@pytest.fixture
def reading(tmp_path: Path) -> Path:
    """A copy of the package for reading, without tables."""
    ignored = shutil.ignore_patterns("__pycache__", "_tables*")
    shutil.copytree(PACKAGE, tmp_path / "minischeme", ignore=ignored)
    return tmp_path / "minischeme" / "reading"


def start(reading: Path) -> subprocess.Popen[str]:
    """A process that reads a text."""
    command = [sys.executable, "-c", SCRIPT]
    return subprocess.Popen(command, cwd=reading.parents[1], stdout=subprocess.PIPE, text=True)


def outcome(process: subprocess.Popen[str]) -> bool:
    """Whether a process has imported Lark, after it has read its text."""
    shown, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert shown.startswith("[\"(a 'b)\", '10s'] ")
    return shown.endswith("True\n")


def test_the_first_run_makes_the_tables(reading: Path) -> None:
    assert outcome(start(reading))
    written = (reading / "_tables.py").read_bytes()
    assert not outcome(start(reading))
    assert (reading / "_tables.py").read_bytes() == written
    assert not [path for path in reading.iterdir() if path.name.startswith("_tables.") and path.suffix != ".py"]


@pytest.mark.parametrize("name", ["grammar.lark", "table_maker.py"])
def test_tables_of_another_grammar_are_made_again(reading: Path, name: str) -> None:
    assert outcome(start(reading))
    with (reading / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    assert outcome(start(reading))
    assert not outcome(start(reading))


def test_a_damaged_file_is_made_again(reading: Path) -> None:
    assert outcome(start(reading))
    path = reading / "_tables.py"
    good = path.read_text(encoding="utf-8")
    path.write_text(good[:-100], encoding="utf-8")
    assert outcome(start(reading))
    assert path.read_text(encoding="utf-8") == good


def test_processes_that_make_them_at_the_same_time(reading: Path) -> None:
    processes = [start(reading) for _ in range(3)]
    made = list(map(outcome, processes))
    assert any(made)  # one that starts late finds them
    assert not outcome(start(reading))


def test_where_no_file_can_be_written_they_are_made_each_time(reading: Path) -> None:
    (reading / "_tables.py" / "in the way").mkdir(parents=True)
    assert outcome(start(reading))
    assert outcome(start(reading))


HOOK = """
import runpy, sys, types
for name in ("hatchling", "hatchling.builders", "hatchling.builders.hooks", "hatchling.builders.hooks.plugin"):
    sys.modules[name] = types.ModuleType(name)
interface = sys.modules["hatchling.builders.hooks.plugin.interface"] = types.ModuleType("interface")
interface.BuildHookInterface = object
hook = runpy.run_path(sys.argv[1])["TablesHook"]()
hook.root = sys.argv[2]
hook.initialize("standard", {})
print("msgspec" in sys.modules)
"""


@pytest.mark.skipif(not (PACKAGE.parent / "pyproject.toml").exists(), reason="no checkout")
def test_the_build_makes_what_the_wheel_has(reading: Path, tmp_path: Path) -> None:
    """With no more than Lark there, and under the name that the build is told."""
    build = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    hook = PACKAGE.parent / build["hooks"]["custom"]["path"]
    command = [sys.executable, "-c", HOOK, str(hook), str(tmp_path)]
    done = subprocess.run(command, cwd=hook.parent, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    assert build["artifacts"] == [f"/{(reading / '_tables.py').relative_to(tmp_path).as_posix()}"]
    assert not outcome(start(reading))
