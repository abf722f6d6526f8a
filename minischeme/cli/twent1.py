"""The command `minischeme twent1`: blackjack on a full screen."""

import argparse
import os
from collections.abc import Sequence
from contextlib import suppress

from minischeme.cli.process import SCHEME_ERROR, command_parser, complain, count, process_session, whole_number
from minischeme.data.errors import SchemeError, SchemeExit, report
from minischeme.data.values import String


def _parser() -> argparse.ArgumentParser:
    epilog = "Input from a pipe has an answer on each line: empty for ENTER, the words space and esc for those keys."
    parser = command_parser("minischeme twent1", "Play blackjack, or resume a suspended game.", epilog)
    add = parser.add_argument
    add("--simulate", metavar="N", type=count, help="let a simple player play N hands, and print the ledger")
    add("--folder", metavar="DIR", help="where games are saved (default: your data folder)")
    add("--seed", metavar="N", type=whole_number, help="the seed of the shuffle, so that a game can be repeated")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Play, or have a program play, and return the exit status."""
    options = _parser().parse_args(arguments)
    session = process_session("berkeley", options.seed)
    try:
        if options.folder is not None:
            with suppress(OSError):  # the game tells the user where it can't be saved
                os.makedirs(options.folder, exist_ok=True)
        if options.simulate is not None:
            session.call(session.eval("(import (twent1 simulation)) simulation"), options.simulate)
        else:
            folder = [] if options.folder is None else [String(options.folder)]
            session.call(session.eval("(import (twent1 play)) twent1"), *folder)
    except SchemeExit as request:
        return request.status
    except SchemeError as error:
        session.output.flush()
        complain(report(error))
        return SCHEME_ERROR
    return 0
