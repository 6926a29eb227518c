"""The JSON schemas of tools and replies, made from what differs between them. Pure."""

import json
from collections.abc import Sequence
from typing import Any

from ralph_cli.core.model import Json


def object_schema(required: Sequence[str] | None = None, /, **fields: Json) -> Json:
    """An object with these fields and no others. All are required, unless `required` names some."""
    needed = list(fields if required is None else required)
    needs: Json = {"required": needed} if needed else {}
    return {"type": "object", "properties": fields, **needs, "additionalProperties": False}


def string(description: str = "") -> Json:
    """A text."""
    return {"type": "string"} | ({"description": description} if description else {})


def integer(description: str = "") -> Json:
    """A whole number."""
    return string(description) | {"type": "integer"}


def array(items: Json, description: str = "") -> Json:
    """A list of such items."""
    return {"type": "array", "items": items} | ({"description": description} if description else {})


def choice(*words: str) -> Json:
    """One of these words."""
    return {"type": "string", "enum": list(words)}


def render_example(schema: Json) -> str:
    """An object of a schema, in JSON, with one entry in each list: the shape, for a model that cannot be held to it."""
    return json.dumps(example_of(schema))


def example_of(schema: Json) -> Any:
    """A value of a schema, with one entry in each list."""
    match schema["type"]:
        case "object":
            return {name: example_of(field) for name, field in schema["properties"].items()}
        case "array":
            return [example_of(schema["items"])]
        case "integer":
            return 1
        case "boolean":
            return False  # an example favours no yes
    return "..."
