"""What the whole test run shares: collected tests are out of the collector's sight, and programs keep no code."""

from __future__ import annotations

import gc
import os

# What tests start must neither find nor leave anything in the user's cache.
os.environ["MINISCHEME_NO_CACHE"] = "1"


def pytest_collection_finish() -> None:
    """Thousands of tests live as long as the run: looking through them at each collection would double its time."""
    gc.collect()
    gc.freeze()
