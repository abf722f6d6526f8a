"""The folders for a user's files, by each system's convention."""

import os
import sys

import pytest

from minischeme.system.user_folders import user_folder


@pytest.mark.parametrize(
    ("platform", "kind", "settings", "expected"),
    [
        ("linux", "data", {}, "/home/ann/.local/share/minischeme"),
        ("linux", "config", {}, "/home/ann/.config/minischeme"),
        ("linux", "data", {"XDG_DATA_HOME": "/srv/ann"}, "/srv/ann/minischeme"),
        ("linux", "config", {"XDG_CONFIG_HOME": "relative"}, "/home/ann/.config/minischeme"),
        ("darwin", "data", {}, "/home/ann/Library/Application Support/minischeme"),
        ("win32", "config", {"LOCALAPPDATA": "/local"}, "/local/minischeme"),
    ],
)
def test_folders(
    platform: str, kind: str, settings: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/ann", **settings}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert user_folder(kind) == os.path.normpath(expected)
