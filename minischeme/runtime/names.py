"""Names of globals: the keys under which they stand in the dicts that compiled code runs in."""

from __future__ import annotations

from collections.abc import Mapping

from minischeme.data.values import Value

_RESERVED = frozenset({"None", "True", "False", "__debug__", "__builtins__"})


def python_name(name: str) -> str:
    """The key of a Scheme global in the dict of globals: its own name, but for the few that Python keeps for itself,
    and those that begin with the mark of these few and of the compiler's own locals."""
    return f"'{name}" if name in _RESERVED or name[:1] == "'" else name


def hidden_key(name: str) -> str:
    """The key of what the library has under a name, but no program can use by it: no symbol has this `python_name`."""
    return f"'{name}"


def standard_value(library: Mapping[str, Value], name: str) -> Value:
    """What the library has under a name, hidden or not.

    Raises: KeyError.
    """
    return library[name] if name in library else library[hidden_key(name)]


def scheme_name(name: str) -> str:
    """The inverse of `python_name`."""
    return name[1:] if name[:1] == "'" else name
