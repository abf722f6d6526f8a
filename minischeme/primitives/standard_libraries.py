"""The exports of the standard libraries (R7RS appendix A), and the features that ``cond-expand`` knows (appendix B)."""

import os
import sys
from functools import cache

WITH_EVERYTHING = ("(minischeme)", "(simply scheme)")
"""The libraries that export all that minischeme has."""

WITH_THE_STANDARD = ("(scheme small)", "(scheme r5rs)", "(rnrs)", "(rnrs base)")
"""The libraries that export all that R7RS has."""

_ONLY_R5RS = {"exact->inexact", "inexact->exact", "null-environment", "scheme-report-environment"}


@cache
def listed_libraries() -> dict[str, frozenset[str]]:
    """The exports of the libraries of R7RS, and of SRFIs the names that exist here and mean the same."""
    with open(os.path.join(os.path.dirname(__file__), "standard_libraries.txt"), encoding="utf-8") as file:
        blocks = [block.partition("\n") for block in file.read().split("\n\n")]
    return {name: frozenset(exports.split()) for name, _, exports in blocks}


@cache
def standard_names() -> frozenset[str]:
    """All that the R7RS dialect has without an import."""
    standard = [exports for name, exports in listed_libraries().items() if name.startswith("(scheme ")]
    return frozenset({"import", "define-library"}).union(*standard)


def exports_of(library: str) -> frozenset[str] | None:
    """The exports of a library, by the text of its name; None if it is none of these."""
    if library in WITH_THE_STANDARD:
        return standard_names() | _ONLY_R5RS if library == "(scheme r5rs)" else standard_names()
    return listed_libraries().get(library)


def features() -> tuple[str, ...]:
    """The features of this implementation."""
    systems = {"linux": ("unix", "gnu-linux", "linux"), "darwin": ("unix", "darwin"), "win32": ("windows",)}
    standard = ["r7rs", "exact-closed", "exact-complex", "ratios", "full-unicode"]
    return (*standard, *systems.get(sys.platform, ()), "minischeme", "python", "berkeley")
