"""Names for the values that the prompt has shown, as gdb has them.

``$`` is the last, ``$$`` the one before it, ``$1`` the first, ``$2`` the second.
"""

from collections.abc import Callable
from itertools import count

from minischeme.data.values import UNSPECIFIED, Pair, Symbol, Value
from minischeme.reading.forms import Form
from minischeme.session.session import Session


def earlier_values(session: Session) -> Callable[[Form, Value], None]:
    """A function that names values as a session shows them, except those that definitions show, and `okay`."""
    numbers = count(1)

    def note(form: Form, value: Value) -> None:
        datum = form.datum
        is_definition = type(datum) is Pair and type(datum.car) is Symbol and datum.car.name.startswith("define")
        if value is not UNSPECIFIED and not is_definition:
            if "$" in session.globals:
                session.define("$$", session.globals["$"])
            session.define("$", value)
            session.define(f"${next(numbers)}", value)

    return note
