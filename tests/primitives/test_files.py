"""Files and strings as ports, files that are deleted, renamed or replaced as a whole (`primitives.files`), and the
system's settings."""

from __future__ import annotations

import io
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sessions import error_in, value

from minischeme import SchemeError, Session
from minischeme.data.printer import write


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    """A session whose files are in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    return Session(output=io.StringIO())


def shown(session: Session) -> str:
    """What was printed to the console."""
    stream = session.output.stream
    assert isinstance(stream, io.StringIO)
    return stream.getvalue()


def test_what_is_written_is_read_again(session: Session) -> None:
    program = """
        (define out (open-output-file "deck.txt"))
        (write '(ah "10s") out) (newline out) (display "é ♥" out)
        (close-port out)
        (define in (open-input-file "deck.txt"))
        (list (read in) (read-char in) (read-string in) (eof-object? (read in)))"""
    assert value(session, program) == r'((ah "10s") #\newline "é ♥" #t)'
    assert Path("deck.txt").read_text(encoding="utf-8") == '(ah "10s")\né ♥'


def test_calls_close_the_file(session: Session) -> None:
    assert value(
        session, '(call-with-output-file "a" (lambda (port) (display "10 20" port) (define p port) port))'
    ) == ("#[output-port a]")
    assert value(
        session, '(call-with-input-file "a" (lambda (port) (let ((x (read port))) (list x (read port)))))'
    ) == ("(10 20)")
    program = """(define kept #f)
                 (call-with-output-file "b" (lambda (port) (set! kept port) (display "x" port) (car 5)))"""
    with pytest.raises(SchemeError, match="car: wrong type of argument: 5"):
        session.eval(program)
    assert value(session, "(output-port-open? kept)") == "#f"
    assert Path("b").read_text(encoding="utf-8") == "x"
    assert value(session, '(call/cc (lambda (return) (call-with-input-file "a" return)))') == "#[input-port a]"
    assert value(session, '(input-port-open? (call/cc (lambda (return) (call-with-input-file "a" return))))') == "#f"


def test_the_console_is_somewhere_else_for_a_while(session: Session) -> None:
    session.eval("""(with-output-to-file "a" (lambda () (display "hello there") (newline)))""")
    assert value(session, """(with-input-from-file "a" read-line)""") == "(hello there)"
    with pytest.raises(SchemeError):
        session.eval("""(with-output-to-file "a" (lambda () (display "in the file") (car 5)))""")
    session.eval("""(display "on the console")""")
    assert shown(session) == "on the console"
    assert Path("a").read_text(encoding="utf-8") == "in the file"


def test_strings_as_ports(session: Session) -> None:
    assert value(
        session, '(define in (open-input-string "(a b) c")) (list (read in) (read in) (eof-object? (read in)))'
    ) == ("((a b) c #t)")
    assert value(
        session, """(define out (open-output-string)) (write "a" out) (display 1 out) (get-output-string out)"""
    ) == (r'"\"a\"1"')
    assert value(session, "(close-output-port out) (get-output-string out)") == r'"\"a\"1"'
    assert value(session, "(with-output-to-string (lambda () (display 1) (display 2)))") == '"12"'
    assert value(session, "(call-with-output-string (lambda (port) (write 'a port)))") == '"a"'
    assert value(session, '(call-with-port (open-input-string "7") read)') == "7"
    assert shown(session) == ""


def test_closing(session: Session) -> None:
    session.eval("""(define out (open-output-file "a")) (define in (open-input-file "a"))
                    (define string (open-input-string "x"))""")
    assert value(session, "(list (output-port-open? out) (input-port-open? in))") == "(#t #t)"
    assert value(session, "(close-all-ports)") == "closed"
    assert value(session, "(list (output-port-open? out) (input-port-open? in))") == "(#f #f)"
    assert value(
        session, "(close-port out) (close-output-port out) (close-input-port in) (close-input-port string)"
    ) == ("okay")
    assert value(session, "(input-port-open? string)") == "#f"


def test_files_are_found_and_deleted(session: Session) -> None:
    assert value(session, '(file-exists? "a")') == "#f"
    session.eval('(close-port (open-output-file "a"))')
    assert value(session, '(file-exists? "a")') == "#t"
    session.eval('(delete-file "a")')
    assert not Path("a").exists()


def test_settings_of_the_system(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEALER", "soft 17")
    monkeypatch.delenv("PLAYER", raising=False)
    assert value(session, '(list (get-environment-variable "DEALER") (get-environment-variable "PLAYER"))') == (
        '("soft 17" #f)'
    )
    assert value(session, '(assoc "DEALER" (get-environment-variables))') == '("DEALER" . "soft 17")'


def test_bound_names(session: Session) -> None:
    session.eval("(define mine 1)")
    for name, bound in (("mine", "#t"), ("car", "#t"), ("yours", "#f")):
        assert value(session, f"(environment-bound? (the-environment) '{name})") == bound


def test_terminals(session: Session) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert value(session, "(terminal-port?)") == "#f"
    terminal = Session(output=Terminal())
    assert value(terminal, "(list (terminal-port?) (terminal-port? (open-output-string)))") == "(#t #f)"


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ('(open-input-file "none")', 'open-input-file: cannot open file: "none"'),
        ('(open-output-file "none/x")', 'open-output-file: cannot open file: "none/x"'),
        ('(call-with-input-file "none" read)', 'call-with-input-file: cannot open file: "none"'),
        ('(delete-file "none")', 'delete-file: cannot delete file: "none"'),
        (r'(open-input-file "a\x0;b")', r'open-input-file: cannot open file: "a\x0;b"'),
        ("(open-input-file 'a)", "open-input-file: bad string: a"),
        ("(file-exists? 5)", "file-exists?: bad string: 5"),
        ("(close-port 5)", "close-port: not a port: 5"),
        ("(close-input-port (current-output-port))", "close-input-port: not an input port: #[output-port console]"),
        ("(close-output-port (current-input-port))", "close-output-port: not an output port: #[input-port console]"),
        ("(close-port (current-output-port))", "close-port: this port stays open: #[output-port console]"),
        ("(close-port (current-input-port))", "close-port: this port stays open: #[input-port console]"),
        ("(get-output-string (current-output-port))", "get-output-string: not a string port: #[output-port console]"),
        ("(input-port-open? (current-output-port))", "input-port-open?: not an input port: #[output-port console]"),
        ("(output-port-open? 'a)", "output-port-open?: not an output port: a"),
        ("(environment-bound? (the-environment) 5)", "environment-bound?: bad symbol: 5"),
        ("(environment-bound? 5 'a)", "environment-bound?: not an environment: 5"),
        (
            '(define port (open-output-file "a")) (close-port port) (display 1 port)',
            "display: the port is closed: #[output-port a]",
        ),
        (
            '(define port (open-input-string "a")) (close-port port) (read-char port)',
            "read-char: the port is closed: #[input-port string]",
        ),
    ],
)
def test_errors(session: Session, program: str, message: str) -> None:
    assert str(error_in(session, program)) == message


# ── files that are replaced as a whole ───────────────────────────────────────────────────────────────────────────────


def test_new_contents_take_the_place_of_the_old(tmp_path: Path) -> None:
    session, path = Session(), tmp_path / "state"
    save = f'(call-with-new-contents "{path}" (lambda (port) (write (list text) port) (file-exists? "{path}")))'
    session.eval("(define text 'old)")
    assert value(session, save) == "#f", "nothing is there before the procedure returns"
    assert path.read_text() == "(old)"
    session.eval("(define text 'new)")
    assert value(session, save) == "#t"
    assert path.read_text() == "(new)"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("left", ["(car 'oops)", "(leave 'early)"])
def test_the_old_contents_stay_if_the_new_ones_are_not_complete(tmp_path: Path, left: str) -> None:
    session, path = Session(), tmp_path / "state"
    path.write_text("old")
    session.eval(
        f"""(guard (problem (#t 'failed))
              (call/cc (lambda (leave)
                (call-with-new-contents "{path}" (lambda (port) (write 'half port) {left})))))"""
    )
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_port_for_new_contents_is_closed_in_the_end(session: Session, tmp_path: Path) -> None:
    session.eval("(define kept #f)")
    for end in ("'done", "(leave 'early)", "(close-port port)"):
        program = f"""(call/cc (lambda (leave)
            (call-with-new-contents "state" (lambda (port) (set! kept port) (write 'text port) {end}))))"""
        if "close" in end:
            assert str(error_in(session, program)) == 'call-with-new-contents: cannot write file: "state"'
        else:
            session.eval(program)
        assert str(error_in(session, "(write 'more kept)")).startswith("write: the port is closed")
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


def test_new_contents_that_can_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("nowhere/state", "folder"):
        with pytest.raises(SchemeError, match=r"^call-with-new-contents: cannot (open|write) file: "):
            Session().eval(f'(call-with-new-contents "{tmp_path / name}" (lambda (port) (write 1 port)))')
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


def test_what_a_killed_process_has_left_is_taken_over(tmp_path: Path) -> None:
    program = """
        (define (for-ever n)
          (call-with-new-contents "state" (lambda (port) (write n port)))
          (for-ever (+ n 1)))
        (for-ever 0)
    """
    for milliseconds in (1, 3, 6, 10, 15, 21, 28, 36):
        process = subprocess.Popen([sys.executable, "-m", "minischeme", "-e", program], cwd=tmp_path)
        wait_for(tmp_path / "state")
        time.sleep(milliseconds / 1000)
        process.kill()
        process.wait()
        assert {path.name for path in tmp_path.iterdir()} <= {"state", ".state.minischeme1"}
    (tmp_path / ".state.minischeme1").write_text("what was half written")
    Session().eval(f"""(call-with-new-contents "{tmp_path}/state" (lambda (port) (write 'new port)))""")
    assert (tmp_path / "state").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


def test_two_who_write_new_contents_do_not_mix_them(tmp_path: Path) -> None:
    session, path = Session(), tmp_path / "state"
    path.write_text("old")
    path.chmod(0o640)
    session.eval(
        f"""(call-with-new-contents "{path}" (lambda (port)
              (write 'outer port)
              (call-with-new-contents "{path}" (lambda (port) (write 'inner port)))
              (write 'end port)))"""
    )
    assert path.read_text() == "outerend"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_lock(tmp_path: Path) -> None:
    session = Session()
    session.eval(f'(define (try thunk) (call-with-lock "{tmp_path}" thunk))')
    assert value(session, "(try (lambda () (list 'mine (try (lambda () 'too)))))") == "(mine #f)"
    assert value(session, "(try (lambda () 'free-again))") == "free-again"
    assert value(session, "(call/cc (lambda (k) (try (lambda () (k 'left)))))") == "left"
    assert "car: wrong type" in str(error_in(session, "(try (lambda () (car 5)))"))
    assert value(session, "(try (lambda () 'still-free))") == "still-free"
    session.eval(f'(define (try thunk) (call-with-lock "{tmp_path}/nowhere" thunk))')
    assert value(session, "(try (lambda () 'nothing-to-lock))") == "nothing-to-lock"
    assert list(tmp_path.iterdir()) == []


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    program = """(call-with-lock "." (lambda () (call-with-output-file "locked" newline) (read)))"""
    process = subprocess.Popen([sys.executable, "-m", "minischeme", "-e", program], cwd=tmp_path, stdin=subprocess.PIPE)
    wait_for(tmp_path / "locked")
    session = Session()
    assert value(session, f'(call-with-lock "{tmp_path}" (lambda () #t))') == "#f"
    process.kill()
    process.communicate()
    assert value(session, f'(call-with-lock "{tmp_path}" (lambda () #t))') == "#t"


def wait_for(path: Path) -> None:
    """Wait until there is such a file."""
    deadline = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_rename_file(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("text")
    new.write_text("replaced")
    Session().eval(f'(rename-file "{old}" "{new}")')
    assert new.read_text() == "text"
    with pytest.raises(SchemeError, match=r"^rename-file: cannot rename file: "):
        Session().eval(f'(rename-file "{old}" "{new}")')


def test_the_users_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert write(Session().eval("(user-data-folder)")) == f'"{tmp_path / "minischeme"}"'
    assert (tmp_path / "minischeme").stat().st_mode & 0o777 == 0o700
