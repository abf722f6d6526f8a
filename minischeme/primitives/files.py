"""Files and strings as ports, and what the system knows of files and settings (R7RS 6.13.1, 6.14)."""

import io
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any

from minischeme.data.errors import FileError
from minischeme.data.source import characters
from minischeme.data.values import FALSE, UNSPECIFIED, Boolean, Pair, String, Value, boolean, intern, list_of
from minischeme.primitives.kinds import Kind, Procedure, StringArg
from minischeme.primitives.ports import InputArg, OutputArg, PortArg
from minischeme.primitives.registry import primitive
from minischeme.runtime.ports import Console, InputPort, OutputPort
from minischeme.runtime.resumption import extent, resumed_by
from minischeme.runtime.tail_calls import TailCall

Port = InputPort | OutputPort


class StringOutputPort(OutputPort):
    """An output port whose text becomes a string: `written` holds all of it, also when the port is closed.

    It is written to without a Python frame, and does not count columns.
    """

    write: Callable[[str], Any]

    def __init__(self) -> None:
        self.written = io.StringIO()
        super().__init__(self.written, "string", closing=lambda: None)
        self.write = self.written.write

    def fresh_line(self) -> None:
        end = self.written.tell()
        self.written.seek(max(end - 1, 0))
        if self.written.read() not in ("", "\n"):
            self.write("\n")

    def _disconnect(self) -> None:
        super()._disconnect()
        self.write = self.stream.write


class StringInputPort(InputPort):
    """An input port on a string, whose lines concern nobody else."""

    def __init__(self, text: str) -> None:
        super().__init__(io.StringIO(characters(text)).readline, "string", closing=lambda: None)

    def more(self) -> str:
        return self.readline() if self.is_open else super().more()


StringPortArg = Annotated[Any, Kind("not a string port", lambda value: type(value) is StringOutputPort)]


def path_of(filename: String) -> str:
    """The path of the file that a string names."""
    return os.path.expanduser(filename.text)


def tried(who: str, what: str, filename: String, action: Callable[[], Any]) -> Any:
    """The result of an action; a FileError where the system refuses: `who` cannot do `what` to the file."""
    try:
        return action()
    except (OSError, ValueError) as problem:  # ValueError: a name that no file can have
        raise FileError(f"{who}: cannot {what} file:", filename) from problem


def _text_input(path: str) -> InputPort:
    stream = open(path, encoding="utf-8-sig", errors="replace")  # noqa: SIM115
    return InputPort(stream.readline, path, closing=stream.close)


def _text_output(path: str) -> OutputPort:
    stream = open(path, "w", encoding="utf-8")  # noqa: SIM115
    return OutputPort(stream, path, closing=stream.close)


def _opened(who: str, filename: String, port_on: Callable[[str], Port], console: Console) -> Any:
    path = path_of(filename)
    return console.opened(tried(who, "open", filename, lambda: port_on(path)))


def _call(procedure: Procedure, port: Port, tail: TailCall) -> Value:
    """Call procedure with port, and close port when it returns, or is left by an error or an escape."""
    try:
        result = procedure(port)
        return tail.run() if result is None else result
    finally:
        port.close()


# ── files ────────────────────────────────────────────────────────────────────────────────────────────────────────────
def opener(name: str, port_on: Callable[[str], Port], help_: str) -> None:
    """Define a procedure that opens a file; `port_on` makes the port from the path."""

    @primitive(name, help_=help_)
    def open_file(filename: StringArg, *, console: Console) -> Value:
        return _opened(name, filename, port_on, console)


def _caller(name: str, port_on: Callable[[str], Port], purpose: str) -> None:
    @primitive(name, help_=f"Call procedure with a port to {purpose}, which is closed afterwards.")
    def call_with_file(filename: StringArg, procedure: Procedure, *, console: Console, tail: TailCall) -> Value:
        return _call(procedure, _opened(name, filename, port_on, console), tail)


def _redirection(name: str, port_on: Callable[[str], Port], replaced: str, effect: str) -> None:
    @primitive(name, help_=f"Call thunk with {effect}.")
    def with_file(filename: StringArg, thunk: Procedure, *, console: Console, tail: TailCall) -> Value:
        opened = _opened(name, filename, port_on, console)
        return _call(lambda port: _redirected(replaced, port, thunk, console, tail), opened, tail)


opener("open-input-file", _text_input, "A port to read the file of that name from.")
opener("open-output-file", _text_output, "A port to print to a new file; what a file of that name held before is lost.")
_caller("call-with-input-file", _text_input, "read the file from")
_caller("call-with-output-file", _text_output, "print to a new file")
_redirection("with-input-from-file", _text_input, "input", "read and its kin reading from the file")
_redirection("with-output-to-file", _text_output, "output", "display and its kin printing to a new file")


@primitive("file-exists?")
def file_exists(filename: StringArg) -> Boolean:
    """Whether there is a file of that name."""
    return boolean(os.path.exists(path_of(filename)))


@primitive("delete-file")
def delete_file(filename: StringArg) -> Value:
    """Delete the file of that name."""
    path = path_of(filename)
    tried("delete-file", "delete", filename, lambda: os.remove(path))
    return UNSPECIFIED


@primitive("call-with-new-contents", dialect="berkeley")
def call_with_new_contents(filename: StringArg, procedure: Procedure, *, console: Console, tail: TailCall) -> Value:
    """Call procedure with a port to print a file's new contents to; until it returns, and if it fails, the old stay."""
    from minischeme.system.file_locks import NewContents  # here, since few programs keep anything

    who, path = "call-with-new-contents", path_of(filename)
    contents = tried(who, "open", filename, lambda: NewContents(path))
    port = console.opened(OutputPort(contents.stream, path, closing=contents.stream.close))
    try:
        with contents:
            result = procedure(port)
            if result is None:
                result = tail.run()
            tried(who, "write", filename, contents.take_place)
    finally:
        port.close()
    return result


@primitive(
    "call-with-lock",
    dialect="berkeley",
    example='(call-with-lock "." (lambda () (call-with-lock "." (lambda () \'twice)))) → #f',
)
def call_with_lock(filename: StringArg, thunk: Procedure, *, tail: TailCall) -> Value:
    """Call thunk with that file or folder locked; but if it is locked already, here or elsewhere, return #f at once."""
    from minischeme.system.file_locks import locked

    with locked(path_of(filename)) as is_ours:
        if not is_ours:
            return FALSE
        result = thunk()
        return tail.run() if result is None else result


@primitive("rename-file", dialect="berkeley")
def rename_file(old_name: StringArg, new_name: StringArg) -> Value:
    """Give the file old-name another name; a file that had it is replaced."""
    old, new = path_of(old_name), path_of(new_name)
    tried("rename-file", "rename", old_name, lambda: os.replace(old, new))
    return UNSPECIFIED


@primitive("user-data-folder", dialect="berkeley")
def user_data_folder() -> String:
    """The folder for what programs keep until the user starts them again; it is made if there is none yet."""
    from minischeme.system.user_folders import user_folder  # here, since few programs keep anything

    folder = user_folder("data")
    with suppress(OSError):  # whoever writes there will learn of it
        os.makedirs(folder, mode=0o700, exist_ok=True)
    return String(folder)


# ── strings ──────────────────────────────────────────────────────────────────────────────────────────────────────────
@primitive("open-input-string")
def open_input_string(string: StringArg) -> InputPort:
    """A port to read the characters of string from."""
    return StringInputPort(string.text)


@primitive("open-output-string")
def open_output_string() -> OutputPort:
    """A port that keeps what is printed to it, for get-output-string."""
    return StringOutputPort()


@primitive("get-output-string")
def get_output_string(port: StringPortArg) -> String:
    """What was printed so far to a port from open-output-string."""
    return String(port.written.getvalue())


@primitive("call-with-output-string")
def call_with_output_string(procedure: Procedure, *, tail: TailCall) -> String:
    """What procedure prints to the port that it is called with, as a string."""
    port = StringOutputPort()
    if procedure(port) is None:
        tail.run()
    return String(port.written.getvalue())


@primitive("with-output-to-string")
def with_output_to_string(thunk: Procedure, *, console: Console, tail: TailCall) -> String:
    """What thunk prints, as a string."""
    port = StringOutputPort()
    _redirected("output", port, thunk, console, tail)
    return String(port.written.getvalue())


for _printing in (call_with_output_string, with_output_to_string):
    resumed_by(_printing)(lambda frame: lambda _: String(frame["port"].written.getvalue()))


@extent
def _redirected(name: str, port: Port, thunk: Procedure, console: Console, tail: TailCall) -> Value:
    """The value of thunk, with a port instead of the console's of that name."""
    before = getattr(console, name)
    setattr(console, name, port)
    try:
        result = thunk()
        return tail.run() if result is None else result
    finally:
        setattr(console, name, before)


# ── closing ──────────────────────────────────────────────────────────────────────────────────────────────────────────
@primitive("call-with-port")
def call_with_port(port: PortArg, procedure: Procedure, *, tail: TailCall) -> Value:
    """Call procedure with port, which is closed afterwards."""
    return _call(procedure, port, tail)


def _closing(name: str, kind: Any, what_ends: str) -> None:
    @primitive(name, help_=f"Close port: nothing more can be {what_ends}.")
    def close(port: Value) -> Value:
        if not kind.__metadata__[0].test(port):
            raise TypeError("not a port of that kind")
        port.close()
        return UNSPECIFIED

    close.__annotations__["port"] = kind


_closing("close-port", PortArg, "read from it or printed to it")
_closing("close-input-port", InputArg, "read from it")
_closing("close-output-port", OutputArg, "printed to it")


@primitive("close-all-ports", dialect="berkeley")
def close_all_ports(*, console: Console) -> Value:
    """Close each file that the program has opened."""
    for port in list(console.files):
        port.close()
    console.files.clear()
    return intern("closed")


# ── the system's settings ────────────────────────────────────────────────────────────────────────────────────────────
@primitive("get-environment-variable", "getenv")
def get_environment_variable(name: StringArg) -> Value:
    """The value of the system's variable of that name, a string; #f if it has none."""
    value = os.environ.get(name.text)
    return FALSE if value is None else String(characters(value))


@primitive("get-environment-variables")
def get_environment_variables() -> Value:
    """All the system's variables, as pairs (name . value) of strings."""
    return list_of([Pair(String(characters(name)), String(characters(value))) for name, value in os.environ.items()])


@primitive("transcript-on")
def transcript_on(filename: StringArg, *, start_recording: Callable[[str], None]) -> Value:
    """Writes all that is typed and shown from here on to the end of a file, until (transcript-off)."""
    start_recording(filename.text)
    return UNSPECIFIED


@primitive("transcript-off")
def transcript_off(*, stop_recording: Callable[[], None]) -> Value:
    """Ends the transcript that (transcript-on filename) began."""
    stop_recording()
    return UNSPECIFIED
