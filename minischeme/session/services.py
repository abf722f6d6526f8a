"""`Services`: the functions of a session that its standard procedures use."""

from collections.abc import Callable, Iterable
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


class Services:
    """Functions of a session, each of which a standard procedure gets by its name as a keyword-only parameter."""

    def __init__(self, session: "Session", namespace_with: Callable[[list[Value]], Namespace]) -> None:
        self._session = session  # a weak reference
        self._namespace_with = namespace_with  # makes a namespace with what import sets name

    def by_name(self) -> dict[str, Any]:
        """The functions by the names of the parameters."""
        return {name: getattr(self, name) for name in vars(Services) if not name.startswith("_") and name != "by_name"}

    @transparent
    def eval_datum(
        self, datum: Value, environment: Environment | None = None, *, leaves_pending: bool = False
    ) -> Value:
        """The value of an expression given as data, in an environment or the program's own; maybe a pending call's."""
        return self._namespace_of(environment).run_datum(datum, leaves_pending=leaves_pending)

    def _namespace_of(self, environment: Environment | None) -> Namespace:
        return (environment.namespace if environment is not None else None) or self._session.main

    def environment_with(self, import_sets: Iterable[Value]) -> Environment:
        """A new environment with what import sets name."""
        return Environment(self._namespace_with(list(import_sets)))

    def binds(self, environment: Environment, name: str) -> bool:
        """Whether a name has a value in an environment, a program's own or the library's."""
        return self._namespace_of(environment).has_own(name) or python_name(name) in self._session.library

    def load_file(self, name: str) -> None:
        self._session.loader.load(name)

    def require_file(self, name: str) -> None:
        self._session.loader.require(name)

    def restore(self, name: str) -> None:
        """Forget the program's binding of a library name, if it is the library's own value again."""
        self._session.main.restore(name)

    def explain(self, exception: BaseException) -> SchemeError:
        """The Scheme error that a Python exception stands for."""
        return self._session.diagnose(exception)

    def naming_expression(self, value: Value) -> Value:
        """A value for an error message: a procedure as its name, or as the call that has made it."""
        return naming_expression(value, self._session.globals)

    def source_of(self, procedure: Procedure) -> str | None:
        """The text of a procedure's definition; None for one of the library."""
        span = definition_span(procedure)
        return span.text if span is not None else None

    def definition_of(self, procedure: Procedure) -> Value | None:
        """A procedure's definition as it was read; None for one of the library."""
        text = self.source_of(procedure)
        if text is None:
            return None
        return next(read(Source(text, "<definition>"), fold_case=self._session.dialect == "berkeley")).datum

    def class_definition(self, name: Symbol) -> Value:
        """The expansion of the definition of a class by define-class."""
        value = self._session.globals.get(python_name(name.name))
        definition = self.definition_of(value) if type(value) is Procedure else None
        expander = self._session.main.expander
        if definition is None or not expander.is_form(definition, "define-class", Scope()):
            raise SchemeError("show-class: not a class:", name)
        return translation(expander, definition, Span(Source("", "<class>"), 0, 0))

    def start_recording(self, name: str) -> None:
        self._session.prompt.recording.start(name)

    def stop_recording(self) -> None:
        self._session.prompt.recording.stop()
