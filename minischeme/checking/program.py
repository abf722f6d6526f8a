"""`Program`: what a text and the files that it loads define, found by expansion alone; nothing is evaluated."""

import re
from collections.abc import Iterable, Mapping
from types import FunctionType

from minischeme.checking.registry import Diagnostic
from minischeme.checking.toplevel import Toplevel
from minischeme.compiler.assumptions import EVALUATING, DirectCalls
from minischeme.data.errors import ReadError, SchemeError, UnfinishedInput
from minischeme.data.source import Source, Span
from minischeme.data.values import UNSPECIFIED, Pair, String, Symbol, Value, untraced
from minischeme.diagnosis.hints import ProgramNames
from minischeme.evaluation.namespaces import Namespace
from minischeme.expansion import core
from minischeme.expansion.core import Call, Constant, Define, Global, Lambda, Node, SetGlobal, Standard
from minischeme.expansion.forms import TABLE, hidden_forms, libraries, visible_forms
from minischeme.modules.files import is_built_in, resolve, text_of_file
from minischeme.modules.libraries import Libraries
from minischeme.reading.forms import Form
from minischeme.reading.reader import Reading
from minischeme.runtime.names import python_name
from minischeme.runtime.tail_calls import TailCall
from minischeme.session.session import Session

_LOAD = re.compile(r'^;+[ \t]*minischeme:[ \t]*load[ \t]+"?([^\s"]+)', re.MULTILINE)


class StaticNames(Namespace):
    """A namespace in which nothing is evaluated: the value of a variable is the expression that defines it."""

    def __init__(self, program: "Program") -> None:
        session = program.session
        hidden, shared = hidden_forms(session.dialect), (program.libraries, DirectCalls())
        super().__init__(session.library, TailCall(), TABLE, hidden, lambda unit: None, *shared)
        self.program = program
        self.definitions: dict[str, list[Define]] = {}
        self.assigned: set[str] = set()
        self.mentioned: set[str] = set()  # names that are defined in ways that are not followed
        self.is_open = False  # whether the program may define names that the text does not show
        if session.dialect == "berkeley":
            self.expander.on_malformed = program.report_error

    def run(self, form: Form) -> Value:
        """Expand a form and note what it defines; what it loads or imports is followed."""
        try:
            form = self.whole(form.span) if form.is_deferred else form
            toplevel = Toplevel(form, self.expander.toplevel(form), self)
            operator = toplevel.root.operator if isinstance(toplevel.root, Call) else None
            if isinstance(operator, Constant) and getattr(operator.value, "__module__", "") == libraries.__name__:
                operator.value()  # cond-expand, include, import or define-library
        except SchemeError as error:
            self.program.report_error(error)
            self.is_open = True
        else:
            self.note(toplevel)
            self.program.forms.append(toplevel)
        return UNSPECIFIED

    def run_core(self, root: Node, *, leaves_pending: bool = False) -> Value:
        """The procedure of a `define-macro`, or its expansion of a use, which is taken for an unknown constant."""
        if not isinstance(root, Call):
            return lambda *operands: UNSPECIFIED
        self.is_open = self.is_open or self.expander.state.depth < 2
        waiting = [operand.value for operand in root.operands if isinstance(operand, Constant)]
        seen: set[int] = set()  # the pairs: data may be circular
        while waiting:
            part = waiting.pop()
            if type(part) is Symbol:
                self.mentioned.add(part.name)
            elif type(part) is Pair and id(part) not in seen:
                seen.add(id(part))
                waiting += [part.car, part.cdr]
        return UNSPECIFIED

    def notification_after_set(self, name: str, span: Span) -> Node | None:
        return None

    def note(self, toplevel: Toplevel) -> None:
        """Note the names that a form defines and assigns, and the files that it loads."""
        for node in core.nodes(toplevel.root):
            match node:
                case Define(name=name):
                    self.definitions.setdefault(name, []).append(node)
                    self.globals[python_name(name)] = node.value
                case SetGlobal(name=name, value=value):
                    is_trace = type(value) is Call and type(value.operator) is Standard
                    self.assigned.update(() if is_trace else {name})
                case Call(
                    operator=Global(name="load") | Standard(name="%require"), operands=(Constant(value=name), *_)
                ):
                    if type(name) is String:
                        self.program.follow(name.text, node.span or toplevel.form.span)
                case Call(operator=Global(name="load")):
                    self.is_open = True
                case Global(name=name) if name in EVALUATING - {"load"} and python_name(name) not in self.globals:
                    self.is_open = True

    def own_names(self) -> set[str]:
        """The names that the text and the files that it loads define."""
        return self.definitions.keys() | self.expander.macros.keys()

    def is_bound(self, name: str) -> bool:
        return self.is_open or self.has_own(name) or self.is_standard(name) or name in self.mentioned

    def procedure(self, name: str) -> Lambda | FunctionType | None:
        """The procedure that a name surely means: a lambda of the program, or a function."""
        found = self.globals.get(python_name(name), self.library.get(python_name(name)))
        if name in self.assigned or name in self.mentioned:
            return None
        if isinstance(found, Lambda):
            return found if len(self.definitions.get(name, ())) == 1 else None
        return untraced(found) if type(found) is FunctionType else None


class Program:
    """A text with all that it loads: its forms, and the `problems` of those that can't be read or expanded.

    `edited` has the texts of files, by their paths, that are not saved yet.
    """

    def __init__(
        self,
        text: str,
        filename: str,
        session: Session,
        loads: Iterable[str] = (),
        edited: Mapping[str, str] | None = None,
    ) -> None:
        self.session, self.source, self._edited = session, Source(text, filename), edited or {}
        self.forms: list[Toplevel] = []
        self.problems: list[Diagnostic] = []
        is_berkeley, everything = session.dialect == "berkeley", session.main.libraries.names
        self.libraries = Libraries(lambda: StaticNames(self), lambda text: None, everything, is_berkeley)
        self._followed: set[str] = set()
        self.names = names = StaticNames(self)
        names.globals.update((key, value) for key, value in session.globals.items() if key != "__builtins__")
        names.expander.macros.update(session.main.expander.macros)
        importable = () if is_berkeley else self.libraries.everything
        self.known = ProgramNames(names.globals, session.library, visible_forms(session.dialect), importable, {})
        for name in (*loads, *_LOAD.findall(text)):
            self.follow(name, Span(self.source, 0, 0))
        self._read(self.source)
        self._expand_again()

    def _read(self, source: Source) -> None:
        stray: list[Span] = []
        reading = Reading(source, fold_case=self.session.dialect == "berkeley", on_stray=stray.append)
        while True:
            try:
                for form in reading:
                    self.names.run(form)
                break
            except ReadError as error:
                self.report_error(error)
                self.names.is_open = True
                if isinstance(error, UnfinishedInput) and error.next_form is not None:
                    reading.go_on_at(error.next_form)
        for span in stray:
            self.report_error(ReadError("read: unexpected close parenthesis", span=span, hint="it closes nothing"))

    def follow(self, name: str, span: Span) -> None:
        """Note what a file defines that a load names."""
        path = resolve(name, loading=span.source.name)
        if path in self._followed:
            return
        try:
            source = Source(self._edited.get(path or "") or text_of_file(name, path, "load: "), path or name)
        except SchemeError as error:
            error.span, self.names.is_open = span, True
            self.report_error(error)
            return
        self._followed.add(source.name)
        if not is_built_in(source.name, source.text):
            self._read(source)

    def _expand_again(self) -> None:
        """Expand the forms again, which may use a macro, or hide a special form, that is defined only after them."""
        for toplevel in self.forms:
            toplevel.names.definitions.clear()
        for toplevel in self.forms:
            try:
                toplevel.root = toplevel.names.expander.toplevel(toplevel.form)
            except SchemeError as error:
                self.report_error(error)
            toplevel.names.note(toplevel)

    def report_error(self, error: SchemeError) -> None:
        """Report the error of a form that can't be read or expanded."""
        is_missing = error.message.startswith(("load:", "import:", "include"))
        rule = "read" if isinstance(error, ReadError) else "load" if is_missing else "syntax"
        span = error.span or Span(self.source, 0, 0)
        if span.source is self.source:
            self.problems.append(Diagnostic(span, rule, str(error), error.hint))

    def own_forms(self) -> list[Toplevel]:
        """The forms of the checked text itself."""
        return [toplevel for toplevel in self.forms if toplevel.form.span.source is self.source]
