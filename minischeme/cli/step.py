"""The command `minischeme step`."""

from collections.abc import Sequence

from minischeme.cli.parsers import command_parser, count, integer
from minischeme.cli.process import SCHEME_ERROR, WRONG_USAGE, complain, process_session, status_of, write_file
from minischeme.data.errors import report
from minischeme.modules.files import resolve, source_text
from minischeme.stepping.export import as_json, as_page
from minischeme.stepping.recorder import record
from minischeme.stepping.recording import DEFAULT_LIMIT

_EPILOG = """\
Without -e, the forms of FILE itself are shown. In a terminal the steps are shown full screen, and ? tells the keys;
into a pipe or a file they are written as lines, one for each reduction."""

_MOST_WRITTEN = 2_000  # steps: a page of so many has a megabyte or two


def step(arguments: Sequence[str]) -> int:
    """Show or write the steps of an expression; return the exit status."""
    parser = command_parser("minischeme step", "Watch an expression being evaluated, step by step.", _EPILOG)
    add = parser.add_argument
    add("file", metavar="FILE", nargs="?", help="a Scheme file to load first")
    add("-e", "--eval", metavar="EXPR", help="the expression")
    add("--html", metavar="OUT", help="write the steps as a page for a browser")
    add("--json", metavar="OUT", help="write the steps as data for other programs")
    more = f"end the run after N steps (default: {DEFAULT_LIMIT:,}, for a file {_MOST_WRITTEN:,})"
    add("--limit", metavar="N", type=count, help=more)
    add("--seed", metavar="N", type=integer, help="start the random numbers from N")
    add("--r7rs", action="store_true", help="plain R7RS-small instead of the Berkeley dialect")
    options = parser.parse_args(arguments)
    is_written = options.html is not None or options.json is not None
    limit = options.limit or (_MOST_WRITTEN if is_written else DEFAULT_LIMIT)
    if not (options.file if options.eval is None else options.eval.strip()):
        parser.error("which expression? -e EXPR or FILE is needed")
    path = resolve(options.file) if options.file is not None else None
    if options.file is not None and path is None:
        complain(f"minischeme step: cannot open file: {options.file}")
        return WRONG_USAGE
    session = process_session("r7rs" if options.r7rs else "berkeley", options.seed)

    def show() -> int:
        if options.eval is None:
            assert path is not None
            recording = record(session, source_text(path), path, limit=limit)
        else:
            if path is not None:
                session.load(path)
            recording = record(session, options.eval, "<-e>", limit=limit)
        for out, made in ((options.html, as_page), (options.json, as_json)):
            if out is not None:
                if not write_file(out, made(session, recording), "minischeme step"):
                    return WRONG_USAGE
        if not is_written:
            from minischeme.repl.commands import show_steps  # here, since a file needs none of it

            show_steps(session, recording)
        if recording.error is not None:
            session.output.flush()
            complain(report(recording.error))
        return SCHEME_ERROR if recording.error is not None else 0

    return status_of(session, show)
