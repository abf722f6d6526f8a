"""Templates: the Scheme text of derived forms, with parts to be filled in."""

from functools import cache

from minischeme.data.source import Source
from minischeme.data.values import Pair, Symbol, Value, intern
from minischeme.expansion.scopes import Scope, alias, standard
from minischeme.reading.reader import read

_WORDS = frozenset(map(intern, ("else", "=>")))


def filled(text: str, **parts: Value) -> Value:
    """The datum of a Scheme text with these parts in place of their names.

    Each other symbol means the standard procedure or special form of that name, unless the text binds it: then it is a
    variable that no part can refer to.
    """
    symbols: dict[Symbol, Value] = {intern(name): part for name, part in parts.items()}

    def fill(datum: Value) -> Value:
        if type(datum) is Symbol:
            if datum not in symbols:
                symbols[datum] = alias(datum, Scope()) if datum in _WORDS else standard(datum.name)
            return symbols[datum]
        return Pair(fill(datum.car), fill(datum.cdr)) if type(datum) is Pair else datum

    return fill(_datum(text))


@cache
def _datum(text: str) -> Value:
    return next(read(Source(text, "<template>"))).datum
