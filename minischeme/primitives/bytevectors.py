"""Bytevectors, and ports of bytes on files and bytevectors (R7RS 6.9, 6.13)."""

import io
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from minischeme.data.errors import SchemeError
from minischeme.data.values import EOF, TRUE, UNSPECIFIED, Bytevector, String, Value
from minischeme.primitives import kinds
from minischeme.primitives.files import opener
from minischeme.primitives.kinds import BytevectorArg, Index, Kind, StringArg
from minischeme.primitives.ports import is_port
from minischeme.primitives.registry import predicate, primitive, unary
from minischeme.runtime.ports import Console, InputPort, OutputPort

Byte = Annotated[Any, Kind("not a byte", lambda value: type(n := kinds.as_number(value)) is int and 0 <= n < 256)]
_checked = partial(kinds.of_type, Bytevector)


def _byte(value: Value) -> int:
    number = kinds.as_index(value)
    if number > 255:
        raise TypeError("not a byte")
    return number


def _part(operator: str, bytevector: Value, start: Value, end: Value) -> bytes:
    return bytes(kinds.part(operator, _checked(bytevector), start, end))


predicate("bytevector?", Bytevector, "a bytevector")


@primitive("bytevector")
def bytevector_(*items: Byte) -> Bytevector:
    """A bytevector of the arguments."""
    return Bytevector([_byte(item) for item in items])


@primitive("make-bytevector")
def make_bytevector(length: Index, fill: Byte = 0) -> Bytevector:
    """A bytevector of so many bytes, all of them `fill`."""
    return Bytevector(bytes([_byte(fill)]) * kinds.as_length("make-bytevector", length))


unary("bytevector-length", BytevectorArg, lambda bytevector: len(_checked(bytevector)), "The number of its bytes.")


@primitive("bytevector-u8-ref")
def bytevector_u8_ref(bytevector: BytevectorArg, k: Index) -> int:
    """The byte at index k, counted from 0."""
    return bytevector[kinds.position("bytevector-u8-ref", k, len(_checked(bytevector)))]


@primitive("bytevector-u8-set!")
def bytevector_u8_set(bytevector: BytevectorArg, k: Index, byte: Byte) -> Value:
    """Replace the byte at index k, counted from 0."""
    bytevector[kinds.position("bytevector-u8-set!", k, len(_checked(bytevector)))] = _byte(byte)
    return UNSPECIFIED


@primitive("bytevector-copy")
def bytevector_copy(bytevector: BytevectorArg, start: Index = 0, end: Index = None) -> Bytevector:
    """A new bytevector of the bytes from index start up to, not including, end."""
    return Bytevector(_part("bytevector-copy", bytevector, start, end))


@primitive("bytevector-copy!")
def bytevector_copy_to(
    to: BytevectorArg, at: Index, from_: BytevectorArg, start: Index = 0, end: Index = None
) -> Value:
    """Replace the bytes of a bytevector, from index `at` on, by those of another from index start up to end."""
    part = _part("bytevector-copy!", from_, start, end)
    first, last = kinds.bounds("bytevector-copy!", len(_checked(to)), at, kinds.as_index(at) + len(part))
    to[first:last] = part
    return UNSPECIFIED


@primitive("bytevector-append")
def bytevector_append(*bytevectors: BytevectorArg) -> Bytevector:
    """The bytes of all the bytevectors in a row."""
    return Bytevector(b"".join(map(_checked, bytevectors)))


@primitive("utf8->string")
def utf8_to_string(bytevector: BytevectorArg, start: Index = 0, end: Index = None) -> String:
    """The string that the bytes, from index start up to end, encode in UTF-8."""
    part = _part("utf8->string", bytevector, start, end)
    try:
        return String(part.decode())
    except UnicodeDecodeError:
        raise SchemeError("utf8->string: not UTF-8:", bytevector) from None


@primitive("string->utf8")
def string_to_utf8(string: StringArg, start: Index = 0, end: Index = None) -> Bytevector:
    """The UTF-8 encoding of a string's characters from index start up to, not including, end."""
    return Bytevector(kinds.part("string->utf8", string.text, start, end).encode())


# ── Ports of bytes: text on them is an error; they are closed as in `files` ───────────────────────────────────────────
class BinaryInputPort(InputPort):
    """A port that bytes are read from."""

    def __init__(self, stream: io.BufferedReader, name: str) -> None:
        super().__init__(self._refuse, name, closing=stream.close)
        self.bytes = stream

    def _refuse(self) -> str:
        raise SchemeError("not a textual port:", self)


class BinaryOutputPort(OutputPort):
    """A port that bytes are written to."""

    def __init__(self, stream: Any, name: str, *, keeps: bool) -> None:
        super().__init__(stream, name, closing=(lambda: None) if keeps else stream.close)
        self.bytes = stream

    def write(self, text: str, /) -> None:
        raise SchemeError("not a textual port: text was written to it:", String(text))


BinaryInputArg = Annotated[Any, Kind("not a binary input port", lambda value: type(value) is BinaryInputPort)]
BinaryOutputArg = Annotated[Any, Kind("not a binary output port", lambda value: type(value) is BinaryOutputPort)]


def _stream(who: str, kind: type[Value], port: Value, usual: InputPort | OutputPort) -> Any:
    """The stream of bytes of an open port; an error for None, which stands for `usual`, the console's text port."""
    if port is None:
        raise SchemeError(f"{who}: not a binary port:", usual)
    if type(port) is not kind:
        raise TypeError("not a binary port that way")
    if not port.is_open:
        raise SchemeError(f"{who}: the port is closed:", port)
    return port.bytes


def _binary_input(path: str) -> BinaryInputPort:
    return BinaryInputPort(open(path, "rb"), path)


def _binary_output(path: str) -> BinaryOutputPort:
    return BinaryOutputPort(open(path, "wb"), path, keeps=False)


opener("open-binary-input-file", _binary_input, "A port to read the bytes of a file from.")
opener("open-binary-output-file", _binary_output, "A port to write bytes to a new file.")


@primitive("open-input-bytevector")
def open_input_bytevector(bytevector: BytevectorArg) -> BinaryInputPort:
    """A port to read the bytes of bytevector from."""
    stream = io.BytesIO(_checked(bytevector))
    return BinaryInputPort(io.BufferedReader(stream), "bytevector")


@primitive("open-output-bytevector")
def open_output_bytevector() -> BinaryOutputPort:
    """A port that keeps the bytes written to it, for get-output-bytevector."""
    return BinaryOutputPort(io.BytesIO(), "bytevector", keeps=True)


@primitive(
    "get-output-bytevector",
    example="(let ((port (open-output-bytevector))) (write-u8 7 port) (get-output-bytevector port)) → #u8(7)",
)
def get_output_bytevector(port: BinaryOutputArg) -> Bytevector:
    """The bytes written so far to a port from open-output-bytevector."""
    if not isinstance(port.bytes, io.BytesIO):
        raise SchemeError("get-output-bytevector: not a port from open-output-bytevector:", port)
    return Bytevector(port.bytes.getvalue())


def _is_binary(obj: Value) -> bool:
    return isinstance(obj, BinaryInputPort | BinaryOutputPort)


predicate("binary-port?", _is_binary, "a port of bytes")
predicate("textual-port?", lambda obj: is_port(obj) and not _is_binary(obj), "a port of text")


def _asking(name: str, answer: Callable[[io.BufferedReader], Value], help_: str) -> None:
    @primitive(name, help_=help_)
    def ask(port: BinaryInputArg = None, *, console: Console) -> Value:
        return answer(_stream(name, BinaryInputPort, port, console.input))


_asking("read-u8", lambda stream: next(iter(stream.read(1)), EOF), "Read one byte.")
_asking("peek-u8", lambda stream: next(iter(stream.peek(1)), EOF), "The next byte, which stays to be read.")
_asking("u8-ready?", lambda _: TRUE, "Whether read-u8 would return at once; files and bytevectors always do.")


@primitive("read-bytevector")
def read_bytevector(k: Index, port: BinaryInputArg = None, *, console: Console) -> Value:
    """Read at most k bytes and return them as a bytevector."""
    count = kinds.as_index(k)
    found = _stream("read-bytevector", BinaryInputPort, port, console.input).read(count)
    return Bytevector(found) if found or count == 0 else EOF


@primitive("read-bytevector!")
def read_bytevector_into(
    bytevector: BytevectorArg, port: BinaryInputArg = None, start: Index = 0, end: Index = None, *, console: Console
) -> Value:
    """Read bytes into bytevector, from index start up to end; the number of bytes read."""
    first, last = kinds.bounds("read-bytevector!", len(_checked(bytevector)), start, end)
    found = _stream("read-bytevector!", BinaryInputPort, port, console.input).read(last - first)
    bytevector[first : first + len(found)] = found
    return len(found) if found or first == last else EOF


@primitive("write-u8")
def write_u8(byte: Byte, port: BinaryOutputArg = None, *, console: Console) -> Value:
    """Write one byte."""
    _stream("write-u8", BinaryOutputPort, port, console.output).write(bytes((_byte(byte),)))
    return UNSPECIFIED


@primitive("write-bytevector")
def write_bytevector(
    bytevector: BytevectorArg, port: BinaryOutputArg = None, start: Index = 0, end: Index = None, *, console: Console
) -> Value:
    """Write the bytes of bytevector, from index start up to, not including, end."""
    part = _part("write-bytevector", bytevector, start, end)
    _stream("write-bytevector", BinaryOutputPort, port, console.output).write(part)
    return UNSPECIFIED
