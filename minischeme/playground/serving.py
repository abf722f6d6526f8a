"""A server of the playground for this machine, with the headers that shared memory needs."""

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HEADERS = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cache-Control": "max-age=3600",
}


class PageHandler(SimpleHTTPRequestHandler):
    """A handler of requests for the files of a folder."""

    extensions_map = {  # noqa: RUF012 - the base class has it so.
        **SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def end_headers(self) -> None:
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing of requests."""


def server(folder: Path, port: int) -> ThreadingHTTPServer:
    """A server of a folder on this machine alone."""
    return ThreadingHTTPServer(("127.0.0.1", port), partial(PageHandler, directory=str(folder)))
