"""TWENT1 (lib/README.md, D1 to D10): the rules on stacked shoes, money, the simulation.

`test_twent1_game.py` plays it line by line, `test_twent1_screen.py` in a terminal.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from sessions import value

from minischeme import SchemeError, Session
from minischeme.data.values import FALSE, Value

BELOW = "2c " * 30
"""What a stacked shoe goes on with."""


class Hand(NamedTuple):
    """A line of twent1_hands.txt."""

    bet: str
    cards: str
    answers: str
    won: str
    why: str


def stacked_hands() -> list[Hand]:
    lines = Path(__file__).with_name("twent1_hands.txt").read_text(encoding="utf-8").splitlines()
    return [Hand(*(part.strip() for part in line.split("|"))) for line in lines if line and not line.startswith("#")]


def cents(amount: str) -> int:
    return round(float(amount.replace("$", "").replace(",", "")) * 100)


@pytest.fixture(scope="module")
def engine() -> Session:
    session = Session(seed=1)
    session.eval("(import (twent1 engine) (twent1 money) (twent1 state) (twent1 simulation))")
    return session


# ── the rules ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_there_are_hands_for_each_rule() -> None:
    assert len(stacked_hands()) >= 60


@pytest.mark.parametrize("hand", stacked_hands(), ids=lambda hand: f"{hand.cards} {hand.answers}")
def test_hand(engine: Session, hand: Hand) -> None:
    engine.eval(f"(define table (deal '({hand.cards} {BELOW})))")
    for answer in hand.answers.split():
        choices = value(engine, "(choices table)").strip("()").split()
        if answer.startswith("!"):
            assert answer[1:] not in choices
        else:
            assert answer in choices
            engine.eval(f"(set! table (answer table '{answer}))")
    assert value(engine, "(question table)") == "over"
    assert engine.eval("(length (table-shoe table))") == 30, "not the cards that were to be drawn"
    bet = engine.eval(f'(quarters "{hand.bet}")')
    assert value(engine, f"(bet? {bet})") == "#t"
    assert engine.eval(f"(* 25 (winnings (gain table) {bet}))") == cents(hand.won)


def test_an_answer_that_is_not_offered_is_an_error(engine: Session) -> None:
    with pytest.raises(SchemeError, match=r"^This is no answer to the question: split$"):
        engine.eval(f"(answer (deal '(9h 8h 7c 6c {BELOW})) 'split)")


def test_the_shoe_is_four_packs(engine: Session) -> None:
    shoe = value(engine, "(fresh-shoe)").strip("()").split()
    ranks = ["a", *map(str, range(2, 11)), "j", "q", "k"]
    assert Counter(shoe) == {rank + suit: 4 for rank in ranks for suit in "hsdc"}
    assert value(engine, "(fresh-shoe)").strip("()").split() != shoe


def test_fewer_than_30_cards_are_not_dealt_from(engine: Session) -> None:
    assert value(engine, f"(list (too-low? '({BELOW})) (too-low? (cdr '({BELOW}))))") == "(#f #t)"


def test_each_card_is_equally_likely_on_top(engine: Session) -> None:
    counts = Counter(engine.eval("(map (lambda (n) (car (shuffled '(a b c d)))) (iota 4000))"))
    assert len(counts) == 4
    assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 30  # 3 degrees of freedom


def test_without_cards_everybody_stands(engine: Session) -> None:
    engine.eval("(define last-cards (deal '(8h 8d 5h 5d)))")
    assert value(engine, "(choices last-cards)") == "(stand)"
    assert engine.eval("(gain (answer last-cards 'stand))") == 2
    engine.eval("(define one-left (deal '(8h 8d 5h 5d 6c)))")
    assert value(engine, "(choices one-left)") == "(hit stand)"


# ── money ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "quarters"),
    [
        ("5", 20),
        ("$5", 20),
        ("5.", 20),
        ("5.0", 20),
        ("5.50", 22),
        ("0.75", 3),
        (".5", 2),
        ("-12.75", -51),
        ("-$1,250.25", -5001),
        ("10,000.00", 40000),
        ("1,000,000", 4000000),
        *[
            (bad, None)
            for bad in ("", " ", "$", "-", ".", "ten", "5.1", "5.505", "1e3", "1/2", "+5", "--5", "5 dollars")
        ],
        *[(bad, None) for bad in ("5,50", "1,00", "5.-", "0x10", "٣", "5.5.5")],
    ],
)
def test_amounts_are_read(engine: Session, text: str, quarters: int | None) -> None:
    assert engine.eval(f'(quarters "{text}")') == (FALSE if quarters is None else quarters)


@pytest.mark.parametrize(
    ("quarters", "text"),
    [(0, "$0.00"), (1, "$0.25"), (-51, "-$12.75"), (-2, "-$0.50"), (40000, "$10,000.00"), (4999999, "$1,249,999.75")],
)
def test_amounts_are_written(engine: Session, quarters: int, text: str) -> None:
    assert value(engine, f"(dollars {quarters})") == f'"{text}"'


def test_bets_go_from_1_to_10000_dollars_in_steps_of_50_cents(engine: Session) -> None:
    bets = engine.eval("(filter bet? (append '(-4 4. a ()) (iota 40100)))")
    assert list(bets) == list(range(4, 40001, 2))


# ── the simulation ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow
def test_the_simulation(engine: Session) -> None:
    engine.context.chance.random.seed(20)
    engine.eval("(define told 0) (define ledger (simulated 20000 (lambda (ledger) (set! told (+ told 1)))))")
    assert value(engine, "(list told (hands-dealt ledger))") == "(100 20000)"
    assert value(engine, "(balanced? ledger)") == "#t"
    assert abs(engine.eval("(deviation ledger)")) < 4.5
    half_bets = sum(gain * times for gain, times in _pairs(engine.eval("(book ledger)")))
    assert engine.eval("(purse ledger)") == half_bets * 20
    # Standing on 17 against this dealer costs a few percent of the bet; the standard deviation is near 1.1 bets.
    assert -0.08 < half_bets / 2 / 20000 < 0.02


def _pairs(alist: Value) -> list[tuple[int, int]]:
    return [(pair.car, pair.cdr) for pair in alist]


def test_a_ledger_balances_to_the_cent(engine: Session) -> None:
    book = "'((3 . 1) (-2 . 2) (0 . 5) (4 . 1))"
    assert value(engine, f"(balanced? (make-ledger 9 1 {book} 60))") == "#t"
    assert value(engine, f"(balanced? (make-ledger 9 1 {book} 61))") == "#f"


def test_the_deviation_is_from_128_in_2691(engine: Session) -> None:
    assert engine.eval("(deviation (make-ledger 2691 128 '() 0))") == 0
    assert engine.eval("(deviation (make-ledger 2691 150 '() 0))") == pytest.approx(22 / (128 * 2563 / 2691) ** 0.5)


@pytest.mark.parametrize("hands", ["0", "-3", "1.5", "'many"])
def test_a_number_of_hands_is_wanted(engine: Session, hands: str) -> None:
    with pytest.raises(SchemeError, match=r"^How many hands is "):
        engine.eval(f"(simulation {hands})")
