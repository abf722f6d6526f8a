"""Global variables, the code that runs in them, recompilation, and continuations."""
