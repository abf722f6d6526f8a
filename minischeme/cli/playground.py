"""The command `minischeme playground`."""

from collections.abc import Sequence
from pathlib import Path

from minischeme.cli.parsers import command_parser, integer
from minischeme.cli.process import SCHEME_ERROR, WRONG_USAGE, complain

_BUILD = "OUT is then a folder that any web server can serve. The build needs npm and pip."
_SERVE = "FOLDER was made by minischeme playground build; without it, the page is built first."
_PORT = 8061


def playground(arguments: Sequence[str]) -> int:
    """Build or serve the playground; return the exit status."""
    action, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    if action not in ("build", "serve"):
        description = "Make the page that runs minischeme in a browser, without a server behind it."
        usage = "minischeme playground build OUT | minischeme playground serve [FOLDER] [--port N]"
        command_parser("minischeme playground", description, "", usage).parse_args(arguments)
        complain(f"usage: {usage}")
        return WRONG_USAGE
    try:
        from minischeme.playground import building, serving
    except ImportError:
        complain(
            "minischeme playground: an installed minischeme does not contain the page's sources; "
            "run this in a checkout, or in an unpacked source archive"
        )
        return WRONG_USAGE
    scratch = building.PACKAGE.parent / ".cache/playground"
    try:
        if action == "build":
            parser = command_parser("minischeme playground build", "Write the page to a folder.", _BUILD)
            parser.add_argument("out", metavar="OUT", type=Path, help="the folder")
            building.build(parser.parse_args(rest).out, scratch)
            return 0
        parser = command_parser("minischeme playground serve", "Serve the page on this machine.", _SERVE)
        parser.add_argument("folder", metavar="FOLDER", type=Path, nargs="?", help="a folder with the page")
        parser.add_argument("--port", metavar="N", type=integer, default=_PORT, help=f"the port (default: {_PORT})")
        options = parser.parse_args(rest)
        folder = options.folder
        if folder is None:
            folder = scratch / "page-built"
            building.build(folder, scratch)
        if not (folder / "index.html").is_file():
            complain(f"minischeme playground: {folder} holds no page; minischeme playground build makes one")
            return WRONG_USAGE
        with serving.server(folder, options.port) as running:
            print(f"http://localhost:{running.server_port}/ (Ctrl-C ends it)", flush=True)
            running.serve_forever()
    except (building.BuildError, OSError) as error:
        complain(f"minischeme playground: {error}")
        return SCHEME_ERROR
    return 0
