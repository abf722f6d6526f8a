"""The command `minischeme`, run as a user runs it; and where it finds files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from minischeme.modules import files as library
from minischeme.modules.files import find_library, resolve

PLAIN = {name: value for name, value in os.environ.items() if name != "MINISCHEME_DEBUG"}
COMMAND = [sys.executable, "-m", "minischeme"]


def run(
    *arguments: str, text: str = "", folder: Path | None = None, environment: dict[str, str] | None = None
) -> tuple[str, str, int]:
    """Standard output, standard error and exit status of a run, with `text` on standard input."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        input=text,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=folder,
        env={**PLAIN, "PYTHONPATH": str(Path(library.__file__).parents[2]), **(environment or {})},
        timeout=60,
    )
    return done.stdout, done.stderr, done.returncode


def file(folder: Path, name: str, text: str) -> str:
    """The path of a new file."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_file_prints_only_what_it_displays(tmp_path: Path) -> None:
    program = file(tmp_path, "a.scm", '(define x 3)\n"quiet"\n(display (* x 2))\n(newline)')
    assert run(program) == ("6\n", "", 0)
    assert run("a", folder=tmp_path) == ("6\n", "", 0)


def test_a_program_gets_its_command_line(tmp_path: Path) -> None:
    program = file(tmp_path, "a.scm", "(write (command-line))")
    assert run(program, "one", "-2", folder=tmp_path) == (f'("{program}" "one" "-2")', "", 0)
    assert run("-e", "(command-line)") == ('("minischeme")\n', "", 0)


def test_an_error_begins_a_line_of_its_own_where_both_streams_are_one(tmp_path: Path) -> None:
    program = file(tmp_path, "bad.scm", "(display 1)\n(car 5)\n")
    with (tmp_path / "all.txt").open("w") as both:
        subprocess.run([*COMMAND, program], stdout=both, stderr=both, check=False, timeout=60)
    assert (tmp_path / "all.txt").read_text().startswith("1\n*** Error at ")


def test_an_error_in_a_file_stops_it(tmp_path: Path) -> None:
    program = file(tmp_path, "bad.scm", "(display 1)\n(car 5)\n(display 2)\n")
    output, errors, status = run(program)
    assert (output, status) == ("1", 1)
    assert f"*** Error at {program}:2:6:\n    car: wrong type of argument: 5\n" in errors
    assert "Traceback" not in errors
    assert "Traceback" in run(program, environment={"MINISCHEME_DEBUG": "1"})[1]


def test_definitions_before_an_error_are_kept_for_the_prompt(tmp_path: Path) -> None:
    program = file(tmp_path, "bad.scm", "(define x 42)\n(car 5)\n(define x 43)")
    output, errors, status = run("-i", program, text="x\n")
    assert "42\n" in output
    assert "car: wrong type of argument: 5" in errors
    assert status == 1


def test_expressions_print_their_values() -> None:
    expressions = ["-e", "(define (f x) (* x 2))", "-e", '(f 21) "a" (display "hi")', "-e", "'|A b|"]
    assert run(*expressions) == ('f\n42\n"a"\nhi\nokay\n|A b|\n', "", 0)


def test_an_error_in_an_expression_stops() -> None:
    output, errors, status = run("-e", "1", "-e", "(foo)", "-e", "2")
    assert (output, status) == ("1\n", 1)
    assert "unbound variable: foo" in errors
    assert run("-e", "(car '(1)")[2] == 1


def test_load_options_come_first_and_the_library_is_found(tmp_path: Path) -> None:
    program = file(tmp_path, "a.scm", "(define (f) 'loaded)")
    output, errors, status = run("-l", program, "-l", "twenty-one.scm", "-e", "(f)", "-e", "twenty-one")
    assert errors == ""
    assert status == 0
    assert output.startswith("loaded\n#[closure arglist=(strategy) ")


def test_arguments_of_the_program_are_not_options(tmp_path: Path) -> None:
    program = file(tmp_path, "a.scm", "(display (length (command-line)))")
    assert run(program, "-i", "--seed", "x", "--", text="2") == ("5", "", 0)
    assert run("-e", "2", program, "-e", "3") == ("2\n3", "", 0)


@pytest.mark.parametrize("text", ["(display 1)", "(display 1) (exit 2)"])
def test_an_option_behind_the_program_is_told_of(text: str, tmp_path: Path) -> None:
    program = file(tmp_path, "a.scm", text)
    output, errors, status = run(program, "7", "-e", "(+ 1 2)")
    assert output.rstrip("\n") == "1"
    assert errors.startswith(f"minischeme: -e comes after {program}, so it is passed to that program")
    assert f"minischeme -l {program} -e EXPR" in errors
    assert status == 2
    assert f"as in minischeme --watch … {program}" in run(program, "--watch")[1]
    assert run(program, "7", "-3")[1] == ""


def test_what_is_piped_in_is_treated_as_typed() -> None:
    text = '(define (f x)\n  (* x 2))\n(f 4) (f 5)\n(car 5)\n(display "hi")\n(read)\n(a b) "rest"\n'
    output, errors, status = run(text=text)
    assert output.startswith("f\n8\n10\n*** Error:\n    car: wrong type of argument: 5\n")
    assert output.endswith('\nhi\nokay\n(a b)\n"rest"\n')
    assert errors == ""
    assert status == 1
    assert run(text="(+ 1\n 2)\n") == ("3\n", "", 0)
    assert run(text="") == ("", "", 0)


def test_unfinished_input_is_an_error_at_the_end() -> None:
    output, errors, status = run(text="1\n(+ 1\n2")
    assert output.startswith("1\n*** Error:\n    read: end of file inside ")
    assert (errors, status) == ("", 1)


def test_a_missing_bracket_in_what_is_piped_in_costs_no_other_definition() -> None:
    output, errors, status = run(text="(define (f x)\n  (* x x)\n\n(define (g) 2)\n(g)\n")
    assert "the next definition begins at line 4: is a ) missing before it?" in output
    assert output.endswith("\ng\n2\n")
    assert (errors, status) == ("", 1)


def test_standard_input_as_a_program() -> None:
    assert run("-", text="(define x 3)\n(display x)") == ("3", "", 0)
    output, errors, status = run("-", text="(display 1)\n(car 5)\n(display 2)")
    assert (output, status) == ("1", 1)
    assert "*** Error at stdin:2:6:\n    car: wrong type of argument: 5\n" in errors


def test_a_prompt_afterwards(tmp_path: Path) -> None:
    program = file(tmp_path, "a.scm", "(define x 3)")
    assert run("-i", "--prompt", "STk> ", program, text="x\n(+ x\n1)\n") == ("STk> 3\nSTk> 4\nSTk> \n", "", 0)


def test_exit_statuses(tmp_path: Path) -> None:
    assert run("-e", "(exit 3)") == ("", "", 3)
    assert run(file(tmp_path, "a.scm", "(display 1) (exit) (display 2)")) == ("1", "", 0)
    assert run(text="(exit 7)\n") == ("", "", 7)
    for arguments in (["--nonsense"], ["--seed", "x"], ["-e"]):
        output, errors, status = run(*arguments)
        assert (output, status) == ("", 2), arguments
        assert errors.startswith("usage: minischeme "), arguments


@pytest.mark.parametrize("arguments", [["nosuch.scm"], ["-l", "nosuch.scm", "-e", "1"]])
def test_a_file_that_is_not_there(arguments: list[str]) -> None:
    assert run(*arguments) == ("", "minischeme: cannot open file: nosuch.scm\n", 2)


def test_version_and_help() -> None:
    assert run("--version") == ("minischeme 0.1.0\n", "", 0)
    output, errors, status = run("--help")
    assert (errors, status) == ("", 0)
    assert "--show-python" in output


def test_a_seed_repeats_a_run() -> None:
    program = "(map (lambda (x) (random 1000000)) '(1 2 3 4))"
    first, second, other = (run("--seed", seed, "-e", program)[0] for seed in ("5", "5", "6"))
    assert first == second != other
    assert run("-e", program)[0] != run("-e", program)[0]


def test_the_other_dialect() -> None:
    assert run("--r7rs", "-e", "'AbC", "-e", '(equal? "a" \'a)') == ("AbC\n#f\n", "", 0)
    assert "unbound variable: bf" in run("--r7rs", "-e", "bf")[1]


def test_python_is_shown() -> None:
    output, errors, status = run("--show-python", "-e", "(define (double x) (* x 2))")
    assert (errors, status) == ("", 0)
    assert "x * 2" in output
    assert output.endswith("\ndouble\n")


def test_text_that_the_terminal_cannot_show() -> None:
    output, errors, status = run("-e", '(display "na\u00efve")', environment={"PYTHONIOENCODING": "ascii"})
    assert (output, errors, status) == ("na\\xefve\nokay\n", "", 0)


def test_a_closed_pipe_is_quiet() -> None:
    loop = "(let loop ((n 0)) (print n) (loop (+ n 1)))"
    with subprocess.Popen([*COMMAND, "-e", loop], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=PLAIN) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"0\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 141


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    # A limit on the size of files is the portable way to a write that fails.
    program = """
import resource, sys
from minischeme.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
sys.exit(main(["-e", "1"]))
"""
    with open(tmp_path / "output", "w") as output:
        done = subprocess.run(
            [sys.executable, "-c", program], stdout=output, stderr=subprocess.PIPE, env=PLAIN, text=True, timeout=60
        )
    assert done.stderr == "minischeme: [Errno 27] File too large\n"
    assert done.returncode == 1


@pytest.mark.parametrize("way", ["-e", "piped"])
def test_control_c_ends_a_program(way: str) -> None:
    loop = '(begin (display "started") (newline) (flush-output) (let loop () (loop)))'
    arguments = [*COMMAND, "-e", loop] if way == "-e" else COMMAND
    with subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=PLAIN, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        if way == "piped":
            process.stdin.write(f"{loop}\n(display 'not-reached)\n")
            process.stdin.close()
        assert process.stdout.readline() == "started\n"
        # The message is printed a moment before the loop is entered.
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        output, errors = process.stdout.read(), process.stderr.read()
        assert process.wait(60) == 130
    assert "Traceback" not in output + errors
    assert "not-reached" not in output


# Where files are found


def test_the_library_is_found() -> None:
    assert Path(find_library(), "twenty-one.scm").is_file()


def test_places_where_files_are_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    course, current, shipped = (tmp_path / name for name in ("course", "current", "shipped"))
    for folder in (course, current, shipped):
        folder.mkdir()
    monkeypatch.chdir(current)
    monkeypatch.setattr(library, "find_library", lambda: str(shipped))
    monkeypatch.setenv("HOME", str(course))
    loading = str(course / "main.scm")

    assert resolve("x.scm", loading=loading) is None
    (shipped / "x.scm").touch()
    assert resolve("x.scm", loading=loading) == str(shipped / "x.scm")
    (current / "x.scm").touch()
    assert resolve("x", loading=loading) == "x.scm"
    (course / "x.scm").touch()
    assert resolve("./x", loading=loading) == str(course / "x.scm")
    assert resolve("x.scm") == "x.scm"
    assert resolve("~cs61a/lib/x.scm", loading=loading) == str(shipped / "x.scm")
    assert resolve("~/x") == str(course / "x.scm")
    assert resolve("../shipped/x.scm") == "../shipped/x.scm"


@pytest.mark.parametrize("name", ["", ".", "nosuch", "a\0b", "x" * 5000, "~nobody/x"])
def test_names_that_no_file_has(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert resolve(name) is None


def test_a_folder_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ok").mkdir()
    file(tmp_path, "ok.scm", "1")
    assert resolve("ok") == "ok.scm"
