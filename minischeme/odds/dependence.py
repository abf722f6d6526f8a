"""The parts of a hand that a strategy looks at: a proof, by data flow, that its answers depend on nothing else.

The core of the strategy is evaluated with a hand of which nothing is known but that it is the hand. It may go to
`best-total`, to `butlast`, to `se` with other cards, and to procedures of the program; where it goes anywhere else,
nothing is proved.
"""

from collections import ChainMap
from collections.abc import Sequence
from types import FunctionType
from typing import Any, NamedTuple, TypeAlias

from minischeme.compiler.assembly import info_of
from minischeme.compiler.names import Names
from minischeme.data.values import Procedure, Value, untraced
from minischeme.expansion import core
from minischeme.expansion.core import Lambda, Node, Variable
from minischeme.primitives.registry import Primitive, primitive_of
from minischeme.runtime.boxes import Box
from minischeme.runtime.names import python_name


class View(NamedTuple):
    """The hand without its last cards, so many; with `is_mixed`, with other cards in addition."""

    without: int
    is_mixed: bool = False


class _Known(NamedTuple):
    """A value that does not depend on the hand."""

    value: Value


class _Closure(NamedTuple):
    """A procedure that is made while the strategy runs."""

    procedure: Lambda
    bindings: "_Bindings"
    globals: dict[str, Value]


_Abstract: TypeAlias = View | _Known | _Closure

_Bindings: TypeAlias = ChainMap[Variable, _Abstract]
"""The variables of a call, before those of the calls around it; a variable may be bound after a closure is made."""

_FREE = _Known(None)
"""An unknown value that depends on the hand by totals alone."""

_DEEPEST = 4
"""The most cards that are left out of the hand."""

_MOST_CALLS = 5000
"""The most calls that are followed."""


class _NotProved(Exception):
    pass


def views(strategy: Procedure, best_total: Procedure) -> list[View] | None:
    """The parts of the hand whose totals decide, with the dealer's card, what a strategy answers.

    Where one is mixed, so that all cards of the part count; None if nothing is proved.
    """
    flow = _Flow(best_total)
    try:
        flow.apply(_Known(strategy), [View(0), _FREE])
    except (_NotProved, RecursionError):
        return None
    return sorted(flow.views)


class _Flow:
    """The flow of the hand through a program."""

    def __init__(self, best_total: Procedure) -> None:
        self._best_total = untraced(best_total)
        self.views: set[View] = set()
        self._active: set[tuple[Any, ...]] = set()
        self._recurring: set[tuple[Any, ...]] = set()
        self._calls = 0

    def apply(self, operator: _Abstract, arguments: Sequence[_Abstract]) -> _Abstract:
        """The value of a call."""
        if type(operator) is _Closure:
            return self._enter(operator, arguments, operator.bindings)
        if not any(map(_depends, arguments)):
            return _FREE
        if type(operator) is not _Known or type(operator.value) is not FunctionType:
            raise _NotProved
        procedure = untraced(operator.value)
        known, info = primitive_of(procedure), info_of(procedure.__code__)
        if procedure is self._best_total:
            self.views.add(_hand(arguments, 1))
            return _FREE
        if known is not None:
            return self._standard(known, arguments)
        if info is None or info.procedure is None:
            raise _NotProved
        variables = {name: variable for variable, name in Names.of_unit(info.unit).variables.items()}
        cells = zip(procedure.__code__.co_freevars, procedure.__closure__ or (), strict=True)
        captured = {variables[name]: _Known(cell.cell_contents) for name, cell in cells if name in variables}
        bindings: _Bindings = ChainMap(
            {variable: _FREE if type(known.value) is Box else known for variable, known in captured.items()}
        )
        return self._enter(_Closure(info.procedure, bindings, procedure.__globals__), arguments, procedure)

    def _standard(self, known: Primitive, arguments: Sequence[_Abstract]) -> _Abstract:
        """The value of a call of a standard procedure with a part of the hand."""
        if "sentence" in known.names:
            return _hand(arguments, len(arguments))._replace(is_mixed=True)
        if "optimal-answer" in known.names:
            self.views.add(_hand(arguments, 3)._replace(is_mixed=True))
            return _FREE
        if "butlast" in known.names:
            hand = _hand(arguments, 1)
            if not hand.is_mixed and hand.without < _DEEPEST:
                return View(hand.without + 1)
        elif not any(type(argument) is View for argument in arguments):  # it calls a procedure that looks at the hand
            closures = [each for each in arguments if type(each) is _Closure]
            if not any(_depends(self.apply(each, [_FREE] * len(each.procedure.parameters))) for each in closures):
                return _FREE
        raise _NotProved

    def _enter(self, called: _Closure, arguments: Sequence[_Abstract], identity: object) -> _Abstract:
        """The value of a call of a procedure; its `identity` tells it from others with the same text."""
        procedure = called.procedure
        self._calls += 1
        if procedure.rest is not None or len(procedure.parameters) != len(arguments) or self._calls > _MOST_CALLS:
            raise _NotProved
        passes_closure = any(type(argument) is _Closure for argument in arguments)
        call: tuple[Any, ...] = (procedure,)
        if not passes_closure:
            call = procedure, id(identity), *(id(each.value) if type(each) is _Known else each for each in arguments)
        if call in self._active:
            if passes_closure:
                raise _NotProved
            self._recurring.add(call)
            return _FREE  # unless the active call gives a part of the hand
        self._active.add(call)
        bindings = called.bindings.new_child()
        for variable, argument in zip(procedure.parameters, arguments, strict=True):
            _bind(bindings, variable, argument)
        value = self._value(procedure.body, bindings, called.globals)
        if call in self._recurring and _depends(value):
            raise _NotProved
        self._active.remove(call)
        return value

    def _value(self, node: Node, bindings: _Bindings, globals_: dict[str, Value]) -> _Abstract:
        if isinstance(node, core.Local):
            return bindings.get(node.variable, _FREE)
        if isinstance(node, core.Global | core.Standard):
            return _Known(_global(node, globals_))
        if isinstance(node, core.Lambda):
            return _Closure(node, bindings, globals_)
        values = [self._value(part, bindings, globals_) for part in core.children(node)]
        if isinstance(node, core.Call):
            return self.apply(values[0], values[1:])
        if isinstance(node, core.Bind):
            _bind(bindings, node.variable, values[0])
            return _FREE
        if isinstance(node, core.If | core.Or):
            return _either(*values[-2:])
        if isinstance(node, core.Sequence):
            return values[-1]
        if any(map(_depends, values)):  # an assignment
            raise _NotProved
        if isinstance(node, core.SetGlobal | core.Define) and type(_global(node, globals_)) is FunctionType:
            raise _NotProved  # calls of the procedure are followed as it is now
        return _FREE


def _hand(arguments: Sequence[_Abstract], count: int) -> View:
    """The part of the hand that is the only one among so many arguments."""
    hands = [argument for argument in arguments if type(argument) is View]
    if len(arguments) != count or len(hands) != 1 or any(type(argument) is _Closure for argument in arguments):
        raise _NotProved
    return hands[0]


def _global(node: core.Global | core.Standard | core.SetGlobal | core.Define, globals_: dict[str, Value]) -> Value:
    library = globals_["__builtins__"]
    key = python_name(node.name)
    if not isinstance(node, core.Standard) and key in globals_:
        return globals_[key]
    return library.get(key, library.get(node.name))


def _bind(bindings: _Bindings, variable: Variable, value: _Abstract) -> None:
    if variable.assigned and _depends(value):
        raise _NotProved
    bindings[variable] = _FREE if variable.assigned else value


def _either(first: _Abstract, second: _Abstract) -> _Abstract:
    if first is second or (type(first) is View and first == second):
        return first
    if _depends(first) or _depends(second):
        raise _NotProved
    return _FREE


def _depends(value: _Abstract, seen: frozenset[tuple[Lambda, int]] = frozenset()) -> bool:
    """Whether a value is, or holds, a part of the hand, or may do so when all its variables are bound."""
    if type(value) is not _Closure:
        return type(value) is View
    closure = value.procedure, id(value.bindings)
    if closure in seen:
        return False
    used = {part.variable for part in core.nodes(value.procedure) if isinstance(part, core.Local)}
    free = used.difference(core.bound_variables(value.procedure))
    inside = seen | {closure}
    return any(variable not in value.bindings or _depends(value.bindings[variable], inside) for variable in free)
