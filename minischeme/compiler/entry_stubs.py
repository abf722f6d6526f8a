"""Entry stubs: the code of procedures that have none of their own, which compiles it when one of them is called.

A global procedure has a stub from its definition to its first call, and any procedure when its code becomes invalid.
"""

import ast
import gc
import weakref
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import CellType, CodeType, FunctionType

from minischeme.compiler.assembly import CodeInfo, Unit
from minischeme.compiler.builder import TRANSPARENT, Builder
from minischeme.compiler.call_facts import FrameLayout
from minischeme.data.cpython import (
    CALLED,
    CO_VARARGS,
    SPECIALIZES_ALL_CALLS,
    compiled,
    filled_in,
    inner_codes,
    last_constant,
    reference_count,
)
from minischeme.data.values import Value
from minischeme.expansion import core
from minischeme.runtime.names import python_name

STUB = "<stub>"
"""The file name of the code of entry stubs, whose frames are of no interest to anyone."""


def lazy_procedure(unit: Unit, globals_: dict[str, Value]) -> FunctionType:
    """The global procedure that a unit defines, to be compiled when it is first called."""
    procedure = unit.procedure
    assert procedure is not None
    itself = CellType()
    cells = (itself,) if unit.summary.captures_itself else ()
    names = tuple(python_name(variable.name) for variable in procedure.all_parameters)
    code = _entry_stub(unit, procedure, names, len(procedure.parameters), ("itself",) * len(cells))
    itself.cell_contents = made = FunctionType(code, globals_, None, None, cells)
    unit.stubbed.append(weakref.ref(made))
    return made


def invalidate(units: Iterable[Unit]) -> None:
    """Give entry stubs to the procedures that run code of these units."""
    codes = [(unit, code) for unit in units for code in unit.invalidate()]
    replace_code([(code, _stub_for(code, unit, last_constant(code).procedure)) for unit, code in codes])


def _stub_for(code: CodeType, unit: Unit, procedure: core.Lambda) -> CodeType:
    """The entry stub of a procedure of a unit, which takes the place of some code."""
    names = code.co_varnames[: code.co_argcount + bool(code.co_flags & CO_VARARGS)]
    return _entry_stub(unit, procedure, names, code.co_argcount, code.co_freevars)


def exchange(units: Iterable[tuple[Unit, Unit, Mapping[core.Lambda, core.Lambda]]]) -> None:
    """Have the procedures of one unit run another unit's code, where a mapping leads from the lambdas of the first."""
    pairs: list[tuple[CodeType, CodeType]] = []
    for old, new, lambdas in units:
        if old.layout is not None:
            new.layout = FrameLayout(
                frozenset(map(lambdas.__getitem__, old.layout.direct)), old.layout.needs_letrec_check
            )
        stubs = [procedure.__code__ for reference in old.stubbed if (procedure := reference()) is not None]
        for code in [*old.invalidate(), *stubs]:
            info: CodeInfo = last_constant(code)
            if info.unit is old and info.procedure is not None:
                pairs.append((code, _stub_for(code, new, lambdas[info.procedure])))
    replace_code(pairs)


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
    unit: Unit, procedure: core.Lambda, parameters: tuple[str, ...], required: int, captured: tuple[str, ...]
) -> CodeType:
    """The entry stub of a procedure of a unit, with these parameters, of which so many are required, and these
    captured variables."""

    def compiled_now(captures: FunctionType) -> FunctionType:
        """The procedure to call, with the globals and the closure of the stub's."""
        codes = unit.recompile()
        code = codes[procedure]
        if not SPECIALIZES_ALL_CALLS and procedure is unit.procedure:
            _make_anew(unit, codes[None], code, captures.__globals__)
        return FunctionType(code, captures.__globals__, code.co_name, None, captures.__closure__)

    return stub_code(CodeInfo(unit, procedure, frozenset()), parameters, required, captured, compiled_now)


def stub_code(
    info: CodeInfo,
    parameters: tuple[str, ...],
    required: int,
    captured: tuple[str, ...],
    procedure_to_call: Callable[[FunctionType], FunctionType],
) -> CodeType:
    """The code of a procedure that passes its arguments on to another one.

    `procedure_to_call` gives that one; its argument is a function with the globals and the closure of the procedure.
    """
    template = _template(required, len(parameters) > required, len(captured))
    stub = filled_in(template, [procedure_to_call], lambda inner: inner, info, info.name or "lambda")
    return stub.replace(co_varnames=parameters, co_freevars=captured)


def _make_anew(unit: Unit, toplevel: CodeType, code: CodeType, globals_: dict[str, Value]) -> None:
    """Bind the procedure that a unit defines anew, made by the unit's code, if its global alone holds the one with this
    code that is being called: no program can tell them apart."""
    key = python_name(unit.summary.defines or "")
    if key in globals_ and reference_count(globals_[key]) == CALLED + unit.summary.captures_itself:
        if type(globals_[key]) is FunctionType and globals_[key].__code__ is code:
            globals_[key] = FunctionType(toplevel, globals_)()


@cache
def _template(count: int, has_rest: bool, captured: int) -> CodeType:
    """The code of stubs for these numbers of parameters and captured variables, with a placeholder for the function
    that gives the procedure to call.

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
