"""The sources of the page: types, style and size."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "minischeme/playground/page"


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.usefixtures("built")
def test_types_and_style() -> None:
    command = ["npm", "run", "--silent", "check"]  # in the folder of the build, which has a copy of the sources
    done = subprocess.run(command, cwd=ROOT / ".cache/playground", capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_stays_small() -> None:
    lines = sum(
        path.read_text(encoding="utf-8").count("\n") for path in PAGE.iterdir() if path.suffix in (".ts", ".mjs")
    )
    assert lines <= 1_500


def test_no_wheel_contains_the_sources(tmp_path: Path) -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'exclude = ["/minischeme/playground"]' in text
