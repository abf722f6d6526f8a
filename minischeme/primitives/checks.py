"""What a program can check and measure of itself: `check-equal?` and its kin, and what the form `time` does."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from minischeme.data.printer import display, write
from minischeme.data.values import FALSE, TRUE, UNSPECIFIED, Value
from minischeme.primitives.equivalence import eq, equal
from minischeme.primitives.kinds import Procedure
from minischeme.primitives.registry import primitive
from minischeme.runtime.resumption import Locals, Resume, resumed_by
from minischeme.runtime.tail_calls import TailCall

if TYPE_CHECKING:
    from minischeme.session.session import Session


def _checked(name: str, passed: bool, actual: Value, expected: Value, message: Value, session: Session) -> Value:
    """Print a note, unless a check was passed; the program goes on."""
    if not passed:
        reason = "" if message is None else f" ({display(message)})"
        session.output.fresh_line()
        session.output.write(f";; {name} failed{reason}: got {write(actual)}, expected {write(expected)}\n")
    return UNSPECIFIED


@primitive("check-equal?", "check-expect", dialect="berkeley")
def check_equal(actual: Value, expected: Value, message: Value = None, *, session: Session) -> Value:
    """Print a note unless actual is equal? to expected."""
    return _checked("check-equal?", equal(actual, expected), actual, expected, message, session)


@primitive("check-eq?", dialect="berkeley")
def check_eq(actual: Value, expected: Value, message: Value = None, *, session: Session) -> Value:
    """Print a note unless actual is eq? to expected."""
    return _checked("check-eq?", eq(actual, expected), actual, expected, message, session)


@primitive("check-true", dialect="berkeley")
def check_true(actual: Value, message: Value = None, *, session: Session) -> Value:
    """Print a note unless actual is #t."""
    return _checked("check-true", actual is TRUE, actual, TRUE, message, session)


@primitive("check-false", dialect="berkeley")
def check_false(actual: Value, message: Value = None, *, session: Session) -> Value:
    """Print a note unless actual is #f."""
    return _checked("check-false", actual is FALSE, actual, FALSE, message, session)


@primitive("%time", dialect="berkeley")
def timed(thunk: Procedure, *, tail: TailCall, session: Session) -> Value:
    """The value of thunk; prints how much processor time it took."""
    start = time.process_time()
    result = thunk()
    if result is None:
        result = tail.run()
    return _reported(start, result, session)


def _reported(start: float, result: Value, session: Session) -> Value:
    milliseconds = (time.process_time() - start) * 1000
    session.output.fresh_line()
    session.output.write(f";; time: {milliseconds:.1f} ms\n")
    return result


@resumed_by(timed)
def _after_timed(frame: Locals) -> Resume:
    return lambda result: _reported(frame["start"], result, frame["session"])
