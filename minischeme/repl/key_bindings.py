"""The key bindings of the prompt: Enter, Tab and a few others."""

import re
from contextlib import suppress

from prompt_toolkit import filters, search
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, get_common_complete_suffix
from prompt_toolkit.document import Document
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.key_binding.key_processor import KeyPressEvent
from pygments.token import Name

from minischeme.formatting.indentation import begins_definition, reindented
from minischeme.formatting.outline import outline
from minischeme.repl.evaluation import is_command, unfinished


def prompt_key_bindings() -> KeyBindings:
    """The prompt's own bindings. After an internal error a key does what it does in other programs."""
    bindings = KeyBindings()
    in_input = filters.has_focus(DEFAULT_BUFFER)
    margin = _Margin()

    @bindings.add("enter", filter=in_input)
    def _enter(event: KeyPressEvent) -> None:
        """Evaluate an entry that is complete, or given up at an empty line; else begin a new line."""
        buffer = event.current_buffer
        if buffer.complete_state is not None and buffer.complete_state.current_completion is not None:
            buffer.complete_state = None
            return
        is_at_end = "\n" not in buffer.document.text_after_cursor.rstrip()
        if _is_given_up(event) or (is_at_end and unfinished(buffer.text) is None):
            buffer.document = Document(buffer.text.rstrip())
            buffer.validate_and_handle()
        else:
            margin.begin(event)

    @bindings.add(" ", filter=in_input & (filters.emacs_insert_mode | filters.vi_insert_mode))
    def _blank(event: KeyPressEvent) -> None:
        """Insert a blank, unless the indentation has it already.

        Behind `(define` where no definition is expected, a bracket seems to be missing above: the line is then moved
        to the left margin, where it is read as the next definition.
        """
        buffer = event.current_buffer
        if not margin.has_blank(buffer.document):
            buffer.document = margin.without_stray(buffer.document)
            buffer.insert_text(event.data * event.arg)

    @bindings.add("enter", filter=filters.is_searching)
    def _take_found(event: KeyPressEvent) -> None:
        search.accept_search()
        buffer = event.app.current_buffer
        buffer.cursor_position = len(buffer.text)

    bindings.add("escape", "enter", filter=in_input & filters.emacs_mode)(margin.begin)

    @bindings.add("tab", filter=in_input & ~filters.has_selection)
    def _tab(event: KeyPressEvent) -> None:
        """Indent the line if there is no word at the cursor; else complete the word."""
        buffer = event.current_buffer
        if buffer.complete_state is not None:
            buffer.complete_next()
        elif _wants_completion(buffer.document):
            _complete(buffer)
        else:
            _reindent(buffer, buffer.document.cursor_position_row, buffer.document.cursor_position_row)

    @bindings.add("escape", "q", filter=in_input & filters.emacs_mode)
    def _indent_all(event: KeyPressEvent) -> None:
        _reindent(event.current_buffer, 0, event.current_buffer.document.line_count)

    @bindings.add("escape", filter=in_input & filters.has_completions)
    def _close_menu(event: KeyPressEvent) -> None:
        event.current_buffer.cancel_completion()

    return bindings


class _Margin:
    """The automatic indentation of the last line begun; a user who types the same blanks does not get them twice."""

    def __init__(self) -> None:
        self._before = ""
        self._blanks = 0

    def begin(self, event: KeyPressEvent) -> None:
        """Begin a new line."""
        buffer = event.current_buffer
        before, after = buffer.document.current_line_before_cursor, buffer.document.current_line_after_cursor
        with suppress(Exception):
            if not outline(buffer.text).inside_text(buffer.cursor_position):
                buffer.delete_before_cursor(len(before) - len(before.rstrip()))
                buffer.delete(_indent_width(after))
        buffer.newline(copy_margin=False)
        waiting = event.key_processor.input_queue
        if not (waiting and waiting[0].data in (" ", "\t")):  # text pasted as single keys has its own indentation
            text = buffer.document.text_before_cursor
            with suppress(Exception):
                buffer.insert_text(reindented(text, first=text.count("\n")).rpartition("\n")[2])
        self._before = buffer.document.text_before_cursor
        self._blanks = buffer.document.cursor_position_col

    def has_blank(self, document: Document) -> bool:
        """Whether the typed blank is already there, since only such blanks were typed after the indentation."""
        if self._blanks == 0 or document.text_before_cursor != self._before:
            return False
        self._blanks -= 1
        return True

    def without_stray(self, document: Document) -> Document:
        """The text without the indentation, if `(define` was typed right after it where no definition is expected."""
        text = document.text
        if not (self._before.endswith(" ") and text.startswith(self._before) and document.is_cursor_at_the_end):
            return document
        typed = text[len(self._before) :]
        is_stray = re.fullmatch(r"\(define[^\s()]*", typed) is not None and begins_definition(text)
        return Document(self._before.rstrip(" ") + typed) if is_stray else document


def _is_given_up(event: KeyPressEvent) -> bool:
    """Whether the cursor is at an empty last line, the entry lacks a bracket, and no key is waiting."""
    document = event.current_buffer.document
    if not document.is_cursor_at_the_end or document.current_line.strip() or event.key_processor.input_queue:
        return False
    error = unfinished(document.text)
    return error is not None and error.next_form is not None


def _wants_completion(document: Document) -> bool:
    """Whether a word or a string stands before the cursor."""
    before = document.current_line_before_cursor
    if is_command(document.text) or not before.strip():
        return bool(before.strip())
    with suppress(Exception):
        structure = outline(document.text_before_cursor)
        token = structure.token_at(document.cursor_position)
        return structure.inside_text(document.cursor_position) or (token is not None and token.kind is Name)
    return False


def _complete(buffer: Buffer) -> None:
    """Insert the common beginning of all completions; show them if there are several."""
    document = buffer.document
    # Not in the background, as elsewhere: the next key must find the word complete.
    found = list(buffer.completer.get_completions(document, CompleteEvent(completion_requested=True)))
    if len(found) == 1:
        buffer.apply_completion(found[0])
    elif found:
        buffer.insert_text(get_common_complete_suffix(document, found))
        buffer.start_completion()


def _reindent(buffer: Buffer, first: int, last: int) -> None:
    """Indent the lines with these numbers by the rules; the cursor stays at its character."""
    document = buffer.document
    lines = document.lines
    with suppress(Exception):
        lines = [*reindented("\n".join(lines[: last + 1]), first).split("\n"), *lines[last + 1 :]]
    row = document.cursor_position_row
    behind_margin = document.cursor_position_col - _indent_width(document.lines[row])
    column = _indent_width(lines[row]) + max(0, behind_margin)
    text = "\n".join(lines)
    if text != document.text:
        buffer.save_to_undo_stack()
    position = sum(len(line) + 1 for line in lines[:row]) + min(column, len(lines[row]))
    buffer.document = Document(text, position)


def _indent_width(line: str) -> int:
    return len(line) - len(line.lstrip())
