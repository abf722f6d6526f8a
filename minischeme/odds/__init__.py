"""Exact results of card games: what a strategy looks at, and the enumeration of all games."""
