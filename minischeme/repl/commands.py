"""The comma-commands of both prompts, each a decorated function; `,help` shows them.

A command never changes a definition, except that `,load`, `,reload` and `,edit` load files.
"""

import difflib
import gc
import os
import re
import time
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, NamedTuple

from minischeme.compiler.assembly import info_of
from minischeme.data.abbreviate import abbreviated
from minischeme.data.errors import Activation, Interrupted, SchemeError, SchemeExit, UnfinishedInput
from minischeme.data.printer import write
from minischeme.data.source import Source
from minischeme.data.values import Environment, String, Symbol, Value, untraced
from minischeme.data.wrapping import in_columns, wrapped
from minischeme.diagnosis.hints import did_you_mean
from minischeme.evaluation.procedures import naming_expression
from minischeme.expansion.unparse import WIDTH, core_text
from minischeme.modules.files import source_text
from minischeme.reading.forms import Form
from minischeme.reading.reader import read
from minischeme.repl.program_files import changes, definitions, edit_file, last_file, place_to_edit, rc_path
from minischeme.session.call_tree import call_tree
from minischeme.session.describe import Description, describe, expansion, names, similar_names, spelling, value_of
from minischeme.session.session import Session
from minischeme.system.file_locks import NewContents
from minischeme.system.memory import memory_used

if TYPE_CHECKING:
    from minischeme.stepping.recording import RecordedRun

_COMMAND = re.compile(r"\s*,\s*([A-Za-z?-]*)\s*")
_QUESTIONS = {"EXPR": "which expression?", "FILE": "which file?", "N": "which number?", "WORD": "which word?"}
_MOST_ACTIVATIONS = 50
_LONGEST_LOCAL = 300


class Command(NamedTuple):
    """A comma-command."""

    grammar: str  # how it is typed; an argument in brackets may be missing
    doc: str  # its line of help
    run: Callable[[Session, str], None]  # takes the text behind the name
    page: str = ""  # more help, as its paragraphs


TABLE: dict[str, Command] = {}
"""All commands by name, in the order of the help."""


def command(grammar: str) -> Callable[[Callable[[Session, str], None]], None]:
    """A decorator that puts a function into the table; its docstring is the line of help, and a page behind that."""

    def register(function: Callable[[Session, str], None]) -> None:
        doc, _, page = (function.__doc__ or "").partition("\n\n")
        page = "\n".join(line.removeprefix("  ") for line in page.rstrip().split("\n"))
        TABLE[grammar.split()[0].lstrip(",")] = Command(grammar, doc, function, page)

    return register


def command_named(typed: str) -> Command:
    """The command of a name, or of the only name that begins with the text; a `SchemeError` if there is none."""
    typed = "help" if typed in ("h", "?") else typed
    matching = [typed] if typed in TABLE else [name for name in TABLE if typed and name.startswith(typed)]
    if len(matching) == 1:
        return TABLE[matching[0]]
    if matching:
        raise SchemeError(f",{typed} may be {' or '.join(f',{name}' for name in matching)}")
    close = difflib.get_close_matches(typed, TABLE, 1, 0.5)
    hint = did_you_mean(typed, f",{close[0]}") if close else ",help lists the commands"
    raise SchemeError(f"there is no command ,{typed}", hint=hint)


def dispatch(session: Session, line: str) -> None:
    """Run a comma-command; `UnfinishedInput` if its expression is incomplete, `SchemeExit` if the user leaves."""
    found = _COMMAND.match(line)
    name, argument = (found[1].lower(), line[found.end() :].rstrip()) if found is not None else ("", "")
    try:
        chosen = command_named(name)
        full_name, _, operand = chosen.grammar.partition(" ")
        if operand in _QUESTIONS and not argument:
            raise SchemeError(f"{full_name}: {_QUESTIONS[operand]}")
        if "FILE" in operand and argument.startswith('"'):
            argument = argument[1:].removesuffix('"')
        chosen.run(session, argument)
    except UnfinishedInput:
        raise
    except SchemeError as error:
        session.prompt.show_error(error)
    except KeyboardInterrupt:
        if not session.input.echoes:
            raise
        session.output.column += len("^C")
        session.prompt.show_error(Interrupted("interrupted"))
    except (OSError, ValueError) as error:
        session.prompt.show_error(SchemeError(f",{name}: {error}"))


def _say(session: Session, text: str, more: int = 0) -> None:
    """Print a text for people; the continuation of a long line is indented by `more` columns."""
    session.output.fresh_line()
    session.output.write(wrapped(text, session.output.width, more) + "\n")


@command(",help [name]")
def _help(session: Session, rest: str) -> None:
    """What a name means, with an example or its source; alone, this table."""
    if not rest:
        rows = [(each.grammar, each.doc) for each in TABLE.values()]
        _say(session, in_columns(rows, session.output.width))
        return
    description = describe(session, rest)
    if rest.startswith(",") or (description is None and rest in TABLE):
        named = command_named(rest.lstrip(","))
        _say(session, _command_help(named))
    elif description is None:
        raise _unknown(session, ",help", rest)
    else:
        _say(session, explanation(description))
        if rest in TABLE and TABLE[rest].page:
            _say(session, "\n" + _command_help(TABLE[rest]))
        if description.definition is not None:
            lines = description.definition.text.splitlines()
            _say(session, "\n" + "\n".join(f"  {line}".rstrip() for line in lines), 4)


def _command_help(named: Command) -> str:
    return "\n".join([named.grammar, f"  {named.doc}", *([f"\n{named.page}"] if named.page else [])])


def _unknown(session: Session, command: str, name: str) -> SchemeError:
    similar = similar_names(session, name)
    hint = did_you_mean(name, *similar) if similar else f",apropos {name} searches names and their help"
    return SchemeError(f"{command}: nothing is called {name}", hint=hint)


def explanation(description: Description) -> str:
    """The help on a name: its signature, and below it what it does."""
    span = description.definition
    is_told = span is None or span.source.is_interactive or description.doc.endswith(str(span))
    lines = {
        "": description.doc,
        "Example: ": description.example,
        "Also called ": ", ".join(description.aliases),
        "Defined at ": "" if is_told else span,
    }
    head = f"{description.signature}    {description.kind.value}"
    return "\n".join([head, *(f"  {label}{text}" for label, text in lines.items() if text)])


@command(",apropos WORD")
def _apropos(session: Session, rest: str) -> None:
    """Names that have a word in their name or in their line of help."""
    wanted = rest.lower()
    found: list[tuple[str, str]] = []
    for name in sorted(set(names(session))):
        description = describe(session, name)
        if description is not None and (wanted in name.lower() or wanted in description.doc.lower()):
            found.append((name, description.doc))
    # Names with the word come before those with it in their help.
    found.sort(key=lambda row: wanted not in row[0].lower())
    table = in_columns(found, session.output.width)
    _say(session, table or f"Nothing has {rest} in its name or help.")


@command(",trace [name … | --tree EXPR]")
def _trace(session: Session, rest: str) -> None:
    """Show each call of procedures, or all calls of an expression as a tree; alone, what is traced."""
    option, _, expression = rest.partition(" ")
    if option in ("--tree", "-t"):
        if not expression.strip():
            raise SchemeError(",trace --tree: which expression?")
        tree = call_tree(session, expression.strip())
        _say(session, tree.text(session.output.width))
        _begin_random_numbers_again(session)
    else:
        for name in ("trace", "untrace"):  # in R7RS they must be imported
            if not session.main.has_own(name):
                session.main.import_binding(name, None, name)
        session.prompt.evaluate_and_print(f"(trace {rest})" if rest else "(trace)")


def _begin_random_numbers_again(session: Session) -> None:
    """Start the random numbers from a known seed, if a transcript is written, which will not contain the expression."""
    if session.prompt.recording.recorder is not None:
        session.prompt.recording.seed(session.context.chance.random.getrandbits(32))


@command(",draw EXPR")
def _draw(session: Session, rest: str) -> None:
    """A picture of values: pairs as boxes and pointers, procedures with their environment.

    In a pair, the left half is the car and the right half the cdr; a dot begins an arrow, and / is the empty list.
    What several arrows lead to is one and the same object. With several expressions, or a name, the picture shows
    which value is which: ,draw x y.

    A vector, a record, a hash table and an object of define-class are boxes with a title, a promise is "not forced"
    or leads to its value. A procedure is two circles: the left one leads to its parameters and body, the right one to
    the environment that it was made in, whose frames hold the variables that it keeps.

    The nearest values come first; … stands for what is beyond 200 boxes. Where arrows have no room, #1# leads to the
    box #1=.

    (draw x) does the same in a program, and minischeme draw -e EXPR --svg FILE makes a picture for a browser.
    """
    forms = _forms(session, ",draw", rest)
    _show_picture(session, list(map(session.eval_form, forms)), [form.span.text for form in forms])


@command(",draw-environment [EXPR]")
def _draw_environment(session: Session, rest: str) -> None:
    """Environments as frames: that of your definitions, and those around procedures or a value.

    Each frame is a box of variables, and "enclosing" leads to the frame around it (SICP 3.2). A frame shows the
    variables that some procedure keeps; what nothing can use any more is gone.
    """
    forms = _forms(session, ",draw-environment", rest) if rest else []
    texts = [*(form.span.text for form in forms), "global"]
    _show_picture(session, [*map(session.eval_form, forms), Environment()], texts if forms else [""])


def _show_picture(session: Session, values: list[Value], texts: Sequence[str]) -> None:
    from minischeme.drawing.picture import draw

    session.run_as_scheme(lambda: draw(session.output, values, texts, bindings=session.globals))


def show_steps(session: Session, run: "RecordedRun") -> None:
    """Show a recorded run, full screen if that is possible."""
    if session.prompt.show_run is not None:
        session.prompt.show_run(run)
    elif session.prompt.has_line_editor and session.output.is_terminal and run.steps:
        from minischeme.repl.step_screen import show_on_screen  # here: there may be no prompt_toolkit

        show_on_screen(session, run)
    else:
        from minischeme.stepping.text import print_lines

        print_lines(session, run)


@command(",step EXPR")
def _step(session: Session, rest: str) -> None:
    """Watch an expression being evaluated, step by step, forward and back.

    Above is the source with the present piece marked, below it the expression as it stands: each step replaces the
    marked part by its value, or a call by the body of the procedure. From the first set! on, the frames of the
    environment show the variables instead.

    Procedures of the library are one step; your own are opened, also where every, map or sort calls them. The arrow
    keys go forward and back, o goes over a call and u out of a procedure, c to the next call of the same procedure, v
    to the next change of a variable, / searches, ? shows all keys, and q leaves.

    Without a terminal the steps are printed as lines. minischeme step FILE -e EXPR --html OUT writes a page.
    """
    from minischeme.stepping.recorder import record  # here, since it is seldom needed

    with session.prompt.recording.paused():
        run = record(session, rest)
        show_steps(session, run)
    _begin_random_numbers_again(session)
    if run.error is not None:
        session.prompt.show_error(run.error)


@command(",time EXPR")
def _time(session: Session, rest: str) -> None:
    """The value of an expression, how long it took, and the memory.

    Bytes are those by which the memory of the whole process was larger at its peak than before, in pages of usually
    4,096 bytes: less if there was room from earlier. Where the system does not tell, they are left out.
    """
    before = memory_used()
    runs, real, processor = _collections(), time.perf_counter(), time.process_time()
    session.prompt.evaluate_and_print(rest)
    times = time.process_time() - processor, time.perf_counter() - real
    runs = _collections() - runs
    processor_time, in_all = (f"{each:.2f} s" if each >= 1 else f"{each * 1000:.1f} ms" for each in times)
    collector = f"{runs} run{'' if runs == 1 else 's'} of the garbage collector"
    after = memory_used(at_peak=True)
    more = "" if before is None or after is None else f"; {max(0, after - before):,} more bytes at the peak"
    _say(session, f"{processor_time} of processor time, {in_all} in all; {collector}{more}")


@command(",profile EXPR")
def _profile(session: Session, rest: str) -> None:
    """The value of an expression, and the calls and times of your procedures.

    Own is the time that was spent in a procedure itself and in what it called of the library, and all own times add up
    to the time of all. Below is the time in those of your procedures that it called. Each turn of a loop is a call. A
    call in tail position replaces its caller, so its time counts for the caller's caller.

    Counting takes time, too: a program runs several times slower meanwhile, and small procedures look more expensive
    than they are. Afterwards everything runs as before.

    minischeme --profile FILE shows the same for a program, minischeme --coverage FILE how often each line ran.
    """
    from minischeme.profiling.report import show_profile

    show_profile(session, rest)


def _collections() -> int:
    return sum(generation["collections"] for generation in gc.get_stats())


@command(",expand EXPR")
def _expand(session: Session, rest: str) -> None:
    """What the special forms and macros of an expression stand for."""
    for form in _forms(session, ",expand", rest):
        _say(session, core_text(expansion(session, form), min(session.output.width or WIDTH, WIDTH)), 4)


@command(",python NAME")
def _python(session: Session, rest: str) -> None:
    """The Python that a procedure, or an expression, was compiled to."""
    for form in _forms(session, ",python", rest):
        if type(form.datum) is Symbol:
            _say(session, _python_of(session, form.datum.name), 4)
        else:
            _say(session, session.main.unit(expansion(session, form)).python_text(), 4)


def _python_of(session: Session, name: str) -> str:
    value = value_of(session, name)
    if value is None:
        raise _unknown(session, ",python", name)
    info = info_of(untraced(value).__code__) if type(value) is FunctionType else None
    if info is None:
        what = "a standard procedure, written in Python" if type(value) is FunctionType else "no procedure"
        raise SchemeError(f",python: {name} is {what}")
    return info.unit.python_text()


def _forms(session: Session, name: str, text: str) -> list[Form]:
    forms = list(read(Source(text, "<prompt>"), fold_case=session.dialect == "berkeley"))
    if not forms:
        raise SchemeError(f"{name}: which expression?")
    return forms


@command(",seed N")
def _seed(session: Session, rest: str) -> None:
    """Start the random numbers from N, so that a run can be repeated."""
    if re.fullmatch(r"[+-]?[0-9]{1,4000}", rest) is None:
        raise SchemeError(f",seed: not an integer: {rest}")
    session.prompt.recording.seed(int(rest))
    _say(session, f"(random n) starts from {rest}.")


@command(",bt")
def _backtrace(session: Session, _rest: str) -> None:
    """The procedures that were active at the last error, the innermost first."""
    activations = _activations(session, ",bt")
    for number, activation in enumerate(activations[:_MOST_ACTIVATIONS], 1):
        _say(session, f"{number:>3}  in {activation.line()}", 4)
    if len(activations) > _MOST_ACTIVATIONS:
        _say(session, f"  … and {len(activations) - _MOST_ACTIVATIONS} more")


@command(",locals [N]")
def _locals(session: Session, rest: str) -> None:
    """The variables of your innermost procedure at the last error, or of the Nth that ,bt shows."""
    activations = _activations(session, ",locals")
    if not rest:
        own = (number for number, each in enumerate(activations, 1) if each.library is None)
        rest = str(next(own, 1))
    if not (rest.isdecimal() and 1 <= int(rest) <= len(activations)):
        raise SchemeError(f",locals: not a number from 1 to {len(activations)}: {rest}")
    activation = activations[int(rest) - 1]
    variables = activation.variables() if activation.variables is not None else {}
    _say(session, f"in {activation.name}{f' at {activation.span}' if activation.span is not None else ''}")
    for name, value in variables.items():
        shown = session.prompt.written(naming_expression(value, session.globals))
        _say(session, f"  {name} = {abbreviated(shown, _LONGEST_LOCAL)}")
    if not variables:
        _say(session, "  no variables are known")


def _activations(session: Session, command: str) -> Sequence[Activation]:
    if session.prompt.last_error is None:
        raise SchemeError(f"{command}: there was no error yet")
    if not session.prompt.last_error.activations:
        raise SchemeError(f"{command}: no procedure was active at the last error")
    return session.prompt.last_error.activations


@command(",history [N]")
def _history(session: Session, rest: str) -> None:
    """What you have typed since minischeme began, or the last N of it."""
    if rest and not rest.isdecimal():
        raise SchemeError(f",history: not a number: {rest}")
    entries = session.prompt.entries
    first = max(0, len(entries) - int(rest)) if rest else 0
    for number, (text, _) in enumerate(entries[first:], first + 1):
        _say(session, f"{number:>4}  " + text.replace("\n", "\n      "), 4)


@command(",save FILE")
def _save(session: Session, rest: str) -> None:
    """Write what you have typed to a file that can be loaded; what failed is a comment there."""
    path = os.path.expanduser(rest)
    text = "".join(
        f"{entry}\n" if succeeded else "".join(f"; {line}\n" for line in entry.split("\n"))
        for entry, succeeded in session.prompt.entries
        if not entry.startswith(",")
    )
    if os.path.exists(path) and not text.startswith(source_text(path)):
        raise SchemeError(f",save: {rest} is there already, and is left as it is", hint="choose another name")
    with NewContents(path) as contents:
        contents.stream.write(text)
        contents.take_place()
    _say(session, f"{rest} written")


@command(",load FILE")
def _load(session: Session, rest: str) -> None:
    """Run a file, and tell which definitions changed since it was last loaded."""
    _load_and_tell(session, rest)


@command(",reload")
def _reload(session: Session, _rest: str) -> None:
    """Load the last file again, and tell what changed in it."""
    _load_and_tell(session, last_file(session, ",reload"))


def _load_and_tell(session: Session, name: str) -> None:
    before = {os.path.abspath(path): text for path, text in session.loader.texts.items()}
    try:
        if session.prompt.recording.recorder is None:
            session.load(name)
        elif not session.prompt.evaluate_and_print(f"(load {write(String(name))})"):
            return
    except SchemeError as error:
        session.prompt.show_error(error)
    else:
        path = last_file(session, ",load")
        new = definitions(session, session.loader.loaded[path])
        earlier = before.get(os.path.abspath(path))
        if earlier is not None:
            _say(session, changes(os.path.basename(path), definitions(session, earlier), new))
        else:
            _say(session, f"{os.path.basename(path)} loaded: {', '.join(new) or 'it defines nothing'}")


@command(",check [FILE | EXPR]")
def _check(session: Session, rest: str) -> None:
    """What is wrong with a file, the last one if none is named, or with an expression; nothing is evaluated."""
    from minischeme.checking.formats import show_mistakes  # here, since it is seldom needed

    show_mistakes(session, rest or last_file(session, ",check"))


@command(",fmt EXPR")
def _fmt(session: Session, rest: str) -> None:
    """An expression with its lines indented as minischeme fmt does for files; nothing is evaluated."""
    from minischeme.formatting.formatter import show_formatted

    show_formatted(session, rest)


@command(",edit [name]")
def _edit(session: Session, rest: str) -> None:
    """Open the last file, or the definition of a procedure, in $EDITOR; then load it again."""
    if rest and value_of(session, spelling(session, rest)) is None:
        raise _unknown(session, ",edit", rest)
    path, line = place_to_edit(session, rest)
    edit_file(session, path, line)
    _load_and_tell(session, path)


@command(",transcript [FILE]")
def _transcript(session: Session, rest: str) -> None:
    """Write all that is typed and shown from here on to the end of a file; alone, stop that."""
    if rest:
        session.prompt.recording.start(rest)
        _say(session, f"Writing to {rest}; ,transcript ends it.")
    elif session.prompt.recording.recorder is None:
        raise SchemeError(",transcript: which file?")
    else:
        session.prompt.recording.stop()
        _say(session, "The transcript has ended.")


def run_rc(session: Session) -> None:
    """Evaluate the user's rc.scm, then run the comma-commands on lines of their own in it; errors are shown."""
    path = rc_path()
    if not os.path.isfile(path):
        return
    try:
        lines = source_text(path).split("\n")
        commands = [line for line in lines if re.match(",[A-Za-z]", line)]
        session.eval("\n".join("" if line in commands else line for line in lines), path)
    except SchemeError as error:
        session.prompt.show_error(error)
    except (OSError, UnicodeDecodeError) as error:
        session.prompt.show_error(SchemeError(f"{path}: {error}"))
    else:
        for line in commands:
            dispatch(session, line)


@command(",rc")
def _rc(session: Session, _rest: str) -> None:
    """Open your own rc.scm in $EDITOR: Scheme and commands that each prompt begins with."""
    path = rc_path()
    os.makedirs(os.path.dirname(path), exist_ok=True)
    edit_file(session, path, 1)


@command(",vi")
def _vi(session: Session, _rest: str) -> None:
    """Edit with the keys of vi, or no longer; in rc.scm, from the beginning."""
    if not session.prompt.has_line_editor:
        raise SchemeError(",vi: lines can be edited at the prompt of a capable terminal only, and this is none")
    session.prompt.vi_keys = not session.prompt.vi_keys


@command(",quit")
def _quit(_session: Session, _rest: str) -> None:
    """Leave, as Ctrl-D does."""
    raise SchemeExit(0)
