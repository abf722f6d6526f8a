"""The interactive prompt in a terminal. Its modules import prompt_toolkit and pygments: import them only to prompt."""
