"""TWENT1 line by line: its questions, bad answers to each of them, what is kept of a game, and its command.

`test_twent1.py` has the rules; `test_twent1_screen.py` plays in a terminal.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from twent1_shoes import PACK, stack

from minischeme import Session
from minischeme.cli.main import main
from minischeme.data.printer import write
from minischeme.runtime.ports import InputPort, OutputPort

ROOT = Path(__file__).parents[2]


# ── the game, line by line ───────────────────────────────────────────────────────────────────────────────────────────


class Table:
    """TWENT1 from a pipe, with its game kept in a folder."""

    def __init__(self, folder: Path, session: Session) -> None:
        self.folder = folder
        self._session = session
        self.file = folder / "twent1.game"

    def play(self, *lines: str, seed: int = 1) -> str:
        """What is shown when these lines are typed, and then no more."""
        output = io.StringIO()
        self._session.context.console.output = OutputPort(output)
        text = "".join(line + "\n" for line in lines)
        self._session.context.console.input = InputPort(io.StringIO(text).readline)
        self._session.context.chance.random.seed(seed)
        self._session.eval(f'(twent1 "{self.folder}")')
        shown = output.getvalue()
        assert max(map(len, shown.splitlines()[:-1]), default=0) <= 40
        return shown

    def saved(self) -> tuple[float, float, int]:
        """The purse and the bet in dollars, and the number of cards, of the game in the file."""
        text = self.file.read_text(encoding="utf-8")
        purse, bet, shoe = re.findall(r"\(purse (.*?)\) \(bet (.*?)\) .*\(shoe (.*?)\)", text)[0]
        return int(purse) / 4, int(bet) / 4, len(shoe.split())


@pytest.fixture(scope="module")
def loaded() -> Session:
    session = Session()
    session.load("twent1.scm")
    return session


@pytest.fixture
def game(tmp_path: Path, loaded: Session) -> Table:
    return Table(tmp_path, loaded)


def test_a_new_game(game: Table) -> None:
    assert game.play() == (
        "TWENT1                       Purse $0.00\n"
        "Bet $1.00                 208 cards left\n"
        "ENTER keeps, Q quits, R suspends, ESC\n"
        "corrects.\n"
        "Bet ($1.00)? \n"
        "Suspended with $0.00. The next game goes on from here.\n"
    )


def test_a_hand(game: Table) -> None:
    stack(game.folder, "9h 9d kc 7s")
    assert game.play("2.50", "stand", "q") == (
        "TWENT1                       Purse $0.00\n"
        "Bet $5.00                 208 cards left\n"
        "Welcome back. ENTER keeps, Q quits, R\n"
        "suspends, ESC corrects.\n"
        "Bet ($5.00)? \n"
        "Bet $2.50                 204 cards left\n"
        "  Dealer  kc ??\n"
        "* You     9h 9d  18\n"
        "(H)it (S)tand s(P)lit? \n"
        "TWENT1                       Purse $2.50\n"
        "  Dealer  kc 7s  17\n"
        "  You     9h 9d  18\n"
        "You win $2.50.\n"
        "ENTER again, SPACE new bet, Q, R? \n"
        "You leave with $2.50.\n"
    )


def test_the_bet_is_kept_or_changed_after_a_hand(game: Table) -> None:
    stack(game.folder, "9h 9d kc 7s  9s 8d kd 10s  9c 9s kc 7h")
    shown = game.play("2.50", "s", "", "s", " ", "3", "s", "r")
    assert [line for line in shown.splitlines() if line.startswith("Bet $")] == [
        "Bet $5.00                 208 cards left",
        "Bet $2.50                 204 cards left",
        "Bet $2.50                 200 cards left",
        "Bet $3.00                 196 cards left",
    ]
    assert "You win $2.50." in shown
    assert "You lose $2.50." in shown
    assert shown.endswith("\nSuspended with $3.00. The next game goes on from here.\n")
    assert game.saved() == (3, 3, 196)


@pytest.mark.parametrize(
    ("cards", "lines", "note"),
    [
        ("ah kd 9s 7h", ["1.50"], "A natural: you win $2.25."),
        ("ah kd as kh", ["", "n"], "Two naturals: a tie."),
        ("ah kd as kh", ["", "y"], "Two naturals: a tie. Insurance wins\n$5.00."),
        ("9h 9d as kh", ["", "yes"], "You lose $5.00. Insurance wins $5.00."),
        ("9h 9d as 5h 2c", ["", "Y", "S"], "A tie. Insurance loses $2.50."),
        ("9h 5d ks 5h kc", ["", "hit"], "Bust: you lose $5.00."),
        ("8h 8d ks 7h 10c 9c 2s", ["", "p", "s", "stand"], "Hand 1 wins $5.00. Hand 2 ties."),
        ("8h 8d ks 9h 3c 9c kc", ["", "split", "double", "s"], "Hand 1 wins $10.00. Hand 2 loses $5.00."),
    ],
)
def test_what_came_of_a_hand(game: Table, cards: str, lines: list[str], note: str) -> None:
    stack(game.folder, cards)
    assert f"\n{note}\nENTER again" in game.play(*lines)


@pytest.mark.parametrize(
    "bad",
    ["ten", "0.25", "0.50", "1.25", "20000", "10000.50", "-5", "5,50", "1e2", "?", "hit", "x" * 5000, "é"],
)
def test_a_bad_bet_is_refused(game: Table, bad: str) -> None:
    stack(game.folder, "9h 9d kc 7s")
    shown = " ".join(game.play(bad).split())
    entry = bad if len(bad) < 12 else "xxxxxxxxxx..."
    assert f"Not {entry}. A bet is $1.00 to $10,000.00 in steps of $0.50. Bet ($5.00)?" in shown
    assert game.saved() == (0, 5, 208)


@pytest.mark.parametrize("bad", ["", " ", "x", "5", "q", "r", "hits", "split", "double", "y", "\x00", "(exit)", "🂡"])
def test_a_bad_answer_in_a_hand_is_refused(game: Table, bad: str) -> None:
    stack(game.folder, "9h 8d kc 7s")
    before, after = game.play("", bad).split("(H)it (S)tand? \n")[:2]
    expected = "First this hand: then you may leave." if bad in ("q", "r") else "Please press a letter: (H)it (S)tand."
    assert after == expected + "\n"
    assert before.endswith("* You     9h 8d  17\n")
    assert "(answers)" in game.file.read_text(encoding="utf-8")


@pytest.mark.parametrize("bad", ["", "x", "s", "h", "no!", "2.50"])
def test_a_bad_answer_about_insurance_is_refused(game: Table, bad: str) -> None:
    stack(game.folder, "9h 8d ac 7s")
    assert game.play("", bad).count("Insurance for $2.50 (Y/N)? \nPlease press a letter: (Y)es (N)o.\n") == 1


@pytest.mark.parametrize("bad", ["x", "5", "s", "enter", "10.00"])
def test_a_bad_answer_after_a_hand_is_refused(game: Table, bad: str) -> None:
    stack(game.folder, "9h 8d kc 7s")
    shown = game.play("", "s", bad)
    assert "ENTER: the same bet. SPACE: another one.\nQ: quit. R: suspend. ESC: correct.\nENTER again" in shown


def test_a_refusal_is_never_cut_off(game: Table) -> None:
    stack(game.folder, "9h 8d kc 7s")
    for length in range(1, 15):
        purse, bet = "1" * length if length > 9 else "x" * length, "x" * length
        shown = " ".join(game.play("esc", purse, "", bet).split())
        assert f"Not {shortened(purse)}. A purse goes from -$100,000,000 to $100,000,000 by $0.25. Purse (" in shown
        assert f"Not {shortened(bet)}. A bet is $1.00 to $10,000.00 in steps of $0.50. Bet (" in shown
    assert game.play("esc", "100000000", "", "q").endswith("You leave with $100,000,000.00.\n")


def shortened(entry: str) -> str:
    """How a refusal shows an entry."""
    return entry if len(entry) <= 12 else entry[:10] + "..."


@pytest.mark.parametrize(
    ("cards", "answer", "note"),
    [
        ("9h 8d ac 7s", "y", "The dealer has no natural: the insurance\nof $2.50 is lost.\n"),
        ("9h 8d ac 7s", "n", "The dealer has no natural.\n"),
        ("9h 8d ac kh", "y", "You lose $5.00. Insurance wins $5.00.\n"),
        ("9h 8d ac kh", "n", "You lose $5.00.\n"),
    ],
)
def test_what_came_of_the_insurance_is_said_at_once(game: Table, cards: str, answer: str, note: str) -> None:
    stack(game.folder, cards)
    after = game.play("", answer).split("Insurance for $2.50 (Y/N)? \n")[1]
    if "no natural" in note:
        assert after.startswith(note + "(H)it (S)tand?")
        # Told once, and the side bet is not made twice.
        assert "no natural" not in game.play("x", "h")
    else:
        assert note in after


@pytest.mark.parametrize("escape", ["\x1b", "esc", "ESC"])
@pytest.mark.parametrize(
    ("cards", "lines", "question"),
    [
        ("9h 8d kc 7s", [], "Bet ("),
        ("9h 8d kc 7s", [""], "(H)it (S)tand?"),
        ("9h 8d ac 7s", [""], "Insurance for $5.25 (Y/N)?"),
        ("9h 8d kc 7s", ["", "s"], "ENTER again, SPACE new bet, Q, R?"),
    ],
)
def test_escape_corrects_purse_and_bet(game: Table, cards: str, lines: list[str], question: str, escape: str) -> None:
    stack(game.folder, cards, purse=-50)
    corrected = game.play(*lines, escape, "-12.25", "10.50").splitlines()
    assert corrected[-2].startswith(question)
    assert game.saved()[:2] == (-12.25, 10.5)


@pytest.mark.parametrize(
    ("lines", "saved"),
    [
        (["esc", "", ""], (7, 5)),
        (["esc", "", "8"], (7, 8)),
        (["esc", "100", ""], (100, 5)),
        (["esc", "esc", "100", "esc", "200", "6"], (200, 6)),
        (["esc", "much", "0.10", "200000000", "1.25", "x", "0.25", "8"], (1.25, 8)),
        (["esc", "100"], (7, 5)),
        (["esc", "q", "r", "", ""], (7, 5)),
    ],
)
def test_a_correction(game: Table, lines: list[str], saved: tuple[float, float]) -> None:
    stack(game.folder, "9h 8d kc 7s", purse=28)
    game.play(*lines)
    assert game.saved()[:2] == saved


def test_a_corrected_bet_is_the_one_of_this_hand(game: Table) -> None:
    stack(game.folder, "6h 5d kc 7s 10s", purse=0)
    assert "You win $100.00." in game.play("", "esc", "", "50", "d", "r")
    assert game.saved() == (100, 50, 203)


def test_fewer_than_30_cards_are_shuffled_and_the_bet_is_asked(game: Table) -> None:
    stack(game.folder, "9h 9d kc 7s", size=33)
    shown = game.play("", "s", "", "h")
    assert "Bet $5.00                 208 cards left\n  Dealer  kc 7s  17\n" in shown
    assert "You win $5.00.\nShuffled. Bet ($5.00)? \n" in shown
    stack(game.folder, "9h 9d kc 7s", size=34)
    assert "Shuffled" not in game.play("", "s", "")
    stack(game.folder, "", size=29)
    assert "\nShuffled. Bet ($5.00)? " in game.play()


# ── what is kept ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("key", ["r", "R", None])
def test_a_suspended_game_goes_on(game: Table, key: str | None) -> None:
    stack(game.folder, "9h 9d kc 7s  ah kd 9c 7h")
    assert game.play("10", "s", *([key] if key else [])).endswith(
        "Suspended with $10.00. The next game goes on from here.\n"
    )
    shown = game.play("", "q", seed=2)
    assert "Purse $10.00" in shown
    assert "You     ah kd  natural" in shown
    assert shown.endswith("You leave with $25.00.\n")


@pytest.mark.parametrize("key", ["q", "Q"])
def test_a_game_that_was_left_is_over(game: Table, key: str) -> None:
    stack(game.folder, "9h 9d kc 7s")
    assert game.play("10", "s", key).endswith("You leave with $10.00.\n")
    assert list(game.folder.iterdir()) == []
    assert "Purse $0.00" in game.play()


def test_a_hand_goes_on_where_the_input_ended(game: Table) -> None:
    stack(game.folder, "8h 8d ac 7s 3c 2h 5d kh 10s")
    game.play("10", "y", "p", "h")
    assert "(answers yes split hit)" in game.file.read_text(encoding="utf-8")
    shown = game.play("s", "s", "q")
    assert "Welcome back: this hand is not over yet." in shown
    assert "Welcome back: this hand is not over yet.\nThe insurance is lost.\n" in shown
    assert "* Hand 1  8h 3c 5d  16\n  Hand 2  8d 2h  10\n" in shown
    assert shown.endswith("You leave with -$25.00.\n")


GOOD = "(shoe " + " ".join(PACK * 4) + ")"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\x00\xff",
        "(",
        ")",
        "5",
        "(twent1)",
        "(twent1 . 5)",
        f"(twentytwo (purse 0) (bet 20) (answers . #f) {GOOD})",
        f"(twent1 (purse x) (bet 20) (answers . #f) {GOOD})",
        f"(twent1 (purse 0.5) (bet 20) (answers . #f) {GOOD})",
        f"(twent1 (purse 0) (bet 1) (answers . #f) {GOOD})",
        f"(twent1 (purse 0) (bet 20) (answers stand stand stand) {GOOD})",
        f"(twent1 (purse 0) (bet 20) (answers fly) {GOOD})",
        f"(twent1 (purse 0) (bet 20) (answers . #f) {GOOD[:-1]} ah)",
        f"(twent1 (purse 0) (bet 20) (answers . #f) {GOOD[:-1]} joker)",
        f"(twent1 (purse 0) (bet 20) (answers . #f) {GOOD[:-1]} . 5)",
        f"(twent1 (purse 0) (bet 20) (answers . #f) {GOOD[:-1]} (1))",
        "(twent1 (purse 0) (bet 20) (answers) (shoe 9h 8h 7h 6h 5h))",
        f"(twent1 (purse 0) (bet 20) (answers . #f) {GOOD[:-100]}",
        "#0=(twent1 . #0#)",
    ],
)
def test_a_file_that_holds_no_game_is_put_aside(game: Table, text: str) -> None:
    game.file.write_text(text, encoding="utf-8")
    shown = game.play("", "r" if text else "")
    assert "The saved game can't be read. It is now\nin twent1.game.unreadable.\n" in shown
    assert (game.folder / "twent1.game.unreadable").read_text(encoding="utf-8") == text
    assert game.saved()[:2] == (0, 1)


def test_no_file_that_was_put_aside_is_overwritten(game: Table) -> None:
    for number in range(1, 4):
        game.file.write_text(f"spoilt {number}", encoding="utf-8")
        name = f"twent1.game.unreadable{number if number > 1 else ''}"
        assert f"It is now\nin {name}.\n" in game.play("r")
        assert (game.folder / name).read_text(encoding="utf-8") == f"spoilt {number}"
    assert (game.folder / "twent1.game.unreadable").read_text(encoding="utf-8") == "spoilt 1"


def test_two_games_do_not_overwrite_each_other(game: Table) -> None:
    stack(game.folder, "9h 9d kc 7s")
    command_line = [sys.executable, "-m", "minischeme", "twent1", "--folder", str(game.folder)]
    first = subprocess.Popen(
        command_line, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert first.stdin is not None
    assert first.stdout is not None
    first.stdin.write("10\n")
    first.stdin.flush()
    while "Bet $10.00" not in first.stdout.readline():
        pass
    shown = game.play("20", "s", "q")
    assert " ".join(shown.split()) == f"The game in {game.folder} is being played already."
    assert game.saved()[1] == 10
    first.stdin.write("s\nr\n")
    first.communicate()
    assert game.saved()[:2] == (10, 10)
    assert "Purse $10.00" in game.play("r")


def test_a_game_that_can_not_be_kept_can_be_played(tmp_path: Path, loaded: Session) -> None:
    game = Table(tmp_path / "nowhere", loaded)
    shown = game.play("5", "q")
    assert "This game can't be saved: its file can't\nbe written.\nBet ($1.00)? " in shown
    shown = game.play("r", "q")
    assert shown.count("This game can't be saved") == 2, "a game that can't be suspended goes on"
    assert shown.endswith("You leave with $0.00.\n")


def test_a_game_without_a_file() -> None:
    output = io.StringIO()
    session = Session(seed=1, output=output, input=io.StringIO("r\nq\n"))
    session.eval('(load "twent1.scm") (twent1 #f)')
    assert output.getvalue().endswith(
        "This game is played without a file that\ncould keep it.\nBet ($1.00)? \nYou leave with $0.00.\n"
    )


@pytest.mark.slow
def test_a_kill_at_any_moment_leaves_a_whole_game(game: Table) -> None:
    program = f"""
        (import (twent1 state))
        (define (save-for-ever n)
          (save-game (with-money (new-game) n 20) "{game.file}")
          (save-for-ever (+ n 4)))
        (save-for-ever 0)
    """
    for milliseconds in (0, 7, 41):
        game.file.unlink(missing_ok=True)
        process = subprocess.Popen([sys.executable, "-m", "minischeme", "-e", program], cwd=ROOT)
        deadline = time.monotonic() + 20
        while not game.file.exists() and time.monotonic() < deadline:
            time.sleep(0.001)
        time.sleep(milliseconds / 1000)
        process.kill()
        process.wait()
        assert game.saved()[1:] == (5, 208)
        assert "Welcome back." in game.play("", "r")
        assert [path.name for path in game.folder.iterdir()] == ["twent1.game"]


# ── the command, and a user's own names ──────────────────────────────────────────────────────────────────────────────


def command(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "minischeme", *arguments], input=typed, capture_output=True, text=True, cwd=ROOT
    )


@pytest.mark.slow
def test_the_command_plays(tmp_path: Path) -> None:
    done = command("twent1", "--folder", str(tmp_path / "new" / "folder"), "--seed", "5", typed="5\ns\nr\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("goes on from here.\n")
    assert (tmp_path / "new" / "folder" / "twent1.game").exists()
    done = command("twent1", "--folder", str(tmp_path / "new" / "folder" / "twent1.game" / "no-folder"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "This game can't be saved" in done.stdout


def test_the_command_simulates() -> None:
    done = command("twent1", "--simulate", "1000", "--seed", "3")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[:10]] == [str(percent) for percent in range(10, 101, 10)]
    assert lines[10].startswith("1,000 hands for $10.00: ")
    assert "The ledger balances to the cent." in lines


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["twent1", "--simulate", "abc"], "--simulate: expected a whole number, not 'abc'"),
        (["twent1", "--simulate", "0"], "--simulate: expected at least 1, not '0'"),
        (["twent1", "--seed", "1.5"], "--seed: expected a whole number, not '1.5'"),
        (["--seed", "x"], "--seed: expected a whole number, not 'x'"),
        (["--jobs", "-2"], "--jobs: expected at least 1, not '-2'"),
        (["test", "-j", "many", "x"], "-j/--jobs: expected a whole number, not 'many'"),
        (["test", "--limit", "long", "x"], "--limit: expected a number of seconds, not 'long'"),
        (["record", "--seed", "", "x"], "--seed: expected a whole number, not ''"),
    ],
)
def test_a_wrong_number_for_an_option(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert capsys.readouterr().err.endswith(f"error: argument {message}\n")


def test_the_users_names_and_the_games_do_not_meet() -> None:
    session = Session(seed=1, output=io.StringIO(), input=io.StringIO("5\ns\n"))
    session.eval("(define (total x) 'mine) (define (shuffled x) 'mine) (define (car x) 'mine) (define purse 'mine)")
    session.eval('(load "twent1.scm") (twent1 #f)')
    assert write(session.eval("(list (total 1) (shuffled 1) (car 1) purse)")) == "(mine mine mine mine)"
