"""The server of the sandbox: a warm process that forks one for each program, which confines itself before it runs.

It is started afresh, with an empty environment, so that neither it nor its children ever hold tests, other
submissions or anything else of the grader.
"""

import gc
import io
import os
import pickle
import signal
import socket
from importlib import import_module
from pathlib import Path
from typing import Any

from minischeme.grading import layers, protocol
from minischeme.modules.files import find_library
from minischeme.runtime.ports import InputPort
from minischeme.session.session import Session
from minischeme.session.typed_text import read_typed
from minischeme.transcripts.console import KeptOutput, ReplayConsole
from minischeme.transcripts.evaluator import LoadError, SessionEvaluator, Typed
from minischeme.transcripts.replay import find_by_tail

_PIECE = 1 << 14  # characters of output that are sent at a time
_LONGEST_ERROR = 2_000  # characters
_WARM_MODULES = ("decimal", "hashlib", "json", "shutil", "traceback", "minischeme.diagnosis.stack")
_WARMING = "(define (f x) (if (= x 0) (car x) (+ 1 (f (- x 1))))) (f 3) (every first '(ab cd)) (foo) 1.5 (expt 2 .5)"


class _Stream(io.StringIO):
    """Text that is sent to the grader piece by piece, and not kept."""

    def __init__(self, channel: protocol.Channel) -> None:
        super().__init__()
        self._channel = channel

    def write(self, text: str) -> int:
        count = super().write(text)
        if self.tell() >= _PIECE:
            self.flush()
        return count

    def flush(self, *, ends_item: bool = False) -> None:
        text = self.getvalue()
        self.seek(0)
        self.truncate()
        for start in range(0, max(len(text), ends_item), _PIECE):
            end = start + _PIECE
            self._channel.send(protocol.Printed(text[start:end], ends_item and end >= len(text)))


class RemoteConsole(ReplayConsole):
    """The console of a sandboxed program, whose other end is in the grader."""

    def __init__(self, channel: protocol.Channel) -> None:
        self._channel = channel
        self.output = _RemoteOutput(channel)
        self.input = InputPort(self._ask, tied=self.output)

    def _ask(self) -> str:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})  # so that no limit loses an answer
        try:
            self._channel.send(protocol.Asked())
            line, is_echoed = self._channel.request()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if is_echoed:
            self.output.column = 0
        return str(line)


class _RemoteOutput(KeptOutput):
    """An output port that sends its text to the grader."""

    def __init__(self, channel: protocol.Channel) -> None:
        super().__init__()
        self._pieces = self._buffer = self.stream = _Stream(channel)

    def take(self, *, is_endless: bool = False) -> str:
        self._pieces.flush(ends_item=True)
        self.column = 0
        return ""


class RemoteEvaluator(SessionEvaluator):
    """The evaluator of a sandboxed program. Items do not travel: they are read again from the text that was typed."""

    def perform(self, name: str, *arguments: Any) -> protocol.Done:
        """Do what the grader asks for, by the name of a method."""
        try:
            done = getattr(self, name)(*arguments)
        except LoadError as error:
            return protocol.Done(problem=str(error)[:_LONGEST_ERROR])
        if done is None:
            return protocol.Done()
        found = [output.error for output in done.outputs]
        errors = [(why.message[:_LONGEST_ERROR], str(why)[:_LONGEST_ERROR]) if why else None for why in found]
        return protocol.Done(errors, done.exited, bool(done.stopped), done.is_random)

    def evaluate(self, typed: Typed, *others: Any) -> Any:
        above = "\n" * typed.line + " " * typed.column  # so that errors tell the right place
        items = read_typed(f"{above}{typed.text}\n", typed.name, fold_case=self.dialect == "berkeley")
        return super().evaluate(typed._replace(items=items), *others)


def main(*wanted: str) -> None:
    """Serve the grader at the other end of standard input until it closes that.

    Each message ends the process, if there is one, and is answered by its exit code, negative for a signal; one with a
    socket starts the next process, which gets that.
    """
    control = socket.socket(fileno=os.dup(0))
    _warm()
    process = 0
    while True:
        data, descriptors, _, _ = socket.recv_fds(control, 1 << 16, 1)
        status = 0
        if process:
            os.kill(process, signal.SIGKILL)
            _, status = os.waitpid(process, 0)
            process = 0
        if not data:
            return
        control.send(str(os.waitstatus_to_exitcode(status)).encode())
        for descriptor in descriptors:
            process = os.fork()
            if not process:
                control.close()
                try:
                    _serve(descriptor, wanted, *pickle.loads(data))
                finally:
                    os._exit(1)
            os.close(descriptor)


def _warm() -> None:
    """Import and compile what programs need, so that their processes share it."""
    for interaction in Session().interact(_WARMING):
        assert interaction.output
    for name in _WARM_MODULES:
        import_module(name)
    gc.collect()
    gc.freeze()


def _serve(descriptor: int, wanted: tuple[str, ...], folder: Path, readable: list[Path], seconds: int) -> None:
    """Be the process of a program: run what the grader asks for, until it closes the socket."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    os.dup2(descriptor, 3)
    os.closerange(4, 1 << 16)
    channel = protocol.Channel(socket.socket(fileno=3))
    os.chdir(folder)
    os.umask(0o077)
    missing = layers.confine(wanted, folder, [*layers.readable_folders(), *readable], seconds)
    channel.send(protocol.Done(missing=missing))
    folders = [*readable, Path()]

    def find(name: str) -> str | None:
        path = find_by_tail(name, [*folders, Path(find_library())])
        return str(path) if path is not None else None

    evaluator = RemoteEvaluator(RemoteConsole(channel), str(folders[0]), find)
    while True:
        channel.send(evaluator.perform(*channel.request()))
