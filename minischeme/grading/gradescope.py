"""The autograder for Gradescope: a zip file with the tests, and with minischeme itself as a wheel."""

import base64
import hashlib
import io
from collections.abc import Mapping
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from minischeme import __version__
from minischeme.modules.files import find_library

_PACKAGE = Path(__file__).parents[1]


def autograder(tests: Mapping[str, str]) -> bytes:
    """The zip file, for tests by their names."""
    wheel = {f"minischeme-{__version__}-py3-none-any.whl": _wheel()}
    return _zipped(
        _files(_PACKAGE / "grading/autograder")
        | wheel
        | {f"tests/{name}": text.encode() for name, text in tests.items()}
    )


def _wheel() -> bytes:
    """A wheel of the minischeme that is running."""
    folder = f"minischeme-{__version__}.dist-info"
    files = _files(_PACKAGE, "minischeme/") | _files(Path(find_library()), "minischeme/lib/")
    facts = distribution("minischeme")
    files |= {f"{folder}/{name}": (facts.read_text(name) or "").encode() for name in ("METADATA", "entry_points.txt")}
    files[f"{folder}/WHEEL"] = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in files.items())
    return _zipped(files | {f"{folder}/RECORD": f"{record}{folder}/RECORD,,\n".encode()})


def _files(folder: Path, prefix: str = "") -> dict[str, bytes]:
    paths = {path.relative_to(folder): path for path in sorted(folder.rglob("*")) if path.is_file()}
    wanted = {path for path in paths if path.parent.name != "__pycache__" and path.parts[0] != "playground"}
    return {prefix + path.as_posix(): paths[path].read_bytes() for path in paths if path in wanted}


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip file, which is the same each time."""
    stream = io.BytesIO()
    with ZipFile(stream, "w", ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = ZipInfo(name)
            entry.external_attr = (0o755 if data.startswith(b"#!") else 0o644) << 16
            archive.writestr(entry, data, ZIP_DEFLATED)
    return stream.getvalue()
