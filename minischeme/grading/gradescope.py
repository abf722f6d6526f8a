"""The autograder for Gradescope: a zip file with the tests, and with minischeme itself as a wheel."""

import base64
import hashlib
import io
from collections.abc import Mapping
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import minischeme
from minischeme.modules.files import find_library

_SETUP = """\
#!/usr/bin/env bash
# Run once, when the image of the autograder is built.
set -e
root=${AUTOGRADER_ROOT:-/autograder}
is_new_enough='import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))'
for python in python3 python3.14 python3.13 python3.12 python3.11 ""; do
    if [ -n "$python" ] && "$python" -c "$is_new_enough" 2>/dev/null; then break; fi
done
if [ -z "$python" ]; then
    apt-get update && apt-get install -y python3.11 python3.11-venv
    python=python3.11
fi
"$python" -m venv "$root/venv"
"$root/venv/bin/pip" install --quiet "$root"/source/minischeme-*.whl
chmod -R go-rwx "$root/source/tests"
"""

_RUN = """\
#!/usr/bin/env bash
# Run for each submission.
root=${AUTOGRADER_ROOT:-/autograder}
"$root/venv/bin/minischeme" grade "$root/submission" --tests "$root/source/tests" --format gradescope \\
    > "$root/results/new.json" && mv "$root/results/new.json" "$root/results/results.json"
"""


def autograder(tests: Mapping[str, str]) -> bytes:
    """The zip file, for tests by their names."""
    name, wheel = _wheel()
    files = {"setup.sh": _SETUP.encode(), "run_autograder": _RUN.encode(), name: wheel}
    return _zipped(files | {f"tests/{test}": text.encode() for test, text in tests.items()})


def _wheel() -> tuple[str, bytes]:
    """The name and contents of a wheel of the minischeme that is running."""
    package = Path(minischeme.__file__).parent
    files = {}
    for folder, place in ((package, "minischeme"), (Path(find_library()), "minischeme/lib")):
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            if (
                path.is_file()
                and "__pycache__" not in inside.parts
                and not (folder == package and "lib" in inside.parts)
            ):
                files[f"{place}/{inside.as_posix()}"] = path.read_bytes()
    release = f"minischeme-{minischeme.__version__}"
    facts = distribution("minischeme")
    for name in ("METADATA", "entry_points.txt"):
        files[f"{release}.dist-info/{name}"] = (facts.read_text(name) or "").encode()
    files[f"{release}.dist-info/WHEEL"] = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{release}.dist-info/RECORD"] = f"{record}{release}.dist-info/RECORD,,\n".encode()
    return f"{release}-py3-none-any.whl", _zipped(files)


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
