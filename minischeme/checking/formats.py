"""Diagnostics as text for people, and as JSON, GitHub's annotations and SARIF for programs."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from minischeme.checking.registry import RULES, Diagnostic
from minischeme.data.errors import SchemeError, explained

Format = Callable[[Sequence[Diagnostic], int | None], str]


def as_text(found: Sequence[Diagnostic], width: int | None = None) -> str:
    """The diagnostics as errors are shown, each with the name of its rule."""
    return "".join(f"{_report(each, width)}\n" for each in found)


def _report(found: Diagnostic, width: int | None) -> str:
    error = SchemeError(found.message, span=found.span, hint=found.hint)
    kind = f"{'Error' if found.is_error else 'Warning'} ({found.rule})"
    return "\n".join(text for _, text in explained(error, kind, width))


def as_json(found: Sequence[Diagnostic], width: int | None = None) -> str:
    """A list of objects; lines and columns count from 1, and the end is behind the last character."""
    return json.dumps([_fields(each) for each in found], indent=2, ensure_ascii=False) + "\n"


def _fields(found: Diagnostic) -> dict[str, Any]:
    line, column, end_line, end_column = _place(found)
    place = {"line": line, "column": column, "endLine": end_line, "endColumn": end_column}
    texts = {"rule": found.rule, "level": _level(found), "message": found.message, "hint": found.hint}
    return {"file": found.span.source.name, **place, **texts}


def _place(found: Diagnostic) -> tuple[int, int, int, int]:
    source = found.span.source
    (line, column), (end_line, end_column) = source.position(found.span.start), source.position(found.span.end)
    return line, column + 1, end_line, end_column + 1


def _level(found: Diagnostic) -> str:
    return "error" if found.is_error else "warning"


def as_github(found: Sequence[Diagnostic], width: int | None = None) -> str:
    """A workflow command for each diagnostic, by which GitHub shows it beside the line."""
    return "".join(f"{_annotation(each)}\n" for each in found)


def _annotation(found: Diagnostic) -> str:
    line, column, end_line, end_column = _place(found)
    name, message = (
        text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        for text in (found.span.source.name, _sentence(found))
    )
    name = name.replace(":", "%3A").replace(",", "%2C")
    place = f"file={name},line={line},endLine={end_line}"
    if line == end_line:
        place += f",col={column},endColumn={end_column}"
    return f"::{_level(found)} {place},title={found.rule}::{message}"


def _sentence(found: Diagnostic) -> str:
    return found.message if found.hint is None else f"{found.message}\n{found.hint}"


def as_sarif(found: Sequence[Diagnostic], width: int | None = None) -> str:
    """A log in SARIF 2.1.0."""
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in RULES.items()]
    tool = {"driver": {"name": "minischeme", "rules": rules}}
    run = {"tool": tool, "columnKind": "unicodeCodePoints", "results": [_result(each) for each in found]}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _result(found: Diagnostic) -> dict[str, Any]:
    region = dict(zip(("startLine", "startColumn", "endLine", "endColumn"), _place(found), strict=True))
    location = {"artifactLocation": {"uri": _uri(found.span.source.name)}, "region": region}
    place = [{"physicalLocation": location}]
    return {"ruleId": found.rule, "level": _level(found), "message": {"text": _sentence(found)}, "locations": place}


def _uri(name: str) -> str:
    from urllib.parse import quote

    return quote(name.replace("\\", "/"))


FORMATS: dict[str, Format] = {"text": as_text, "json": as_json, "github": as_github, "sarif": as_sarif}
