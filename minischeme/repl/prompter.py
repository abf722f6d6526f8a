"""The prompt in a terminal: puts prompt_toolkit's parts together, and takes one entry after the other from it."""

from __future__ import annotations

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.history import History
from prompt_toolkit.input import Input
from prompt_toolkit.layout.processors import TabsProcessor
from prompt_toolkit.output import ColorDepth, Output

from minischeme.data.errors import UnfinishedInput
from minischeme.repl.brackets import BracketProcessor
from minischeme.repl.colours import STYLE, CodeLexer, coloured_report
from minischeme.repl.completer import SchemeCompleter
from minischeme.repl.evaluation import evaluate_entry
from minischeme.repl.history import PrivateHistory, history_path
from minischeme.repl.key_bindings import prompt_key_bindings
from minischeme.repl.toolbar import Toolbar
from minischeme.repl.typeahead import reading_typed_text
from minischeme.session.earlier_values import EarlierValues
from minischeme.session.session import Session
from minischeme.system.terminal import ended_in_order

ROOM_FOR_MENU = 6
"""Lines that the menu of completions gets, at least."""


class Prompter:
    """Asks for entries in a terminal and has them evaluated.

    Args:
        session: whose names are coloured, completed and explained.
        prompt: the text before an entry.
        history, input, output: other ones than the user's own file and terminal.
    """

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
            reserve_space_for_menu=ROOM_FOR_MENU,
            auto_suggest=AutoSuggestFromHistory(),
            history=history if history is not None else PrivateHistory(history_path()),
            input_processors=[BracketProcessor(), TabsProcessor(tabstop=8, char1=" ", char2=" ")],
            key_bindings=prompt_key_bindings(),
            bottom_toolbar=Toolbar(session),
            search_ignore_case=True,
            enable_suspend=True,
            enable_open_in_editor=True,
            tempfile_suffix=".scm",
            input=input,
            output=output,
        )

    def run(self) -> None:
        """Take entries until the user leaves by Ctrl-D."""
        session = self._session
        app = self.prompt_session.app
        port = session.input
        before = port.readline, session.prompt.value_shown, session.prompt.error_text
        port.readline = reading_typed_text(port.readline, app.input, session.output.write)
        session.prompt.value_shown = EarlierValues(session).note
        if app.color_depth is not ColorDepth.DEPTH_1_BIT:
            session.prompt.error_text = coloured_report
        try:
            while (entry := self._next_entry()) is not None:
                self._run_entry(entry)
        finally:
            port.readline, session.prompt.value_shown, session.prompt.error_text = before

    def _next_entry(self) -> str | None:
        """What the user types next, empty if they drop it by Ctrl-C; None at the end."""
        output = self._session.output
        try:
            output.fresh_line()
            output.flush()
            with ended_in_order():
                self.prompt_session.editing_mode = EditingMode.VI if self._session.prompt.vi_keys else EditingMode.EMACS
                return self.prompt_session.prompt()
        except KeyboardInterrupt:
            buffer = self.prompt_session.default_buffer
            if "\n" in buffer.text:  # a paste, say, of which one bracket was missing
                buffer.append_to_history()
            return ""
        except EOFError:
            return None
        finally:
            output.column = 0

    def _run_entry(self, entry: str) -> None:
        """Evaluate an entry; Ctrl-C ends that, and nothing more."""
        try:
            # A program that asks for a line means a new one, not what was left of an answer to an earlier program.
            self._session.input.discard()
            if entry.strip():
                evaluate_entry(self._session, entry, ended=True)
        except UnfinishedInput as error:  # in what follows a command
            self._session.prompt.show_error(error)
        except KeyboardInterrupt:
            self._session.output.write("\n")
