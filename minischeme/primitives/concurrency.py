"""Processes that share state, as in SICP section 3.4. They run to their end one after the other, in an order of chance.

So every result that serialized processes can have occurs, and none that needs two of them to be halfway at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minischeme.errors import SchemeError
from minischeme.primitives.higher_order import call, check_procedure
from minischeme.primitives.kinds import PairArg, Procedure
from minischeme.primitives.registry import primitive
from minischeme.runtime import TailCall
from minischeme.values import FALSE, TRUE, UNSPECIFIED, Pair, Value
from minischeme.values import Procedure as ProcedureType

if TYPE_CHECKING:
    from minischeme.session import Session


@primitive("parallel-execute", dialect="berkeley")
def parallel_execute(*thunks: Procedure, session: Session, tail: TailCall) -> Value:
    """Call the thunks one after the other, in an order that the session's random numbers decide."""
    for thunk in thunks:
        check_procedure(thunk)
    for thunk in session.random.sample(thunks, len(thunks)):
        call(thunk, (), tail)
    return UNSPECIFIED


@primitive("make-serializer", dialect="berkeley")
def make_serializer(*, tail: TailCall) -> Value:
    """A procedure that makes procedures serialized: of those of one serializer, only one can be active at a time.

    Example: (let ((s (make-serializer))) ((s +) 1 2)) → 3
    """
    is_active = False

    def serializer(procedure: Value) -> Value:
        if type(procedure) is not ProcedureType:
            raise SchemeError("make-serializer: not a procedure:", procedure)

        def serialized(*arguments: Value) -> Value:
            nonlocal is_active
            if is_active:
                raise SchemeError("make-serializer: deadlock: the serializer of this procedure is in use:", procedure)
            is_active = True
            try:
                return call(procedure, arguments, tail)
            finally:
                is_active = False

        return serialized

    return serializer


@primitive("test-and-set!", dialect="berkeley")
def test_and_set(cell: PairArg) -> Value:
    """Whether the car of cell is true already; it is from now on."""
    if type(cell) is not Pair:
        raise TypeError("not a pair")
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
