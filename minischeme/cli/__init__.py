"""The command `minischeme`."""
