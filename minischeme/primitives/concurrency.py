"""Processes that share state, as in SICP section 3.4. They run to their end one after the other, in an order of chance.

So every result that serialized processes can have occurs, and none that needs two of them to be halfway at once.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import cast

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, TRUE, Value
from minischeme.data.values import Procedure as ProcedureType
from minischeme.primitives.kinds import PairArg, Procedure
from minischeme.primitives.loops import applied_then, check_procedure
from minischeme.primitives.registry import primitive
from minischeme.runtime.random_source import RandomSource
from minischeme.runtime.resumption import Inside, Locals, extent_of, transparent
from minischeme.runtime.tail_calls import TailCall


@primitive("parallel-execute", dialect="berkeley")
@transparent
def parallel_execute(*thunks: Procedure, chance: RandomSource, tail: TailCall) -> Value:
    """Call the thunks one after the other, in an order that the session's random numbers decide."""
    for thunk in thunks:
        check_procedure(thunk)
    start = cast(FunctionType, lambda thunk: without_interrupts(thunk, tail=tail))
    return applied_then(start, [chance.random.sample(thunks, len(thunks))], lambda _: TRUE, tail)


@primitive("make-serializer", dialect="berkeley", example="(let ((s (make-serializer))) ((s +) 1 2)) → 3")
def make_serializer(*, tail: TailCall) -> Value:
    """A procedure that makes procedures serialized: of those of one serializer, only one can be active at a time."""
    own = _Serializer(tail)

    def serializer(procedure: Value) -> Value:
        if type(procedure) is not ProcedureType:
            raise SchemeError("make-serializer: not a procedure:", procedure)

        def serialized(*arguments: Value) -> Value:
            if own.is_active:
                raise SchemeError("make-serializer: deadlock: the serializer of this procedure is in use:", procedure)
            tail.procedure = procedure
            tail.arguments = arguments
            return own.active(tail.run)

        return transparent(serialized)

    return serializer


class _Serializer:
    """Lets one procedure be active at a time."""

    def __init__(self, tail: TailCall) -> None:
        self.is_active = False
        self._tail = tail

    def active(self, thunk: Callable[[], Value]) -> Value:
        """The value of thunk, with a serialized procedure active meanwhile."""
        self.is_active = True
        try:
            result = thunk()
            return self._tail.run() if result is None else result
        finally:
            self.is_active = False


@extent_of(_Serializer.active)
def _inside_active(frame: Locals) -> Inside:
    return lambda thunk: frame["self"].active(thunk)


@primitive("test-and-set!", dialect="berkeley")
def test_and_set(cell: PairArg) -> Value:
    """Whether the car of cell is true already; it is from now on."""
    before = cell.car
    cell.car = TRUE
    return FALSE if before is FALSE else TRUE


@primitive("without-interrupts", dialect="berkeley", tail_calls=True)
def without_interrupts(thunk: Procedure, *, tail: TailCall) -> Value:
    """Call thunk, and nothing else meanwhile."""
    check_procedure(thunk)
    tail.procedure = thunk
    tail.arguments = ()
    return None
