"""What a program can check and measure of itself: `check-equal?` and its kin, and what the form `time` does."""

from __future__ import annotations

import time

from minischeme.data.printer import display, write
from minischeme.data.values import FALSE, TRUE, UNSPECIFIED, Value
from minischeme.primitives.equivalence import eq, equal
from minischeme.primitives.kinds import Procedure
from minischeme.primitives.registry import primitive
from minischeme.runtime.ports import Console
from minischeme.runtime.resumption import Locals, Resume, resumed_by
from minischeme.runtime.tail_calls import TailCall


def _checked(name: str, passed: bool, actual: Value, expected: Value, message: Value, console: Console) -> Value:
    """Print a note, unless a check was passed; the program goes on."""
    if not passed:
        reason = "" if message is None else f" ({display(message)})"
        console.output.fresh_line()
        console.output.write(f";; {name} failed{reason}: got {write(actual)}, expected {write(expected)}\n")
    return UNSPECIFIED


@primitive("check-equal?", "check-expect", dialect="berkeley")
def check_equal(actual: Value, expected: Value, message: Value = None, *, console: Console) -> Value:
    """Print a note unless actual is equal? to expected."""
    return _checked("check-equal?", equal(actual, expected), actual, expected, message, console)


@primitive("check-eq?", dialect="berkeley")
def check_eq(actual: Value, expected: Value, message: Value = None, *, console: Console) -> Value:
    """Print a note unless actual is eq? to expected."""
    return _checked("check-eq?", eq(actual, expected), actual, expected, message, console)


@primitive("check-true", dialect="berkeley")
def check_true(actual: Value, message: Value = None, *, console: Console) -> Value:
    """Print a note unless actual is #t."""
    return _checked("check-true", actual is TRUE, actual, TRUE, message, console)


@primitive("check-false", dialect="berkeley")
def check_false(actual: Value, message: Value = None, *, console: Console) -> Value:
    """Print a note unless actual is #f."""
    return _checked("check-false", actual is FALSE, actual, FALSE, message, console)


@primitive("%time", dialect="berkeley")
def timed(thunk: Procedure, *, tail: TailCall, console: Console) -> Value:
    """The value of thunk; prints how much processor time it took."""
    start = time.process_time()
    result = thunk()
    if result is None:
        result = tail.run()
    return _reported(start, result, console)


def _reported(start: float, result: Value, console: Console) -> Value:
    milliseconds = (time.process_time() - start) * 1000
    console.output.fresh_line()
    console.output.write(f";; time: {milliseconds:.1f} ms\n")
    return result


@resumed_by(timed)
def _after_timed(frame: Locals) -> Resume:
    return lambda result: _reported(frame["start"], result, frame["console"])
