"""What the whole test run shares: collected tests are out of the collector's sight."""

from __future__ import annotations

import gc


def pytest_collection_finish() -> None:
    """Thousands of tests live as long as the run: looking through them at each collection would double its time."""
    gc.collect()
    gc.freeze()
