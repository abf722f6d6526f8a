"""The prompt in a terminal, put together from prompt_toolkit's parts."""

from asyncio import sleep
from contextlib import suppress
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.document import Document
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.history import FileHistory, History
from prompt_toolkit.input import Input
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout.processors import TabsProcessor
from prompt_toolkit.output import ColorDepth

from minischeme.repl.colours import STYLE, BracketProcessor, CodeLexer, coloured_report
from minischeme.repl.commands import dispatch
from minischeme.repl.completer import SchemeCompleter
from minischeme.repl.evaluation import evaluate_entry
from minischeme.repl.key_bindings import prompt_key_bindings
from minischeme.repl.toolbar import toolbar_text
from minischeme.session.session import Session
from minischeme.session.watching import INTERVAL, FileWatch
from minischeme.system.terminal import ended_in_order
from minischeme.system.user_folders import user_folder


class PrivateHistory(FileHistory):
    """A history in prompt_toolkit's format, without immediate repetitions, in a file that sessions may share.

    If the file can't be written or read, entries last as long as the session.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or Path(user_folder("data"), "history")
        super().__init__(str(self._path))

    def load_history_strings(self) -> list[str]:
        with suppress(OSError):
            return list(super().load_history_strings())
        return []

    def append_string(self, string: str) -> None:
        if not self._loaded_strings or self._loaded_strings[0] != string:
            super().append_string(string)

    def store_string(self, string: str) -> None:
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._path.touch(mode=0o600)
            self._path.chmod(0o600)
            super().store_string(string.encode("utf-8", "replace").decode("utf-8"))


def _take_typed_line(terminal: Input) -> str:
    """The first line typed ahead, with its newline if it has one; other keys stay for the next reader."""
    text = ""
    while (key := _take_typed_key(terminal)) is not None:
        if key.key in (Keys.ControlM, Keys.ControlJ):
            return text + "\n"
        if key.key is Keys.ControlH:
            text = text[:-1]
        elif key.key is Keys.BracketedPaste:
            text += key.data.replace("\r\n", "\n").replace("\r", "\n")
        elif not isinstance(key.key, Keys):
            text += key.data
    return text


def _take_typed_key(terminal: Input) -> KeyPress | None:
    """The first key typed ahead; the others stay for the next reader."""
    keys = get_typeahead(terminal)
    store_typeahead(terminal, keys[1:])
    return keys[0] if keys else None


_CHANGED = " (files have changed)"
"""The entry, by its identity, that stands for changed files."""


class Prompter:
    """A prompt that reads entries in a terminal and evaluates them; `prompt` is the text before an entry.

    With a `watch`, files that change while an entry is typed are loaded again.
    """

    def __init__(
        self, session: Session, prompt: str, history: History | None = None, watch: FileWatch | None = None
    ) -> None:
        self._session = session
        self._watch = watch
        self._changed: list[str] = []
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
            bottom_toolbar=lambda: toolbar_text(session),
            search_ignore_case=True,
            enable_suspend=True,
            enable_open_in_editor=True,
            tempfile_suffix=".scm",
        )

    def run(self) -> None:
        """Read and evaluate entries until the user leaves."""
        session = self._session
        app = self.prompt_session.app
        port = session.input
        console = session.context.console
        before = port.readline, console.typed_ahead, session.prompt.value_shown, session.prompt.display.error_text
        readline = port.readline

        def read_line() -> str:
            """Read a line, what was typed ahead first, which the terminal has not shown."""
            typed = _take_typed_line(app.input)
            if typed:
                session.output.write(typed)
            return typed if typed.endswith("\n") else typed + readline()

        port.readline = read_line
        console.typed_ahead = lambda: key.data if (key := _take_typed_key(app.input)) is not None else ""
        session.prompt.name_values()
        if app.color_depth is not ColorDepth.DEPTH_1_BIT:
            session.prompt.display.error_text = coloured_report
        try:
            while (entry := self._next_entry()) is not None:
                # A program that reads a line wants a new one, not the rest of an answer to an earlier program.
                port.discard()
                try:
                    if entry.strip():
                        evaluate_entry(session, entry, ended=True)
                except KeyboardInterrupt:
                    session.output.write("\n")
        finally:
            (port.readline, console.typed_ahead, session.prompt.value_shown, session.prompt.display.error_text) = before

    def _next_entry(self) -> str | None:
        """The next entry, empty if the user drops it by Ctrl-C; None at the end."""
        output = self._session.output
        try:
            output.fresh_line()
            output.flush()
            document = Document()
            while True:
                with ended_in_order():
                    is_vi = self._session.prompt.vi_keys
                    self.prompt_session.editing_mode = EditingMode.VI if is_vi else EditingMode.EMACS
                    entry = self.prompt_session.prompt(default=document, pre_run=self._begin_watch)
                if entry is not _CHANGED:
                    return entry
                document = self.prompt_session.default_buffer.document
                self._load_changed()
        except KeyboardInterrupt:
            buffer = self.prompt_session.default_buffer
            if "\n" in buffer.text:  # such as a pasted text that lacks a bracket
                buffer.append_to_history()
            return ""
        except EOFError:
            return None
        finally:
            output.column = 0

    def _begin_watch(self) -> None:
        self.prompt_session.app.erase_when_done = False
        if self._watch is not None:
            self.prompt_session.app.create_background_task(self._leave_when_changed(self._watch))

    async def _leave_when_changed(self, watch: FileWatch) -> None:
        """Leave the prompt, with what is typed kept in its buffer, when files have changed."""
        app = self.prompt_session.app
        while not self._changed:
            await sleep(INTERVAL)
            self._changed = watch.changed()
        await run_in_terminal(lambda: None)  # after an editor that is open
        if app.is_running and not app.is_done:
            app.erase_when_done = True
            app.exit(result=_CHANGED)

    def _load_changed(self) -> None:
        """Load the changed files again, but for those that others of them load."""
        changed, self._changed = self._changed, []
        self._session.output.column = 0
        for path in changed:
            if self._watch is not None and self._watch.differs(path):
                dispatch(self._session, f",load {path}")
        self._session.output.fresh_line()
        self._session.output.flush()
