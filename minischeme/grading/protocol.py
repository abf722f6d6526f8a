"""The messages between a sandboxed process and its grader: JSON behind its length, checked as it is read."""

import socket
import time
from collections.abc import Sequence
from typing import Any

import msgspec

from minischeme.transcripts.evaluator import Limit

LONGEST_MESSAGE = 1 << 20  # bytes at most: the text that a program prints comes in many
_HEAD = 4


class Start(msgspec.Struct, tag=True):
    """To the server: run a program, whose process gets the socket that comes with this."""

    folder: str  # where it may write
    readable: list[str]  # folders that it may read
    seconds: int  # of processor time


class Stop(msgspec.Struct, tag=True):
    """To the server: end the program."""


class Ended(msgspec.Struct, tag=True):
    """The answer to `Stop`, with the exit code, negative for a signal."""

    status: int


class Ready(msgspec.Struct, tag=True):
    """The first message of a process: the layers that are missing, with reasons."""

    missing: dict[str, str]


class Begin(msgspec.Struct, tag=True):
    seed: int
    dialect: str | None = None  # None if only the random numbers start again


class Load(msgspec.Struct, tag=True):
    name: str
    limit: Limit


class Evaluate(msgspec.Struct, tag=True):
    text: str
    name: str
    line: int
    column: int
    prompt: str
    limit: Limit


class Answer(msgspec.Struct, tag=True):
    """A line that is typed, and whether it shows where it is typed."""

    line: str
    echoed: bool


class Printed(msgspec.Struct, tag=True):
    text: str


class ItemEnd(msgspec.Struct, tag=True):
    """The end of the output of an item."""


class Asked(msgspec.Struct, tag=True):
    """The program reads a line."""


class Done(msgspec.Struct, tag=True):
    """The end of a request."""

    errors: list[tuple[str, str] | None] = []  # of items: message, whole text
    exited: bool = False
    stopped: bool = False
    is_random: bool = False
    problem: str = ""  # the reason why a file was not loaded


Request = Begin | Load | Evaluate
Report = Printed | ItemEnd | Asked | Done


class ProtocolError(Exception):
    """A message that is none, or comes when none may."""


class Channel:
    """One end of a stream socket, which takes messages of so many bytes at most."""

    def __init__(self, end: socket.socket, longest: int = LONGEST_MESSAGE) -> None:
        self.end = end
        self._longest = longest
        self._received = bytearray()

    def send(self, message: msgspec.Struct, descriptors: Sequence[int] = ()) -> None:
        data = msgspec.json.encode(message)
        data = len(data).to_bytes(_HEAD) + data
        sent = socket.send_fds(self.end, [data], list(descriptors)) if descriptors else 0
        self.end.settimeout(None)
        self.end.sendall(data[sent:])

    def receive(self, kind: Any, deadline: float | None = None) -> Any:
        """The next message, of one of the types in a union; the beginning of one is kept for the next call.

        Raises:
            EOFError: The other end is closed.
            TimeoutError: The message is not complete at the deadline, a time of the monotonic clock.
            ProtocolError: It is too long, or of another type.
        """
        self._await(_HEAD, deadline)
        size = int.from_bytes(self._received[:_HEAD])
        if size > self._longest:
            raise ProtocolError("a message is too long")
        self._await(_HEAD + size, deadline)
        data = bytes(self._received[_HEAD : _HEAD + size])
        del self._received[: _HEAD + size]
        try:
            return msgspec.json.decode(data, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise ProtocolError(str(error)) from error

    def _await(self, size: int, deadline: float | None) -> None:
        while len(self._received) < size:
            if deadline is not None:
                self.end.settimeout(max(deadline - time.monotonic(), 0.001))
            try:
                part = self.end.recv(1 << 16)
            except ConnectionError:
                part = b""
            if not part:
                raise EOFError
            self._received += part
