"""The server of the sandbox: a warm process that forks one for each program, which confines itself before it runs.

It is started afresh, with an empty environment, so that neither it nor its children ever hold tests, other
submissions or anything else of the grader.
"""

import gc
import io
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from minischeme.grading import layers, protocol
from minischeme.modules.files import find_library
from minischeme.runtime.ports import InputPort
from minischeme.session.session import Session
from minischeme.session.typed_text import read_typed
from minischeme.transcripts.console import KeptOutput, ReplayConsole
from minischeme.transcripts.evaluator import LoadError, SessionEvaluator, Typed
from minischeme.transcripts.replay import find_by_tail

_CHUNK = 1 << 13  # characters of output that are sent at a time, at least
_PIECE = 1 << 16  # and at most
_WARMING = "(define (f x) (if (= x 0) (car x) (+ 1 (f (- x 1))))) (f 3) (every first '(ab cd)) (foo) 1.5 (expt 2 .5)"


@contextmanager
def _undisturbed() -> Iterator[None]:
    """A scope in which the alarm of a time limit waits, so that it ends no message in the middle."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Chunks(io.StringIO):
    """Text that is sent to the grader chunk by chunk, and not kept."""

    def __init__(self, channel: protocol.Channel) -> None:
        super().__init__()
        self._channel = channel

    def write(self, text: str) -> int:
        count = super().write(text)
        if self.tell() >= _CHUNK:
            self.flush()
        return count

    def flush(self) -> None:
        with _undisturbed():
            text = self.getvalue()
            self.seek(0)
            self.truncate()
            for start in range(0, len(text), _PIECE):
                self._channel.send(protocol.Printed(text[start : start + _PIECE]))


class StreamedOutput(KeptOutput):
    """An output port that sends its text to the grader."""

    def __init__(self, channel: protocol.Channel) -> None:
        super().__init__()
        self._channel = channel
        self._buffer = self.stream = _Chunks(channel)

    def take(self, *, is_endless: bool = False) -> str:
        self.flush()
        with _undisturbed():
            self._channel.send(protocol.ItemEnd())
        self.column = 0
        return ""


class RemoteConsole(ReplayConsole):
    """The console of a sandboxed program, whose other end is in the grader."""

    def __init__(self, channel: protocol.Channel) -> None:
        self._channel = channel
        self.output = StreamedOutput(channel)
        self.input = InputPort(self._ask, tied=self.output)

    def _ask(self) -> str:
        with _undisturbed():
            self._channel.send(protocol.Asked())
            answer: protocol.Answer = self._channel.receive(protocol.Answer)
        if answer.echoed:
            self.output.column = 0
        return answer.line


def main(wanted: str) -> None:
    """Serve the grader at the other end of standard input until it closes that."""
    control = protocol.Channel(socket.socket(fileno=os.dup(0)))
    missing = {}
    if "namespace" in wanted.split():
        try:
            layers.unshare_network()
        except (layers.LayerMissing, OSError) as error:
            missing["namespace"] = str(error)
    _warm()
    process = 0
    while True:
        data, descriptors, _, _ = socket.recv_fds(control.end, 1 << 16, 1)
        message = msgspec.json.decode(data[4:], type=protocol.Start | protocol.Stop) if data else None
        if process:
            os.kill(process, signal.SIGKILL)
            _, status = os.waitpid(process, 0)
            process = 0
            if isinstance(message, protocol.Stop):
                control.send(protocol.Ended(os.waitstatus_to_exitcode(status)))
        if message is None:
            return
        if isinstance(message, protocol.Start):
            process = os.fork()
            if not process:
                control.end.close()
                try:
                    _serve(descriptors[0], message, wanted.split(), missing)
                finally:
                    os._exit(1)
            os.close(descriptors[0])


def _warm() -> None:
    """Import and compile what programs need, so that their processes share it."""
    import minischeme.diagnosis.stack  # noqa: F401

    session = Session()
    for interaction in session.interact(_WARMING):
        assert interaction.output
    for name in ("decimal", "hashlib", "json", "shutil", "traceback"):
        __import__(name)
    gc.collect()
    gc.freeze()


def _serve(descriptor: int, start: protocol.Start, wanted: list[str], missing: dict[str, str]) -> None:
    """Be the process of a program: run what the grader asks for, until it closes the socket."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    os.dup2(descriptor, 3)
    os.closerange(4, 1 << 16)
    channel = protocol.Channel(socket.socket(fileno=3))
    os.chdir(start.folder)
    os.umask(0o077)
    readable = [*layers.readable_folders(), *map(Path, start.readable)]
    channel.send(protocol.Ready(missing | layers.confine(wanted, Path(start.folder), readable, start.seconds)))
    folders = [*map(Path, start.readable), Path()]

    def find(name: str) -> str | None:
        path = find_by_tail(name, [*folders, Path(find_library())])
        return str(path) if path is not None else None

    evaluator = SessionEvaluator(RemoteConsole(channel), str(folders[0]), find)
    while True:
        channel.send(_perform(evaluator, channel.receive(protocol.Request)))


def _perform(evaluator: SessionEvaluator, request: protocol.Request) -> protocol.Done:
    match request:
        case protocol.Begin(seed, str(dialect)):
            evaluator.begin(dialect, seed)
        case protocol.Begin(seed):
            evaluator.reseed(seed)
        case protocol.Load(name, limit):
            try:
                evaluator.load(name, limit)
            except LoadError as error:
                return protocol.Done(problem=str(error))
        case protocol.Evaluate(text, name, line, column, prompt, limit):
            above = "\n" * line + " " * column  # so that errors tell the right place
            items = read_typed(f"{above}{text}\n", name, fold_case=evaluator.dialect == "berkeley")
            done = evaluator.evaluate(Typed(text, items), prompt, limit)
            errors = [(why.message, str(why)) if (why := each.error) else None for each in done.outputs]
            return protocol.Done(errors, done.exited, bool(done.stopped), done.is_random)
    return protocol.Done()
