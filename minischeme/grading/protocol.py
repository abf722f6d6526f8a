"""The messages between a sandboxed process and its grader, on a socket that keeps their bounds.

What the grader sends is pickled, since the process trusts it. What the process sends is JSON, checked as it is read.
"""

import pickle
import socket
import time
from collections.abc import Sequence
from typing import Any

import msgspec

_LONGEST = 1 << 19  # bytes of a message: more than the system lets a socket send


class Printed(msgspec.Struct, tag=True):
    text: str
    ends_item: bool = False


class Asked(msgspec.Struct, tag=True):
    """The program reads a line."""


class Done(msgspec.Struct, tag=True):
    """The end of a request, or of the preparations for the first one."""

    errors: list[tuple[str, str] | None] = []  # of items: message, whole text
    exited: bool = False
    stopped: bool = False
    is_random: bool = False
    problem: str = ""  # the reason why a file was not loaded
    missing: dict[str, str] = {}  # the layers that the process could not take on, with reasons


class ProtocolError(Exception):
    """A report that is none."""


class Channel:
    """One end of such a socket."""

    def __init__(self, end: socket.socket) -> None:
        self.end = end

    def send(self, message: Any, descriptors: Sequence[int] = ()) -> None:
        is_report = isinstance(message, msgspec.Struct)
        self.end.settimeout(None if is_report else 0)  # no process that does not read can make its grader wait
        socket.send_fds(self.end, [msgspec.json.encode(message) if is_report else pickle.dumps(message)], descriptors)

    def request(self) -> Any:
        """The next message of the grader."""
        return pickle.loads(self._next())

    def report(self, deadline: float) -> Printed | Asked | Done:
        """The next message of a process.

        Raises:
            EOFError: The other end is closed.
            TimeoutError: There is none at the deadline, a time of the monotonic clock.
            ProtocolError: It is not what a process may send.
        """
        self.end.settimeout(max(deadline - time.monotonic(), 0.001))
        try:
            return msgspec.json.decode(self._next(), type=Printed | Asked | Done)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise ProtocolError(str(error)) from error

    def _next(self) -> bytes:
        try:
            data = self.end.recv(_LONGEST)
        except ConnectionError:
            data = b""
        if not data:
            raise EOFError
        return data
