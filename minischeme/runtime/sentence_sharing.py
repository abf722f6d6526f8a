"""The sentence that `sentence` has made last, so that a longer one can share it instead of copying its words.

Recursion builds a sentence by putting one word after the other in front of what it has so far. No program can tell a
shared tail from a copy as long as it changes no pairs: the first mention of ``set-car!`` or the like ends the sharing,
and copies the tails that are shared by then (ARCHITECTURE.md section 3.3).
"""

from minischeme.data.cpython import UNSHARED, reference_count
from minischeme.data.values import NIL, Pair, Value, list_of

CHANGES_PAIRS = frozenset((
    "set-car!", "set-cdr!", "set-mcar!", "set-mcdr!", "list-set!", "append!", "append-reverse!", "reverse!",
    "sort!", "merge-sort!", "delete!", "remove!", "filter!", "except-last-pair!", "del-assq!", "del-assv!",
    "del-assoc!", "insert!",
))  # fmt: skip
"""The names of procedures by which a program can change a pair."""


class Sentences:
    """The last sentences of a session.

    `last` is the sentence that was made last, None when nothing may be shared; `listed` the last one that was made by
    copying, and `words` its words.
    """

    __slots__ = ("_heads", "_most_heads", "last", "listed", "shares", "words")

    def __init__(self) -> None:
        self.shares = True
        self.last: Value = None
        self.listed: Value = None
        self.words: list[Value] = []
        self._heads: list[Pair] = []
        self._most_heads = 100

    def made(self, words: list[Value]) -> Value:
        """A fresh sentence of these words, which becomes `last`; the list must not be used afterwards."""
        sentence = list_of(words)
        if self.shares and words:
            if self.last is not self.listed:  # its tails may be sentences of their own
                self._heads.append(self.last)
                if len(self._heads) > self._most_heads:
                    self._forget_unused()
            self.last = self.listed = sentence
            self.words = words
        return sentence

    def __repr__(self) -> str:
        return "sentences"

    def _forget_unused(self) -> None:
        """Keep the recorded sentences as far as they are in use: each from its first pair that is."""
        self._heads = _in_use(self._heads, _UNUSED)
        self._most_heads = 2 * len(self._heads) + 100

    def stop_sharing_for(self, text: str) -> None:
        """Stop the sharing if a program's text mentions a procedure that changes pairs."""
        if self.shares and "!" in text:
            folded = text.lower()
            if any(name in folded for name in CHANGES_PAIRS):
                self.stop_sharing()

    def stop_sharing(self) -> None:
        """Give each sentence pairs of its own, now and from now on."""
        if self.shares:
            if self.last is not self.listed:
                self._heads.append(self.last)
            self.shares = False
            self.last = self.listed = None
            for head in self._heads:
                _take_apart(head)
            self._heads = []


def _in_use(heads: list[Pair], unused: int) -> list[Pair]:
    """The first pair in use of each sentence; the list is emptied. `unused` is the count of references to others."""
    found: list[Pair] = []
    while heads:
        cell: Value = heads.pop()
        while reference_count(cell) == unused:
            cell = cell.cdr
        if cell is not NIL:
            found.append(cell)
    return found


# How many references the loop itself adds differs between versions: 3.14 borrows that of a local variable.
_UNUSED = next(count for count in range(10) if not _in_use([Pair(NIL, NIL)], count))


def _take_apart(head: Pair) -> None:
    """Give a sentence and each of its tails that is in use elsewhere pairs of their own."""
    cells = [head]
    while type(cells[-1].cdr) is Pair:
        cells.append(cells[-1].cdr)
    unshared_cell = UNSHARED + 1  # one pair holds it, too
    used = [index for index in range(1, len(cells)) if reference_count(cells[index]) > unshared_cell]
    for index in used:
        cells[index - 1].cdr = list_of([cell.car for cell in cells[index:]])
