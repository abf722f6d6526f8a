"""The files of the cache of compiled code, who writes and who believes them, and the constants in them."""

from __future__ import annotations

import io
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import minischeme
from minischeme import Session
from minischeme.data.printer import write
from minischeme.data.values import NIL, Pair, Symbol, Vector, intern
from minischeme.evaluation import code_cache, compiled_files
from minischeme.evaluation.code_cache import CodeCache
from minischeme.evaluation.constant_data import ConstantWriter, NotPlain, read_constants

ROOT = Path(minischeme.__file__).parent.parent
NAME, TEXT, DATA = "program.scm", "(display 8)", b"what was made of it"


@pytest.fixture
def cache(tmp_path: Path) -> CodeCache:
    """One that keeps something."""
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    cache = CodeCache(folder)
    cache.write(NAME, TEXT, DATA)
    return cache


def kept_file(cache: CodeCache) -> Path:
    (path,) = cache.folder.iterdir()
    return path


def test_what_is_written_is_read(cache: CodeCache) -> None:
    assert cache.read(NAME, TEXT) == CodeCache(cache.folder).read(NAME, TEXT) == DATA
    cache.write(NAME, TEXT, b"other data")
    assert cache.read(NAME, TEXT) == b"other data"
    assert kept_file(cache).name.startswith("code-")


def test_another_text_or_name(cache: CodeCache) -> None:
    assert cache.read("other.scm", TEXT) is None
    assert cache.read(NAME, TEXT + " ") is None
    cache.write(NAME, TEXT + " ", DATA)
    assert cache.read(NAME, TEXT) is None
    assert kept_file(cache).exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:20],
        lambda data: data[:-1],
        lambda data: data + b"\0",
        lambda data: bytes([data[0] ^ 1]) + data[1:],
        lambda data: data[:-5] + bytes([data[-5] ^ 64]) + data[-4:],
        lambda data: b"cos\nsystem\n(S'true'\ntR." * 10,
        lambda data: bytes(len(data)),
    ],
)
def test_a_damaged_file_is_ignored(damage: Callable[[bytes], bytes], cache: CodeCache) -> None:
    path = kept_file(cache)
    path.write_bytes(damage(path.read_bytes()))
    assert cache.read(NAME, TEXT) is None


def test_data_of_another_python_are_ignored(cache: CodeCache, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(code_cache.sys, "version", sys.version + " changed")
        other = CodeCache(cache.folder)
        assert other.read(NAME, TEXT) is None
        other.write(NAME, TEXT, DATA)
    assert cache.read(NAME, TEXT) is None


def test_data_of_a_changed_compiler_are_ignored(
    tmp_path: Path, cache: CodeCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "package"
    (package / "inner").mkdir(parents=True)
    for name in ("code_cache.py", "inner/other.py"):
        (package / name).write_text("1", encoding="utf-8")
    monkeypatch.setattr(code_cache, "__file__", str(package / "inner" / "code_cache.py"))
    for name, text in (("code_cache.py", "1"), ("code_cache.py", "12"), ("inner/other.py", "12"), ("new.py", "1")):
        (package / name).write_text(text, encoding="utf-8")
        changed = CodeCache(cache.folder)
        assert changed.read(NAME, TEXT) is None
        changed.write(NAME, TEXT, DATA)
        assert CodeCache(cache.folder).read(NAME, TEXT) == DATA


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners here")
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_what_others_could_have_written_is_ignored(
    mode: int, cache: CodeCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = kept_file(cache)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for place, usual in ((path, 0o600), (cache.folder, 0o700)):
        place.chmod(mode | usual)
        assert cache.read(NAME, TEXT) is None
        place.chmod(usual)
        assert cache.read(NAME, TEXT) == DATA
    owner = path.stat().st_uid
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    assert cache.read(NAME, TEXT) is None


def test_folders_that_can_not_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.touch()
    for folder in (tmp_path / "nowhere", file):
        CodeCache(folder).write(NAME, TEXT, DATA)
        assert CodeCache(folder).read(NAME, TEXT) is None
    monkeypatch.setattr("minischeme.system.cache_folder.user_cache_path", lambda *_, **__: file)
    assert CodeCache.of_user() is None
    monkeypatch.setattr("minischeme.system.cache_folder.user_cache_path", lambda *_, **__: tmp_path / "new")
    assert CodeCache.of_user() is not None


def test_old_files_are_deleted(cache: CodeCache, monkeypatch: pytest.MonkeyPatch) -> None:
    kept_file(cache).unlink()
    monkeypatch.setattr(code_cache, "MOST_FILES", 3)
    other = cache.folder / "grammar.pickle"
    other.touch()
    for number in range(6):
        cache.write(str(number), TEXT, DATA)
        for path in cache.folder.iterdir():
            os.utime(path, (path.stat().st_mtime - 10, path.stat().st_mtime - 10))
    cache.write("6", TEXT, DATA)
    assert [name for name in "0123456" if cache.read(name, TEXT)] == ["4", "5", "6"]
    assert other.exists()
    assert len(list(cache.folder.iterdir())) == 4


# ── who has a cache ──────────────────────────────────────────────────────────────────────────────────────────────────


def loaded(path: Path, cache: CodeCache) -> str:
    """What a session shows that loads a file."""
    output = io.StringIO()
    session = Session(output=output)
    assert session.cache is None
    session.cache = cache
    session.load(path)
    return output.getvalue()


def test_a_file_that_was_damaged_is_replaced(cache: CodeCache, tmp_path: Path) -> None:
    kept_file(cache).unlink()
    path = tmp_path / "program.scm"
    path.write_text(TEXT + ";" * compiled_files.SMALLEST, encoding="utf-8")
    assert loaded(path, cache) == "8"
    whole = kept_file(cache).read_bytes()
    kept_file(cache).write_bytes(whole[:-1])
    assert loaded(path, cache) == "8"
    assert kept_file(cache).read_bytes() == whole


def test_short_texts_are_not_kept(cache: CodeCache, tmp_path: Path) -> None:
    kept_file(cache).unlink()
    path = tmp_path / "program.scm"
    path.write_text(TEXT, encoding="utf-8")
    assert loaded(path, cache) == "8"
    assert not list(cache.folder.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="the folder is elsewhere")
def test_the_command_keeps_code_unless_it_is_told_not_to(tmp_path: Path) -> None:
    program = tmp_path / "program.scm"
    program.write_text(TEXT + ";" * 2_000, encoding="utf-8")

    def kept(*options: str, **variables: str) -> int:
        environment = {**os.environ, "MINISCHEME_NO_CACHE": "", "XDG_CACHE_HOME": str(tmp_path / "caches")}
        done = subprocess.run(
            [sys.executable, "-m", "minischeme", *options, str(program)],
            env={**environment, "PYTHONPATH": str(ROOT), **variables},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (done.stdout, done.stderr, done.returncode) == ("8", "", 0)
        return len(list((tmp_path / "caches/minischeme").glob("code-*")))

    assert kept("--no-cache") == 0
    assert kept(MINISCHEME_NO_CACHE="1") == 0
    assert kept() == 1
    assert kept() == 1


# ── constants ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_constants_that_only_this_process_has_are_refused() -> None:
    session = Session()
    writer = ConstantWriter([], session.library, session.tail_call)
    good = Pair(intern("a"), NIL)
    numbers = writer.numbers([good])
    count = len(writer.records)
    for bad in (Symbol("a"), lambda: 1, session, session.eval("(lambda (x) x)"), object(), os.system, os.environ):
        with pytest.raises(NotPlain):
            writer.numbers([Vector([Pair(good, bad)])])
        assert len(writer.records) == count
    again = writer.numbers([good, Vector([good])])
    constants = read_constants(writer.records, session.library, session.tail_call)
    assert again[0] == numbers[0]
    assert write(constants[again[1]]) == "#((a))"
    assert constants[again[1]][0] is constants[again[0]]


def test_constants_without_end() -> None:
    session = Session()
    writer = ConstantWriter([], session.library, session.tail_call)
    circle = Pair(1, NIL)
    circle.cdr = Vector([circle])
    long = NIL
    for _ in range(200_000):
        long = Pair(long, NIL)
    numbers = writer.numbers([circle, long])
    constants = [read_constants(writer.records, session.library, session.tail_call)[number] for number in numbers]
    assert constants[0].cdr[0] is constants[0]
    depth = 0
    while constants[1] is not NIL:
        constants[1], depth = constants[1].car, depth + 1
    assert depth == 200_000
