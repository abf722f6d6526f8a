"""The prompt without a line editor: for pipes and simple terminals."""

from __future__ import annotations

from minischeme.data.errors import UnfinishedInput
from minischeme.repl.entries import evaluate_entry
from minischeme.session.session import Session


def plain_prompt(session: Session, prompt: str) -> bool:
    """Read, evaluate and print, line by line, until the input ends; whether any error was shown."""
    failed = False
    text = ""
    while True:
        try:
            if not text:
                if session.input.pending.isspace():
                    # The end of a line that `(read)` was answered with is no entry.
                    session.input.discard()
                session.output.fresh_line()
                session.output.write(prompt)
            line = session.input.read_line()
            # Whatever stood to the left belongs to the prompt: a result needs no fresh line after it.
            session.output.column = 0
            if line is None:
                break
            text += line + "\n"
            try:
                succeeded = evaluate_entry(session, text)
            except UnfinishedInput as error:
                # At an empty line a person seems to think that all is there.
                if line.strip() or error.next_form is None or not session.input.echoes:
                    continue
                succeeded = evaluate_entry(session, text, ended=True)
            failed = failed or not succeeded
        except KeyboardInterrupt:
            if not session.input.echoes:
                raise
            session.output.write("\n")
            session.input.discard()
        text = ""
    if text:
        try:
            evaluate_entry(session, text, ended=True)
        except UnfinishedInput as error:  # in what follows a command
            session.prompt.show_error(error)
        return True
    if prompt:
        session.output.write("\n")
    return failed
