"""The run time of a program's own tests, for the forms of SRFI 64 and 78, and of `time`."""

import time
from collections.abc import Callable

import msgspec

from minischeme.data.errors import SchemeError
from minischeme.data.printer import display, write
from minischeme.data.values import FALSE, TRUE, UNSPECIFIED, Boolean, SchemeObject, Value, boolean
from minischeme.primitives.equivalence import eq, equal
from minischeme.primitives.exceptions import Condition
from minischeme.primitives.kinds import Procedure, SymbolArg
from minischeme.primitives.registry import predicate, primitive, unary
from minischeme.runtime.context import Context
from minischeme.runtime.ports import Console
from minischeme.runtime.tail_calls import TailCall


class Results(msgspec.Struct):
    """The results of tests so far."""

    name: str = "tests"
    passed: int = 0
    failed: int = 0
    first: str = ""  # what is shown of the first that failed
    mode: str = "report"


class Raised(SchemeObject, msgspec.Struct, eq=False):
    """An object that an expression has raised instead of giving a value."""

    payload: Value

    def __repr__(self) -> str:
        if type(self.payload) is Condition:
            return f"an error: {self.payload.error}"
        return f"an exception: {write(self.payload)}"


unary("%raised", Value, lambda problem: Raised(problem), "What was raised, as the result of an expression.")
unary("%what-was-raised", Value, lambda outcome: outcome.payload, "What an expression has raised.")
predicate("%returned?", lambda obj: type(obj) is not Raised, "a value, not what was raised")


def _show(console: Console, text: str) -> None:
    console.output.fresh_line()
    console.output.write(f"{text}\n")


@primitive("test-begin")
def begin_tests(suite_name: Value, count: Value = None, *, context: Context) -> Value:
    """Begin a group of tests, inside the one that has begun before."""
    context.tests.append(Results(display(suite_name)))
    return UNSPECIFIED


@primitive("test-end")
def end_tests(suite_name: Value = None, *, context: Context) -> Value:
    """End a group of tests, and say how many were passed."""
    if not context.tests:
        raise SchemeError("test-end: no group of tests has begun")
    results = context.tests[-1]
    if suite_name is not None and display(suite_name) != results.name:
        raise SchemeError(f"test-end: the group that has begun is {results.name}, not:", suite_name)
    context.tests.pop()
    if context.tests:
        context.tests[-1].passed += results.passed
        context.tests[-1].failed += results.failed
    _show(context.console, f";; {results.name}: {results.passed} passed, {results.failed} failed")
    return UNSPECIFIED


@primitive("%tested")
def count_test(
    name: Value, expected: Value, outcome: Value, passed: Value, description: Value = None, *, context: Context
) -> Value:
    """Count a test, and tell of one that failed. Args: description: what to say of what is expected."""
    if context.tests:
        context.tests[-1].passed += passed is not FALSE
        context.tests[-1].failed += passed is FALSE
    if passed is FALSE:
        wanted = write(expected) if description is None else display(description)
        _show(context.console, f";; FAIL {display(name)}: got {write(outcome)}, expected {wanted}")
    return boolean(passed is not FALSE)


_MODES = ("off", "summary", "report-failed", "report")


def _checks(context: Context) -> Results:
    found: Results = context.checks or Results()
    context.checks = found
    return found


@primitive("%checking?")
def is_checking(*, context: Context) -> Boolean:
    """Whether checks are to be evaluated."""
    return boolean(_checks(context).mode != "off")


@primitive("%checked")
def checked(expression: Value, outcome: Value, expected: Value, passed: Value, *, context: Context) -> Value:
    """Count a check, and tell of it as the mode says."""
    checks = _checks(context)
    text = f"{write(expression)} => {write(outcome)} ; "
    if passed is FALSE:
        text += f"*** failed ***\n; expected result: {write(expected)}"
        checks.failed += 1
        checks.first = checks.first or text
    else:
        text += "correct"
        checks.passed += 1
    if checks.mode == "report" or (checks.mode == "report-failed" and passed is FALSE):
        _show(context.console, text)
    return UNSPECIFIED


@primitive("check-report")
def report_checks(*, context: Context) -> Value:
    """Say how many checks were correct, and show the first that failed."""
    checks = _checks(context)
    if checks.mode != "off":
        text = f"; *** checks *** : {checks.passed} correct, {checks.failed} failed."
        _show(context.console, f"{text} First failed example:\n{checks.first}" if checks.failed else text)
    return UNSPECIFIED


@primitive("check-passed?")
def have_checks_passed(expected_count: Value, *, context: Context) -> Boolean:
    """Whether no check has failed, and so many were correct."""
    checks = _checks(context)
    return boolean(checks.failed == 0 and checks.passed == expected_count)


@primitive("check-reset!")
def reset_checks(*, context: Context) -> Value:
    """Forget the checks so far."""
    context.checks = Results(mode=_checks(context).mode)
    return UNSPECIFIED


@primitive("check-set-mode!")
def set_mode_of_checks(mode: SymbolArg, *, context: Context) -> Value:
    """What to show of checks: off, summary, report-failed or report."""
    if mode.name not in _MODES:
        raise SchemeError("check-set-mode!: the modes are off, summary, report-failed and report, not:", mode)
    _checks(context).mode = mode.name
    return UNSPECIFIED


def _print_unless(name: str, passed: bool, actual: Value, expected: Value, message: Value, console: Console) -> Value:
    if not passed:
        reason = "" if message is None else f" ({display(message)})"
        _show(console, f";; {name} failed{reason}: got {write(actual)}, expected {write(expected)}")
    return UNSPECIFIED


def _comparison(names: str, same: Callable[[Value, Value], bool], how: str) -> None:
    name = names.split()[0]

    @primitive(*names.split(), help_=f"Print a note unless actual is {how} to expected.", dialect="berkeley")
    def check(actual: Value, expected: Value, message: Value = None, *, console: Console) -> Value:
        return _print_unless(name, same(actual, expected), actual, expected, message, console)


def _check_of(name: str, wanted: Value) -> None:
    @primitive(name, help_=f"Print a note unless actual is {wanted!r}.", dialect="berkeley")
    def check(actual: Value, message: Value = None, *, console: Console) -> Value:
        return _print_unless(name, actual is wanted, actual, wanted, message, console)


_comparison("check-equal? check-expect", equal, "equal?")
_comparison("check-eq?", eq, "eq?")
_check_of("check-true", TRUE)
_check_of("check-false", FALSE)


@primitive("%time", dialect="berkeley", transparent=True)
def timed(thunk: Procedure, *, tail: TailCall, console: Console) -> Value:
    """The value of thunk; prints how much processor time it took."""
    start = time.process_time()

    def report(result: Value) -> Value:
        _show(console, f";; time: {(time.process_time() - start) * 1000:.1f} ms")
        return result

    return tail.then(thunk, (), report)
