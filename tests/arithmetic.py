"""Generated arithmetic, for tests: trees of calls, their values in Python, and the ways to write them in Scheme."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from minischeme.data.printer import write

Tree = Any
"""A number, or a list of an operator's name and its operands."""


def trees(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Tree]:
    """Sums, differences and products, nested."""
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(st.sampled_from("+-*"), inner, inner).map(list),
            st.tuples(st.sampled_from("+*"), inner, inner, inner).map(list),
            st.tuples(st.sampled_from(["1+", "-1+", "-"]), inner).map(list),
        ),
        max_leaves=8,
    )


def of_python(tree: Tree) -> Any:
    """The value of a tree by Python's arithmetic."""
    if not isinstance(tree, list):
        return Fraction(tree) if isinstance(tree, Fraction) else tree
    name, first, *rest = tree[0], *map(of_python, tree[1:])
    if name == "1+":
        return first + 1
    if name == "-1+":
        return first - 1
    if not rest:
        return -first
    for other in rest:
        first = {"+": operator.add, "-": operator.sub, "*": operator.mul}[name](first, other)
    return first


def leaves_of(tree: Tree) -> list[Any]:
    return [leaf for part in tree[1:] for leaf in leaves_of(part)] if isinstance(tree, list) else [tree]


def text_of(tree: Tree, leaf: Callable[[Any], str]) -> str:
    """A tree as Scheme, each of its numbers as `leaf` says it, from left to right."""
    if not isinstance(tree, list):
        return leaf(tree)
    return f"({' '.join([tree[0], *[text_of(part, leaf) for part in tree[1:]]])})"


def with_literals(tree: Tree) -> str:
    return text_of(tree, write)


def with_globals(tree: Tree) -> str:
    names = iter(range(1000))
    definitions = "".join(f"(define g{place} {write(leaf)})" for place, leaf in enumerate(leaves_of(tree)))
    return definitions + text_of(tree, lambda leaf: f"g{next(names)}")


def with_parameters(tree: Tree) -> str:
    count = len(leaves_of(tree))
    names = iter(range(1000))
    parameters = " ".join(f"p{place}" for place in range(count))
    body = text_of(tree, lambda leaf: f"p{next(names)}")
    return f"(define (f {parameters}) {body}) (f {' '.join(map(write, leaves_of(tree)))})"


def with_calls(tree: Tree) -> str:
    return "(define (same x) x) " + text_of(tree, lambda leaf: f"(same {write(leaf)})")


def with_statements(tree: Tree) -> str:
    return text_of(tree, lambda leaf: f"(let loop ((x {write(leaf)}) (i 0)) (if (= i 1) x (loop x (+ i 1))))")


def with_standard_procedures(tree: Tree) -> str:
    """By way of `apply`, which the compiler can't look into."""
    if not isinstance(tree, list):
        return write(tree)
    return f"(apply {tree[0]} (list {' '.join(map(with_standard_procedures, tree[1:]))}))"


WAYS = [with_literals, with_globals, with_parameters, with_calls, with_statements, with_standard_procedures]
