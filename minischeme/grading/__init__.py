"""Grading: the programs of strangers, run in a sandbox by tests that carry points."""
