"""The local names in scope at a position of a text that is being typed, by the shape of the forms around it."""

from collections.abc import Iterator

from pygments.token import Name

from minischeme.repl.outline import Group, Mode, Outline, Token

_PARAMETERS = ("lambda", "case-lambda", "named-lambda", "λ")
_BINDINGS = ("let", "let*", "letrec", "letrec*", "do", "fluid-let", "parameterize")
_CLASS_PARTS = ("instance-vars", "class-vars")


def local_names(outline: Outline, offset: int) -> dict[str, None]:
    """The names that the forms around `offset` bind, innermost first, each once."""
    return dict.fromkeys(name for group in outline.group_at(offset).around() for name in bound_in(group))


def bound_in(group: Group) -> Iterator[str]:
    """The names that a form binds for its parts."""
    if group.mode is not Mode.CODE or group.head is None:
        return
    head = group.head
    rest = group.parts[1:]
    target = rest[0] if rest else None
    if isinstance(target, Group):
        if head in _PARAMETERS or head in ("define", "define-macro", "define-class", "method"):
            # The first word of (define (f x) …) is f, which the body may call.
            yield from _words(target)
        elif head in _BINDINGS:
            yield from _bindings(target)
    elif isinstance(target, Token):
        if head == "lambda":
            yield target.text
        if head == "let" and len(rest) > 1 and isinstance(rest[1], Group):
            yield target.text
            yield from _bindings(rest[1])
    for part in group.groups:
        if part.head == "define" and len(part.parts) > 1:
            defined = part.parts[1]
            while isinstance(defined, Group) and defined.parts:
                defined = defined.parts[0]
            if isinstance(defined, Token):
                yield defined.text
        elif head == "define-class" and part.head in _CLASS_PARTS:
            yield from _bindings(part)


def _words(group: Group) -> Iterator[str]:
    for part in group.parts:
        if isinstance(part, Group):
            yield from _words(part)
        elif part.kind is Name and part.text != ".":
            yield part.text


def _bindings(group: Group) -> Iterator[str]:
    for binding in group.groups:
        name = binding.parts[0] if binding.head is not None else None
        if isinstance(name, Token):
            yield name.text
