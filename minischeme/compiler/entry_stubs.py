"""Entry stubs: code for procedures whose own code is invalid, which recompiles it when one of them is called."""

import ast
import gc
import weakref
from collections.abc import Iterable
from functools import cache
from types import CodeType, FunctionType

from minischeme.compiler.assembly import CodeInfo, Unit
from minischeme.compiler.builder import TRANSPARENT, Builder
from minischeme.data.cpython import CO_VARARGS, compiled, filled_in, inner_codes, last_constant


def invalidate(units: Iterable[Unit]) -> None:
    """Give entry stubs to the procedures that run code of these units."""
    invalid = [code for unit in units for code in unit.invalidate()]
    stubs = {id(code): _entry_stub(code) for code in invalid}
    for function in functions_of(invalid):
        stub = stubs[id(function.__code__)]
        last_constant(stub).unit.stubbed.append(weakref.ref(function))
        function.__code__ = stub


def functions_of(codes: list[CodeType]) -> list[FunctionType]:
    """The functions that run one of these code objects."""
    if not codes:
        return []
    # The search for referrers runs in C, but compares each reference with all objects that are searched for.
    candidates = gc.get_referrers(*codes) if len(codes) < _MANY else gc.get_objects()
    wanted = set(map(id, codes))
    return [found for found in candidates if type(found) is FunctionType and id(found.__code__) in wanted]


_MANY = 40


def replace_code(pairs: list[tuple[CodeType, CodeType]]) -> None:
    """Give the functions that run an old code object the new one."""
    replacements = {id(old): new for old, new in pairs}
    for function in functions_of([old for old, _ in pairs]):
        function.__code__ = replacements[id(function.__code__)]


def _entry_stub(code: CodeType) -> CodeType:
    """An entry stub that recompiles the unit of a code object and calls the new code."""
    old: CodeInfo = last_constant(code)
    info = CodeInfo(old.unit, old.key, old.assumptions)

    def recompiled(captures: FunctionType) -> FunctionType:
        """The recompiled procedure; `captures` is a function of the stub with its globals and closure."""
        new = info.unit.recompile()[info.key]
        return FunctionType(new, captures.__globals__, new.co_name, None, captures.__closure__)

    has_rest = bool(code.co_flags & CO_VARARGS)
    template = _template(code.co_argcount, has_rest, len(code.co_freevars))
    stub = filled_in(template, [recompiled], lambda inner: inner, info, code.co_name)
    return stub.replace(co_varnames=code.co_varnames[: code.co_argcount + has_rest], co_freevars=code.co_freevars)


@cache
def _template(count: int, has_rest: bool, captured: int) -> CodeType:
    """The code of stubs for these numbers of parameters and captured variables, with a placeholder for `recompiled`.

    Its frame is transparent: error reports don't show it, and continuations don't keep it.
    """
    build = Builder()
    parameters = [f"a{index}" for index in range(count)]
    variables = [f"v{index:06}" for index in range(captured)]  # in the order of their names, as in CPython
    nothing = ast.arguments([], [], None, [], [], None, [])
    mention = build.tuple_of([build.name(variable) for variable in variables])
    recompiled = build.call(build.constant(None), [ast.Lambda(nothing, mention, **build.where)])
    arguments = [build.name(parameter) for parameter in parameters]
    if has_rest:
        arguments.append(ast.Starred(build.name("rest"), ast.Load(), **build.where))
    body = [build.return_(build.call(recompiled, arguments, TRANSPARENT))]
    stub = build.function("stub", parameters, "rest" if has_rest else None, body)
    module = compiled(ast.Module([build.function("outer", variables, None, [stub])], []), "<stub>")
    for _ in range(2):
        (module,) = inner_codes(module)
    return module
