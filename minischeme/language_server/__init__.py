"""The language server: help for editors, from a program's text alone; the program is never run."""
