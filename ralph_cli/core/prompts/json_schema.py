"""The JSON schemas of tools and replies, made from what differs between them. Pure."""

from collections.abc import Mapping, Sequence

from ralph_cli.core.model import Json


def string(description: str) -> Json:
    """A text."""
    return {"type": "string", "description": description}


def strings(description: str) -> Json:
    """A list of texts."""
    return {"type": "array", "items": {"type": "string"}, "description": description}


def record(properties: Mapping[str, Json], required: Sequence[str] = ()) -> Json:
    """An object with these properties and no others."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": dict(properties), **needed, "additionalProperties": False}
