"""`diagnostics`: all that the rules find in programs, without what comments there allow."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from minischeme.checking import flow_rules, name_rules, value_rules  # noqa: F401 - each puts its rules into the table
from minischeme.checking.program import Program
from minischeme.checking.registry import RULES, SEARCHES, Diagnostic
from minischeme.data.errors import ReadError
from minischeme.data.source import Span
from minischeme.reading.reader import Reading
from minischeme.session.session import Session

_ALLOW = re.compile(r"^(.*?)(;+[ \t]*minischeme:[ \t]*allow\b[ \t]*([^\n]*))", re.MULTILINE)


def diagnostics(texts: Mapping[str, str], session: Session, loads: Sequence[str] = ()) -> list[list[Diagnostic]]:
    """The mistakes in each of some texts, by the names of their files, in order; each may use what the others define.

    Args:
        session: has the names that are known before.
        loads: files that are loaded first.
    """

    found: list[list[Diagnostic]] = []

    def run() -> None:
        programs = [Program(text, name, session, loads) for name, text in texts.items()]
        everything = set().union(*(program.names.own_names() for program in programs))
        for program in programs:
            program.names.mentioned |= everything - program.names.own_names()
        found.extend(map(mistakes_in, programs))

    session.run_as_scheme(run)
    return found


def mistakes_in(program: Program) -> list[Diagnostic]:
    """The mistakes in the text of a program."""
    found = list(program.problems)
    for form in program.own_forms():
        for node in form.certain_nodes():
            for name, search in SEARCHES.get(type(node), ()):
                for place, message, hint in search(form, node):
                    span = place if isinstance(place, Span) else place.span
                    if span is not None and span.source is program.source:
                        found.append(Diagnostic(span, name, message, hint))
    allowed = list(_allowances(program))
    unknown = [
        Diagnostic(comment, "allow", f"no rule is called {name}" if name else "which rule?")
        for name, _, comment in allowed
        if not any(name and known.startswith(name) for known in RULES)
    ]

    def is_allowed(each: Diagnostic) -> bool:
        return any(name and each.rule.startswith(name) and each.span.start in place for name, place, _ in allowed)

    unique = {(each.span.start, each.rule): each for each in reversed(found) if not is_allowed(each)}
    return sorted([*unique.values(), *unknown], key=lambda each: (each.span.start, each.rule))


def _allowances(program: Program) -> Iterator[tuple[str, range, Span]]:
    """The names, maybe cut short, of rules that comments allow, each with where it is allowed, and the comment.

    A comment before the first form counts for the whole file, one beside code for its line, any other for the
    expression that begins next.
    """
    source = program.source
    for match in _ALLOW.finditer(source.text):
        place = range(*match.span())
        if not match[1].strip():
            place = range(len(source.text))
            if any(form.form.span.start < match.start() for form in program.own_forms()):
                with suppress(ReadError):
                    for form in Reading(source, on_stray=lambda _: None, start=match.end()):
                        place = range(form.span.start, form.span.end)
                        break
        for name in re.findall(r"[\w-]+", match[3]) or [""]:
            yield name, place, Span(source, *match.span(2))
