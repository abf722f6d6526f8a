"""The comma-commands of both prompts, each a decorated function; `,help` shows them.

A command never changes a definition, except that `,load`, `,reload` and `,edit` load files.
"""

# ruff: noqa: I001 - each module puts its commands into the table, in the order of the help.
from minischeme.repl.commands.table import TABLE as TABLE, dispatch as dispatch
from minischeme.repl.commands.helping import explanation as explanation
from minischeme.repl.commands.watching import show_steps as show_steps
from minischeme.repl.commands.files import run_rc as run_rc
