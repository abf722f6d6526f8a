"""The command `minischeme`: its options, its exit statuses, and a plain prompt.

Leaves everything that is Scheme to `session`.
"""

from __future__ import annotations

import argparse
import gc
import io
import os
import re
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import TextIO

from minischeme import __version__
from minischeme.cli.option_values import HelpFormatter, count, whole_number
from minischeme.data.errors import SchemeError, SchemeExit, UnfinishedInput, report
from minischeme.data.printer import symbols_fold
from minischeme.data.source import Source
from minischeme.data.values import UNSPECIFIED, String
from minischeme.data.wrapping import wrapped
from minischeme.modules.files import resolve
from minischeme.reading.reader import read
from minischeme.repl.entries import is_command
from minischeme.session.session import Session
from minischeme.system.collector import collect_seldom

SCHEME_ERROR = 1
WRONG_USAGE = 2
INTERNAL_ERROR = 70
INTERRUPTED = 130
PIPE_CLOSED = 141

COMMANDS = ("test", "record", "twent1")
"""The first words that are no file, but a command of their own."""

STATUSES = """\
exit status:
  0    all went well           2    wrong usage, or a file that can't be opened
  1    an error                130  stopped by Ctrl-C
  n    the program's (exit n)  141  nobody reads the output any more

minischeme test PATH… and minischeme record FILE EXPR… run and write transcripts: see minischeme test --help.
minischeme twent1 plays blackjack, the game of lib/twent1.scm: see minischeme twent1 --help.
Without FILE and -e, a program that is piped in is treated as if it were typed at the prompt."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args: arguments: what follows the command's name; None for those that the shell gave.
    Returns: the exit status.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    command = words[0] if words and words[0] in COMMANDS else None
    options = None if command is not None else _parser().parse_args(words)
    _prepare_streams()
    try:
        status = _run(options) if options is not None else _run_command(words)
        sys.stdout.flush()
    except KeyboardInterrupt as interrupt:
        if interrupt.args:
            _complain(" ".join(["minischeme: interrupted", *interrupt.args]))
        return INTERRUPTED
    except OSError as error:
        # Python flushes once more when it ends, and must not meet the same trouble then.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return PIPE_CLOSED
        _complain(f"minischeme: {error}")
        return SCHEME_ERROR
    except MemoryError:
        _complain("minischeme: out of memory")
        return SCHEME_ERROR
    except Exception as error:
        _complain(_internal(error))
        return INTERNAL_ERROR
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="minischeme",
        usage="%(prog)s [option…] [FILE [ARG…]]",
        description="Berkeley Scheme. Without FILE and -e: a prompt.",
        epilog=STATUSES,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("file", metavar="FILE", nargs="?", help="a Scheme program to run; - is standard input")
    add("arguments", metavar="ARG", nargs=argparse.REMAINDER, help="what (command-line) gives after the name")
    add("-l", "--load", metavar="FILE", action="append", default=[], help="load FILE first (repeatable)")
    add("-e", "--eval", metavar="EXPR", action="append", default=[], help="evaluate EXPR, print its value (repeatable)")
    add("-i", "--interactive", action="store_true", help="prompt afterwards")
    add("--prompt", metavar="TEXT", default="> ", help="the text of the prompt, instead of '> '")
    add("--seed", metavar="N", type=whole_number, help="start (random n) from N, so that a run can be repeated")
    add("--jobs", metavar="N", type=count, help="so many processes for (parallel-tally …), instead of one per CPU")
    add("--r7rs", action="store_true", help="plain R7RS-small instead of the Berkeley dialect")
    add("--allow-system", action="store_true", help="let programs run commands of the system with (system …)")
    add("--no-rc", action="store_true", help="at the prompt, do not begin with your own rc.scm, which ,rc opens")
    add("--show-python", action="store_true", help="print the Python that each form is compiled to")
    add("--version", action="version", version=f"%(prog)s {__version__}")
    return parser


def _prepare_streams() -> None:
    """See to it that there are standard streams, and that no text can fail to be read from or printed to them."""
    if sys.stdin is None:
        sys.stdin = io.StringIO()
    if sys.stdout is None:
        sys.stdout = io.StringIO()
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace")):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=errors)


def _run(options: argparse.Namespace) -> int:
    """Do what the options ask; the exit status."""
    files: dict[str, Path] = {}
    for name in [*options.load, options.file]:
        if name is not None and name != "-":
            path = resolve(name)
            if path is None:
                _complain(f"minischeme: cannot open file: {name}")
                return WRONG_USAGE
            files[name] = path

    terminal = sys.stdin.isatty()
    session = _session("r7rs" if options.r7rs else "berkeley", options.seed)
    session.context.arguments = [options.file or "minischeme", *options.arguments]
    session.console.prompt = options.prompt
    session.context.allows_system = options.allow_system
    session.context.jobs = options.jobs or _processors()
    if options.show_python:
        session.show_python = lambda text: session.output.write(text.rstrip("\n") + "\n")
    gc.freeze()

    has_program = options.file is not None or bool(options.eval)
    try:
        status = _run_programs(session, options, files) or _unused(session, options)
        if options.interactive or not (has_program or status):
            if session.input.echoes and not options.no_rc:
                _run_rc(session)
            if terminal and not has_program:
                session.output.write(wrapped(_greeting(session), session.output.width))
            if not terminal:
                _leave_when_interrupted()
            from minischeme.repl.commands import has_line_editor

            if has_line_editor(session):
                failed = terminal_prompt(session, options.prompt)
            else:
                failed = plain_prompt(session, options.prompt if terminal or options.interactive else "")
            # A person has seen the errors; a program that started this one has only the status.
            status = SCHEME_ERROR if (failed or status) and not terminal else 0
    except SchemeExit as request:
        _unused(session, options)
        status = request.status
    return status


def _unused(session: Session, options: argparse.Namespace) -> int:
    """Tell of what looks like an option, stands behind FILE, and was not asked for by the program; the exit status."""
    found = next((word for word in options.arguments if re.match("--?[a-z]", word)), None)
    if found is None or session.context.arguments_asked:
        return 0
    session.output.fresh_line()
    session.output.flush()
    _complain(
        f"minischeme: {found} stands behind {options.file}, so it is that program's, which does not use it; options"
        f" stand before FILE, as in minischeme -l {options.file} -e EXPR"
    )
    return WRONG_USAGE


def _processors() -> int:
    """How many CPUs there are for this process."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _session(dialect: str, seed: int | None) -> Session:
    """One that takes its input from, and prints to, where this process does."""
    collect_seldom()
    symbols_fold.set(dialect == "berkeley")  # in all of this process, error reports included
    session = Session(dialect=dialect, seed=seed)
    session.input.tied = session.output
    session.input.echoes = sys.stdin.isatty() and sys.stdout.isatty()
    return session


def _run_command(words: Sequence[str]) -> int:
    """Run a command of `COMMANDS`; the exit status."""
    if words[0] == "twent1":
        return _run_twent1(_twent1_parser().parse_args(words[1:]))
    from minischeme.cli import transcripts as commands

    return commands.main(words)


def _twent1_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="minischeme twent1",
        description="Play blackjack, or go on with the game that was suspended.",
        epilog="From a pipe each answer is a line: the empty one for ENTER, space and esc for those keys.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--simulate", metavar="N", type=count, help="have a simple player play N hands, and print the ledger")
    add("--folder", metavar="DIR", type=Path, help="where the game is kept, instead of the user's data folder")
    add("--seed", metavar="N", type=whole_number, help="shuffle from N, so that a game can be repeated")
    return parser


def _run_twent1(options: argparse.Namespace) -> int:
    """Play, or have a program play; the exit status."""
    session = _session("berkeley", options.seed)
    try:
        if options.folder is not None:
            with suppress(OSError):  # the game says so where it can't be kept
                options.folder.mkdir(parents=True, exist_ok=True)
        session.load("twent1.scm")
        if options.simulate is not None:
            session.call(session.eval("twent1-simulation"), options.simulate)
        else:
            session.call(session.eval("twent1"), *([] if options.folder is None else [String(str(options.folder))]))
    except SchemeExit as request:
        return request.status
    except SchemeError as error:
        session.output.flush()
        _complain(report(error))
        return SCHEME_ERROR
    return 0


def _leave_when_interrupted() -> None:
    """Make Ctrl-C end the program: nobody is at a prompt to go on there."""

    def leave(_signal: int, _frame: FrameType | None) -> None:
        raise SchemeExit(INTERRUPTED)

    # A shell that starts a program in the background has it ignore Ctrl-C: leave that as it is.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, leave)


def _run_programs(session: Session, options: argparse.Namespace, files: dict[str, Path]) -> int:
    """Run the files and expressions that the options name, in the order load, eval, file; the exit status.

    The first error ends it and goes to standard error, as warnings do.
    """
    session.show_warning = lambda text: _complain_of_program(session, text)
    try:
        for name in options.load:
            session.load(files[name])
        for text in options.eval:
            _print_values(session, text)
        if options.file == "-":
            session.eval(sys.stdin.read(), "stdin")
        elif options.file is not None:
            session.load(files[options.file])
    except SchemeError as error:
        session.last_error = error
        text = report(error, session.output.width if sys.stderr.isatty() else None)
        if _debugging():
            text = "".join(traceback.format_exception(error.__context__ or error)) + text
        _complain_of_program(session, text)
        return SCHEME_ERROR
    finally:
        session.show_warning = None
    return 0


def _complain_of_program(session: Session, text: str) -> None:
    """Show a message on standard error, behind what the program has printed."""
    if sys.stdout.isatty() or _are_one(sys.stdout, sys.stderr):
        session.output.fresh_line()
    session.output.flush()
    _complain(text)


def _are_one(stream: TextIO, other: TextIO) -> bool:
    """Whether what is written to two streams ends up in the same place."""
    try:
        return os.path.samestat(os.fstat(stream.fileno()), os.fstat(other.fileno()))
    except (OSError, ValueError):
        return False


def _print_values(session: Session, text: str) -> None:
    """Evaluate the forms of a text and print each value as the prompt does.

    Raises: SchemeError, as the first form does that fails.
    """
    for form in read(Source(text, "<-e>")):
        # What stood before is blanked out, so that an error's column is right.
        before = re.sub(r"\S", " ", text[: form.span.start])
        value = session.eval(before + form.span.text, "<-e>")
        session.output.fresh_line()
        if value is not UNSPECIFIED or session.dialect == "berkeley":
            session.output.write(session.written(value) + "\n")


def _greeting(session: Session) -> str:
    """What stands above the first prompt."""
    if session.dialect == "r7rs":
        return (
            f"minischeme {__version__}, R7RS-small. Ctrl-D leaves.\n"
            "Try  (map (lambda (x) (* x x)) '(1 2 3))  and then  $  for the last value\n"
        )
    return (
        f"minischeme {__version__}, Berkeley Scheme: words and sentences. Ctrl-D leaves.\n"
        "Try  (first 'hello)  or  (every bf '(have fun now))\n"
    ) + ("" if session.loaded else 'and then  (load "twenty-one.scm")\n')


def _run_rc(session: Session) -> None:
    """Evaluate what the user wants at the beginning of each prompt."""
    from minischeme.repl.commands import rc_path
    from minischeme.repl.rc import run_rc

    path = rc_path()
    if path.is_file():
        run_rc(session, path)


def terminal_prompt(session: Session, prompt: str) -> bool:
    """Like `plain_prompt`, with all that a terminal can do."""
    # Only here, since it takes as long to import as all the rest.
    from minischeme.repl.commands import TABLE
    from minischeme.repl.prompter import Prompter

    def evaluate(text: str) -> None:
        try:
            _evaluate(session, text, ended=True)
        except UnfinishedInput as error:  # in what follows a command
            session.show_error(error)

    Prompter(session, prompt, evaluate, commands={command.name: command.doc for command in TABLE.values()}).run()
    return False


def plain_prompt(session: Session, prompt: str) -> bool:
    """Read, evaluate and print, line by line, until the input ends.

    Args: prompt: the text to show when a new form may be typed.
    Returns: whether any error was shown.
    """
    failed = False
    text = ""
    while True:
        try:
            if not text:
                if session.input.pending.isspace():
                    # The end of a line that `(read)` was answered with is no entry.
                    session.input.discard()
                session.output.fresh_line()
                session.output.write(prompt)
            line = session.input.read_line()
            # Whatever stood to the left belongs to the prompt: a result needs no fresh line after it.
            session.output.column = 0
            if line is None:
                break
            text += line + "\n"
            try:
                succeeded = _evaluate(session, text)
            except UnfinishedInput as error:
                # At an empty line a person seems to think that all is there.
                if line.strip() or error.next_form is None or not session.input.echoes:
                    continue
                succeeded = _evaluate(session, text, ended=True)
            failed = failed or not succeeded
        except KeyboardInterrupt:
            if not session.input.echoes:
                raise
            session.output.write("\n")
            session.input.discard()
        text = ""
    if text:
        try:
            _evaluate(session, text, ended=True)
        except UnfinishedInput as error:  # in what follows a command
            session.show_error(error)
        return True
    if prompt:
        session.output.write("\n")
    return failed


def _evaluate(session: Session, text: str, *, ended: bool = False) -> bool:
    """Evaluate and print the forms of the text, or do what a comma-command says; whether that went without an error.

    A mistake of minischeme's own is reported, but ends neither the session nor its definitions.

    Args: ended: whether no more lines will follow.
    Raises: UnfinishedInput, if more lines are wanted. SchemeExit, if the user wants to leave.
    """
    try:
        if is_command(text):
            from minischeme.repl.commands import dispatch  # only here, since few need it

            count = len(session.entries)
            if not dispatch(session, text):
                raise SchemeExit(0)
            session.entries[count:] = [(text.strip(), True)]
            return True
        succeeded = session.evaluate_and_print(text, "<prompt>", ended=ended)
        if session.input.echoes and text.strip() in ("exit", "quit", "bye"):
            session.output.write(";; (exit) leaves, as does Ctrl-D\n")
        return succeeded
    except (SchemeError, OSError):
        raise
    except MemoryError:
        session.show_error(SchemeError("out of memory"))
        return False
    except Exception as error:
        session.output.fresh_line()
        session.output.write(_internal(error) + "\n")
        return False


def _debugging() -> bool:
    """Whether the user asked for Python tracebacks."""
    return os.environ.get("MINISCHEME_DEBUG", "0") not in ("", "0")


def _internal(error: Exception) -> str:
    """The text of a mistake of minischeme's own."""
    if _debugging():
        return "".join(traceback.format_exception(error)).rstrip()
    kind = type(error).__name__
    return f"minischeme: internal error, please report it: {kind}: {error} (MINISCHEME_DEBUG=1 shows where)"


def _complain(text: str) -> None:
    """Show a message on standard error."""
    print(text, file=sys.stderr, flush=True)
