"""Program files at the prompt: the changes in a file that is loaded again, the user's rc.scm, and the editor."""

import os
import re
import shlex
import shutil
import subprocess
from types import FunctionType

from minischeme.data.errors import SchemeError
from minischeme.data.source import Source
from minischeme.data.values import Pair, Symbol, intern
from minischeme.evaluation.procedures import definition_span
from minischeme.expansion.lists import defined_name
from minischeme.modules.files import library_file
from minischeme.reading.reader import read
from minischeme.session.describe import spelling, value_of
from minischeme.session.session import Session
from minischeme.system.user_folders import user_folder

_DEFINITIONS = frozenset(intern(name) for name in ("define", "define-macro", "define-syntax", "define-class"))
_COPY_IT = "to change it, copy it into your folder and load the copy"


def last_file(session: Session, command: str) -> str:
    """The file that was loaded last; a `SchemeError` for the command if there is none."""
    if not session.loader.loaded:
        raise SchemeError(f"{command}: no file has been loaded yet", hint=",load FILE loads one")
    return next(reversed(session.loader.loaded))


def definitions(session: Session, text: str) -> dict[str, str]:
    """The names that a text defines at top level, each with the text of its definition."""
    found: dict[str, str] = {}
    fold_case = session.dialect == "berkeley"
    try:
        for form in read(Source(text, "<file>"), fold_case=fold_case, on_stray=lambda _: None):
            if type(form.datum) is Pair and form.datum.car in _DEFINITIONS:
                symbol = defined_name(form.datum)
                if type(symbol) is Symbol:
                    found[symbol.name] = form.span.text
    except SchemeError:
        parts = re.split(r"\n(?=\()", text)  # `load` has reported it; each definition counts, as far as it goes
        for part in parts if len(parts) > 1 else ():
            found |= definitions(session, part)
        unfinished = re.match(r"\(define[^\s()]*\s+\(*([^\s()]+)", text)
        if unfinished is not None:
            found.setdefault(unfinished[1].lower() if fold_case else unfinished[1], text)
    return found


def changes(name: str, old: dict[str, str], new: dict[str, str]) -> str:
    """A description of the differences between two versions of a file."""
    kinds = (
        ("new", [name for name in new if name not in old]),
        ("changed", [name for name in new if name in old and new[name] != old[name]]),
        ("no longer in the file, but still defined", [name for name in old if name not in new]),
    )
    told = [f"{kind}: {', '.join(found)}" for kind, found in kinds if found]
    return f"{name} loaded again; {'; '.join(told) if told else 'no definition changed'}"


def rc_path() -> str:
    """The path of the user's rc.scm, which need not exist."""
    return os.path.join(user_folder("config"), "rc.scm")


def place_to_edit(session: Session, name: str) -> tuple[str, int]:
    """The file to edit, and the line (from 1) to show."""
    own = [path for path in session.loader.loaded if library_file(path) is None]
    if not name:
        if session.loader.loaded and not own:
            raise SchemeError(",edit: only files of the library have been loaded", hint=_COPY_IT)
        return own[-1] if own else last_file(session, ",edit"), 1
    value = value_of(session, spelling(session, name))
    span = definition_span(value) if type(value) is FunctionType else None
    shipped = library_file(span.source.name) if span is not None else None
    if shipped is not None:
        raise SchemeError(f",edit: {name} is defined in {shipped}, a file of the library", hint=_COPY_IT)
    if span is not None and not span.source.is_interactive:
        return span.source.name, span.source.position(span.start)[0]
    for path in reversed(own):
        text = session.loader.loaded[path]
        definition = definitions(session, text).get(spelling(session, name))
        if definition is not None and span is None:
            return path, text[: text.index(definition)].count("\n") + 1
    raise SchemeError(f",edit: {name} is not defined in a file")


def edit_file(session: Session, path: str, line: int) -> None:
    """Have the user edit a file."""
    session.output.flush()
    status = subprocess.run(_editor_command(path, line), check=False).returncode
    if status != 0:
        raise SchemeError(f",edit: the editor ended with status {status}")


def _editor_command(path: str, line: int) -> list[str]:
    wanted = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    wanted = wanted or next(filter(shutil.which, ("editor", "nano", "vi", "notepad")), None)
    if not wanted:
        raise SchemeError(",edit: no editor found", hint="set the environment variable EDITOR")
    command = shlex.split(wanted)
    program = os.path.splitext(os.path.basename(command[0]))[0]
    if program in ("code", "codium"):
        return [*command, "--wait", "--goto", f"{path}:{line}"]
    if program in ("subl", "zed", "hx", "helix"):
        return [*command, f"{path}:{line}"]
    if program == "notepad":
        return [*command, path]
    return [*command, f"+{line}", path]
