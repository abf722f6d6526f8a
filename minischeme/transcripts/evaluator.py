"""The session in which the interactions of a transcript are evaluated."""

import io
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import NamedTuple, Protocol

from minischeme.data.errors import SchemeError, SchemeExit
from minischeme.modules.files import resolve
from minischeme.session.session import Session
from minischeme.session.typed_text import Item
from minischeme.transcripts.console import ReplayConsole
from minischeme.transcripts.time_limit import TimeLimit

_COMMANDS = {
    "step": ("minischeme.stepping.text", "show_as_text"),
    "check": ("minischeme.checking.formats", "show_mistakes"),
    "profile": ("minischeme.profiling.report", "show_profile"),
    "fmt": ("minischeme.formatting.formatter", "show_formatted"),
}
"""The commands of the prompt that a transcript may hold, with their modules and functions."""

_COMMAND = re.compile(rf"\s*,\s*({'|'.join(_COMMANDS)})\s+(.+)", re.DOTALL)


class Limit(NamedTuple):
    """A time limit, and the text that says which it is."""

    seconds: float
    reason: str


class Typed(NamedTuple):
    """A text to evaluate as at the prompt: its items, and where it stands in its source, both from 0."""

    text: str
    items: Sequence[Item]
    name: str = "<prompt>"
    line: int = 0
    column: int = 0


@dataclass(slots=True)
class Output:
    """The printed text of one typed item, and the error that it ended with."""

    text: str
    error: SchemeError | None = None


@dataclass(slots=True)
class Evaluation:
    """The evaluation of what was typed."""

    outputs: list[Output] = field(default_factory=list)
    exited: bool = False  # whether it has called `exit`
    stopped: str = ""  # the reason, if it was stopped
    is_random: bool = False  # whether it has used random numbers


class LoadError(Exception):
    """The error of a file that does not load."""


class Evaluator(Protocol):
    """The part of a session that the replay of a transcript needs, wherever it runs."""

    def begin(self, dialect: str, seed: int) -> None:
        """Forget all definitions."""

    def reseed(self, seed: int) -> None:
        """Start the random numbers again."""

    def load(self, name: str, limit: Limit) -> None:
        """Load a file without showing what it prints; a LoadError says why it can't be loaded."""

    def evaluate(self, typed: Typed, prompt: str, limit: Limit) -> Evaluation:
        """Evaluate each item that was typed at a prompt."""


EvaluatorMaker = Callable[[ReplayConsole, str, Callable[[str], str | None]], Evaluator]
"""A function that makes an evaluator, with the arguments of `SessionEvaluator`."""


class SessionEvaluator:
    """An evaluator in this process; `find` is asked for files that are not in `folder`."""

    def __init__(self, console: ReplayConsole, folder: str, find: Callable[[str], str | None]) -> None:
        self._console = console
        self._folder = folder
        self._find = find
        self._time_limit = TimeLimit()

    def begin(self, dialect: str, seed: int) -> None:
        self.dialect = dialect
        self._session = session = Session(dialect=dialect, seed=seed)
        session.context.console.output = self._console.output
        session.context.console.input = self._console.input
        # A transcript that mentions (transcript-on …) must not overwrite files, least of all itself.
        session.prompt.recording.open_file = lambda name: io.StringIO()  # keeps it in memory
        session.loader.folder = self._folder
        session.loader.find_elsewhere = self._find
        session.prompt.name_values()

    def reseed(self, seed: int) -> None:
        self._session.context.chance.random.seed(seed)

    def load(self, name: str, limit: Limit) -> None:
        if resolve(name, loading=os.path.join(self._folder, "prompt")) is None and self._find(name) is None:
            raise LoadError(f"cannot open file: {name}")
        try:
            with self._time_limit.of(*limit):
                self._session.load(name)
        except (SchemeError, SchemeExit) as error:
            raise LoadError(f"{name}: {error}") from error
        except KeyboardInterrupt:
            if not self._time_limit.is_over:
                raise
            raise LoadError(f"{name}: interrupted {limit.reason}") from None
        finally:
            self._console.output.take()

    def evaluate(self, typed: Typed, prompt: str, limit: Limit) -> Evaluation:
        evaluation = Evaluation()
        session, output = self._session, self._console.output
        session.context.console.prompt = prompt
        chance = session.context.chance.random.getstate()
        error: SchemeError | None = None
        try:
            with self._time_limit.of(*limit):
                command = _COMMAND.match(typed.text)
                for item in typed.items if command is None else (command,):
                    error = self._show(item)
                    evaluation.outputs.append(Output(output.take(is_endless=self._time_limit.is_over), error))
                    if self._time_limit.is_over:
                        break
        except SchemeExit:
            evaluation.exited = True
        except KeyboardInterrupt:
            if not self._time_limit.is_over:
                raise
        evaluation.is_random = session.context.chance.random.getstate() != chance
        left = output.take(is_endless=self._time_limit.is_over)
        if left or not evaluation.outputs:
            evaluation.outputs.append(Output(left, error))
        if self._time_limit.is_over:
            evaluation.stopped = limit.reason
        return evaluation

    def _show(self, item: Item | re.Match[str]) -> SchemeError | None:
        """Evaluate and print, or run a command; an internal error is output like another, and the rest goes on."""
        try:
            if not isinstance(item, re.Match):
                return self._session.prompt.show(item)
            module, function = _COMMANDS[item[1]]  # imported here, since few transcripts hold any
            shown: SchemeError | None = getattr(import_module(module), function)(self._session, item[2])
            return shown
        except OSError:
            raise
        except Exception as error:
            self._console.output.fresh_line()
            self._console.output.write(f"minischeme: internal error: {type(error).__name__}: {error}\n")
            return None
