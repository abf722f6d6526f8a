"""Core to CPython code: `analysis` chooses loops, `generator` makes Python's ``ast``, `assembly` the code objects."""
