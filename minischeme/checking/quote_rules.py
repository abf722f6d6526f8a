"""The rules on quotes: one too many."""

from collections.abc import Iterator

from minischeme.checking.facts import is_written
from minischeme.checking.program import Toplevel
from minischeme.checking.registry import Finding, rule
from minischeme.data.abbreviate import one_line
from minischeme.data.printer import write
from minischeme.data.values import NIL, Pair, Symbol, Value, intern
from minischeme.expansion.core import Constant
from minischeme.expansion.lists import cells

_QUOTE = intern("quote")


@rule("doubled-quote", Constant)
def doubled_quote(toplevel: Toplevel, node: Constant) -> Iterator[Finding]:
    """A quote inside quoted data, where it is data itself."""
    if type(node.value) is not Pair or not is_written(toplevel, node) or node.span is None:
        return
    text = node.span.text
    if text.startswith("''") and _is_quotation(node.value):
        yield Finding(node.span, f"quoted twice: {one_line(text)}", f"one quote is enough: {one_line(text[1:])}")
    elif "'" in text[1:] and text[0] == "'":
        inner = _needless(toplevel, node.value)
        if inner is not None:
            hint = f"inside a quotation it is data without another quote: {one_line(write(inner.cdr.car))}"
            yield Finding(node.span, f"a quote inside quoted data: {one_line(text)}", hint)


def _is_quotation(datum: Value) -> bool:
    is_pair = type(datum) is Pair and datum.car is _QUOTE and type(datum.cdr) is Pair
    return is_pair and datum.cdr.cdr is NIL


def _needless(toplevel: Toplevel, datum: Pair) -> Pair | None:
    """A quotation in a list that is no code: one whose first element is no name of a procedure or special form."""
    found = cells(datum)
    head = found[0].car
    if type(head) is Symbol and toplevel.names.is_bound(head.name):
        return None
    for cell in found:
        if _is_quotation(cell.car):
            return cell.car  # type: ignore[no-any-return]
        inner = _needless(toplevel, cell.car) if type(cell.car) is Pair else None
        if inner is not None:
            return inner
    return None
