"""The grader's side of the sandbox: it starts programs, types their input, keeps their output and ends them in time."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

import msgspec

import minischeme
from minischeme.data.errors import SchemeError
from minischeme.grading import layers, protocol
from minischeme.transcripts.console import ReplayConsole
from minischeme.transcripts.evaluator import Evaluation, Limit, LoadError, Output, Typed

MOST_OUTPUT = 100_000  # characters that an interaction may print
MOST_WRITTEN = 16 << 20  # bytes that a program may write to its folder
_MOST_FILES = 200
_GRACE = 0.4  # seconds after a limit in which a program can stop by itself
_STARTING = Limit(20.0, "before it was ready")
_TICK = 0.1
_CONTROLS = re.compile("[\0-\x08\x0b-\x1d\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

ENVIRONMENT = {"LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1"}
"""The environment of the processes that grade: nothing of the grader's own."""


def python_process(code: str, descriptor: int, wrapper: Sequence[str] = ()) -> "subprocess.Popen[bytes]":
    """Start Python in an empty session, with a socket as its input; no folder can add modules to it."""
    paths = dict.fromkeys(str(Path(module.__file__ or "").resolve().parents[1]) for module in (minischeme, msgspec))
    return subprocess.Popen(
        [*wrapper, os.path.realpath(sys.executable), "-P", "-s", "-c", code],
        stdin=descriptor,
        stdout=subprocess.DEVNULL,
        cwd="/",
        env={**ENVIRONMENT, "PYTHONPATH": os.pathsep.join(paths)},
        start_new_session=True,
    )


class Sandbox:
    """A server of sandboxed processes, which runs one at a time; `missing` are the layers without effect, with reasons.

    Args:
        wanted: the layers that processes take on.
        readable: folders that programs may read; files are looked for in the first one.
    """

    code = "from minischeme.grading.server import main"

    def __init__(self, wanted: Iterable[str] = layers.LAYERS, readable: Iterable[Path] = ()) -> None:
        self.wanted = tuple(wanted)
        self.missing: dict[str, str] = {}
        self._readable = [path.resolve() for path in readable]
        self._place = TemporaryDirectory(prefix="minischeme-", ignore_cleanup_errors=True)
        self._folder: Path | None = None
        os.chmod(self._place.name, 0o711)  # processes of other users find their folders in it
        wrapper: Sequence[str] = ()
        if layers.BWRAP in self.wanted:
            try:
                wrapper = layers.bwrap_command(Path(self._place.name).resolve(), self._readable)
            except layers.LayerMissing as error:
                self.missing[layers.BWRAP] = str(error)
        self._is_wrapped = bool(wrapper)
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._server = python_process(f"{self.code}; main(*{self.wanted})", theirs.fileno(), wrapper)
        self.run(self.new_folder())
        self.stop()

    def new_folder(self) -> Path:
        """A folder for one program. The program before it is ended, and its folder removed."""
        if self._folder is not None:
            self.stop()
            shutil.rmtree(self._folder, ignore_errors=True)
        self._folder = Path(mkdtemp(dir=self._place.name)).resolve()
        if not self._is_wrapped:
            layers.belongs_to_nobody(self._folder)
        return self._folder

    def run(self, folder: Path, seconds: int = 60) -> protocol.Channel:
        """Start a process, which ends the one before it, and return the channel to it; notes which layers are missing.

        Args:
            folder: its own folder, from `new_folder`.
            seconds: the processor time that it may use.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        channel = protocol.Channel(ours)
        try:
            with theirs:
                protocol.Channel(self._control).send((folder, self._readable, seconds), [theirs.fileno()])
            self._control.settimeout(_STARTING.seconds)
            self._control.recv(64)
            ready = channel.report(time.monotonic() + _STARTING.seconds)
            assert isinstance(ready, protocol.Done)
        except (EOFError, OSError, protocol.ProtocolError) as error:
            raise SchemeError(f"the sandbox can't be started: {error or 'no answer'}") from error
        self.missing |= ready.missing
        return channel

    def stop(self) -> int:
        """End the process, and return its exit code, negative for a signal; 0 if there is none."""
        self._control.send(b"stop")
        return int(self._control.recv(64))

    def __str__(self) -> str:
        """Say which layers hold, and which do not and why."""
        held = ", ".join(name for name in self.wanted if name not in self.missing) or "no layer"
        return "".join([f"sandbox: {held} in effect", *(f"; not {name} ({why})" for name, why in self.missing.items())])


class Stopped(Exception):
    """A process that was ended, or that has died: the reason."""


class ReportedError(SchemeError):
    """An error that a sandboxed process has told of, with the whole of its text."""

    def __init__(self, message: str, text: str) -> None:
        super().__init__(_cleaned(message))
        self._text = _cleaned(text)

    def __str__(self) -> str:
        return self._text


class SandboxEvaluator:
    """An evaluator whose session is in the sandbox. All that comes from there is checked.

    A process that is ended because of an interaction is replaced: another one does again what was done before, so that
    the interactions behind it have the definitions of those before it.

    Args:
        console: gets the output, and gives the input.
        folder: the program's own, from `Sandbox.new_folder`.
        seconds: the processor time that a process may use.
    """

    def __init__(self, sandbox: Sandbox, console: ReplayConsole, folder: Path, seconds: int = 60) -> None:
        self._sandbox = sandbox
        self._console = console
        self._folder = folder
        self._seconds = seconds
        self._channel: protocol.Channel | None = None
        self._history: list[tuple[tuple[Any, ...], list[tuple[str, bool]]]] = []  # requests, with the lines typed
        self._lost = ""
        self._next_look = 0.0

    def begin(self, dialect: str, seed: int) -> None:
        self._history.clear()
        self._lost = ""
        try:
            self._ask("begin", dialect, seed)
        except Stopped as stopped:
            self._lost = str(stopped)

    def reseed(self, seed: int) -> None:
        with suppress(Stopped):
            self._ask("reseed", seed)

    def load(self, name: str, limit: Limit) -> None:
        try:
            done = self._ask("load", name, limit)
        except Stopped as stopped:
            raise LoadError(f"{name}: stopped {stopped}") from None
        finally:
            self._console.output.take()
        if done.problem:
            raise LoadError(_cleaned(done.problem))

    def evaluate(self, typed: Typed, prompt: str, limit: Limit) -> Evaluation:
        texts: list[str] = []
        try:
            done = self._ask("evaluate", typed._replace(items=()), prompt, limit, texts=texts)
            reason = limit.reason if done.stopped else ""
        except Stopped as stopped:
            done, reason = protocol.Done(), str(stopped)
        errors = [ReportedError(*error) if error is not None else None for error in done.errors]
        left = self._console.output.take(is_endless=bool(reason))
        last = texts.pop() if len(texts) > len(typed.items) else ""  # behind the last item
        outputs = [Output(text, error) for text, error in zip_longest(texts, errors[: len(texts)])]
        if last + left or not outputs:
            outputs.append(Output(last + left, errors[-1] if errors else None))
        return Evaluation(outputs, done.exited, reason, done.is_random)

    def _ask(self, *request: Any, texts: list[str] | None = None) -> protocol.Done:
        """Have the process do something; `Stopped` if it does not come to its end. `texts` gets the items' output."""
        if self._lost:
            raise Stopped(self._lost)
        answers: list[tuple[str, bool]] = []
        output = self._console.output
        try:
            if self._channel is None:
                self._start()
            for report in self._reports(request):
                match report:
                    case protocol.Printed(text, ends_item):
                        output.echo(_cleaned(text))
                        if ends_item and texts is not None:
                            texts.append(output.take())
                    case protocol.Asked():
                        output.column = 1  # an echo sets it to 0
                        line = self._console.input.readline()
                        answers.append((line, output.column == 0))
                        self._send(answers[-1])
        except Stopped:
            self._channel = None
            self._sandbox.stop()
            raise
        self._history.append((request, answers))
        assert isinstance(report, protocol.Done)
        return report

    def _start(self) -> None:
        """Start a process, and have it do what the one before it has done."""
        self._channel = self._sandbox.run(self._folder, self._seconds)
        try:
            for request, answers in self._history:
                again = iter(answers)
                for report in self._reports(request):
                    if isinstance(report, protocol.Asked):
                        self._send(next(again, ("", False)))
        except Stopped as stopped:
            self._lost = f"{stopped}, when it was run again"
            raise Stopped(self._lost) from None

    def _reports(self, request: tuple[Any, ...]) -> Iterator[msgspec.Struct]:
        """The reports about a request, up to the one that it is done."""
        limit = request[-1] if isinstance(request[-1], Limit) else _STARTING
        deadline = time.monotonic() + limit.seconds + _GRACE
        amount = 0
        try:
            self._send(request)
            report = None
            while not isinstance(report, protocol.Done):
                report = self._report(deadline)
                amount += 1 + len(report.text if isinstance(report, protocol.Printed) else "")
                if amount > MOST_OUTPUT:
                    raise Stopped(f"after it printed {MOST_OUTPUT:,} characters")
                yield report
        except TimeoutError:
            raise Stopped(limit.reason) from None
        except protocol.ProtocolError as error:
            raise Stopped(f"because of what it sent: {error}") from None
        except EOFError:
            raise Stopped(_cause(self._sandbox.stop())) from None

    def _send(self, message: object) -> None:
        assert self._channel is not None
        with suppress(OSError):  # then there is no report to come, either
            self._channel.send(message)

    def _report(self, deadline: float) -> msgspec.Struct:
        """The next report; the folder is looked at meanwhile."""
        assert self._channel is not None
        while True:
            now = time.monotonic()
            if now >= self._next_look:
                self._next_look = now + _TICK
                self._check_folder()
            with suppress(TimeoutError):
                return self._channel.report(min(deadline, self._next_look))
            if time.monotonic() >= deadline:
                raise TimeoutError

    def _check_folder(self) -> None:
        """Stop a program whose folder holds too much; it can make no folders in it."""
        sizes = []
        with os.scandir(self._folder) as entries:
            for entry in islice(entries, _MOST_FILES + 1):
                with suppress(FileNotFoundError):  # deleted meanwhile
                    sizes.append(entry.stat(follow_symlinks=False).st_blocks * 512)
        if len(sizes) > _MOST_FILES or sum(sizes) > MOST_WRITTEN:
            raise Stopped(f"after it wrote {len(sizes)} files of {sum(sizes):,} bytes")


@lru_cache(1)
def process_sandbox(*readable: Path, bwrap: bool = False) -> Sandbox:
    """A sandbox of this process with all layers."""
    return Sandbox((layers.BWRAP, *layers.LAYERS) if bwrap else layers.LAYERS, readable)


def transcript_evaluator(
    folders: Sequence[Path], bwrap: bool, console: ReplayConsole, folder: str, _: object
) -> SandboxEvaluator:
    """The evaluator of a transcript in a folder, for `minischeme test --sandbox`; it may read these folders, too."""
    sandbox = process_sandbox(Path(folder), *folders, bwrap=bwrap)
    return SandboxEvaluator(sandbox, console, sandbox.new_folder())


def _cleaned(text: str) -> str:
    return _CONTROLS.sub("\ufffd", text)


def _cause(status: int) -> str:
    if status == -signal.SIGXCPU:
        return "when its processor time was over"
    return f"by signal {-status}, perhaps for want of memory" if status < 0 else f"with exit status {status}"
