"""The comma-commands, in a session and at the plain prompt."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typed_commands import FACT, Prompt

from minischeme import Session
from minischeme.data.errors import SchemeExit, UnfinishedInput
from minischeme.data.printer import write
from minischeme.data.source import Source
from minischeme.expansion.unparse import core_text
from minischeme.reading.reader import read
from minischeme.repl.commands import TABLE, dispatch
from minischeme.session.describe import expansion
from minischeme.system.memory import memory_used

# ── the table ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_help_alone_shows_every_command_with_a_line_of_help() -> None:
    text = Prompt().said(",help")
    assert len(text.splitlines()) == len(TABLE)
    for command in TABLE.values():
        assert command.doc
        assert "\n" not in command.doc
        assert command.grammar in text


def test_quit_leaves() -> None:
    with pytest.raises(SchemeExit):
        dispatch(Prompt().session, ",quit")


@pytest.mark.parametrize(("typed", "same"), [(",h car", ",help car"), (",HELP car", ",help car"), (",ap", ",apropos")])
def test_an_unambiguous_beginning_is_enough(typed: str, same: str) -> None:
    assert Prompt().said(typed) == Prompt().said(same)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (",t", ",t may be ,trace or ,time or ,transcript"),
        (",hlep", "did you mean ,help?"),
        (",xyzzy", ",help lists the commands"),
        (",", ",help lists the commands"),
        (",seed", "which number?"),
        (",seed two", "not an integer: two"),
        (",time", "which expression?"),
        (",expand", "which expression?"),
        (",python", "which expression?"),
        (",python car", "car is a standard procedure"),
        (",python x", "x is no procedure"),
        (",python nosuch", "nothing is called nosuch"),
        (",trace --tree", "which expression?"),
        (",trace nosuch", "unbound variable: nosuch"),
        (",load", "which file?"),
        (",load nosuch.scm", 'cannot open file: "nosuch.scm"'),
        (",reload", "no file has been loaded yet"),
        (",edit", "no file has been loaded yet"),
        (",edit fact", "fact is not defined in a file"),
        (",edit car", "car is not defined in a file"),
        (",help facr", "did you mean fact"),
        (",apropos", "which word?"),
        (",apropos zzzz", "Nothing has zzzz"),
        (",transcript", "which file?"),
        (",save", "which file?"),
        (",history x", "not a number: x"),
        (",transcript /nosuch/folder/file", "cannot open"),
        (",expand (if)", "if: bad syntax: (if)"),
        (",expand )", "which expression?"),
    ],
)
def test_mistakes_are_told(typed: str, told: str) -> None:
    assert told in Prompt(FACT, "(define x 5)").said(typed)


@pytest.mark.parametrize("command", [command for command in TABLE if command not in ("load", "edit", "rc", "quit")])
@pytest.mark.parametrize("rest", ["", "fact", "(fact 3)", "'a", "5", '"', "#", ")", "x y z", "\x00", "|", "--tree"])
def test_nothing_ends_the_session_or_changes_definitions(
    command: str, rest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where some write a file
    prompt = Prompt(FACT, "(define x 5)")
    before = {key: value for key, value in prompt.session.globals.items() if key != "__builtins__"}
    prompt.session.prompt.recording.open_file = lambda name: io.StringIO()
    try:
        prompt.said(f",{command} {rest}")
    except UnfinishedInput:
        assert rest in ('"', "#", "|")
    prompt.session.eval("(if (not (null? (trace))) (untrace))")
    assert {key: value for key, value in prompt.session.globals.items() if key != "__builtins__"} == before


def test_an_exit_in_an_expression_leaves() -> None:
    with pytest.raises(SchemeExit):
        dispatch(Prompt().session, ",time (exit 3)")


# ── evaluating ───────────────────────────────────────────────────────────────────────────────────────────────────────


TIMES = (
    r"[\d.]+ m?s of processor time, [\d.]+ m?s in all; \d+ runs? of the garbage collector"
    r"(; [\d,]+ more bytes at the peak)?"
)


def test_time_shows_the_value_then_the_times() -> None:
    value, times = Prompt(FACT).said(",time (fact 5)").splitlines()
    assert value == "120"
    assert re.fullmatch(TIMES, times)


def test_time_of_an_error() -> None:
    text = Prompt().said(",time (car 5)")
    assert "car: wrong type of argument: 5" in text
    assert "processor time" in text.splitlines()[-1]


def test_an_unfinished_expression_asks_for_more() -> None:
    prompt = Prompt(FACT)
    for command in (",time (fact", ",expand (if", ",python (f", ",trace --tree (fact"):
        with pytest.raises(UnfinishedInput):
            dispatch(prompt.session, command)
    assert "120" in prompt.said(",time (fact\n5)")


def test_trace() -> None:
    prompt = Prompt(FACT)
    assert prompt.said(",trace fact") == "okay\n"
    r7rs = Prompt("(define (f x) x)", dialect="r7rs")
    assert r7rs.said(",trace f") == ""
    assert "-> f with x = 1" in r7rs.said(",time (begin (f 1) (untrace f) (f 2))")
    assert prompt.said(",trace") == "(fact)\n"
    assert prompt.said(",trace --tree (fact 1)") == "(fact 1) → 1\n└─ (fact 0) → 1\n"


def test_seed() -> None:
    prompt = Prompt()
    prompt.said(",seed 42")
    assert prompt.session.eval("(random 1000)") == Session(seed=42).eval("(random 1000)")


def test_python() -> None:
    prompt = Prompt(FACT, "(trace fact)")
    assert "return n * " in prompt.said(",python fact")
    assert "(1 2).car" in prompt.said(",python (car '(1 2))")


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("(cond (a 1) (else 2))", "(if a 1 2)"),
        ("(let ((x 1) (y 2)) (+ x y))", "(let* ((x 1) (y 2)) (+ x y))"),
        ("(let ((x 1)) (let ((x (+ x 1))) x))", "(let* ((x 1)) (let* ((x.2 (+ x 1))) x.2))"),
        ("(define (f x . r) (g x) r)", "(define (f x . r) (g x) r)"),
        ("(define x 'a)", "(define x 'a)"),
        ('(set! x "s")', '(set! x "s")'),
        ("(or a b c)", "(or a b c)"),
        ("(and a b)", "(if a b #f)"),
        ("(if a b)", "(if a b)"),
        ("(delay (f x))", "(delay (f x))"),
        ("(swap! p q)", "(let* ((tmp p)) (set! p q) (set! q tmp))"),
        ("(let loop ((i 0)) (loop (+ i 1)))", "(letrec* ((loop (lambda (i) (loop (+ i 1))))) (loop 0))"),
        ("(begin (f) (let ((x 1)) x) (g))", "(begin (f) (let* ((x 1)) x) (g))"),
        ("(lambda (x) (define y x) (f y))", "(lambda (x) (let* ((y x)) (f y)))"),
        ("`(1 ,x)", "(cons 1 (cons x '()))"),
        ("(let-values (((a) (f))) a)", "(let* ((values (unpack (f))) (a (item values 0))) a)"),
    ],
)
def test_expand(text: str, expanded: str) -> None:
    prompt = Prompt("(define-syntax swap! (syntax-rules () ((_ a b) (let ((tmp a)) (set! a b) (set! b tmp)))))")
    shown = " ".join(prompt.said(f",expand {text}").split())
    assert shown.replace("()", "'()").replace("''()", "'()") == expanded.replace("''()", "'()")


def test_an_expansion_means_the_same() -> None:
    text = """
(define (f n)
  (define (double x) (* 2 x))
  (do ((i 0 (+ i 1)) (l '() `(,(double i) . ,l)))
      ((= i n) (let* ((l (reverse l)) (l (cons 'start l))) (case (length l) ((4) => list) (else l))))))
"""
    first, second = Prompt(text), Prompt()
    (form,) = read(Source(text, "<test>"))
    second.session.eval(core_text(expansion(second.session, form)))
    for n in (0, 3, 5):
        assert write(first.session.eval(f"(f {n})")) == write(second.session.eval(f"(f {n})"))


def test_expanding_a_definition_of_a_macro_defines_nothing() -> None:
    prompt = Prompt("(define-macro (m a) ''old)")
    prompt.said(",expand (define-macro (m a) ''new)")
    prompt.said(",expand (define (m a) a)")
    assert write(prompt.session.eval("(m 1)")) == "old"


def test_a_long_expansion_is_laid_out_in_lines() -> None:
    clauses = " ".join(f"((= x {number}) (display '(some long answer {number})))" for number in range(5))
    shown = Prompt().said(f",expand (define (f x) (cond {clauses} (else 'no)))").splitlines()
    assert shown[0] == "(define (f x)"
    assert max(map(len, shown)) <= 76


# ── files ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_reload_tells_what_changed(tmp_path: Path) -> None:
    file = tmp_path / "mine.scm"
    file.write_text("(define (f x) 1)\n(define (g x) 2)\n(define h 3)\n(f 1)\n")
    prompt = Prompt()
    assert prompt.said(f",load {file}") == "mine.scm loaded: f, g, h\n"
    assert prompt.said(",reload") == "mine.scm loaded again; no definition changed\n"
    file.write_text("(define (f x) 10)\n(define h 3)\n(define (new) 4)\n")
    assert prompt.said(",reload") == (
        "mine.scm loaded again; new: new; changed: f; no longer in the file, but still defined: g\n"
    )
    assert prompt.session.eval("(+ (f 0) (g 0))") == 12


def test_definitions_in_a_file_without_a_bracket_are_not_new_when_it_is_there_again(tmp_path: Path) -> None:
    file, text = tmp_path / "mine.scm", "(define (f x) x)\n(define (g x)\n  x)\n(define (h x) x)\n"
    file.write_text(text)
    prompt = Prompt()
    prompt.said(f",load {file}")
    file.write_text(text.replace("f x) x)", "F x) x"))
    assert "end of file inside list" in prompt.said(",reload")
    file.write_text(text)
    assert prompt.said(",reload") == "mine.scm loaded again; changed: f\n"


def test_reload_after_the_procedure_load_and_after_an_error(tmp_path: Path) -> None:
    file = tmp_path / "mine.scm"
    file.write_text("(define (f x) 1)\n(car 5)\n")
    prompt = Prompt()
    prompt.session.prompt.evaluate_and_print(f'(load "{file}")')
    file.write_text("(define (f x) 1)\n(define (g x) 2)\n")
    assert prompt.said(",reload") == "mine.scm loaded again; new: g\n"
    file.write_text("(define (f x) 1")
    assert f"{file}:1:1" in prompt.said(",reload")


def test_the_last_file_is_the_one_that_was_asked_for(tmp_path: Path) -> None:
    (tmp_path / "outer.scm").write_text('(load "inner.scm")\n')
    (tmp_path / "inner.scm").write_text("(define x 1)\n")
    prompt = Prompt()
    prompt.said(f',load "{tmp_path}/outer"')
    assert prompt.said(",reload").startswith("outer.scm loaded again")


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An editor that appends a definition to the file; what it was asked is in the file that is given."""
    script = tmp_path / "editor.py"
    asked = tmp_path / "asked"
    script.write_text(
        "import sys\n"
        f"open({str(asked)!r}, 'w').write(' '.join(sys.argv[1:]))\n"
        "open(sys.argv[-1], 'a').write('(define added 1)\\n')\n"
    )
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")
    return asked


def test_edit_opens_the_file_at_the_definition_and_loads_it_again(tmp_path: Path, editor: Path) -> None:
    file = tmp_path / "mine.scm"
    file.write_text("; comment\n\n(define (f x)\n  1)\n(define y 2)\n")
    prompt = Prompt()
    prompt.session.load(file)
    assert prompt.said(",edit f") == "mine.scm loaded again; new: added\n"
    assert editor.read_text() == f"+3 {file}"
    prompt.said(",edit y")
    assert editor.read_text() == f"+5 {file}"
    prompt.said(",edit")
    assert editor.read_text() == f"+1 {file}"


def test_edit_opens_no_file_of_the_library(tmp_path: Path, editor: Path) -> None:
    prompt = Prompt()
    prompt.session.load("twenty-one.scm")
    for line in (",edit", ",edit twenty-one"):
        assert "copy it into your folder" in prompt.said(line)
    file = tmp_path / "mine.scm"
    file.write_text("(define (f x) 1)")
    prompt.session.load(file)
    prompt.session.load("twenty-one.scm")
    prompt.said(",edit")
    assert editor.read_text() == f"+1 {file}"


def test_an_editor_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.scm").write_text("(define x 1)")
    prompt = Prompt()
    prompt.session.load(tmp_path / "mine.scm")
    monkeypatch.delenv("VISUAL", raising=False)
    for editor in ("false", "no-such-editor-at-all", "'"):
        monkeypatch.setenv("EDITOR", editor)
        assert "*** Error" in prompt.said(",edit")


def test_rc_opens_the_user_s_own_file(tmp_path: Path, editor: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minischeme.repl.commands.files.rc_path", lambda: str(tmp_path / "minischeme" / "rc.scm"))
    assert Prompt().said(",rc") == ""
    assert editor.read_text() == f"+1 {tmp_path / 'minischeme' / 'rc.scm'}"
    assert (tmp_path / "minischeme" / "rc.scm").read_text() == "(define added 1)\n"


def test_vi_needs_a_line_editor() -> None:
    prompt = Prompt()
    assert "this is none" in prompt.said(",vi")
    assert not prompt.session.prompt.vi_keys


# ── after an error, and what was typed ───────────────────────────────────────────────────────────────────────────────


def test_bt_and_locals_after_an_error() -> None:
    prompt = Prompt("(define (total hand) (let ((n (count hand)) (add +)) (add n (car n))))")
    assert "there was no error yet" in prompt.said(",bt")
    assert "there was no error yet" in prompt.said(",locals")
    prompt.session.prompt.evaluate_and_print("(define (outer s) (list (total s)))")
    prompt.session.prompt.evaluate_and_print("(outer '(ad 8s))")
    assert prompt.said(",bt") == (
        "  1  in total at <eval>:1:61 with hand = (ad 8s)\n  2  in outer at <prompt>:1:25 with s = (ad 8s)\n"
    )
    assert prompt.said(",locals") == "in total at <eval>:1:61\n  hand = (ad 8s)\n  n = 2\n  add = +\n"
    assert prompt.said(",locals 2") == "in outer at <prompt>:1:25\n  s = (ad 8s)\n"
    assert "not a number from 1 to 2: 3" in prompt.said(",locals 3")
    assert "no command" in prompt.said(",nosuch")
    assert "in total" in prompt.said(",locals")
    prompt.session.prompt.evaluate_and_print("(car 5)")
    assert "no procedure was active" in prompt.said(",bt")


def test_a_long_backtrace_is_cut() -> None:
    prompt = Prompt(*(f"(define (f{n} x) (+ 1 (f{n + 1} x)))" for n in range(60)), "(define (f60 x) (car x))")
    prompt.session.prompt.evaluate_and_print("(f0 1)")
    shown = prompt.said(",bt").splitlines()
    assert len(shown) == 51
    assert shown[-1] == "  … and 11 more"


def test_history_and_save(tmp_path: Path) -> None:
    typed = (
        "(define (double x)\n  (* x 2))\n(double 'a)\n,time 1\n(double 4)\n,history 3\n,save mine.scm\n(define a 1)\n"
    )
    typed += ",save mine.scm\n,save other.scm\n"
    (tmp_path / "other.scm").write_text("(define other 1)\n")
    ended = subprocess.run(
        [sys.executable, "-m", "minischeme"], input=typed, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert "   2  (double 'a)\n   3  ,time 1\n   4  (double 4)\n" in ended.stdout
    assert (tmp_path / "mine.scm").read_text() == (
        "(define (double x)\n  (* x 2))\n; (double 'a)\n(double 4)\n(define a 1)\n"
    )
    assert ended.stdout.count("mine.scm written") == 2
    assert ",save: other.scm is there already, and is left as it is" in ended.stdout
    assert (tmp_path / "other.scm").read_text() == "(define other 1)\n"


def test_of_a_paste_only_what_failed_is_a_comment_in_the_saved_file(tmp_path: Path) -> None:
    prompt = Prompt()
    prompt.session.prompt.evaluate_and_print(
        "(define a 1)\n(car a)\n(define (f x)\n  (list x)\n(define b 2)\n", ended=True
    )
    prompt.said(f",save {tmp_path / 'mine.scm'}")
    assert (tmp_path / "mine.scm").read_text() == (
        "(define a 1)\n; (car a)\n; (define (f x)\n;   (list x)\n(define b 2)\n"
    )


def test_transcript(tmp_path: Path) -> None:
    prompt = Prompt()
    file = tmp_path / "out.txt"
    prompt.said(f",transcript {file}")
    prompt.session.prompt.evaluate_and_print("(+ 1 2)")
    prompt.said(",transcript")
    prompt.session.prompt.evaluate_and_print("(+ 3 4)")
    text = file.read_text()
    assert "> (+ 1 2)\n3\n" in text
    assert "(+ 3 4)" not in text


# ── at the plain prompt ──────────────────────────────────────────────────────────────────────────────────────────────


def test_commands_at_the_plain_prompt() -> None:
    typed = f"{FACT}\n,time (fact\n5)\n(fact 3)\n,nosuch\n,quit\n(display 'unread)\n"
    ended = subprocess.run(
        [sys.executable, "-m", "minischeme"], input=typed, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0
    shown = ended.stdout.splitlines()
    assert shown[:2] == ["fact", "120"]
    assert "processor time" in shown[2]
    assert shown[3] == "6"
    assert "there is no command ,nosuch" in ended.stdout
    assert "unread" not in ended.stdout


def test_commands_need_no_prompt_toolkit() -> None:
    program = (
        "import sys, minischeme.repl.commands\n"
        "assert not {'prompt_toolkit', 'pygments'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.skipif(memory_used() is None, reason="this system does not tell the memory of a process")
def test_time_tells_the_bytes() -> None:
    typed = ",time (vector-length (make-vector 4000000 0))\n"
    command = [sys.executable, "-m", "minischeme"]  # a new process, which has no memory left from before
    shown = subprocess.run(command, input=typed, capture_output=True, text=True, check=True).stdout
    found = re.search(r"([\d,]+) more bytes", shown)
    assert found is not None, shown
    assert int(found[1].replace(",", "")) >= 16_000_000


# ── profiles ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_profile() -> None:
    prompt = Prompt(FACT)
    value, head, row, *_ = prompt.said(",profile (fact 5)").splitlines()
    assert value == "120"
    assert head.split() == ["calls", "own", "below", "procedure"]
    assert (row.split()[0], row.split()[-1]) == ("6", "fact")
    assert "in all" in prompt.said(",profile (car 5)")


def test_a_page_of_help_of_profiles() -> None:
    for typed in (",help profile", ",help ,profile"):
        assert "caller's caller" in " ".join(Prompt().said(typed).split())


# ── ,check ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_check_shows_the_mistakes_in_an_expression_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.scm"
    file.write_text("(define (f x) (frist x))\n")
    prompt = Prompt()
    assert prompt.said(",check (define (g x) (* x x))") == "nothing to report\n"
    assert prompt.said(",check (define (g x) (* x\n  y))").splitlines()[1] == "    unbound variable: y"
    assert "no file has been loaded yet" in prompt.said(",check")
    assert prompt.said(f",check {tmp_path}/nowhere.scm").splitlines()[1].startswith("    ,check: cannot open file:")
    prompt.session.load(file)
    for command in (",check", f",check {file}", f',check "{file}"'):
        assert prompt.said(command) == (
            f"*** Warning (unbound) at {file}:1:16:\n    unbound variable: frist\n"
            "  | (define (f x) (frist x))\n  |                ^^^^^\n  did you mean first?\n"
        )
    assert "g" not in prompt.session.globals
