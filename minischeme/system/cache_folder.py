"""Where the user's caches are kept: a folder that nobody else can write to, since what lies in it is run.

Leaves what the files are to those who write them.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from platformdirs import user_cache_path


def cache_folder() -> Path | None:
    """The folder of minischeme's caches, which is made if need be; None where no place is safe."""
    folder = user_cache_path("minischeme", appauthor=False)
    if not folder.is_absolute():
        return None
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.lstat()
    except OSError:
        return None
    return folder if stat.S_ISDIR(status.st_mode) and is_ours_alone(status) else None


def is_ours_alone(status: os.stat_result) -> bool:
    """Whether a file or folder belongs to the user who runs this process, and nobody else can write to it."""
    return not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o022)
