"""The command `minischeme lsp`."""

import logging
import os
import sys
from collections.abc import Sequence

from minischeme.cli.parsers import command_parser
from minischeme.cli.process import WRONG_USAGE, complain

_EPILOG = "An editor starts it; minischeme/EDITORS.md has the settings of several. Programs are analysed and never run."


def lsp(arguments: Sequence[str]) -> int:
    """Serve an editor over standard input and output; return the exit status."""
    command_parser("minischeme lsp", "Be the language server of an editor.", _EPILOG).parse_args(arguments)
    try:
        from minischeme.language_server.features import make_server
    except ModuleNotFoundError:
        complain("minischeme lsp: needs more packages: pip install 'minischeme[lsp]'")
        return WRONG_USAGE
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # what a request does wrong is told in its answer
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as output:  # pygls closes it
        make_server().start_io(stdout=output)
    return 0
