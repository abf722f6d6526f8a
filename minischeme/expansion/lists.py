"""Lists of source text: their pairs, and the names in them."""

from minischeme.data.errors import ScmSyntaxError
from minischeme.data.values import NIL, Pair, Value, intern

QUOTE = intern("quote")


def cells(datum: Value) -> list[Pair]:
    """The pairs of a list, in order; the end of a dotted list is left out.

    A ScmSyntaxError where the list is circular, which source text can make with datum labels.
    """
    found: list[Pair] = []
    start, suspicious = datum, 64
    while type(datum) is Pair:
        found.append(datum)
        datum = datum.cdr
        if len(found) == suspicious:
            if len(set(map(id, found))) < suspicious:
                raise ScmSyntaxError("circular list:", start)
            suspicious *= 2
    return found


def proper_cells(datum: Value) -> list[Pair] | None:
    """The pairs of a list that ends in ``()``; None for any other datum."""
    try:
        found = cells(datum)
    except ScmSyntaxError:
        return None
    return found if (found[-1].cdr if found else datum) is NIL else None


def is_proper(datum: Value) -> bool:
    """Whether a datum is a list that ends in ``()``."""
    return proper_cells(datum) is not None


def name_cell(definition: Pair) -> Pair:
    """The pair whose car is the name that a ``define`` form defines, also as a (curried) procedure."""
    cell: Pair = definition.cdr
    while type(cell.car) is Pair and cell.car.car is not QUOTE:
        cell = cell.car
    return cell


def defined_name(definition: Pair) -> Value:
    """The symbol that a ``define`` form defines, or any other value if it is malformed."""
    return name_cell(definition).car if type(definition.cdr) is Pair else NIL
