"""The notebook of the assignment: it shows what the transcript shows."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient", reason="the group of notebooks is not installed")

import nbformat  # noqa: E402

from minischeme.jupyter import installation  # noqa: E402
from minischeme.transcripts.document import Document  # noqa: E402
from minischeme.transcripts.matching import align, expected_lines, output_lines  # noqa: E402

FOLDER = Path(__file__).parents[2] / "transcripts" / "cs61a"


def shown(cell: Any) -> str:
    """All that a notebook shows below a cell, without colours."""
    texts = []
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            texts.append(output["text"])
        elif output["output_type"] == "error":
            texts.append("\n".join(output["traceback"]) + "\n")
        else:
            texts.append(output["data"]["text/plain"] + "\n")
    return re.sub(r"\x1b\[[0-9;]*m", "", "".join(texts))


def interactions(document: Document) -> Iterator[tuple[str, list[str]]]:
    """What is typed in a transcript, and the lines shown below it."""
    for typed in document.interactions():
        answer = itertools.takewhile(str.strip, document.lines[typed.end : document.boundary(typed.end)])
        yield typed.text.strip(), list(answer)


@pytest.mark.slow
def test_the_notebook_shows_what_the_transcript_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "share" / "jupyter"))
    installation.install(str(tmp_path))
    notebook = nbformat.read(FOLDER / "twenty-one.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(FOLDER)}}).execute()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    cells = [cell for cell in code if not cell.source.startswith(",seed")]
    expected = list(interactions(Document((FOLDER / "testing.txt").read_text(encoding="utf-8"))))
    assert [cell.source for cell in cells] == [typed for typed, _ in expected]
    for cell, (typed, lines) in zip(cells, expected, strict=True):
        alignment = align(expected_lines(lines), output_lines(shown(cell)))
        assert alignment.cost == 0, f"{typed}\nexpected:\n{lines}\nshown:\n{shown(cell)}"
