"""The check of a program that is not run: its definitions, the rules that beginners break, and the reports."""
