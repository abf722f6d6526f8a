"""The folders for a user's files, where the system's conventions want them."""

import os
import sys

_CONVENTIONS = {"data": ("XDG_DATA_HOME", "~/.local/share"), "config": ("XDG_CONFIG_HOME", "~/.config")}


def user_folder(kind: str) -> str:
    """The path of the folder for this user's data or configuration ("config") of minischeme; it need not exist.

    The package `platformdirs` says the same, but imports `pathlib` and `tempfile`: a fifth of the start of a game.
    """
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local")
        return os.path.join(local, "minischeme")
    variable, usual = _CONVENTIONS[kind]
    chosen = os.environ.get(variable, "")
    if not os.path.isabs(chosen):  # the specification has relative paths ignored
        chosen = os.path.expanduser("~/Library/Application Support" if sys.platform == "darwin" else usual)
    return os.path.join(chosen, "minischeme")
