"""The command `minischeme`, as which `python -m minischeme` runs, too."""

import gc
import sys


def main() -> int:
    """Run the command; the exit status. It says so where this Python is not good for it."""
    from minischeme.system.collector import collect_seldom

    collect_seldom()  # first of all, since what is imported is no garbage
    try:
        import minischeme.data.cpython  # noqa: F401
    except ImportError as error:
        sys.exit(str(error))
    from minischeme.cli.main import main as run

    status = run()
    gc.freeze()  # when the process ends, the collector would go through all that the program has left
    return status


if __name__ == "__main__":
    sys.exit(main())
