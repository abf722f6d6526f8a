"""minischeme: the Scheme of CS61A and *Simply Scheme*, compiled to CPython code."""

from minischeme.errors import SchemeError, SchemeExit
from minischeme.session import Interaction, Session

__version__ = "0.1.0"

__all__ = ["Interaction", "SchemeError", "SchemeExit", "Session", "__version__"]
