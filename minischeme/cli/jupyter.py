"""The command `minischeme jupyter`."""

import sys
from collections.abc import Sequence

from minischeme.cli.parsers import command_parser
from minischeme.cli.process import SCHEME_ERROR, WRONG_USAGE, complain

_EPILOG = """\
Then choose "Scheme (minischeme)" in a new notebook, or run: jupyter console --kernel minischeme"""


def jupyter(arguments: Sequence[str]) -> int:
    """Offer the kernel in Jupyter; return the exit status."""
    parser = command_parser("minischeme jupyter", "Offer minischeme in Jupyter notebooks.", _EPILOG)
    parser.add_argument("action", metavar="install", choices=["install"], help="offer it in the notebooks of this user")
    parser.add_argument("--sys-prefix", action="store_true", help="only in those of this Python environment")
    options = parser.parse_args(arguments)
    try:
        from minischeme.jupyter.installation import install
    except ModuleNotFoundError:
        complain("minischeme jupyter: needs more packages: pip install 'minischeme[jupyter]'")
        return WRONG_USAGE
    try:
        folder = install(sys.prefix if options.sys_prefix else None)
    except OSError as error:
        complain(f"minischeme jupyter: {error}")
        return SCHEME_ERROR
    print(f"installed in {folder}")
    return 0
