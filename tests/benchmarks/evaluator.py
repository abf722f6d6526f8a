"""`portable/evaluator.scm` in Python, by hand, procedure for procedure and on the same data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minischeme.data.values import NIL, Pair, Symbol, intern

from .counterparts import read_text

CLOSURE, DEFINE, IF, LAMBDA, QUOTE = map(intern, ("closure", "define", "if", "lambda", "quote"))
FIB_DEFINITION = read_text("(define fib (lambda (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))))")


def new_frame(names: Any, values: Any) -> Any:
    return Pair(bindings(names, values), NIL)


def bindings(names: Any, values: Any) -> Any:
    front = end = Pair(NIL, NIL)
    while names is not NIL:
        end.cdr = end = Pair(Pair(names.car, values.car), NIL)
        names, values = names.cdr, values.cdr
    return front.cdr


def lookup(name: Symbol, environment: Any) -> Any:
    while True:
        binding = environment.car.car
        while binding is not NIL:
            if binding.car.car is name:
                return binding.car.cdr
            binding = binding.cdr
        environment = environment.cdr


def define_name(name: Symbol, value: Any, environment: Any) -> Any:
    frame = environment.car
    frame.car = Pair(Pair(name, value), frame.car)
    return name


def call(procedure: Any, arguments: Any) -> Any:
    if type(procedure) is Pair and procedure.car is CLOSURE:
        parameters, rest = procedure.cdr.car, procedure.cdr.cdr
        return evaluate(rest.car, Pair(new_frame(parameters, arguments), rest.cdr.car))
    return procedure(*arguments)


def evaluate(expression: Any, environment: Any) -> Any:
    if type(expression) is Symbol:
        return lookup(expression, environment)
    if type(expression) is not Pair:
        return expression
    operator = expression.car
    if operator is QUOTE:
        return expression.cdr.car
    if operator is IF:
        return evaluate_if(expression, environment)
    if operator is LAMBDA:
        rest = expression.cdr
        return Pair(CLOSURE, Pair(rest.car, Pair(rest.cdr.car, Pair(environment, NIL))))
    if operator is DEFINE:
        value = evaluate(expression.cdr.cdr.car, environment)
        return define_name(expression.cdr.car, value, environment)
    return call(evaluate(operator, environment), evaluate_all(expression.cdr, environment))


def evaluate_if(expression: Any, environment: Any) -> Any:
    rest = expression.cdr
    if evaluate(rest.car, environment):
        return evaluate(rest.cdr.car, environment)
    return evaluate(rest.cdr.cdr.car, environment)


def evaluate_all(expressions: Any, environment: Any) -> Any:
    if expressions is NIL:
        return NIL
    return Pair(evaluate(expressions.car, environment), evaluate_all(expressions.cdr, environment))


def evaluated_fib(n: int) -> Any:
    primitives: dict[str, Callable[[Any, Any], Any]] = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "<": lambda a, b: a < b,
    }
    frame: Any = NIL
    for name, function in primitives.items():
        frame = Pair(Pair(intern(name), function), frame)
    top = Pair(Pair(frame, NIL), NIL)
    evaluate(FIB_DEFINITION, top)
    return evaluate(Pair(intern("fib"), Pair(n, NIL)), top)
