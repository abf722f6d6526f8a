"""Schemes from PyPI to compare with: each in an environment of its own, made in the user's cache folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass, replace
from pathlib import Path

from .peers import CannotRun, Peer

CALYSTO_STREAMS = """
(define (make-promise compute)
  (let ((done #f) (value #f))
    (lambda ()
      (if (not done) (begin (set! value (compute)) (set! done #t)))
      value)))
(define (force promise) (promise))
(define-syntax cons-stream
  [(cons-stream ?first ?rest) (cons ?first (make-promise (lambda () ?rest)))])
"""

SKIME_RUNNER = """
import pathlib, sys
from skime.vm import VM
sys.setrecursionlimit(100_000)
VM().eval_string("(begin " + pathlib.Path(sys.argv[1]).read_text() + ")")
"""


@dataclass(frozen=True)
class PackagedPeer:
    """A Scheme that a package on PyPI has.

    Args: package: its name there. peer: the Scheme; its arguments are those of the environment's Python.
    """

    package: str
    peer: Peer


PACKAGED_PEERS = (
    PackagedPeer(
        "calysto-scheme",
        Peer(
            "Calysto",
            "python",
            ("-m", "calysto_scheme.scheme", "{program}"),
            "interpreted in Python",
            additions={"": "(define (write value) (display value))", "streams": CALYSTO_STREAMS},
            slow=True,
        ),
    ),
    PackagedPeer(
        "skime",
        Peer("Skime", "python", ("-c", SKIME_RUNNER, "{program}"), "bytecode run in Python", slow=True),
    ),
)


def default_folder() -> Path:
    """Where the environments are kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "minischeme", "benchmarks")


def installed(packaged: PackagedPeer, folder: Path) -> Peer:
    """The peer, ready to run; its environment is made if it is not there yet.

    Args: folder: for the environments.
    Raises: CannotRun, if it can't be installed.
    """
    environment = folder / packaged.package
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ready = environment / "installed"
    if not ready.exists():
        try:
            _install(packaged.package, environment, python)
        except (OSError, subprocess.CalledProcessError) as error:
            raise CannotRun(f"{packaged.package} can't be installed: {_last_line(error)}") from error
        ready.touch()
    version = f"import importlib.metadata as m; print({packaged.package!r}, m.version({packaged.package!r}))"
    return replace(packaged.peer, executable=str(python), version_arguments=("-c", version))


def _install(package: str, environment: Path, python: Path) -> None:
    if shutil.which("uv"):
        _run("uv", "venv", "--quiet", "--clear", "--python", sys.executable, str(environment))
        _run("uv", "pip", "install", "--quiet", "--python", str(python), package)
    else:
        venv.create(environment, clear=True, with_pip=True)
        _run(str(python), "-m", "pip", "install", "--quiet", package)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True)


def _last_line(error: Exception) -> str:
    text = error.stderr if isinstance(error, subprocess.CalledProcessError) else str(error)
    return (text.strip().splitlines() or ["no reason given"])[-1]
