"""Diagnostics as text for people, and as JSON, GitHub's annotations and SARIF for programs; warnings at the prompt."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minischeme.checking.check import diagnostics
from minischeme.checking.registry import RULES, Diagnostic
from minischeme.data.errors import SchemeError, explained
from minischeme.data.wrapping import wrapped
from minischeme.modules.files import library_file, text_of_file
from minischeme.session.session import Session

_MOST_WARNINGS = 5  # at the prompt


def as_text(found: Sequence[Diagnostic], width: int | None = None) -> str:
    """The diagnostics as errors are shown, each with the name of its rule."""
    lines: list[str] = []
    for each in found:
        error = SchemeError(each.message, span=each.span, hint=each.hint)
        lines += [text for _, text in explained(error, f"{each.level.capitalize()} ({each.rule})", width)]
    return "".join(f"{line}\n" for line in lines)


def _place(found: Diagnostic, *names: str) -> dict[str, int]:
    """Line and column of the beginning, and of the character behind the end, counted from 1, under these names."""
    (line, column), (end_line, end_column) = map(found.span.source.position, (found.span.start, found.span.end))
    return dict(zip(names, (line, column + 1, end_line, end_column + 1), strict=True))


def as_json(found: Sequence[Diagnostic], width: int | None = None) -> str:
    """A list of objects."""

    def fields(each: Diagnostic) -> dict[str, Any]:
        texts = {"rule": each.rule, "level": each.level, "message": each.message, "hint": each.hint}
        return {"file": each.span.source.name, **_place(each, "line", "column", "endLine", "endColumn"), **texts}

    return json.dumps([fields(each) for each in found], indent=2, ensure_ascii=False) + "\n"


def as_github(found: Sequence[Diagnostic], width: int | None = None) -> str:
    """A workflow command for each diagnostic, by which GitHub shows it beside the line."""

    def escaped(text: str) -> str:
        return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")

    def annotation(each: Diagnostic) -> str:
        place = _place(each, "line", "col", "endLine", "endColumn")
        if place["line"] != place["endLine"]:
            del place["col"], place["endColumn"]  # which GitHub refuses
        file = escaped(each.span.source.name).replace(":", "%3A").replace(",", "%2C")
        where = ",".join(f"{name}={number}" for name, number in place.items())
        return f"::{each.level} file={file},{where},title={each.rule}::{escaped(_sentence(each))}\n"

    return "".join(map(annotation, found))


def _sentence(found: Diagnostic) -> str:
    return found.message if found.hint is None else f"{found.message}\n{found.hint}"


def as_sarif(found: Sequence[Diagnostic], width: int | None = None) -> str:
    """A log in SARIF 2.1.0."""
    from urllib.parse import quote

    def result(each: Diagnostic) -> dict[str, Any]:
        region = _place(each, "startLine", "startColumn", "endLine", "endColumn")
        file = {"uri": quote(each.span.source.name.replace("\\", "/"))}
        location = {"physicalLocation": {"artifactLocation": file, "region": region}}
        text = {"text": _sentence(each)}
        return {"ruleId": each.rule, "level": each.level, "message": text, "locations": [location]}

    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in RULES.items()]
    tool = {"driver": {"name": "minischeme", "rules": rules}}
    run = {"tool": tool, "columnKind": "unicodeCodePoints", "results": list(map(result, found))}
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


FORMATS: dict[str, Callable[[Sequence[Diagnostic], int | None], str]] = {
    "text": as_text,
    "json": as_json,
    "github": as_github,
    "sarif": as_sarif,
}


def show_mistakes(session: Session, typed: str) -> SchemeError | None:
    """Show the mistakes in a file that is named at the prompt, or in an expression; return the error that ends that."""
    name, text = "<prompt>", typed
    try:
        if not typed.startswith("("):
            path = session.loader.find(typed)
            name, text = path or typed, text_of_file(typed, path, ",check: ")
    except SchemeError as error:
        session.prompt.show_error(error)
        return error
    (found,) = diagnostics({name: text}, session)
    session.output.fresh_line()
    session.output.write(as_text(found, session.output.width) or "nothing to report\n")
    return None


def warn_of_mistakes(session: Session, files: Mapping[str, str]) -> None:
    """Show the first mistakes in files, whose texts were loaded at the prompt, that the load has not shown."""
    own = {path: text for path, text in files.items() if library_file(path) is None}
    found = [each for part in diagnostics(own, session) for each in part if each.level == "warning"]
    text = as_text(found[:_MOST_WARNINGS], session.output.width)
    if len(found) > _MOST_WARNINGS:
        more = f";; {len(found) - _MOST_WARNINGS} more warnings: minischeme check {' '.join(own)} shows them all\n"
        text += wrapped(more, session.output.width, 3)
    if text:
        with session.prompt.recording.paused():
            session.output.fresh_line()
            session.output.write(text)
