"""minischeme: the Scheme of CS61A and *Simply Scheme*, compiled to CPython code."""

from importlib import import_module

TYPE_CHECKING = False  # `typing` is not imported before the garbage collector runs seldom
if TYPE_CHECKING:
    from minischeme.data.errors import SchemeError, SchemeExit
    from minischeme.session.prompt import Interaction
    from minischeme.session.session import Session

__version__ = "0.1.0"

__all__ = ["Interaction", "SchemeError", "SchemeExit", "Session", "__version__"]

_HOMES = {
    "Interaction": "minischeme.session.prompt",
    "SchemeError": "minischeme.data.errors",
    "SchemeExit": "minischeme.data.errors",
    "Session": "minischeme.session.session",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: pytest imports this package for its plugin, seldom to run Scheme."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
