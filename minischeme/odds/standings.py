"""The standings of a tournament: who is ahead of whom, how sure that is, and the table and the picture of it."""

from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from minischeme.odds.intervals import Interval, confidence_sequence, wilson
from minischeme.odds.tournament import Tally

SMALL = 0.002
"""A difference per game below which two strategies count as equally good."""


class Standing(NamedTuple):
    """A player's place; `lead` is over the next one, in gain per game, with its interval."""

    place: int  # shared with the player above unless that one is surely ahead
    name: str
    wins: float
    wins_between: Interval
    mean: float
    lead: float = 0.0
    lead_between: Interval = (0.0, 0.0)
    verdict: str = ""  # ahead or tie, if it is sure; else open


class Standings(NamedTuple):
    """The players in order, the best first."""

    games: int
    rows: list[Standing]

    @property
    def is_sure(self) -> bool:
        return all(row.verdict != "open" for row in self.rows)


def standings(names: Sequence[str], tally: Tally) -> Standings:
    """The standings after a tally. All verdicts together are right with 95 %, also for one who waits for them.

    Any two players can become neighbours, so the risk is divided by the number of pairs.
    """
    games = tally.total()
    pairs = max(1, len(names) * (len(names) - 1) // 2)
    means = [sum(count * results[player] for results, count in tally.items()) / games for player in range(len(names))]
    order = sorted(range(len(names)), key=lambda player: (-means[player], names[player]))
    rows: list[Standing] = []
    place = 1
    for number, player in enumerate(order):
        wins = sum(count for results, count in tally.items() if results[player] == 1)
        row = Standing(place, names[player], wins / games, wilson(wins, games), means[player])
        if number + 1 < len(order):
            other = order[number + 1]
            differences: Counter[int] = Counter()
            for results, count in tally.items():
                differences[results[player] - results[other]] += count
            low, high = confidence_sequence(differences, 0.05 / pairs)
            verdict = "ahead" if low > 0 else "tie" if low > -SMALL and high < SMALL else "open"
            row = row._replace(lead=means[player] - means[other], lead_between=(low, high), verdict=verdict)
            place = number + 2 if verdict == "ahead" else place
        rows.append(row)
    return Standings(games, rows)


def text_table(found: Standings) -> str:
    """The table for a terminal."""
    width = min(24, max(8, *(len(row.name) for row in found.rows)))
    lines = [f"{found.games:,} games each, all with the same decks", ""]
    lines += [f"place  {'strategy':{width}}  wins  95 % sure between      mean"]
    for row in found.rows:
        wins, low, high = (f"{100 * share:.2f}" for share in (row.wins, *row.wins_between))
        lines += [f"{row.place:5}  {row.name[:width]:{width}} {wins:>5} {low:>8} and {high:>5} % {row.mean:+.4f}"]
        if row.verdict:
            low, high = (f"{bound:+.4f}" for bound in row.lead_between)
            meaning = {"ahead": "ahead by", "tie": "tied with the next:", "open": "not yet told from the next:"}
            lines += [f"         {meaning[row.verdict]} {row.lead:.4f}, between {low} and {high}"]
    return "\n".join(lines) + "\n"


def svg(found: Standings) -> str:
    """A picture of the win rates with their intervals."""
    low = min(row.wins_between[0] for row in found.rows)
    scale = 400 / (max(row.wins_between[1] for row in found.rows) - low)
    height = 60 + 28 * len(found.rows)
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='720' height='{height}' font-family='sans-serif' "
        "font-size='14'>",
        f"<title>{found.games:,} games each: how many were won, in percent, 95 % sure</title>",
        "<style>.paper { fill: white } .ink { fill: #222222 } .line { stroke: #222222 } "
        "@media (prefers-color-scheme: dark) "
        "{ .paper { fill: #1c1c1c } .ink { fill: #eeeeee } .line { stroke: #eeeeee } }</style>",
        "<rect class='paper' width='100%' height='100%'/>",
        f"<text class='ink' x='12' y='24' font-weight='bold'>Won of {found.games:,} games, 95 % sure</text>",
    ]
    for number, row in enumerate(found.rows):
        y = 54 + 28 * number
        left, right, middle = (220 + scale * (share - low) for share in (*row.wins_between, row.wins))
        parts += [
            f"<text class='ink' x='12' y='{y + 5}'>{row.place}  {escape(row.name[:24])}</text>",
            f"<line class='line' x1='{left:.1f}' x2='{right:.1f}' y1='{y}' y2='{y}' stroke-width='2'/>",
            f"<circle cx='{middle:.1f}' cy='{y}' r='5' fill='#0072b2'/>",
            f"<text class='ink' x='636' y='{y + 5}'>{100 * row.wins:.2f} %</text>",
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"
