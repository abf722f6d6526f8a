"""`@primitive`, which declares a Python function as a standard procedure, and `Primitive`, its description.

Help, completion, arity errors and the check of arguments after a failure are all derived from a `Primitive`.
"""

from collections.abc import Callable
from functools import cached_property
from types import CodeType, FunctionType
from typing import Any, TypeVar, cast, get_type_hints

import msgspec

from minischeme.data.cpython import CO_VARARGS
from minischeme.data.values import FALSE, TRUE, Boolean, Value
from minischeme.primitives.kinds import Kind
from minischeme.runtime import resumption

DIALECTS = ("berkeley", "r7rs")

_CALLING = frozenset(
    {"tail", "dynamic", "continuations", "eval_datum", "load_file", "require_file", "environment_with"}
)
"""The keyword-only parameters by which a primitive can call a procedure of the program."""

F = TypeVar("F", bound=Callable[..., Any])


class Primitive(msgspec.Struct, eq=False, dict=True):
    """A standard procedure.

    Args:
        names: the names that it is bound to, the main one first.
        function: the procedure itself, whose docstring begins with a line of help.
        dialects: the dialects that have it.
        example: a call and its value, such as ``(first '(a b)) → a``.
        tail_calls: whether it may return with a tail call pending.
        stays: whether it goes on while what it calls in tail position runs, so that the procedure that calls it in
            tail position is to be left first.
    """

    names: tuple[str, ...]
    function: Any  # a FunctionType, which type checkers would take for a method here
    dialects: tuple[str, ...]
    example: str | None
    tail_calls: bool
    stays: bool

    @property
    def doc(self) -> str:
        """The line of help."""
        return first_line(self.function)

    @property
    def arity(self) -> tuple[int, int | None]:
        """The least and the most number of arguments; None where there is no most."""
        code = self.function.__code__
        most = code.co_argcount
        least = most - len(self.function.__defaults__ or ())
        return least, None if code.co_flags & CO_VARARGS else most

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters as Scheme writes them, the rest parameter last."""
        code = self.function.__code__
        count = code.co_argcount + (1 if code.co_flags & CO_VARARGS else 0)
        names = code.co_varnames[: code.co_argcount] + code.co_varnames[code.co_argcount + code.co_kwonlyargcount :][:1]
        return tuple(name.strip("_").replace("_", "-") for name in names[:count])

    @cached_property
    def calls_others(self) -> bool:
        """Whether it may call a procedure of the program."""
        code = self.function.__code__
        keywords = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        return not _CALLING.isdisjoint(keywords)

    @cached_property
    def positional(self) -> FunctionType:
        """The function with positional parameters only, which CPython calls in two thirds of the time."""
        original = cast(FunctionType, self.function)
        code = original.__code__
        made = code.replace(co_argcount=code.co_argcount + code.co_kwonlyargcount, co_kwonlyargcount=0)
        function = FunctionType(made, original.__globals__, original.__name__, None, original.__closure__)
        function.__dict__["primitive"] = _BY_CODE[id(made)] = self
        resumption.resumed_alike(made, code)
        return function

    @cached_property
    def kinds(self) -> dict[str, Kind]:
        """The kind of each parameter that has one, by the Python name."""
        hints = get_type_hints(self.function, include_extras=True)
        return {name: hint.__metadata__[0] for name, hint in hints.items() if hasattr(hint, "__metadata__")}


PRIMITIVES: dict[str, dict[str, Primitive]] = {dialect: {} for dialect in DIALECTS}
"""The standard procedures of each dialect by their names."""

_BY_CODE: dict[int, Primitive] = {}  # by the identity of the code, whose hash takes long to compute


def primitive(
    *names: str,
    dialect: str | None = None,
    example: str | None = None,
    help_: str | None = None,
    tail_calls: bool = False,
    stays: bool = False,
    transparent: bool = False,
) -> Callable[[F], F]:
    """Make the decorated function a standard procedure; a name that a dialect has already is a ValueError.

    Its positional parameters take the Scheme arguments. It must fail, by any exception, on an argument outside the
    kind that its annotation names, and never return None unless `tail_calls`. A keyword-only parameter, such as
    ``tail`` or ``console``, receives the object that the session has under that name (`runtime.context`); ``dialect``
    and ``equal`` receive its dialect and what compares as ``equal?`` there. With a `dialect`, only that one has it. A
    `transparent` one returns the value of each call that it waits for (`runtime.resumption`).

    With `help_`, the line of help in place of a docstring, the function is one of several made alike. What is declared
    is a copy with code of its own, since an error is told by the code that it happened in.
    """
    dialects = DIALECTS if dialect is None else (dialect,)

    def register(function: F) -> F:
        if help_ is not None:
            function = cast(F, _copy(function, names[0], help_))
        if transparent:
            resumption.transparent(function)
        known = Primitive(names, function, dialects, example, tail_calls, stays)
        for each in dialects:
            table = PRIMITIVES[each]
            for name in names:
                if name in table:
                    raise ValueError(f"{name} is defined twice, in {table[name].function.__module__} too")
                table[name] = known
        function.__dict__["primitive"] = known
        _BY_CODE[id(known.function.__code__)] = known
        return function

    return register


def _copy(function: Callable[..., Value], name: str, doc: str) -> FunctionType:
    model = cast(FunctionType, function)
    code = model.__code__.replace(co_name=name, co_qualname=name)
    copy = FunctionType(code, model.__globals__, name, model.__defaults__, model.__closure__)
    copy.__kwdefaults__ = model.__kwdefaults__
    copy.__annotations__ = model.__annotations__
    copy.__doc__ = doc
    return copy


def unary(
    names: str,
    kind: Any,
    function: Callable[[Any], Value],
    help_: str,
    example: str | None = None,
    dialect: str | None = None,
) -> None:
    """Define a standard procedure of one argument, which is of a kind, by a lambda that says it all."""
    procedure = cast(FunctionType, function)
    procedure.__annotations__ = {procedure.__code__.co_varnames[0]: kind}
    primitive(*names.split(), help_=help_, example=example, dialect=dialect)(procedure)


def predicate(names: str, test: type | Callable[[Any], bool], what: str, **known: Any) -> None:
    """Define a standard procedure that tells whether a value is of a type, or passes a test.

    `known` are its example and its dialect, as of `primitive`.
    """

    def is_of_type(obj: Value) -> Boolean:
        return TRUE if type(obj) is test else FALSE

    def passes(obj: Value) -> Boolean:
        return TRUE if test(obj) else FALSE

    function = is_of_type if isinstance(test, type) else passes
    primitive(*names.split(), help_=f"Whether obj is {what}.", **known)(function)


def first_line(function: Callable[..., Any]) -> str:
    """The first line of a docstring."""
    return (function.__doc__ or "").partition("\n")[0]


def primitive_of(procedure: object) -> Primitive | None:
    """The `Primitive` that a procedure is; None for others."""
    found = getattr(procedure, "__dict__", {}).get("primitive")
    return found if isinstance(found, Primitive) else None


def primitive_of_code(code: CodeType) -> Primitive | None:
    """The `Primitive` whose code this is."""
    return _BY_CODE.get(id(code))


def bound(function: Callable[..., Value], owned: dict[str, Any]) -> FunctionType:
    """A procedure with these objects as defaults of its keyword-only parameters: still a plain function."""
    original = cast(FunctionType, function)
    code = original.__code__
    if not code.co_kwonlyargcount:
        return original
    wanted = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    copy = FunctionType(code, original.__globals__, original.__name__, original.__defaults__, original.__closure__)
    copy.__kwdefaults__ = {name: owned[name] for name in wanted}
    copy.__dict__.update(original.__dict__)
    return copy


def positional_call(procedure: Value, count: int) -> tuple[Value, tuple[Value, ...]]:
    """The procedure to call in place of another one with `count` arguments, and the arguments to add."""
    known = primitive_of(procedure)
    owned = getattr(procedure, "__kwdefaults__", None)
    if known is None or not owned or known.stays:
        return procedure, ()
    least, most = known.arity
    if most is None or not least <= count <= most:
        return procedure, ()
    return known.positional, (*(procedure.__defaults__ or ())[count - least :], *owned.values())
