"""`Program`: what a text and the files that it loads define, found by expansion alone; nothing is evaluated."""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from types import FunctionType
from typing import Any

from minischeme.checking.registry import Diagnostic
from minischeme.compiler.assumptions import EVALUATING, DirectCalls
from minischeme.data.errors import ReadError, SchemeError, ScmSyntaxError, UnfinishedInput
from minischeme.data.source import Source, Span
from minischeme.data.values import UNSPECIFIED, Pair, String, Symbol, Value, untraced
from minischeme.diagnosis.hints import ProgramNames
from minischeme.evaluation.namespaces import Namespace
from minischeme.expansion import core
from minischeme.expansion.core import Call, Constant, Define, Global, Lambda, Node, SetGlobal, Standard, Variable
from minischeme.expansion.forms import TABLE, hidden_forms, libraries, visible_forms
from minischeme.expansion.lists import cells
from minischeme.modules.files import is_built_in, resolve, source_text
from minischeme.modules.libraries import Libraries
from minischeme.reading.forms import Form
from minischeme.reading.reader import Reading
from minischeme.runtime.names import python_name
from minischeme.runtime.tail_calls import TailCall
from minischeme.session.session import Session


class Toplevel:
    """A form of the checked text or of a file that it loads, expanded in a namespace."""

    def __init__(self, form: Form, root: Node, names: "StaticNames", asked: set[str]) -> None:
        self.form, self.root, self.names, self.asked = form, root, names, asked

    def nodes(self) -> Iterator[Node]:
        """All expressions, and those of the procedures of macros."""
        return core.nodes(self.root)

    def guarded_nodes(self) -> Iterator[Node]:
        """The expressions whose errors the program handles, such as tests of errors."""
        for node in self.nodes():
            if type(node) is Call and type(node.operator) is Standard and node.operator.name == "%guard":
                yield from core.nodes(node.operands[0])

    @cached_property
    def parents(self) -> dict[Node, Node]:
        """The expression around each part."""
        return core.parents(self.root)

    @cached_property
    def lambdas(self) -> dict[Variable, Lambda]:
        """The procedures of local variables."""
        return core.bound_lambdas(self.root)


class StaticNames(Namespace):
    """A namespace in which nothing is evaluated: the value of a variable is the expression that defines it."""

    def __init__(self, program: "Program") -> None:
        session = program.session
        hidden, shared = hidden_forms(session.dialect), (program.libraries, DirectCalls())
        super().__init__(session.library, TailCall(), TABLE, hidden, lambda unit: None, *shared)
        self.program = program
        self.definitions: dict[str, list[Define]] = {}
        self.assigned: set[str] = set()
        self.mentioned: set[str] = set()  # names in uses of procedural macros, which may define them
        self.is_open = False  # whether the program may define names that the text does not show
        if session.dialect == "berkeley":
            self.expander.on_malformed = program.report_error

    def run(self, form: Form) -> Value:
        """Expand a form and note what it defines; what it would load or import is followed."""
        asked: set[str] = set()
        try:
            root = self.expander.toplevel(form, asked=asked)
            if type(root) is Call and type(root.operator) is Constant:
                action = root.operator.value
                if getattr(action, "__module__", "") == libraries.__name__:
                    action()  # of cond-expand, include, import or define-library
        except SchemeError as error:
            self.program.report_error(error)
            self._note_names_in(form)
            return UNSPECIFIED
        for node in core.nodes(root):
            if type(node) in _NOTED:
                self._note(node, form)
        self.program.forms.append(Toplevel(form, root, self, asked))
        return UNSPECIFIED

    def run_core(self, root: Node, *, leaves_pending: bool = False) -> Value:
        """The procedure of a `define-macro`, or its expansion of a use, which is taken for an unknown constant."""
        if type(root) is Call:
            self.is_open = self.is_open or self.expander.state.depth < 2
            for operand in root.operands:
                self._mention(operand.value if type(operand) is Constant else UNSPECIFIED)
        return UNSPECIFIED if type(root) is Call else _as_macro

    def notification_after_set(self, name: str, span: Span) -> Node | None:
        return None

    def _note(self, node: Node, form: Form) -> None:
        match node:
            case Define(name=name):
                self.definitions.setdefault(name, []).append(node)
                self.globals[python_name(name)] = node.value
            case SetGlobal(name=name, value=value):
                is_trace = type(value) is Call and type(value.operator) is Standard
                self.assigned.update(() if is_trace else {name})
            case Call(operator=Global(name="load") | Standard(name="%require"), operands=(operand, *_)):
                if type(operand) is Constant and type(operand.value) is String:
                    self.program.follow(operand.value.text, node.span or form.span)
                else:
                    self.is_open = True
            case Global(name=name) if name in EVALUATING - {"load"} and python_name(name) not in self.globals:
                self.is_open = True

    def _note_names_in(self, form: Form) -> None:
        self.is_open = True
        self._mention(form.datum.cdr if type(form.datum) is Pair else form.datum)

    def _mention(self, datum: Value) -> None:
        waiting = [datum]
        while waiting:
            part = waiting.pop()
            if type(part) is Symbol:
                self.mentioned.add(part.name)
            elif type(part) is Pair:
                found = cells(part)
                waiting += [cell.car for cell in found] + [found[-1].cdr]

    # ── what names mean ──────────────────────────────────────────────────────────────────────────────────────────

    def own_names(self) -> set[str]:
        """The names that the text and the files that it loads define."""
        return self.definitions.keys() | self.expander.macros.keys()

    def is_bound(self, name: str) -> bool:
        return self.is_open or self.has_own(name) or self.is_standard(name) or name in self.mentioned

    def procedure(self, operator: Node) -> Lambda | FunctionType | None:
        """The procedure that an operator surely names: a lambda of the program, or a standard procedure."""
        if type(operator) is Lambda:
            return operator
        if type(operator) is not Global or operator.name in self.assigned or operator.name in self.mentioned:
            return None
        found = self.globals.get(python_name(operator.name), self.library.get(python_name(operator.name)))
        defined = self.definitions.get(operator.name, ())
        if type(found) is Lambda:
            return found if len(defined) == 1 else None
        return untraced(found) if type(found) is FunctionType else None


class Program:
    """A text with all that it loads.

    `forms` are those that can be expanded, in order; `problems` are the errors of the others. `read` gives the text of
    a file that is loaded.
    """

    def __init__(
        self,
        text: str,
        filename: str,
        session: Session,
        loads: Iterable[str] = (),
        read: Callable[[str], str] = source_text,
    ) -> None:
        self._text_of = read
        self.session = session
        self.forms: list[Toplevel] = []
        self.problems: list[Diagnostic] = []
        everything = session.main.libraries.names
        self.libraries = Libraries(
            lambda: StaticNames(self), lambda text: None, everything, session.dialect == "berkeley"
        )
        self._files: list[str] = []
        self._followed: set[str] = set()
        self.names = StaticNames(self)
        self.names.globals.update((key, value) for key, value in session.globals.items() if key != "__builtins__")
        self.names.expander.macros.update(session.main.expander.macros)
        importable = self.libraries.everything if session.dialect == "r7rs" else ()
        forms = visible_forms(session.dialect)
        self.known = ProgramNames(self.names.globals, session.library, forms, importable, {})
        self.source = Source(text, filename)
        for name in loads:
            self.follow(name, Span(self.source, 0, 0))
        self._read(self.source)
        self._expand_again()

    def _read(self, source: Source) -> None:
        self._files.append(source.name)
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
            self.report(Diagnostic(span, "read", "read: unexpected close parenthesis", "it closes nothing"))
        self._files.pop()

    def follow(self, name: str, span: Span) -> None:
        """Note what a file defines that a load names."""
        path = resolve(name, loading=self._files[-1] if self._files else self.source.name)
        try:
            text = self._text_of(path) if path is not None else ""
        except (OSError, UnicodeDecodeError):
            path = None
        if path is None:
            self.names.is_open = True
            self.report(Diagnostic(span, "load", f'load: cannot open file: "{name}"'))
        elif path not in self._followed and not is_built_in(path, text):
            self._followed.add(path)
            self._read(Source(text, path))

    def _expand_again(self) -> None:
        """Expand the forms again that use a macro, or hide a special form, defined only after them."""
        late: set[str] = set()
        for toplevel in reversed(self.forms):
            if toplevel.form.span.source is not self.source:
                continue
            if not late.isdisjoint(toplevel.asked):
                try:
                    toplevel.root = toplevel.names.expander.toplevel(toplevel.form)
                except SchemeError as error:
                    self.report_error(error)
            datum = toplevel.form.datum
            form = TABLE.get(datum.car.name) if type(datum) is Pair and type(datum.car) is Symbol else None
            if form is not None and form.name == "define-syntax":
                late.add(datum.cdr.car.name)
            late |= {node.name for node in core.nodes(toplevel.root) if type(node) is Define and node.name in TABLE}

    def report(self, diagnostic: Diagnostic) -> None:
        if diagnostic.span.source is self.source:
            self.problems.append(diagnostic)

    def report_error(self, error: SchemeError) -> None:
        """Report the error of a form that can't be read or expanded."""
        rule = "syntax" if isinstance(error, ScmSyntaxError) else "read" if isinstance(error, ReadError) else "load"
        self.report(Diagnostic(error.span or Span(self.source, 0, 0), rule, str(error), error.hint))

    def own_forms(self) -> Iterator[Toplevel]:
        """The forms of the checked text itself."""
        return (toplevel for toplevel in self.forms if toplevel.form.span.source is self.source)


_NOTED = {Define, SetGlobal, Call, Global}


def _as_macro(*_operands: Any) -> Value:
    """The stand-in for the procedure of a macro."""
    return UNSPECIFIED
