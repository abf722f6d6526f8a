"""`Session`: a running Scheme. It owns all state: globals, library, random numbers, ports.

The pipeline from data to value is `namespaces.Namespace.run`. Errors become `SchemeError` in one place, here.
"""

from __future__ import annotations

import io
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from random import Random
from types import MethodType
from typing import TYPE_CHECKING, Any, TextIO

import msgspec

from minischeme import primitives
from minischeme.compiler.assembly import Unit, info_of
from minischeme.compiler.assumptions import DirectCalls
from minischeme.data.errors import FileError, Interrupted, SchemeError, ScmSyntaxError, UnfinishedInput, report, warning
from minischeme.data.printer import symbols_fold, write
from minischeme.data.source import Source, Span
from minischeme.data.values import (
    UNSPECIFIED,
    Environment,
    HashTable,
    Procedure,
    String,
    Symbol,
    Value,
    strings_are_numbers,
)
from minischeme.data.wrapping import wrapped
from minischeme.evaluation.continuations import Continuations
from minischeme.evaluation.namespaces import Namespace
from minischeme.evaluation.procedures import definition_of, naming_expression, untraced
from minischeme.expansion.core import Node
from minischeme.expansion.forms import TABLE, hidden_forms
from minischeme.expansion.forms.objects import translation
from minischeme.expansion.scopes import Aliases, Macro, Scope, SpecialForm
from minischeme.modules.files import is_built_in, resolve, source_text
from minischeme.modules.libraries import Libraries
from minischeme.primitives.hash_tables import words_key
from minischeme.primitives.registry import DIALECTS
from minischeme.reading.forms import Form
from minischeme.reading.reader import Reading
from minischeme.runtime.context import Context
from minischeme.runtime.dynamic_state import DynamicState
from minischeme.runtime.names import python_name, scheme_name
from minischeme.runtime.ports import Console, InputPort, OutputPort
from minischeme.runtime.random_source import RandomSource
from minischeme.runtime.recursion import with_deep_recursion
from minischeme.runtime.resumption import transparent
from minischeme.runtime.sentence_sharing import Sentences
from minischeme.runtime.tail_calls import TailCall
from minischeme.session.recorder import (
    Item,
    OpenTranscript,
    Recorder,
    adds_to,
    open_transcript,
    read_prompts,
    what_was_loaded,
)
from minischeme.session.trace import Tracer

if TYPE_CHECKING:
    from minischeme.diagnosis.program import Program

_RESERVED = 4 << 20
"""Bytes that are given up when memory runs out, so that an error can tell where."""


class Interaction(msgspec.Struct, frozen=True):
    """One form that was evaluated as at the prompt.

    Args: source: the form as written. output: all that the prompt shows for it: what it printed, then its value or
    error. error: the error that ended it, if any.
    """

    source: str
    output: str
    error: SchemeError | None


class Session:
    """A Scheme with its own definitions, random numbers and ports.

    Args: dialect: ``berkeley``, or ``r7rs`` for the plain standard. seed: starts the random numbers, for a run that can
    be repeated. output: the text stream that programs print to, standard output if None. input: the text stream that
    they read from, standard input if None.

    `context` is the state that standard procedures use; `show_python`, if set, is given the Python of each form,
    `value_shown` each form at the prompt with its value; `error_text` makes the text of an error that the prompt shows,
    for a terminal's width; `show_warning`, if set, takes the text of a warning, which else is printed like other notes;
    `last_error` is the last error of a program that was shown; `entries` are what was typed at the prompt, each with
    whether it went without an error; `vi_keys` asks for the keys of vi there; `recorder` writes a transcript while it
    is on, to the file that `open_transcript` opens; `load` looks in `folder` first, if there is one, and asks
    `find_elsewhere` last; `loaded` has the text of each file that was loaded from the prompt, the last one last.
    """

    def __init__(
        self,
        dialect: str = "berkeley",
        seed: int | None = None,
        output: TextIO | None = None,
        input: TextIO | None = None,
    ) -> None:
        if dialect not in DIALECTS:
            raise ValueError(f"no such dialect: {dialect!r} (there are {', '.join(DIALECTS)})")
        self.dialect = dialect
        self._seed = Random().getrandbits(32) if seed is None else seed
        self.chance = RandomSource(Random(self._seed))
        self.console = Console(
            dialect,
            OutputPort(sys.stdout if output is None else output),
            InputPort((sys.stdin if input is None else input).readline),
        )
        self.show_python: Callable[[str], None] | None = None
        self.value_shown: Callable[[Form, Value], None] | None = None
        self.error_text: Callable[[SchemeError, int | None], str] = report
        self.show_warning: Callable[[str], None] | None = None
        self.last_error: SchemeError | None = None
        self.entries: list[tuple[str, bool]] = []
        self.vi_keys = False
        self.recorder: Recorder | None = None
        self.open_transcript: OpenTranscript = open_transcript
        self.folder: Path | None = None
        self.find_elsewhere: Callable[[str], Path | None] = lambda name: None
        self.loaded: dict[Path, str] = {}
        self._partly_loaded: set[Path] = set()
        self._typed_names: set[str] = set()
        self._loaded_macros: set[str] = set()
        self._evaluating = False
        self.tail_call = TailCall()
        self.dynamic = DynamicState(self.tail_call)
        self.sentences = Sentences()
        self.context = Context(
            self.console,
            self.chance,
            self.dynamic,
            strings_are_numbers=dialect == "berkeley",
            operations=HashTable(words_key),
            coercions=HashTable(words_key),
        )
        self._direct_calls = DirectCalls()
        self.library: dict[str, Value] = {}
        self._namespaces: weakref.WeakValueDictionary[int, Namespace] = weakref.WeakValueDictionary()
        self.continuations = Continuations(self.library, self.tail_call, self.dynamic, self._namespaces)
        self.tracer = Tracer(weakref.proxy(self))
        self.library.update(primitives.library(dialect, **self._parts_for_primitives()))
        self._aliases: Aliases = weakref.WeakKeyDictionary()
        self.libraries = Libraries(
            self.namespace,
            self._note,
            lambda: {scheme_name(key) for key in self.library if not key.startswith("'%")} | TABLE.keys(),
            fold_case=dialect == "berkeley",
        )
        self.main = self.namespace()
        self.globals = self.main.globals
        self._expander = self.main.expander
        self._loading: list[Path] = []
        self._reserve = b""

    def _parts_for_primitives(self) -> dict[str, Any]:
        """What standard procedures get for their keyword-only parameters.

        The library refers to its session weakly: the collector can't see into code, which holds library procedures.
        """
        session = weakref.proxy(self)
        functions: dict[str, Callable[..., Any]] = {
            "eval_datum": Session.eval_datum,
            "load_file": Session.load,
            "require_file": Session.require,
            "environment_with": Session._environment_with,
            "binds": Session._binds,
            "restore": Session.restore,
            "explain": Session.explain,
            "naming_expression": Session.naming_expression,
            "source_of": Session.source_of,
            "definition_of": Session.definition_of,
            "class_definition": Session.class_definition,
            "start_recording": Session.start_recording,
            "stop_recording": Session.stop_recording,
        }
        return {
            "context": self.context,
            "console": self.console,
            "chance": self.chance,
            "dynamic": self.dynamic,
            "tail": self.tail_call,
            "sentences": self.sentences,
            "continuations": weakref.proxy(self.continuations),
            "tracer": weakref.proxy(self.tracer),
            **{name: MethodType(function, session) for name, function in functions.items()},
        }

    # ── outside ──────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def random(self) -> Random:
        """Where the random numbers come from."""
        return self.chance.random

    @random.setter
    def random(self, source: Random) -> None:
        self.chance.replace(source)

    @property
    def output(self) -> OutputPort:
        """Where a program prints to that names no port."""
        return self.console.output

    @output.setter
    def output(self, port: OutputPort) -> None:
        self.console.output = port

    @property
    def error_output(self) -> OutputPort:
        return self.console.error_output

    @error_output.setter
    def error_output(self, port: OutputPort) -> None:
        self.console.error_output = port

    @property
    def input(self) -> InputPort:
        """Where a program reads from that names no port."""
        return self.console.input

    @input.setter
    def input(self, port: InputPort) -> None:
        self.console.input = port

    # ── evaluating ───────────────────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def forms(self) -> dict[str, SpecialForm]:
        """The special forms that programs can use without an import, by name."""
        return {name: form for name, form in TABLE.items() if name not in hidden_forms(self.dialect)}

    def eval(self, text: str, name: str = "<eval>") -> Value:
        """The value of the last form of a text.

        Args: text: Scheme. name: what errors call the text.
        Raises: SchemeError; SchemeExit if the text calls `exit`. KeyboardInterrupt is let through: after Ctrl-C the
        session can be used as before.
        """
        return self._guarded(lambda: self._run_all(Source(text, name)))

    def call(self, procedure: Value, *arguments: Value) -> Value:
        """The value of a call of a Scheme procedure, such as one that `eval` gave.

        Raises: SchemeError, also for what is no procedure; SchemeExit if the procedure calls `exit`.
        """

        def run() -> Value:
            self.tail_call.procedure = procedure
            self.tail_call.arguments = arguments
            return self.continuations.run_toplevel(self.tail_call.run)

        return self._guarded(run)

    def load(self, name: str | Path) -> None:
        """Run a file: beside the one that is loading, in the current folder, or in the library.

        Raises: SchemeError. What the file defined before an error stays defined.
        """
        beside = self.folder / "prompt" if self.folder is not None else None
        path = resolve(str(name), loading=self._loading[-1] if self._loading else beside)
        if path is None:
            path = self.find_elsewhere(str(name))
        if path is None:
            raise FileError("load: cannot open file:", String(str(name)))
        try:
            text = source_text(path)
        except (OSError, UnicodeDecodeError) as error:
            raise FileError("load: cannot read file:", String(str(name))) from error
        if self.dialect == "berkeley" and is_built_in(path, text):
            return
        if not self._loading:
            self.loaded.pop(path, None)
            self.loaded[path] = text
            self._partly_loaded.add(path)
        self._loading.append(path)
        typed_macros = self.macros.keys() - self._loaded_macros
        try:
            self._guarded(lambda: self._run_all(Source(text, str(path))))
            self._partly_loaded.discard(path)
        finally:
            self._loading.pop()
            self._loaded_macros |= self.macros.keys() - typed_macros

    def require(self, name: str) -> None:
        """Load a file, unless it was required or provided before.

        Raises: SchemeError.
        """
        if name in self.context.provided:
            return
        self.context.provided.add(name)
        try:
            self.load(name)
        except SchemeError as error:
            self.context.provided.discard(name)
            if error.span is None:
                error.message = error.message.replace("load:", "require:", 1)
            raise

    def run(self, form: Form) -> Value:
        """Evaluate a form that was read: the whole pipeline, from data to value."""
        return self.continuations.run_toplevel(self.main.run, form)

    def expansion(self, form: Form) -> Node:
        """The core that a form becomes, without evaluating it; a macro that it defines is not kept.

        Raises: SchemeError.
        """
        macros = self._expander.macros
        before = dict(macros)
        try:
            root: Node = self._guarded(lambda: self._expander.toplevel(form))
            return root
        finally:
            macros.clear()
            macros.update(before)
            self._expander.new_macros.clear()

    def python_text(self, root: Node) -> str:
        """The Python that a core expression becomes, for people to read."""
        return self.main.unit(root).python_text()

    def source_of(self, procedure: Procedure) -> str | None:
        """The text of a procedure's definition; None for one of the library."""
        origin = info_of(untraced(procedure).__code__)
        place = definition_of(origin) if origin is not None else None
        return place.text if place is not None else None

    def class_definition(self, name: Symbol) -> Value:
        """What the definition of a class by define-class is short for.

        Raises: SchemeError if there is no such class.
        """
        value = self.globals.get(python_name(name.name))
        definition = self.definition_of(value) if type(value) is Procedure else None
        if definition is None or not self._expander.is_form(definition, "define-class", Scope()):
            raise SchemeError("show-class: not a class:", name)
        return translation(self._expander, definition, Span(Source("", "<class>"), 0, 0))

    def definition_of(self, procedure: Procedure) -> Value | None:
        """A procedure's definition as it was read; None for one of the library."""
        text = self.source_of(procedure)
        return None if text is None else next(self._forms(Source(text, "<definition>"))).datum

    def run_core(self, root: Node) -> Value:
        """Evaluate a core expression."""
        return self.main.run_core(root)

    @transparent
    def eval_datum(
        self, datum: Value, environment: Environment | None = None, *, leaves_pending: bool = False
    ) -> Value:
        """The value of an expression that is given as data, in an environment or else in the program's own.

        Args: leaves_pending: whether a call in tail position of it may be left pending.
        """
        namespace = self.main if environment is None else environment.namespace or self.main
        return namespace.run_datum(datum, leaves_pending=leaves_pending)

    def _environment_with(self, import_sets: Iterable[Value]) -> Environment:
        """A new environment with what import sets name."""
        namespace = self.namespace()
        for import_set in import_sets:
            self.libraries.bind(import_set, namespace, None)
        return Environment(namespace)

    def _binds(self, environment: Environment, name: str) -> bool:
        """Whether a name has a value in an environment, a program's own or the library's."""
        namespace = environment.namespace or self.main
        return namespace.has_own(name) or python_name(name) in self.library

    def naming_expression(self, value: Value) -> Value:
        """What to call a value, if that is a procedure: its name, or the call that has made it."""
        return naming_expression(value, self.globals)

    @property
    def macros(self) -> Mapping[str, Macro | SpecialForm]:
        """The program's own macros, and the special forms that it has imported, by name."""
        return self._expander.macros

    def define(self, name: str, value: Value) -> None:
        """Bind a global, as ``define`` at the prompt does."""
        self.main.define(name, value)

    def restore(self, name: str) -> None:
        """Forget the program's binding of a library name, if it is the library's own value again."""
        self.main.restore(name)

    def _run_all(self, source: Source) -> Value:
        """The value of the last form of a text."""
        value: Value = UNSPECIFIED
        self.sentences.stop_sharing_for(source.text)
        with self.continuations.reader_scope():
            for form in self._forms(source):
                value = self.run(form)
        return value

    def _forms(self, source: Source) -> Iterator[Form]:
        return Reading(source, fold_case=self.dialect == "berkeley", on_stray=self.note_stray)

    def note_stray(self, span: Span) -> None:
        """Tell of a superfluous closing bracket."""
        self._note(f"read: unexpected close parenthesis, ignored, at {span}")

    def _note(self, text: str) -> None:
        self.output.fresh_line()
        self.output.write(wrapped(f";; {text}\n", self.output.width))

    def _warn(self, error: ScmSyntaxError) -> None:
        """Tell of a malformed form that is an error only when it is evaluated."""
        with self.settings():
            text = warning(error, self.output.width)
        if self.show_warning is not None:
            self.show_warning(text)
        else:
            self.output.fresh_line()
            self.output.write(text + "\n")

    def _note_unit(self, unit: Unit) -> None:
        if unit.changes_pairs:
            self.sentences.stop_sharing()
        if self.main.is_defining_again:
            pass
        elif self._loading:
            self._typed_names -= unit.summary.rebinds
        else:
            self._typed_names |= unit.summary.rebinds
        if self.show_python is not None:
            with self._uncopied():
                self.show_python(unit.python_text())

    def namespace(self) -> Namespace:
        """A fresh one, with nothing but the library."""
        namespace = Namespace(
            self.library,
            self.tail_call,
            TABLE,
            hidden_forms(self.dialect),
            self._aliases,
            self._note_unit,
            self.libraries,
            self._direct_calls,
        )
        if self.dialect == "berkeley":
            namespace.expander.on_malformed, namespace.expander.explain = self._warn, self.explain
        self._namespaces[id(namespace.globals)] = namespace
        return namespace

    def _guarded(self, thunk: Callable[[], Value]) -> Value:
        """Run with this session's settings and room for recursion; what a program did wrong becomes a SchemeError."""
        is_outermost = self.dynamic.handlers is None and self.dynamic.winds is None
        if not self._reserve:
            with suppress(MemoryError):
                self._reserve = bytes(_RESERVED)
        with self.settings():
            try:
                return with_deep_recursion(thunk, self.main.largest_frame)
            except OSError:  # the output is closed or full: not the program's doing
                raise
            except Exception as exception:
                error = self.explain(exception).with_traceback(None)
            finally:
                self.tail_call.forget()
                if is_outermost:
                    self.dynamic.forget()
        error.__context__ = None
        raise error  # out here, so that it does not keep the frames of the run, of which there may be millions

    @contextmanager
    def settings(self) -> Iterator[None]:
        """Have values treated and written inside the ``with`` as this session's dialect says."""
        numbers = strings_are_numbers.set(self.context.strings_are_numbers)
        fold = symbols_fold.set(self.dialect == "berkeley")
        try:
            yield
        finally:
            strings_are_numbers.reset(numbers)
            symbols_fold.reset(fold)

    def explain(self, exception: BaseException) -> SchemeError:
        """The Scheme error that a Python exception from a run stands for.

        Raises: the exception itself, if it is a bug of ours.
        """
        self._reserve = b""
        try:
            from minischeme.diagnosis.explain import diagnose  # here: runs without errors start faster

            error: SchemeError = with_deep_recursion(lambda: diagnose(exception, self._program))
            return error
        except MemoryError:  # what the run holds leaves no room to tell where it was
            return SchemeError("out of memory")

    @cached_property
    def _program(self) -> Program:
        from minischeme.diagnosis.program import Program

        importable = self.libraries.everything if self.dialect == "r7rs" else ()
        return Program(self.globals, self.library, self.forms, importable, self.main.earlier)

    # ── as at the prompt ─────────────────────────────────────────────────────────────────────────────────────────

    def interact(self, text: str, name: str = "<prompt>") -> Iterator[Interaction]:
        """Evaluate the forms of a text in turn, each as if typed at the prompt; errors do not stop it.

        Args: text: Scheme. name: what errors call the text.
        Raises: SchemeExit if the text calls `exit`.
        """
        output = ""
        for line, items in read_prompts(Source(text, name).text, name, fold_case=self.dialect == "berkeley"):
            unnoted = line
            for item in items:
                with self._captured() as captured, self._recorded(unnoted):
                    error = self._show(item)
                unnoted, output = "", output + captured.getvalue()
                if not isinstance(item, Span):
                    yield Interaction(item.span.text if item.span is not None else "", output, error)
                    output = ""

    def evaluate_and_print(self, text: str, name: str = "<prompt>", *, ended: bool = False) -> bool:
        """Evaluate the forms of a text in turn and print what the prompt shows; False if there was an error.

        Args: ended: whether no more lines will follow, so that an unfinished form is an error like others.
        Raises: UnfinishedInput, before anything is evaluated, if the text ends inside a form. SchemeExit.
        """
        text = Source(text, name).text
        prompts = list(read_prompts(text, name, fold_case=self.dialect == "berkeley", ended=ended))
        last = prompts[-1][1][-1:] if prompts else []
        if not ended and last and isinstance(last[0], UnfinishedInput):
            raise last[0]
        first = len(self.entries)
        for line, items in prompts:
            incomplete = next((item for item in items if isinstance(item, UnfinishedInput)), None)
            if incomplete is not None:
                # Neither run nor recorded: nobody can type the line again and then go on.
                self.show_error(incomplete)
                self.entries.append((line.strip(), False))
                continue
            error: SchemeError | None = None
            succeeded = True
            with self._recorded(line):
                for item in items:
                    error = self._show(item)
                    succeeded = succeeded and error is None
                    if isinstance(error, Interrupted):
                        break
            if line.strip():
                self.entries.append((line.strip(), succeeded))
            if isinstance(error, Interrupted):
                break
        return all(succeeded for _, succeeded in self.entries[first:])

    def _show(self, item: Item) -> SchemeError | None:
        """Evaluate and print what was read at the prompt; the error that it ended with, if any."""
        if isinstance(item, Span):
            self.note_stray(item)
            return None
        if isinstance(item, SchemeError):
            self.show_error(item)
            return item
        return self.show_value_of(item)

    def show_value_of(self, form: Form) -> SchemeError | None:
        """Evaluate a form and print its value, or its error, which is returned."""
        try:
            value = self._guarded(lambda: self.run(form))
            text = self.written(value) if value is not UNSPECIFIED or self.dialect == "berkeley" else None
        except SchemeError as error:
            self.show_error(error)
            return error
        except KeyboardInterrupt as interrupt:
            if self.input.echoes and not interrupt.args:  # a primitive that stops by itself has seen to that
                self.output.column += len("^C")
            stopped = self.explain(interrupt)
            self.show_error(stopped)
            return stopped
        self.output.fresh_line()
        if text is not None:
            self.output.write(text + "\n")
        if self.value_shown is not None:
            self.value_shown(form, value)
        return None

    def written(self, value: Value) -> str:
        """The text of a value, as `write` in this session shows it.

        Raises: SchemeError, if there is no memory for it.
        """
        text: str = self._guarded(lambda: write(value))
        return text

    def show_error(self, error: SchemeError) -> None:
        """Print an error as the prompt does."""
        if error.span is not None:
            self.last_error = error
        self.output.fresh_line()
        try:
            with self.settings():
                text = self.error_text(error, self.output.width)
        except MemoryError:
            text = report(SchemeError("out of memory"))
        self.output.write(text + "\n")

    # ── recording ────────────────────────────────────────────────────────────────────────────────────────────────

    def start_recording(self, name: str) -> None:
        """Write a transcript from here on, in the place of one that is being written.

        It begins with the files that were loaded so far. The random numbers start anew, so that who replays it gets the
        same.

        Args: name: the file's; a transcript that it holds already is kept.
        Raises: SchemeError if it can't be opened.
        """
        stream = self.open_transcript(name)
        self.stop_recording()
        if adds_to(stream):
            self._note(f"{name} is there already: what follows is added to it")
        seed = self.random.getrandbits(32)
        self.random.seed(seed)
        self.recorder = Recorder(stream, seed, self.dialect, self._done_before(Path(name).expanduser().parent))
        self._connect_recorder()

    def _done_before(self, folder: Path) -> Iterator[str]:
        """The lines of a transcript in a folder that say what was done so far."""
        if self.loaded:  # what random numbers the files took came from here
            yield f"; minischeme: seed {self._seed}"
        yield from what_was_loaded(((path, path not in self._partly_loaded) for path in self.loaded), folder)
        typed = {name for name in self._typed_names if python_name(name) in self.globals}
        typed |= self.macros.keys() - self._loaded_macros
        if typed:
            yield f"; Bound at the prompt before this transcript began, and not in it: {', '.join(sorted(typed))}."

    def start_random_numbers(self, seed: int) -> None:
        """Begin the random numbers from a seed, which the transcript that is being written notes."""
        self.random.seed(seed)
        if self.recorder is not None:
            self.recorder.seeded(seed)

    def stop_recording(self) -> None:
        """End the transcript that is being written, if there is one."""
        if self.recorder is not None:
            self.recorder.close()
            self.recorder = None
            self._connect_recorder()

    def _connect_recorder(self) -> None:
        recorder = self.recorder if self._evaluating else None
        self.output.copy = recorder.copy if recorder is not None else None
        self.input.listener = recorder.read_line if recorder is not None else None

    @contextmanager
    def _uncopied(self) -> Iterator[None]:
        """Keep what is printed inside the ``with`` out of the transcript that is being written."""
        copy, self.output.copy = self.output.copy, None
        try:
            yield
        finally:
            self.output.copy = copy

    @contextmanager
    def _recorded(self, text: str) -> Iterator[None]:
        """Let the transcript that is being written hold what was typed and what is shown inside the ``with``."""
        if self.recorder is not None:
            self.recorder.typed(text, self.console.prompt)
        self._evaluating = True
        self._connect_recorder()
        try:
            yield
        finally:
            self._evaluating = False
            self._connect_recorder()
            if self.recorder is not None:
                self.recorder.flush()

    @contextmanager
    def _captured(self) -> Iterator[io.StringIO]:
        """Collect what is printed inside the ``with``."""
        stream = self.output.stream
        captured = io.StringIO()
        self.output.stream = captured
        try:
            yield captured
        finally:
            self.output.stream = stream
