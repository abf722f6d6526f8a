"""Hostile programs: each is stopped by a layer of the sandbox, and does its harm where that layer is switched off.

Programs that call `python` have found a hole in the interpreter: they run any Python in their process.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import socket
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from breakout import BreachedSandbox

from minischeme.data.errors import SchemeError
from minischeme.grading import layers, sandbox
from minischeme.grading.protocol import Channel, Printed
from minischeme.grading.sandbox import Sandbox, SandboxEvaluator
from minischeme.session.typed_text import read_typed
from minischeme.transcripts.console import ReplayConsole
from minischeme.transcripts.evaluator import Evaluation, Limit, Typed

if sys.platform != "linux":
    pytest.skip("the sandbox has its layers on Linux only", allow_module_level=True)

LIMIT = 0.4
HARM = "harm"


@cache
def boxed(*without: str) -> BreachedSandbox:
    """A sandbox without some layers."""
    return BreachedSandbox([name for name in layers.LAYERS if name not in without])


def run(box: Sandbox, program: str, limit: float = LIMIT) -> tuple[Evaluation, float, Path]:
    """A program's evaluation in a session of its own, the seconds that it took, and its folder."""
    folder = box.new_folder()
    evaluator = SandboxEvaluator(box, ReplayConsole(), folder)
    evaluator.begin("berkeley", 61)
    began = time.monotonic()
    evaluation = evaluator.evaluate(Typed(program, read_typed(program + "\n")), "> ", Limit(limit, "in time"))
    return evaluation, time.monotonic() - began, folder


@cache
def idle() -> float:
    """The seconds that a harmless program takes on this machine, with its other work."""
    return max(run(boxed(), "(+ 1 2)", limit=60)[1] for _ in range(5))


def is_in_time(seconds: float) -> bool:
    """Whether a program has ended within its limit and a second, and what a busy machine needs."""
    return seconds < LIMIT + 1 + 100 * idle()


def text(evaluation: Evaluation) -> str:
    return "".join(output.text for output in evaluation.outputs)


def python(code: str) -> str:
    """A Scheme program that runs Python."""
    quoted = code.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'(display (python "{quoted}"))'


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[dict[str, str]]:
    """What programs are after: a folder with a secret, a listening socket, the grader."""
    secret = tmp_path / "tests.txt"
    secret.write_text(HARM)
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket(socket.AF_UNIX) as local:
        local.bind(str(tmp_path / "local"))
        local.listen()
        yield {
            "folder": str(tmp_path),
            "secret": str(secret),
            "port": str(listener.getsockname()[1]),
            "grader": str(os.getpid()),
        }


class Attack(NamedTuple):
    program: str
    layers: tuple[str, ...]  # each of them stops it


FILES = ("landlock",)
CALLS = ("seccomp",)
PROCESSES = ("seccomp", "rlimits")  # the second one for users other than root
NETWORK = ("namespace", "landlock", "seccomp")

ATTACKS = {
    "reading the tests": Attack('(display (call-with-input-file "{secret}" read-line))', FILES),
    "loading the tests": Attack('(begin (load "{secret}") (display harm))', FILES),
    "reading the tests by Python": Attack(python("say(open('{secret}').read())"), FILES),
    "listing a folder": Attack(python("os.listdir('{folder}'); say('harm')"), FILES),
    "reading /etc/passwd": Attack(python("say('harm' * ('root' in open('/etc/passwd').read()))"), FILES),
    "reading the grader's environment": Attack(python("open('/proc/{grader}/environ').read(); say('harm')"), FILES),
    "reading the server's memory": Attack(python("open(f'/proc/{{os.getppid()}}/maps').read(); say('harm')"), FILES),
    "changing the tests": Attack(
        '(begin (call-with-output-file "{secret}" (lambda (p) (display "x" p))) (display "harm"))', FILES
    ),
    "writing beside the tests": Attack(python("open('{folder}/results.json', 'w'); say('harm')"), FILES),
    "deleting the tests": Attack('(begin (delete-file "{secret}") (display "harm"))', FILES),
    "renaming the tests": Attack('(begin (rename-file "{secret}" "{folder}/x") (display "harm"))', FILES),
    "recording over the tests": Attack(python("open('{secret}', 'a'); say('harm')"), FILES),
    "shortening the tests": Attack(python("os.truncate('{secret}', 0); say('harm')"), FILES),
    "changing the library": Attack(
        python("import minischeme; p = minischeme.__path__[0] + '/x.txt'; open(p, 'w'); os.remove(p); say('harm')"),
        FILES,
    ),
    "opening a device": Attack(python("open('/dev/zero', 'rb').read(1); say('harm')"), FILES),
    "a pipe": Attack(python("os.mkfifo('{folder}/fifo'); say('harm')"), (*FILES, *CALLS)),
    "a folder": Attack(python("os.mkdir('folder'); say('harm')"), (*FILES, *CALLS)),
    "a symbolic link": Attack(python("os.symlink('{secret}', 'link'); say('harm')"), (*FILES, *CALLS)),
    "a hard link": Attack(python("os.link('{secret}', 'link'); say('harm')"), (*FILES, *CALLS)),
    "changing rights": Attack(python("os.chmod('{secret}', 0o777); say('harm')"), CALLS),
    "changing times": Attack(python("os.utime('{secret}', (0, 0)); say('harm')"), CALLS),
    "a new process": Attack(python("os.fork() or os._exit(0); say('harm')"), PROCESSES),
    "a new program": Attack(python("os.posix_spawn('/bin/true', ['true'], {{}}); say('harm')"), (*FILES, *PROCESSES)),
    "a shell": Attack(python("os.system('true') == 0 and say('harm')"), (*FILES, *PROCESSES)),
    "becoming another program": Attack(python("os.execv('/bin/true', ['true'])"), (*FILES, *CALLS)),
    "a thread": Attack(python("import threading; threading.Thread(target=say, args=['harm']).start()"), PROCESSES),
    "a signal to the grader": Attack(python("os.kill({grader}, 0); say('harm')"), (*FILES, *CALLS)),
    "a signal to the server": Attack(python("os.kill(os.getppid(), 0); say('harm')"), (*FILES, *CALLS)),
    "a handle of the grader": Attack(python("os.pidfd_open({grader}); say('harm')"), CALLS),
    "limiting the grader": Attack(
        python("import resource; resource.prlimit(os.getppid(), resource.RLIMIT_CORE, (0, 0)); say('harm')"), CALLS
    ),
    "tracing the server": Attack(
        python("import ctypes; ctypes.CDLL(None).ptrace(0x4206, os.getppid(), 0, 0) == 0 and say('harm')"),
        (*FILES, *CALLS),
    ),
    "a connection": Attack(
        python("import socket; socket.create_connection(('127.0.0.1', {port}), 1); say('harm')"), NETWORK
    ),
    "a server": Attack(
        python("import socket; socket.create_server(('127.0.0.1', 0)); say('harm')"), ("landlock", "seccomp")
    ),
    "a datagram": Attack(
        python(
            "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM);"
            " s.sendto(b'x', ('127.0.0.1', {port})); say('harm')"
        ),
        ("namespace", "seccomp"),
    ),
    "a local socket": Attack(
        python("import socket; socket.socket(socket.AF_UNIX).connect('{folder}/local'); say('harm')"), CALLS
    ),
    "3 GB of memory": Attack(python("x = bytearray(3 << 30); say('harm')"), ("rlimits",)),
    "3 GB of Scheme's memory": Attack("(begin (make-vector 400000000 0) (display (word 'ha 'rm)))", ("rlimits",)),
    "a large file": Attack(
        python("f = open('large', 'wb'); f.write(bytes(8 << 20)); f.close(); say('harm')"), ("rlimits",)
    ),
    "many open files": Attack(python("x = [open('/proc/self/stat') for _ in range(200)]; say('harm')"), ("rlimits",)),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_stopped(name: str, outside: dict[str, str]) -> None:
    attack = ATTACKS[name]
    if all(layer in boxed().missing for layer in attack.layers):
        pytest.skip(f"this system has none of {attack.layers}: {boxed().missing}")
    program = attack.program.format(**outside)
    evaluation, seconds, _ = run(boxed(), program)
    assert HARM not in text(evaluation), text(evaluation)
    assert is_in_time(seconds)


@pytest.mark.parametrize("name", ATTACKS)
def test_harm_without_its_layers(name: str, outside: dict[str, str]) -> None:
    attack = ATTACKS[name]
    if name in ("reading the grader's environment", "changing the library") and os.getuid() != 0:
        pytest.skip("the system itself refuses it to a user")
    # The namespace of a user's program has no rights over the processes outside.
    without = "user", "namespace" if os.getuid() else "user", *attack.layers
    evaluation, _, _ = run(boxed(*without), attack.program.format(**outside), limit=10)
    if name == "becoming another program":
        assert evaluation.stopped == "with exit status 0"
    else:
        assert HARM in text(evaluation), text(evaluation)


@pytest.mark.parametrize(("name", "layer"), [(name, layer) for name in ATTACKS for layer in ATTACKS[name].layers])
def test_each_layer_is_enough(name: str, layer: str, outside: dict[str, str]) -> None:
    attack = ATTACKS[name]
    box = boxed("user", *(other for other in attack.layers if other != layer))
    if layer in box.missing:
        pytest.skip(f"{layer}: {box.missing[layer]}")
    if layer == "rlimits" and attack.layers != ("rlimits",) and os.getuid() == 0:
        pytest.skip("the number of processes of root has no limit")
    evaluation, _, _ = run(box, attack.program.format(**outside), limit=2)
    assert HARM not in text(evaluation), text(evaluation)


CONTAINED = [
    "reading the tests", "loading the tests", "reading the tests by Python", "listing a folder", "reading /etc/passwd",
    "reading the grader's environment", "changing the tests", "writing beside the tests", "deleting the tests",
    "renaming the tests", "recording over the tests", "shortening the tests", "changing the library", "a pipe",
    "a new program", "a shell", "becoming another program", "a signal to the grader", "a handle of the grader",
    "a connection", "a local socket",
]  # fmt: skip
"""Programs that bubblewrap's container stops by itself."""


@cache
def container(*more: str) -> BreachedSandbox:
    """A sandbox in bubblewrap's container."""
    return BreachedSandbox([layers.BWRAP, *more], [Path(__file__).parent])


@pytest.mark.parametrize("name", CONTAINED)
def test_the_container_is_enough(name: str, outside: dict[str, str]) -> None:
    if container().missing:
        pytest.skip(f"bubblewrap: {container().missing[layers.BWRAP]}")
    evaluation, _, _ = run(container(), ATTACKS[name].program.format(**outside), limit=2)
    assert HARM not in text(evaluation), text(evaluation)


def test_all_layers_hold_in_the_container() -> None:
    box = container(*layers.LAYERS)
    if layers.BWRAP in box.missing:
        pytest.skip(f"bubblewrap: {box.missing[layers.BWRAP]}")
    assert box.missing == {name: why for name, why in boxed().missing.items() if name != "user"}
    program = '(call-with-output-file "x" (lambda (p) (display "good" p))) (display (call-with-input-file "x" read))'
    assert "good" in text(run(box, program)[0])


def test_a_container_that_can_not_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert Sandbox([layers.BWRAP]).missing == {"bwrap": "it is not installed"}
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho bwrap: No permissions to create new namespace >&2\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    assert Sandbox([layers.BWRAP]).missing == {"bwrap": "bwrap: No permissions to create new namespace"}


LOOP = "(let loop () (loop))"
ENDLESS = {
    "a loop": LOOP,
    "an after thunk": f"(dynamic-wind (lambda () 1) (lambda () {LOOP}) (lambda () {LOOP}))",
    "after thunks again and again": f"(define (f) (dynamic-wind (lambda () 1) (lambda () {LOOP}) f)) (f)",
    "a before thunk": f"(dynamic-wind (lambda () {LOOP}) (lambda () 1) (lambda () {LOOP}))",
    "a guard around a loop": f"(let again () (guard (e (#t (again))) {LOOP}))",
    "a handler": f"(with-exception-handler (lambda (e) {LOOP}) (lambda () (car 5)))",
    "recursion that is caught": "(let again () (guard (e (#t (again))) (let f () (+ 1 (f)))))",
    "a continuation": "(let ((k (call/cc (lambda (c) c)))) (k k))",
    "a primitive": "(expt 7 (expt 7 12))",
    "a macro": "(define-syntax m (syntax-rules () ((_ x) (m (x))))) (m 1)",
    "a sentence": "(define (f s) (f (se s s))) (f '(a))",
    "sleeping": python("time.sleep(100)"),
    "a loop that nothing interrupts": python("""
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
while True: pass"""),
    "a question that nobody answers": python('os.write(3, b\'{"type":"Asked"}\'); time.sleep(100)'),
    "questions without an end": "(define (f) (read-line) (f)) (f)",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_time_is_limited(name: str) -> None:
    evaluation, seconds, _ = run(boxed(), ENDLESS[name])
    assert is_in_time(seconds)
    assert evaluation.stopped or any(output.error for output in evaluation.outputs)


ENDING = {"a primitive", "a macro", "a sentence"}
"""Those that memory or the depth of recursion may stop first."""


@pytest.mark.parametrize("name", [name for name in ENDLESS if name not in ENDING])
def test_it_is_the_clock_that_stops_them(name: str) -> None:
    _, seconds, _ = run(boxed(), ENDLESS[name], limit=3 * LIMIT)
    assert seconds >= 3 * LIMIT


def test_processor_time_is_limited() -> None:
    folder = boxed().new_folder()
    evaluator = SandboxEvaluator(boxed(), ReplayConsole(), folder, seconds=1)
    evaluator.begin("berkeley", 61)
    program = python("while True: pass")
    evaluation = evaluator.evaluate(Typed(program, read_typed(program)), "> ", Limit(20, "in time"))
    assert evaluation.stopped == "when its processor time was over"


FLOODS = {
    "output without an end": '(define (f) (display "harm") (f)) (f)',
    "lines without an end": "(define (f) (newline) (f)) (f)",
    "one long text": "(display (make-string 10000000 #\\x))",
    "questions without waiting for answers": python('while True: os.write(3, b\'{"type":"Asked"}\')'),
}


@pytest.mark.parametrize("name", FLOODS)
def test_output_is_cut_off(name: str) -> None:
    evaluation, _, _ = run(boxed(), FLOODS[name], limit=60)
    assert evaluation.stopped == "after it printed 100,000 characters"
    assert len(text(evaluation)) < 12_000


@pytest.mark.parametrize("name", FLOODS)
def test_it_is_the_cap_that_cuts_it_off(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "MOST_OUTPUT", 1 << 40)
    evaluation, seconds, _ = run(boxed(), FLOODS[name], limit=60 if name == "one long text" else LIMIT)
    if name == "one long text":  # it does end
        assert len(text(evaluation)) > 10_000_000
    else:  # the answers that a program has not waited for end its process
        assert evaluation.stopped in ("in time", "with exit status 1")
        assert seconds >= LIMIT


DISKS = {
    "many files": python("for n in range(10**6): open(str(n), 'w')"),
    "much in few files": python("""
for n in range(100):
    with open(str(n), 'wb') as file: file.write(bytes(1 << 20))
time.sleep(100)"""),
}


@pytest.mark.parametrize("name", DISKS)
def test_the_disk_is_not_filled(name: str) -> None:
    evaluation, seconds, folder = run(boxed(), DISKS[name], limit=60)
    assert evaluation.stopped.startswith("after it wrote")
    assert seconds < 30
    boxed().new_folder()
    assert not folder.exists()


@pytest.mark.parametrize("name", DISKS)
def test_it_is_the_grader_who_looks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SandboxEvaluator, "_check_folder", lambda self: None)
    evaluation, _, _ = run(boxed(), DISKS[name], limit=1)
    assert not evaluation.stopped.startswith("after it wrote")


FORGED = {
    "no JSON": b"{",
    "no message": b"{}",
    "no text": b'{"type":"Printed","text":"\xff"}',
    "a number as text": b'{"type":"Printed","text":5}',
    "a message of the grader": b'{"type":"Stop"}',
    "a pickle": pickle.dumps(("evaluate", "(exit)")),
    "lists without an end": b'{"type":"Done","x":' + b"[" * 50_000,
}


@pytest.mark.parametrize("name", FORGED)
def test_what_is_no_message_ends_the_program(name: str) -> None:
    data = FORGED[name]
    evaluation, seconds, _ = run(boxed(), python(f"os.write(3, {data!r}); time.sleep(100)"), limit=60)
    assert evaluation.stopped.startswith("because of what it sent")
    assert seconds < 30


@pytest.mark.parametrize("name", FORGED)
def test_it_is_the_check_that_ends_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the check of reports, anything is taken for one, and only the clock ends the program."""

    def unchecked(self: Channel, deadline: float) -> Printed:
        self.end.settimeout(max(deadline - time.monotonic(), 0.001))
        return Printed(str(self._next()))

    box = boxed()
    evaluator = SandboxEvaluator(box, ReplayConsole(), box.new_folder())
    evaluator.begin("berkeley", 61)
    monkeypatch.setattr(Channel, "report", unchecked)
    program = python(f"os.write(3, {FORGED[name]!r}); time.sleep(100)")
    evaluation = evaluator.evaluate(Typed(program, read_typed(program)), "> ", Limit(LIMIT, "in time"))
    assert evaluation.stopped == "in time"
    assert str(FORGED[name])[:5] in text(evaluation)


def test_exit_statuses_count_for_nothing() -> None:
    evaluation, _, _ = run(boxed(), "(exit 0)")
    assert evaluation.exited
    evaluation, _, _ = run(boxed(), python("os._exit(0)"))
    assert evaluation.stopped == "with exit status 0"


def test_control_characters_do_not_come_through(monkeypatch: pytest.MonkeyPatch) -> None:
    program = python('os.write(3, b\'{"type":"Printed","text":"\\\\u001b["}\')')
    evaluation, _, _ = run(boxed(), program)
    assert "\x1b" not in text(evaluation)
    monkeypatch.setattr(sandbox, "_cleaned", str)
    evaluation, _, _ = run(boxed(), program)
    assert "\x1b" in text(evaluation)


def test_the_environment_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", HARM)
    program = '(display (getenv "TOKEN"))'
    assert HARM not in text(run(BreachedSandbox(), program)[0])
    monkeypatch.setattr(sandbox, "ENVIRONMENT", dict(os.environ))
    assert HARM in text(run(BreachedSandbox(), program)[0])


def test_nothing_else_is_open() -> None:
    evaluation, _, _ = run(boxed(), python("say(sorted(os.listdir('/proc/self/fd'), key=int))"))
    assert "['0', '1', '2', '3', '4']" in text(evaluation)  # the last one is that folder


def test_a_program_may_read_and_write_its_folder() -> None:
    program = '(call-with-output-file "x" (lambda (p) (display "good" p))) (display (call-with-input-file "x" read))'
    assert "good" in text(run(boxed(), program)[0])


def test_definitions_outlive_a_process() -> None:
    console = ReplayConsole()
    evaluator = SandboxEvaluator(boxed(), console, boxed().new_folder())
    evaluator.begin("berkeley", 61)

    def evaluate(program: str) -> Evaluation:
        return evaluator.evaluate(Typed(program, read_typed(program)), "> ", Limit(2, "in time"))

    evaluate("(define x 41)")
    assert evaluate(python("os._exit(3)")).stopped == "with exit status 3"
    assert text(evaluate("(+ x 1)")) == "42\n"


def test_a_process_that_dies_again_is_given_up() -> None:
    evaluator = SandboxEvaluator(boxed(), ReplayConsole(), boxed().new_folder())
    evaluator.begin("berkeley", 61)
    count = python("n = len(os.listdir()); open(str(n), 'w'); n and os._exit(3)")
    results = [
        evaluator.evaluate(Typed(code, read_typed(code)), "> ", Limit(2, "in time"))
        for code in (count, python("os._exit(4)"), "(+ 1 2)", "(+ 3 4)")
    ]
    assert [result.stopped for result in results[1:]] == ["with exit status 4"] + 2 * [
        "with exit status 3, when it was run again"
    ]


def test_no_process_is_left() -> None:
    box = BreachedSandbox()
    box.run(box.new_folder())
    server = box._server.pid
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    assert children
    box._control.close()
    time.sleep(0.2)
    for process in children:
        with contextlib.suppress(FileNotFoundError):
            assert "Z" in Path(f"/proc/{process}/stat").read_text().split()[2]


def test_the_layers_that_are_missing_have_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(boxed().missing) <= set(layers.LAYERS)
    assert all(boxed().missing.values())
    for name, reason in boxed().missing.items():
        print(f"this system has no {name}: {reason}")
    box = Sandbox(["rlimits"])
    monkeypatch.setattr(box, "wanted", layers.LAYERS)
    box.missing = {"landlock": "too old"}
    assert str(box) == "sandbox: namespace, rlimits, user, seccomp in effect; not landlock (too old)"


def test_a_server_that_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BreachedSandbox, "code", "raise SystemExit(1)")
    with pytest.raises(SchemeError, match="can't be started"):
        BreachedSandbox()
