"""One fault server for all tests of this folder, and adapters that point at it."""

from collections.abc import Callable, Iterator

import pytest
from fault_server import CANARY, FAULTS, FaultServer, Handler

from ralph_cli.core.model import Model
from ralph_cli.providers.anthropic import Anthropic
from ralph_cli.providers.openai import OpenAI
from ralph_cli.providers.registry import Endpoint, connect

WIRES = ("messages", "responses", "chat")


@pytest.fixture(scope="session")
def server() -> Iterator[FaultServer]:
    running = FaultServer({name: act for name, (act, _) in FAULTS.items()})
    yield running
    running.close()


@pytest.fixture
def serve(server: FaultServer) -> Callable[[str, Callable[[Handler], None]], str]:
    """Add one behaviour under a name; gives its address."""

    def add(name: str, act: Callable[[Handler], None]) -> str:
        server.faults[name] = act
        return server.url(name)

    return add


_open: list[Anthropic | OpenAI] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close the connections of every adapter a test made."""
    yield
    while _open:
        _open.pop().close()


def adapter(wire: str, url: str, deadline_s: float = 10) -> Model:
    """The adapter of a wire format for an address of the fault server."""
    if wire == "messages":
        model = connect("anthropic:m", Endpoint("anthropic", CANARY, url), deadline_s=deadline_s)
    else:
        api = "chat" if wire == "chat" else "responses"
        model = connect("openai:m", Endpoint("openai", CANARY, f"{url}/v1", api), deadline_s=deadline_s)
    assert isinstance(model, Anthropic | OpenAI)
    _open.append(model)
    return model


@pytest.fixture(params=WIRES)
def wire(request: pytest.FixtureRequest) -> str:
    return str(request.param)
