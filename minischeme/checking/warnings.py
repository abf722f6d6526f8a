"""The warnings of mistakes in the files that are loaded at the prompt."""

from collections.abc import Mapping

from minischeme.checking.check import diagnostics_of_files
from minischeme.checking.formats import as_text
from minischeme.data.wrapping import wrapped
from minischeme.modules.files import library_file
from minischeme.session.session import Session

_MOST = 5


def warn_of_mistakes(session: Session, files: Mapping[str, str]) -> None:
    """Show the first mistakes in files, whose texts were loaded, that the load has not shown."""
    own = {path: text for path, text in files.items() if library_file(path) is None}
    found = [each for part in diagnostics_of_files(own, session) for each in part if not each.is_error]
    if not found:
        return
    output = session.output
    text = as_text(found[:_MOST], output.width)
    if len(found) > _MOST:
        command = f"minischeme check {' '.join(own)}"
        text += wrapped(f";; {len(found) - _MOST} more warnings: {command} shows them all\n", output.width, 3)
    with session.prompt.recording.paused():
        output.fresh_line()
        output.write(text)
