"""Checks JSON Schemas locally: whether a schema can be used, and where a value does not fit it. Fetches nothing."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ralph_cli.core.model import Json

MAX_FAULTS = 5
# The time limit for one output: patterns and nested alternatives can run without end.
SCHEMA_SECONDS = 10.0

_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from ralph_cli.checks.output import schema; "
    "print(schema.violations_of_pair(sys.stdin.read()))"
)
_MAX_MESSAGE_CHARS = 200
_VALUE_KEYWORDS = frozenset({"const", "enum", "default", "examples"})


class SchemaCheckError(RuntimeError):
    """The schema could not be applied; the output is not the reason."""


def check_schema(schema: object) -> str:
    """The fault of a schema, with its path; empty if it can be used.

    True, which allows every value, and False, which allows none, are schemas too. References must lead to a part of the
    schema itself.
    """
    # Imported on use: most runs have no schema.
    from jsonschema import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for
    from referencing import Registry
    from referencing.jsonschema import DRAFT202012, specification_with

    if isinstance(schema, bool):
        return ""
    if not isinstance(schema, dict):
        return "a schema must be a JSON object, true or false"
    try:
        kind = validator_for(schema, default=Draft202012Validator)
        kind.check_schema(schema)
        form = specification_with(str(kind.META_SCHEMA.get("$schema")), default=DRAFT202012)
        resolver = Registry[Any]().resolver_with_root(form.create_resource(schema))
        return next(_broken_references(schema, "$", resolver, form), "")
    except SchemaError as error:
        return f"{error.json_path}: {_shorten(error.message)}"
    except (RecursionError, TypeError, ValueError, OverflowError, AttributeError) as fault:
        return f"it is not a valid JSON Schema: {_shorten(str(fault))}"


def _broken_references(part: object, path: str, resolver: Any, form: Any) -> Iterator[str]:
    """The references below a part of a schema that cannot be followed."""
    if isinstance(part, list):
        for number, item in enumerate(part):
            yield from _broken_references(item, f"{path}[{number}]", resolver, form)
    elif isinstance(part, dict):
        if isinstance(part.get("$id"), str):
            resolver = resolver.in_subresource(form.create_resource(part))
        for name, value in part.items():
            if name in ("$ref", "$dynamicRef") and isinstance(value, str):
                if fault := _reference_fault(value, resolver):
                    yield f"{path}.{name}: {fault}"
            elif name not in _VALUE_KEYWORDS:
                yield from _broken_references(value, f"{path}.{name}", resolver, form)


def _reference_fault(reference: str, resolver: Any) -> str:
    """Why a reference cannot be followed; empty if it can."""
    from referencing.exceptions import Unresolvable

    if not reference.startswith("#"):
        return f"it refers to {reference!r}; only references within the schema (#/...) are followed"
    try:
        found = resolver.lookup(reference).contents
    except Unresolvable:
        return f"{reference!r} does not exist in the schema"
    return "" if isinstance(found, dict | bool) else f"{reference!r} does not point to a schema"


def violations(value: Any, schema: Json | bool) -> tuple[str, ...]:
    """The places where a value does not fit a schema, each with its path.

    Another process finds them, because matching cannot be stopped within this one. Raises SchemaCheckError.
    """
    places = [str(Path(__file__).resolve().parents[3]), *filter(None, sys.path)]
    command = [sys.executable, "-I", "-c", _PROGRAM, json.dumps(places)]
    try:
        pair = json.dumps([value, schema])
    except RecursionError:
        return ("the output is nested too deeply to be held against the schema",)
    try:
        done = subprocess.run(command, input=pair, capture_output=True, text=True, timeout=SCHEMA_SECONDS, env={})
        found = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return (f"the schema did not come to an end in {SCHEMA_SECONDS:g} s on this output",)
    except (OSError, ValueError, RecursionError) as fault:
        raise SchemaCheckError(f"the schema could not be applied: {_shorten(str(fault))}") from fault
    if isinstance(found, str):
        raise SchemaCheckError(f"the schema could not be applied: {found}")
    return tuple(map(str, found))


def violations_of_pair(text: str) -> str:
    """The output of the process of `violations`: the faults of a value and a schema, or a string if it failed."""
    from referencing.exceptions import Unresolvable

    try:
        value, schema = json.loads(text)
        return json.dumps(list(_violations(value, schema)))
    except Unresolvable as fault:
        return json.dumps(_shorten(str(fault)))


def _violations(value: Any, schema: Json | bool) -> Iterator[str]:
    from jsonschema.exceptions import best_match, relevance
    from jsonschema.validators import Draft202012Validator, validator_for
    from referencing import Registry

    try:
        # The empty registry makes sure that nothing is ever fetched.
        validator = validator_for(schema, default=Draft202012Validator)(schema, registry=Registry())
        errors = sorted(validator.iter_errors(value), key=relevance, reverse=True)
    except (RecursionError, ArithmeticError, TypeError, ValueError) as fault:
        yield f"the output cannot be held against the schema: {_shorten(str(fault))}"
        return
    for error in errors[:MAX_FAULTS]:
        deepest = best_match(error.context) if error.context else error
        yield f"at {error.json_path}: {_shorten((deepest or error).message)}"
    if len(errors) > MAX_FAULTS:
        yield f"{len(errors) - MAX_FAULTS} more values do not fit the schema"


def _shorten(message: str) -> str:
    flat, half = " ".join(message.split()), _MAX_MESSAGE_CHARS // 2
    return flat if len(flat) <= _MAX_MESSAGE_CHARS else f"{flat[:half]} ... {flat[-half:]}"
