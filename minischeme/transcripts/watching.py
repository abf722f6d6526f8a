"""Transcripts that are run again whenever they, or the programs that they load, change."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from time import sleep

from minischeme.modules.files import resolve, source_text
from minischeme.session.watching import INTERVAL, FileWatch

_LOADED = re.compile(r'\((?:load|require|include)\s+"([^"]+)"|minischeme:[ \t]*load[ \t]+"?([^\s"]+)')


def run_when_changed(paths: list[Path], run: Callable[[list[Path], list[str]], int]) -> int:
    """Run transcripts, and again those that changes concern, until Ctrl-C; return the last result.

    `run` takes the transcripts, and the files that have changed.
    """
    texts: dict[str, str] = {}
    used = {path: files_of(path) for path in paths}
    watch = FileWatch(texts)
    status, changed = 0, list[str]()
    with suppress(KeyboardInterrupt):
        while True:
            concerned = [path for path in paths if not changed or not used[path].keys().isdisjoint(changed)]
            for path in concerned:
                used[path] = files_of(path)
                texts |= used[path]
            status = run(concerned, changed) if concerned else status
            changed = []
            while not changed:
                sleep(INTERVAL)
                changed = watch.changed()
    return status


def files_of(path: Path) -> dict[str, str]:
    """The texts of a transcript and of the files that it names to be loaded, and these in turn, by their paths."""
    return dict(_texts(str(path), set()))


def _texts(path: str, seen: set[str]) -> Iterator[tuple[str, str]]:
    seen.add(path)
    try:
        text = source_text(path)
    except (OSError, UnicodeDecodeError):
        text = ""
    yield path, text
    for name in _LOADED.findall(text):
        loaded = resolve(name[0] or name[1], loading=path)
        if loaded is not None and loaded not in seen:
            yield from _texts(loaded, seen)
