"""The language server's side of the protocol, by way of pygls.

pygls brings the messages of the protocol as types, the texts with their changes, and the transport; it is an extra,
since its half second of imports is no part of any other start.
"""

import asyncio
from collections.abc import Iterable, Iterator

from lsprotocol import types as lsp
from pygls import uris
from pygls.lsp.server import LanguageServer

from minischeme import __version__
from minischeme.checking.registry import Diagnostic
from minischeme.data.source import Source, Span
from minischeme.language_server import answers
from minischeme.language_server.analysis import Analysis
from minischeme.language_server.occurrences import Occurrence

TOKEN_TYPES = ("comment", "string", "number", "keyword", "macro", "function", "variable", "enumMember")

_STYLES = {
    "special-form": "keyword",
    "user-macro": "macro",
    "primitive": "function",
    "constant": "variable",
    "user-procedure": "function",
    "user-variable": "variable",
    "quoted": "enumMember",
}
"""The types of tokens in the protocol for the prompt's styles, where the names differ."""

_PAUSE = 0.1
"""The seconds without a change after which texts are analysed again."""


class SchemeServer(LanguageServer):
    """A language server with an analysis of each text that is open in the editor."""

    def __init__(self) -> None:
        super().__init__("minischeme", __version__)
        self._analyses: dict[str, Analysis] = {}
        self._changed: dict[str, None] = {}  # the texts to analyse again, in this order
        self._pause: asyncio.TimerHandle | None = None

    # ── texts ────────────────────────────────────────────────────────────────────────────────────────────────────

    def analysis(self, uri: str) -> Analysis:
        """The analysis of a text as it is now."""
        if uri not in self._analyses:
            self._analyses[uri] = Analysis(self.text(uri), uris.to_fs_path(uri) or uri, self.edited)
        return self._analyses[uri]

    def text(self, uri: str) -> str:
        """A text as it is now, empty if it is not open and can't be read."""
        try:
            return self.workspace.get_text_document(uri).source
        except (OSError, UnicodeDecodeError):
            return ""

    @property
    def edited(self) -> dict[str, str]:
        """The texts that are open in the editor, by their paths."""
        return {uris.to_fs_path(uri) or uri: document.source for uri, document in self.workspace.text_documents.items()}

    def changed(self, uri: str) -> None:
        """Analyse a text again soon, and those that load it; tell the editor what is wrong with them."""
        path = uris.to_fs_path(uri) or uri
        others = {other for other, known in self._analyses.items() if path in known.files}
        for each in [uri, *others - {uri}]:
            self._analyses.pop(each, None)
            self._changed[each] = None
        if self._pause is not None:
            self._pause.cancel()
        self._pause = asyncio.get_running_loop().call_later(_PAUSE, self._analyse_changed)

    def _analyse_changed(self) -> None:
        changed, self._changed = self._changed, {}
        for each in changed:
            found = [self._diagnostic(diagnostic) for diagnostic in self.analysis(each).diagnostics]
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(each, found))

    def closed(self, uri: str) -> None:
        """Forget a text that is no longer open."""
        self._analyses.pop(uri, None)
        self._changed.pop(uri, None)
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    # ── places ───────────────────────────────────────────────────────────────────────────────────────────────────

    def offset(self, source: Source, position: lsp.Position) -> int:
        """The offset of a position, whose columns are counted as the editor counts them."""
        codec = self.workspace.position_codec
        if position.line > source.text.count("\n"):
            return len(source.text)
        line = source.line(position.line + 1)
        column = 0
        while column < len(line) and codec.client_num_units(line[:column]) < position.character:
            column += 1
        return source.offset(position.line + 1, column)

    def range_of(self, span: Span) -> lsp.Range:
        """The range of a span, in the editor's columns."""
        ends = []
        for offset in (span.start, span.end):
            line, column = span.source.position(offset)
            start = span.source.offset(line, 0)
            prefix = span.source.text[start : start + column]
            ends.append(lsp.Position(line - 1, self.workspace.position_codec.client_num_units(prefix)))
        return lsp.Range(*ends)

    def location(self, span: Span) -> lsp.Location:
        return lsp.Location(uris.from_fs_path(span.source.name) or span.source.name, self.range_of(span))

    # ── answers ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _diagnostic(self, found: Diagnostic) -> lsp.Diagnostic:
        severity = lsp.DiagnosticSeverity.Error if found.level == "error" else lsp.DiagnosticSeverity.Warning
        message = found.message if found.hint is None else f"{found.message}\n{found.hint}"
        return lsp.Diagnostic(self.range_of(found.span), message, severity, found.rule, source="minischeme")

    def occurrences(self, uri: str, position: lsp.Position) -> list[Occurrence]:
        """The occurrences of the name at a place, in its own file and those that it loads."""
        analysis = self.analysis(uri)
        binding = analysis.binding_at(self.offset(analysis.program.source, position))
        return [] if binding is None else analysis.of(binding)

    def token_numbers(self, uri: str) -> Iterator[int]:
        """The coloured tokens of a text as the protocol encodes them: five numbers for each of their lines."""
        analysis = self.analysis(uri)
        source = analysis.program.source
        line, column = 0, 0
        for token, style in answers.styles(analysis):
            number = TOKEN_TYPES.index(_STYLES.get(style, style))
            for start, end in _lines(source, token.start, token.end):
                place = self.range_of(Span(source, start, end))
                is_same_line = place.start.line == line
                yield place.start.line - line
                yield place.start.character - (column if is_same_line else 0)
                yield place.end.character - place.start.character
                yield number
                yield style == "primitive"  # the modifier of the standard library
                line, column = place.start.line, place.start.character


def _lines(source: Source, start: int, end: int) -> Iterable[tuple[int, int]]:
    """The parts of a token in each line."""
    while start < end:
        newline = source.text.find("\n", start, end)
        stop = end if newline < 0 else newline
        if stop > start:
            yield start, stop
        start = stop + 1
