"""Sessions whose forms the machine of `minischeme.stepping` runs instead of compiled code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import pytest

from minischeme.compiler.assembly import Unit
from minischeme.data.values import Value
from minischeme.evaluation.namespaces import Namespace
from minischeme.runtime.resumption import transparent
from minischeme.session.session import Session
from minischeme.stepping.machine import Machine
from minischeme.stepping.recording import Recording


@contextmanager
def stepped_sessions(*, recorded: bool = True) -> Iterator[list[Recording]]:
    """Have all sessions made inside the ``with`` run by the machine; gives their recordings."""
    recordings: list[Recording] = []
    machines: WeakKeyDictionary[Any, Machine] = WeakKeyDictionary()
    begin, run = Session.__init__, Namespace._run

    def init(self: Session, *arguments: Any, **named: Any) -> None:
        begin(self, *arguments, **named)
        recording = Recording("", "", 10**9) if recorded else None
        if recording is not None:
            recordings.append(recording)
        machine = Machine(self, recording)
        for namespace in self._namespaces.values():
            machines[namespace] = machine
        make = self._libraries.make_namespace

        def made() -> Namespace:
            namespace = make()
            machines[namespace] = machine
            return namespace

        self._libraries.make_namespace = made

    @transparent
    def execute(self: Namespace, unit: Unit) -> Value:
        machine = machines.get(self)
        return run(self, unit) if unit.resumes is not None or machine is None else machine.execute(unit, self.globals)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Session, "__init__", init)
        patch.setattr(Namespace, "_run", execute)
        yield recordings
