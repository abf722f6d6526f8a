"""Random programs that enter continuations again, compared with an evaluator in continuation-passing style.

``python tests/continuation_comparison.py 10000 --first 5000`` compares so many programs and shows those that differ.
"""

from __future__ import annotations

import argparse
import io
import random
import signal
from collections import Counter
from typing import NoReturn

from continuation_programs import CONTINUATIONS, RESULT, ContinuationPrograms
from cps_evaluator import ContinuationEvaluator, TooLong, Uncaught

from minischeme import Session
from minischeme.data.errors import SchemeError
from minischeme.data.printer import write

ERROR = "error"

TOO_LONG = "too long"
SAME = "same"
DIFFERENT = "different"
"""What comes of a comparison: the evaluator gives up, or the results are the same or not."""


def program(seed: int) -> list[str]:
    """The forms of a random program."""
    random_ = random.Random(seed)
    return ContinuationPrograms(random_.randrange, random_.randrange(5, 25)).forms()


def expected(evaluator: ContinuationEvaluator, forms: list[str]) -> list[str]:
    """What is seen of a program: the value of each form, and the report after it.

    Raises: TooLong.
    """
    evaluator.start_again()
    evaluator.run(CONTINUATIONS)

    def value(text: str) -> str:
        try:
            return write(evaluator.run(text))
        except Uncaught:
            return ERROR

    return [value(form) for text in forms for form in (text, RESULT)]


def actual(forms: list[str], between: str = "") -> list[str]:
    """The same, of the program itself. Args: between: forms that run after the first one."""
    session = Session(output=io.StringIO())
    session.eval(CONTINUATIONS)

    def value(text: str) -> str:
        try:
            return write(session.eval(text))
        except SchemeError:
            return ERROR

    seen = []
    for text in forms:
        seen += [value(text), value(RESULT)]
        session.eval(between)
        between = ""
    return seen


def compare(evaluator: ContinuationEvaluator, forms: list[str], between: str = "") -> str:
    """What comes of comparing a program."""
    try:
        right = expected(evaluator, forms)
        return SAME if actual(forms, between) == right else DIFFERENT
    except TooLong:
        return TOO_LONG


class TooSlow(BaseException):
    """A program takes longer than a minute."""


def _stop(*_: object) -> NoReturn:
    raise TooSlow


def main() -> None:
    """Compare programs, and show those that differ, or end in an internal error."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("count", type=int, help="how many programs")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first")
    options = parser.parse_args()
    signal.signal(signal.SIGALRM, _stop)
    evaluator = ContinuationEvaluator()
    results: Counter[str] = Counter()
    for seed in range(options.first, options.first + options.count):
        forms = program(seed)
        signal.alarm(60)
        try:
            result = compare(evaluator, forms)
        except (Exception, TooSlow) as error:  # a bug: shown, and the next one tried
            result = DIFFERENT
            print(repr(error))
        signal.alarm(0)
        if result is DIFFERENT:
            print(seed, *forms, sep="\n", flush=True)
        results[result] += 1
        if sum(results.values()) % 1000 == 0:
            print(dict(results), flush=True)
    print(dict(results))


if __name__ == "__main__":
    main()
