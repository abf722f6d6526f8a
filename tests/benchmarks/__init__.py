"""How fast minischeme is: the same algorithms in Scheme and written by hand in Python, timed in turn.

``python -m tests.benchmarks`` prints the table. Nothing here asserts a time.
"""
