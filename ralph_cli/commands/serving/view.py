"""`ralph view`: shows runs and tables in a browser."""

import os
import pwd
import socket
import webbrowser
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from ralph_cli.commands.parameters.takes import JUDGED, RUN, Given, takes
from ralph_cli.core.errors import UserError

TOKEN_BYTES = 18


@takes(*RUN, *JUDGED, "panel", "bullets", "quotes", "answer_as", "limits", "refresh")
def view(
    given: Given,
    folder: Annotated[
        Path | None, typer.Argument(help="A folder of runs and tables, or of one table; default the one of --out.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, help="Port on 127.0.0.1; 0 is one that is free.")] = 0,
    name: Annotated[str, typer.Option(help="Your name, for reviews; default your login.")] = "",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
) -> int:
    """Show runs and tables in a browser: answers beside the document, live, with reviews; until Ctrl-C.

    The printed address has a token: without it nobody sees anything, and it works on this machine only. A further
    question that you ask there has the models and settings of its run, except what you set here, and bounds of its own.
    """
    from ralph_cli import config
    from ralph_cli.core import clock
    from ralph_cli.reports.safe_text import one_line

    try:
        import uvicorn

        from ralph_cli.view.asking import Asker
        from ralph_cli.view.server import make_app
    except ImportError as error:
        what = f"ralph view needs {error.name}, which is not installed"
        raise UserError(what, code="no-view", hint="pip install 'ralph-cli[view]'") from error
    settings = config.load_settings(given)
    root = folder or settings.out
    if not root.is_dir():
        raise UserError(f"there is no folder {root}", code="no-folder", hint="name a folder of runs, or of a table")
    listening = _listen(port)
    token = clock.token(TOKEN_BYTES)
    address = f"http://127.0.0.1:{listening.getsockname()[1]}/{token}/"
    asker = Asker(settings.model_copy(update={"out": root}))
    app = make_app(root, settings, token, one_line(name) or _login(), ask=asker)

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            app.end()  # an open page would keep the server running
            super().handle_exit(sig, frame)

    # Pages show their errors. At its end, uvicorn would log a traceback for each open request.
    server = Server(
        uvicorn.Config(app, log_level="critical", access_log=False, lifespan="off", timeout_graceful_shutdown=1)
    )
    typer.echo(address)
    typer.echo("press Ctrl-C to stop", err=True)
    if browser and os.isatty(1):
        webbrowser.open(address)
    server.run(sockets=[listening])
    return 0


def _listen(port: int) -> socket.socket:
    """Return a socket on that port of this machine only. Raises UserError if it is in use."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
        listening.listen()  # requests wait until the server is ready
    except (OSError, OverflowError) as error:
        listening.close()
        what = f"port {port} cannot be used: {getattr(error, 'strerror', None) or error}"
        raise UserError(what, code="bad-port", hint="without --port, ralph chooses a free one") from error
    return listening


def _login() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return "reviewer"
