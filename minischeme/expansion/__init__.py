"""The expansion of data to the core tree: special forms and macros."""
