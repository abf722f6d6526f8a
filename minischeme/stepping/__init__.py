"""The recorded run of an expression: its steps, forward and back, as data, as text and as a page."""
