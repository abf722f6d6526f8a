"""The forms that put evaluation off: delay, delay-force, cons-stream."""

from minischeme.data.values import Promise
from minischeme.expansion.core import Node
from minischeme.expansion.special_form import Use, special_form
from minischeme.primitives.control import delayed_force


@special_form("delay", "(delay expression)", example="(force (delay (+ 1 2))) → 3")
def expand_delay(use: Use) -> Node:
    """A promise: the expression is evaluated once, when it is first forced."""
    return use.call(Promise, use.thunk(use.at(use.cells[0])))


@special_form("delay-force", "(delay-force expression)", example="(force (delay-force (delay (+ 1 2)))) → 3")
def expand_delay_force(use: Use) -> Node:
    """A promise that goes on with the promise that the expression gives; a chain of them needs no space."""
    return use.call(delayed_force, use.thunk(use.at(use.cells[0])))


@special_form("stream-cons", "(stream-cons first rest)")
@special_form(
    "cons-stream", "(cons-stream first rest)", example="(show-stream (cons-stream 1 (cons-stream 2 '()))) → (1 2)"
)
def expand_cons_stream(use: Use) -> Node:
    """A stream: a pair whose rest is a promise."""
    head, rest = [use.at(cell) for cell in use.cells]
    return use.call("cons", head, use.call(Promise, use.thunk(rest)))
