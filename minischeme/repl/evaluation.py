"""The entries at either prompt, their evaluation, and the prompt without a line editor, for pipes and the like."""

import os
import re

from minischeme.data.errors import SchemeError, UnfinishedInput
from minischeme.session.session import Session
from minischeme.session.typed_text import read_typed

_COMMAND = re.compile(r"\s*,[A-Za-z]")


def is_command(text: str) -> bool:
    """Whether an entry is a comma-command. In Scheme a comma means something only inside a quasiquotation."""
    return _COMMAND.match(text) is not None


def unfinished(text: str) -> UnfinishedInput | None:
    """The error of an entry that needs another line; None if it can be evaluated, maybe only to report its error."""
    if is_command(text):
        text = text[text.find("(") :] if "(" in text else ""  # the expression of ,time or ,expand may be incomplete
    items = read_typed(text)
    return items[-1] if items and isinstance(items[-1], UnfinishedInput) else None


def evaluate_entry(session: Session, text: str, *, ended: bool = False) -> bool:
    """Evaluate and print the forms of the text, or run a comma-command; return whether that went without an error.

    An internal error is reported, and the session goes on. `UnfinishedInput` if the text is incomplete and has not
    `ended`; `SchemeExit` if the user wants to leave.
    """
    try:
        if not is_command(text):
            succeeded = session.prompt.evaluate_and_print(text, "<prompt>", ended=ended)
            if session.input.echoes and text.strip() in ("exit", "quit", "bye"):
                session.output.write(";; type (exit) or press Ctrl-D to exit\n")
            return succeeded
        from minischeme.repl.commands import dispatch  # here, since it is seldom needed

        count = len(session.prompt.entries)
        dispatch(session, text)
        session.prompt.entries[count:] = [(text.strip(), True)]
        return True
    except UnfinishedInput as error:
        if not ended:
            raise
        session.prompt.show_error(error)
    except (SchemeError, OSError):
        raise
    except MemoryError:
        session.prompt.show_error(SchemeError("out of memory"))
    except Exception as error:
        session.output.fresh_line()
        session.output.write(internal_error_text(error) + "\n")
    return False


def python_traceback(error: BaseException) -> str:
    """The Python traceback of an error, if the user asked for such, else the empty string."""
    if os.environ.get("MINISCHEME_DEBUG", "0") in ("", "0"):
        return ""
    import traceback  # here, since it takes a twentieth of a start

    return "".join(traceback.format_exception(error))


def internal_error_text(error: Exception) -> str:
    """The report of an internal error."""
    kind = type(error).__name__
    report = f"minischeme: internal error, please report it: {kind}: {error} (MINISCHEME_DEBUG=1 shows where)"
    return python_traceback(error).rstrip() or report


def plain_prompt(session: Session, prompt: str) -> bool:
    """Read, evaluate and print, line by line, until the input ends; return whether any error was shown."""
    failed = False
    text = ""
    while True:
        try:
            if not text:
                if session.input.pending.isspace():
                    # The rest of a line that answered `(read)` is no entry.
                    session.input.discard()
                session.output.fresh_line()
                session.output.write(prompt)
            line = session.input.read_line()
            # The output so far belongs to the prompt: a result needs no fresh line after it.
            session.output.column = 0
            if line is None:
                break
            text += line + "\n"
            try:
                succeeded = evaluate_entry(session, text)
            except UnfinishedInput as error:
                # By an empty line the user seems to say that the entry is complete.
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
        evaluate_entry(session, text, ended=True)
        return True
    if prompt:
        session.output.write("\n")
    return failed
