"""The commands that explain names: `,help` and `,apropos`."""

from minischeme.data.wrapping import in_columns
from minischeme.repl.commands.table import TABLE, Command, command, command_named, say, unknown_name
from minischeme.session.describe import Description, describe, names
from minischeme.session.session import Session


@command(",help [name]")
def _help(session: Session, rest: str) -> None:
    """What a name means, with an example or its source; alone, this table."""
    if not rest:
        rows = [(each.grammar, each.doc) for each in TABLE.values()]
        say(session, in_columns(rows, session.output.width))
        return
    description = describe(session, rest)
    if rest.startswith(",") or (description is None and rest in TABLE):
        named = command_named(rest.lstrip(","))
        say(session, _command_help(named))
    elif description is None:
        raise unknown_name(session, ",help", rest)
    else:
        say(session, explanation(description))
        if rest in TABLE and TABLE[rest].page:
            say(session, "\n" + _command_help(TABLE[rest]))
        if description.definition is not None:
            lines = description.definition.text.splitlines()
            say(session, "\n" + "\n".join(f"  {line}".rstrip() for line in lines), 4)


def _command_help(named: Command) -> str:
    return "\n".join([named.grammar, f"  {named.doc}", *([f"\n{named.page}"] if named.page else [])])


def explanation(description: Description) -> str:
    """The help on a name: its signature, and below it what it does."""
    span = description.definition
    is_told = span is None or span.source.is_interactive or description.doc.endswith(str(span))
    lines = {
        "": description.doc,
        "Example: ": description.example,
        "Also called ": ", ".join(description.aliases),
        "Defined at ": "" if is_told else span,
    }
    head = f"{description.signature}    {description.kind.value}"
    return "\n".join([head, *(f"  {label}{text}" for label, text in lines.items() if text)])


@command(",apropos WORD")
def _apropos(session: Session, rest: str) -> None:
    """Names that have a word in their name or in their line of help."""
    wanted = rest.lower()
    found: list[tuple[str, str]] = []
    for name in sorted(set(names(session))):
        description = describe(session, name)
        if description is not None and (wanted in name.lower() or wanted in description.doc.lower()):
            found.append((name, description.doc))
    # Names with the word come before those with it in their help.
    found.sort(key=lambda row: wanted not in row[0].lower())
    table = in_columns(found, session.output.width)
    say(session, table or f"Nothing has {rest} in its name or help.")
