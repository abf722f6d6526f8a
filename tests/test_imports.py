"""Which way the imports run, what an import costs the process, and what runs without the prompt's libraries."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import minischeme
from minischeme.reading import grammar

PACKAGE = Path(minischeme.__file__).parent
ROOT = PACKAGE.parent

# fmt: off
PIPELINE = [
    "data", "system", "reading", "runtime", "primitives", "expansion", "compiler", "evaluation", "modules", "diagnosis",
    "odds", "drawing", "profiling",
    "formatting", "session", "stepping", "checking", "transcripts", "grading",
    "repl", "jupyter", "language_server", "playground", "cli",
]
# fmt: on
"""The packages in the order of the pipeline: each imports only from those before it."""

FRONT = ("", "__main__", "pytest_plugin")
"""The modules outside the packages, which may import from all of them."""


def modules() -> dict[str, Path]:
    """The files of the package by the module's name inside it; the package itself is the empty name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def place(module: str) -> int:
    """The number of a module's package in the pipeline.

    Raises: ValueError for a module that is in none of the packages.
    """
    return len(PIPELINE) if module in FRONT else PIPELINE.index(module.partition(".")[0])


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """The modules of the package that a file imports, also inside functions, and whether for type checkers alone."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for part in ast.walk(node)
    }
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            assert node.module is not None
            names = [node.module]
            if node.module.startswith("minischeme"):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            top, _, inner = name.partition(".")
            if top != "minischeme":
                continue
            while inner not in MODULES:
                inner = inner.rpartition(".")[0]
            yield inner, id(node) in for_types


GRAPH = {module: list(imports(path)) for module, path in MODULES.items()}


@pytest.mark.parametrize("module", [name for name in MODULES if name])
def test_imports_run_one_way(module: str) -> None:
    for imported, _ in GRAPH[module]:
        if not imported:
            continue
        assert place(imported) <= place(module), f"{module} imports {imported}, which comes after it"


def test_every_package_stands_in_the_pipeline() -> None:
    assert {module.partition(".")[0] for module in MODULES if module not in FRONT} == set(PIPELINE)


def test_there_are_no_cycles() -> None:
    graph = {
        module: {imported for imported, for_types in found if imported and not for_types and imported != module}
        for module, found in GRAPH.items()
        if module
    }
    while graph:
        free = [module for module, imported in graph.items() if not imported & graph.keys()]
        assert free, f"a cycle among {sorted(graph)}"
        for module in free:
            del graph[module]


def test_the_graph_sees_an_import() -> None:
    """What the tests above rest on."""
    assert ("data.values", False) in GRAPH["data.printer"]
    assert ("session.session", True) in GRAPH["session.trace"]
    assert ("session.session", False) in GRAPH["cli.main"]
    assert ("session.session", True) in GRAPH[""]


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


HEAVY = {
    "lark",
    "prompt_toolkit",
    "pygments",
    "pytest",
    "_pytest",
    "rich",
    "hypothesis",
    "asyncio",
    "unittest",
    "pexpect",
}


@pytest.mark.parametrize(
    "work",
    [
        "from minischeme.cli.main import main; main(['-e', '1'])",
        "from minischeme import Session; Session().eval('(car (list 1 (first (quote abc))))')",
        "from minischeme import Session; list(Session().interact('(car 5) (foo) (trace square) (square 2)'))",
    ],
)
def test_nothing_heavy_is_imported_without_the_prompt(work: str) -> None:
    grammar.load()  # so that Lark needn't make the tables
    code = f"import sys\ntry:\n {work}\nexcept SystemExit: pass\nprint(); print(*sys.modules)"
    loaded = {name.partition(".")[0] for name in python(code).splitlines()[-1].split()}
    assert "minischeme" in loaded
    assert not loaded & HEAVY


def test_import_has_no_side_effects() -> None:
    code = """
import gc, locale, os, pkgutil, random, signal, sys, threading, warnings
import lark, msgspec
def state():
    return [sys.getrecursionlimit(), gc.get_threshold(), sys.get_int_max_str_digits(), list(warnings.filters),
            sys.excepthook, signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGPIPE), random.getstate(),
            threading.stack_size(), threading.active_count(), dict(os.environ), sys.path[:], os.getcwd(),
            sys.stdout, sys.stdin, sys.stderr, locale.setlocale(locale.LC_ALL)]
before = state()
import minischeme
for module in pkgutil.walk_packages(minischeme.__path__, "minischeme."):
    if not module.name.endswith("__main__") and ".repl" not in module.name and "pytest" not in module.name:
        __import__(module.name)
assert state() == before, [pair for pair in zip(before, state()) if pair[0] != pair[1]]
print("same")
"""
    assert python(code) == "same\n"


def test_an_embedding_program_keeps_its_settings() -> None:
    code = """
import gc, sys, warnings
from minischeme import Session
def state():
    return [sys.getrecursionlimit(), gc.get_threshold(), sys.get_int_max_str_digits(), list(warnings.filters)]
before = state()
session = Session()
session.eval("(define (count-to n) (if (= n 0) 0 (+ 1 (count-to (- n 1))))) (count-to 10000)")
list(session.interact("(car 5) (expt 2 20000)"))
assert state() == before, (before, state())
print("same")
"""
    assert python(code) == "same\n"
