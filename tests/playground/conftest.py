"""The page of the playground, built once, and Chromium; where they can't be had, tests are skipped."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from minischeme.playground import serving

ROOT = Path(__file__).parent.parent.parent
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the page."""
    missing = [name for name in ("node", "npm") if shutil.which(name) is None]
    missing += ["chromium"] * (CHROMIUM is None) + ["playwright"] * (find_spec("playwright") is None)
    if missing:
        pytest.skip(f"NOT TESTED: the playground in a browser; lacking here: {', '.join(missing)}")
    out = tmp_path_factory.mktemp("playground") / "page"
    command = [sys.executable, "-m", "minischeme", "playground", "build", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return out


class Server:
    """A server of the page that notes what is asked for; `plain` without the headers for shared memory."""

    def __init__(self, folder: Path, *, plain: bool) -> None:
        requests: list[str] = []
        self.requests = requests
        base: type[SimpleHTTPRequestHandler] = SimpleHTTPRequestHandler if plain else serving.PageHandler

        class Noting(base):  # type: ignore[misc,valid-type]
            extensions_map = serving.PageHandler.extensions_map

            def log_message(self, format: str, *args: object) -> None:
                requests.append(self.path)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Noting, directory=str(folder)))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://localhost:{self.server.server_port}/"


def serve(folder: Path, *, plain: bool) -> Iterator[Server]:
    server = Server(folder, plain=plain)
    yield server
    server.server.shutdown()
    server.server.server_close()


@pytest.fixture(scope="session")
def site(built: Path) -> Iterator[Server]:
    yield from serve(built, plain=False)


@pytest.fixture
def plain_site(built: Path) -> Iterator[Server]:
    yield from serve(built, plain=True)


@pytest.fixture(scope="session")
def chromium(built: Path) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()
