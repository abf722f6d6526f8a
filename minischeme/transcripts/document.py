"""The lines of a transcript: its prompts, directives and Markdown fences, and the input at its prompts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from minischeme.data.errors import UnfinishedInput
from minischeme.session.typed_text import Item, read_typed

LOCKED = "LOCKED: "
"""The beginning of a line that stands for a result, by its digest."""

STRAY_MESSAGE = "read: unexpected close parenthesis"

_PROMPT = re.compile(r"(?:STk>|scm>|minischeme>|>|\d+ (?:\]=>|error>))(?: |$)")
_DIRECTIVE = re.compile(r"\s*(?:;+\s*minischeme:(?P<comment>.*)|<!--\s*minischeme:(?P<markup>.*?)-->\s*)")
_FENCE = re.compile(r"\s{0,3}(?P<mark>`{3,}|~{3,})\s*(?P<language>[\w+-]*)")
_LANGUAGES = frozenset({"", "scheme", "scm", "lisp", "racket", "sicp", "text", "txt", "console", "stk", "minischeme"})
_NUMBER = r"\d+(\.\d+)?"
_ANY = r"(?s:.+)"
_ARGUMENTS = {
    "seed": (r"-?\d+", "an integer"),
    "load": (_ANY, "a file"),
    "prompt": (_ANY, "a text"),
    "question": (_ANY, "a name"),
    "points": (rf"{_NUMBER}( each)?", "a number, and may say each"),
    "visibility": (
        "visible|hidden|after-due-date|after-published",
        "visible, hidden, after-due-date or after-published",
    ),
    "after": (_ANY, "the name of a question"),
    "limit": (_NUMBER, "a number of seconds"),
    "allow": (_ANY, "the names of rules"),  # of minischeme check
}
"""The directives with an argument, each with a pattern for it and its kind."""

_WITHOUT_ARGUMENT = frozenset({"transcript", "random", "skip", "fresh", "berkeley", "r7rs"})


class TranscriptError(Exception):
    """The error of a transcript that can't be run."""


class Directive(NamedTuple):
    """An instruction to the transcript runner in a comment."""

    name: str
    argument: str


@dataclass(frozen=True, slots=True)
class PromptInput:
    """The input at a prompt, as lines and as read."""

    line: int  # the index of the prompt's line
    end: int  # the index of the line after the last that was typed
    prompt: str
    text: str
    items: tuple[Item, ...]


class Document:
    """The lines of a transcript; a `TranscriptError` for a directive that does not exist.

    `name` is its path as messages show it; in Markdown, ``.md``, only fenced blocks hold interactions. `prompts` and
    `directives` are those of the lines that have one, by index.
    """

    def __init__(self, text: str, name: str = "<transcript>", *, path: Path | None = None) -> None:
        self.name = name
        self.path = Path(name) if path is None else path
        self.text = text
        self._markdown = name.lower().endswith((".md", ".markdown"))
        self.newline = "\r\n" if "\r\n" in text else "\n"
        # A form feed or a lone carriage return does not end a line.
        self.raw_lines: list[str] = re.findall(r"[^\n]*\n|[^\n]+", text)
        self.lines = [line.rstrip("\r\n") for line in self.raw_lines]
        self.prompts: dict[int, str] = {}
        self.directives: dict[int, Directive] = {}
        self._own_prompts: list[str] = []
        self._is_plain = list(self._plain())

    @property
    def has_interactions(self) -> bool:
        return any(self.text_at(line).strip() for line in self.prompts)

    def text_at(self, line: int) -> str:
        """The text of a line behind its prompt, if it has one."""
        return self.lines[line][len(self.prompts.get(line, "")) :]

    def looks_special(self, line: str) -> bool:
        """Whether a line of output would be taken for a prompt, a directive or a fence."""
        is_fence = self._markdown and _FENCE.match(line) is not None
        return is_fence or _DIRECTIVE.match(line) is not None or self._prompt_of(line) is not None

    def boundary(self, start: int) -> int:
        """The index of the first line from `start` on that is not plain, or of the end."""
        while start < len(self.lines) and self._is_plain[start]:
            start += 1
        return start

    def blank_lines(self, start: int, end: int) -> list[int]:
        """The indices of the blank lines in a range."""
        return [index for index in range(start, end) if not self.lines[index].strip()]

    def without_blank_end(self, start: int, end: int) -> int:
        """The end of a range of lines without trailing blank ones."""
        while end > start and not self.lines[end - 1].strip():
            end -= 1
        return end

    def input_at(self, line: int, *, fold_case: bool = True) -> PromptInput:
        """The input at the prompt of a line, with the lines below it up to complete forms."""
        text = self.text_at(line)
        end = line + 1
        while True:
            items = read_typed(text + "\n", fold_case=fold_case)
            more = end < len(self.lines) and self._is_plain[end]
            if not (items and isinstance(items[-1], UnfinishedInput)):
                more = more and not text.strip() and self.lines[end].startswith(("(", "'"))
            if not more:
                return PromptInput(line, end, self.prompts[line], text, tuple(items))
            text += "\n" + self.lines[end]
            end += 1

    def interactions(self) -> Iterator[PromptInput]:
        """The inputs, as far as they can be told without running them."""
        end = 0
        fold_case = True
        for line in range(len(self.lines)):
            if line in self.directives and self.directives[line].name in ("berkeley", "r7rs"):
                fold_case = self.directives[line].name == "berkeley"
            if line >= end and line in self.prompts:
                typed = self.input_at(line, fold_case=fold_case)
                end = typed.end
                if typed.items:
                    yield typed

    def _plain(self) -> Iterator[bool]:
        """Find the prompts and directives; for each line, tell whether it can be output."""
        for index, (line, is_outside) in enumerate(zip(self.lines, self._outside(), strict=True)):
            directive = self._directive(index, line)
            prompt = self._prompt_of(line)
            if prompt is None and index and self.lines[index - 1].rstrip() == STRAY_MESSAGE and line.strip():
                prompt = ""  # the course's interpreter shows no new prompt after this message
            if directive is not None:
                self.directives[index] = directive
                if directive.name == "prompt":
                    self._own_prompts.append(directive.argument)
            elif prompt is not None and not is_outside:
                self.prompts[index] = prompt
            yield not (is_outside or index in self.directives or index in self.prompts)

    def _outside(self) -> Iterator[bool]:
        """Flags that tell, for each line, whether it is Markdown outside of fences that may hold interactions."""
        fence = ""
        is_outside = self._markdown
        for line in self.lines:
            mark = _FENCE.match(line) if self._markdown else None
            if mark is not None and not fence:
                fence, is_outside = mark["mark"], mark["language"].lower() not in _LANGUAGES
                yield True
            elif mark is not None and line.strip() == mark["mark"] and mark["mark"].startswith(fence):
                fence, is_outside = "", True
                yield True
            else:
                yield is_outside

    def _prompt_of(self, line: str) -> str | None:
        for prompt in self._own_prompts:
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
        location = f"{self.name}:{index + 1}"
        name = name or "transcript"
        if name not in _ARGUMENTS.keys() | _WITHOUT_ARGUMENT:
            known = ", ".join(sorted(_ARGUMENTS.keys() | _WITHOUT_ARGUMENT))
            raise TranscriptError(f"{location}: unknown directive: {name} (there are {known})")
        if bool(argument) is not (name in _ARGUMENTS):
            wanted = "wants an argument" if name in _ARGUMENTS else f"takes no argument, given {argument}"
            raise TranscriptError(f"{location}: the directive {name} {wanted}")
        if name in _ARGUMENTS and not re.fullmatch(_ARGUMENTS[name][0], argument):
            raise TranscriptError(f"{location}: the directive {name} wants {_ARGUMENTS[name][1]}, given {argument}")
        if len(argument) > 1 and argument[0] == argument[-1] == '"':
            argument = argument[1:-1]
        elif name == "prompt":
            argument += " "
        return Directive(name, argument)
