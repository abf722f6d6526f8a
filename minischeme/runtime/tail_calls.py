"""The register of the pending tail call, and the trampoline that runs it.

A procedure is a plain Python function. It returns None to say that a tail call is pending in the session's `TailCall`;
a caller that needs the value runs the pending calls (ARCHITECTURE.md section 4).
"""

from collections.abc import Callable
from typing import Any

from minischeme.data.values import Value
from minischeme.runtime.resumption import Locals, Resume, resumed_by, transparent


class TailCall:
    """A session's register of the one tail call that is pending.

    `procedure` and `arguments` (a tuple) are stored right before the caller returns None, and read at once.
    """

    __slots__ = ("arguments", "procedure")

    def __init__(self) -> None:
        self.procedure: Any = None
        self.arguments: tuple[Value, ...] = ()

    def __repr__(self) -> str:
        return "tail_call"

    def leave(self, procedure: Value, *arguments: Value) -> Any:
        """Leave a call pending; None, for a procedure to return."""
        self.procedure = procedure
        self.arguments = arguments

    def forget(self) -> None:
        """Clear the register: compiled code refers to it, where the collector can't see it."""
        self.procedure = None
        self.arguments = ()

    @transparent
    def run(self) -> Value:
        """Run the pending call, and all those that follow from it, to a value."""
        while True:
            procedure = self.procedure
            arguments = self.arguments
            count = len(arguments)
            if count == 1:
                (a,) = arguments
                result = procedure(a)
            elif count == 2:
                a, b = arguments
                result = procedure(a, b)
            elif count == 3:
                a, b, c = arguments
                result = procedure(a, b, c)
            elif count == 0:
                result = procedure()
            elif count == 4:
                a, b, c, d = arguments
                result = procedure(a, b, c, d)
            elif count == 5:
                a, b, c, d, e = arguments
                result = procedure(a, b, c, d, e)
            else:
                result = procedure(*arguments)
            if result is not None:
                return result

    @transparent
    def call(self, procedure: Value, arguments: tuple[Value, ...]) -> Value:
        """The value of a call: by way of the register, since ``f(*arguments)`` would use the C stack on 3.11."""
        self.procedure = procedure
        self.arguments = arguments
        return self.run()

    def then(self, procedure: Value, arguments: tuple[Value, ...], finish: Callable[[Value], Value]) -> Value:
        """The result of `finish` for the value of a call. What `finish` calls in turn, it calls last."""
        value = self.call(procedure, arguments)
        return transparent(finish)(value)


@resumed_by(TailCall.then)
def _resume_then(frame: Locals) -> Resume:
    finish: Resume = frame["finish"]
    return (lambda value: value) if "value" in frame else finish
