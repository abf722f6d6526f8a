"""A transcript as a text of lines: which of them hold prompts, directives and Markdown fences, and what was typed.

Leaves to `replay` where the output of an interaction ends, since only the output itself can tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from minischeme.data.errors import UnfinishedInput
from minischeme.session.typed_text import Item, read_typed

STRAY_MESSAGE = "read: unexpected close parenthesis"

_PROMPT = re.compile(r"(?:STk>|scm>|minischeme>|>|\d+ (?:\]=>|error>))(?: |$)")
_DIRECTIVE = re.compile(r"\s*(?:;+\s*minischeme:(?P<comment>.*)|<!--\s*minischeme:(?P<markup>.*?)-->\s*)")
_FENCE = re.compile(r"\s{0,3}(?P<mark>`{3,}|~{3,})\s*(?P<language>[\w+-]*)")
_LANGUAGES = frozenset({"", "scheme", "scm", "lisp", "racket", "sicp", "text", "txt", "console", "stk", "minischeme"})
_WITH_ARGUMENT = frozenset({"seed", "load", "prompt"})
_WITHOUT_ARGUMENT = frozenset({"transcript", "random", "skip", "fresh", "berkeley", "r7rs"})


class TranscriptError(Exception):
    """A transcript that can't be run. The text names the place."""


class Kind(Enum):
    """What a line is by itself; what follows an interaction as its output is plain."""

    PLAIN = "plain"
    PROMPT = "prompt"
    DIRECTIVE = "directive"
    OUTSIDE = "outside"
    """Markdown that is not in a fence that may hold interactions."""


@dataclass(frozen=True, slots=True)
class Directive:
    """What a comment tells the transcript runner.

    Args: line: its index. name: one of those that the documentation lists. argument: what follows the name.
    """

    line: int
    name: str
    argument: str


@dataclass(frozen=True, slots=True)
class Typed:
    """What stands at a prompt.

    Args: line: the index of the prompt's line. end: the index of the line after the last that was typed. prompt: its
    text. text: what was typed, its lines as they stand. items: what was read.
    """

    line: int
    end: int
    prompt: str
    text: str
    items: tuple[Item, ...]


class Document:
    """The lines of a transcript.

    Args: text: the whole file. name: its path as messages show it; ``.md`` makes it Markdown, where only fenced blocks
    hold interactions, since ``> `` begins a quotation there. path: where it is, if not at `name`.

    Raises: TranscriptError for a directive that does not exist.
    """

    def __init__(self, text: str, name: str = "<transcript>", *, path: Path | None = None) -> None:
        self.name = name
        self.path = Path(name) if path is None else path
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.raw_lines = _lines(text)
        self.lines = [line.rstrip("\r\n") for line in self.raw_lines]
        self.prompts: dict[int, str] = {}
        self.directives: dict[int, Directive] = {}
        self.kinds = self._kinds()

    @property
    def has_interactions(self) -> bool:
        return any(self.lines[line][len(prompt) :].strip() for line, prompt in self.prompts.items())

    def looks_special(self, line: str) -> bool:
        """Whether a line of output would be taken for a prompt, a directive or a fence."""
        return self._prompt_of(line, tuple(self._own_prompts)) is not None or bool(
            _DIRECTIVE.match(line) or (self._markdown and _FENCE.match(line))
        )

    def boundary(self, start: int) -> int:
        """The index of the first line from `start` on that is not plain, or of the end."""
        kinds = self.kinds
        end = len(kinds)
        while start < end and kinds[start] is Kind.PLAIN:
            start += 1
        return start

    def typed_at(self, line: int, *, fold_case: bool = True) -> Typed:
        """What stands at the prompt of a line, with the lines below it up to complete forms."""
        prompt = self.prompts[line]
        text = self.lines[line][len(prompt) :]
        end = line + 1
        while True:
            items = read_typed(text + "\n", fold_case=fold_case)
            is_unfinished = bool(items) and isinstance(items[-1], UnfinishedInput)
            more = is_unfinished or (not text.strip() and self._starts_form(end))
            if not more or end == len(self.lines) or self.kinds[end] is not Kind.PLAIN:
                return Typed(line, end, prompt, text, tuple(items))
            text += "\n" + self.lines[end]
            end += 1

    def interactions(self) -> Iterator[Typed]:
        """What was typed, as far as it can be told without running it."""
        line = 0
        fold_case = True
        while line < len(self.lines):
            if line in self.directives and self.directives[line].name in ("berkeley", "r7rs"):
                fold_case = self.directives[line].name == "berkeley"
            if line not in self.prompts:
                line += 1
                continue
            typed = self.typed_at(line, fold_case=fold_case)
            if typed.items:
                yield typed
            line = typed.end

    def _starts_form(self, line: int) -> bool:
        return line < len(self.lines) and self.lines[line].startswith(("(", "'"))

    @property
    def _markdown(self) -> bool:
        return self.name.lower().endswith((".md", ".markdown"))

    def _kinds(self) -> list[Kind]:
        self._own_prompts: list[str] = []
        kinds: list[Kind] = []
        fence: str | None = None
        talks = not self._markdown
        for index, line in enumerate(self.lines):
            kind = Kind.PLAIN if talks else Kind.OUTSIDE
            if self._markdown:
                mark = _FENCE.match(line)
                if mark is not None and fence is None:
                    fence = mark["mark"]
                    talks = mark["language"].lower() in _LANGUAGES
                    kinds.append(Kind.OUTSIDE)
                    continue
                if (
                    mark is not None
                    and fence is not None
                    and line.strip() == mark["mark"]
                    and line.strip()[:3] == fence[:3]
                ):
                    if len(mark["mark"]) >= len(fence):
                        fence = None
                        talks = False
                        kinds.append(Kind.OUTSIDE)
                        continue
            directive = self._directive(index, line)
            prompt = self._prompt_of(line, tuple(self._own_prompts)) if talks else None
            if directive is not None:
                kind = Kind.DIRECTIVE
                self.directives[index] = directive
                if directive.name == "prompt":
                    self._own_prompts.append(directive.argument)
            elif prompt is not None:
                kind = Kind.PROMPT
                self.prompts[index] = prompt
            elif talks and index and self.lines[index - 1].rstrip() == STRAY_MESSAGE and line.strip():
                # The course's interpreter shows no new prompt after this message.
                kind = Kind.PROMPT
                self.prompts[index] = ""
            kinds.append(kind)
        return kinds

    def _prompt_of(self, line: str, own: tuple[str, ...]) -> str | None:
        for prompt in own:
            if line.startswith(prompt) or line == prompt.rstrip():
                return line[: len(prompt)]
        found = _PROMPT.match(line)
        return found[0] if found is not None else None

    def _directive(self, index: int, line: str) -> Directive | None:
        found = _DIRECTIVE.fullmatch(line)
        if found is None:
            return None
        name, _, argument = (found["comment"] or found["markup"] or "").strip().partition(" ")
        argument = argument.strip()
        place = f"{self.name}:{index + 1}"
        name = name or "transcript"
        if name not in _WITH_ARGUMENT | _WITHOUT_ARGUMENT:
            known = ", ".join(sorted(_WITH_ARGUMENT | _WITHOUT_ARGUMENT))
            raise TranscriptError(f"{place}: unknown directive: {name} (there are {known})")
        if bool(argument) is not (name in _WITH_ARGUMENT):
            wanted = "wants an argument" if name in _WITH_ARGUMENT else f"takes no argument, given {argument}"
            raise TranscriptError(f"{place}: the directive {name} {wanted}")
        if name == "seed" and not re.fullmatch(r"-?\d+", argument):
            raise TranscriptError(f"{place}: the directive seed wants an integer, given {argument}")
        if len(argument) > 1 and argument[0] == argument[-1] == '"':
            argument = argument[1:-1]
        elif name == "prompt":
            argument += " "
        return Directive(index, name, argument)


def _lines(text: str) -> list[str]:
    """The lines with their ends; a form feed or a lone carriage return ends none."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)
