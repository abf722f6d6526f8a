"""`SchemeKernel`: Jupyter's requests, answered by a session.

A cell is evaluated as an entry at the prompt, except that it ends at its first error. The value of its last form is the
result of the cell; all before it is printed. The messages are those of "Messaging in Jupyter", version 5.
"""

import sys
from typing import Any

from ipykernel.iostream import OutStream
from ipykernel.kernelbase import Kernel
from IPython.core.error import StdinNotImplementedError
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from pygments.token import Name

from minischeme import __version__
from minischeme.data.errors import SchemeError, SchemeExit
from minischeme.formatting.indentation import reindented
from minischeme.formatting.outline import outline
from minischeme.jupyter.history import Content, History
from minischeme.repl.colours import coloured_report
from minischeme.repl.commands import dispatch, explanation
from minischeme.repl.completer import SchemeCompleter
from minischeme.repl.evaluation import internal_error_text, is_command, unfinished
from minischeme.repl.toolbar import called_at
from minischeme.runtime.ports import OutputPort
from minischeme.session.describe import Description, describe
from minischeme.session.session import Session
from minischeme.session.typed_text import read_typed


class SchemeKernel(Kernel):
    """The kernel of a notebook, with a session of its own."""

    implementation = "minischeme"
    implementation_version = __version__
    banner = f"minischeme {__version__}: Berkeley Scheme"
    language_info = {  # noqa: RUF012 - as in the base class
        "name": "scheme",
        "version": __version__,
        "mimetype": "text/x-scheme",
        "file_extension": ".scm",
        "pygments_lexer": "scheme",
        "codemirror_mode": "scheme",
    }

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._scheme = Session()
        self._history = History()
        self._error: SchemeError | None = None
        self._result = ""
        self._is_silent = self._is_last = False
        port = self._scheme.input
        port.readline = self._read_line
        port.tied, port.echoes = self._scheme.output, True
        self._scheme.output.show_picture = self._show_picture
        self._scheme.context.console.error_output = OutputPort(sys.stderr, "error")
        prompt = self._scheme.prompt
        prompt.name_values()
        prompt.display.error_text = coloured_report
        prompt.display.print_value, prompt.display.print_error = self._show_value, self._show_error

    def set_parent(self, ident: object, parent: Content, channel: str = "shell") -> None:
        """Let the output, too, belong to the request that is being answered."""
        super().set_parent(ident, parent, channel)
        if channel == "shell":
            for stream in (sys.stdout, sys.stderr):
                if isinstance(stream, OutStream):
                    stream.set_parent(parent)

    def _read_line(self) -> str:
        """A line that the front end asks for; empty at the end of the input."""
        try:
            return f"{self.raw_input()}\n"
        except EOFError:
            return ""
        except StdinNotImplementedError:
            raise SchemeError("this notebook can't be asked for input") from None
        except KeyboardInterrupt:
            raise KeyboardInterrupt from None  # without ipykernel's explanation

    # ── cells ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def do_execute(
        self,
        code: str,
        silent: bool,
        store_history: bool = True,
        user_expressions: Content | None = None,
        allow_stdin: bool = False,
        **_: Any,
    ) -> Content:
        """Evaluate a cell."""
        self._allow_stdin = allow_stdin
        self._is_silent, self._error, self._result = silent, None, ""
        payload: list[Content] = []
        prompt = self._scheme.prompt
        self._scheme.input.discard()
        try:
            self._evaluate(code)
        except SchemeExit:
            payload.append({"source": "ask_exit", "keepkernel": False})
        except KeyboardInterrupt as interrupt:
            prompt.show_error(self._scheme.diagnose(interrupt))
        except MemoryError:
            prompt.show_error(SchemeError("out of memory"))
        except Exception as error:
            prompt.show_error(SchemeError(internal_error_text(error)))
        self._scheme.output.fresh_line()
        prompt.entries.append((code.strip(), self._error is None))
        if store_history:
            self._history.add(self.execution_count, code, self._result)
        reply: Content = {"execution_count": self.execution_count}
        if self._error is not None:
            return {"status": "error"} | self._error_content(self._error) | reply
        return {"status": "ok", "payload": payload, "user_expressions": {}} | reply

    def _evaluate(self, code: str) -> None:
        if is_command(code):
            self._is_last = True
            dispatch(self._scheme, code)
            return
        fold_case = self._scheme.dialect == "berkeley"
        items = read_typed(code, f"<cell {self.execution_count}>", fold_case=fold_case, ended=True)
        with self._scheme.prompt.recording.typed(code):
            for number, item in enumerate(items, 1):
                self._is_last = number == len(items)
                if self._scheme.prompt.show(item) is not None:
                    break

    def _show_value(self, text: str) -> None:
        """Send the value of the last form as the result of the cell; print that of another."""
        output = self._scheme.output
        output.fresh_line()
        if not self._is_last:
            output.write(text)
            return
        output.flush()
        if output.copy is not None:
            output.copy.write(text)
        self._result = text.removesuffix("\n")
        if text and not self._is_silent:
            data = {"text/plain": self._result}
            content = {"execution_count": self.execution_count, "data": data, "metadata": {}}
            self.send_response(self.iopub_socket, "execute_result", content)

    def _show_picture(self, svg: str, text: str) -> None:
        self._scheme.output.flush()
        if not self._is_silent:
            data = {"image/svg+xml": svg, "text/plain": text.removesuffix("\n")}
            self.send_response(self.iopub_socket, "display_data", {"data": data, "metadata": {}})

    def _show_error(self, text: str, error: SchemeError) -> None:
        output = self._scheme.output
        output.fresh_line()
        output.flush()
        if output.copy is not None:
            output.copy.write(text)
        self._error = error
        if not self._is_silent:
            self.send_response(self.iopub_socket, "error", self._error_content(error))

    def _error_content(self, error: SchemeError) -> Content:
        with self._scheme.settings():
            lines = coloured_report(error).split("\n")
        return {"ename": "Error", "evalue": str(error), "traceback": lines}

    # ── help while a cell is being written ───────────────────────────────────────────────────────────────────────

    async def do_complete(self, code: str, cursor_pos: int) -> Content:
        """The names that the word before the cursor may become."""
        document = Document(code, cursor_pos)
        found = list(SchemeCompleter(self._scheme).get_completions(document, CompleteEvent(completion_requested=True)))
        start = cursor_pos + (found[0].start_position if found else 0)
        place = {"start": start, "end": cursor_pos}
        described = [place | {"text": each.text, "type": each.display_meta_text.partition(":")[0]} for each in found]
        return {
            "status": "ok",
            "matches": [each.text for each in found],
            "cursor_start": start,
            "cursor_end": cursor_pos,
            "metadata": {"_jupyter_types_experimental": described},
        }

    async def do_inspect(
        self, code: str, cursor_pos: int, detail_level: int = 0, omit_sections: object = ()
    ) -> Content:
        """The help on the name at the cursor, or else on the procedure that is called there."""
        found = self._description(code, cursor_pos)
        data: Content = {}
        if found is not None:
            with self._scheme.settings():
                text = explanation(found)
                if found.definition is not None:
                    text += f"\n\n{found.definition.text}"
            data["text/plain"] = text
        return {"status": "ok", "found": found is not None, "data": data, "metadata": {}}

    def _description(self, code: str, cursor: int) -> Description | None:
        word = outline(code).token_at(cursor)
        if word is not None and word.kind is Name:
            found = describe(self._scheme, word.text)
            if found is not None:
                return found
        return called_at(code, cursor, self._scheme)

    async def do_is_complete(self, code: str) -> Content:
        """Whether Enter evaluates a text in a console."""
        if unfinished(code) is not None:
            line = reindented(f"{code}\n", code.count("\n") + 1).rpartition("\n")[2]
            return {"status": "incomplete", "indent": line}
        has_error = not is_command(code) and any(isinstance(item, SchemeError) for item in read_typed(code))
        return {"status": "invalid" if has_error else "complete"}

    async def do_history(
        self,
        hist_access_type: str,
        output: bool,
        raw: bool,
        session: int | None = None,
        start: int | None = None,
        stop: int | None = None,
        n: int | None = None,
        pattern: str | None = None,
        unique: bool = False,
    ) -> Content:
        """Cells of this session and of earlier ones."""
        if hist_access_type == "range":
            found = self._history.between(session or 0, start or 0, stop)
        else:
            found = self._history.latest(n, pattern if hist_access_type == "search" else None, unique=unique)
        rows = [(each.session, each.line, (each.code, each.result) if output else each.code) for each in found]
        return {"status": "ok", "history": rows}

    async def do_shutdown(self, restart: bool) -> Content:
        """End the transcript that is being written."""
        self._scheme.prompt.recording.stop()
        return {"status": "ok", "restart": restart}
