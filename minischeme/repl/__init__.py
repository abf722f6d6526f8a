"""The interactive prompt. Most of its modules import prompt_toolkit or pygments: import them only in a terminal."""
