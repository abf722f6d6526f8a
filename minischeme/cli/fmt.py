"""`minischeme fmt`: programs in the usual layout."""

import difflib
import os
import sys
from argparse import Namespace
from collections.abc import Sequence

from minischeme.cli.files import program_files
from minischeme.cli.parsers import command_parser
from minischeme.cli.process import WRONG_USAGE, complain, reason
from minischeme.data.errors import SchemeError, report
from minischeme.formatting.formatter import formatted
from minischeme.system.file_locks import NewContents

DIFFERENT = 1

_EPILOG = """\
Lines are indented as at the prompt, and blanks at their ends go; line breaks,
blank lines, comments and the characters that end lines stay. A file that can't
be read is left as it is.
Exit status: 0 success, 1 --check or --diff found another layout, 2 wrong usage
or a file that can't be read."""


def fmt(arguments: Sequence[str]) -> int:
    """Rewrite programs in the usual layout, or tell what would change; return the exit status."""
    parser = command_parser("minischeme fmt", "Indent Scheme programs.", _EPILOG)
    add = parser.add_argument
    text = "a program, a folder of .scm files, or - for standard input, which is written to standard output"
    add("file", metavar="FILE", nargs="+", help=text)
    add("--check", action="store_true", help="write nothing, but say which files would change")
    add("--diff", action="store_true", help="write nothing, but show what would change")
    options = parser.parse_intermixed_args(arguments)
    try:
        return max(_format(name, options) for name in program_files(options.file))
    except OSError as error:
        complain(f"minischeme fmt: {error}")
    return WRONG_USAGE


def _format(name: str, options: Namespace) -> int:
    """Do with a file what the options say; return the exit status for it."""
    writes = not options.check and not options.diff
    try:
        before = _text(name)
        after = formatted(before, "stdin" if name == "-" else name)
        if name == "-" and writes:
            sys.stdout.buffer.write(after.encode("utf-8"))
            return 0
        if after == before:
            return 0
        if writes:
            _replace(name, after)
    except SchemeError as error:
        complain(report(error))
        return WRONG_USAGE
    except OSError as error:
        complain(f"minischeme fmt: cannot write {name}: {reason(error)}")
        return WRONG_USAGE
    if options.diff:
        for line in difflib.unified_diff(before.splitlines(), after.splitlines(), name, name, lineterm=""):
            print(line)
    else:
        print(f"{'formatted' if writes else 'would format'} {name}")
    return 0 if writes else DIFFERENT


def _replace(name: str, text: str) -> None:
    if not os.access(name, os.W_OK):
        raise OSError("it is write-protected")
    with NewContents(name) as contents:
        contents.stream.write(text)
        contents.take_place()


def _text(name: str) -> str:
    try:
        if name == "-":
            return sys.stdin.buffer.read().decode("utf-8")
        with open(name, "rb") as file:
            return file.read().decode("utf-8")
    except UnicodeDecodeError:
        raise SchemeError(f"fmt: not a text in UTF-8: {'stdin' if name == '-' else name}") from None
    except OSError as error:
        raise SchemeError(f"fmt: cannot read {name}: {reason(error)}") from None
