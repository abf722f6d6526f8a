"""The entry point of the command `minischeme` and of `python -m minischeme`."""

import gc
import sys


def main() -> int:
    """Run the command and return its exit status; exit with a message where this Python is not supported."""
    from minischeme.system.collector import collect_seldom

    collect_seldom()  # before the imports, which leave no garbage
    _import_msgspec()
    try:
        import minischeme.data.cpython  # noqa: F401
    except ImportError as error:
        sys.exit(str(error))
    from minischeme.cli.main import main as run

    status = run()
    gc.freeze()  # or the collector would go through all of the program's objects when the process ends
    return status


def _import_msgspec() -> None:
    """Import msgspec without typing_extensions, which it would import where that is installed: a tenth of a start."""
    if "typing_extensions" not in sys.modules:
        sys.modules["typing_extensions"] = None  # type: ignore[assignment]  # an import of it fails
        import msgspec  # noqa: F401

        del sys.modules["typing_extensions"]


if __name__ == "__main__":
    sys.exit(main())
