"""The command `minischeme tournament`."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from minischeme.cli.parsers import command_parser, count, integer, seconds
from minischeme.cli.process import INTERRUPTED, SCHEME_ERROR, WRONG_USAGE, complain, write_file
from minischeme.data.errors import SchemeError
from minischeme.grading.submissions import job_of, printable, submissions_in
from minischeme.grading.tournament import Chunk, Entrant, Team, admitted, play_chunk
from minischeme.grading.workers import cluster_workers
from minischeme.odds.standings import Standings, standings, svg, text_table
from minischeme.odds.tournament import Tally, chunks
from minischeme.system.progress import ProgressBar

_NOTES = """\
Each file is one student's, and runs in a sandbox. It is asked for a strategy, by default my-strategy, and for
best-total; the cards are dealt by the tournament, the same ones for all. A strategy that fails, takes too long, deals
cards itself or redefines the game is disqualified. The table is the same for any number of workers.
Exit status: 0 played, 1 nobody could play, 2 wrong usage, 130 interrupted: the table of what was played is shown."""
_DECK = [f"{rank}{suit}" for suit in "hsdc" for rank in ("a", *range(2, 11), "j", "q", "k")]
_GAMES, _MOST_GAMES = 100_000, 10_000_000


def tournament(arguments: Sequence[str]) -> int:
    """Let the strategies of files play; return the exit status."""
    options = _parser().parse_intermixed_args(arguments)
    try:
        with ExitStack() as stack:
            cluster = stack.enter_context(cluster_workers(options.cluster)) if options.cluster else None
            return _play(options, stack.enter_context(Team(options.jobs, cluster)))
    except (OSError, SchemeError) as error:
        complain(f"minischeme tournament: {error}")
        return WRONG_USAGE


def _play(options: argparse.Namespace, team: Team) -> int:
    out: dict[str, str] = {}
    found: Standings | None = None
    status = 0
    try:
        for latest in _standings(options, team, out):
            found = latest
    except KeyboardInterrupt:
        complain("minischeme tournament: interrupted")
        status = INTERRUPTED
    if found is not None:
        sys.stdout.write(text_table(found))
        for name, text in ((options.svg, svg), (options.leaderboard, _leaderboard)):
            if name and not write_file(name, text(found), "minischeme tournament"):
                status = WRONG_USAGE
    for name, reason in sorted(out.items()):
        print(f"disqualified: {name}: {printable(reason)}")
    return status or (SCHEME_ERROR if found is None else 0)


def _standings(options: argparse.Namespace, team: Team, out: dict[str, str]) -> Iterator[Standings]:
    """The standings now and then, and in the end; `out` gets the reasons why players are disqualified."""
    deck = _DECK + ["joker"] * (2 * options.jokers)
    entrants = []
    for name, path in submissions_in(options.files, []).items():
        job = job_of(name, path, {}, [path.name])
        reason = "" if job.files else "it has no file that can be read"
        entrants.append(Entrant(name, path.name, job.files, options.strategy, options.limit, reason=reason))
    entrants = list(team.map(partial(admitted, deck), entrants))
    out |= {entrant.name: entrant.reason for entrant in entrants if entrant.reason}
    entrants = [entrant for entrant in entrants if not entrant.reason]
    games = options.games or (_MOST_GAMES if options.until_sure else _GAMES)
    jobs = (Chunk(options.seed, *chunk, entrants, deck) for chunk in chunks(games))
    tally: Tally = Counter()
    looks = 0
    bar = ProgressBar(games)
    try:
        for results, failures in team.map(play_chunk, jobs) if entrants else ():
            out |= {name: reason for name, reason in failures.items() if name not in out}
            tally.update(results)
            bar.show(tally.total())
            if set(out).issuperset(entrant.name for entrant in entrants):
                return
            if tally.total() >= looks or tally.total() == games:
                looks = tally.total() * 5 // 4
                yield (found := _of_players(entrants, tally, out))
                if options.until_sure and found.is_sure:
                    return
    finally:
        bar.hide()


def _of_players(entrants: Sequence[Entrant], tally: Tally, out: Container[str]) -> Standings:
    """The standings of those who are not disqualified."""
    left = [place for place, entrant in enumerate(entrants) if entrant.name not in out]
    counts: Tally = Counter()
    for results, times in tally.items():
        counts[tuple([results[place] for place in left])] += times
    return standings([entrants[place].name for place in left], counts)


def _leaderboard(found: Standings) -> str:
    """The entries for Gradescope of each player, by name; minischeme grade passes them on."""
    entries = {
        row.name: [
            {"name": "place", "value": row.place, "order": "asc"},
            {"name": "gain per game", "value": round(row.mean, 4)},
            {"name": "games won (%)", "value": round(100 * row.wins, 2)},
        ]
        for row in found.rows
    }
    return json.dumps(entries, indent=2) + "\n"


def _parser() -> argparse.ArgumentParser:
    parser = command_parser("minischeme tournament", "Let strategies for Twenty-One play with the same decks.", _NOTES)
    add = parser.add_argument
    add("files", metavar="FILE", nargs="+", type=Path, help="a student's file, or a folder of them")
    add("--strategy", metavar="EXPR", default="my-strategy", help="the strategy in each file (default: %(default)s)")
    text = f"the number of games (default: {_GAMES:,}; with --until-sure at most {_MOST_GAMES:,})"
    add("--games", metavar="N", type=count, help=text)
    text = "stop when each is surely ahead of the next, or surely tied with it"
    add("--until-sure", action="store_true", help=text)
    add("--seed", metavar="N", type=integer, default=1, help="the seed of the decks (default: %(default)s)")
    add("--jokers", action="store_true", help="play with two jokers in the deck")
    add("-j", "--jobs", metavar="N", type=count, default=1, help="the number of processes (default: 1)")
    add("--cluster", metavar="URL", help="let the workers of a Dask cluster play, such as tcp://HOST:PORT")
    text = "the time limit for loading a file, and for its answers to some questions (default: %(default)g)"
    add("--limit", metavar="SECONDS", type=seconds, default=10.0, help=text)
    add("--svg", metavar="OUT", help="write a picture of the win rates with their intervals")
    add("--leaderboard", metavar="OUT", help="write the places, for minischeme grade --leaderboard")
    return parser
