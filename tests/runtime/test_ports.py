"""Ports: what is pending after a read, where a line starts, and every procedure of `primitives.ports`."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from minischeme import SchemeError, Session
from minischeme.data.errors import ReadError, UnfinishedInput
from minischeme.data.printer import write
from minischeme.data.source import Source, Span
from minischeme.data.values import EOF, Char, list_of
from minischeme.reading import lexer
from minischeme.reading.reader import read
from minischeme.runtime import ports
from minischeme.runtime.ports import InputPort, OutputPort


def input_port(text: str) -> InputPort:
    return InputPort(io.StringIO(text).readline)


def run(program: str, text: str = "", dialect: str = "berkeley") -> tuple[str, str]:
    """What a program prints, and its last value, with `text` typed at it."""
    output = io.StringIO()
    session = Session(dialect=dialect, output=output, input=io.StringIO(text))
    value = write(session.eval(program))
    return output.getvalue(), value


def test_a_superfluous_bracket_is_skipped_only_for_a_person() -> None:
    with pytest.raises(ReadError):
        input_port(") a").read()
    console = input_port(") a")
    console.tied = OutputPort(io.StringIO())
    assert write(console.read()) == "a"


def test_fresh_line_starts_a_line_only_where_one_is_begun() -> None:
    stream = io.StringIO()
    port = OutputPort(stream)
    for text in ("", "a", "b\n", "c\nd"):
        port.fresh_line()
        port.write(text)
    port.fresh_line()
    port.fresh_line()
    assert stream.getvalue() == "a\nb\nc\nd\n"


def test_column_counts_since_the_newline() -> None:
    port = OutputPort(io.StringIO())
    port.write("ab")
    port.write("c")
    assert port.column == 3
    port.write("\nxy\nz")
    assert port.column == 1


def test_a_copy_gets_all_text_and_has_a_column_of_its_own() -> None:
    stream, copied = io.StringIO(), io.StringIO()
    session = Session(output=stream)
    session.output.copy = OutputPort(copied)
    session.eval('(display 12) (newline) (display "ab") (write "c\\n") (newline) (display \'x) (display "y\\nz")')
    assert copied.getvalue() == stream.getvalue() == '12\nab"c\\n"\nxy\nz'
    assert (session.output.column, session.output.copy.column) == (1, 1)
    session.eval("(newline) (fresh-line)")
    assert copied.getvalue().endswith("z\n")


def test_whether_a_stream_is_a_terminal_is_known_for_each_stream() -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    port = OutputPort(io.StringIO())
    assert not port.is_terminal
    port.stream = Screen()
    assert port.is_terminal
    port.stream = io.StringIO()
    assert not port.is_terminal


def test_a_closed_pipe_is_passed_on() -> None:
    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        OutputPort(Closed()).write("x")


def test_read_leaves_the_rest_of_the_line() -> None:
    port = input_port("(a\n b) c ; not this\n\n  d\n")
    assert write(port.read()) == "(a b)"
    assert port.pending.startswith(" c ; not this\n")
    assert write(port.read()) == "c"
    assert write(port.read()) == "d"
    assert port.read_line() == ""
    assert port.read() is EOF
    assert port.read() is EOF


def test_read_does_not_ask_for_more_than_it_needs() -> None:
    lines = iter(["(1\n", "2) 3\n"])
    port = InputPort(lambda: next(lines), tied=OutputPort(io.StringIO()))
    assert write(port.read()) == "(1 2)"
    assert write(port.read()) == "3"
    with pytest.raises(StopIteration):
        port.read()


def test_a_datum_that_the_end_of_the_text_ends() -> None:
    port = input_port("abc")
    assert write(port.read()) == "abc"
    assert port.read() is EOF


@pytest.mark.parametrize("text", ["(a (b)\n", '"abc\n', "'", "#| a"])
def test_read_of_an_unfinished_datum(text: str) -> None:
    port = input_port(text)
    with pytest.raises(UnfinishedInput):
        port.read()
    assert port.read() is EOF


@pytest.mark.parametrize(
    "lines",
    [
        ["(", *["x"] * 1000, ")"],
        ["(#|", *["( #| x |# |"] * 1000, "|# a)"],
        ['("a', *["b)"] * 1000, '" c)'],
        ["(|a", *["b)"] * 1000, "| #;", "#|(|# x", " c #\\", ")"],
        ["(((", *["'a (b . c) #(1 2.5)"] * 1000, ") 'b", ") . #0=(1 #0# ))"],
        ["(a ; (", "#!no-fold-case", "Abc", *["Abc"] * 1000, ")"],
    ],
)
def test_a_datum_of_many_lines_is_what_it_is_at_once(lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    port = input_port(text + "y")
    (expected,) = [write(form.datum) for form in read(Source(text, "text"))]
    assert write(port.read()) == expected
    assert write(port.read()) == "y"
    assert port.read() is EOF


def test_a_datum_of_many_lines_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = 0
    token_of = lexer.Lexer.tokens

    def counting(*arguments: Any) -> Iterator[lexer.Token]:
        nonlocal tokens
        for token in token_of(*arguments):
            tokens += 1
            yield token

    monkeypatch.setattr(lexer.Lexer, "tokens", counting)
    port = input_port("(" + "x y\n" * 1_000 + ") y")
    assert len(list(port.read())) == 2_000
    assert write(port.read()) == "y"
    assert port.read() is EOF
    assert 2_003 <= tokens < 2_020


ATOMS = """
    0 7 -7 -0 007 -08 123456789012345678 1234567890123456789 1+ -1+ - -a -- +5 1.5 1/2 2e3 .5 a ab2 a-b! x? * ... e10
    nan inf true #t #f a.b a,b ab'c a;c Abc a#b "a" 'a (a) () #\\a a:b a<b a* café x_y
"""


@pytest.mark.parametrize("between", [" ", "\n", " (b) ", "\n\t ", ";c\n", ")", "(c)"])
@pytest.mark.parametrize("fold_case", [True, False])
def test_an_atom_is_read_as_the_parser_reads_it(between: str, fold_case: bool) -> None:
    for atom in ATOMS.split():
        text = f"a {atom}{between}5 {atom}"
        port, expected = input_port(text), read(Source(text, "text"), fold_case=fold_case, on_stray=port_refuses)
        while True:
            try:
                form = next(expected, None)
            except (ReadError, UnfinishedInput):
                with pytest.raises((ReadError, UnfinishedInput)):
                    port.read(fold_case=fold_case)
                break
            found = port.read(fold_case=fold_case)
            if form is None:
                assert found is EOF
                break
            assert (atom, write(found), type(found)) == (atom, write(form.datum), type(form.datum))


def port_refuses(span: Span) -> None:
    raise ReadError("read: unexpected close parenthesis", span=span)


def test_characters_and_atoms_are_read_in_turn() -> None:
    port, newline = input_port("ab 12 c(d e)\n\n  f\n"), Char.of("\n")
    assert write(port.read()) == "ab"
    assert write(list_of([port.read_char(), port.peek_char(), port.read_char()])) == r"(#\space #\1 #\1)"
    assert port.read() == 2
    assert [write(port.read()) for _ in range(2)] == ["c", "(d e)"]
    assert [port.read_char(), write(port.read()), port.read_char(), port.read_char()] == [newline, "f", newline, EOF]


def test_a_token_that_goes_on_behind_the_text_that_was_there() -> None:
    pieces = iter(["(a", "b\n", "c", "d)\n"])
    assert write(InputPort(lambda: next(pieces, "")).read()) == "(ab cd)"


def test_the_place_of_an_error_in_a_datum_of_many_lines() -> None:
    port = input_port("\n(a\n b\n c\n #\\foo)\n")
    with pytest.raises(ReadError) as caught:
        port.read()
    assert str(caught.value.span) == "<console>:4:2"
    port = input_port("a (b\n c\n d]\n")
    assert write(port.read()) == "a"
    with pytest.raises(ReadError, match="the \\( at line 1, column 3 is closed by ]"):
        port.read()


def test_many_data_in_a_line_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    port = input_port("1 " * 1_000 + "\n(a)")
    assert port.read() == 1
    monkeypatch.setattr(ports, "Reading", None)
    assert [port.read() for _ in range(999)] == [1] * 999
    monkeypatch.undo()
    assert write(port.read()) == "(a)"


def test_reading_goes_on_behind_a_text_that_is_no_datum() -> None:
    port = input_port("#<a> b\nc\n")
    with pytest.raises(ReadError):
        port.read()
    assert write(port.read()) == "c"


def test_lines_and_characters_share_what_is_pending() -> None:
    port = input_port("ab\r\ncd\nef")
    assert port.peek_char() is port.read_char() is Char.of("a")
    assert port.read_line() == "b"
    assert port.read_string(4) == "cd\ne"
    assert port.read_line() == "f"
    assert port.read_line() is None
    assert port.read_char() is EOF
    assert port.peek_char() is EOF
    assert port.read_string(1) is None


def test_a_question_is_flushed_before_its_answer_is_awaited() -> None:
    events: list[str] = []

    class Console(io.StringIO):
        def flush(self) -> None:
            events.append("flush")

    def readline() -> str:
        events.append("readline")
        return "y\n"

    output = OutputPort(Console())
    output.write("Hit? ")
    port = InputPort(readline, tied=output, echoes=True)
    assert not port.char_ready()
    assert port.read_line() == "y"
    assert events == ["flush", "readline"]
    assert output.column == 0


def test_ports_print_readably() -> None:
    assert run("(current-output-port)")[1] == "#[output-port console]"
    assert run("(current-input-port)")[1] == "#[input-port console]"


def test_a_string_port_starts_lines_afresh_and_keeps_its_text_when_it_is_closed() -> None:
    program = """
        (fresh-line port) (display "a" port) (fresh-line port) (fresh-line port) (newline port) (fresh-line port)
        (write "é" port) (fresh-line port) (display 5 port) (close-port port)"""
    session = Session()
    session.eval("(define port (open-output-string))")
    session.eval(program)
    assert session.eval("(get-output-string port)").text == 'a\n\n"é"\n5'
    for refused in ("(display 1 port)", "(newline port)", "(fresh-line port)"):
        with pytest.raises(SchemeError, match="the port is closed"):
            session.eval(refused)


@pytest.mark.parametrize(
    ("program", "printed"),
    [
        ("""(display '("a" #\\b c))""", "(a b c)"),
        ("""(write '("a" #\\b c))""", '("a" #\\b c)'),
        ("""(show '(a "b"))""", "(a b)\n"),
        ("""(print '(a "b"))""", '(a "b")\n'),
        ("""(show-line '(a b "c" (d e)))""", "a b c (d e)\n"),
        ("(show-line '())", "\n"),
        ("(newline)", "\n"),
        ("(fresh-line) (display 1) (fresh-line) (fresh-line) (display 2)", "1\n2"),
        ("""(write-char #\\a) (write-string "b\\"c")""", 'ab"c'),
        ("""(write-string "abcde" (current-output-port) 1 3)""", "bc"),
        ("(display 1 (current-output-port)) (newline (current-output-port))", "1\n"),
        ("(define x (list 1 2)) (write-shared (list x x))", "(#0=(1 2) #0#)"),
    ],
)
def test_printing(program: str, printed: str) -> None:
    assert run(program) == (printed, "okay")


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("(show-line 'a)", "Invalid argument to SHOW-LINE (not a list): a"),
        ("(show-line '(a . b))", "Invalid argument to SHOW-LINE (not a list): (a . b)"),
        ("(display 1 2)", "display: not an output port: 2"),
        ("(newline 'x)", "newline: not an output port: x"),
        ("(read-char (current-output-port))", "read-char: not an input port: #[output-port console]"),
        ('(write-char "a")', 'write-char: bad character: "a"'),
        ("(write-string 'a)", "write-string: bad string: a"),
        ('(write-string "abc" (current-output-port) -1)', "write-string: bad index: -1"),
        ('(write-string "abc" (current-output-port) 2 9)', "write-string: bad bounds: (2 . 9)"),
    ],
)
def test_printing_errors(program: str, message: str) -> None:
    with pytest.raises(SchemeError) as caught:
        run(program)
    assert str(caught.value) == message


def test_read_line_gives_words() -> None:
    words = '(hello there "10s" "007" "Foo")'
    assert run("(read-line)", "  hello there 10s  007 Foo\nmore") == ("", words)


def test_read_line_after_read_gives_the_rest() -> None:
    program = "(define a (read)) (define b (read-line)) (define c (read-line)) (list a b c (read-line))"
    assert run(program, "(a b c)\n10 20\n")[1] == "((a b c) () (10 20) #[eof])"


def test_read_folds_case_as_the_dialect_does() -> None:
    assert run("(read)", "AbC")[1] == "abc"
    assert run("(read)", "AbC", "r7rs")[1] == "|AbC|"


def test_read_string_of_each_dialect() -> None:
    assert run("(read-string)", "a  b\nc")[1] == '"a  b"'
    assert run("(read-string 3 (current-input-port))", "a  b\nc")[1] == '"a  "'
    assert run("(list (eof-object) (read-string 2) (read-line) (read-line) (read-line))", "abcd\ne", "r7rs")[1] == (
        '(#[eof] "ab" "cd" "e" #[eof])'
    )
    with pytest.raises(SchemeError, match=r"^read-string: bad index: -1"):
        run("(read-string -1)", "abc", "r7rs")


def test_characters_one_by_one() -> None:
    program = "(list (char-ready?) (peek-char) (read-char) (read-char) (read-char) (eof-object? (read-char)))"
    assert run(program, "ab\n")[1] == r"(#t #\a #\a #\b #\newline #t)"


def test_interactive_strategies_of_6_001() -> None:
    program = '(princ "Hit? ") (list (user-says-y?) (user-says-y?) (read-from-keyboard))'
    assert run(program, "y\nn (1 2)\n") == ("Hit? ", "(#t #f (1 2))")


def test_port_predicates() -> None:
    program = """(map (lambda (x) (list (port? x) (input-port? x) (output-port? x)))
                      (list (current-input-port) (current-output-port) 5))"""
    assert run(program)[1] == "((#t #t #f) (#t #f #t) (#f #f #f))"


def test_an_interrupt_takes_back_what_was_typed_of_a_datum() -> None:
    typed = iter(["(a\n", "", "5\n"])

    def readline() -> str:
        line = next(typed)
        if not line:
            raise KeyboardInterrupt
        return line

    port = InputPort(readline, tied=OutputPort(io.StringIO()), echoes=True)
    with pytest.raises(KeyboardInterrupt):
        port.read()
    assert port.read() == 5


# Half of a surrogate pair is no character


HALF = "\ud800"
PROGRAMS_WITH_HALF = [
    HALF,
    f'"{HALF}"',
    f"'(a{HALF} #\\{HALF} |{HALF}|)",
    f"(define ({HALF} x{HALF}) (list x{HALF})) ({HALF} 1)",
    f'(error "{HALF}" \'{HALF})',
    f'(load "{HALF}")',
    f'(string->utf8 "{HALF}")',
    f'(call-with-output-file "half.txt" (lambda (port) (write "{HALF}" port)))',
    f'(get-environment-variable "{HALF}")',
    '(get-environment-variable "HALF")',
    "(get-environment-variables)",
    "(command-line)",
    "(list (read-char) (read) (read-line))",
    f'(begin (transcript-on "half.txt") (display "{HALF}") (transcript-off))',
    f'(read (open-input-string "{HALF}"))',
]


@pytest.mark.parametrize("text", PROGRAMS_WITH_HALF, ids=ascii)
def test_half_of_a_surrogate_pair_is_replaced_where_it_comes_in(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HALF", "\udcff")
    (tmp_path / "a.scm").write_bytes(b'(display "\xed\xa0\x80")')
    shown = io.BytesIO()
    stream = io.TextIOWrapper(shown, encoding="utf-8", write_through=True)
    session = Session(output=stream, input=io.StringIO(f"{HALF}b{HALF} {HALF}\n"))
    session.context.arguments = ["a\udcff"]
    session.prompt.evaluate_and_print(text + "\n")
    for interaction in session.interact(f'{text} (load "a.scm")'):
        interaction.output.encode()
    with suppress(SchemeError):
        write(session.eval(text)).encode()
    assert shown.getvalue()
    for file in tmp_path.iterdir():
        file.read_bytes().decode("utf-8" if file.suffix == ".txt" else "latin-1")
