"""The language server, asked as editors ask it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest_lsp = pytest.importorskip("pytest_lsp", reason="the group of editors is not installed")

from lsprotocol import types as lsp  # noqa: E402
from pygls import uris  # noqa: E402
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]


@pytest_lsp.fixture(
    scope="module", config=ClientServerConfig(server_command=[sys.executable, "-m", "minischeme", "lsp"])
)
async def client(lsp_client: LanguageClient) -> Any:
    await lsp_client.initialize_session(
        lsp.InitializeParams(capabilities=client_capabilities("visual-studio-code"), root_uri=None)
    )
    yield
    await lsp_client.shutdown_session()


GAME = """\
;; The best total of a hand.
(define (best-total hand)
  (define (add card total)
    (+ (value card) total))
  (accumulate add 0 hand))

(define (value card)
  (if (number? (bl card)) (bl card) 10))
"""

STUDENT = """\
(load "game.scm")
(define (stop-at n)
  (lambda (hand up-card)
    (< (best-total hand) n)))
(best-totl '(ah))
"""


class Editor:
    """An editor with texts open in the server."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.texts: dict[str, str] = {}
        self.version = 0

    def uri(self, name: str) -> str:
        uri = uris.from_fs_path(str(self.folder / name))
        assert uri is not None
        return uri

    async def open(self, name: str, text: str) -> list[lsp.Diagnostic]:
        """Open a text, also on disk; what is wrong with it."""
        (self.folder / name).write_text(text, encoding="utf-8")
        self.texts[name] = text
        item = lsp.TextDocumentItem(self.uri(name), "scheme", 1, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return await self.told(name)

    async def change(self, name: str, text: str) -> list[lsp.Diagnostic]:
        """Change a text in the editor alone."""
        self.version += 1
        document = lsp.VersionedTextDocumentIdentifier(self.version + 1, self.uri(name))
        self.texts[name] = text
        whole = lsp.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [whole]))
        return await self.told(name)

    async def told(self, name: str) -> list[lsp.Diagnostic]:
        await self.client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        while self.uri(name) not in self.client.diagnostics:
            await self.client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        return list(self.client.diagnostics[self.uri(name)])

    def place(self, name: str, text: str, inside: int = 1) -> dict[str, Any]:
        """The arguments of a request about a place: inside the first occurrence of a text, in UTF-16 units."""
        offset = self.texts[name].index(text) + inside
        line = self.texts[name].count("\n", 0, offset)
        before = self.texts[name][:offset].rpartition("\n")[2]
        position = lsp.Position(line, len(before.encode("utf-16-le")) // 2)
        return {"text_document": lsp.TextDocumentIdentifier(self.uri(name)), "position": position}

    def text_at(self, where: lsp.Location) -> tuple[str, int, str]:
        """The file, the line and the text of a location."""
        name = Path(uris.to_fs_path(where.uri) or "").name
        line = self.texts[name].split("\n")[where.range.start.line].encode("utf-16-le")
        text = line[2 * where.range.start.character : 2 * where.range.end.character].decode("utf-16-le")
        return name, where.range.start.line + 1, text


@pytest.fixture
def editor(client: LanguageClient, tmp_path: Path) -> Editor:
    return Editor(client, tmp_path)


async def test_mistakes_are_told_as_one_types(editor: Editor) -> None:
    await editor.open("game.scm", GAME)
    (found,) = await editor.open("student.scm", STUDENT)
    assert (found.code, found.severity) == ("unbound", lsp.DiagnosticSeverity.Warning)
    assert "best-totl" in found.message
    assert "best-total" in found.message
    assert editor.text_at(lsp.Location(editor.uri("student.scm"), found.range)) == ("student.scm", 5, "best-totl")
    assert await editor.change("student.scm", STUDENT.replace("best-totl", "best-total")) == []
    (unfinished,) = await editor.change("student.scm", "(define (f x")
    assert unfinished.severity == lsp.DiagnosticSeverity.Error
    (syntax,) = await editor.change("student.scm", "(let ((x)) x)")
    assert syntax.code == "syntax"


async def test_a_text_that_loads_another_is_told_of_its_changes(editor: Editor) -> None:
    await editor.open("game.scm", GAME)
    await editor.open("student.scm", STUDENT.replace("best-totl", "best-total"))
    assert not editor.client.diagnostics[editor.uri("student.scm")]
    await editor.change("game.scm", GAME.replace("(best-total hand)", "(total hand)"))
    while not editor.client.diagnostics[editor.uri("student.scm")]:
        await editor.client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert "best-total" in editor.client.diagnostics[editor.uri("student.scm")][0].message


async def test_only_the_last_of_quick_changes_is_analysed(editor: Editor) -> None:
    await editor.open("game.scm", GAME)
    for number in range(5):
        document = lsp.VersionedTextDocumentIdentifier(number + 2, editor.uri("game.scm"))
        whole = lsp.TextDocumentContentChangeWholeDocument(f"(oops-{number})")
        editor.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [whole]))
    assert [each.message for each in await editor.told("game.scm")] == ["unbound variable: oops-4"]


async def test_a_file_that_is_not_open_and_cannot_be_read_is_empty(editor: Editor) -> None:
    (editor.folder / "latin.scm").write_bytes(b'"caf\xe9"')
    for name in ("missing.scm", "latin.scm"):
        document = lsp.TextDocumentIdentifier(editor.uri(name))
        assert await editor.client.text_document_hover_async(lsp.HoverParams(document, lsp.Position(0, 0))) is None
        options = lsp.FormattingOptions(2, insert_spaces=True)
        request = lsp.DocumentFormattingParams(document, options)
        assert not await editor.client.text_document_formatting_async(request)


async def test_the_server_ends_as_it_is_told() -> None:
    messages = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    bodies = [json.dumps({"jsonrpc": "2.0", **message}) for message in messages]
    typed = "".join(f"Content-Length: {len(body)}\r\n\r\n{body}" for body in bodies)
    command = [sys.executable, "-m", "minischeme", "lsp"]
    ended = subprocess.run(command, input=typed.encode(), capture_output=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")


async def test_hover(editor: Editor) -> None:
    await editor.open("game.scm", GAME)
    await editor.open("student.scm", STUDENT)

    async def help_on(text: str) -> str | None:
        found = await editor.client.text_document_hover_async(lsp.HoverParams(**editor.place("student.scm", text)))
        return None if found is None else found.contents.value  # type: ignore[union-attr]

    own = await help_on("best-total hand")
    assert own is not None
    assert own.startswith("```scheme\n(best-total hand)\n```")
    assert "The best total of a hand." in own
    assert "special form" in str(await help_on("lambda"))
    assert "local variable" in str(await help_on("hand) n"))
    assert await help_on("best-totl") is None


async def test_definitions_and_references_cross_files(editor: Editor) -> None:
    await editor.open("game.scm", GAME)
    await editor.open("student.scm", STUDENT)
    place = editor.place("student.scm", "best-total hand")
    defined = await editor.client.text_document_definition_async(lsp.DefinitionParams(**place))
    assert [editor.text_at(each) for each in defined or []] == [("game.scm", 2, "best-total")]  # type: ignore[union-attr, arg-type]
    context = lsp.ReferenceContext(include_declaration=True)
    used = await editor.client.text_document_references_async(lsp.ReferenceParams(context=context, **place))
    assert [editor.text_at(each) for each in used or []] == [
        ("game.scm", 2, "best-total"),
        ("student.scm", 4, "best-total"),
    ]
    local = editor.place("game.scm", "total))")
    used = await editor.client.text_document_references_async(lsp.ReferenceParams(context=context, **local))
    assert [editor.text_at(each)[1:] for each in used or []] == [(3, "total"), (4, "total")]


async def test_rename(editor: Editor) -> None:
    await editor.open("game.scm", GAME)
    await editor.open("student.scm", STUDENT)
    place = editor.place("student.scm", "best-total hand")
    edit = await editor.client.text_document_rename_async(lsp.RenameParams(new_name="total-of", **place))
    assert edit is not None
    assert {uri: len(edits) for uri, edits in (edit.changes or {}).items()} == {
        editor.uri("game.scm"): 1,
        editor.uri("student.scm"): 1,
    }
    for name, reason in (("value", "would mean something else"), ("a b", "not a name"), ("if", "something else")):
        with pytest.raises(Exception, match=reason):
            await editor.client.text_document_rename_async(lsp.RenameParams(new_name=name, **place))
    with pytest.raises(Exception, match="not defined in this program"):
        await editor.client.text_document_rename_async(
            lsp.RenameParams(new_name="x", **editor.place("game.scm", "accumulate"))
        )


async def test_signature_help(editor: Editor) -> None:
    await editor.open("game.scm", GAME)
    await editor.open("student.scm", '(load "game.scm")\n(accumulate + \n(best-total ')
    found = await editor.client.text_document_signature_help_async(
        lsp.SignatureHelpParams(**editor.place("student.scm", "+ ", 2))
    )
    assert found is not None
    assert found.signatures[0].label.startswith("(accumulate ")
    assert found.active_parameter == 1
    found = await editor.client.text_document_signature_help_async(
        lsp.SignatureHelpParams(**editor.place("student.scm", "(best-total ", 12))
    )
    assert found is not None
    assert (found.signatures[0].label, found.active_parameter) == ("(best-total hand)", 0)


async def test_completion(editor: Editor) -> None:
    await editor.open("game.scm", GAME)
    await editor.open("student.scm", '(load "game.scm")\n(define (f number)\n  (list (best- (numbe')

    async def offered(text: str, inside: int) -> dict[str, lsp.CompletionItem]:
        place = editor.place("student.scm", text, inside)
        found = await editor.client.text_document_completion_async(lsp.CompletionParams(**place))
        return {each.label: each for each in found or []}  # type: ignore[union-attr]

    own = await offered("best-", 5)
    assert "best-total" in own
    edit = own["best-total"].text_edit
    assert isinstance(edit, lsp.TextEdit)
    assert (edit.range.start.character, edit.range.end.character) == (9, 14)
    assert {"number", "number?", "number->string"} == set(await offered("numbe", 5)) - {"numerator"}


async def test_formatting(editor: Editor) -> None:
    await editor.open("game.scm", "(define (f x)\nx)\n")
    options = lsp.FormattingOptions(tab_size=2, insert_spaces=True)
    request = lsp.DocumentFormattingParams(lsp.TextDocumentIdentifier(editor.uri("game.scm")), options)
    (edit,) = await editor.client.text_document_formatting_async(request) or []
    assert edit.new_text == "(define (f x)\n  x)\n"
    await editor.change("game.scm", "(define (f x)\nx")
    assert not await editor.client.text_document_formatting_async(request)


async def test_semantic_tokens_count_columns_as_the_editor_does(editor: Editor) -> None:
    await editor.open("game.scm", '(define 𝔵 "𝔵") (car 𝔵)\n#| two\nlines |#\n')
    request = lsp.SemanticTokensParams(lsp.TextDocumentIdentifier(editor.uri("game.scm")))
    found = await editor.client.text_document_semantic_tokens_full_async(request)
    assert found is not None
    rows = [tuple(found.data[start : start + 5]) for start in range(0, len(found.data), 5)]
    code, comment = rows[:5], rows[5:]
    assert [row[:3] for row in code] == [(0, 1, 6), (0, 7, 2), (0, 3, 4), (0, 7, 3), (0, 4, 2)]
    assert [row[4] for row in code] == [0, 0, 0, 1, 0]
    assert [row[:3] for row in comment] == [(1, 0, 2), (0, 2, 4), (1, 0, 6), (0, 6, 2)]


async def test_nothing_of_a_program_is_run(editor: Editor) -> None:
    trap = editor.folder / "trap"
    write = f'(call-with-output-file "{trap}" (lambda (port) (display 1 port)))'
    text = f"{write}\n(define x {write})\n(define-macro (m) {write} 1)\n(m)\n(define (f) (m))\n(let loop () (loop))\n"
    await editor.open("trap.scm", text)
    await editor.client.text_document_hover_async(lsp.HoverParams(**editor.place("trap.scm", "f)")))
    assert not trap.exists()
