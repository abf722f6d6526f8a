"""The build hook: makes the parser's tables of the grammar, so that an installed minischeme finds them."""

import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class TablesHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the module that `artifacts` in pyproject.toml names."""
        sys.path.insert(0, self.root)
        from minischeme.reading.grammar import load

        load()
