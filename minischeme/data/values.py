"""The data of Scheme programs, apart from numbers (`rationals`) and procedures (plain Python functions)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextvars import ContextVar
from operator import add, ge, gt, le, lt, mul, sub
from types import FunctionType
from typing import Any, ClassVar, NoReturn, TypeAlias

import msgspec

from minischeme.data.numerals import decimal
from minischeme.data.rationals import Real, WrongType

Value: TypeAlias = Any
"""Any Scheme value: a number, a procedure, or a `SchemeObject`. Never None, which means "a tail call is pending"."""

Procedure: TypeAlias = FunctionType

strings_are_numbers: ContextVar[bool] = ContextVar("strings_are_numbers", default=True)
"""Whether arithmetic in the running session takes numeric strings (DIALECT.md section 1.3)."""


def _as_left_operand(operator: str, compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The method of a `SchemeObject` for an operator whose left operand it is."""

    def operate_as_number(self: SchemeObject, other: Value) -> Any:
        return compute(self.operand(operator), other)

    return operate_as_number


def _as_right_operand(operator: str, compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: compute(other, self.operand(operator))


class SchemeObject:
    """Base of every value that is not a number: arithmetic and order on it are errors that name operator and culprit.

    So compiled code can use Python's bare operators, and errors cost nothing until they happen.
    """

    __slots__ = ()

    def operand(self, operator: str) -> Real:
        """The number that this value stands for in arithmetic; a WrongType unless it is a numeric string."""
        raise WrongType(operator, self)

    def __neg__(self) -> Value:
        return -self.operand("-")

    __add__, __radd__ = _as_left_operand("+", add), _as_right_operand("+", add)
    __sub__, __rsub__ = _as_left_operand("-", sub), _as_right_operand("-", sub)
    __mul__, __rmul__ = _as_left_operand("*", mul), _as_right_operand("*", mul)
    __lt__, __gt__ = _as_left_operand("<", lt), _as_left_operand(">", gt)
    __le__, __ge__ = _as_left_operand("<=", le), _as_left_operand(">=", ge)

    def __bool__(self) -> NoReturn:
        raise AssertionError("a Scheme value used as a Python truth value: compare with FALSE")


class _Constant(SchemeObject, msgspec.Struct, eq=False):
    """A singleton."""

    external: str

    def __repr__(self) -> str:
        return self.external


class Boolean(_Constant, eq=False):
    """`TRUE` and `FALSE`: not Python's, for which ``True + 1`` is 2."""


class EmptyList(_Constant, eq=False):
    """`NIL`, the empty list."""

    def __iter__(self) -> Iterator[Value]:
        return iter(())


class Unspecified(_Constant, eq=False):
    """`UNSPECIFIED`: the value of an expression without a useful one; the prompt shows ``okay``."""


TRUE = Boolean("#t")
FALSE = Boolean("#f")
NIL = EmptyList("()")
UNSPECIFIED = Unspecified("okay")
EOF = _Constant("#[eof]")
DEFAULT = _Constant("#!default")
"""The value of an optional parameter without an argument."""


def boolean(truth: object) -> Boolean:
    return TRUE if truth else FALSE


class Symbol(SchemeObject, msgspec.Struct, eq=False):
    """An identifier or word, different from every other; `intern` gives the one symbol of a name.

    `meaning` is that of an identifier which a macro or special form introduces (`expansion.scopes`), and `folded` the
    name without regard to case. The other attributes are caches of the word procedures.
    """

    name: str
    meaning: Any = None
    first: Value = None
    last: Value = None
    butfirst: Value = None
    butlast: Value = None
    folded: str = ""

    def __post_init__(self) -> None:
        self.folded = self.name.lower()

    def __repr__(self) -> str:
        return self.name


class _Interned(dict[str, Any]):
    """The objects of a kind by their texts; one is made when it is first asked for, and is the same from then on."""

    def __init__(self, kind: Callable[[str], Any], name: str) -> None:
        super().__init__()
        self._kind = kind
        self._name = name

    def __missing__(self, text: str) -> Any:
        return self.setdefault(text, self._kind(text))

    def __repr__(self) -> str:
        return self._name


SYMBOLS = _Interned(Symbol, "symbols")
intern: Callable[[str], Symbol] = SYMBOLS.__getitem__
"""The symbol of a name."""


class Pair(SchemeObject, msgspec.Struct, eq=False):
    """A cons cell; a list is a chain of them through `cdr` that ends in `NIL`.

    A msgspec struct costs half of a Python class with slots (ARCHITECTURE.md section 3.1).
    """

    car: Value
    cdr: Value

    def __iter__(self) -> Iterator[Value]:
        """The elements of a proper list; a dotted end is left out."""
        cell: Value = self
        while type(cell) is Pair:
            yield cell.car
            cell = cell.cdr

    def __repr__(self) -> str:
        return _abbreviated(self)


class String(SchemeObject, msgspec.Struct, eq=False):
    """A mutable string. Words that are neither numbers nor plain symbols are strings too (DIALECT.md section 1.1)."""

    text: str

    def operand(self, operator: str) -> Real:
        number = decimal(self.text) if strings_are_numbers.get() else None
        if number is None:
            raise WrongType(operator, self)
        return number

    def __repr__(self) -> str:
        escaped = self.text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
        return '"' + escaped.replace("\r", "\\r") + '"'


CHARACTER_NAMES = {
    "alarm": "\a",
    "backspace": "\b",
    "delete": "\x7f",
    "escape": "\x1b",
    "newline": "\n",
    "null": "\0",
    "return": "\r",
    "space": " ",
    "tab": "\t",
}
_NAME_OF_CHARACTER = {text: name for name, text in CHARACTER_NAMES.items()}


class Char(SchemeObject, msgspec.Struct, eq=False):
    """A character; `Char.of` gives the one object of a code point, so that ``is`` compares characters."""

    char: str
    of: ClassVar[Callable[[str], Char]]

    def __repr__(self) -> str:
        name = _NAME_OF_CHARACTER.get(self.char)
        if name is None:
            name = self.char if self.char.isprintable() else f"x{ord(self.char):x}"
        return "#\\" + name


CHARACTERS = _Interned(Char, "characters")
Char.of = CHARACTERS.__getitem__


class _Mutable(SchemeObject):
    """A value that Python compares by its contents and Scheme by its identity."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other


class Vector(_Mutable, list[Value]):  # type: ignore[misc]
    """A vector: a Python list whose arithmetic is Scheme's error."""

    __slots__ = ()

    def __repr__(self) -> str:
        return _abbreviated(self)


class Bytevector(_Mutable, bytearray):  # type: ignore[misc]
    """A bytevector (R7RS 6.9)."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"#u8({' '.join(map(str, self))})"


class Promise(SchemeObject, msgspec.Struct, eq=False):
    """A promise, made by `delay` and `cons-stream`: a thunk until it is forced, then None for a thunk, and a value."""

    thunk: Value  # a procedure
    value: Value = None

    def __repr__(self) -> str:
        return f"#[promise {id(self):x} ({'not ' if self.thunk else ''}forced)]"


class MultipleValues(SchemeObject, msgspec.Struct, eq=False):
    """The result of `(values a b …)` for any count but one (R7RS 6.10)."""

    items: tuple[Value, ...]

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.items))


class Environment(SchemeObject, msgspec.Struct, eq=False):
    """A first-class environment: the namespace that evaluates in it, None for the program's own."""

    namespace: Any = None

    def __repr__(self) -> str:
        return f"#[environment {id(self):x}]"


class RecordType(SchemeObject, msgspec.Struct, eq=False):
    """A record type (R7RS 5.5): a name without angle brackets, and the names of the fields."""

    name: str
    fields: tuple[str, ...]

    def __repr__(self) -> str:
        return f"#[record-type {self.name}]"


class Record(SchemeObject, msgspec.Struct, eq=False):
    """An instance of a record type."""

    kind: RecordType
    fields: list[Value]

    def __repr__(self) -> str:
        return f"#[{self.kind.name} {id(self):x}]"


class HashTable(SchemeObject, msgspec.Struct, eq=False):
    """A hash table: `entries` maps the Python key that `key_of` makes of a Scheme key to a pair of key and value."""

    key_of: Callable[[Value], Hashable]
    entries: dict[Hashable, tuple[Value, Value]] = {}

    def __repr__(self) -> str:
        return f"#[hash-table {id(self):x}]"


def untraced(value: Value) -> Value:
    """The procedure behind a wrapper of `trace`; any other value itself."""
    return getattr(value, "__dict__", {}).get("traced", value)


def list_of(items: Iterable[Value], tail: Value = NIL) -> Value:
    """A fresh Scheme list of the items, ended by `tail`."""
    if type(items) is not list and type(items) is not tuple:
        items = list(items)
    if len(items) > _FEW:
        rests = [tail]
        rests += map(Pair, reversed(items), rests)  # which grows meanwhile, all in C (ARCHITECTURE.md section 8)
        return rests[-1]
    result = tail
    for item in reversed(items):
        result = Pair(item, result)
    return result


_FEW = 8
"""The number of elements up to which a loop makes a list faster."""


def _abbreviated(value: Value, depth: int = 6) -> str:
    """The text of a value for people who debug Python: at most a line; `printer` writes a value whole."""
    if type(value) is Vector:
        return "#" + _abbreviated(list_of(value), depth)
    if type(value) is not Pair:
        return repr(value)
    if depth == 0:
        return "(...)"
    parts: list[str] = []
    cell: Value = value
    while type(cell) is Pair and len(parts) < 20:
        parts.append(_abbreviated(cell.car, depth - 1))
        cell = cell.cdr
    if cell is not NIL:
        parts += ["..."] if type(cell) is Pair else [".", repr(cell)]
    return f"({' '.join(parts)})"
