"""The adapters of the three wire formats, pointed at the fault server."""

from fault_server import CANARY

from ralph_cli.core.model import Model
from ralph_cli.providers.endpoint import Endpoint
from ralph_cli.providers.registry import connect
from ralph_cli.providers.vendors.anthropic import Anthropic
from ralph_cli.providers.vendors.openai import OpenAI

WIRES = ("messages", "responses", "chat")
opened: list[Anthropic | OpenAI] = []
"""What the running test has to close."""


def adapter(wire: str, url: str, deadline_s: float = 10) -> Model:
    """The adapter of a wire format for an address of the fault server."""
    if wire == "messages":
        model = connect("anthropic:m", Endpoint("anthropic", CANARY, url), deadline_s=deadline_s)
    else:
        api = "chat" if wire == "chat" else "responses"
        model = connect("openai:m", Endpoint("openai", CANARY, f"{url}/v1", api), deadline_s=deadline_s)
    assert isinstance(model, Anthropic | OpenAI)
    opened.append(model)
    return model
