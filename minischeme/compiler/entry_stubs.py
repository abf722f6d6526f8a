"""Entry stubs: the code of procedures that have none of their own, which compiles it when one of them is called.

A procedure has a stub from its definition to its first call, and again when its code becomes invalid.
"""

import ast
import gc
import weakref
from collections.abc import Callable, Iterable
from functools import cache
from types import CodeType, FunctionType

from minischeme.compiler.assembly import CodeInfo, Unit
from minischeme.compiler.builder import TRANSPARENT, Builder
from minischeme.data.cpython import CO_VARARGS, compiled, filled_in, inner_codes, last_constant
from minischeme.data.values import Value, intern
from minischeme.expansion import core
from minischeme.runtime.names import python_name

STUB = "<stub>"
"""The file name of the code of entry stubs, whose frames are of no interest to anyone."""


def lazy_procedure(unit: Unit, globals_: dict[str, Value]) -> FunctionType:
    """A stand-in for the global procedure that a unit defines, replaced when it is first called."""

    def compiled_now(captures: FunctionType) -> FunctionType:
        return made_procedure(unit, captures.__globals__)

    info = CodeInfo(unit, core.defined_procedure(unit.root), frozenset())
    parameters = info.parameters if info.rest is None else (*info.parameters, info.rest)
    names = tuple(map(python_name, parameters))
    procedure = FunctionType(_entry_stub(info, names, len(info.parameters), (), compiled_now), globals_)
    unit.lazy = weakref.ref(procedure)
    return procedure


def made_procedure(unit: Unit, globals_: dict[str, Value]) -> FunctionType:
    """The procedure that a unit defines, compiled; it replaces its stand-in as the value of the global."""
    procedure: FunctionType = FunctionType(unit.compile(), globals_)()
    name = unit.summary.defines or ""
    if unit.is_stand_in(globals_.get(python_name(name))):
        globals_[python_name(name)] = procedure
        if unit.changed is not None:
            unit.changed(intern(name))
    return procedure


def invalidate(units: Iterable[Unit]) -> None:
    """Give entry stubs to the procedures that run code of these units."""
    replace_code([(code, _stub_of_invalid(unit, code)) for unit in units for code in unit.invalidate()])


def _stub_of_invalid(unit: Unit, code: CodeType) -> CodeType:
    procedure = last_constant(code).procedure

    def compiled_now(captures: FunctionType) -> FunctionType:
        new = unit.recompile()[procedure]
        return FunctionType(new, captures.__globals__, new.co_name, None, captures.__closure__)

    names = code.co_varnames[: code.co_argcount + bool(code.co_flags & CO_VARARGS)]
    info = CodeInfo(unit, procedure, frozenset())
    return _entry_stub(info, names, code.co_argcount, code.co_freevars, compiled_now)


def replace_code(pairs: list[tuple[CodeType, CodeType]]) -> None:
    """Give the functions that run an old code object the new one."""
    replacements = {id(old): new for old, new in pairs}
    for function in functions_of([old for old, _ in pairs]):
        new = replacements[id(function.__code__)]
        last_constant(new).unit.stubbed.append(weakref.ref(function))
        function.__code__ = new


def functions_of(codes: list[CodeType]) -> list[FunctionType]:
    """The functions that run one of these code objects."""
    if not codes:
        return []
    # The search for referrers runs in C, but compares each reference with all objects that are searched for.
    candidates = gc.get_referrers(*codes) if len(codes) < _MANY else gc.get_objects()
    wanted = set(map(id, codes))
    return [found for found in candidates if type(found) is FunctionType and id(found.__code__) in wanted]


_MANY = 40


def _entry_stub(
    info: CodeInfo,
    parameters: tuple[str, ...],
    required: int,
    captured: tuple[str, ...],
    compiled_now: Callable[[FunctionType], FunctionType],
) -> CodeType:
    """An entry stub with these parameters, of which so many are required, and these captured variables.

    `compiled_now` gives the procedure to call, from a function with the globals and the closure of the stub's.
    """
    template = _template(required, len(parameters) > required, len(captured))
    stub = filled_in(template, [compiled_now], lambda inner: inner, info, info.name or "lambda")
    return stub.replace(co_varnames=parameters, co_freevars=captured)


@cache
def _template(count: int, has_rest: bool, captured: int) -> CodeType:
    """The code of stubs for these numbers of parameters and captured variables, with a placeholder for `compiled_now`.

    Its frame is transparent: error reports don't show it, and continuations don't keep it.
    """
    build = Builder()
    parameters = [f"a{index}" for index in range(count)]
    variables = [f"v{index:06}" for index in range(captured)]  # in the order of their names, as in CPython
    nothing = ast.arguments([], [], None, [], [], None, [])
    mention = build.tuple_of([build.name(variable) for variable in variables])
    called = build.call(build.constant(None), [ast.Lambda(nothing, mention, **build.where)])
    arguments = [build.name(parameter) for parameter in parameters]
    if has_rest:
        arguments.append(ast.Starred(build.name("rest"), ast.Load(), **build.where))
    body = [build.return_(build.call(called, arguments, TRANSPARENT))]
    stub = build.function("stub", parameters, "rest" if has_rest else None, body)
    module = compiled(ast.Module([build.function("outer", variables, None, [stub])], []), STUB)
    for _ in range(2):
        (module,) = inner_codes(module)
    return module
