"""How fast minischeme is: the same algorithms in Scheme, by hand in Python, and in other Schemes, timed in turn.

``python -m tests.benchmarks`` prints the tables; with ``growth``, how time and memory grow with the work. Nothing here
asserts a time.
"""
