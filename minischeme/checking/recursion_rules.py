"""The rules on recursion: a procedure that calls itself in any case, or again with the same arguments."""

from collections.abc import Iterator
from enum import Enum

from minischeme.checking.facts import is_pure, is_written, shown
from minischeme.checking.program import Toplevel
from minischeme.checking.registry import Finding, rule
from minischeme.expansion.core import Bind, Call, Define, Global, If, Lambda, Local, Node, Or, children


class _End(Enum):
    """The ways in which an evaluation may go on."""

    CALLS = "it reaches a call of the procedure in any case"
    PASSES = "it may be over without one"
    UNKNOWN = "it may leave in another way, such as by an error"


class _Procedure:
    """A procedure with the name that it calls itself by."""

    def __init__(self, toplevel: Toplevel, node: Lambda) -> None:
        self.toplevel, self.node = toplevel, node
        binding = toplevel.parents.get(node)
        is_once = type(binding) is not Define or len(toplevel.names.definitions.get(binding.name, ())) == 1
        self.binding = binding if is_once and type(binding) in (Define, Bind) else None

    def calls_itself(self, node: Node) -> bool:
        if type(node) is not Call:
            return False
        operator, binding = node.operator, self.binding
        if type(binding) is Define:
            is_global = type(operator) is Global and operator.name == binding.name
            return is_global and binding.name not in self.toplevel.names.assigned
        if type(binding) is Bind and type(operator) is Local:
            return operator.variable is binding.variable and not binding.variable.assigned
        return False

    def end(self, node: Node) -> _End:
        """The way in which the evaluation of a part of the body goes on."""
        if type(node) is If:
            return self._choice(node.test, (node.consequent, node.alternative))
        if type(node) is Or:
            found = self._choice(node.first, (node.second,))
            return found if self.end(node.first) is not _End.PASSES or found is not _End.CALLS else _End.PASSES
        if type(node) is Lambda:
            return _End.PASSES
        for part in children(node):
            found = self.end(part)
            if found is not _End.PASSES:
                return found
        if type(node) is not Call:
            return _End.PASSES
        if self.calls_itself(node):
            return _End.CALLS
        return _End.PASSES if is_pure(self.toplevel, node) else _End.UNKNOWN

    def _choice(self, test: Node, branches: tuple[Node, ...]) -> _End:
        before = self.end(test)
        if before is not _End.PASSES:
            return before
        ends = {self.end(branch) for branch in branches}
        return ends.pop() if len(ends) == 1 else _End.UNKNOWN if _End.UNKNOWN in ends else _End.PASSES


@rule("no-base-case", Lambda)
def no_base_case(toplevel: Toplevel, node: Lambda) -> Iterator[Finding]:
    """A procedure that calls itself in any case."""
    found = _Procedure(toplevel, node)
    if found.binding is not None and node.parameters and found.end(node.body) is _End.CALLS:
        message = f"{node.name} always calls itself"
        yield Finding(node.span, message, "a recursive procedure needs a base case, which gives a value without a call")


@rule("same-arguments", Lambda)
def same_arguments(toplevel: Toplevel, node: Lambda) -> Iterator[Finding]:
    """A recursive call that repeats the arguments."""
    found = _Procedure(toplevel, node)
    if found.binding is None or not node.parameters or any(variable.assigned for variable in node.parameters):
        return
    waiting = [node.body]
    while waiting:
        part = waiting.pop()
        if type(part) is Call and found.calls_itself(part) and is_written(toplevel, part):
            given = [operand.variable if type(operand) is Local else None for operand in part.operands]
            if given == list(node.parameters) and is_pure(toplevel, node.body):
                yield Finding(part.span, f"this repeats the call with the same arguments: {shown(part)}")
        if type(part) is not Lambda:
            waiting += children(part)
