"""Serves the tools over HTTP, by default on this machine only. Every request needs the token."""

import hmac
import ipaddress
import socket
from contextlib import suppress

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ralph_cli.commands.mcp.server import SECONDS_TO_END, Front
from ralph_cli.core.errors import ConfigError

PATH = "/mcp"


class TokenGate:
    """Accepts only requests that have the token in their Authorization header."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._wanted = app, f"bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or refuse it."""
        if scope["type"] != "lifespan":  # no client sends it
            scheme, _, token = Headers(scope=scope).get("authorization", "").partition(" ")
            if not hmac.compare_digest(f"{scheme.lower()} {token.strip()}".encode(), self._wanted):
                refusal = PlainTextResponse(
                    "ralph: the token is missing or wrong - send the header Authorization: Bearer TOKEN\n",
                    401,
                    {"WWW-Authenticate": "Bearer"},
                )
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


def make_app(front: Front, token: str, host: str, port: int) -> ASGIApp:
    """Return the application. It refuses requests to other hosts or ports, and from pages of other origins."""
    names = [host] if not is_loopback(host) else ["127.0.0.1", "localhost", "[::1]"]
    hosts = [f"{name}:{port}" for name in names]
    security = TransportSecuritySettings(
        allowed_hosts=hosts, allowed_origins=[f"http://{name}" for name in hosts], enable_dns_rebinding_protection=True
    )
    app = front.server().streamable_http_app(streamable_http_path=PATH, host=host, transport_security=security)
    return TokenGate(app, token)


def open_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 is one that is free. Raises ConfigError."""
    with suppress(ValueError):
        if ipaddress.ip_address(host).is_unspecified:
            hint = "--host with the name or address by which clients call it"
            raise ConfigError(f"{host} is every address of this machine", code="bad-host", hint=hint)
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        what = f"nothing can listen at {host}:{port}: {getattr(error, 'strerror', None) or error}"
        raise ConfigError(what, code="bad-host", hint="choose another --port or --host") from error


def serve(app: ASGIApp, listening: socket.socket) -> None:
    """Answer requests until a signal ends the program."""
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, timeout_graceful_shutdown=int(SECONDS_TO_END) or 1
    )
    uvicorn.Server(config).run(sockets=[listening])


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach that host."""
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"
