"""The problem set "The Game of Twenty-one" of 6.001 (lib/README.md, B1 to B7), in `lib/6001`."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections import Counter, defaultdict
from functools import cache
from itertools import groupby
from math import sqrt
from pathlib import Path

import pytest
from sessions import value
from tables import table

from minischeme import SchemeError, Session
from minischeme.data.printer import write
from minischeme.modules.files import find_library

REPRESENTATIONS = ["hands", "cards"]


def problem_set(representation: str = "hands", *, typed: str = "", seed: int = 6001) -> Session:
    """A session with the whole problem set. Args: typed: the lines that the keyboard gives."""
    session = Session(seed=seed, input=io.StringIO(typed), output=io.StringIO())
    session.eval('(load "6001/twenty-one.scm")')
    if representation == "cards":
        session.eval('(load "6001/cards.scm")')
    return session


@pytest.fixture(scope="module")
def scheme() -> Session:
    """The problem set with numbers for cards, for tests that leave it as it is."""
    return problem_set()


def stack(session: Session, *cards: int) -> None:
    """Let `deal` give these cards, and fail at the next one."""
    session.eval(f"(define stacked-cards '({' '.join(map(str, cards))}))")
    session.eval(
        """(define (deal)
             (let ((card (car stacked-cards)))
               (set! stacked-cards (cdr stacked-cards))
               (make-card card 'hearts)))"""
    )


def test_each_file_loads_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("6001/twenty-one.scm", "6001/twenty-one", str(Path(find_library(), "6001", "twenty-one.scm"))):
        session = Session(seed=1)
        session.load(name)
        assert session.eval("(twenty-one (stop-at 12) (stop-at 12))") in (0, 1)


# B1: hands and cards


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("(make-hand 5 12)", "(5 . 12)"),
        ("(hand-up-card (make-hand 5 12))", "5"),
        ("(hand-total (make-hand 5 12))", "12"),
        ("(make-new-hand 1)", "(1 . 1)"),
        ("(hand-add-card (make-new-hand 5) 7)", "(5 . 12)"),
        ("(hand-add-card (hand-add-card (make-new-hand 5) 7) 1)", "(5 . 13)"),
    ],
)
def test_a_hand_is_up_card_and_total(scheme: Session, expression: str, expected: str) -> None:
    assert value(scheme, expression) == expected


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_each_value_is_dealt_equally_often(representation: str) -> None:
    session = problem_set(representation)
    counts = Counter(session.eval("(map (lambda (n) (card-value (deal))) (enumerate-interval 1 5000))"))
    assert set(counts) == set(range(1, 11))
    assert all(abs(count - 500) < 4.5 * sqrt(5000 * 0.1 * 0.9) for count in counts.values())


# B2 and B3: the game, which is the same for both representations

ASKED = """
    (define asked '())
    (define (up-to n)
      (lambda (hand opponent-up-card)
        (set! asked (append asked (list (list (hand-total hand) (card-value opponent-up-card)))))
        (< (hand-total hand) n)))
"""


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize(
    ("cards", "result", "asked"),
    [
        ([2, 3, 10, 7, 9, 8], 1, "((3 2) (13 2) (20 2) (2 3) (11 3) (19 3))"),
        ([2, 3, 10, 6, 9, 9], 0, "((3 2) (13 2) (19 2) (2 3) (11 3) (20 3))"),
        # A tie is the house's.
        ([2, 3, 10, 7, 10, 8], 0, "((3 2) (13 2) (20 2) (2 3) (12 3) (20 3))"),
        # A player who is bust has lost before the house plays; nobody is asked above 21.
        ([2, 3, 10, 9], 0, "((3 2) (13 2))"),
        # A house that is bust loses.
        ([2, 3, 10, 7, 10, 10], 1, "((3 2) (13 2) (20 2) (2 3) (12 3))"),
        # 21 is not bust.
        ([2, 3, 10, 8, 10, 9], 0, "((3 2) (13 2) (21 2) (2 3) (12 3) (21 3))"),
    ],
)
def test_game(representation: str, cards: list[int], result: int, asked: str) -> None:
    session = problem_set(representation)
    session.eval(ASKED)
    stack(session, *cards)
    assert session.eval("(twenty-one (up-to 17) (up-to 17))") == result
    assert value(session, "asked") == asked
    assert value(session, "stacked-cards") == "()"


@pytest.mark.parametrize(
    ("strategy", "hand"),
    [
        ("(lambda (hand up) #f)", "(5 . 5)"),
        ("(stop-at 17)", "(5 . 18)"),
        # Any value but false is a hit, and nobody is asked above 21.
        ("(lambda (hand up) (list up))", "(5 . 27)"),
    ],
)
def test_play_hand(strategy: str, hand: str) -> None:
    session = problem_set()
    stack(session, 3, 10, 9)
    assert value(session, f"(play-hand {strategy} (make-new-hand 5) 10)") == hand


NUMBERS = """
    (define told '())
    (define (by-numbers hand opponent-up-card)
      (set! told (append told (list opponent-up-card)))
      (and (< (hand-total hand) 17) (> opponent-up-card 6)))
    (define (by-value hand opponent-up-card)
      (and (< (hand-total hand) 17) (> (card-value opponent-up-card) 6)))
"""


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_a_strategy_is_told_the_value_of_the_up_card(representation: str) -> None:
    session = problem_set(representation)
    session.eval(NUMBERS)
    for strategy in ("by-numbers", "by-value"):
        stack(session, 7, 8, 10, 3, 7, 2, 6)
        assert session.eval(f"(twenty-one {strategy} {strategy})") == 1
        assert value(session, "stacked-cards") == "(2 6)"
        session.eval("(define deck (map (lambda (rank) (make-card rank 'hearts)) '(7 8 10 3 7 2 6)))")
        outcome = session.eval(f"(twenty-one-from deck {strategy} {strategy})")
        assert write(outcome.car) == "1"
        assert len(list(outcome.cdr)) == 2
    assert value(session, "told") == "(7 7 8 8 8 7 7 8 8 8)"


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_all_strategies_play_with_both_kinds_of_cards(representation: str) -> None:
    session = problem_set(representation, typed="y\n" * 40)
    strategies = ["hit?", "louis", "(stop-at 15)", "(watch-player louis)", "(both louis (stop-at 15))"]
    for player in strategies:
        for house in strategies:
            assert session.eval(f"(twenty-one {player} {house})") in (0, 1)


# B4: the interactive strategy

QUESTION = "\nOpponent up card 7\nYour Total: 15\nHit? "


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("y\n", "#t"),
        ("Y\n", "#t"),
        ("  y  \n", "#t"),
        *((f"{other}\ny\n", "#f") for other in ("n", "", "maybe", "yes", "7", "(", ")", "'", '"', "#", "(y)")),
        ("", "#f"),
    ],
)
def test_hit_asks_and_only_y_is_yes(typed: str, answer: str) -> None:
    session = problem_set(typed=typed)
    assert value(session, "(hit? (make-hand 5 15) 7)") == answer
    assert session.output.stream.getvalue() == QUESTION


PIPED = """
Opponent up card 3
Your Total: 6
Hit?\x20
Opponent up card 3
Your Total: 10
Hit?\x20
Opponent up card 6
Your Total: 3
Hit?\x20
1
"""


def test_two_people_play_from_a_pipe(tmp_path: Path) -> None:
    """The answers follow the call, and what comes after them is the program again."""
    run = subprocess.run(
        [sys.executable, "-m", "minischeme", "--seed", "3", "-l", "6001/twenty-one.scm"],
        input="(twenty-one hit? hit?)\ny\nn\nn\n(+ 1 2)\n",
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": ":".join(sys.path)},
        check=True,
    )
    assert run.stdout == PIPED + "3\n"


# B5: strategies


def test_stop_at(scheme: Session) -> None:
    decisions = [value(scheme, f"((stop-at 16) (make-hand 5 {total}) 10)") for total in (5, 15, 16, 17)]
    assert decisions == ["#t", "#t", "#f", "#f"]


def test_test_strategy_counts_wins() -> None:
    session = problem_set()
    session.eval("(define results '(1 0 1 1 0))")
    session.eval(
        """(define (twenty-one player house)
             (let ((result (car results)))
               (set! results (cdr results))
               (if (player house 'up) result 'wrong)))"""
    )
    assert session.eval("(test-strategy (lambda (house up) (eq? house 'house)) 'house 5)") == 3
    assert session.eval("(test-strategy 'player 'house 0)") == 0
    assert session.eval("(test-strategy 'player 'house -1)") == 0


@pytest.mark.parametrize(("total", "word"), [(15, "hit"), (16, "stay")])
def test_watch_player_prints_and_decides_the_same(total: int, word: str) -> None:
    session = problem_set()
    assert value(session, f"((watch-player (stop-at 16)) (make-hand 5 {total}) 10)") == ("#t" if total < 16 else "#f")
    assert session.output.stream.getvalue() == f"\nWith {total}, up card 5, against 10: {word}"


def louis_hits(total: int, up: int) -> bool:
    if 12 < total < 16:
        return up > 6
    return {12: up < 4, 16: up != 10}.get(total, total < 12)


def test_louis(scheme: Session) -> None:
    for total in range(1, 22):
        for up in range(1, 11):
            decision = value(scheme, f"(louis (make-hand 5 {total}) {up})")
            assert decision == ("#t" if louis_hits(total, up) else "#f"), (total, up)


def test_both(scheme: Session) -> None:
    scheme.eval("(define careful (both louis (stop-at 14)))")
    decisions = [value(scheme, f"(careful (make-hand 5 {total}) {up})") for total, up in [(13, 7), (13, 6), (14, 7)]]
    assert decisions == ["#t", "#f", "#f"]


# B7: how good they are


@cache
def final_totals(strategy: str, total: int, up: int) -> defaultdict[int, float]:
    """How likely each total is that a hand ends with, 22 for all above 21."""
    hits = louis_hits(total, up) if strategy == "louis" else total < int(strategy.removeprefix("stop-at "))
    result: defaultdict[int, float] = defaultdict(float)
    if total > 21 or not hits:
        result[min(total, 22)] = 1.0
        return result
    for card in range(1, 11):
        for final, chance in final_totals(strategy, total + card, up).items():
            result[final] += chance / 10
    return result


def chance_to_win(player: str, house: str) -> float:
    """Exactly, by all the cards that may come."""
    chance = 0.0
    for mine in range(1, 11):
        for other in range(1, 11):
            for total, likely in final_totals(player, mine, other).items():
                for final, as_likely in final_totals(house, other, mine).items():
                    if total < 22 and (final == 22 or total > final):
                        chance += likely * as_likely / 100
    return chance


PAIRS = [(player, house) for player in ("louis", "stop-at 17") for house in ("stop-at 15", "stop-at 16", "stop-at 17")]
GOLDEN = {(row["player"], row["house"]): float(row["p_player_wins"]) for row in table("mit_winprob")}


def expression(strategy: str) -> str:
    return strategy if strategy == "louis" else f"({strategy})"


@pytest.mark.parametrize(("player", "house"), PAIRS)
def test_golden_chances_follow_from_the_rules(player: str, house: str) -> None:
    assert chance_to_win(player, house) == pytest.approx(GOLDEN[player, house], abs=1e-9)


@pytest.mark.parametrize(("player", "house"), PAIRS)
def test_wins_in_20000_games(scheme: Session, player: str, house: str) -> None:
    wins = scheme.eval(f"(test-strategy {expression(player)} {expression(house)} 20000)")
    chance = GOLDEN[player, house]
    assert abs(wins - 20000 * chance) < 4.5 * sqrt(20000 * chance * (1 - chance))


# B6, tutorial exercise 1: cards with suits


def test_cards_and_hands_with_suits() -> None:
    session = problem_set("cards")
    session.eval("(define hand (hand-add-card (make-new-hand (make-card 5 'clubs)) (make-card 'k 'hearts)))")
    assert value(session, "(card-value (make-card 'k 'hearts))") == "10"
    assert value(session, "(card-suit (hand-up-card hand))") == "clubs"
    assert value(session, "(hand-total hand)") == "15"
    assert value(session, "(hit? hand (make-card 7 'spades))") == "#f"
    assert [value(session, f"(louis hand {up})") for up in ("6", "7", "(make-card 7 'spades)")] == ["#f", "#t", "#t"]
    assert session.output.stream.getvalue().startswith(QUESTION)
    assert value(session, "(map card-rank (hand-cards hand))") == "(k 5)"


def test_wins_with_cards_that_have_suits() -> None:
    wins = problem_set("cards").eval("(test-strategy louis (stop-at 17) 3000)")
    chance = GOLDEN["louis", "stop-at 17"]
    assert abs(wins - 3000 * chance) < 4.5 * sqrt(3000 * chance * (1 - chance))


# B6, tutorial exercise 2: decks


def test_decks() -> None:
    session = problem_set("cards")
    deck = session.eval("(map (lambda (card) (list (card-rank card) (card-suit card))) (make-deck))")
    suits = ("hearts", "spades", "diamonds", "clubs")
    expected = [f"({rank} {suit})" for rank in range(1, 11) for suit in suits]
    assert [write(card) for card in deck] == expected
    deck = session.eval("(map (lambda (card) (list (card-value card) (card-suit card))) (make-deck-with-faces))")
    with_faces = [f"({value} {suit})" for value in [*range(1, 11), 10, 10, 10] for suit in suits]
    assert [write(card) for card in deck] == with_faces
    numbers = " ".join(str(rank) for rank in range(1, 11) for _ in range(4))
    assert value(problem_set(), "(make-deck)") == f"({numbers})"
    assert value(session, "(equal? (make-deck-with-faces) (shuffle (make-deck-with-faces)))") == "#f"


@pytest.mark.parametrize(
    ("deck", "shuffled"),
    [
        ("()", "()"),
        ("(1)", "(1)"),
        ("(1 2)", "(1 2)"),
        ("(1 2 3)", "(1 3 2)"),
        ("(1 2 3 4 5 6)", "(1 4 2 5 3 6)"),
        ("(1 2 3 4 5 6 7)", "(1 5 2 6 3 7 4)"),
    ],
)
def test_perfect_shuffle(scheme: Session, deck: str, shuffled: str) -> None:
    assert value(scheme, f"(shuffle '{deck})") == shuffled


def test_eight_perfect_shuffles_restore_52_cards(scheme: Session) -> None:
    deck = " ".join(map(str, range(52)))
    restored = [value(scheme, f"((repeated shuffle {n}) '({deck}))") == f"({deck})" for n in range(9)]
    assert restored == [n in (0, 8) for n in range(9)]


@pytest.mark.parametrize("size", [0, 1, 2, 7, 40])
def test_random_shuffle_takes_one_to_five_of_each_half_in_turn(scheme: Session, size: int) -> None:
    half = (size + 1) // 2
    first_sizes = Counter()
    for _ in range(60):
        shuffled = list(scheme.eval(f"(random-shuffle '({' '.join(map(str, range(size)))}))"))
        assert [card for card in shuffled if card < half] == list(range(half))
        assert [card for card in shuffled if card >= half] == list(range(half, size))
        packets = [len(list(cards)) for _, cards in groupby(shuffled, key=lambda card: card < half)]
        assert all(1 <= packet <= 5 for packet in packets[:-1])  # what is left of the other half is not cut
        if packets:
            first_sizes[packets[0]] += 1
    if size == 40:
        assert set(first_sizes) == {1, 2, 3, 4, 5}


FINITE_GAMES = [
    # The house's card, the player's, then hers and the house's.
    ("2 9 10 10 8 7 3", "(0 7 3)"),
    ("2 9 10 10 7", "(0)"),
    ("2 3 10 7 9 8", "(1)"),
    ("2 9 10 10 10 4", "(1 4)"),
    # Bust, before the house plays.
    ("2 9 7 10 5", "(0 5)"),
    # It runs out: for the house, for the player, at the start.
    ("2 9 10 10", "(1)"),
    ("2 9", "(1)"),
    ("2", "(1)"),
    ("", "(1)"),
]


@pytest.fixture(scope="module", params=REPRESENTATIONS)
def finite(request: pytest.FixtureRequest) -> Session:
    """The problem set without the infinite deck."""
    session = problem_set(request.param)
    session.eval("(define (deal) (error 'dealt))")
    return session


@pytest.mark.parametrize(("deck", "outcome"), FINITE_GAMES)
def test_game_with_a_finite_deck(finite: Session, deck: str, outcome: str) -> None:
    finite.eval(f"(define deck (map (lambda (rank) (make-card rank 'hearts)) '({deck})))")
    finite.eval("(define outcome (twenty-one-from deck (stop-at 17) (stop-at 17)))")
    rest = "(map card-value (outcome-deck outcome))"
    assert value(finite, f"(cons (outcome-result outcome) {rest})") == outcome


def test_play_through_counts_the_games_of_a_deck(scheme: Session) -> None:
    # One that the player loses, one that she wins, and one that the deck is too short for.
    deck = "2 9 10 10 8  2 3 10 7 9 8  2"
    assert value(scheme, f"(play-through '({deck}) (stop-at 17) (stop-at 17))") == "(2 of 3)"
    assert value(scheme, "(play-through '() louis louis)") == "(0 of 0)"


def test_a_wrong_strategy_is_told(scheme: Session) -> None:
    with pytest.raises(SchemeError, match="bad function"):
        scheme.eval("(twenty-one 17 (stop-at 17))")


PROBLEMS = ["hit", "stop-at", "test-strategy", "watch-player", "louis", "both"]


def test_the_transcripts_are_numbered_as_the_problems_are() -> None:
    folder = Path(__file__).parents[2] / "transcripts" / "6001"
    numbers = {}
    for path in folder.glob("*.txt"):
        kind, number, name = re.fullmatch(r"(tutorial-)?(\d)-(.*)\.txt", path.name).groups()
        title = path.read_text(encoding="utf-8").splitlines()[0]
        where = (
            f"tutorial exercise {number}" if kind else f"problem {number}" if number != "0" else "before the problems"
        )
        assert title.startswith(f"The Game of Twenty-one, {where}: ")
        numbers[name] = f"{kind or ''}{number}"
    assert numbers == {
        **{name: str(number) for number, name in enumerate(PROBLEMS, 1)},
        "hands": "0",
        "the-game": "0",
        "cards": "tutorial-1",
        "decks": "tutorial-2",
    }
