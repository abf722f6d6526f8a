"""Profiles: how often the procedures and lines of a program run, and the time that they take."""
