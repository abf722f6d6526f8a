"""What the whole test run shares: processes, signals, and a collector that is spared the tests themselves."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import HealthCheck, settings

from minischeme.data.printer import symbols_fold
from minischeme.system import collector

# How long an example takes depends on what else the machine does; `timeout` in pyproject.toml ends what hangs.
settings.register_profile("minischeme", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("minischeme")


def _survive(number: int, frame: FrameType | None) -> None:
    """Ignore a signal. Unlike `SIG_IGN`, a handler is not inherited by the programs that are started."""


# A shell ignores SIGINT and SIGQUIT in a script's background jobs, nohup ignores SIGHUP; programs would inherit that.
_HANDLERS = {"SIGINT": signal.default_int_handler, "SIGQUIT": _survive, "SIGHUP": _survive}
for _name, _handler in _HANDLERS.items():
    _number = getattr(signal, _name, None)  # Pyodide has not all of them
    if _number is not None and signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _handler)


@pytest.fixture(autouse=True, scope="module")
def _small_heap() -> None:
    """Spare the collections of a module's tests what the modules before it have left behind."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _settings_of_the_process() -> Iterator[None]:
    """Take back the settings that a command makes for its whole process: many tests run commands in their own."""
    fold = symbols_fold.get()
    yield
    symbols_fold.set(fold)
    if gc.get_threshold() != collector.USUAL_THRESHOLDS:
        gc.set_threshold(*collector.USUAL_THRESHOLDS)
    for callback in [each for each in gc.callbacks if type(each).__module__ == collector.__name__]:
        gc.callbacks.remove(callback)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Run tests of files that are named in this process: starting others would take longer than most files do."""
    return 0 if any(Path(argument.partition("::")[0]).is_file() for argument in config.args) else None


def pytest_addoption(parser: pytest.Parser) -> None:
    """Know the settings in pyproject.toml of a plugin that only some tests need."""
    if find_spec("pytest_asyncio") is None:
        parser.addini("asyncio_default_fixture_loop_scope", "the scope of event loops")


def pytest_collection_finish() -> None:
    """Thousands of tests live as long as the run: looking through them at each collection would double its time."""
    gc.collect()
    gc.freeze()
