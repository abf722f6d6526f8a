"""The prompt in a terminal, put together from prompt_toolkit's parts."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from platformdirs import user_data_path
from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.history import FileHistory, History
from prompt_toolkit.input import Input
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout.processors import TabsProcessor
from prompt_toolkit.output import ColorDepth, Output

from minischeme.data.errors import UnfinishedInput
from minischeme.repl.colours import STYLE, BracketProcessor, CodeLexer, coloured_report
from minischeme.repl.completer import SchemeCompleter
from minischeme.repl.evaluation import evaluate_entry
from minischeme.repl.key_bindings import prompt_key_bindings
from minischeme.repl.toolbar import Toolbar
from minischeme.session.session import Session
from minischeme.system.terminal import ended_in_order


class PrivateHistory(FileHistory):
    """A history in prompt_toolkit's format, without immediate repetitions, in a file that sessions may share.

    If the file can't be written or read, entries last as long as the session.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or user_data_path("minischeme", appauthor=False) / "history"
        super().__init__(str(self._path))

    def load_history_strings(self) -> list[str]:
        with suppress(OSError):
            return list(super().load_history_strings())
        return []

    def append_string(self, string: str) -> None:
        if not self._loaded_strings or self._loaded_strings[0] != string:
            super().append_string(string)

    def store_string(self, string: str) -> None:
        record = "\n" + "".join(f"+{line}\n" for line in string.split("\n"))
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.chmod(self._path, 0o600)
                os.write(descriptor, record.encode("utf-8", "replace"))
            finally:
                os.close(descriptor)


_ENDS = (Keys.ControlM, Keys.ControlJ)


def take_typed_line(terminal: Input) -> str:
    """The first line typed ahead, with its newline if it has one; other keys stay for the next reader."""
    keys = get_typeahead(terminal)
    text = ""
    for number, key in enumerate(keys):
        if key.key in _ENDS:
            store_typeahead(terminal, keys[number + 1 :])
            return text + "\n"
        if key.key is Keys.ControlH:
            text = text[:-1]
        elif key.key is Keys.BracketedPaste:
            text += key.data.replace("\r\n", "\n").replace("\r", "\n")
        elif not isinstance(key.key, Keys):
            text += key.data
    return text


def reading_typed_text(readline: Callable[[], str], terminal: Input, show: Callable[[str], None]) -> Callable[[], str]:
    """A `readline` that first gives the text typed ahead, and shows it by `show`, since the terminal did not."""

    def read_line() -> str:
        typed = take_typed_line(terminal)
        if typed:
            show(typed)
        return typed if typed.endswith("\n") else typed + readline()

    return read_line


class Prompter:
    """A prompt that reads entries in a terminal and evaluates them; `prompt` is the text before an entry."""

    def __init__(
        self,
        session: Session,
        prompt: str,
        *,
        history: History | None = None,
        input: Input | None = None,
        output: Output | None = None,
    ) -> None:
        self._session = session
        self.prompt_session: PromptSession[str] = PromptSession(
            [("class:prompt", prompt)],
            multiline=True,
            prompt_continuation=lambda width, line, wrapped: " " * width,
            lexer=CodeLexer(session),
            style=STYLE,
            include_default_pygments_style=False,
            completer=SchemeCompleter(session),
            complete_while_typing=False,
            reserve_space_for_menu=6,
            auto_suggest=AutoSuggestFromHistory(),
            history=history or PrivateHistory(),
            input_processors=[BracketProcessor(), TabsProcessor(tabstop=8, char1=" ", char2=" ")],
            key_bindings=prompt_key_bindings(),
            bottom_toolbar=Toolbar(session).text,
            search_ignore_case=True,
            enable_suspend=True,
            enable_open_in_editor=True,
            tempfile_suffix=".scm",
            input=input,
            output=output,
        )

    def run(self) -> None:
        """Read and evaluate entries until the user leaves."""
        session = self._session
        app = self.prompt_session.app
        port = session.input
        before = port.readline, session.prompt.value_shown, session.prompt.error_text
        port.readline = reading_typed_text(port.readline, app.input, session.output.write)
        session.prompt.name_values()
        if app.color_depth is not ColorDepth.DEPTH_1_BIT:
            session.prompt.error_text = coloured_report
        try:
            while (entry := self._next_entry()) is not None:
                self._run_entry(entry)
        finally:
            port.readline, session.prompt.value_shown, session.prompt.error_text = before

    def _next_entry(self) -> str | None:
        """The next entry, empty if the user drops it by Ctrl-C; None at the end."""
        output = self._session.output
        try:
            output.fresh_line()
            output.flush()
            with ended_in_order():
                self.prompt_session.editing_mode = EditingMode.VI if self._session.prompt.vi_keys else EditingMode.EMACS
                return self.prompt_session.prompt()
        except KeyboardInterrupt:
            buffer = self.prompt_session.default_buffer
            if "\n" in buffer.text:  # such as a pasted text that lacks a bracket
                buffer.append_to_history()
            return ""
        except EOFError:
            return None
        finally:
            output.column = 0

    def _run_entry(self, entry: str) -> None:
        """Evaluate an entry; Ctrl-C ends only the evaluation."""
        try:
            # A program that reads a line wants a new one, not the rest of an answer to an earlier program.
            self._session.input.discard()
            if entry.strip():
                evaluate_entry(self._session, entry, ended=True)
        except UnfinishedInput as error:  # in the expression of a command
            self._session.prompt.show_error(error)
        except KeyboardInterrupt:
            self._session.output.write("\n")
