"""The diagnosis of errors: from a Python exception to a `SchemeError` with its span, its stack and a hint."""
