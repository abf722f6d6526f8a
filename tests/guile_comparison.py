"""Random programs that enter continuations again, compared with Guile.

They are given to Guile as what they expand to, with the order of evaluation fixed by ``let*``. Its own winds and
handlers are not those of R7RS: the winds are made of its `call/cc` here, exceptions are left out.
``python tests/guile_comparison.py 10000 --first 5000`` compares so many programs and shows those that differ.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator

from continuation_comparison import DIFFERENT, SAME, TOO_LONG, actual, expected
from continuation_programs import CONTINUATIONS, RESULT, ContinuationPrograms
from cps_evaluator import PRELUDE, ContinuationEvaluator, TooLong

from minischeme.data.printer import write
from minischeme.data.source import Source
from minischeme.data.values import Promise, Value, intern
from minischeme.expansion import core
from minischeme.expansion.core import Bind, Lambda, Node, Variable
from minischeme.primitives.control import delayed_force
from minischeme.reading.reader import read
from minischeme.session.session import Session

GUILE = shutil.which("guile")

OWN = {"dynamic-wind", "%guard"}
"""What the evaluator's prelude defines with procedures of the evaluator."""

WINDS = """
(define %call/cc call/cc)
(define %winds '())
(define (call/cc receiver)
  (%call/cc (lambda (k) (let ((winds %winds)) (receiver (lambda (x) (%rewind winds) (k x)))))))
(define (dynamic-wind before thunk after)
  (before)
  (set! %winds (cons (cons before after) %winds))
  (let ((value (thunk))) (set! %winds (cdr %winds)) (after) value))
(define (%rewind target)
  (cond ((eq? %winds target))
        ((< (length %winds) (length target)) (%rewind (cdr target)) ((caar target)) (set! %winds target))
        (else (let ((after (cdar %winds))) (set! %winds (cdr %winds)) (after) (%rewind target)))))
"""

DRIVER = """
(define (%delay thunk) (vector thunk #f #f))
(define (%delay-force thunk) (vector thunk #f #t))
(define (force promise)
  (let ((thunk (vector-ref promise 0)))
    (if thunk
        (let ((value (thunk)))
          (cond ((not (eq? (vector-ref promise 0) thunk)) (force promise))
                ((vector-ref promise 2) (vector-move-left! value 0 3 promise 0) (force promise))
                (else (vector-set! promise 0 #f) (vector-set! promise 1 value) value)))
        (vector-ref promise 1))))
(define %forms '())
(define %is-shown #f)
(define (%next)
  (cond ((pair? %forms)
         (let ((form (car %forms)))
           (set! %forms (cdr %forms))
           (set! %is-shown (car form))
           (%finish (primitive-eval (cadr form)))))
        (else
         (let ((program (read)))
           (if (not (eof-object? program)) (begin (set! %forms program) (%next)))))))
(define (%finish value) (if %is-shown (begin (write value) (newline))) (%next))
(%next)
"""
"""Reads programs: lists of forms, each with whether its value is to be shown. What calls a continuation goes on with
the next form, as at a prompt."""


class Translation:
    """Core as text for Guile. Args: names: of the variables."""

    def __init__(self) -> None:
        self._names: dict[Variable, str] = {}
        self._session = Session()

    def forms(self, text: str) -> Iterator[tuple[Node, str]]:
        """The forms of a text, as core and for Guile."""
        for form in read(Source(text, "guile")):
            node = self._session.main.expander.toplevel(form)
            yield node, self._text(node)

    def _name(self, variable: Variable) -> str:
        return self._names.setdefault(variable, f"%{len(self._names)}")

    def _text(self, node: Node) -> str:
        match node:
            case core.Constant(value=value):
                return _constant(value)
            case core.Local(variable=variable):
                return self._name(variable)
            case core.Global(name=name) | core.Standard(name=name):
                return write(intern(name))
            case core.SetLocal(variable=variable, value=value):
                return f"(set! {self._name(variable)} {self._text(value)})"
            case core.Define(name=name, value=value):
                symbol = write(intern(name))
                return f"(begin (define {symbol} {self._text(value)}) '{symbol})"
            case core.SetGlobal(name=name, value=value):
                return f"(set! {write(intern(name))} {self._text(value)})"
            case core.If():
                return f"(if {self._text(node.test)} {self._text(node.consequent)} {self._text(node.alternative)})"
            case core.Or():
                return f"(or {self._text(node.first)} {self._text(node.second)})"
            case core.Lambda():
                parameters = " ".join(map(self._name, node.parameters))
                rest = "" if node.rest is None else f" . {self._name(node.rest)}"
                head = f"({parameters}{rest})" if parameters or not rest else self._name(node.rest)  # type: ignore[arg-type]
                return f"(lambda {head} {self._text(node.body)})"
            case core.Bind():
                return self._sequence((node, core.Constant(None, intern(node.variable.name))))
            case core.Sequence():
                recursive = [part.variable for part in node.parts if isinstance(part, Bind)]
                places = " ".join(f"({self._name(variable)} #f)" for variable in recursive if variable.is_recursive)
                return f"(let ({places}) {self._sequence(node.parts)})"
            case core.Call():
                return self._call(node)
        raise AssertionError(node)

    def _call(self, node: core.Call) -> str:
        """A call whose parts are evaluated from left to right."""
        parts = [self._text(part) for part in core.children(node)]
        names = [f"%t{index}" for index in range(len(parts))]
        clauses = " ".join(f"({name} {part})" for name, part in zip(names, parts, strict=True))
        return f"(let* ({clauses}) ({' '.join(names)}))"

    def _sequence(self, parts: tuple[Node, ...]) -> str:
        first, *others = parts
        if not others:
            return self._text(first)
        rest = self._sequence(tuple(others))
        if not isinstance(first, Bind):
            return f"(begin {self._text(first)} {rest})"
        name, value = self._name(first.variable), self._text(first.value)
        if first.variable.is_recursive:
            return f"(begin (set! {name} {value}) {rest})"
        return f"({'letrec' if isinstance(first.value, Lambda) else 'let'} (({name} {value})) {rest})"


def _constant(value: Value) -> str:
    if value is Promise or value is delayed_force:
        return "%delay" if value is Promise else "%delay-force"
    text = write(value)
    return text if type(value) is int or text in ("#t", "#f") or text.startswith('"') else f"'{text}"


def program(seed: int) -> list[str]:
    """The forms of a random program without exceptions."""
    random_ = random.Random(seed)
    programs = ContinuationPrograms(random_.randrange, random_.randrange(5, 25))
    programs.for_guile = True
    return programs.forms()


def in_guile(programs: list[list[str]]) -> list[list[str]]:
    """The reports of programs, as Guile has them."""
    translation = Translation()
    prelude = [
        text for node, text in translation.forms(PRELUDE) if not (isinstance(node, core.Define) and node.name in OWN)
    ]
    setup = [f"(#f {text})" for _, text in translation.forms(CONTINUATIONS)]
    ((_, result),) = translation.forms(RESULT)
    texts = []
    for index, forms in enumerate(programs):
        shown = [f"({flag} {text})" for form in forms for flag, text in _with_result(translation, form, result)]
        texts.append(f"({' '.join([*setup, *shown])} (#t (quote (end {index}))))")
    driver = "\n".join([WINDS, *prelude, DRIVER])
    assert GUILE is not None
    with tempfile.NamedTemporaryFile("w", suffix=".scm") as file:
        file.write(driver)
        file.flush()
        command = [GUILE, "--no-auto-compile", "-q", "-s", file.name]
        done = subprocess.run(
            command, input="\n".join(texts), stdout=subprocess.PIPE, text=True, timeout=600, check=True
        )
    found: list[list[str]] = [[]]
    for line in done.stdout.splitlines():
        if line == f"(end {len(found) - 1})":
            found.append([])
        else:
            found[-1].append(line)
    return found[:-1]


def _with_result(translation: Translation, form: str, result: str) -> Iterator[tuple[str, str]]:
    for _, text in translation.forms(form):
        yield "#f", text
    yield "#t", result


def compare(seeds: Iterable[int]) -> Iterator[tuple[int, str]]:
    """What comes of comparing programs: those that the evaluator does not give up."""
    evaluator = ContinuationEvaluator()
    ours: dict[int, list[str]] = {}
    for seed in seeds:
        try:
            expected(evaluator, program(seed))
            ours[seed] = actual(program(seed))[1::2]
        except TooLong:
            yield seed, TOO_LONG
    theirs = in_guile([program(seed) for seed in ours])
    for (seed, our), their in zip(ours.items(), theirs, strict=True):
        yield seed, SAME if our == their else DIFFERENT


def main() -> None:
    """Compare programs with Guile, and show those that differ."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("count", type=int, help="how many programs")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first")
    options = parser.parse_args()
    results: Counter[str] = Counter()
    end = options.first + options.count
    for first in range(options.first, end, 200):
        for seed, result in compare(range(first, min(first + 200, end))):
            if result == DIFFERENT:
                print(seed, *program(seed), sep="\n", flush=True)
            results[result] += 1
        print(dict(results), flush=True)


if __name__ == "__main__":
    main()
