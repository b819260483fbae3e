"""Tools as OpenAI's models read them: a TypeScript-like namespace, reconstructed from bills.

The reconstruction is exact on most recorded requests (benchmarks/budget_bills.py), not published.
"""

import json

from priced_context.budget.content import Tool
from priced_context.budget.slices import JSON

# The text is cut where tokens never span, so that counts of the pieces add up to the whole.
FIRST = " {\n\n"
FURTHER = ";\n\n"
NAMESPACE_TOKENS = 7
"""Tokens of what stands before and after them all, in o200k and in cl100k (a test counts them)."""


def declaration(tool: Tool) -> str:
    """Return one tool's declaration, without the semicolon that ends it."""
    schema = tool.parameters if isinstance(tool.parameters, dict) else {}
    comment = f"// {tool.description}\n" if tool.description else ""
    if not schema.get("properties"):
        return f"{comment}type {tool.name} = () => any"
    return f"{comment}type {tool.name} = (_: {_object(schema)}) => any"


def begins_undescribed(schema: JSON) -> bool:
    """Has the object a first property, and no description of it?"""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    first = next(iter(properties.values()), None) if isinstance(properties, dict) else None
    return isinstance(first, dict) and not first.get("description")


def _object(schema: dict[str, JSON]) -> str:
    properties = schema.get("properties")
    if not isinstance(properties, dict) or not properties:
        return "object"
    required = schema.get("required")
    needed = required if isinstance(required, list) else []
    lines = [
        line
        for name, property_ in properties.items()
        for line in _property(name, property_, is_required=name in needed)
    ]
    return "\n".join(["{", *lines, "}"])


def _property(name: str, schema: JSON, *, is_required: bool) -> list[str]:
    schema = schema if isinstance(schema, dict) else {}
    lines = [f"// {schema['description']}"] if schema.get("description") else []
    default = f" // default: {_literal(schema['default'])}" if "default" in schema else ""
    optional = "" if is_required else "?"
    return [*lines, f"{name}{optional}: {_type(schema)},{default}"]


def _type(schema: JSON) -> str:
    if not isinstance(schema, dict):
        return "any"
    if isinstance(schema.get("enum"), list):
        return " | ".join(map(_literal, schema["enum"]))
    if "const" in schema:
        return _literal(schema["const"])
    for key in ("anyOf", "oneOf", "allOf"):
        if isinstance(schema.get(key), list):
            return " | ".join(map(_type, schema[key]))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(_type({**schema, "type": one}) for one in kind)
    if kind == "array":
        return f"{_type(schema.get('items'))}[]"
    if kind == "object":
        return _object(schema)
    return "number" if kind == "integer" else str(kind or "any").lower()


def _literal(value: JSON) -> str:
    return json.dumps(value, ensure_ascii=False)
