"""A server of the sandbox whose programs can run any Python: a stranger who has found a hole in the interpreter."""

from __future__ import annotations

import io
import os
import sys
import time
from pathlib import Path
from typing import Any

from minischeme.data.values import String
from minischeme.grading import server
from minischeme.grading.sandbox import Sandbox


class Breached(server.RemoteEvaluator):
    """An evaluator with a procedure `python`, which runs Python and gives what that prints."""

    def begin(self, dialect: str, seed: int) -> None:
        super().begin(dialect, seed)
        self._session.define("python", self._python)

    def _python(self, code: String) -> String:
        output = io.StringIO()
        names: dict[str, Any] = {"say": lambda value: output.write(str(value)), "os": os, "sys": sys, "time": time}
        try:
            exec(code.text, names)
        except (OSError, MemoryError, ImportError) as error:
            output.write(f"{type(error).__name__}: {error}")
        return String(output.getvalue())


class BreachedSandbox(Sandbox):
    """A sandbox whose programs can run any Python."""

    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); from breakout import main"


def main(*wanted: str) -> None:
    """Serve as `minischeme.grading.server` does, with programs that can run any Python."""
    server.RemoteEvaluator = Breached  # type: ignore[misc]
    server.main(*wanted)
