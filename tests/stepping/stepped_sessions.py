"""Sessions whose forms the machine of `minischeme.stepping` runs instead of compiled code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from minischeme.compiler.assembly import Unit
from minischeme.data.values import Value
from minischeme.runtime.resumption import transparent
from minischeme.session.session import Session
from minischeme.stepping.machine import Machine
from minischeme.stepping.recording import RecordedRun


@contextmanager
def stepped_sessions(*, recorded: bool = True) -> Iterator[list[RecordedRun]]:
    """Have all sessions made inside the ``with`` run by the machine; gives their recordings."""
    runs: list[RecordedRun] = []
    begin = Session.__init__

    def init(self: Session, *arguments: Any, **named: Any) -> None:
        begin(self, *arguments, **named)
        runs.append(RecordedRun("recorded" if recorded else "", 10**9))
        machine = Machine(self, runs[-1])

        @transparent
        def execute(unit: Unit, globals_: dict[str, Value]) -> Value:
            return machine.execute(unit, globals_)

        run = self.run_as_scheme

        def run_as_scheme(thunk: Any) -> Any:
            machine.begin()
            return run(thunk)

        self.run_as_scheme = run_as_scheme  # type: ignore[method-assign]
        self.main.execute = execute

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Session, "__init__", init)
        yield runs
