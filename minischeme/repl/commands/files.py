"""The commands for what was typed, for the files of programs and transcripts, and for the prompt itself."""

import os
import re

from minischeme.data.errors import SchemeError, SchemeExit
from minischeme.data.printer import write
from minischeme.data.values import String
from minischeme.modules.files import source_text
from minischeme.repl.commands.table import command, dispatch, say, unknown_name
from minischeme.repl.program_files import changes, definitions, edit_file, last_file, place_to_edit, rc_path
from minischeme.session.describe import spelling, value_of
from minischeme.session.session import Session
from minischeme.system.file_locks import NewContents


@command(",history [N]")
def _history(session: Session, rest: str) -> None:
    """What you have typed since minischeme began, or the last N of it."""
    if rest and not rest.isdecimal():
        raise SchemeError(f",history: not a number: {rest}")
    entries = session.prompt.entries
    first = max(0, len(entries) - int(rest)) if rest else 0
    for number, (text, _) in enumerate(entries[first:], first + 1):
        say(session, f"{number:>4}  " + text.replace("\n", "\n      "), 4)


@command(",save FILE")
def _save(session: Session, rest: str) -> None:
    """Write what you have typed to a file that can be loaded; what failed is a comment there."""
    path = os.path.expanduser(rest)
    text = "".join(
        f"{entry}\n" if succeeded else "".join(f"; {line}\n" for line in entry.split("\n"))
        for entry, succeeded in session.prompt.entries
        if not entry.startswith(",")
    )
    if os.path.exists(path) and not text.startswith(source_text(path)):
        raise SchemeError(f",save: {rest} is there already, and is left as it is", hint="choose another name")
    with NewContents(path) as contents:
        contents.stream.write(text)
        contents.take_place()
    say(session, f"{rest} written")


@command(",load FILE")
def _load(session: Session, rest: str) -> None:
    """Run a file, and tell which definitions changed since it was last loaded."""
    _load_and_tell(session, rest)


@command(",reload")
def _reload(session: Session, _rest: str) -> None:
    """Load the last file again, and tell what changed in it."""
    _load_and_tell(session, last_file(session, ",reload"))


def _load_and_tell(session: Session, name: str) -> None:
    before = {os.path.abspath(path): text for path, text in session.loader.texts.items()}
    try:
        if session.prompt.recording.recorder is None:
            session.load(name)
        elif not session.prompt.evaluate_and_print(f"(load {write(String(name))})"):
            return
    except SchemeError as error:
        session.prompt.show_error(error)
    else:
        path = last_file(session, ",load")
        new = definitions(session, session.loader.loaded[path])
        earlier = before.get(os.path.abspath(path))
        if earlier is not None:
            say(session, changes(os.path.basename(path), definitions(session, earlier), new))
        else:
            say(session, f"{os.path.basename(path)} loaded: {', '.join(new) or 'it defines nothing'}")


@command(",check [FILE | EXPR]")
def _check(session: Session, rest: str) -> None:
    """What is wrong with a file, the last one if none is named, or with an expression; nothing is evaluated."""
    from minischeme.checking.formats import show_mistakes  # here, since it is seldom needed

    show_mistakes(session, rest or last_file(session, ",check"))


@command(",fmt EXPR")
def _fmt(session: Session, rest: str) -> None:
    """An expression with its lines indented as minischeme fmt does for files; nothing is evaluated."""
    from minischeme.formatting.formatter import show_formatted

    show_formatted(session, rest)


@command(",edit [name]")
def _edit(session: Session, rest: str) -> None:
    """Open the last file, or the definition of a procedure, in $EDITOR; then load it again."""
    if rest and value_of(session, spelling(session, rest)) is None:
        raise unknown_name(session, ",edit", rest)
    path, line = place_to_edit(session, rest)
    edit_file(session, path, line)
    _load_and_tell(session, path)


@command(",transcript [FILE]")
def _transcript(session: Session, rest: str) -> None:
    """Write all that is typed and shown from here on to the end of a file; alone, stop that."""
    if rest:
        session.prompt.recording.start(rest)
        say(session, f"Writing to {rest}; ,transcript ends it.")
    elif session.prompt.recording.recorder is None:
        raise SchemeError(",transcript: which file?")
    else:
        session.prompt.recording.stop()
        say(session, "The transcript has ended.")


def run_rc(session: Session) -> None:
    """Evaluate the user's rc.scm, then run the comma-commands on lines of their own in it; errors are shown."""
    path = rc_path()
    if not os.path.isfile(path):
        return
    try:
        lines = source_text(path).split("\n")
        commands = [line for line in lines if re.match(",[A-Za-z]", line)]
        session.eval("\n".join("" if line in commands else line for line in lines), path)
    except SchemeError as error:
        session.prompt.show_error(error)
    except (OSError, UnicodeDecodeError) as error:
        session.prompt.show_error(SchemeError(f"{path}: {error}"))
    else:
        for line in commands:
            dispatch(session, line)


@command(",rc")
def _rc(session: Session, _rest: str) -> None:
    """Open your own rc.scm in $EDITOR: Scheme and commands that each prompt begins with."""
    path = rc_path()
    os.makedirs(os.path.dirname(path), exist_ok=True)
    edit_file(session, path, 1)


@command(",vi")
def _vi(session: Session, _rest: str) -> None:
    """Edit with the keys of vi, or no longer; in rc.scm, from the beginning."""
    if not session.prompt.has_line_editor:
        raise SchemeError(",vi: lines can be edited at the prompt of a capable terminal only, and this is none")
    session.prompt.vi_keys = not session.prompt.vi_keys


@command(",quit")
def _quit(_session: Session, _rest: str) -> None:
    """Leave, as Ctrl-D does."""
    raise SchemeExit(0)
