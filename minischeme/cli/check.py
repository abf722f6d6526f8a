"""`minischeme check`: what is wrong with programs, found without running them."""

import os
import sys
from collections import Counter
from collections.abc import Sequence

from minischeme.checking.check import diagnostics
from minischeme.checking.formats import FORMATS
from minischeme.checking.registry import RULES
from minischeme.cli.files import program_files
from minischeme.cli.parsers import command_parser
from minischeme.cli.process import WRONG_USAGE, complain, process_session
from minischeme.data.errors import FileError
from minischeme.data.wrapping import in_columns
from minischeme.modules.files import resolve, text_of_file

REPORTED = 1

_EPILOG = """\
The programs are not run. FILEs that are given together may use each other's
definitions. In a program, a comment switches a rule off:
  ; minischeme: allow unbound    before the first form: in the whole file
                                 on a line of its own: in the next form
                                 behind code: in this line
The name of a rule may be cut short. Another comment tells what is loaded first:
  ; minischeme: load FILE
The rules:
{rules}
Exit status: 0 nothing to report, 1 something was reported, 2 wrong usage or a file that can't be read."""


def check(arguments: Sequence[str]) -> int:
    """Check programs and report; return the exit status."""
    rules = in_columns([(name, text) for name, text in sorted(RULES.items())], None)
    description = "Look for mistakes in Scheme programs."
    parser = command_parser("minischeme check", description, _EPILOG.format(rules=rules))
    add = parser.add_argument
    add("file", metavar="FILE", nargs="+", help="a program, a folder of .scm files, or - for standard input")
    add("-l", "--load", metavar="FILE", action="append", default=[], help="know what FILE defines (repeatable)")
    add("--format", choices=FORMATS, default="text", help="how to report (default: text)")
    add("--r7rs", action="store_true", help="plain R7RS-small instead of the Berkeley dialect")
    options = parser.parse_intermixed_args(arguments)
    texts: dict[str, str] = {}
    try:
        for name in program_files(options.file):
            texts["stdin" if name == "-" else name] = sys.stdin.read() if name == "-" else text_of_file(name, name)
        for name in options.load:
            if resolve(name) is None:
                raise FileNotFoundError(f"cannot open file: {name}")
    except (OSError, FileError) as error:
        complain(f"minischeme check: {error}")
        return WRONG_USAGE
    session = process_session("r7rs" if options.r7rs else "berkeley", None)
    found = diagnostics(texts, session, options.load)
    everything = [each for part in found for each in part]
    sys.stdout.write(FORMATS[options.format](everything, session.output.width))
    if options.format == "text":
        for name, part in zip(texts, found, strict=True):
            counts = sorted(Counter(each.level for each in part).items())
            told = [f"{count} {level}{'' if count == 1 else 's'}" for level, count in counts]
            print(f"{os.path.normpath(name)}: {', '.join(told) or 'nothing to report'}")
    return REPORTED if everything else 0
