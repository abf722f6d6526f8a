"""The names of globals: the keys of the dicts that compiled code runs in."""

from collections.abc import Mapping

from minischeme.data.values import Value

_RESERVED = frozenset({"None", "True", "False", "__debug__", "__builtins__"})


def python_name(name: str) -> str:
    """The key of a Scheme global in the dict of globals: its own name, except for the few that Python reserves, and
    those that begin with the prefix of these few and of the compiler's own locals."""
    return f"'{name}" if name in _RESERVED or name[:1] == "'" else name


def hidden_key(name: str) -> str:
    """The key of a hidden definition of the library, which no program can name: no symbol has this `python_name`."""
    return f"'{name}"


def standard_value(library: Mapping[str, Value], name: str) -> Value:
    """The definition of the library under a name, hidden or not; a KeyError where there is none."""
    return library[name] if name in library else library[hidden_key(name)]


def scheme_name(name: str) -> str:
    """The inverse of `python_name`."""
    return name[1:] if name[:1] == "'" else name
