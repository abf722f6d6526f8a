"""Bytevectors (R7RS 6.9)."""

from typing import Annotated, Any

from minischeme.data.errors import SchemeError
from minischeme.data.values import UNSPECIFIED, Bytevector, String, Value
from minischeme.primitives import kinds
from minischeme.primitives.kinds import BytevectorArg, Index, Kind, StringArg
from minischeme.primitives.registry import primitive, type_predicate
from minischeme.primitives.strings import part_of

Byte = Annotated[Any, Kind("not a byte", lambda value: type(n := kinds.as_number(value)) is int and 0 <= n < 256)]


def _byte(value: Value) -> int:
    number = kinds.as_index(value)
    if number > 255:
        raise TypeError("not a byte")
    return number


def checked(bytevector: Value) -> Bytevector:
    """The bytevector itself; a TypeError for any other value."""
    if type(bytevector) is not Bytevector:
        raise TypeError("not a bytevector")
    return bytevector


def part_of_bytes(operator: str, bytevector: Value, start: Value, end: Value) -> bytes:
    """The bytes of a bytevector from index `start` up to, not including, `end`; None for its end."""
    first, last = kinds.bounds(operator, len(checked(bytevector)), start, end)
    return bytes(bytevector)[first:last]


type_predicate("bytevector?", Bytevector, "a bytevector")


@primitive("bytevector")
def bytevector_(*items: Byte) -> Bytevector:
    """A bytevector of the arguments."""
    return Bytevector([_byte(item) for item in items])


@primitive("make-bytevector")
def make_bytevector(length: Index, fill: Byte = 0) -> Bytevector:
    """A bytevector of so many bytes, all of them `fill`."""
    return Bytevector(bytes([_byte(fill)]) * kinds.as_length("make-bytevector", length))


@primitive("bytevector-length")
def bytevector_length(bytevector: BytevectorArg) -> int:
    """The number of bytes of a bytevector."""
    return len(checked(bytevector))


@primitive("bytevector-u8-ref")
def bytevector_u8_ref(bytevector: BytevectorArg, k: Index) -> int:
    """The byte at index k, counted from 0."""
    return bytevector[kinds.position("bytevector-u8-ref", k, len(checked(bytevector)))]


@primitive("bytevector-u8-set!")
def bytevector_u8_set(bytevector: BytevectorArg, k: Index, byte: Byte) -> Value:
    """Replace the byte at index k, counted from 0."""
    bytevector[kinds.position("bytevector-u8-set!", k, len(checked(bytevector)))] = _byte(byte)
    return UNSPECIFIED


@primitive("bytevector-copy")
def bytevector_copy(bytevector: BytevectorArg, start: Index = 0, end: Index = None) -> Bytevector:
    """A new bytevector of the bytes from index start up to, not including, end."""
    return Bytevector(part_of_bytes("bytevector-copy", bytevector, start, end))


@primitive("bytevector-copy!")
def bytevector_copy_to(
    to: BytevectorArg, at: Index, from_: BytevectorArg, start: Index = 0, end: Index = None
) -> Value:
    """Replace the bytes of a bytevector, from index `at` on, by those of another from index start up to end."""
    part = part_of_bytes("bytevector-copy!", from_, start, end)
    first, last = kinds.bounds("bytevector-copy!", len(checked(to)), at, kinds.as_index(at) + len(part))
    to[first:last] = part
    return UNSPECIFIED


@primitive("bytevector-append")
def bytevector_append(*bytevectors: BytevectorArg) -> Bytevector:
    """The bytes of all the bytevectors in a row."""
    return Bytevector(b"".join(map(checked, bytevectors)))


@primitive("utf8->string")
def utf8_to_string(bytevector: BytevectorArg, start: Index = 0, end: Index = None) -> String:
    """The string that the bytes, from index start up to end, encode in UTF-8."""
    part = part_of_bytes("utf8->string", bytevector, start, end)
    try:
        return String(part.decode())
    except UnicodeDecodeError:
        raise SchemeError("utf8->string: not UTF-8:", bytevector) from None


@primitive("string->utf8")
def string_to_utf8(string: StringArg, start: Index = 0, end: Index = None) -> Bytevector:
    """The UTF-8 encoding of a string's characters from index start up to, not including, end."""
    return Bytevector(part_of("string->utf8", string, start, end).encode())
