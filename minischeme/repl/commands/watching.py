"""The commands that show how an expression is evaluated, what its values look like, and where an error happened."""

import gc
import re
import time
from collections.abc import Sequence
from types import FunctionType
from typing import TYPE_CHECKING

from minischeme.compiler.assembly import info_of
from minischeme.data.abbreviate import abbreviated
from minischeme.data.errors import Activation, SchemeError
from minischeme.data.values import Environment, Symbol, Value, untraced
from minischeme.evaluation.procedures import naming_expression
from minischeme.expansion.unparse import WIDTH, core_text
from minischeme.repl.commands.table import command, forms_in, say, unknown_name
from minischeme.session.call_tree import call_tree
from minischeme.session.describe import expansion, value_of
from minischeme.session.session import Session
from minischeme.system.memory import memory_used

if TYPE_CHECKING:
    from minischeme.stepping.recording import RecordedRun

_MOST_ACTIVATIONS = 50
_LONGEST_LOCAL = 300


@command(",trace [name … | --tree EXPR]")
def _trace(session: Session, rest: str) -> None:
    """Show each call of procedures, or all calls of an expression as a tree; alone, what is traced."""
    option, _, expression = rest.partition(" ")
    if option in ("--tree", "-t"):
        if not expression.strip():
            raise SchemeError(",trace --tree: which expression?")
        tree = call_tree(session, expression.strip())
        say(session, tree.text(session.output.width))
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
    forms = forms_in(session, ",draw", rest)
    _show_picture(session, list(map(session.eval_form, forms)), [form.span.text for form in forms])


@command(",draw-environment [EXPR]")
def _draw_environment(session: Session, rest: str) -> None:
    """Environments as frames: that of your definitions, and those around procedures or a value.

    Each frame is a box of variables, and "enclosing" leads to the frame around it (SICP 3.2). A frame shows the
    variables that some procedure keeps; what nothing can use any more is gone.
    """
    forms = forms_in(session, ",draw-environment", rest) if rest else []
    texts = [*(form.span.text for form in forms), "global"]
    _show_picture(session, [*map(session.eval_form, forms), Environment()], texts if forms else [""])


def _show_picture(session: Session, values: list[Value], texts: Sequence[str]) -> None:
    from minischeme.drawing.picture import draw

    session.run_as_scheme(lambda: draw(session.output, values, texts, bindings=session.globals))


def show_steps(session: Session, run: "RecordedRun") -> None:
    """Show a recorded run, full screen if that is possible."""
    if session.prompt.display.show_run is not None:
        session.prompt.display.show_run(run)
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
    say(session, f"{processor_time} of processor time, {in_all} in all; {collector}{more}")


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
    for form in forms_in(session, ",expand", rest):
        say(session, core_text(expansion(session, form), min(session.output.width or WIDTH, WIDTH)), 4)


@command(",python NAME")
def _python(session: Session, rest: str) -> None:
    """The Python that a procedure, or an expression, was compiled to."""
    for form in forms_in(session, ",python", rest):
        if type(form.datum) is Symbol:
            say(session, _python_of(session, form.datum.name), 4)
        else:
            say(session, session.main.unit(expansion(session, form)).python_text(), 4)


def _python_of(session: Session, name: str) -> str:
    value = value_of(session, name)
    if value is None:
        raise unknown_name(session, ",python", name)
    info = info_of(untraced(value).__code__) if type(value) is FunctionType else None
    if info is None:
        what = "a standard procedure, written in Python" if type(value) is FunctionType else "no procedure"
        raise SchemeError(f",python: {name} is {what}")
    return info.unit.python_text()


@command(",seed N")
def _seed(session: Session, rest: str) -> None:
    """Start the random numbers from N, so that a run can be repeated."""
    if re.fullmatch(r"[+-]?[0-9]{1,4000}", rest) is None:
        raise SchemeError(f",seed: not an integer: {rest}")
    session.prompt.recording.seed(int(rest))
    say(session, f"(random n) starts from {rest}.")


@command(",bt")
def _backtrace(session: Session, _rest: str) -> None:
    """The procedures that were active at the last error, the innermost first."""
    activations = _activations(session, ",bt")
    for number, activation in enumerate(activations[:_MOST_ACTIVATIONS], 1):
        say(session, f"{number:>3}  in {activation.line()}", 4)
    if len(activations) > _MOST_ACTIVATIONS:
        say(session, f"  … and {len(activations) - _MOST_ACTIVATIONS} more")


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
    say(session, f"in {activation.name}{f' at {activation.span}' if activation.span is not None else ''}")
    for name, value in variables.items():
        shown = session.prompt.written(naming_expression(value, session.globals))
        say(session, f"  {name} = {abbreviated(shown, _LONGEST_LOCAL)}")
    if not variables:
        say(session, "  no variables are known")


def _activations(session: Session, command: str) -> Sequence[Activation]:
    if session.prompt.last_error is None:
        raise SchemeError(f"{command}: there was no error yet")
    if not session.prompt.last_error.activations:
        raise SchemeError(f"{command}: no procedure was active at the last error")
    return session.prompt.last_error.activations
