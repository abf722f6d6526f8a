"""What a user wants at the beginning of each prompt: the file ``rc.scm`` in the folder of their configuration."""

from __future__ import annotations

from pathlib import Path

from minischeme.data.errors import SchemeError
from minischeme.modules.files import source_text
from minischeme.repl.commands import dispatch
from minischeme.repl.entries import is_command
from minischeme.session.session import Session


def run_rc(session: Session, path: Path) -> None:
    """Evaluate a file of Scheme, with comma-commands in lines of their own behind it; errors are shown.

    Raises: SchemeExit, if the file calls `exit`.
    """
    try:
        lines = source_text(path).split("\n")
        commands = [line for line in lines if line.startswith(",") and is_command(line)]
        session.eval("\n".join("" if line in commands else line for line in lines), str(path))
    except SchemeError as error:
        session.show_error(error)
    except (OSError, UnicodeDecodeError) as error:
        session.show_error(SchemeError(f"{path}: {error}"))
    else:
        for line in commands:
            dispatch(session, line)
