"""Random programs that keep continuations and call them again, from the same form and from later ones.

They end all the same: a countdown bounds how often a continuation is called.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from random_programs import PRELUDE, Context, Proc, Programs

CONTINUATIONS = (
    PRELUDE
    + """
(define places '())
(define turns 6)
(define result 0)
(define (keep-place! k) (set! places (cons k places)))
(define (mark x) (call/cc (lambda (k) (keep-place! k) x)))
(define (again i x)
  (if (and (pair? places) (> turns 0))
      (begin (set! turns (- turns 1)) (set! fuel (max fuel 12)) ((list-ref places (modulo i (length places))) x))
      x))
(define cell (make-parameter 1))
(define (number x) (if (number? x) x 11))
(define (generator body)
  (define return #f)
  (define resume #f)
  (define (yield x) (call/cc (lambda (k) (set! resume k) (return x))))
  (lambda ()
    (call/cc (lambda (k) (set! return k) (if resume (resume 8) (let ((end (body yield))) (return end)))))))
(define (coroutines first second)
  (call/cc
   (lambda (leave)
     (define waiting (lambda (x) (leave (second switch))))
     (define (switch x) (call/cc (lambda (k) (let ((next waiting)) (set! waiting k) (next x)))))
     (first switch))))
(define (report)
  (set! turns 4)
  (set! fuel 1000)
  (list result (length places) (cell) (call-all kept 3) trail))
"""
)
"""`mark` keeps the continuation of its call, `again` calls one that was kept, with a number; `report` tells what has
happened so far. `generator` makes a procedure that gives what a body yields; `coroutines` runs two bodies that switch
to each other."""

RESULT = "(report)"


class ContinuationPrograms(Programs):
    """Writes random programs with continuations.

    `for_guile` tells whether they do without exceptions and several values.
    """

    for_guile = False
    with_any_definitions = False

    def forms(self) -> list[str]:
        """A program, and forms that call the continuations that it has kept."""
        found = [self.program()]
        for _ in range(2 + self.choose(4)):
            inside = Context(size=8)
            forms = (
                self._again, self._again, self._again, self._wind, self._wind, self._generator,
                self._coroutines if self.for_guile else self._guard,
                lambda context: f"(define result (list {self.expression(context)}))",
            )  # fmt: skip
            found.append(f"(set! fuel 60) {forms[self.choose(len(forms))](inside)}")
        return found

    def kinds(self) -> tuple[Callable[[Context], str], ...]:
        ours = (
            self._mark, self._mark, self._mark, self._mark, self._mark, self._place, self._place, self._place,
            self._again, self._again, self._again, self._escape, self._escape,
            self._mapped, self._folded, self._chosen, self._for_each, self._wind, self._parameterize, self._cell,
            self._applied, self._vector_map, self._inner_loop, self._inner_loop, self._reassigned,
            self._reassigned, self._generator, self._coroutines, self._promise, self._printed, self._sorted,
        )  # fmt: skip
        others = (
            ()
            if self.for_guile
            else (self._guard, self._raise, self._handler, self._nested_handlers, self._values, self._sought)
        )
        return super().kinds() + ours + others

    def definition(self, context: Context) -> str:
        """What is returned from once: R7RS 4.2.2 leaves open what happens otherwise."""
        if self.with_any_definitions:
            return super().definition(context)
        return f"(+ {super()._leaf(context)} {self.choose(5)})"

    def _leaf(self, context: Context) -> str:
        leaf = super()._leaf(context)
        return f"(mark {leaf})" if self._maybe(8) else leaf

    def _mark(self, context: Context) -> str:
        return f"(mark {self.expression(context.operand())})"

    def _place(self, context: Context) -> str:
        """What is evaluated inside of `call/cc`."""
        inside = replace(context.last(), tail=())
        return f"(call/cc (lambda (k) (keep-place! k) {self.expression(inside)}))"

    def _escape(self, context: Context) -> str:
        inside = replace(context.last(), tail=())
        escape = f"(k {self.expression(context.operand())})"
        return f"(call/cc (lambda (k) (+ {self.expression(inside)} (if {self.test(context)} {escape} 1))))"

    def _again(self, context: Context) -> str:
        return f"(again {self.choose(20)} {self.expression(context.operand())})"

    def _lambda(self, context: Context, count: int = 1) -> str:
        names = self._distinct(count)
        inside = replace(context.binding(*names).last(), tail=())
        return f"(lambda ({' '.join(names)}) {self.body(inside)})"

    def _list(self, context: Context) -> str:
        return f"(list{''.join(' ' + self.expression(context.operand()) for _ in range(1 + self.choose(3)))})"

    def _mapped(self, context: Context) -> str:
        name = ("map", "every")[self.choose(2)]
        if self._maybe(3):
            return f"(apply + (map {self._lambda(context, 2)} {self._list(context)} {self._list(context)}))"
        return f"(apply + ({name} {self._lambda(context)} {self._list(context)}))"

    def _vector_map(self, context: Context) -> str:
        return f"(vector-ref (vector-map {self._lambda(context)} (list->vector {self._list(context)})) 0)"

    def _folded(self, context: Context) -> str:
        name = ("fold-left", "fold-right", "reduce", "accumulate")[self.choose(4)]
        initial = f"{self.expression(context.operand())} " if name.startswith("fold") else ""
        return f"({name} {self._lambda(context, 2)} {initial}{self._list(context)})"

    def _chosen(self, context: Context) -> str:
        name = ("filter", "keep")[self.choose(2)]
        (element,) = self._distinct(1)
        test = self.test(replace(context.binding(element), tail=()))
        return f"(length ({name} (lambda ({element}) {test}) {self._list(context)}))"

    def _sought(self, context: Context) -> str:
        first, second = self._distinct(2)
        test = self.test(replace(context.binding(first, second).last(), tail=()))
        compare = f"(lambda ({first} {second}) {test})"
        found = (
            "(length (or (member {} {} {}) '()))",
            "(cdr (or (assoc {} (map (lambda (x) (cons x x)) {}) {}) '(0 . 5)))",
            "(length (delete {} {} {}))",
        )[self.choose(3)]
        if self._maybe(3):
            return f"(or (list-index {compare} {self._list(context)} {self._list(context)}) 7)"
        if self._maybe(3):
            return f"(apply + (list-tabulate 3 {self._lambda(context)}))"
        return found.format(self.expression(context.operand()), self._list(context), compare)

    def _for_each(self, context: Context) -> str:
        name = ("(for-each {} {})", "(vector-for-each {} (list->vector {}))")[self.choose(2)]
        each = name.format(self._lambda(context), self._list(context))
        return f"(begin {each} {self.expression(context.last())})"

    def _applied(self, context: Context) -> str:
        rest = self._fresh()
        inside = replace(context.last(), tail=())
        body = f"(if (pair? {rest}) (car {rest}) {self.expression(inside)})"
        return f"(apply (lambda {rest} {body}) {self.expression(context.operand())} {self._list(context)})"

    def _thunk(self, context: Context) -> str:
        return f"(lambda () {self.body(replace(context.last(), tail=()))})"

    def _wind(self, context: Context) -> str:
        number = 10 * self._fresh_number()
        return f"(dynamic-wind (lambda () (note {number})) {self._thunk(context)} (lambda () (note {number + 1})))"

    def _guard(self, context: Context) -> str:
        inside = self.body(replace(context.last(), tail=()))
        name = self._fresh()
        clause = self.expression(replace(context.binding(name).operand(), tail=()))
        return f"(guard ({name} (#t (set! {name} (number {name})) {clause})) {inside})"

    def _raise(self, context: Context) -> str:
        raised = f"({('raise', 'raise-continuable', 'error')[self.choose(3)]} {self.expression(context.operand())})"
        guarded = f"(if {self.test(context)} {raised} {self.expression(replace(context.last(), tail=()))})"
        return f"(guard (e (#t (number e))) {guarded})" if self._maybe(2) else guarded

    def _handler(self, context: Context) -> str:
        name = self._fresh()
        handle = self.expression(replace(context.binding(name).operand(), tail=()))
        return (
            f"(with-exception-handler (lambda ({name}) (set! {name} (number {name})) {handle}) {self._thunk(context)})"
        )

    def _parameterize(self, context: Context) -> str:
        inside = replace(context.last(), tail=())
        return f"(parameterize ((cell {self.expression(context.operand())})) {self.body(inside)})"

    def _cell(self, context: Context) -> str:
        return "(cell)"

    def _values(self, context: Context) -> str:
        first, second = self._fresh(), self._fresh()
        values = f"(values {self.expression(context.operand())} {self.expression(context.operand())})"
        inside = context.binding(first, second).last()
        return f"(let-values ((({first} {second}) {values})) {self.body(replace(inside, tail=()))})"

    def _inner_loop(self, context: Context) -> str:
        """A loop in an inner procedure, which a loop around it calls."""
        procedure, loop, around, i, j, a, b = (
            self._fresh(name) for name in ("h", "loop", "around", "i", "j", "a", "b")
        )
        part = replace(context.operand(), tail=())
        calling = replace(part.binding(j, b), anywhere=(*part.anywhere, Proc(procedure, 0)))
        turn = f"(+ {b} ({procedure}))" if self._maybe(2) else self.expression(calling)
        return (
            f"(let () (define ({procedure}) (let {loop} (({i} 0) ({a} {self.expression(part)})) (if (or (>= {i} 2) "
            f"(not (spend))) {a} ({loop} (+ {i} 1) {self.expression(part.binding(i, a))})))) "
            f"(let {around} (({j} 0) ({b} {self.expression(part)})) (if (or (>= {j} 2) (not (spend))) (+ {j} {b}) "
            f"({around} (+ {j} 1) {turn}))))"
        )

    def _reassigned(self, context: Context) -> str:
        """An inner procedure that assigns its own name."""
        procedure = self._fresh("h")
        part = replace(context.operand(), tail=())
        calling = replace(part, anywhere=(*part.anywhere, Proc(procedure, 0)))
        end = f"({procedure})" if self._maybe(2) else self.expression(calling)
        return (
            f"(let () (define ({procedure}) {self.expression(part)} "
            f"(set! {procedure} (lambda () {self.expression(part)})) (if (spend) {end} 4)) "
            f"(+ ({procedure}) {self.expression(calling)} ({procedure})))"
        )

    def _nested_handlers(self, context: Context) -> str:
        """A handler that raises inside of another one of its own."""
        outer, inner = self._fresh("e"), self._fresh("e")
        part = replace(context.operand(), tail=())
        raised = f"(raise-continuable {self.expression(part)})"
        handled = f"(with-exception-handler (lambda ({inner}) {self.expression(part)}) (lambda () {raised}))"
        body = f"(+ {self.expression(part)} ({('raise', 'raise-continuable')[self.choose(2)]} {self.expression(part)}))"
        return f"(with-exception-handler (lambda ({outer}) (+ {handled} {self.expression(part)})) (lambda () {body}))"

    def _switching(self, context: Context) -> str:
        """A body with calls of a procedure that switches to another one, also inside of a wind."""
        switch = self._fresh("switch")
        inside = replace(context, tail=(), anywhere=(*context.anywhere, Proc(switch, 1)))
        first = f"({switch} {self.expression(inside.operand())})"
        number = 10 * self._fresh_number()
        wind = (
            f"(dynamic-wind (lambda () (note {number})) (lambda () {first} {self.expression(inside.operand())}) "
            f"(lambda () (note {number + 1})))"
        )
        body = (first, wind, self.expression(inside.last()))[self.choose(3)]
        return f"(lambda ({switch}) {body} {self.expression(inside.operand())})"

    def _generator(self, context: Context) -> str:
        name = self._fresh("g")
        calls = f"({name}) {self.expression(replace(context.operand(), tail=()))} ({name})"
        return f"(let (({name} (generator {self._switching(context.operand())}))) (+ {calls}))"

    def _coroutines(self, context: Context) -> str:
        return f"(coroutines {self._switching(context.operand())} {self._switching(context.operand())})"

    def _promise(self, context: Context) -> str:
        part = replace(context.operand(), tail=())
        promise = f"(delay {self.expression(part)})"
        if self._maybe(3):
            promise = f"(delay-force (begin {self.expression(part)} {promise}))"
        name = self._fresh()
        return f"(let (({name} {promise})) (+ (force {name}) {self.expression(part)} (force {name})))"

    def _printed(self, context: Context) -> str:
        part = replace(context.operand(), tail=())
        first, second = self.expression(part), self.expression(part)
        port = self._fresh()
        if self._maybe(2):
            return f"(string-length (with-output-to-string (lambda () (display {first}) (display {second}))))"
        printing = f"(display {first} {port}) (display {second} {port})"
        return f"(string-length (call-with-output-string (lambda ({port}) {printing})))"

    def _sorted(self, context: Context) -> str:
        first, second = self._fresh(), self._fresh()
        inside = replace(context.binding(first, second).operand(), tail=())
        test = f"(begin {self.expression(inside)} (< {first} {second}))"
        return f"(car (sort {self._list(context)} (lambda ({first} {second}) {test})))"

    def _fresh_number(self) -> int:
        self._names += 1
        return self._names
