"""As much of JSON Schema as the description of the results uses, written apart from the program."""

import json
import re
from pathlib import Path

SCHEMA = json.loads((Path(__file__).resolve().parents[1] / "parfit" / "export" / "schema.json").read_text())
KINDS = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
}
WORDS = {"$schema", "$id", "$defs", "$ref", "title", "description", "type", "enum", "const", "anyOf", "pattern"}
WORDS |= {"required", "properties", "additionalProperties", "items", "minItems", "maxItems"}


def violations(value, schema=SCHEMA, where="$"):
    """What of a value is not as a schema says."""
    assert set(schema) <= WORDS, f"{where}: the schema says what is not checked: {set(schema) - WORDS}"
    if "$ref" in schema:
        return violations(value, SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]], where)
    if "anyOf" in schema:
        tried = [violations(value, each, where) for each in schema["anyOf"]]
        return [] if [] in tried else min(tried, key=len)
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(KINDS[kind](value) for kind in kinds):
        return [f"{where}: {value!r} is none of {kinds}"]
    if "const" in schema and value != schema["const"]:
        return [f"{where}: {value!r} is not {schema['const']!r}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{where}: {value!r} is none of {schema['enum']}"]
    if isinstance(value, str):
        return [] if re.search(schema.get("pattern", ""), value) else [f"{where}: {value!r} does not match"]
    if isinstance(value, list):
        return _of_list(value, schema, where)
    return _of_object(value, schema, where) if isinstance(value, dict) else []


def _of_list(value, schema, where):
    found = []
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        found.append(f"{where}: {len(value)} items")
    for k, each in enumerate(value):
        found += violations(each, schema.get("items", {}), f"{where}[{k}]")
    return found


def _of_object(value, schema, where):
    known, others = schema.get("properties", {}), schema.get("additionalProperties", {})
    found = [f"{where}: {name} is missing" for name in schema.get("required", []) if name not in value]
    for name, each in value.items():
        if name not in known and others is False:
            found.append(f"{where}: {name} is not described")
        else:
            found += violations(each, known.get(name, others or {}), f"{where}.{name}")
    return found
