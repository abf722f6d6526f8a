"""The functions of a session that its standard procedures use."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from minischeme.data.errors import SchemeError
from minischeme.data.source import Source, Span
from minischeme.data.values import Environment, Procedure, Symbol, Value
from minischeme.evaluation.namespaces import Namespace
from minischeme.evaluation.procedures import definition_span, naming_expression
from minischeme.expansion.forms.objects import translation
from minischeme.expansion.scopes import Scope
from minischeme.reading.reader import read
from minischeme.runtime.names import python_name
from minischeme.runtime.resumption import transparent

if TYPE_CHECKING:
    from minischeme.session.session import Session


def services(session: "Session") -> dict[str, Any]:
    """The functions of a session, given by a weak reference, by the keyword-only parameters that get them."""

    @transparent
    def eval_datum(datum: Value, environment: Environment | None = None, *, leaves_pending: bool = False) -> Value:
        return namespace_of(environment).run_datum(datum, leaves_pending=leaves_pending)

    def namespace_of(environment: Environment | None) -> Namespace:
        return (environment.namespace if environment is not None else None) or session.main

    def environment_with(import_sets: Iterable[Value]) -> Environment:
        libraries = session.main.libraries
        namespace = libraries.make_namespace()
        for import_set in import_sets:
            libraries.bind(import_set, namespace, None)
        return Environment(namespace)

    def binds(environment: Environment, name: str) -> bool:
        """Whether a name has a value in an environment, a program's own or the library's."""
        return namespace_of(environment).has_own(name) or python_name(name) in session.library

    def source_of(procedure: Procedure) -> str | None:
        """The text of a procedure's definition; None for one of the library."""
        span = definition_span(procedure)
        return span.text if span is not None else None

    def definition_of(procedure: Procedure) -> Value | None:
        """A procedure's definition as it was read; None for one of the library."""
        text = source_of(procedure)
        if text is None:
            return None
        return next(read(Source(text, "<definition>"), fold_case=session.dialect == "berkeley")).datum

    def class_definition(name: Symbol) -> Value:
        """The expansion of the definition of a class by define-class."""
        value = session.globals.get(python_name(name.name))
        definition = definition_of(value) if type(value) is Procedure else None
        expander = session.main.expander
        if definition is None or not expander.is_form(definition, "define-class", Scope()):
            raise SchemeError("show-class: not a class:", name)
        return translation(expander, definition, Span(Source("", "<class>"), 0, 0))

    def draw_values(values: Sequence[Value]) -> None:
        from minischeme.drawing.picture import draw  # here, since few programs draw

        draw(session.output, values, bindings=session.globals)

    return {
        "eval_datum": eval_datum,
        "environment_with": environment_with,
        "binds": binds,
        "source_of": source_of,
        "definition_of": definition_of,
        "class_definition": class_definition,
        "odds": _odds,
        "draw_values": draw_values,
        "naming_expression": lambda value: naming_expression(value, session.globals),
        "explain": lambda exception: session.diagnose(exception),
        "restore": lambda name: session.main.restore(name),
        "load_file": lambda name: session.loader.load(name),
        "require_file": lambda name: session.loader.require(name),
        "start_recording": lambda name: session.prompt.recording.start(name),
        "stop_recording": lambda: session.prompt.recording.stop(),
    }


def _odds(name: str, *arguments: Any) -> Value:
    """The value of a function of `minischeme.odds.procedures`."""
    from minischeme.odds import procedures  # here, since few programs need it

    value: Value = getattr(procedures, name)(*arguments)
    return value
