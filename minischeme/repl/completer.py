"""The completions of Tab: names, with their meaning; file names inside `load`; comma-commands."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from pygments.token import Name, Operator, Punctuation, String, Whitespace

from minischeme.data.abbreviate import abbreviated
from minischeme.formatting.outline import Mode, Outline, outline
from minischeme.modules.files import COURSE_FOLDER, find_library
from minischeme.repl.commands import TABLE
from minischeme.session.describe import NameKind, describe, kind_of, names, spelling
from minischeme.session.session import Session

LONGEST_DOC = 60
_COMMAND = re.compile(r"\s*,([a-z-]*)")
_FILE_COMMAND = re.compile(r"\s*,(?:load|edit|transcript|save)\s+\"?(?P<path>[^\"\s]*)")
_OPENING = {"load", "open-input-file", "open-output-file", "call-with-input-file", "transcript-on"}


class SchemeCompleter(Completer):
    """The completions at the cursor. An internal error does not end the session: nothing is offered then."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        with suppress(Exception):
            yield from self._completions(document.text, document.cursor_position)

    def _completions(self, text: str, cursor: int) -> Iterator[Completion]:
        before = text[:cursor]
        if command := _COMMAND.fullmatch(before):
            found = [(name, each.doc) for name, each in TABLE.items() if name.startswith(command[1])]
            yield from (Completion(name, -len(command[1]), f",{name}", doc) for name, doc in found)
            return
        if file_command := _FILE_COMMAND.fullmatch(before):
            yield from _files(file_command["path"])
            return
        # Text behind the cursor may close a string that is open at the cursor, so only the text before it counts.
        structure = outline(before)
        token = structure.token_at(cursor)
        if structure.inside_text(cursor):
            # A file is named by the only argument of some procedures.
            group = structure.group_at(cursor)
            if token is not None and token.kind is String and group.parts[1:] == [token] and group.head in _OPENING:
                yield from _files(token.text[1:])
        elif token is None or token.kind in (Name, Whitespace, Punctuation, Operator):
            word = token.text if token is not None and token.kind is Name else ""
            mode = token.mode if word and token is not None else structure.group_at(cursor).mode
            if mode is Mode.CODE:
                yield from self._names(word, structure, text, cursor)

    def _names(self, word: str, before: Outline, text: str, cursor: int) -> Iterator[Completion]:
        # Definitions below the cursor are in scope too.
        locals_here = before.group_at(cursor).scope | outline(text).group_at(cursor).scope
        locals_here.pop(word, None)
        known = dict.fromkeys([*locals_here, *sorted(names(self._session), key=self._rank)])
        lowered = word.lower()
        found = [name for name in known if name.lower().startswith(lowered)]
        if not found and len(word) > 1:
            found = [name for name in known if lowered in name.lower()]
        for name in found:
            if name in locals_here:
                yield Completion(name, -len(word), display_meta="local")
                continue
            description = describe(self._session, name)
            if description is not None:
                doc = f"{description.kind.value}: {description.doc}" if description.doc else description.kind.value
                yield Completion(name, -len(word), display_meta=abbreviated(doc, LONGEST_DOC))

    def _rank(self, name: str) -> tuple[bool, str]:
        kind = kind_of(self._session, spelling(self._session, name))
        return kind not in (NameKind.USER_PROCEDURE, NameKind.USER_VARIABLE, NameKind.USER_MACRO), name


def _files(typed: str) -> Iterator[Completion]:
    """Completions for the files and folders whose path begins with the text; those of the library come last."""
    folder, start = os.path.split(typed)
    folders = [] if typed.startswith(COURSE_FOLDER) else [(os.path.expanduser(folder) or ".", "")]
    if not folders or not folder:
        folders.append((find_library(), "in the library"))
    seen = set()
    for path, meta in folders:
        if not os.path.isdir(path):
            continue
        for entry in sorted(os.scandir(path), key=lambda entry: (not entry.name.endswith(".scm"), entry.name)):
            if entry.name.startswith(start) and entry.name not in seen and (start or not entry.name.startswith(".")):
                seen.add(entry.name)
                shown = entry.name + ("/" if entry.is_dir() else "")
                yield Completion(shown, -len(start), display_meta=meta)
