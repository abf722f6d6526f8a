"""What a program can check and measure of itself: `check-equal?` and its kin, and what the form `time` does."""

from __future__ import annotations

import time
from collections.abc import Callable

from minischeme.data.printer import display, write
from minischeme.data.values import FALSE, TRUE, UNSPECIFIED, Value
from minischeme.primitives.equivalence import eq, equal
from minischeme.primitives.kinds import Procedure
from minischeme.primitives.loops import call
from minischeme.primitives.registry import family_member, primitive
from minischeme.runtime.ports import Console
from minischeme.runtime.resumption import Locals, Resume, resumed_by
from minischeme.runtime.tail_calls import TailCall


def _print_unless(name: str, passed: bool, actual: Value, expected: Value, message: Value, console: Console) -> Value:
    if not passed:
        reason = "" if message is None else f" ({display(message)})"
        console.output.fresh_line()
        console.output.write(f";; {name} failed{reason}: got {write(actual)}, expected {write(expected)}\n")
    return UNSPECIFIED


def _comparison(names: str, same: Callable[[Value, Value], bool], how: str) -> None:
    name = names.split()[0]

    def check(actual: Value, expected: Value, message: Value = None, *, console: Console) -> Value:
        return _print_unless(name, same(actual, expected), actual, expected, message, console)

    help_ = f"Print a note unless actual is {how} to expected."
    family_member(check, *names.split(), help_=help_, dialect="berkeley")


def _check_of(name: str, wanted: Value) -> None:
    def check(actual: Value, message: Value = None, *, console: Console) -> Value:
        return _print_unless(name, actual is wanted, actual, wanted, message, console)

    family_member(check, name, help_=f"Print a note unless actual is {wanted!r}.", dialect="berkeley")


_comparison("check-equal? check-expect", equal, "equal?")
_comparison("check-eq?", eq, "eq?")
_check_of("check-true", TRUE)
_check_of("check-false", FALSE)


@primitive("%time", dialect="berkeley")
def timed(thunk: Procedure, *, tail: TailCall, console: Console) -> Value:
    """The value of thunk; prints how much processor time it took."""
    start = time.process_time()
    result = call(thunk, (), tail)
    return _reported(start, result, console)


def _reported(start: float, result: Value, console: Console) -> Value:
    milliseconds = (time.process_time() - start) * 1000
    console.output.fresh_line()
    console.output.write(f";; time: {milliseconds:.1f} ms\n")
    return result


@resumed_by(timed)
def _after_timed(frame: Locals) -> Resume:
    return lambda result: _reported(frame["start"], result, frame["console"])
