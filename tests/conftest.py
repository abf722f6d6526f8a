"""What holds for all tests."""

from __future__ import annotations

import os

# Programs that tests start must neither find nor leave anything in the user's cache.
os.environ["MINISCHEME_NO_CACHE"] = "1"
