"""Boxes: the storage of local variables that are assigned."""

import msgspec

from minischeme.data.values import Symbol, Value


class Box(msgspec.Struct):
    """The storage of an assigned local variable: shared by the closures that use it, and by every continuation of the
    procedure (ARCHITECTURE.md section 6)."""

    value: Value


class UnassignedCheckBox:
    """The storage of a local variable that may be used before it has its first value, which is an error: the attribute
    `value` does not exist until then."""

    __slots__ = ("name", "value")

    def __init__(self, name: Symbol) -> None:
        self.name = name
