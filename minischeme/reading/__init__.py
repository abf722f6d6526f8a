"""From text to data: grammar, lexer, parser, reader."""
