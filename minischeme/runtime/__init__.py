"""What running code relies on: tail calls, deep recursion, dynamic extent, ports."""
