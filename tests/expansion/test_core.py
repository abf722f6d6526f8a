"""The core AST: walking it reaches every part, whatever the node."""

from __future__ import annotations

import msgspec
import pytest

from minischeme.expansion.core import Constant, Node, Variable, children, nodes


def filled(kind: type[Node]) -> Node:
    """A node of that kind whose parts are constants."""
    values: dict[str, object] = {"span": None}
    for field in msgspec.structs.fields(kind):
        if field.name == "span":
            continue
        part = Constant(None, field.name)
        is_node, is_tuple = field.type is Node, field.type == tuple[Node, ...]
        values[field.name] = part if is_node else (part,) if is_tuple else Variable("x")
    return kind(**values)


@pytest.mark.parametrize("kind", Node.__subclasses__(), ids=lambda kind: kind.__name__)
def test_children_are_all_nodes_in_the_order_of_the_fields(kind: type[Node]) -> None:
    node = filled(kind)
    expected: list[object] = []
    for field in kind.__struct_fields__:
        part = getattr(node, field)
        expected += [item for item in (part if type(part) is tuple else (part,)) if isinstance(item, Node)]
    assert list(children(node)) == expected
    assert set(nodes(node)) == {node, *expected}
