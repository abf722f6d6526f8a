"""`python -m minischeme`: the same as the command `minischeme`."""

import sys

from minischeme.cli import main

if __name__ == "__main__":
    sys.exit(main())
