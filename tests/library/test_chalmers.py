"""The Black Jack lab (lib/README.md, C1 to C11): cards, hands, the game, its properties, and what the odds must be."""

from __future__ import annotations

import io
from collections import Counter
from itertools import pairwise
from math import sqrt
from pathlib import Path

import pytest
from sessions import error_in, shown, value
from tables import table

from minischeme import SchemeError, Session
from minischeme.data.printer import write


def lab(*files: str, seed: int = 1, input: str = "") -> Session:
    """A session with the lab, and more files of it."""
    session = Session(seed=seed, output=io.StringIO(), input=io.StringIO(input))
    for file in ("black-jack.scm", *files):
        session.load(f"chalmers/{file}")
    return session


@pytest.fixture(scope="module")
def black_jack() -> Session:
    """The lab, for tests that leave it as it is."""
    return lab()


def printed(session: Session, expression: str) -> list[str]:
    """The lines that an expression prints, then its value."""
    return shown(session, expression).splitlines()


def hand(text: str) -> str:
    """The expression of a hand. Args: text: its cards, ``ace 10``, of any suits, the top card first."""
    expression = "(empty)"
    for number, rank in reversed(list(enumerate(text.split()))):
        expression = f"(add (make-card '{rank} (list-ref suits {number % 4})) {expression})"
    return expression


# ── C1 to C8: the game ───────────────────────────────────────────────────────────────────────────────────────────────


def test_c1_hands(black_jack: Session) -> None:
    assert value(black_jack, "(size (empty))") == "0"
    assert value(black_jack, "(add (make-card 'ace 'spades) (empty))") == "((ace spades))"
    assert value(black_jack, f"(size {hand('2 10 jack')})") == "3"
    assert value(black_jack, f"(rank (top {hand('queen 3')}))") == "queen"
    assert value(black_jack, f"(suit (top {hand('queen 3')}))") == "hearts"
    assert value(black_jack, f"(below-top {hand('queen 3')})") == "((3 spades))"
    assert value(black_jack, "(list (length suits) (length ranks))") == "(4 13)"


@pytest.mark.parametrize(
    ("cards", "worth"),
    [
        ("", 0),
        ("2", 2),
        ("10", 10),
        ("jack", 10),
        ("queen", 10),
        ("king", 10),
        ("ace", 11),
        ("ace king", 21),
        ("ace ace", 2),
        ("ace ace 9", 11),
        ("ace 10 10", 21),
        ("ace ace ace ace", 4),
        ("ace 9 2", 12),
        ("ace 8 2", 21),
        ("10 10 2", 22),
        ("10 10 ace ace", 22),
    ],
)
def test_c2_value(black_jack: Session, cards: str, worth: int) -> None:
    assert value(black_jack, f"(value {hand(cards)})") == str(worth)
    assert value(black_jack, f"(game-over {hand(cards)})") == ("#t" if worth > 21 else "#f")


@pytest.mark.parametrize(
    ("guest", "bank", "who"),
    [
        ("10 9", "10 8", "guest"),
        ("10 8", "10 9", "bank"),
        ("10 8", "9 9", "bank"),
        ("10 10 2", "10 8", "bank"),
        ("10 10 2", "10 10 5", "bank"),
        ("10 2", "10 10 2", "guest"),
        ("ace king", "10 10", "guest"),
        ("ace king", "7 7 7", "bank"),
        ("", "10 6", "bank"),
    ],
)
def test_c3_winner(black_jack: Session, guest: str, bank: str, who: str) -> None:
    assert value(black_jack, f"(winner {hand(guest)} {hand(bank)})") == who


def test_c1_belongs_to(black_jack: Session) -> None:
    for card, belongs in [("queen 'hearts", "#t"), ("3 'spades", "#t"), ("queen 'spades", "#f"), ("ace 'hearts", "#f")]:
        assert value(black_jack, f"(belongs-to (make-card '{card}) {hand('queen 3')})") == belongs
    assert value(black_jack, "(belongs-to (make-card 3 'spades) (empty))") == "#f"


def test_c4_on_top(black_jack: Session) -> None:
    assert (
        value(black_jack, f"(<+ {hand('2 3')} {hand('king ace')})")
        == "((2 hearts) (3 spades) (king hearts) (ace spades))"
    )
    assert value(black_jack, f"(<+ (empty) {hand('2')})") == value(black_jack, f"(<+ {hand('2')} (empty))")


def test_c5_full_deck(black_jack: Session) -> None:
    cards = [write(card) for card in black_jack.eval("(full-deck)")]
    assert len(cards) == len(set(cards)) == 52
    assert [card.rpartition(" ")[2] for card in cards] == [
        f"{suit})" for suit in ("hearts", "spades", "diamonds", "clubs") for _ in range(13)
    ]


def test_c6_draw(black_jack: Session) -> None:
    assert value(black_jack, f"(draw {hand('2 3 4')} {hand('king')})") == (
        "(((3 spades) (4 diamonds)) ((2 hearts) (king hearts)))"
    )
    assert str(error_in(black_jack, f"(draw (empty) {hand('2 3')})")) == "draw: The deck is empty."


@pytest.mark.parametrize(
    ("deck", "worth"),
    [("10 5 ace 9", 16), ("10 6 9", 16), ("10 5 king", 25), ("ace 4 9 2 7", 16), ("ace 5 9", 16), ("8 7 6 5", 21)],
)
def test_c7_play_bank(black_jack: Session, deck: str, worth: int) -> None:
    assert value(black_jack, f"(value (play-bank {hand(deck)}))") == str(worth)


def test_c7_the_bank_may_run_out_of_cards(black_jack: Session) -> None:
    with pytest.raises(SchemeError, match="draw: The deck is empty"):
        black_jack.eval(f"(play-bank {hand('2 3')})")


def test_c8_shuffle(black_jack: Session) -> None:
    def shuffled(gen: str) -> list[str]:
        return [write(card) for card in black_jack.eval(f"(shuffle {gen} (full-deck))")]

    assert shuffled("(make-gen 1)") == shuffled("(make-gen 1)")
    assert sorted(shuffled("(make-gen 1)")) == sorted(shuffled("(make-gen 2)"))
    orders = [shuffled(f"(make-gen {seed})") for seed in range(-10, 10)]
    assert len({tuple(order) for order in orders}) == 20
    assert len({order[0] for order in orders}) > 10
    assert value(black_jack, "(shuffle (make-gen 1) (empty))") == "()"


def test_c8_each_order_is_equally_likely(black_jack: Session) -> None:
    orders = black_jack.eval(f"(map (lambda (seed) (shuffle (make-gen seed) {hand('2 3 4')})) (iota 1200))")
    counts = Counter(map(write, orders))
    assert len(counts) == 6
    assert sum((count - 200) ** 2 / 200 for count in counts.values()) < 20.5  # chi-square, 5 degrees, 0.1 %


def test_c8_a_generator_is_a_value_that_is_passed_on(black_jack: Session) -> None:
    black_jack.eval("(define gen (make-gen 7))")
    assert value(black_jack, "(random-number 100 gen)") == value(black_jack, "(random-number 100 gen)")
    numbers = []
    for _ in range(200):
        numbers.append(int(value(black_jack, "(car (random-number 100 gen))")))
        black_jack.eval("(define gen (cadr (random-number 100 gen)))")
    assert len(set(numbers)) > 70
    assert min(numbers) >= 0
    assert max(numbers) < 100
    assert value(black_jack, "(equal? (car (split-gen gen)) (cadr (split-gen gen)))") == "#f"


def test_c8_random_numbers_have_bounds(black_jack: Session) -> None:
    rolls = black_jack.eval("(map (lambda (seed) (car (random-number -2 3 (make-gen seed)))) (iota 600))")
    assert set(rolls) == set(range(-2, 4))
    assert value(black_jack, "(car (random-number 7 7 (make-gen 1)))") == "7"
    assert value(black_jack, "(equal? (random-number 6 (make-gen 1)) (random-number 0 5 (make-gen 1)))") == "#t"
    for bounds, numbers in [("3 2", "3 to 2"), ("0", "0 to -1")]:
        error = error_in(black_jack, f"(random-number {bounds} (make-gen 1))")
        assert str(error) == f"random-number: There is no number from {numbers}."


def test_c8_the_numbers_are_those_of_splitmix64(black_jack: Session) -> None:
    """The first numbers that its author's program gives from the state 1234567."""
    black_jack.eval("(define gen 1234567)")
    for number in (6457827717110365317, 3203168211198807973, 9817491932198370423):
        assert black_jack.eval("(car (random-number (expt 2 64) gen))") == number
        black_jack.eval("(define gen (cadr (random-number 1000 gen)))")


SIZE = 2**20
"""How many numbers there are to draw from, where neighbouring seeds are compared."""


def drawn(session: Session, gens: str, skip: int = 0, count: int = 2000) -> list[int]:
    """A number for each seed. Args: gens: the gen of a ``seed``. skip: how many numbers are drawn before."""
    gen = f"((repeated (lambda (gen) (cadr (random-number 6 gen))) {skip}) {gens})"
    return list(session.eval(f"(map (lambda (seed) (car (random-number {SIZE} {gen}))) (iota {count}))"))


def correlation(numbers: list[int], others: list[int]) -> float:
    """Of two lists of numbers below SIZE, in standard deviations of what it is by chance."""
    middle, variance = (SIZE - 1) / 2, (SIZE**2 - 1) / 12
    products = [(one - middle) * (other - middle) for one, other in zip(numbers, others, strict=False)]
    return sum(products) / variance / sqrt(len(products))


SEEDS = ["(make-gen seed)", "(make-gen (* 1000 seed))", "(make-gen (- (* seed (expt 2 32))))"]


@pytest.mark.parametrize("gens", [*SEEDS, "(cadr (split-gen (make-gen seed)))", "(car (split-gen (make-gen seed)))"])
@pytest.mark.parametrize("skip", [0, 1, 7])
def test_c8_neighbouring_seeds_are_independent(black_jack: Session, gens: str, skip: int) -> None:
    numbers = drawn(black_jack, gens, skip)
    for distance in (1, 2, 3, 10):
        assert abs(correlation(numbers, numbers[distance:])) < 4
        # In lock-step, all the differences would be alike.
        steps = Counter((after - before) % SIZE for before, after in zip(numbers, numbers[distance:], strict=False))
        assert max(steps.values()) <= 3
    pairs = Counter((one * 5 // SIZE, other * 5 // SIZE) for one, other in pairwise(numbers))
    mean = (len(numbers) - 1) / 25
    assert sum((pairs[a, b] - mean) ** 2 / mean for a in range(5) for b in range(5)) < 60  # 24 degrees of freedom


@pytest.mark.parametrize("gens", SEEDS)
def test_c8_the_numbers_of_one_gen_are_independent(black_jack: Session, gens: str) -> None:
    first, second, third = (drawn(black_jack, gens, skip) for skip in (0, 1, 2))
    assert abs(correlation(first, second)) < 4
    assert abs(correlation(first, third)) < 4
    one, other = (drawn(black_jack, f"({part} (split-gen {gens}))") for part in ("car", "cadr"))
    for numbers in (one, other):
        assert abs(correlation(first, numbers)) < 4
    assert abs(correlation(one, other)) < 4
    assert abs(sum(first) - len(first) * (SIZE - 1) / 2) < 4 * sqrt(len(first) / 12) * SIZE


# ── C9: properties ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_c9_all_properties_hold() -> None:
    lines = printed(lab("properties.scm"), "(check-properties 'trials 15)")
    assert lines[-1] == "#t"
    checked = [line for line in lines[:-1] if not line.startswith(" ")]
    assert len(checked) == 20
    assert all(": OK, passed " in line for line in checked)


_TEXTS = Path(__file__).with_name("chalmers_bugs.scm").read_text(encoding="utf-8").split(";;;; ")[1:]
BUGS = [text.partition("\n") for text in _TEXTS]
"""What is wrong, after the property that tells and the most cards of its counterexample; and the wrong definitions."""


def test_c9_there_are_bugs_to_find() -> None:
    assert len(BUGS) >= 8


@pytest.fixture(scope="module")
def checker() -> Session:
    """The lab with its properties; who plants a bug starts from a fresh black-jack.scm."""
    return lab("properties.scm")


@pytest.mark.parametrize(("title", "definitions"), [(title, text) for title, _, text in BUGS])
def test_c9_planted_bugs_are_found(checker: Session, title: str, definitions: str) -> None:
    expected, _, what = title.partition(": ")
    property, most_cards = expected.split()
    checker.load("chalmers/black-jack.scm")
    checker.eval(definitions)
    assert value(checker, f"(apply check-property (assq '{property} properties))") == "#f"
    text = value(checker, "(counterexample)")
    cards = sum(text.count(f" {suit})") for suit in ("hearts", "spades", "diamonds", "clubs"))
    assert cards <= int(most_cards), text
    assert cards <= 3 or not what.startswith(("<+", "shuffle")), text


# ── C10: playing ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_c10_the_package_has_the_eight_procedures(black_jack: Session) -> None:
    names = "empty full-deck value game-over winner draw play-bank shuffle"
    assert value(black_jack, f"(equal? black-jack (list {names}))") == "#t"


def played(input: str, game: str = "(run-game black-jack)") -> list[str]:
    """What a game prints, and its value."""
    return printed(lab("run-game.scm", seed=5, input=input), game)


def test_c10_a_game() -> None:
    lines = played("draw\nd\nstop\n")
    assert lines[:3] == ["Welcome to Black Jack.", "You: ()", "  value 0"]
    assert sum(line.startswith("Draw or stop? You: ((") for line in lines) == 2
    assert lines[-4].startswith("Draw or stop? The bank: ((")
    assert lines[-2] == f"The winner is the {lines[-1]}."
    assert lines[-1] in ("guest", "bank")


def test_c10_a_bust_guest_is_not_asked_again() -> None:
    lines = played("draw\n" * 30)
    assert lines[-1] == "bank"
    assert sum("bust" in line for line in lines) in (1, 2)
    session = lab("run-game.scm", seed=5, input="draw\n" * 30 + "left\n")
    session.eval("(run-game black-jack)")
    assert value(session, "(read-line)") == "(draw)"


def test_c10_what_is_no_answer_is_asked_again() -> None:
    lines = played("\nmaybe\ndraw stop\n5\n(\nSTOP\nstop\n")
    question = "Draw or stop? Please type draw (or d) or stop (or s), and press Enter."
    assert sum(question in line for line in lines) == 6
    assert lines[-1] == "bank"


def test_c10_the_end_of_the_input_ends_the_game() -> None:
    lines = played("draw\n")
    assert lines[-2:] == ["There is no more input, so the game ends here.", "nobody"]


@pytest.mark.parametrize("package", ["5", "'(1 2 3)", "(list car cdr)", "'(1 2 3 4 5 6 7 8)"])
def test_c10_what_is_no_package(package: str) -> None:
    session = lab("run-game.scm")
    with pytest.raises(SchemeError, match="run-game: not a package of eight procedures: "):
        session.eval(f"(run-game {package})")


def test_c10_a_package_of_ones_own() -> None:
    game = """(run-game (list (lambda () 0) (lambda () '(5 5 5)) (lambda (hand) hand) (lambda (hand) (> hand 7))
                              (lambda (guest bank) (if (> guest 7) 'bank 'guest))
                              (lambda (deck hand) (list (cdr deck) (+ (car deck) hand)))
                              (lambda (deck) (car deck)) (lambda (gen deck) deck)))"""
    lines = played("draw\ndraw\n", game)
    assert lines[-5:] == ["  value 10, bust", "The bank: 5", "  value 5", "The winner is the bank.", "bank"]


# ── C11: the odds ────────────────────────────────────────────────────────────────────────────────────────────────────

GUEST_WINS = {row["guest_stop_at"]: float(row["p_guest_wins"]) for row in table("chalmers_guest_win")}
BANK_VALUES = {16: 0.136654, 17: 0.134620, 18: 0.126786, 19: 0.123394, 20: 0.164309, 21: 0.110438, "bust": 0.203800}


@pytest.mark.parametrize(("limit", "games"), [("17", 1000), ("21", 400), ("12", 400)])
def test_c11_how_often_a_guest_wins(limit: str, games: int) -> None:
    wins = int(value(lab("simulation.scm"), f"(guest-wins {limit} {games} (make-gen 11))"))
    chance = GUEST_WINS[limit]
    assert abs(wins - games * chance) < 4.5 * sqrt(games * chance * (1 - chance))


def test_c11_what_the_bank_ends_with() -> None:
    games = 1000
    counts: Counter[int | str] = Counter()
    for pair in lab("simulation.scm").eval(f"(bank-values {games} (make-gen 12))"):
        counts[pair.car if pair.car <= 21 else "bust"] += pair.cdr
    assert sum(counts.values()) == games
    for worth, chance in BANK_VALUES.items():
        assert abs(counts[worth] - games * chance) < 4.5 * sqrt(games * chance * (1 - chance)), worth
