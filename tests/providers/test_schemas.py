"""The strict form of a schema, and the way back from values that follow it."""

import pytest

from ralph_cli.core.model import Json
from ralph_cli.providers.vendors.schemas import identifier, text_without_nulls, to_strict, without_nulls

CLAIM: Json = {
    "type": "object",
    "title": "Claim",
    "properties": {
        "text": {"type": "string", "maxLength": 400, "title": "Text"},
        "page": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        "note": {"type": "string", "default": ""},
    },
    "required": ["text"],
}
ANSWER: Json = {
    "$defs": {"Claim": CLAIM},
    "type": "object",
    "properties": {
        "claims": {"type": "array", "items": {"$ref": "#/$defs/Claim", "description": "one"}, "maxItems": 9},
        "best": {"anyOf": [{"$ref": "#/$defs/Claim"}, {"type": "null"}]},
        "kind": {"enum": ["a", "b"], "type": "string"},
    },
    "required": ["claims", "best", "kind"],
}


def test_strict_form() -> None:
    null = {"type": "null"}
    claim = {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "page": {"anyOf": [{"type": "integer"}, null]},
            "note": {"anyOf": [{"type": "string"}, null]},
        },
        "required": ["text", "page", "note"],
        "additionalProperties": False,
    }
    assert to_strict(ANSWER) == {
        "type": "object",
        "properties": {
            "claims": {"type": "array", "maxItems": 9, "items": {"$ref": "#/$defs/Claim"}},
            "best": {"anyOf": [{"$ref": "#/$defs/Claim"}, null]},
            "kind": {"type": "string", "enum": ["a", "b"]},
        },
        "required": ["claims", "best", "kind"],
        "additionalProperties": False,
        "$defs": {"Claim": claim},
    }


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": "array", "items": {"type": "string"}},
        {"type": "object", "properties": {"x": {}}},
        {"type": "object", "properties": {"x": {"type": "object", "additionalProperties": True}}},
        {"type": "object", "properties": {"x": {"type": "array"}}},
        {"type": "object", "properties": {"x": {"allOf": [{"type": "string"}, {"minLength": 1}]}}},
        {"type": "object", "properties": {"x": {"not": {"type": "string"}}}},
        {"type": "object", "properties": {"x": True}},
        {"type": "object", "properties": {"x": {"type": "string"}}, "$defs": {"y": {}}},
    ],
)
def test_what_has_no_strict_form(schema: Json) -> None:
    assert to_strict(schema) is None


def test_a_tool_without_arguments_has_one() -> None:
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    assert to_strict(schema) == schema | {"required": []}


def test_nulls_are_dropped_only_where_the_schema_has_no_null() -> None:
    claim = {"text": "t", "page": None, "note": None}
    kept = {"text": "t", "page": None}
    value = {"claims": [claim, claim], "best": claim, "kind": None, "more": None}
    assert without_nulls(value, ANSWER) == {"claims": [kept, kept], "best": kept, "kind": None, "more": None}
    assert without_nulls({"claims": None, "best": None}, ANSWER) == {"claims": None, "best": None}


def test_variants_are_told_apart_by_their_constants() -> None:
    def variant(kind: str, required: list[str]) -> Json:
        properties = {"kind": {"const": kind, "type": "string"}, "x": {"type": "string"}}
        return {"type": "object", "properties": properties, "required": required}

    one, two = variant("one", ["kind", "x"]), variant("two", ["kind"])
    schema = {"type": "object", "properties": {"v": {"oneOf": [one, two]}}, "required": ["v"]}
    assert without_nulls({"v": {"kind": "two", "x": None}}, schema) == {"v": {"kind": "two"}}
    assert without_nulls({"v": {"kind": "one", "x": None}}, schema) == {"v": {"kind": "one", "x": None}}


def test_circular_references_end() -> None:
    schema = {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}
    assert without_nulls({"x": None}, schema) == {"x": None}


def test_text_that_is_no_json_is_left_alone() -> None:
    assert text_without_nulls('{"text": ', CLAIM) == '{"text": '
    assert text_without_nulls('{"text":  "t"}', CLAIM) == '{"text":  "t"}'


def test_identifier() -> None:
    assert identifier("my answer/ä") == "my_answer__" and identifier("") == "output" and len(identifier("x" * 99)) == 64
