"""An evaluator of core in continuation-passing style: what a continuation is can be read off it, so that the compiler's
continuations can be compared with its own.

Every step gives the next one, and nothing is ever kept on Python's stack. Procedures that call others are written in
Scheme, by the book.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from minischeme.data.source import Source
from minischeme.data.values import FALSE, UNSPECIFIED, MultipleValues, Promise, Value, intern, list_of
from minischeme.expansion import core
from minischeme.expansion.core import Bind, Lambda, Node, Variable
from minischeme.primitives.control import FORCES_ON
from minischeme.reading.reader import read
from minischeme.session.session import Session

Step = Callable[[], Any]
Then = Callable[[Any], Step]
Scope = dict[Variable, list[Any]]
"""The place of each variable; an empty one has no value yet."""

PRELUDE = """
(define (dynamic-wind before thunk after)
  (before)
  (%enter before after)
  (call-with-values thunk (lambda results (%leave) (after) (apply values results))))
(define (%guard body choose)
  ((call/cc (lambda (leave)
     (with-exception-handler
       (lambda (problem)
         ((call/cc (lambda (stay)
            (leave (lambda ()
              ((lambda (clause) (if clause (clause) (stay (lambda () (raise-continuable problem)))))
               (choose problem))))))))
       (lambda () ((lambda (value) (lambda () value)) (body))))))))
(define (make-parameter value)
  (lambda new (if (null? new) value ((lambda (old) (set! value (car new)) old) value))))
(define (%parameterize body parameter value)
  (define (swap) (set! value (parameter value)))
  (dynamic-wind swap body swap))
(define (map f list . lists)
  (if (null? lists)
      (map-one f list)
      (if (memq '() (cons list lists))
          '()
          (let ((value (apply f (map-one car (cons list lists)))))
            (cons value (apply map f (map-one cdr (cons list lists))))))))
(define (map-one f list)
  (if (null? list) '() (let ((value (f (car list)))) (cons value (map-one f (cdr list))))))
(define (for-each f list) (if (pair? list) (begin (f (car list)) (for-each f (cdr list)))))
(define (filter p list)
  (cond ((null? list) '())
        ((p (car list)) (cons (car list) (filter p (cdr list))))
        (else (filter p (cdr list)))))
(define (fold-left f value list) (if (null? list) value (fold-left f (f value (car list)) (cdr list))))
(define (fold-right f value list) (if (null? list) value (f (car list) (fold-right f value (cdr list)))))
(define (reduce f list) (if (null? (cdr list)) (car list) (f (car list) (reduce f (cdr list)))))
(define accumulate reduce)
(define keep filter)
(define (every f list) (map-one f list))
(define (member x list same?)
  (cond ((null? list) #f) ((same? x (car list)) list) (else (member x (cdr list) same?))))
(define (assoc x list same?)
  (cond ((null? list) #f) ((same? x (caar list)) (car list)) (else (assoc x (cdr list) same?))))
(define (delete x list same?) (filter (lambda (y) (not (same? x y))) list))
(define (list-index f a b)
  (let next ((a a) (b b) (index 0))
    (cond ((or (null? a) (null? b)) #f) ((f (car a) (car b)) index) (else (next (cdr a) (cdr b) (+ index 1))))))
(define (list-tabulate n f) (map-one f (iota n)))
(define (vector-map f vector) (list->vector (map f (vector->list vector))))
(define (vector-for-each f vector) (for-each f (vector->list vector)))
(define (sort items less?)
  (define (merge-all runs)
    (if (or (null? runs) (null? (cdr runs)))
        runs
        (let ((merged (merge (car runs) (cadr runs)))) (cons merged (merge-all (cddr runs))))))
  (define (merge left right)
    (cond ((null? left) right)
          ((null? right) left)
          ((less? (car right) (car left)) (cons (car right) (merge left (cdr right))))
          (else (cons (car left) (merge (cdr left) right)))))
  (let next ((runs (map-one list items)))
    (cond ((null? runs) '()) ((null? (cdr runs)) (car runs)) (else (next (merge-all runs))))))
(define current-port (make-parameter #f))
(define %display display)
(define (display x . port)
  (let ((port (if (null? port) (current-port) (car port)))) (if port (%display x port))))
(define (call-with-output-string f) (let ((port (open-output-string))) (f port) (get-output-string port)))
(define (with-output-to-string thunk)
  (let ((port (open-output-string))) (%parameterize thunk current-port port) (get-output-string port)))
"""


@dataclass(frozen=True, eq=False)
class Closure:
    """A procedure of the program."""

    procedure: Lambda
    scope: Scope


@dataclass(frozen=True, eq=False)
class Wind:
    """A `dynamic-wind` that was entered. Args: handlers: in force around it. outer: the wind around it."""

    before: Any
    after: Any
    handlers: Handler | None
    outer: Wind | None


@dataclass(frozen=True, eq=False)
class Handler:
    """An exception handler in force. Args: outer: the one around it."""

    procedure: Any
    outer: Handler | None


@dataclass(frozen=True, eq=False)
class Continuation:
    """What remains to be done, and what is in force there."""

    then: Then
    winds: Wind | None
    handlers: Handler | None


class Uncaught(Exception):
    """The program has raised an object that no handler took."""


class TooLong(Exception):
    """The program has taken more steps than it may."""


@dataclass(frozen=True, eq=False)
class Finished:
    """The last step of a form."""

    value: Any


class ContinuationEvaluator:
    """Runs programs. Args: most_steps: that one form may take."""

    def __init__(self, most_steps: int = 50_000) -> None:
        self.most_steps = most_steps
        self.session = Session()
        self.globals: dict[str, Any] = {}
        self.winds: Wind | None = None
        self.handlers: Handler | None = None
        self.own: dict[str, Callable[..., Step]] = {
            "apply": lambda then, procedure, *values: self.apply(procedure, [*values[:-1], *values[-1]], then),
            "call/cc": self.call_cc,
            "call-with-values": self.call_with_values,
            "%enter": self.enter,
            "%leave": self.leave,
            "with-exception-handler": self.with_exception_handler,
            "raise": self.raise_,
            "raise-continuable": self.raise_continuable,
            "error": lambda then, *irritants: self.raise_(then, intern("error")),
            "force": self.force,
        }
        self.run(PRELUDE)
        self._at_start = dict(self.globals)

    def start_again(self) -> None:
        """Forget what programs have defined."""
        self.globals = dict(self._at_start)

    def run(self, text: str) -> Value:
        """The value of the last form of a text.

        Raises: Uncaught, TooLong.
        """
        value: Value = UNSPECIFIED
        for form in read(Source(text, "reference")):
            value = self.value_of(self.session.main.expander.toplevel(form))
        return value

    def value_of(self, root: Node) -> Any:
        """The value of a form, or of the one whose continuation it has called at last."""
        self.winds = self.handlers = None
        step: Any = self.evaluate(root, {}, Finished)
        for _ in range(self.most_steps):
            if isinstance(step, Finished):
                return step.value
            step = step()
        raise TooLong

    # ── expressions ──────────────────────────────────────────────────────────────────────────────────────────────

    def evaluate(self, node: Node, scope: Scope, then: Then) -> Step:
        """The next step, of those that bring the value of an expression to `then`."""
        match node:
            case core.Constant(value=value):
                return then(value)
            case core.Local(variable=variable):
                return then(scope[variable][0])
            case core.Global(name=name) | core.Standard(name=name):
                found = next(names[name] for names in (self.globals, self.own, self.session.library) if name in names)
                return then(found)
            case core.Lambda():
                return then(Closure(node, scope))
            case core.If():
                return self.evaluate(
                    node.test,
                    scope,
                    lambda value: self.evaluate(node.alternative if value is FALSE else node.consequent, scope, then),
                )
            case core.Or():
                return self.evaluate(
                    node.first,
                    scope,
                    lambda value: self.evaluate(node.second, scope, then) if value is FALSE else then(value),
                )
            case core.Sequence():
                places: Scope = {
                    part.variable: [] for part in node.parts if isinstance(part, Bind) and part.variable.is_recursive
                }
                return self.sequence(node.parts, {**scope, **places}, then)
            case core.Bind():  # the last of a body
                return self.sequence((node, core.Constant(None, intern(node.variable.name))), scope, then)
            case core.SetLocal(variable=variable):
                return self.evaluate(node.value, scope, lambda value: self.assign(scope[variable], value, then))
            case core.Define(name=name):
                return self.evaluate(node.value, scope, lambda value: self.define(name, value, intern(name), then))
            case core.SetGlobal(name=name):
                return self.evaluate(node.value, scope, lambda value: self.define(name, value, UNSPECIFIED, then))
            case core.Call():
                return self.values((node.operator, *node.operands), scope, (), then)
        raise AssertionError(node)

    def sequence(self, parts: tuple[Node, ...], scope: Scope, then: Then) -> Step:
        first, *others = parts
        if not others:
            return self.evaluate(first, scope, then)
        if not isinstance(first, Bind):
            return self.evaluate(first, scope, lambda _: self.sequence(tuple(others), scope, then))
        variable = first.variable
        if variable.is_recursive:
            return self.evaluate(
                first.value,
                scope,
                lambda value: self.assign(scope[variable], value, lambda _: self.sequence(tuple(others), scope, then)),
            )
        if isinstance(first.value, Lambda):  # may call itself
            scope = {**scope, variable: []}
            scope[variable].append(Closure(first.value, scope))
            return self.sequence(tuple(others), scope, then)
        return self.evaluate(
            first.value, scope, lambda value: self.sequence(tuple(others), {**scope, variable: [value]}, then)
        )

    def assign(self, place: list[Any], value: Any, then: Then) -> Step:
        place[:] = [value]
        return then(UNSPECIFIED)

    def define(self, name: str, value: Any, result: Value, then: Then) -> Step:
        self.globals[name] = value
        return then(result)

    def values(self, nodes: tuple[Node, ...], scope: Scope, before: tuple[Any, ...], then: Then) -> Step:
        """Evaluate the operator and the operands of a call from left to right, and call."""
        if len(before) == len(nodes):
            return self.apply(before[0], list(before[1:]), then)
        return self.evaluate(nodes[len(before)], scope, lambda value: self.values(nodes, scope, (*before, value), then))

    # ── procedures ───────────────────────────────────────────────────────────────────────────────────────────────

    def apply(self, procedure: Any, arguments: list[Any], then: Then) -> Step:
        match procedure:
            case Closure(procedure=Lambda() as called, scope=outer):
                count = len(called.parameters)
                if len(arguments) < count or (len(arguments) > count and called.rest is None):
                    raise TypeError(procedure)
                scope = {**outer, **{name: [value] for name, value in zip(called.parameters, arguments, strict=False)}}
                if called.rest is not None:
                    scope[called.rest] = [list_of(arguments[count:])]
                return lambda: self.evaluate(called.body, scope, then)
            case Continuation():
                value = arguments[0] if len(arguments) == 1 else MultipleValues(tuple(arguments))
                return lambda: self.rewind(procedure.winds, lambda: self.go_on(procedure, value))
            case _ if procedure in self.own.values():
                return lambda: procedure(then, *arguments)
        value = procedure(*arguments)
        return lambda: then(value)

    def call_cc(self, then: Then, receiver: Any) -> Step:
        return self.apply(receiver, [Continuation(then, self.winds, self.handlers)], then)

    def go_on(self, continuation: Continuation, value: Any) -> Step:
        self.handlers = continuation.handlers
        return continuation.then(value)

    def call_with_values(self, then: Then, producer: Any, consumer: Any) -> Step:
        def consume(value: Any) -> Step:
            return self.apply(consumer, list(value.items) if isinstance(value, MultipleValues) else [value], then)

        return self.apply(producer, [], consume)

    def force(self, then: Then, promise: Promise) -> Step:
        thunk = promise.thunk
        if thunk is None:
            return then(promise.value)

        def forced(value: Any) -> Step:
            if promise.thunk is not thunk:
                return self.force(then, promise)
            if promise.value is FORCES_ON:
                promise.thunk, promise.value = value.thunk, value.value
                return self.force(then, promise)
            promise.thunk, promise.value = None, value
            return then(value)

        return self.apply(thunk, [], forced)

    # ── what is in force ─────────────────────────────────────────────────────────────────────────────────────────

    def enter(self, then: Then, before: Any, after: Any) -> Step:
        self.winds = Wind(before, after, self.handlers, self.winds)
        return then(UNSPECIFIED)

    def leave(self, then: Then) -> Step:
        assert self.winds is not None
        self.winds = self.winds.outer
        return then(UNSPECIFIED)

    def rewind(self, target: Wind | None, step: Step) -> Step:
        """Leave and enter winds until `target` is the innermost, and take a step."""
        if self.winds is target:
            return step
        around = target
        while around is not None and around.outer is not self.winds:
            around = around.outer
        if around is not None:
            entered = around
            self.handlers = entered.handlers
            return self.apply(entered.before, [], lambda _: self.entered(entered, target, step))
        left = self.winds
        assert left is not None
        self.winds = left.outer
        self.handlers = left.handlers
        return self.apply(left.after, [], lambda _: self.rewind(target, step))

    def entered(self, wind: Wind, target: Wind | None, step: Step) -> Step:
        self.winds = wind
        return self.rewind(target, step)

    def with_exception_handler(self, then: Then, procedure: Any, thunk: Any) -> Step:
        outer = self.handlers
        self.handlers = Handler(procedure, outer)
        return self.apply(thunk, [], lambda value: self.put_back(outer, value, then))

    def put_back(self, handlers: Handler | None, value: Any, then: Then) -> Step:
        self.handlers = handlers
        return then(value)

    def raise_continuable(self, then: Then, obj: Any) -> Step:
        handler = self.handlers
        if handler is None:
            return self.rewind(None, self.fail)
        self.handlers = handler.outer
        return self.apply(handler.procedure, [obj], lambda value: self.put_back(handler, value, then))

    def raise_(self, then: Then, obj: Any) -> Step:
        def returned(_: Any) -> Step:
            self.handlers = None if self.handlers is None else self.handlers.outer
            return self.raise_(then, intern("returned"))

        return self.raise_continuable(returned, obj)

    def fail(self) -> Step:
        raise Uncaught
