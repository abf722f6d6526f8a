"""The Jupyter kernel: what notebooks ask for, answered by a session. Only `python -m minischeme.jupyter` imports it."""
