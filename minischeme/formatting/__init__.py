"""The structure of texts, complete or not, and the layout of their lines."""
