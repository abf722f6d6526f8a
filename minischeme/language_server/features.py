"""The requests that the language server answers, each by a function of a few lines."""

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams

from minischeme.data.errors import SchemeError
from minischeme.data.source import Source, Span
from minischeme.formatting.formatter import formatted
from minischeme.language_server import answers
from minischeme.language_server.renaming import renamed
from minischeme.language_server.server import TOKEN_TYPES, SchemeServer

_COMPLETION_KINDS = {
    "special form": lsp.CompletionItemKind.Keyword,
    "your macro": lsp.CompletionItemKind.Keyword,
    "procedure": lsp.CompletionItemKind.Function,
    "your procedure": lsp.CompletionItemKind.Function,
    "local": lsp.CompletionItemKind.Variable,
}


def make_server() -> SchemeServer:
    """A server that answers all that it promises."""
    server = SchemeServer()
    _follow_texts(server)
    _tell_bindings(server)
    _help_writing(server)
    _tell_layout(server)
    return server


def _follow_texts(server: SchemeServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def changed(event: lsp.DidOpenTextDocumentParams) -> None:
        server.changed(event.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(event: lsp.DidCloseTextDocumentParams) -> None:
        server.closed(event.text_document.uri)


def _tell_bindings(server: SchemeServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(place: lsp.DefinitionParams) -> list[lsp.Location]:
        return [
            server.location(each.span)
            for each in server.occurrences(place.text_document.uri, place.position)
            if each.is_definition
        ]

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def references(place: lsp.ReferenceParams) -> list[lsp.Location]:
        wanted = place.context.include_declaration
        return [
            server.location(each.span)
            for each in server.occurrences(place.text_document.uri, place.position)
            if wanted or not each.is_definition
        ]

    @server.feature(lsp.TEXT_DOCUMENT_RENAME)
    def rename(place: lsp.RenameParams) -> lsp.WorkspaceEdit:
        analysis = server.analysis(place.text_document.uri)
        binding = analysis.binding_at(server.offset(analysis.program.source, place.position))
        if binding is None:
            raise JsonRpcInvalidParams("there is no name here")
        edits: dict[str, list[lsp.TextEdit]] = {}
        try:
            for span in renamed(analysis, binding, place.new_name, server.edited):
                where = server.location(span)
                edits.setdefault(where.uri, []).append(lsp.TextEdit(where.range, place.new_name))
        except SchemeError as error:
            raise JsonRpcInvalidParams(str(error)) from None
        return lsp.WorkspaceEdit(edits)


def _help_writing(server: SchemeServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(place: lsp.HoverParams) -> lsp.Hover | None:
        analysis = server.analysis(place.text_document.uri)
        source = analysis.program.source
        found = answers.hover(analysis, server.offset(source, place.position))
        if found is None:
            return None
        content = lsp.MarkupContent(lsp.MarkupKind.Markdown, found.text)
        return lsp.Hover(content, server.range_of(Span(source, found.start, found.end)))

    @server.feature(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpOptions(["(", " "]))
    def signature(place: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        analysis = server.analysis(place.text_document.uri)
        found = answers.signature(analysis, server.offset(analysis.program.source, place.position))
        if found is None:
            return None
        parameters = [lsp.ParameterInformation(name) for name in found.parameters]
        shown = lsp.SignatureInformation(found.text, found.doc, parameters)
        return lsp.SignatureHelp([shown], 0, found.active)

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION)
    def completion(place: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        analysis = server.analysis(place.text_document.uri)
        source = analysis.program.source
        offset = server.offset(source, place.position)
        items = []
        for each in answers.completions(analysis, source.text, offset):
            kind = _COMPLETION_KINDS.get(each.display_meta_text.partition(":")[0], lsp.CompletionItemKind.Variable)
            replaced = server.range_of(Span(source, offset + each.start_position, offset))
            edit = lsp.TextEdit(replaced, each.text)
            items.append(lsp.CompletionItem(each.text, kind=kind, detail=each.display_meta_text, text_edit=edit))
        return items


def _tell_layout(server: SchemeServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def formatting(request: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        source = Source(server.text(request.text_document.uri), "<text>")
        try:
            text = formatted(source.text)
        except SchemeError:  # its place is among the diagnostics
            return []
        whole = server.range_of(Span(source, 0, len(source.text)))
        return [lsp.TextEdit(whole, text)] if text != source.text else []

    legend = lsp.SemanticTokensLegend(list(TOKEN_TYPES), ["defaultLibrary"])

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    def tokens(request: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        return lsp.SemanticTokens([int(number) for number in server.token_numbers(request.text_document.uri)])
