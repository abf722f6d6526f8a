"""The command `minischeme step`."""

from collections.abc import Sequence

from minischeme.cli.parsers import command_parser, count, integer
from minischeme.cli.process import SCHEME_ERROR, WRONG_USAGE, complain, process_session
from minischeme.data.errors import SchemeError, SchemeExit, report
from minischeme.modules.files import resolve, source_text
from minischeme.repl.step_screen import show_steps
from minischeme.stepping.export import as_json
from minischeme.stepping.recorder import record
from minischeme.stepping.recording import DEFAULT_LIMIT
from minischeme.system.file_locks import NewContents

_EPILOG = """\
Without -e, the forms of FILE itself are shown. In a terminal the steps are shown full screen, and ? tells the keys;
into a pipe or a file they are written as lines, one for each reduction."""


def step(arguments: Sequence[str]) -> int:
    """Show or write the steps of an expression; return the exit status."""
    parser = command_parser("minischeme step", "Watch an expression being evaluated, step by step.", _EPILOG)
    add = parser.add_argument
    add("file", metavar="FILE", nargs="?", help="a Scheme file to load first")
    add("-e", "--eval", metavar="EXPR", help="the expression")
    add("--json", metavar="OUT", help="write the steps to a file for other programs")
    add(
        "--limit",
        metavar="N",
        type=count,
        default=DEFAULT_LIMIT,
        help="end the run after N steps (default: %(default)s)",
    )
    add("--seed", metavar="N", type=integer, help="start the random numbers from N")
    add("--r7rs", action="store_true", help="plain R7RS-small instead of the Berkeley dialect")
    options = parser.parse_args(arguments)
    if options.file is None and options.eval is None:
        parser.error("which expression? -e EXPR or FILE is needed")
    path = resolve(options.file) if options.file is not None else None
    if options.file is not None and path is None:
        complain(f"minischeme step: cannot open file: {options.file}")
        return WRONG_USAGE
    session = process_session("r7rs" if options.r7rs else "berkeley", options.seed)
    try:
        if options.eval is None:
            assert path is not None
            recording = record(session, source_text(path), path, limit=options.limit)
        else:
            if path is not None:
                session.load(path)
            recording = record(session, options.eval, "<-e>", limit=options.limit)
    except SchemeExit as request:
        return request.status
    except SchemeError as error:
        session.output.flush()
        complain(report(error))
        return SCHEME_ERROR
    if options.json is not None:
        with NewContents(options.json) as contents:
            contents.stream.write(as_json(session, recording))
            contents.take_place()
    else:
        show_steps(session, recording)
    if recording.error is not None:
        session.output.flush()
        complain(report(recording.error))
    return SCHEME_ERROR if recording.error is not None else 0
