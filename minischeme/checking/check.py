"""`diagnostics`: all that the rules find in a text, without what its comments allow."""

import io
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

from minischeme.checking.program import Program
from minischeme.checking.registry import RULES, SEARCHES, Diagnostic
from minischeme.data.source import Source, Span
from minischeme.session.session import Session

for _module in ("name_rules", "value_rules", "recursion_rules", "quote_rules"):
    import_module(f"minischeme.checking.{_module}")  # each puts its rules into the table

_ALLOW = re.compile(r"^(?P<before>.*?);+[ \t]*minischeme:[ \t]*allow\b[ \t]*(?P<names>[^\n]*)", re.MULTILINE)
_TOKEN = re.compile(r"""\s+|;[^\n]*|#\|.*?\|#|"(?:[^"\\]|\\.)*"|#\\.[^\s()\[\]]*|[()\[\]]|[^\s()\[\]";]+""", re.DOTALL)


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
    (found,) = diagnostics_of_files({filename: text}, known, loads)
    return found


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
    for toplevel in program.own_forms():
        guarded = set(toplevel.guarded_nodes())
        for node in toplevel.nodes():
            for name, search in SEARCHES.get(type(node), ()) if node not in guarded else ():
                for span, message, hint in search(toplevel, node):
                    if span is not None and span.source is program.source:
                        found.append(Diagnostic(span, name, message, hint))
    is_allowed, unknown = _allowances(program.source)
    unique = {(each.span.start, each.rule): each for each in reversed(found) if not is_allowed(each)}
    return sorted([*unique.values(), *unknown], key=lambda each: (each.span.start, each.rule))


def _allowances(source: Source) -> tuple[Callable[[Diagnostic], bool], list[Diagnostic]]:
    """Whether a comment allows what was found; and the comments that name no rule.

    A comment before the first form counts for the whole file, one beside code for its line, and any other for the next
    form.
    """
    allowed: list[tuple[int, int, str]] = []
    unknown: list[Diagnostic] = []
    for match in _ALLOW.finditer(source.text):
        line_end = match.end()
        if match["before"].strip():
            start, end = match.start(), line_end
        elif _next_form(source.text, 0)[0] > match.start():
            start, end = 0, len(source.text)
        else:
            start, end = _next_form(source.text, line_end)
        for name in re.findall(r"[\w-]+", match["names"]) or [""]:
            allowed.append((start, end, name))
            if not any(known.startswith(name) for known in RULES) or not name:
                span = Span(source, match.start("before") + len(match["before"]), line_end)
                unknown.append(Diagnostic(span, "allow", f"no rule is called {name}" if name else "which rule?"))
    return (
        lambda found: any(
            start <= found.span.start < end and found.rule.startswith(name) for start, end, name in allowed if name
        )
    ), unknown


def _next_form(text: str, start: int) -> tuple[int, int]:
    """The offsets of the first form behind an offset."""
    depth, begin = 0, None
    for match in _TOKEN.finditer(text, start):
        token = match[0]
        if token[0].isspace() or token[0] == ";" or token.startswith("#|"):
            continue
        begin = match.start() if begin is None else begin
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(token, 0)
        if depth <= 0 and token not in ("'", "`", ",", ",@", "#"):
            return begin, match.end()
    return (len(text) if begin is None else begin), len(text)
