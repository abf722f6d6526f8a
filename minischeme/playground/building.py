"""The build of the playground: one static folder, made by npm's tools from the sources beside this module."""

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import minischeme
from minischeme.data.layout import parts_before_body
from minischeme.modules.files import find_library
from minischeme.playground.worker import words
from minischeme.reading import grammar
from minischeme.session.session import Session

SOURCES = Path(__file__).parent
PACKAGE = Path(minischeme.__file__).parent
UNUSED = ("__pycache__", "cli", "grading", "jupyter", "lib")
"""The packages that the page does without."""

MSGSPEC = "msgspec==0.22.0"
PLATFORM = ("--platform", "pyemscripten_2026_0_wasm32", "--python-version", "3.14", "--implementation", "cp")
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json")
STDLIB = "python_stdlib.zip"
LEFT_OUT = (
    *("_pyrepl", "ensurepip", "http", "idlelib", "pydoc_data", "sqlite3", "tkinter", "turtledemo", "unittest", "venv"),
    *("profiling", "wsgiref", "xml", "xmlrpc", "encodings/cp[!14]*", "encodings/mac*"),
    *("encodings/iso8859_1?.py", "encodings/iso8859_[2-9].py", "encodings/k*", "_pydatetime.py", "_pyio.py"),
    *("configparser.py", "tarfile.py", "tomllib"),
    *(
        "bdb.py",
        "doctest.py",
        "ftplib.py",
        "imaplib.py",
        "ipaddress.py",
        "mailbox.py",
        "mimetypes.py",
        "modulefinder.py",
    ),
    *("optparse.py", "pdb.py", "pickletools.py", "plistlib.py", "poplib.py", "pstats.py", "pydoc.py", "smtplib.py"),
    *("ssl.py", "statistics.py", "trace.py", "turtle.py", "webbrowser.py"),
)
"""Parts of Python's library that nothing in the page imports."""

STATIC = ("index.html", "style.css", "icon.svg")
STACK_BYTES = 45_000
"""The C stack that Python may use in the page (ARCHITECTURE.md, section 12)."""


class BuildError(Exception):
    """A tool that the build needs is missing, or fails."""


def build(out: Path, scratch: Path) -> None:
    """Write the playground to a folder, with a folder for what npm and pip install.

    Raises:
        BuildError: with a message for people.
    """
    if not (SOURCES / "package.json").is_file():
        raise BuildError("the page's sources are not here: build it in a checkout or an unpacked source archive")
    scratch.mkdir(parents=True, exist_ok=True)
    install(scratch)
    shutil.rmtree(scratch / "page", ignore_errors=True)
    shutil.copytree(SOURCES / "page", scratch / "page")
    _write_data(scratch / "page")
    out.mkdir(parents=True, exist_ok=True)
    (out / "pyodide").mkdir(exist_ok=True)
    for name in PYODIDE:
        shutil.copyfile(scratch / "node_modules/pyodide" / name, out / "pyodide" / name)
    for name in STATIC:
        shutil.copyfile(SOURCES / "page" / name, out / name)
    _archives(scratch, out)
    _bundle(scratch, out, "app.ts", "worker.ts")
    shell = ["./", *STATIC, "app.js", "worker.js"]
    others = ["minischeme.zip", *(f"pyodide/{name}" for name in (*PYODIDE, STDLIB))]
    listed = {"version": _digest(out / name for name in [*shell[1:], *others]), "shell": shell}
    (scratch / "page/files.json").write_text(json.dumps(listed), encoding="utf-8")
    _bundle(scratch, out, "service.ts")


def install(scratch: Path) -> None:
    """Install the pinned packages of package.json, unless they are there."""
    for name in ("package.json", "tsconfig.json", "biome.json"):
        shutil.copyfile(SOURCES / name, scratch / name)
    stamp = scratch / "installed.json"
    wanted = (SOURCES / "package.json").read_text(encoding="utf-8")
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
        _run("npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--silent", folder=scratch)
        stamp.write_text(wanted, encoding="utf-8")


def _write_data(page: Path) -> None:
    """Write what the bundle contains of Python's knowledge, and the handouts."""
    known = words(Session())
    bodies = {name: count for name in known["forms"] if (count := parts_before_body(name)) is not None}
    (page / "words.json").write_text(json.dumps({**known, "bodies": bodies}), encoding="utf-8")
    handouts = SOURCES / "handouts"
    texts = {"program": "twenty-one.scm", "questions": "twenty-one.txt"}
    read = {key: (handouts / name).read_text(encoding="utf-8") for key, name in texts.items()}
    (page / "handouts.json").write_text(json.dumps(read), encoding="utf-8")
    (page / "files.json").write_text('{"version": "", "shell": []}', encoding="utf-8")


def _archives(scratch: Path, out: Path) -> None:
    """Write the package, with its library and msgspec, and Python's own library, both compiled by Pyodide."""
    grammar.load()  # makes the parser's tables, if they are not there
    package, stdlib = scratch / "tree", scratch / "stdlib"
    for tree in (package, stdlib):
        shutil.rmtree(tree, ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__", "page", "handouts", "*.md", "*.json", "building.py", "serving.py")
    for folder in PACKAGE.iterdir():
        if folder.is_dir() and folder.name not in UNUSED:
            shutil.copytree(folder, package / "minischeme" / folder.name, ignore=ignored)
    shutil.copyfile(PACKAGE / "__init__.py", package / "minischeme/__init__.py")
    shutil.copytree(find_library(), package / "minischeme/lib", ignore=ignored)
    shutil.unpack_archive(_msgspec(scratch), package, "zip")
    shutil.unpack_archive(scratch / "node_modules/pyodide" / STDLIB, stdlib, "zip")
    for left_out in [path for pattern in LEFT_OUT for path in stdlib.glob(pattern)]:
        shutil.rmtree(left_out) if left_out.is_dir() else left_out.unlink()
    for tree, archive, optimize in (package, "minischeme.zip", 0), (stdlib, f"pyodide/{STDLIB}", 2):
        script = str(SOURCES / "page/archive.mjs")
        _run("node", script, str(scratch), str(tree), str(out / archive), str(optimize), folder=Path.cwd())


def _msgspec(scratch: Path) -> Path:
    """The wheel of msgspec for Pyodide, which pip downloads once."""
    folder = scratch / "wheels"
    found = sorted(folder.glob("msgspec-*.whl"))
    options = ("--quiet", "--no-deps", "--only-binary=:all:", "--abi", "cp314", *PLATFORM, "--dest", str(folder))
    if not found:
        pips = [[sys.executable, "-m", "pip"], ["python3", "-m", "pip"], ["pip3"], ["uvx", "pip"]]
        for pip in pips:
            if (
                shutil.which(pip[0])
                and subprocess.run([*pip, "--version"], capture_output=True, check=False).returncode == 0
            ):
                _run(*pip, "download", *options, MSGSPEC, folder=scratch)
                break
        else:
            raise BuildError("pip is needed, to download msgspec for the page; no Python here has it")
        found = sorted(folder.glob("msgspec-*.whl"))
    return found[-1]


def _bundle(scratch: Path, out: Path, *names: str) -> None:
    options = ("--bundle", "--minify", "--format=esm", "--target=es2022", "--log-level=warning", "--charset=utf8")
    stack = f"--define:STACK_BYTES={STACK_BYTES}"
    entries = [f"page/{name}" for name in names]
    _run("node_modules/.bin/esbuild", *entries, *options, stack, f"--outdir={out.resolve()}", folder=scratch)


def _digest(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _run(*command: str, folder: Path) -> None:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise BuildError(f"{command[0]} is needed, and not here; Node.js brings node and npm") from None
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command[:3])} failed:\n{_end(done.stderr or done.stdout)}")


def _end(text: str) -> str:
    lines: Sequence[str] = text.strip().splitlines()
    return "\n".join(lines[-20:])
