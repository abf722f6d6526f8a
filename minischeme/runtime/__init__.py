"""The support of running code: tail calls, deep recursion, dynamic extent, ports."""
