"""The details of CPython that minischeme depends on, and the check that this Python has them.

The check runs at import, which is an ImportError on a Python that behaves otherwise.
"""

import ast
import sys
import warnings
from collections.abc import Callable, Sequence
from itertools import islice
from operator import add, and_, eq, floordiv, ge, is_, lt, mod, mul, sub
from types import CodeType, FunctionType
from typing import Any

if sys.implementation.name != "cpython":
    raise ImportError(f"minischeme runs on CPython alone, not on {sys.implementation.name}")

CO_VARARGS = 0x04
"""The flag of code with a rest parameter; `inspect` has it, too, but takes long to import."""

Position = dict[str, Any]

# ── constants of any kind in Python's ``ast`` ────────────────────────────────────────────────────────────────────────

PLACEHOLDER = ast.Slice if sys.version_info >= (3, 14) else ast.JoinedStr
"""The node of a constant: compiles to one LOAD_CONST and is never folded; 3.14 folds f-strings without values."""

CONSTANTS = (ast.Constant, PLACEHOLDER)


def placeholder(number: int, where: Position) -> ast.expr:
    """The node that stands for a constant until `filled_in` replaces it."""
    if PLACEHOLDER is ast.Slice:
        return ast.Slice(ast.Constant(number, **where), **where)
    return ast.JoinedStr([ast.Constant(str(number), **where)], **where)


def number_of(node: ast.AST) -> int | None:
    """The inverse of `placeholder`; None for any other node."""
    if not isinstance(node, PLACEHOLDER) or (isinstance(node, ast.Slice) and node.upper is not None):
        return None
    part = node.lower if isinstance(node, ast.Slice) else node.values[0]
    assert isinstance(part, ast.Constant)
    return int(str(part.value))


def compiled(tree: ast.Module | ast.Expression, name: str) -> CodeType:
    """The code object of a tree with placeholders, from a file of that name.

    Raises:
        RecursionError, MemoryError, SyntaxError: the tree is beyond CPython's compiler.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # that a constant is no procedure, and the like
        code: CodeType = compile(tree, name, "exec" if isinstance(tree, ast.Module) else "eval", dont_inherit=True)
    return code


def filled_in(
    code: CodeType, constants: list[Any], inner: Callable[[CodeType], CodeType], last: object, name: str
) -> CodeType:
    """A copy of a code object with this name, with the constants for their placeholders and `last` at their end.

    `inner` gives the replacement of a code object among the constants.
    """
    filled = (_filled(constant, constants, inner) for constant in code.co_consts)
    return code.replace(co_consts=(*filled, last), co_name=name, co_qualname=name)


def _filled(constant: Any, constants: list[Any], inner: Callable[[CodeType], CodeType]) -> Any:
    if isinstance(constant, str):
        return constants[int(constant)]
    if isinstance(constant, slice) and constant.stop is None:  # 3.14 makes constants of others, such as text[1:2]
        return constants[constant.start]
    if isinstance(constant, tuple):  # CPython makes one constant of a tuple of constants
        return tuple(_filled(part, constants, inner) for part in constant)
    return inner(constant) if isinstance(constant, CodeType) else constant


def last_constant(code: CodeType) -> Any:
    """The last constant of a code object; None if it has none."""
    return code.co_consts[-1] if code.co_consts else None


# ── positions, references, frames ────────────────────────────────────────────────────────────────────────────────────
def inner_codes(code: CodeType) -> list[CodeType]:
    """The code objects of the functions that are defined in a code object."""
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def position_at(code: CodeType, instruction: int) -> tuple[int | None, int | None, int | None, int | None]:
    """The position of the instruction at an offset: line, end line, column and end column of its node."""
    return next(islice(code.co_positions(), instruction // 2, None))


def instructions_at(
    code: CodeType, holds: Callable[[int | None, int | None, int | None, int | None], bool]
) -> list[int]:
    """The offsets of the instructions whose position, as `position_at` gives it, meets a condition."""
    return [2 * index for index, position in enumerate(code.co_positions()) if holds(*position)]


def frame_slots(code: CodeType) -> int:
    """The size of a frame, in values."""
    return code.co_nlocals + code.co_stacksize


reference_count = sys.getrefcount


def _references(items: Sequence[object]) -> int:
    return reference_count(items[0])


UNSHARED = _references([object()])
"""The result of `reference_count(items[index])` if only this list or tuple holds the item. (For a local variable the
result differs between versions: 3.14 borrows references and does not count them.)"""


def _called() -> int:
    holder: dict[str, Callable[[], int]] = {}
    holder["function"] = lambda: reference_count(holder["function"])
    return holder["function"]()


CALLED = _called()
"""The result of `reference_count(globals_[name])` during a call of a function that only this global holds."""

SPECIALIZES_ALL_CALLS = sys.version_info < (3, 13)
"""Whether calls of a function whose code was replaced are specialized: later Pythons specialize only what ``def`` has
made and left as it is. (A call takes 1.3 times as long without.)"""


def with_large_frame(function: Callable[..., Any], slots: int) -> Callable[..., Any]:
    """A copy of a function without closure, with a frame that asks for so many stack slots.

    CPython keeps frames in chunks, and a call that crosses a chunk's end maps and unmaps memory each time. One frame
    that asks for much gets one large chunk, virtual until it is touched, with room for all frames after it.
    """
    return FunctionType(function.__code__.replace(co_stacksize=slots), function.__globals__, function.__name__)


# ── checks ───────────────────────────────────────────────────────────────────────────────────────────────────────────

_COLUMN = 10
_OPERATORS = ast.Add(), ast.Sub(), ast.Mult(), ast.Mod(), ast.FloorDiv(), ast.BitAnd()
_COMPARISONS = ast.Eq(), ast.Lt(), ast.GtE(), ast.Is()
_COMPUTED = add, sub, mul, mod, floordiv, and_, eq, lt, ge, is_


def _values_of(parts: list[ast.expr], constants: list[Any]) -> list[Any]:
    """The values of expressions with placeholders, in code whose last constant is `_COLUMN`."""
    whole = ast.List(parts, ast.Load(), **_where(0))
    code = compiled(ast.Expression(whole), "<check>")
    values: list[Any] = FunctionType(filled_in(code, constants, lambda inner: inner, _COLUMN, "check"), {})()
    return values


def _where(width: int) -> Position:
    return {"lineno": 1, "col_offset": _COLUMN, "end_lineno": 1, "end_col_offset": _COLUMN + width}


def _check_constants() -> bool:
    """Whether operators are given the constants, not their placeholders."""
    where = _where(1)
    a, b = 9, 4
    left, right = placeholder(0, where), placeholder(1, where)
    literal = ast.Constant(b, **where)
    pairs = [(left, right, a, b), (left, literal, a, b), (literal, left, b, a), (left, left, a, a)]
    parts: list[ast.expr] = [ast.BinOp(x, kind, y, **where) for kind in _OPERATORS for x, y, _, _ in pairs]
    parts += [ast.Compare(x, [kind], [y], **where) for kind in _COMPARISONS for x, y, _, _ in pairs]
    expected = [compute(x, y) for compute in _COMPUTED for _, _, x, y in pairs]
    together = ast.Tuple([left, right], ast.Load(), **where)
    return _values_of([*parts, together], [a, b]) == [*expected, (a, b)]


def _check_frames() -> bool:
    """Whether a frame that waits for a call shows its constants and the call's position, even one marked by its end."""

    def caller() -> object:
        frame = sys._getframe(1)
        return position_at(frame.f_code, frame.f_lasti), last_constant(frame.f_code)

    widths = 0, 1, 1_000
    calls: list[ast.expr] = [ast.Call(placeholder(0, _where(1)), [], [], **_where(width)) for width in widths]
    positions = [(1, 1, _COLUMN, _COLUMN + width) for width in widths]
    return _values_of(calls, [caller]) == [(position, _COLUMN) for position in positions]


def _check_references() -> bool:
    """Whether `UNSHARED` tells shared objects from others, also in specialized code and in a large frame."""
    for items in [[object()] for _ in range(20)] + [(object(),) for _ in range(20)]:
        alone = _references(items)
        others = [items[0]]
        if alone != UNSHARED or _references(items) != UNSHARED + len(others):
            return False
    return bool(with_large_frame(_references, 10_000)([object()]) == UNSHARED)


def _check_growing_lists() -> bool:
    """Whether an iterator over a list that is being extended yields what was added before."""
    sums = [0]
    sums += map(add, range(1000), sums)
    return sums[-1] == sum(range(1000))


def check() -> None:
    """Check all of the above; an ImportError that says what is missing."""
    for holds_now, fault in (
        (_check_constants, "it computes with constants too early"),
        (_check_frames, "it doesn't tell where calls stand (is PYTHONNODEBUGRANGES set?)"),
        (_check_references, "it counts references differently"),
        (_check_growing_lists, "it extends lists differently"),
    ):
        try:
            holds = holds_now()
        except Exception:
            holds = False
        if not holds:
            version = ".".join(map(str, sys.version_info[:3]))
            advice = " (3.11 to 3.14 are known to be good)" if sys.version_info >= (3, 15) else ""
            raise ImportError(f"minischeme would compute wrongly on this Python {version}: {fault}{advice}")


check()
