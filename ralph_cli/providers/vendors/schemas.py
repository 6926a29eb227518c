"""Converts JSON Schemas to OpenAI's strict form and back:

closed objects, all properties required, optional ones nullable.
"""

import json
import re
from typing import Any

from ralph_cli.core.model import Json

_COPIED_KEYWORDS = ("type", "description", "enum", "const", "pattern", "format", "minItems", "maxItems")
_COPIED_BOUNDS = ("multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_CONDITIONS = ("not", "if", "then", "else", "dependentRequired", "dependentSchemas")
_UNSUPPORTED_KEYWORDS = (*_CONDITIONS, "patternProperties", "prefixItems")


class _NotStrictError(Exception):
    """The schema cannot be expressed in strict form."""


def to_strict(schema: Json) -> Json | None:
    """Return the schema in strict form, or None if there is none (free-form objects, conditions, values of any type).

    Annotations and limits that the strict form does not support (default, title, maxLength, ...) are left out. The
    caller checks the reply against the real schema.
    """
    try:
        converted = _to_strict(schema)
        if converted.get("type") == "object" and "$defs" in schema:
            converted["$defs"] = {name: _to_strict(definition) for name, definition in schema["$defs"].items()}
    except _NotStrictError:
        return None
    return converted if converted.get("type") == "object" else None


def _to_strict(schema: Any) -> Json:
    if not isinstance(schema, dict) or any(key in schema for key in _UNSUPPORTED_KEYWORDS):
        raise _NotStrictError
    if "$ref" in schema:
        return {"$ref": schema["$ref"]}  # nothing else is allowed next to a reference
    variants = schema.get("anyOf") or schema.get("oneOf")
    if variants:
        described = {"description": schema["description"]} if "description" in schema else {}
        return described | {"anyOf": [_to_strict(variant) for variant in variants]}
    if len(schema.get("allOf", ())) == 1:
        return _to_strict(schema["allOf"][0])
    if "allOf" in schema or not ({"type", "enum", "const"} & schema.keys()):
        raise _NotStrictError
    out: Json = {key: schema[key] for key in (*_COPIED_KEYWORDS, *_COPIED_BOUNDS) if key in schema}
    if "array" in _types(schema):
        out["items"] = _to_strict(schema.get("items"))
    if "object" in _types(schema):
        out |= _close_object(schema)
    return out


def _types(schema: Json) -> list[Any]:
    types = schema.get("type")
    return types if isinstance(types, list) else [types]


def _close_object(schema: Json) -> Json:
    properties = schema.get("properties", {})
    if schema.get("additionalProperties") or (not properties and schema.get("additionalProperties") is not False):
        raise _NotStrictError
    required = schema.get("required", ())
    converted = {name: _to_strict(sub) for name, sub in properties.items()}
    for name, sub in converted.items():
        if name not in required and not _accepts_null(sub):
            converted[name] = {"anyOf": [sub, {"type": "null"}]}
    return {"properties": converted, "required": list(converted), "additionalProperties": False}


def _accepts_null(schema: Json) -> bool:
    return (
        "null" in _types(schema)
        or None in schema.get("enum", ())
        or any(_accepts_null(variant) for variant in schema.get("anyOf", ()))
    )


def without_nulls(value: Any, schema: Json) -> Any:
    """Return the value without the properties that are null only because the strict form requires all properties."""
    return _strip_nulls(value, schema, schema)


def text_without_nulls(text: str, schema: Json) -> str:
    """Apply `without_nulls` to JSON text. Other text is returned unchanged, for the reader to refuse."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    cleaned = without_nulls(value, schema)
    return text if cleaned == value else json.dumps(cleaned, ensure_ascii=False)


def _strip_nulls(value: Any, schema: Any, root: Json) -> Any:
    schema = _resolve(schema, value, root)
    if isinstance(value, list):
        return [_strip_nulls(item, schema.get("items", {}), root) for item in value]
    if not isinstance(value, dict):
        return value
    properties, required = schema.get("properties", {}), schema.get("required", ())
    out: Json = {}
    for name, item in value.items():
        sub = properties.get(name)
        if item is None and sub is not None and name not in required and not _accepts_null(_resolve(sub, None, root)):
            continue
        out[name] = item if sub is None else _strip_nulls(item, sub, root)
    return out


def _resolve(schema: Any, value: Any, root: Json) -> Json:
    """Follow references, and return the schema; of several variants, the one that fits the value."""
    for _ in range(32):  # references may be circular
        if not isinstance(schema, dict):
            return {}
        variants = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
        if "$ref" in schema:
            schema = root.get("$defs", {}).get(str(schema["$ref"]).rpartition("/")[2], {})
        elif variants and value is not None:
            resolved = [_resolve(variant, value, root) for variant in variants]
            schema = next((v for v in resolved if _fits(value, v)), {})
        else:
            return {"anyOf": schema["oneOf"]} if "oneOf" in schema else schema
    return {}


def _fits(value: Any, schema: Json) -> bool:
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        consts = {name: sub["const"] for name, sub in properties.items() if isinstance(sub, dict) and "const" in sub}
        return set(value) <= set(properties) and all(value.get(name, const) == const for name, const in consts.items())
    return isinstance(value, list) == (schema.get("type") == "array")


def identifier(name: str) -> str:
    """Return the name in the form that both wire formats allow: letters, digits, _ and -, at most 64 characters."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "output"
