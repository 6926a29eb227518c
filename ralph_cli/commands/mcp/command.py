"""`ralph mcp`: serves agents over standard input and output, or HTTP."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from ralph_cli.commands.parameters.takes import JUDGED, RUN, Given, takes
from ralph_cli.core.errors import ConfigError
from ralph_cli.reports.safe_text import one_line

Allow = Annotated[
    list[Path] | None,
    typer.Option(help="Folder whose documents clients may read; may be given again. Without it, none."),
]
Http = Annotated[bool, typer.Option("--http", help="Serve over HTTP instead of standard input and output.")]
Host = Annotated[str, typer.Option(help="Address to listen at; the default is this machine only.")]
Port = Annotated[int, typer.Option(min=0, help="Port to listen at; 0 is one that is free.")]


@takes(*RUN, *JUDGED, "panel", "bullets", "quotes", "limits", "cache")
def mcp(given: Given, allow: Allow = None, http: Http = False, host: Host = "127.0.0.1", port: Port = 8571) -> int:
    """Let agents ask, check and read documents by the Model Context Protocol; the bounds hold for all calls."""
    from ralph_cli import config
    from ralph_cli.commands.mcp.fence import Fence
    from ralph_cli.commands.terminal.interrupts import interrupts
    from ralph_cli.core import clock

    settings = config.load_settings(given)
    fence = Fence(allow or (), apart=(settings.out, settings.cache_folder))
    missing = [name for name in ("mcp", "starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        what = f"ralph mcp needs packages that are not installed: {', '.join(missing)}"
        raise ConfigError(what, code="no-extra", hint="pip install 'ralph-cli[mcp]'")
    from ralph_cli.commands.mcp import http as over_http
    from ralph_cli.commands.mcp.server import Front, serve_stdio
    from ralph_cli.commands.mcp.tools import Toolbox

    front = Front(Toolbox(settings, fence))
    folders = ", ".join(map(str, fence.folders))
    for line in (*(notice.message for notice in front.tools.notices), f"clients may read {folders}"):
        typer.echo(f"ralph: {one_line(line)}", err=True)
    try:
        if http:
            with over_http.open_socket(host, port) as listening:
                token, at = clock.token(24), listening.getsockname()[1]
                shown = f"[{host}]" if ":" in host else host
                typer.echo(f"ralph: listening at http://{shown}:{at}{over_http.PATH}", err=True)
                typer.echo(f"ralph: every request needs the header Authorization: Bearer {token}", err=True)
                over_http.serve(over_http.make_app(front, token, shown, at), listening)
        else:
            serve_stdio(front)
    except KeyboardInterrupt:
        # A thread may still be waiting for standard input.
        front.wait_for_runs()
        interrupts.end_at_once()
    front.wait_for_runs()
    return 0
