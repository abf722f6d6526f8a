"""`Session`: a running Scheme. It owns all state: globals, library, random numbers, ports.

The pipeline from data to value is `namespaces.Namespace.run`. Errors become `SchemeError` in one place, here.
"""

import os
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, TextIO

from minischeme import primitives
from minischeme.compiler.assembly import Unit
from minischeme.compiler.assumptions import DirectCalls
from minischeme.data.errors import SchemeError
from minischeme.data.printer import symbols_fold
from minischeme.data.source import Source
from minischeme.data.values import UNSPECIFIED, HashTable, Value, strings_are_numbers
from minischeme.evaluation.continuations import Continuations
from minischeme.evaluation.namespaces import Namespace
from minischeme.expansion.forms import TABLE, hidden_forms, visible_forms
from minischeme.modules.libraries import Libraries
from minischeme.primitives.hash_tables import words_key
from minischeme.primitives.registry import DIALECTS
from minischeme.reading.forms import Form
from minischeme.reading.reader import Reading
from minischeme.runtime.context import Context, RandomSource
from minischeme.runtime.dynamic_state import DynamicState
from minischeme.runtime.names import scheme_name
from minischeme.runtime.ports import Console, InputPort, OutputPort
from minischeme.runtime.recursion import with_deep_recursion
from minischeme.runtime.sentence_sharing import Sentences
from minischeme.runtime.tail_calls import TailCall
from minischeme.session.loader import Loader
from minischeme.session.prompt import Interaction, Prompt
from minischeme.session.services import services
from minischeme.session.trace import Tracer
from minischeme.system.tracebacks import remove_traceback

if TYPE_CHECKING:
    from minischeme.diagnosis.hints import ProgramNames
    from minischeme.diagnosis.site import Site

_RESERVED = 4 << 20  # bytes that are given up when memory runs out, so that an error can tell where


class Session:
    """A Scheme with its own definitions, random numbers and ports.

    Args:
        dialect: ``berkeley``, or ``r7rs`` for the plain standard.
        seed: starts the random numbers, for a run that can be repeated.
        output: the text stream that programs print to, standard output if None.
        input: the text stream that they read from, standard input if None.
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
        seed = int.from_bytes(os.urandom(4)) if seed is None else seed
        self._tail_call = TailCall()
        readline = (sys.stdin if input is None else input).readline
        console = Console(dialect, OutputPort(sys.stdout if output is None else output), InputPort(readline))
        random, dynamic = RandomSource(lambda: seed), DynamicState(self._tail_call)
        tables = HashTable(words_key), HashTable(words_key)
        # What standard procedures use.
        self.context = Context(console, random, dynamic, dialect == "berkeley", *tables)
        self._direct_calls = DirectCalls()
        self.library: dict[str, Value] = {}  # the standard procedures
        self._sentences = Sentences()
        self._namespaces: weakref.WeakValueDictionary[int, Namespace] = weakref.WeakValueDictionary()
        self._continuations = Continuations(self._tail_call, dynamic, self._namespaces)
        self._reserve = b""
        self.prompt = Prompt(self, seed)  # shows values and errors, and records transcripts
        self.loader = Loader(self)  # finds and runs files
        self.tracer = Tracer(weakref.proxy(self), self._tail_call)  # prints the calls of traced procedures
        self._libraries = Libraries(
            self._namespace,
            self.prompt.note,
            lambda: {scheme_name(key) for key in self.library if not key.startswith("'%")} | TABLE.keys(),
            fold_case=dialect == "berkeley",
        )
        # The library refers to its session weakly: the collector can't see into code, which holds library procedures.
        offered = services(weakref.proxy(self))
        offered |= {"context": self.context, "console": console, "chance": random, "dynamic": dynamic}
        offered |= {"continuations": weakref.proxy(self._continuations), "tracer": weakref.proxy(self.tracer)}
        library = primitives.library(dialect, tail=self._tail_call, sentences=self._sentences, **offered)
        self.library.update(library)
        self.main = self._namespace()  # the program's
        self.globals = self.main.globals  # its variables by their Python names

    @property
    def output(self) -> OutputPort:
        """The port that a program prints to if it names none."""
        return self.context.console.output

    @property
    def input(self) -> InputPort:
        """The port that a program reads from if it names none."""
        return self.context.console.input

    # ── evaluating ───────────────────────────────────────────────────────────────────────────────────────────────

    def eval(self, text: str, name: str = "<eval>") -> Value:
        """The value of the last form of a text, which errors call by a name.

        Raises:
            SchemeError: The program is wrong.
            SchemeExit: It calls `exit`.
            KeyboardInterrupt: After Ctrl-C the session can be used as before.
        """
        return self.eval_source(Source(text, name))

    def eval_source(self, source: Source) -> Value:
        """The value of the last form of a source, as by `eval`."""

        def run() -> Value:
            value: Value = UNSPECIFIED
            self._sentences.stop_sharing_for(source.text)
            with self._continuations.reader_scope():
                for form in Reading(source, fold_case=self.dialect == "berkeley", on_stray=self.prompt.note_stray):
                    value = self._continuations.run_toplevel(self.main.run, form)
            return value

        return self.run_as_scheme(run)

    def eval_form(self, form: Form) -> Value:
        """The value of a form that was read, as by `eval`."""
        return self.run_as_scheme(lambda: self._continuations.run_toplevel(self.main.run, form))

    def call(self, procedure: Value, *arguments: Value) -> Value:
        """The value of a call of a Scheme procedure, such as one that `eval` gave; for errors, see `eval`."""

        return self.run_as_scheme(lambda: self._continuations.run_toplevel(self._tail_call.call, procedure, arguments))

    def load(self, name: str | os.PathLike[str]) -> None:
        """Run a file: beside the one that is loading, in the current folder, or in the library.

        Raises:
            SchemeError: What the file defined before the error stays defined.
        """
        self.loader.load(os.fspath(name))

    def define(self, name: str, value: Value) -> None:
        """Bind a global, as ``define`` at the prompt does."""
        self.main.define(name, value)

    def interact(self, text: str, name: str = "<prompt>") -> Iterator[Interaction]:
        """Evaluate the forms of a text in turn, each as if typed at the prompt; errors do not stop it.

        Raises:
            SchemeExit: The text calls `exit`.
        """
        return self.prompt.interact(text, name)

    def run_as_scheme(self, thunk: Callable[[], Value]) -> Value:
        """Run with this session's settings and deep recursion; what a program did wrong becomes a SchemeError."""
        dynamic = self.context.dynamic
        is_outermost = dynamic.handlers is None and dynamic.winds is None
        if not self._reserve:
            with suppress(MemoryError):
                self._reserve = bytes(_RESERVED)
        with self.settings():
            try:
                return with_deep_recursion(thunk, self.main.facts.largest_frame)
            except OSError:  # the output is closed or full: not the program's doing
                raise
            except Exception as exception:
                error = self.diagnose(exception).with_traceback(None)
            finally:
                self._tail_call.forget()
                if is_outermost:
                    dynamic.forget()
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

    def diagnose(self, exception: BaseException, site: "Site | None" = None) -> SchemeError:
        """The Scheme error that a Python exception from a run stands for; a bug of minischeme is raised as it is.

        `site` is the call that has failed, if it was not made by compiled code.
        """
        self._reserve = b""
        try:
            from minischeme.diagnosis.explain import diagnose  # here: runs without errors start faster

            error: SchemeError = with_deep_recursion(lambda: diagnose(exception, self._program, site))
            remove_traceback(exception)
            return error
        except MemoryError:  # what the run holds leaves no room to tell where it was
            return SchemeError("out of memory")

    @cached_property
    def _program(self) -> "ProgramNames":
        from minischeme.diagnosis.hints import ProgramNames

        importable = self._libraries.everything if self.dialect == "r7rs" else ()
        return ProgramNames(self.globals, self.library, visible_forms(self.dialect), importable, self.main.earlier)

    # ── namespaces ───────────────────────────────────────────────────────────────────────────────────────────────

    def _namespace(self) -> Namespace:
        """A fresh namespace with the bindings of the library."""
        shared = self._on_unit_compiled, self._libraries, self._direct_calls
        namespace = Namespace(self.library, self._tail_call, TABLE, hidden_forms(self.dialect), *shared)
        if self.dialect == "berkeley":
            namespace.expander.on_malformed, namespace.expander.explain = self.prompt.warn, self.diagnose
        self._namespaces[id(namespace.globals)] = namespace
        return namespace

    def _on_unit_compiled(self, unit: Unit) -> None:
        if unit.changes_pairs:
            self._sentences.stop_sharing()
        if not self.main.is_defining_again:
            self.loader.note_bound(unit.summary.rebinds)
        if self.prompt.show_python is not None:
            with self.prompt.recording.paused():
                self.prompt.show_python(unit.python_text())
