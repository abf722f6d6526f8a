"""Which local names there are at a place in a text that is being typed, judged by the shape of the forms around it."""

from __future__ import annotations

from collections.abc import Iterator

from minischeme.repl.outline import Group, Mode, Outline, Token

_PARAMETERS = ("lambda", "case-lambda", "named-lambda", "λ")
_BINDINGS = ("let", "let*", "letrec", "letrec*", "do", "fluid-let", "parameterize")
_CLASS_PARTS = ("instance-vars", "class-vars")


def local_names(outline: Outline, offset: int) -> dict[str, None]:
    """The names that the forms around `offset` bind, innermost first, each once."""
    names: dict[str, None] = {}
    group: Group | None = outline.group_at(offset)
    while group is not None and group.opening is not None:
        names.update(dict.fromkeys(bound_in(group)))
        group = group.parent
    return names


def bound_in(group: Group) -> Iterator[str]:
    """The names that a form binds for what stands inside it."""
    if group.mode is not Mode.CODE or group.head is None:
        return
    head = group.head
    rest = group.parts[1:]
    target = rest[0] if rest else None
    if isinstance(target, Group):
        if head in _PARAMETERS or head in ("define", "define-macro", "define-class", "method"):
            # The first word of (define (f x) …) is f, which the program may call as well.
            yield from _words(target)
        elif head in _BINDINGS:
            yield from _bindings(target)
    elif isinstance(target, Token):
        if head == "lambda":
            yield target.text
        if head == "let" and len(rest) > 1 and isinstance(rest[1], Group):
            yield target.text
            yield from _bindings(rest[1])
    for part in rest:
        if isinstance(part, Group) and part.head == "define":
            yield from _defined(part)
        elif head == "define-class" and isinstance(part, Group) and part.head in _CLASS_PARTS:
            yield from _bindings(part)


def _defined(definition: Group) -> Iterator[str]:
    if len(definition.parts) > 1:
        target = definition.parts[1]
        while isinstance(target, Group) and target.parts:
            target = target.parts[0]
        if isinstance(target, Token):
            yield target.text


def _words(group: Group) -> Iterator[str]:
    yield from (word.text for word in group.words if word.text != ".")
    for inner in group.groups:
        yield from _words(inner)


def _bindings(group: Group) -> Iterator[str]:
    """The names in ``((a 1) (b 2))``."""
    yield from (binding.words[0].text for binding in group.groups if binding.head is not None)
