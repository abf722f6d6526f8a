"""What the names of a session mean, as the prompt's completion, colours and toolbar ask for it.

Leaves what is known of a name to `minischeme.session.describe`. It imports neither prompt_toolkit nor pygments.
"""

from __future__ import annotations

from collections.abc import Iterator

from minischeme.session.describe import Description as Meaning
from minischeme.session.describe import Kind, describe, kind_of, names, spelling
from minischeme.session.session import Session

__all__ = ["Kind", "Meaning", "Vocabulary"]


class Vocabulary:
    """The names that a session knows now."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def names(self) -> Iterator[str]:
        """All names, the user's own first; without those that are not for programs, and without ``$1`` and its like."""
        return names(self._session)

    def kind(self, name: str) -> Kind | None:
        """What a name stands for; None if it means nothing."""
        return kind_of(self._session, spelling(self._session, name))

    def meaning(self, name: str) -> Meaning | None:
        """What is known of a name; None if it means nothing."""
        return describe(self._session, name)
