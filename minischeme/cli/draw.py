"""The command `minischeme draw`: pictures of values, as text or as SVG."""

from collections.abc import Sequence
from typing import Any

from minischeme.cli.parsers import command_parser, count, integer
from minischeme.cli.process import WRONG_USAGE, complain, process_session, status_of, write_file
from minischeme.data.values import Environment
from minischeme.drawing.picture import SVG_WIDTH, draw, picture_of
from minischeme.drawing.svg import picture_svg
from minischeme.modules.files import resolve

_EPILOG = """\
examples:
  minischeme draw -e "(list 1 (list 2 3) 4)"
  minischeme draw queue.scm -e "q" --svg queue.svg
  minischeme draw account.scm                       # what the file defines"""


def draw_values(arguments: Sequence[str]) -> int:
    """Draw values of expressions, or the definitions of a file; return the exit status."""
    parser = command_parser("minischeme draw", "Draw values as boxes and pointers, as in SICP.", _EPILOG)
    add = parser.add_argument
    add("file", metavar="FILE", nargs="?", help="a Scheme program to run first; alone, its definitions are drawn")
    add("-e", "--eval", metavar="EXPR", action="append", default=[], help="draw the value of EXPR (repeatable)")
    add("--svg", metavar="OUT", help="write a picture to OUT, in SVG, instead of text")
    add("--width", metavar="N", type=count, help="at most N columns (default: those of the terminal)")
    add("--seed", metavar="N", type=integer, help="start the random numbers from N")
    add("--r7rs", action="store_true", help="plain R7RS-small instead of the Berkeley dialect")
    options = parser.parse_intermixed_args(arguments)
    if options.file is None and not "".join(options.eval).strip():
        return _wrong("draw what? Give a FILE or -e EXPR")
    path = None if options.file is None else resolve(options.file)
    if options.file is not None and path is None:
        return _wrong(f"cannot open file: {options.file}")
    session = process_session("r7rs" if options.r7rs else "berkeley", options.seed)

    def draw_all() -> int:
        if path is not None:
            session.load(path)
        values = [session.eval(text, "<-e>") for text in options.eval] or [Environment()]
        more: dict[str, Any] = {"bindings": session.globals}
        if options.width is not None or options.svg is not None:
            more["width"] = options.width or SVG_WIDTH
        if options.svg is None:
            session.run_as_scheme(lambda: draw(session.output, values, options.eval, **more))
            return 0
        picture = session.run_as_scheme(lambda: picture_of(values, options.eval, **more))
        return 0 if write_file(options.svg, picture_svg(picture), "minischeme draw") else WRONG_USAGE

    return status_of(session, draw_all)


def _wrong(message: str) -> int:
    complain(f"minischeme draw: {message}")
    return WRONG_USAGE
