"""The cache of the reader's grammar: private, repaired when it is damaged, and never trusted where others can write."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = """
from minischeme.reading.reader import read
from minischeme.data.source import Source
print([form.span.text for form in read(Source("(a 'b) 10s", "x"))])
"""


def run_script(cache: Path) -> str:
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONPATH": root}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def cached(cache: Path) -> list[Path]:
    return sorted((cache / "minischeme").glob("grammar-*"))


linux_only = pytest.mark.skipif(sys.platform != "linux", reason="sets the cache folder by an XDG variable")
EXPECTED = "[\"(a 'b)\", '10s']\n"


@linux_only
def test_cache_is_private_and_used(tmp_path: Path) -> None:
    assert run_script(tmp_path) == EXPECTED
    (file,) = cached(tmp_path)
    assert (tmp_path / "minischeme").stat().st_mode & 0o777 == 0o700
    written = file.stat().st_mtime_ns
    assert run_script(tmp_path) == EXPECTED
    assert file.stat().st_mtime_ns == written


@linux_only
@pytest.mark.parametrize("keep", [0, 100, 5000])
def test_a_damaged_cache_is_written_anew(tmp_path: Path, keep: int) -> None:
    run_script(tmp_path)
    (file,) = cached(tmp_path)
    good = file.read_bytes()
    file.write_bytes(good[:keep])
    assert run_script(tmp_path) == EXPECTED
    repaired = file.read_bytes()
    assert len(repaired) > len(good) // 2
    assert run_script(tmp_path) == EXPECTED
    assert file.read_bytes() == repaired


class _Planted:
    """Leaves a mark when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.mark,)


@linux_only
@pytest.mark.parametrize("mode", [0o770, 0o702])
def test_a_cache_that_others_can_write_is_left_alone(tmp_path: Path, mode: int) -> None:
    run_script(tmp_path)
    (file,) = cached(tmp_path)
    key = file.read_bytes().split(b"\n")[0]
    mark = tmp_path / "mark"
    file.write_bytes(key + b"\n" + pickle.dumps(_Planted(mark)))
    (tmp_path / "minischeme").chmod(mode)
    assert run_script(tmp_path) == EXPECTED
    assert not mark.exists()
    (tmp_path / "minischeme").chmod(0o700)
    assert run_script(tmp_path) == EXPECTED
    assert mark.exists()  # The file would have been dangerous.


@linux_only
def test_no_cache_where_none_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert run_script(tmp_path / "file") == EXPECTED
    (tmp_path / "minischeme").symlink_to(tmp_path)
    assert run_script(tmp_path) == EXPECTED
    assert list(tmp_path.glob("grammar-*")) == []
