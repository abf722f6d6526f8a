"""A running Scheme, and what it can tell: traces, call trees, descriptions, recordings."""
