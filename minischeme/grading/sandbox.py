"""The grader's side of the sandbox: it starts programs, types their input, keeps their output and ends them in time."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import islice, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

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


def python_process(code: str, end: socket.socket, *arguments: str) -> "subprocess.Popen[bytes]":
    """Start Python in an empty session, with one end of a socket as its input; no folder can add modules to it."""
    paths = dict.fromkeys(str(Path(module.__file__ or "").resolve().parents[1]) for module in (minischeme, msgspec))
    return subprocess.Popen(
        [sys.executable, "-P", "-s", "-c", code, *arguments],
        stdin=end.fileno(),
        stdout=subprocess.DEVNULL,
        cwd="/",
        env={**ENVIRONMENT, "PYTHONPATH": os.pathsep.join(paths)},
        start_new_session=True,
    )


class Sandbox:
    """A server of sandboxed processes, which runs one at a time; `missing` are the layers without effect, with reasons.

    Args:
        wanted: the layers that processes take on.
    """

    code = "import sys; from minischeme.grading.server import main; main(sys.argv[1])"

    def __init__(self, wanted: Iterable[str] = layers.LAYERS) -> None:
        ours, theirs = socket.socketpair()
        self._server = python_process(self.code, theirs, " ".join(wanted))
        theirs.close()
        self._control = protocol.Channel(ours)
        self._folder: TemporaryDirectory[str] | None = None
        self._is_running = False
        self.missing: dict[str, str] = {}
        self.run(self.new_folder())
        self.stop()

    def new_folder(self) -> Path:
        """A folder for one program. The program before it is ended, and its folder removed."""
        self.stop()
        if self._folder is not None:
            self._folder.cleanup()
        self._folder = TemporaryDirectory(prefix="minischeme-", ignore_cleanup_errors=True)
        path = Path(self._folder.name).resolve()
        layers.belongs_to_nobody(path)
        return path

    def run(self, folder: Path, readable: Iterable[Path] = (), seconds: int = 60) -> protocol.Channel:
        """Start a process, and return the channel to it; notes which layers are missing.

        Args:
            folder: its own folder, from `new_folder`.
            readable: other folders that it may read; files are looked for in the first one.
            seconds: the processor time that it may use.
        """
        ours, theirs = socket.socketpair()
        names = [str(path.resolve()) for path in readable]
        try:
            self._control.send(protocol.Start(str(folder), names, seconds), [theirs.fileno()])
            self._is_running = True
            theirs.close()
            channel = protocol.Channel(ours)
            ready: protocol.Ready = channel.receive(protocol.Ready, time.monotonic() + _STARTING.seconds)
        except (EOFError, OSError, protocol.ProtocolError) as error:
            raise SchemeError(f"the sandbox can't be started: {error or 'no answer'}") from error
        self.missing = ready.missing
        return channel

    def stop(self) -> int:
        """End the process, and return its exit code, negative for a signal; 0 if there is none."""
        if not self._is_running:
            return 0
        self._is_running = False
        self._control.send(protocol.Stop())
        ended: protocol.Ended = self._control.receive(protocol.Ended)
        return ended.status

    def close(self) -> None:
        """End the server and its process."""
        self._control.end.close()
        self._server.wait()
        if self._folder is not None:
            self._folder.cleanup()


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
        readable: as for `Sandbox.run`.
        seconds: the processor time that a process may use.
    """

    def __init__(
        self, sandbox: Sandbox, console: ReplayConsole, folder: Path, readable: Iterable[Path] = (), seconds: int = 60
    ) -> None:
        self._sandbox = sandbox
        self._console = console
        self._folder = folder
        self._readable = list(readable)
        self._seconds = seconds
        self._channel: protocol.Channel | None = None
        self._history: list[tuple[protocol.Request, list[protocol.Answer]]] = []
        self._lost = ""
        self._next_look = 0.0

    def begin(self, dialect: str, seed: int) -> None:
        self._history.clear()
        self._lost = ""
        try:
            self._ask(protocol.Begin(seed, dialect))
        except Stopped as stopped:
            self._lost = str(stopped)

    def reseed(self, seed: int) -> None:
        with suppress(Stopped):
            self._ask(protocol.Begin(seed))

    def load(self, name: str, limit: Limit) -> None:
        try:
            done = self._ask(protocol.Load(name, limit))
        except Stopped as stopped:
            raise LoadError(f"{name}: stopped {stopped}") from None
        finally:
            self._console.output.take()
        if done.problem:
            raise LoadError(_cleaned(done.problem))

    def evaluate(self, typed: Typed, prompt: str, limit: Limit) -> Evaluation:
        request = protocol.Evaluate(typed.text, typed.name, typed.line, typed.column, prompt, limit)
        texts: list[str] = []
        output = self._console.output
        try:
            done = self._ask(request, lambda: texts.append(output.take()))
            reason = limit.reason if done.stopped else ""
        except Stopped as stopped:
            done = protocol.Done()
            reason = str(stopped)
        errors = [ReportedError(*error) if error is not None else None for error in done.errors]
        left = output.take(is_endless=bool(reason))
        last = texts.pop() if len(texts) > len(typed.items) else ""  # behind the last item
        outputs = [Output(text, error) for text, error in zip_longest(texts, errors[: len(texts)])]
        if last + left or not outputs:
            outputs.append(Output(last + left, errors[-1] if errors else None))
        return Evaluation(outputs, done.exited, reason, done.is_random)

    def _ask(self, request: protocol.Request, item_ended: Callable[[], object] = lambda: None) -> protocol.Done:
        """Have the process do something; `Stopped` if it does not come to its end."""
        if self._lost:
            raise Stopped(self._lost)
        answers: list[protocol.Answer] = []

        def typed() -> protocol.Answer:
            self._console.output.column = 1  # an echo sets it to 0
            line = self._console.input.readline()
            answers.append(protocol.Answer(line, self._console.output.column == 0))
            return answers[-1]

        try:
            if self._channel is None:
                self._start()
            done = self._exchange(request, self._console.output.echo, item_ended, typed)
        except Stopped:
            self._channel = None
            self._sandbox.stop()
            raise
        self._history.append((request, answers))
        return done

    def _start(self) -> None:
        """Start a process, and have it do what the one before it has done."""
        self._channel = self._sandbox.run(self._folder, self._readable, self._seconds)
        for request, answers in self._history:
            again = [*answers, protocol.Answer("", False)]
            try:
                self._exchange(request, lambda text: None, lambda: None, partial(again.pop, 0))
            except Stopped as stopped:
                self._lost = f"{stopped}, when it was run again"
                raise Stopped(self._lost) from None

    def _exchange(
        self,
        request: protocol.Request,
        printed: Callable[[str], None],
        item_ended: Callable[[], object],
        typed: Callable[[], protocol.Answer],
    ) -> protocol.Done:
        assert self._channel is not None
        limit = _STARTING if isinstance(request, protocol.Begin) else request.limit
        deadline = time.monotonic() + limit.seconds + _GRACE
        amount = 0
        try:
            self._channel.send(request)
            while True:
                message = self._receive(deadline)
                amount += 1 + len(message.text if isinstance(message, protocol.Printed) else "")
                if amount > MOST_OUTPUT:
                    raise Stopped(f"after it printed {MOST_OUTPUT:,} characters")
                match message:
                    case protocol.Printed(text):
                        printed(_cleaned(text))
                    case protocol.ItemEnd():
                        item_ended()
                    case protocol.Asked():
                        self._channel.send(typed())
                    case protocol.Done():
                        return message
        except TimeoutError:
            raise Stopped(limit.reason) from None
        except protocol.ProtocolError as error:
            raise Stopped(f"because of what it sent: {error}") from None
        except (EOFError, OSError):
            raise Stopped(_cause(self._sandbox.stop())) from None

    def _receive(self, deadline: float) -> msgspec.Struct:
        """The next message; the folder is looked at meanwhile."""
        assert self._channel is not None
        while True:
            now = time.monotonic()
            if now >= self._next_look:
                self._next_look = now + _TICK
                self._check_folder()
            with suppress(TimeoutError):
                message: msgspec.Struct = self._channel.receive(protocol.Report, min(deadline, self._next_look))
                return message
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


@cache
def process_sandbox() -> Sandbox:
    """The sandbox of this process, with all layers."""
    return Sandbox()


def transcript_evaluator(folders: Sequence[Path], console: ReplayConsole, folder: str, _: object) -> SandboxEvaluator:
    """The evaluator of a transcript in a folder, for `minischeme test --sandbox`; it may read these folders, too."""
    sandbox = process_sandbox()
    return SandboxEvaluator(sandbox, console, sandbox.new_folder(), [Path(folder), *folders])


def told(missing: Mapping[str, str]) -> str:
    """A line that says which layers hold, and which do not and why."""
    held = ", ".join(name for name in layers.LAYERS if name not in missing) or "no layer"
    return "".join([f"sandbox: {held} in effect", *(f"; not {name} ({why})" for name, why in missing.items())])


def _cleaned(text: str) -> str:
    return _CONTROLS.sub("\ufffd", text)


def _cause(status: int) -> str:
    if status == -signal.SIGXCPU:
        return "when its processor time was over"
    return f"by signal {-status}, perhaps for want of memory" if status < 0 else f"with exit status {status}"
