"""Processes that share state, as in SICP section 3.4. They run to their end one after the other, in random order.

So every result that serialized processes can have occurs, and none that needs two of them to be halfway at once.
"""

from collections.abc import Callable
from types import FunctionType
from typing import cast

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, TRUE, Value
from minischeme.primitives.kinds import PairArg, Procedure, check_procedure
from minischeme.primitives.loops import applied_then
from minischeme.primitives.registry import primitive
from minischeme.runtime.context import RandomSource
from minischeme.runtime.resumption import extent, transparent
from minischeme.runtime.tail_calls import TailCall


@primitive("parallel-execute", dialect="berkeley", transparent=True)
def parallel_execute(*thunks: Procedure, chance: RandomSource, tail: TailCall) -> Value:
    """Call the thunks one after the other, in an order that the session's random numbers decide."""
    check_procedure(*thunks)
    start = cast(FunctionType, lambda thunk: without_interrupts(thunk, tail=tail))
    return applied_then(start, [chance.random.sample(thunks, len(thunks))], lambda _: TRUE, tail)


@primitive("make-serializer", dialect="berkeley", example="(let ((s (make-serializer))) ((s +) 1 2)) → 3")
def make_serializer(*, tail: TailCall) -> Value:
    """A procedure that makes procedures serialized: of those of one serializer, only one can be active at a time."""
    in_use: list[Value] = []

    def serializer(procedure: Value) -> Value:
        if type(procedure) is not FunctionType:
            raise SchemeError("make-serializer: not a procedure:", procedure)

        def serialized(*arguments: Value) -> Value:
            if in_use:
                raise SchemeError("make-serializer: deadlock: the serializer of this procedure is in use:", procedure)
            tail.leave(procedure, *arguments)
            return _while_in_use(in_use, tail.run, tail)

        return transparent(serialized)

    return serializer


@extent
def _while_in_use(in_use: list[Value], thunk: Callable[[], Value], tail: TailCall) -> Value:
    """The value of thunk, with the serializer of that list in use meanwhile."""
    in_use.append(thunk)
    try:
        result = thunk()
        return tail.run() if result is None else result
    finally:
        in_use.clear()


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
    return tail.leave(thunk)
