"""Names for the values that the prompt has shown, as gdb has them.

``$`` is the last, ``$$`` the one before it, ``$1`` the first, ``$2`` the second.
"""

from __future__ import annotations

from minischeme.data.values import UNSPECIFIED, Pair, Symbol, Value
from minischeme.reading.forms import Form
from minischeme.session.session import Session


class EarlierValues:
    """Defines the names in a session.

    `count` is the number of values that have one. The name that a definition shows is no value, and neither is `okay`.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.count = 0

    def note(self, form: Form, value: Value) -> None:
        """Remember the value of a form that the prompt has evaluated."""
        if value is UNSPECIFIED or _is_definition(form.datum):
            return
        self.count += 1
        bound = self._session.globals
        if "$" in bound:
            self._session.define("$$", bound["$"])
        self._session.define("$", value)
        self._session.define(f"${self.count}", value)


def _is_definition(datum: Value) -> bool:
    return type(datum) is Pair and type(datum.car) is Symbol and datum.car.name.startswith("define")
