"""The shape of an output: it parses, it fits its JSON Schema, and the schema can be used."""

import json
from typing import Any

import pytest

from ralph_cli.checks.output.schema import check_schema
from ralph_cli.checks.output.shape import Format, shape_faults, strip_fence

SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"who": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["who", "days"],
        "additionalProperties": False,
    },
}


@pytest.mark.parametrize(
    ("output", "kind", "fault"),
    [
        ('[{"who": "S", "days": 45}]', "json", ""),
        ('[{"who": "S", "days": "45"}]', "json", "at $[0].days: '45' is not of type 'integer'"),
        ('[{"who": "S"}]', "json", "at $[0]: 'days' is a required property"),
        ('{"who": "S"}', "json", "at $: "),
        ("[1, 2", "json", "line 1, column"),
        ('{"a": 1, "a": 2}', "json", "the key 'a' stands twice"),
        ("[NaN]", "json", "NaN is no JSON number"),
        ("[" * 100_000, "json", "not JSON"),
        ("who,days\nS,45\n", "csv", ""),
        ("who,days\nS,soon\n", "csv", "at $[0].days: 'soon' is not of type 'integer'"),
        ("who,days\nS\n", "csv", "row 1 of the CSV has 1 cells"),
        ("who,who\nS,T\n", "csv", "each once"),
        ("who,days\n", "csv", "at least one row"),
        ('who,days\n"S,45\n', "csv", "not CSV"),
    ],
)
def test_a_wrong_shape_is_named_with_the_path_of_the_wrong_value(output: str, kind: Format, fault: str) -> None:
    found = shape_faults(output, kind, SCHEMA)
    assert (found == ()) if not fault else fault in found[0]


@pytest.mark.parametrize(
    ("output", "called"),
    [("who;days\nS;45\nT;30\n", "semicolons"), ("who;days", "semicolons"), ("who\tdays\nS\t45\n", "tabs")],
)
def test_columns_that_no_commas_part_are_no_columns(output: str, called: str) -> None:
    told = f"the columns of the CSV are parted by {called}; part them by commas"
    assert shape_faults(output, "csv", None) == (told,)


def test_a_column_of_its_own_may_hold_semicolons() -> None:
    for output in ("clause\n1; 2\n3; 4\n", "clause\na\nb\n", "a;b,c\nd;e,f\n", 'clause\n"a; b"\n"c; d; e"\n'):
        assert shape_faults(output, "csv", None) == ()


@pytest.mark.parametrize(("output", "kind"), [('"any"', "json"), ("[1]", "json"), ("who,days\nS,45\n", "csv")])
def test_true_and_false_are_schemas(output: str, kind: Format) -> None:
    assert check_schema(True) == check_schema(False) == ""
    assert shape_faults(output, kind, True) == ()
    (fault,) = shape_faults(output, kind, False)
    assert fault.startswith("at $: ")


def test_a_schema_that_cannot_be_used_is_refused() -> None:
    assert "true or false" in check_schema(None)
    assert check_schema({"type": "object", "$defs": {"a": {}}, "properties": {"b": {"$ref": "#/$defs/a"}}}) == ""
    assert "'wrong'" in check_schema({"type": "wrong"}) and "object" in check_schema([1])
    assert "http://x/y" in check_schema({"properties": {"a": {"$ref": "http://x/y"}}})


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"$ref": "#/nowhere"}, "$.$ref"),
        ({"properties": {"a": {"$ref": "#/$defs/none"}}}, "$.properties.a.$ref"),
        ({"$defs": {"a": {"items": {"$ref": "#/$defs/b"}}}}, "$.$defs.a.items.$ref"),
        ({"anyOf": [{"type": "null"}, {"$ref": "#name"}]}, "$.anyOf[1].$ref"),
        ({"$defs": {"a": {"type": "null"}}, "$ref": "#/$defs/a/type"}, "$.$ref"),
    ],
)
def test_a_reference_that_leads_nowhere_is_refused_with_its_path(schema: object, said: str) -> None:
    assert said in check_schema(schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"$defs": {"a": {"type": "null"}}, "$ref": "#/$defs/a"},
        {"$defs": {"a": {"$anchor": "name"}}, "items": {"$ref": "#name"}},
        {"$defs": {"a~/b c": {}}, "items": {"$ref": "#/$defs/a~0~1b%20c"}},
        {"type": "object", "properties": {"next": {"$ref": "#"}, "$ref": {"type": "string"}}},
        {"$defs": {"n": {"if": {"properties": {"not": {"$ref": "#/$defs/n"}}}}}, "$ref": "#/$defs/n"},
        {"const": {"$ref": "#/nowhere"}, "default": {"$ref": "#/nowhere"}, "enum": [{"$ref": "#/nowhere"}]},
        {"$id": "urn:x", "$defs": {"a": {"$id": "urn:y", "$defs": {"b": {}}, "items": {"$ref": "#/$defs/b"}}}},
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "definitions": {"a": {}},
            "items": {"$ref": "#/definitions/a"},
        },
    ],
)
def test_a_reference_that_leads_somewhere_passes(schema: object) -> None:
    assert check_schema(schema) == ""


@pytest.mark.own_process
def test_a_schema_that_is_slow_without_patterns_is_stopped_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ralph_cli.checks.output.schema.SCHEMA_SECONDS", 1.0)
    below = [{"$ref": f"#/$defs/{number}"} for number in range(30)]
    tree = {
        str(number + 1): {"anyOf": [{"allOf": [ref, ref]}, {"allOf": [ref, ref]}]} for number, ref in enumerate(below)
    }
    slow: dict[str, Any] = {"$defs": {"0": {"type": "string"}, **tree}, "$ref": "#/$defs/30"}
    assert check_schema(slow) == ""
    (fault,) = shape_faults("1", "json", slow)
    assert fault == "the schema did not come to an end in 1 s on this output"


def test_a_code_fence_around_data_is_taken_off() -> None:
    assert strip_fence('```json\n{"a": 1}\n```\n', "json") == '{"a": 1}'
    assert strip_fence("```\ncode\n```", "md") == "```\ncode\n```"


@pytest.mark.parametrize("schema", [{"$schema": []}, {"$schema": {}}])
def test_a_schema_of_no_kind_is_refused_in_one_line(schema: object) -> None:
    assert check_schema(schema) and "\n" not in check_schema(schema)


@pytest.mark.own_process
def test_values_that_no_validator_can_hold_are_faults() -> None:
    rows = {"type": "array", "items": {"properties": {"a": {"type": "number", "multipleOf": 0.1}}}}
    assert shape_faults("a,b\n" + "[" * 50_000 + ",2\n", "csv", rows)
    assert shape_faults("a,b\n" + "9" * 400 + ",2\n", "csv", rows)


@pytest.mark.own_process
def test_patterns_are_matched_and_one_without_end_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}
    assert shape_faults('{"a": "aaa"}', "json", schema) == ()
    assert shape_faults('{"a": "aé!"}', "json", schema) == ("at $.a: 'aé!' does not match '^(a+)+$'",)
    monkeypatch.setattr("ralph_cli.checks.output.schema.SCHEMA_SECONDS", 1.0)
    (fault,) = shape_faults(json.dumps({"a": "a" * 60 + "!"}), "json", schema)
    assert fault == "the schema did not come to an end in 1 s on this output"
