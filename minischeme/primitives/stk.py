"""Procedures that STk, the course's own interpreter, has besides: the course's files ask about it and the system."""

import re
from collections.abc import Callable

from minischeme import __version__
from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, UNSPECIFIED, Boolean, Pair, String, Symbol, Value, boolean, intern, list_of
from minischeme.data.values import Procedure as ProcedureType
from minischeme.primitives.integers import integer_of
from minischeme.primitives.kinds import Integer, Procedure, StringArg, of_type
from minischeme.primitives.numbers import real_of
from minischeme.primitives.registry import primitive
from minischeme.runtime.context import Context
from minischeme.runtime.ports import Console

LAMBDA = intern("lambda")


@primitive("version", dialect="berkeley")
def version() -> String:
    """What runs the program: a string."""
    return String(f"minischeme {__version__}")


@primitive("system", dialect="berkeley")
def system(command: StringArg, *, context: Context, console: Console) -> int:
    """Run a command of the system's shell; its exit status. Only if minischeme was started with --allow-system."""
    text = command.text
    if not context.allows_system:
        raise SchemeError("system: not allowed to run:", command, hint="minischeme --allow-system allows it")
    if "\0" in text:
        raise SchemeError("system: bad string:", command)
    import subprocess  # here, since it is seldom used and slow to import

    console.output.flush()
    return subprocess.run(text, shell=True, check=False).returncode


@primitive("keyword?", dialect="berkeley", example="(keyword? :width) → #t")
def is_keyword(obj: Value) -> Boolean:
    """Whether obj is a keyword, a symbol such as :key that stands for itself."""
    return boolean(type(obj) is Symbol and len(obj.name) > 1 and obj.name.startswith(":"))


@primitive("string->regexp", dialect="berkeley", example='((string->regexp "[0-9]+") "hand 21") → ((5 7))')
def string_to_regexp(pattern: StringArg) -> Value:
    """A procedure that looks for a regular expression in a string: the list of where the match, and each group, is."""
    try:
        compiled = re.compile(re.sub(r"(?<!\\)([{}])", r"\\\1", pattern.text))
    except (re.error, OverflowError, RecursionError):
        raise SchemeError("string->regexp: bad regular expression:", pattern) from None

    def regexp(string: Value) -> Value:
        if type(string) is not String:
            raise SchemeError("regexp: bad string:", string)
        match = compiled.search(string.text)
        if match is None:
            return FALSE
        return list_of([list_of(match.span(group)) for group in range(compiled.groups + 1)])

    return regexp


@primitive("rand-update", dialect="berkeley", example="(rand-update 7) → 1025555898")
def rand_update(x: Integer) -> int:
    """The random number that follows x, the same each time (SICP 3.1.2)."""
    return (1664525 * integer_of(real_of(x)) + 1013904223) % 2**32


@primitive("procedure-body", dialect="berkeley", example="(procedure-body (lambda (x) (* x x))) → (lambda (x) (* x x))")
def procedure_body(procedure: Procedure, *, definition_of: Callable[[Procedure], Value | None]) -> Value:
    """The lambda expression that the program has made a procedure with; #f for a standard procedure."""
    definition = definition_of(of_type(ProcedureType, procedure))
    return FALSE if definition is None else _lambda_of(definition)


def _lambda_of(definition: Value) -> Value:
    """The lambda expression in a definition of a procedure, or in a lambda of another kind."""
    if definition.car is LAMBDA or type(definition.cdr) is not Pair:
        return definition
    target, body = definition.cdr.car, definition.cdr.cdr
    if type(target) is not Pair:
        return _lambda_of(body.car)
    while type(target.car) is Pair:
        target, body = target.car, list_of([Pair(LAMBDA, Pair(target.cdr, body))])
    return Pair(LAMBDA, Pair(target.cdr, body))


@primitive("uncode", dialect="berkeley", example="(uncode '(+ 1 2)) → (+ 1 2)")
def uncode(code: Value, *, definition_of: Callable[[Procedure], Value | None]) -> Value:
    """Code as the list that it was read as: of a procedure its lambda expression, anything else as it is."""
    return procedure_body(code, definition_of=definition_of) if type(code) is ProcedureType else code


@primitive("repl-display-prompt", dialect="berkeley")
def display_prompt(module: Value = UNSPECIFIED, *, console: Console) -> Value:
    """Display the prompt."""
    console.output.write(console.prompt)
    return UNSPECIFIED


@primitive("%require", dialect="berkeley")
def require(filename: String, *, require_file: Callable[[str], None]) -> Value:
    """Load a file, unless it is there already."""
    require_file(filename.text)
    return UNSPECIFIED


@primitive("%provide", dialect="berkeley")
def provide(name: Value, *, context: Context) -> Value:
    """Say that a file is there already."""
    if type(name) is String:
        context.provided.add(name.text)
    return name
