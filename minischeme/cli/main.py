"""The command `minischeme`: its options and its exit statuses."""

import gc
import io
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import TextIO

import msgspec

from minischeme import __version__
from minischeme.cli.process import INTERRUPTED, SCHEME_ERROR, WRONG_USAGE, complain, process_session, status_of
from minischeme.data.errors import SchemeError, SchemeExit, report
from minischeme.data.source import Source
from minischeme.data.values import UNSPECIFIED, String
from minischeme.data.wrapping import wrapped
from minischeme.modules.files import resolve
from minischeme.reading.reader import read
from minischeme.session.session import Session

INTERNAL_ERROR = 70
PIPE_CLOSED = 141

COMMANDS = {
    "test": "transcripts.test",
    "record": "transcripts.record",
    "check": "check.check",
    "fmt": "fmt.fmt",
    "step": "step.step",
    "grade": "grade.grade",
    "tournament": "tournament.tournament",
    "lock": "locks.lock",
    "unlock": "locks.unlock",
    "draw": "draw.draw_values",
    "jupyter": "jupyter.jupyter",
    "lsp": "lsp.lsp",
    "playground": "playground.playground",
    "twent1": "main.twent1",
}
"""The subcommands, which are first arguments that are not taken for a file, with their modules and functions."""

STATUSES = """\
exit status:
  0    success                      2    wrong usage, or a file that can't be opened
  1    an error                     130  interrupted by Ctrl-C
  n    the program called (exit n)  141  the output was closed

other commands, each with its own --help:
  minischeme test PATH…            run transcripts, and show what differs
  minischeme record FILE EXPR…     write a transcript
  minischeme check FILE…           look for mistakes without running the program
  minischeme fmt FILE…             indent a program
  minischeme step FILE -e EXPR     watch an expression being evaluated, step by step
  minischeme grade SUBMISSIONS…    grade programs by tests that carry points
  minischeme tournament FILE…      let strategies for Twenty-One play against each other
  minischeme lock TESTS…           hide the results in tests; minischeme unlock asks for them
  minischeme draw [FILE] -e EXPR   draw boxes and pointers, and environments
  minischeme jupyter install       offer Scheme in Jupyter notebooks
  minischeme lsp                   help an editor, as its language server
  minischeme twent1                play blackjack
  minischeme playground build OUT  make the page that runs minischeme in a browser

Without FILE and -e, input from a pipe is treated as if it were typed at the prompt."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments, by default those of the process, and return its exit status."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    command = words[0] if words and words[0] in COMMANDS else None
    options = None if command is not None else _options(words)
    _prepare_streams()
    try:
        status = _run(options) if options is not None else _run_command(words)
        sys.stdout.flush()
    except KeyboardInterrupt as interrupt:
        if interrupt.args:
            complain(" ".join(["minischeme: interrupted", *interrupt.args]))
        return INTERRUPTED
    except OSError as error:
        # Python flushes once more when it ends, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return PIPE_CLOSED
        complain(f"minischeme: {error}")
        return SCHEME_ERROR
    except MemoryError:
        complain("minischeme: out of memory")
        return SCHEME_ERROR
    except Exception as error:
        from minischeme.repl.evaluation import internal_error_text

        complain(internal_error_text(error))
        return INTERNAL_ERROR
    return status


class Options(msgspec.Struct):
    """The options and arguments of a command line."""

    file: str | None = None
    arguments: list[str] = []
    load: list[str] = []
    eval: list[str] = []
    interactive: bool = False
    prompt: str = "> "
    seed: int | None = None
    jobs: int | None = None
    r7rs: bool = False
    allow_system: bool = False
    no_rc: bool = False
    no_warnings: bool = False
    watch: bool = False
    show_python: bool = False
    profile: bool = False
    coverage: bool = False
    lcov: str | None = None


def _options(words: Sequence[str]) -> Options:
    """The options of a command line; `argparse` is imported only where there are others than -l, -e and FILE."""
    options, rest = Options(), list(words)
    while len(rest) > 1 and rest[0] in ("-l", "-e") and not rest[1].startswith("-"):
        (options.load if rest[0] == "-l" else options.eval).append(rest[1])
        rest = rest[2:]
    if not rest or not rest[0].startswith("-"):
        options.file, options.arguments = (rest[0] if rest else None), rest[1:]
        return options
    from argparse import REMAINDER

    from minischeme.cli.parsers import command_parser, count, integer

    description = "Run a Berkeley Scheme program; without FILE and -e, start a prompt."
    parser = command_parser("minischeme", description, STATUSES, "%(prog)s [option…] [FILE [ARG…]]")
    add = parser.add_argument
    add("file", metavar="FILE", nargs="?", help="a Scheme program to run; - is standard input")
    add("arguments", metavar="ARG", nargs=REMAINDER, help="an argument of the program, for (command-line)")
    add("-l", "--load", metavar="FILE", action="append", help="load FILE first (repeatable)")
    add("-e", "--eval", metavar="EXPR", action="append", help="evaluate EXPR, print its value (repeatable)")
    add("-i", "--interactive", action="store_true", help="start a prompt afterwards")
    add("--prompt", metavar="TEXT", help="the text of the prompt (default: '> ')")
    add("--seed", metavar="N", type=integer, help="start the random numbers from N, so that a run can be repeated")
    add("--jobs", metavar="N", type=count, help="the number of processes for simulations (default: one per CPU)")
    add("--r7rs", action="store_true", help="plain R7RS-small instead of the Berkeley dialect")
    add("--allow-system", action="store_true", help="let programs run shell commands with (system …)")
    add("--no-rc", action="store_true", help="do not run your rc.scm, which ,rc edits, before the first prompt")
    add("--watch", action="store_true", help="start a prompt that loads files again when they are saved")
    add("--no-warnings", action="store_true", help="do not check the files that are loaded at the prompt")
    add("--show-python", action="store_true", help="print the Python that each form is compiled to")
    add("--profile", action="store_true", help="tell afterwards how often procedures ran, and how long")
    add("--coverage", action="store_true", help="tell afterwards how often each line ran")
    add("--lcov", metavar="OUT", help="write how often each line ran to OUT, for other programs, in lcov's format")
    add("--version", action="version", version=f"%(prog)s {__version__}")
    return parser.parse_args(words, Options())


def _prepare_streams() -> None:
    """Make sure that the standard streams exist, and that they can read and print any text."""
    sys.stdin = sys.stdin or io.StringIO()
    sys.stdout = sys.stdout or io.StringIO()
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


def _run(options: Options) -> int:
    files: dict[str, str] = {}
    for name in [*options.load, options.file]:
        if name is not None and name != "-":
            path = resolve(name)
            if path is None:
                complain(f"minischeme: cannot open file: {name}")
                return WRONG_USAGE
            files[name] = path
    session = process_session("r7rs" if options.r7rs else "berkeley", options.seed)
    session.context.arguments = [options.file or "minischeme", *options.arguments]
    session.context.console.prompt = options.prompt
    session.context.allows_system = options.allow_system
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    session.context.jobs = options.jobs or processors
    if options.show_python:
        session.prompt.show_python = lambda text: session.output.write(text.rstrip("\n") + "\n")
    if options.watch and not session.prompt.has_line_editor:
        complain("minischeme: --watch needs a terminal, with a prompt that can edit lines")
        return WRONG_USAGE
    options.interactive = options.interactive or options.watch
    gc.freeze()
    has_program = options.file is not None or bool(options.eval)
    if session.input.echoes and not options.no_warnings and (options.interactive or not has_program):
        session.loader.after_load = partial(_warn_of_mistakes, session)
    try:
        if options.profile or options.coverage or options.lcov is not None:
            from minischeme.cli.profiling import profiled

            shown = options.profile, options.coverage, options.lcov
            status = profiled(lambda: _run_programs(session, options, files), *shown, namespace=session.main)
        else:
            status = _run_programs(session, options, files)
        status = status or _unused(session, options)
        if not options.interactive and (has_program or status):
            return status
        failed = _prompt(session, options, greets=not has_program)
        # A person has seen the errors; a calling program has only the status.
        return SCHEME_ERROR if (failed or status) and not sys.stdin.isatty() else 0
    except SchemeExit as request:
        _unused(session, options)
        return request.status


def _warn_of_mistakes(session: Session, files: Mapping[str, str]) -> None:
    from minischeme.checking.formats import warn_of_mistakes  # here, since most runs load no file

    warn_of_mistakes(session, files)


def _prompt(session: Session, options: Options, *, greets: bool) -> bool:
    """Run the prompt until the user leaves; return whether a prompt without a line editor showed any error."""
    terminal = sys.stdin.isatty()
    if session.input.echoes and not options.no_rc:
        from minischeme.repl.commands import run_rc

        run_rc(session)
    if terminal and greets:
        session.output.write(wrapped(_greeting(session), session.output.width))
    if not terminal:
        _leave_when_interrupted()
    from minischeme.repl.evaluation import plain_prompt

    if session.prompt.has_line_editor:
        # Imported here, since it takes as long as all the rest.
        from minischeme.repl.prompter import Prompter
        from minischeme.session.watching import FileWatch

        Prompter(session, options.prompt, watch=FileWatch(session.loader.texts) if options.watch else None).run()
        return False
    return plain_prompt(session, options.prompt if terminal or options.interactive else "")


def _unused(session: Session, options: Options) -> int:
    """Report an argument that looks like an option and that the program did not use; return the exit status."""
    found = next((word for word in options.arguments if re.match("--?[a-z]", word)), None)
    if found is None or session.context.arguments_asked:
        return 0
    session.output.fresh_line()
    session.output.flush()
    right = f"-l {options.file} -e EXPR" if found in ("-e", "--eval") else f"{found} … {options.file}"
    complain(
        f"minischeme: {found} comes after {options.file}, so it is passed to that program, which does not use it;"
        f" put options before FILE, as in minischeme {right}"
    )
    return WRONG_USAGE


def _run_command(words: Sequence[str]) -> int:
    from importlib import import_module

    module, _, function = COMMANDS[words[0]].partition(".")
    status: int = getattr(import_module(f"minischeme.cli.{module}"), function)(words[1:])
    return status


def _game_options(words: Sequence[str]) -> tuple[int | None, str | None, int | None]:
    """The number of hands to simulate, the folder for the game and the seed, None for those that aren't given."""
    if not words:
        return None, None, None
    from minischeme.cli.parsers import command_parser, count, integer

    epilog = "Input from a pipe has an answer on each line: empty for ENTER, the words space and esc for those keys."
    parser = command_parser("minischeme twent1", "Play blackjack, or resume a suspended game.", epilog)
    add = parser.add_argument
    add("--simulate", metavar="N", type=count, help="let a simple player play N hands, and print the ledger")
    add("--folder", metavar="DIR", help="where games are saved (default: your data folder)")
    add("--seed", metavar="N", type=integer, help="the seed of the shuffle, so that a game can be repeated")
    options = parser.parse_args(words)
    return options.simulate, options.folder, options.seed


def twent1(words: Sequence[str]) -> int:
    """Play blackjack, or let a simple player play; return the exit status."""
    hands, folder, seed = _game_options(words)
    session = process_session("berkeley", seed)

    def play() -> int:
        if folder is not None:
            with suppress(OSError):  # the game tells the user where it can't be saved
                os.makedirs(folder, exist_ok=True)
        if hands is not None:
            session.call(session.eval("(import (twent1 simulation)) simulation"), hands)
        else:
            session.call(session.eval("(import (twent1 play)) twent1"), *([] if folder is None else [String(folder)]))
        return 0

    return status_of(session, play)


def _leave_when_interrupted() -> None:
    """Make Ctrl-C end the program, since there is no prompt to return to."""
    import signal

    def leave(_signal: int, _frame: FrameType | None) -> None:
        raise SchemeExit(INTERRUPTED)

    # A shell makes programs in the background ignore Ctrl-C, and they should go on doing so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, leave)


def _run_programs(session: Session, options: Options, files: dict[str, str]) -> int:
    """Run --load, --eval and the file, in this order, until one reports an error; return the exit status."""
    session.prompt.display.show_warning = lambda text: _complain_of_program(session, text)
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
        session.prompt.last_error = error
        text = report(error, session.output.width if sys.stderr.isatty() else None)
        from minischeme.repl.evaluation import python_traceback

        _complain_of_program(session, python_traceback(error.__context__ or error) + text)
        return SCHEME_ERROR
    finally:
        session.prompt.display.show_warning = None
    return 0


def _complain_of_program(session: Session, text: str) -> None:
    if sys.stdout.isatty() or _are_one(sys.stdout, sys.stderr):
        session.output.fresh_line()
    session.output.flush()
    complain(text)


def _are_one(stream: TextIO, other: TextIO) -> bool:
    try:
        return os.path.samestat(os.fstat(stream.fileno()), os.fstat(other.fileno()))
    except (OSError, ValueError):
        return False


def _print_values(session: Session, text: str) -> None:
    """Evaluate the forms of a text and print each value as the prompt does."""
    for form in read(Source(text, "<-e>"), fold_case=session.dialect == "berkeley"):
        value = session.eval_form(form)
        session.output.fresh_line()
        if value is not UNSPECIFIED or session.dialect == "berkeley":
            session.output.write(session.prompt.written(value) + "\n")


def _greeting(session: Session) -> str:
    if session.dialect == "r7rs":
        return f"""\
minischeme {__version__}: R7RS-small. Press Ctrl-D to exit.
Try  (map (lambda (x) (* x x)) '(1 2 3))  and then  $  for the last value
"""
    return f"""\
minischeme {__version__}: Berkeley Scheme. Press Ctrl-D to exit.
Try  (first 'hello)  or  (every bf '(have fun now))
""" + ("" if session.loader.loaded else 'and then  (load "twenty-one.scm")\n')
