"""Numbers, words, lists and the other values of Scheme, their text, spans of source, and errors."""
