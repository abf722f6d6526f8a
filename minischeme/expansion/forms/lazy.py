"""The forms that put evaluation off: delay, delay-force, cons-stream."""

from __future__ import annotations

from minischeme.data.source import Span
from minischeme.data.values import Pair, Promise
from minischeme.expansion import core
from minischeme.expansion.expander import Expander, Scope, cells, special_form
from minischeme.primitives.control import delayed_force


def _promise(expander: Expander, cell: Pair, scope: Scope, span: Span) -> core.Node:
    thunk = core.Lambda(span, None, (), None, expander.at(cell, scope, span))
    return core.Call(span, core.Constant(span, Promise), (thunk,))


@special_form("delay", "(delay expression)", example="(force (delay (+ 1 2))) → 3")
def expand_delay(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """A promise: the expression is evaluated once, when it is first forced."""
    operands = cells(form.cdr)
    if len(operands) != 1:
        expander.bad(form, span)
    return _promise(expander, operands[0], scope, span)


@special_form("delay-force", "(delay-force expression)", example="(force (delay-force (delay (+ 1 2)))) → 3")
def expand_delay_force(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """A promise that goes on with the promise that the expression gives; a chain of them needs no space."""
    operands = cells(form.cdr)
    if len(operands) != 1:
        expander.bad(form, span)
    thunk = core.Lambda(span, None, (), None, expander.at(operands[0], scope, span))
    return core.Call(span, core.Constant(span, delayed_force), (thunk,))


@special_form(
    "cons-stream", "(cons-stream first rest)", example="(show-stream (cons-stream 1 (cons-stream 2 '()))) → (1 2)"
)
def expand_cons_stream(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """A stream: a pair whose rest is a promise."""
    return _stream(expander, form, scope, span)


@special_form("stream-cons", "(stream-cons first rest)")
def expand_stream_cons(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """The same as cons-stream."""
    return _stream(expander, form, scope, span)


def _stream(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    operands = cells(form.cdr)
    if len(operands) != 2:
        expander.bad(form, span)
    head = expander.at(operands[0], scope, span)
    rest = _promise(expander, operands[1], scope, span)
    return core.Call(span, core.Standard(span, "cons"), (head, rest))
