"""The command `minischeme lsp`."""

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
    make_server().start_io()
    return 0
