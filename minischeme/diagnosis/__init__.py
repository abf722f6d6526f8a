"""From a Python exception to a `SchemeError` with its place, its stack and a hint."""
