"""`diagnostics`: all that the rules find in a text, without what its comments allow."""

import io
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

from minischeme.checking.program import Program
from minischeme.checking.registry import RULES, SEARCHES, Diagnostic
from minischeme.data.source import Span
from minischeme.expansion import core
from minischeme.session.session import Session

for _module in ("name_rules", "value_rules", "flow_rules"):
    import_module(f"minischeme.checking.{_module}")  # each puts its rules into the table

_ALLOW = re.compile(r"^(.*?)(;+[ \t]*minischeme:[ \t]*allow\b[ \t]*([^\n]*))", re.MULTILINE)


def diagnostics(
    text: str, filename: str = "<text>", session: Session | str = "berkeley", loads: Sequence[str] = ()
) -> list[Diagnostic]:
    """The mistakes in a program, in the order of the text.

    Args:
        filename: where files that it loads are looked for.
        session: has the names that are known before, or is the name of a dialect.
        loads: files that are loaded first.
    """
    known = Session(session, output=io.StringIO()) if isinstance(session, str) else session
    return diagnostics_of_files({filename: text}, known, loads)[0]


def diagnostics_of_files(
    texts: Mapping[str, str], session: Session, loads: Sequence[str] = ()
) -> list[list[Diagnostic]]:
    """The mistakes in each of some texts, by the names of their files, which may use what the others define."""
    found: list[list[Diagnostic]] = []

    def run() -> None:
        programs = [Program(text, name, session, loads) for name, text in texts.items()]
        everything = set().union(*(program.names.own_names() for program in programs))
        for program in programs:
            program.names.mentioned |= everything - program.names.own_names()
            found.append(mistakes_in(program))

    session.run_as_scheme(run)
    return found


def mistakes_in(program: Program) -> list[Diagnostic]:
    """The mistakes in the text of a program."""
    found = list(program.problems)
    for form in program.own_forms():
        uncertain = set(form.uncertain_nodes())
        for node in core.nodes(form.root):
            for name, search in SEARCHES.get(type(node), ()) if node not in uncertain else ():
                for span, message, hint in search(form, node):
                    if span is not None and span.source is program.source:
                        found.append(Diagnostic(span, name, message, hint))
    is_allowed, unknown = _allowances(program)
    unique = {(each.span.start, each.rule): each for each in reversed(found) if not is_allowed(each)}
    return sorted([*unique.values(), *unknown], key=lambda each: (each.span.start, each.rule))


def _allowances(program: Program) -> tuple[Callable[[Diagnostic], bool], list[Diagnostic]]:
    """Whether a comment allows what was found; and the comments that name no rule.

    A comment before the first form counts for the whole file, one beside code for its line, any other for the
    expression that begins next.
    """
    text, forms = program.source.text, program.own_forms()
    allowed: list[tuple[int, int, str]] = []
    unknown: list[Diagnostic] = []
    for match in _ALLOW.finditer(text):
        start, end = match.span()
        if not match[1].strip():
            roots = (node.span for form in forms for node in core.nodes(form.root) if node.span is not None)
            spans = [span for span in (*roots, *(form.form.span for form in forms)) if span.source is program.source]
            following = min(((span.start, -span.end) for span in spans if span.start >= end), default=(end, -end))
            is_first = all(span.start > start for span in spans)
            start, end = (0, len(text)) if is_first else (following[0], -following[1])
        for name in re.findall(r"[\w-]+", match[3]) or [""]:
            if name and any(known.startswith(name) for known in RULES):
                allowed.append((start, end, name))
            else:
                message = f"no rule is called {name}" if name else "which rule?"
                unknown.append(Diagnostic(Span(program.source, *match.span(2)), "allow", message))

    def is_allowed(found: Diagnostic) -> bool:
        return any(start <= found.span.start < end and found.rule.startswith(name) for start, end, name in allowed)

    return is_allowed, unknown
