"""Random Scheme programs that always end, and a straightforward evaluator of the core to compare the compiler with.

The programs are made to provoke the compiler: loops within loops in every position, closures that outlive the turn they
were made in, assigned variables, operands with effects. Numbers are their only results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from minischeme.data.source import Source
from minischeme.data.values import FALSE, UNSPECIFIED, Value, intern, list_of
from minischeme.expansion import core
from minischeme.expansion.core import Node, Variable
from minischeme.reading.reader import read
from minischeme.runtime.recursion import with_deep_recursion
from minischeme.session.session import Session

PRELUDE = """
(define fuel 60)
(define (spend) (set! fuel (- fuel 1)) (if (> fuel 0) (not (= 0 (modulo fuel 5))) #f))
(define trail '())
(define (note x) (set! trail (cons x trail)) x)
(define kept '())
(define (keep! f) (set! kept (cons f kept)) 1)
(define (call-kept x) (if (null? kept) 2 ((car kept) x)))
(define (call-all fs x) (if (null? fs) '() (cons ((car fs) x) (call-all (cdr fs) x))))
"""
"""`spend` ends every loop after a few turns, and all of them in time; `note` shows in which order things happen."""

RESULT = "(set! fuel 1000) (list result (call-all kept 3) fuel trail)"


@dataclass(frozen=True)
class Proc:
    """A procedure that the text in scope may call."""

    name: str
    arity: int


@dataclass(frozen=True)
class Context:
    """What an expression may mention, and how large it may become.

    Args: variables: numbers in scope. anywhere: procedures that may be called in any position. tail: procedures that
    may be called here because this is a tail position of theirs. size: 1 is a variable or constant.
    """

    variables: tuple[str, ...] = ()
    anywhere: tuple[Proc, ...] = ()
    tail: tuple[Proc, ...] = ()
    size: int = 1

    def operand(self) -> Context:
        """For a part that is not in tail position."""
        return replace(self, tail=(), size=self.size * 2 // 5)

    def last(self) -> Context:
        """For a part in tail position."""
        return replace(self, size=self.size * 3 // 5)

    def binding(self, *names: str) -> Context:
        return replace(self, variables=self.variables + names)


@dataclass
class Programs:
    """Writes random programs.

    Args: choose: a number from 0 up to but not including its argument. size: of a program; 40 is a screenful.
    """

    choose: Callable[[int], int]
    size: int
    _names: int = field(default=0, init=False)

    def program(self) -> str:
        """A procedure `main`, and the definition of `result` by calls of it."""
        main = Proc("main", self.choose(3))
        parameters = self._distinct(main.arity)
        inside = Context(tuple(parameters), (main,) if self._maybe(3) else (), (main,), self.size)
        body = self.body(inside) if self._maybe(2) else self._loop(inside)
        outside = Context((), (main,), (), self.size // 3)
        return (
            f"(define (main{_blank_before(parameters)}) (if (spend) {body} 5))\n"
            f"(define result (list {self._call(main, outside)} {self.expression(outside)} {self._call(main, outside)}))"
        )

    def body(self, context: Context) -> str:
        """An expression, perhaps with internal definitions before it."""
        definitions = ""
        if self._maybe(2) and context.size > 4:
            group = tuple(Proc(self._fresh("p"), self.choose(3)) for _ in range(1 + self.choose(2)))
            free = tuple(proc for proc in group if self._maybe(3))
            context = replace(context, anywhere=context.anywhere + free)
            # A call of what is around from inside one of them is in tail position if all calls of theirs are.
            inside = replace(context.last(), tail=group + (() if free else context.tail))
            definitions += "".join(self._definition(proc, inside) for proc in group)
            context = replace(context, tail=context.tail + group)
        if self._maybe(4):
            name = self._fresh()
            definitions += f"(define {name} {self.definition(context)}) "
            context = context.binding(name)
        if self._maybe(4):
            definitions += f"{self.expression(context.operand())} "
        return f"(let () {definitions}{self.expression(context.last())})" if definitions else self.expression(context)

    def _definition(self, proc: Proc, context: Context) -> str:
        names = self._distinct(proc.arity)
        body = self.body(context.binding(*names))
        return f"(define ({proc.name}{_blank_before(names)}) (if (spend) {body} 6)) "

    # ── expressions ──────────────────────────────────────────────────────────────────────────────────────────────

    def expression(self, context: Context) -> str:
        """An expression whose value is a number."""
        if context.tail and self._maybe(3):
            return self._call(context.tail[-1 - self.choose(len(context.tail))], context)
        if context.size <= 1:
            return self._leaf(context)
        kinds = self.kinds()
        return kinds[self.choose(len(kinds))](context)

    def kinds(self) -> tuple[Callable[[Context], str], ...]:
        """The kinds of expressions, each as often as it is likely to be chosen."""
        return (
            self._arithmetic, self._arithmetic, self._if, self._if, self._if, self._let, self._let, self._loop,
            self._loop, self._loop, self._set, self._set, self._set, self._note, self._closure, self._closure,
            self._any_call, self._any_call, self._begin, self.body, self._kept, self._or, self._cond, self._do,
            self._immediate,
        )  # fmt: skip

    def test(self, context: Context) -> str:
        """An expression whose value is used as a truth value."""
        context = context.operand()
        choice = self.choose(8) if context.size > 0 else 0
        if choice < 3:
            comparison = ("=", "<", ">", "<=", "eqv?", "eq?")[self.choose(6)]
            return f"({comparison} {self.expression(context)} {self.expression(context)})"
        if choice == 3:
            return f"(not {self.test(context)})"
        if choice == 4:
            return f"(and {self.test(context)} {self.test(context)})"
        if choice == 5:
            return f"(or {self.test(context)} {self.test(context)})"
        if choice == 6:
            return f"(if {self.test(context)} {self.test(context)} {('#t', '#f', self.test(context))[self.choose(3)]})"
        return f"({('even?', 'odd?', 'zero?', 'null?', 'pair?')[self.choose(5)]} {self.expression(context)})"

    def _leaf(self, context: Context) -> str:
        if context.variables and not self._maybe(4):
            return self._variable(context)
        return str(self.choose(10))

    def _variable(self, context: Context) -> str:
        """A variable in scope, an inner one rather than an outer one."""
        count = len(context.variables)
        return context.variables[-1 - min(self.choose(count), self.choose(count))]

    def _arithmetic(self, context: Context) -> str:
        operands = [self.expression(context.operand()) for _ in range(2 + self.choose(2))]
        return f"({('+', '-', '+', 'max')[self.choose(4)]}{_blank_before(operands)})"

    def _if(self, context: Context) -> str:
        return f"(if {self.test(context)} {self.expression(context.last())} {self.expression(context.last())})"

    def _cond(self, context: Context) -> str:
        first = f"({self.test(context)} {self.expression(context.last())})"
        second = f"((and {self.test(context)} {self.expression(context.operand())}) => (lambda (x) (+ x 1)))"
        return f"(cond {first} {second} (else {self.expression(context.last())}))"

    def _or(self, context: Context) -> str:
        first = f"(and {self.test(context)} {self.expression(context.operand())})"
        return f"(or {first} {self.expression(context.last())})"

    def definition(self, context: Context) -> str:
        """The value of a variable whose definition is in its own scope."""
        return self.expression(context.operand())

    def _let(self, context: Context) -> str:
        keyword = ("let", "let*", "letrec")[self.choose(3)]
        count = 1 + self.choose(2)
        names = [self._fresh() for _ in range(count)] if keyword == "letrec" else self._distinct(count)
        clauses = []
        inner = context
        for name in names:
            outer = inner if keyword == "let*" else context
            value = self.definition(outer) if keyword == "letrec" else self.expression(outer.operand())
            clauses.append(f"({name} {value})")
            inner = inner.binding(name)
        return f"({keyword} ({' '.join(clauses)}) {self.body(inner.last())})"

    def _immediate(self, context: Context) -> str:
        (name,) = self._distinct(1)
        operand = self.expression(context.operand())
        return f"((lambda ({name}) {self.body(context.binding(name).last())}) {operand})"

    def _loop(self, context: Context) -> str:
        loop = Proc(self._fresh("loop"), self.choose(4))
        names = self._distinct(loop.arity)
        clauses = " ".join(f"({name} {self.expression(context.operand())})" for name in names)
        inside = replace(context.binding(*names).last(), tail=(*context.tail, loop, loop))
        if self._maybe(4):
            inside = replace(inside, anywhere=(*context.anywhere, loop))
        turn = self.body(inside)
        if self._maybe(2):  # a turn that does something, and goes on
            turn = f"(begin {self.expression(replace(inside, tail=()))} {self._call(loop, inside)})"
        end = self.expression(replace(inside, size=0, tail=context.tail))
        return f"(let {loop.name} ({clauses}) (if (spend) {turn} {end}))"

    def _do(self, context: Context) -> str:
        name, total = self._fresh(), self._fresh()
        inside = context.binding(name, total)
        clauses = (
            f"(({name} 0 (+ {name} 1))"
            f" ({total} {self.expression(context.operand())} {self.expression(inside.operand())}))"
        )
        end = f"((or (not (spend)) {self.test(inside)}) {self.expression(inside.last())})"
        return f"(do {clauses} {end} {self.expression(inside.operand())})"

    def _set(self, context: Context) -> str:
        if not context.variables:
            return self._leaf(context)
        assignment = f"(set! {self._variable(context)} {self.expression(context.operand())})"
        return f"(begin {assignment} {self.expression(context.last())})"

    def _note(self, context: Context) -> str:
        return f"(note {self.expression(context.operand())})"

    def _begin(self, context: Context) -> str:
        first = self.expression(context.operand())
        if self._maybe(2):
            first = f"(if {self.test(context)} {first})"
        return f"(begin {first} {self.expression(context.last())})"

    def _closure(self, context: Context) -> str:
        (name,) = self._distinct(1)
        body = self.expression(context.binding(name).operand())
        return f"(begin (keep! (lambda ({name}) (if (spend) {body} 7))) {self.expression(context.last())})"

    def _kept(self, context: Context) -> str:
        return f"(call-kept {self.expression(context.operand())})"

    def _any_call(self, context: Context) -> str:
        if not context.anywhere:
            return self._closure(context)
        return self._call(context.anywhere[-1 - self.choose(len(context.anywhere))], context)

    def _call(self, proc: Proc, context: Context) -> str:
        return f"({proc.name}{_blank_before([self.expression(context.operand()) for _ in range(proc.arity)])})"

    def _fresh(self, base: str = "v") -> str:
        self._names += 1
        return f"{base}{self._names}"

    def _distinct(self, count: int) -> list[str]:
        """So many names; some of them may shadow others, or mean something to Python or the compiler."""
        names = [self._fresh() for _ in range(count)]
        if names and self._maybe(4):
            names[0] = ("x", "x", "|None|", "|x'2|", "|'t1|", "|'jump|", "print")[self.choose(7)]
        return names

    def _maybe(self, one_in: int) -> bool:
        """A chance of one in so many."""
        return self.choose(one_in) == 0


def _blank_before(words: list[str]) -> str:
    return "".join(" " + word for word in words)


# ── the evaluator ────────────────────────────────────────────────────────────────────────────────────────────────────


class Closure:
    """A procedure of the evaluator."""

    def __init__(self, procedure: core.Lambda, frame: Frame) -> None:
        self.procedure = procedure
        self.frame = frame


class Frame:
    """The variables of one call of a procedure."""

    def __init__(self, outer: Frame | None) -> None:
        self.outer = outer
        self.values: dict[Variable, Any] = {}

    def holder(self, variable: Variable) -> dict[Variable, Any]:
        """The dict of the frame that has the variable."""
        frame: Frame | None = self
        while frame is not None and variable not in frame.values:
            frame = frame.outer
        assert frame is not None, f"unassigned: {variable}"
        return frame.values


class Evaluator:
    """Evaluates core nodes by the book: one Python call for each expression, no tail calls, no cleverness."""

    def __init__(self) -> None:
        self.session = Session()
        self.globals: dict[str, Any] = {}

    def run(self, text: str) -> Value:
        value: Value = UNSPECIFIED
        for form in read(Source(text, "reference")):
            node = self.session.main.expander.toplevel(form)
            value = with_deep_recursion(lambda node=node: self.evaluate(node, Frame(None)))  # type: ignore[misc]
        return value

    def evaluate(self, node: Node, frame: Frame) -> Any:
        match node:
            case core.Constant(value=value):
                return value
            case core.Local(variable=variable):
                return frame.holder(variable)[variable]
            case core.Global(name=name) if name in self.globals:
                return self.globals[name]
            case core.Global(name=name) | core.Standard(name=name):
                return self.session.library[name]
            case core.If():
                truth = self.evaluate(node.test, frame) is not FALSE
                return self.evaluate(node.consequent if truth else node.alternative, frame)
            case core.Or():
                value = self.evaluate(node.first, frame)
                return value if value is not FALSE else self.evaluate(node.second, frame)
            case core.Sequence():
                return [self.evaluate(part, frame) for part in node.parts][-1]
            case core.Lambda():
                return Closure(node, frame)
            case core.Bind(variable=variable):
                frame.values[variable] = self.evaluate(node.value, frame)
                return intern(variable.name)
            case core.SetLocal(variable=variable):
                value = self.evaluate(node.value, frame)
                frame.holder(variable)[variable] = value
                return UNSPECIFIED
            case core.Define() | core.SetGlobal():
                self.globals[node.name] = self.evaluate(node.value, frame)
                return UNSPECIFIED
            case core.Call():
                operator, *operands = [self.evaluate(part, frame) for part in (node.operator, *node.operands)]
                return self.apply(operator, operands)
        raise AssertionError(node)

    def apply(self, procedure: Any, arguments: list[Any]) -> Any:
        if not isinstance(procedure, Closure):
            return procedure(*arguments)
        frame = Frame(procedure.frame)
        expected = procedure.procedure.parameters
        frame.values.update(zip(expected, arguments[: len(expected)], strict=True))
        if procedure.procedure.rest is not None:
            frame.values[procedure.procedure.rest] = list_of(arguments[len(expected) :])
        return self.evaluate(procedure.procedure.body, frame)
