"""Tracebacks of caught exceptions."""

import sys
from types import TracebackType


def _take_apart(exception: BaseException) -> None:
    """Remove the traceback link by link, the innermost frame first.

    Each link refers to the next, and each frame to its caller's. To free such a chain, C code calls itself for each
    link; CPython limits that by the depth of the C stack, which WebAssembly's code does not use for these calls.
    """
    links: list[TracebackType] = []
    link, exception.__traceback__ = exception.__traceback__, None
    while link is not None:
        links.append(link)
        following, link.tb_next = link.tb_next, None
        link = following
    while links:
        links.pop()


def _remove(exception: BaseException) -> None:
    """Remove the traceback."""
    exception.__traceback__ = None


remove_traceback = _take_apart if sys.platform == "emscripten" else _remove
