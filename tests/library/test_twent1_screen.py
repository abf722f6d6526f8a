"""TWENT1 in a terminal of 40 columns and 8 lines, and the procedures of `primitives.terminal` that it rests on."""

from __future__ import annotations

import io
import re
import signal
import termios
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from terminals import Terminal
from twent1_shoes import stack

from minischeme import SchemeError, Session
from minischeme.data.printer import write

START = [
    "TWENT1                       Purse $0.00",
    "Bet $5.00                 208 cards left",
    "",
    "",
    "",
    "Welcome back. ENTER keeps, Q quits, R",
    "suspends, ESC corrects.",
    "Bet ($5.00)?",
]


class Portable(Terminal):
    """The machine that TWENT1 was written for."""

    def __init__(self, folder: Path, *arguments: str, columns: int = 40, rows: int = 8, **environment: str) -> None:
        super().__init__(folder, *arguments, columns=columns, rows=rows, **environment)

    @property
    def lines(self) -> list[str]:
        """All lines of the screen."""
        return [line.rstrip() for line in self.screen.display]

    def press(self, keys: str, *last: str) -> None:
        """Press keys, and wait for the last lines of the screen."""
        self.send(keys)
        self.wait_for(*last)

    def settings(self) -> list[object]:
        """How the terminal treats what is typed."""
        return termios.tcgetattr(self.process.child_fd)[:4]

    def last_words(self) -> str:
        """What is shown when the program has ended, and the screen is again as it was before."""
        self.ended()
        everything = self.raw + self.process.before
        _, back, words = everything.rpartition(b"\x1b[?1049l")
        assert back
        return words.replace(b"\x1b[?25h", b"").decode().strip()

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(rows, columns)
        self.process.setwinsize(rows, columns)


Start = Callable[..., Portable]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts terminals, and ends what still runs in them."""
    started: list[Portable] = []

    def new(*arguments: str, **options: object) -> Portable:
        started.append(Portable(tmp_path, *arguments, **options))  # type: ignore[arg-type]
        return started[-1]

    yield new
    for terminal in started:
        terminal.process.close(force=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The user's data folder."""
    path = tmp_path / "minischeme"
    path.mkdir()
    return path


# ── the game ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_game(start: Start, folder: Path) -> None:
    stack(folder, "8h 8d ac 7s 10h 2c kc  9h 9d kc ks  2h 3d 9c ks 7h")
    terminal = start("twent1")
    terminal.wait_for(*START)
    terminal.press("1o0\x7f\x7f2.50", "Bet ($5.00)? 12.50")
    terminal.press(
        "\r",
        "TWENT1                       Purse $0.00",
        "Bet $12.50                204 cards left",
        "  Dealer  A♣ ??",
        "* You     8♥ 8♦  16",
        "",
        "",
        "",
        "Insurance for $6.25 (Y/N)?",
    )
    assert {terminal.screen.buffer[3][11].fg, terminal.screen.buffer[3][10].fg} == {"red", "default"}
    terminal.press("y", "(H)it (S)tand s(P)lit?")
    terminal.press("P", "* Hand 1  8♥ 10♥  18", "  Hand 2  8♦ 2♣  10", "", "", "(H)it (S)tand?")
    terminal.press("s", "  Hand 1  8♥ 10♥  18", "* Hand 2  8♦ 2♣  10", "", "", "(H)it (S)tand (D)ouble?")
    terminal.press(
        "d",
        "TWENT1                      Purse $18.75",
        "Bet $12.50                201 cards left",
        "  Dealer  A♣ 7♠  soft 18",
        "  Hand 1  8♥ 10♥  18",
        "  Hand 2  8♦ 2♣ K♣  20 doubled",
        "Hand 1 ties. Hand 2 wins $25.00.",
        "Insurance loses $6.25.",
        "ENTER again, SPACE new bet, Q, R?",
    )
    # ENTER keeps the bet, SPACE asks for another one.
    terminal.press("\r", "* You     9♥ 9♦  18", "", "", "", "(H)it (S)tand s(P)lit?")
    assert "Bet $12.50                197 cards left" in terminal.lines
    terminal.press("s", "You lose $12.50.", "", "ENTER again, SPACE new bet, Q, R?")
    terminal.press(" ", "Bet ($12.50)?")
    terminal.press("100\r", "* You     2♥ 3♦  5", "", "", "", "(H)it (S)tand?")
    assert "Bet $100.00               193 cards left" in terminal.lines
    terminal.press("h", "* You     2♥ 3♦ 7♥  12", "", "", "", "(H)it (S)tand?")
    terminal.press("s", "ENTER again, SPACE new bet, Q, R?")
    terminal.send("Q")
    assert terminal.last_words() == "You leave with -$93.75."
    assert list(folder.iterdir()) == []


def test_the_longest_texts_fit(start: Start, folder: Path) -> None:
    stack(folder, "ah 2d 5s 6c as ad ac ah as ad ac ah as ad ac 2h 2s 2c 10c", purse=-399999999, bet=40000)
    terminal = start("twent1")
    terminal.wait_for("Bet ($10,000.00)?")
    assert terminal.lines[0] == "TWENT1             Purse -$99,999,999.75"
    terminal.send("9" * 60 + "z\r")
    terminal.wait_for("Not 9999999999.... A bet is $1.00 to", "$10,000.00 in steps of $0.50.", "Bet ($10,000.00)?")
    terminal.send("\r" + "h" * 14)
    hand = "* You     .. A♣ A♥ A♠ A♦ A♣ 2♥ 2♠ 2♣  20"
    terminal.wait_for(hand, "", "", "", "(H)it (S)tand?")
    terminal.send("h")
    terminal.wait(lambda lines: lines[-1:] == ["ENTER again, SPACE new bet, Q, R?"])
    assert terminal.lines[3:] == [
        "  You     .. A♦ A♣ 2♥ 2♠ 2♣ 10♣  30 bust",
        "",
        "Bust: you lose $10,000.00.",
        "",
        "ENTER again, SPACE new bet, Q, R?",
    ]
    terminal.send("?")
    terminal.wait_for(
        "ENTER: the same bet. SPACE: another one.",
        "Q: quit. R: suspend. ESC: correct.",
        "ENTER again, SPACE new bet, Q, R?",
    )
    terminal.send("\x1b")
    terminal.wait_for("Purse (-$100,009,999.75)?")
    terminal.send("1" * 60 + "\r")
    terminal.wait(
        lambda lines: lines[5:7] == ["Not 1111111111.... A purse goes from", "-$100,000,000 to $100,000,000 by $0.25."]
    )


def test_escape_and_keys_that_begin_like_it(start: Start, folder: Path) -> None:
    stack(folder, "9h 8d kc 7s")
    terminal = start("twent1")
    terminal.wait_for(*START)
    # Arrows and function keys are no ESC; nor is a key that has no meaning here.
    terminal.send("\x1b[A\x1bOP\x1b[15~\x1b[3~\t7")
    terminal.wait_for("Bet ($5.00)? 7")
    terminal.send("\x1b")
    terminal.wait_for("A corrected purse and bet. ENTER keeps a", "value.", "Purse ($0.00)?")
    terminal.send("20")
    terminal.wait_for("Purse ($0.00)? 20")
    terminal.send("\x1b")
    terminal.wait_for("Purse ($0.00)?")
    terminal.send("12.25\r\r")
    terminal.wait_for("Bet ($5.00)?")
    terminal.wait(lambda lines: lines[0] == "TWENT1                      Purse $12.25")
    terminal.send("\r")
    terminal.wait_for("(H)it (S)tand?")
    terminal.send("\x1b[A")
    terminal.wait_for("Please press a letter: (H)it (S)tand.", "", "(H)it (S)tand?")
    terminal.send("q")
    terminal.wait_for("First this hand: then you may leave.", "", "(H)it (S)tand?")
    terminal.send("\x1b")
    terminal.wait_for("Purse ($12.25)?")
    terminal.send("\r50\r")
    terminal.wait_for("(H)it (S)tand?")
    assert terminal.lines[1] == "Bet $50.00                204 cards left"


@pytest.mark.slow
@pytest.mark.parametrize("key", ["r", "\x04"])
def test_a_suspended_game_goes_on(start: Start, folder: Path, key: str) -> None:
    stack(folder, "9h 9d kc 7s  ah kd 9c 7h")
    terminal = start("twent1")
    terminal.wait_for(*START)
    terminal.send("\rs")
    terminal.wait_for("ENTER again, SPACE new bet, Q, R?")
    terminal.send(key)
    assert terminal.last_words() == "Suspended with $5.00. The next game goes on from here."
    terminal = start("twent1")
    terminal.wait_for("Bet ($5.00)?")
    assert terminal.lines[0] == "TWENT1                       Purse $5.00"
    assert terminal.lines[1] == "Bet $5.00                 204 cards left"
    terminal.send("\r")
    terminal.wait_for("A natural: you win $7.50.", "", "ENTER again, SPACE new bet, Q, R?")


@pytest.mark.slow
def test_a_killed_game_goes_on(start: Start, folder: Path) -> None:
    stack(folder, "9h 2d ac 7s 3c  kd 9c 7h")
    terminal = start("twent1")
    terminal.wait_for(*START)
    terminal.send("\ryh")
    table = ["  Dealer  A♣ ??", "* You     9♥ 2♦ 3♣  14", "", "", "", "(H)it (S)tand?"]
    terminal.wait_for(*table)
    terminal.process.kill(signal.SIGKILL)
    terminal = start("twent1")
    terminal.wait_for(
        *table[:3], "Welcome back: this hand is not over yet.", "The insurance is lost.", "(H)it (S)tand?"
    )
    assert terminal.lines[1] == "Bet $5.00                 203 cards left"
    terminal.send("h")
    terminal.wait_for("Bust: you lose $5.00. Insurance loses", "$2.50.", "ENTER again, SPACE new bet, Q, R?")


def test_the_window_may_change_its_size(start: Start, folder: Path) -> None:
    stack(folder, "9h 8d kc 7s")
    terminal = start("twent1")
    terminal.wait_for(*START)
    terminal.send("12")
    terminal.wait_for("Bet ($5.00)? 12")
    terminal.resize(80, 24)
    picture = [*START[:7], "Bet ($5.00)? 12", *[""] * 16]
    terminal.wait(lambda lines: lines == picture)
    terminal.resize(30, 4)
    terminal.wait(lambda lines: lines[3] == "Bet ($5.00)? 12")
    terminal.send("\r")
    terminal.wait_for("(H)it (S)tand?")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stop", "status"), [("\x03", 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGQUIT, 131)]
)
def test_a_terminal_is_left_as_it_was(start: Start, folder: Path, stop: str | int, status: int) -> None:
    stack(folder, "9h 8d kc 7s")
    terminal = start("twent1")
    before = terminal.settings()
    terminal.wait_for(*START)
    assert terminal.settings() != before
    terminal.send("\r")
    terminal.wait_for("(H)it (S)tand?")
    if isinstance(stop, str):
        terminal.send(stop)
    else:
        terminal.process.kill(stop)
    assert terminal.last_words() == ""
    assert terminal.process.exitstatus == status
    assert "(answers)" in (folder / "twent1.game").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("rows", range(1, 8))
def test_few_rows_show_the_hands_and_the_question(start: Start, folder: Path, rows: int) -> None:
    stack(folder, "8h 8d kc 7s 10h 2c")
    terminal = start("twent1", rows=rows)
    terminal.wait_for("Bet ($5.00)?")
    terminal.press("\r", "(H)it (S)tand s(P)lit?")
    picture = [
        "TWENT1                       Purse $0.00",
        "Bet $5.00                 202 cards left",
        "  Dealer  K♣ ??",
        "* Hand 1  8♥ 10♥  18",
        "  Hand 2  8♦ 2♣  10",
        "(H)it (S)tand?",
    ]
    terminal.send("p")
    terminal.wait(lambda lines: [line for line in lines if line] == picture[-rows:])
    picture[-1:] = ["First this hand: then you may leave.", "(H)it (S)tand?"]
    terminal.send("q")
    terminal.wait(lambda lines: [line for line in lines if line] == picture[-rows:])


def test_suits_are_letters_where_there_are_no_others(start: Start, folder: Path) -> None:
    stack(folder, "9h 8d kc 7s")
    terminal = start("twent1", PYTHONIOENCODING="ascii")
    terminal.wait_for(*START)
    terminal.send("\r")
    terminal.wait_for("  Dealer  kc ??", "* You     9h 8d  17", "", "", "", "(H)it (S)tand?")


def test_a_dumb_terminal_plays_line_by_line(start: Start, folder: Path) -> None:
    stack(folder, "9h 8d kc 7s")
    terminal = start("twent1", rows=24, TERM="dumb")
    terminal.wait(lambda lines: "Bet ($5.00)?" in lines)
    terminal.send("\n")
    terminal.wait(lambda lines: "(H)it (S)tand?" in lines)
    assert b"\x1b" not in terminal.raw


def test_the_simulation_shows_how_far_it_is(start: Start) -> None:
    terminal = start("twent1", "--simulate", "300", columns=90)
    assert terminal.ended() == 0
    shown = terminal.process.before
    assert [int(percent) for percent in re.findall(rb"\r *(\d+) %  purse", shown)] == list(range(1, 101))


# ── the procedures ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_keys_at_the_prompt(start: Start) -> None:
    terminal = start(columns=90, rows=24)
    terminal.wait(lambda lines: ">" in lines and not terminal.settings()[0] & termios.ICRNL)
    before = terminal.settings()
    terminal.send("(let loop ((n 12)) (if (> n 0) (begin (write (read-key)) (display #\\;) (loop (- n 1)))))\ra")
    terminal.wait(lambda lines: "#\\a;" in lines)
    terminal.send("é \r\x1b[A\x7f\t\x1b[1;5C\x1bq\x01\x04")
    terminal.wait(lambda lines: "#\\a;#\\é;#\\space;enter;up;backspace;tab;c-right;escape;#\\q;c-a;#[eof];" in lines)
    terminal.wait(lambda lines: lines.count(">") == 1)
    terminal.send("(car 'x)\r")
    terminal.wait(lambda lines: any("wrong type" in line for line in lines))
    terminal.wait(lambda lines: terminal.settings()[0:2] == before[0:2])


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "text"), [(["key.scm"], "waiting"), ([], ">")])
@pytest.mark.parametrize("stop", [signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM])
def test_a_terminal_is_left_as_it_was_without_the_screen(
    start: Start, tmp_path: Path, stop: signal.Signals, arguments: list[str], text: str
) -> None:
    program = tmp_path / "key.scm"
    program.write_text('(display "waiting") (read-key)', encoding="utf-8")
    terminal = start(*arguments)
    before = terminal.settings()
    terminal.wait(lambda lines: text in lines and terminal.settings() != before)
    terminal.process.kill(stop)
    terminal.process.kill(stop)
    terminal.wait(lambda lines: terminal.settings() == before)
    assert terminal.ended() == 128 + stop


@pytest.mark.slow
@pytest.mark.parametrize("key", ["e", "x", "k", "\x03"])
def test_the_screen_comes_back_however_it_is_left(start: Start, tmp_path: Path, key: str) -> None:
    program = tmp_path / "screen.scm"
    program.write_text(
        """
        (define (wait) (display "waiting") (act (read-key)))
        (define (act key)
          (cond ((equal? key #\\e) (car 'oops))
                ((equal? key #\\x) (exit 3))
                ((equal? key #\\k) (leave 'by-escape))
                (else (act (read-key)))))
        (define leave 'later)
        (display (list 'result (call/cc (lambda (k) (set! leave k) (with-screen wait)))))
        """,
        encoding="utf-8",
    )
    terminal = start(str(program))
    before = terminal.settings()
    terminal.wait(lambda lines: lines[0].startswith("waiting"))
    assert terminal.settings() != before
    terminal.send(key)
    words = terminal.last_words()
    assert terminal.process.exitstatus == {"e": 1, "x": 3, "k": 0, "\x03": 130}[key]
    expected = {"e": "car: wrong type of argument: oops", "k": "(result by-escape)"}
    assert expected.get(key, "") in words
    assert "\x1b" not in words


def test_styles_and_places(start: Start, tmp_path: Path) -> None:
    program = tmp_path / "styles.scm"
    program.write_text(
        """
        (with-screen (lambda ()
          (display "overwritten") (move-cursor 4 0) (clear-line)
          (move-cursor 3 2) (text-style 'red 'bold) (display "ab") (text-style) (display "c")
          (text-style 'reverse 'underline) (display "d") (text-style)
          (move-cursor 0 5) (write (list (terminal?) (screen-columns) (screen-rows)))
          (read-key)))
        """,
        encoding="utf-8",
    )
    terminal = start(str(program))
    terminal.wait(lambda lines: lines[5] == "(#t 40 8)")
    assert terminal.lines[0] == "over"
    assert terminal.lines[2] == "   abcd"
    looks = [terminal.screen.buffer[2][column] for column in (3, 4, 5, 6)]
    assert [(look.fg, look.bold, look.reverse, look.underscore) for look in looks] == [
        ("red", True, False, False),
        ("red", True, False, False),
        ("default", False, False, False),
        ("default", False, True, True),
    ]


def test_without_a_terminal_keys_are_characters_and_the_screen_is_left_alone() -> None:
    output = io.StringIO()
    session = Session(output=output, input=io.StringIO("a \n\x1b\té"))
    program = "(map (lambda (n) (read-key)) (iota 7))"
    assert write(session.eval(program)) == "(#\\a #\\space enter escape tab #\\é #[eof])"
    program = """(with-screen (lambda ()
        (clear-screen) (move-cursor 3 4) (clear-line) (text-style 'red) (display "text") (text-style)
        (list (terminal?) (screen-columns) (screen-rows) (displayable? "♥"))))"""
    assert write(session.eval(program)) == "(#f 80 24 #t)"
    assert output.getvalue() == "text"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("(text-style 'pink)", "text-style: no such style: pink"),
        ("(text-style 'red 5)", "text-style: bad symbol: 5"),
        ("(move-cursor 0 -1)", "move-cursor: bad index: -1"),
        ("(with-screen 5)", "with-screen: not a procedure: 5"),
    ],
)
def test_wrong_arguments(call: str, message: str) -> None:
    with pytest.raises(SchemeError, match=f"^{message}$"):
        Session().eval(call)
