"""Anthropic Messages, and its token counting endpoint."""

from priced_context.budget.content import (
    Call,
    Draft,
    Image,
    Item,
    Opaque,
    Part,
    Result,
    Schema,
    Shape,
    Text,
    Tool,
    as_array,
    as_object,
    optional_text,
    optional_tokens,
    text_member,
)
from priced_context.budget.faults import BudgetError, child
from priced_context.budget.images import size_of_base64
from priced_context.budget.slices import JSON, Slice

NAME = "anthropic"
SECTIONS = {"system": "system", "tools": "tools", "messages": "messages"}
WHOLE = {"system": b'"', "tools": b"", "messages": b""}
FORMATS = (("output_config", "format"), ("output_format",))

_HOSTED_CALLS = ("server_tool_use", "mcp_tool_use")
_HOSTED_RESULTS = ("mcp_tool_result",)


def recognises(fields: dict[str, Slice]) -> bool:
    """`max_tokens` is required here, and content blocks are named by type in every API."""
    if "messages" not in fields:
        return False
    model = fields["model"].decode() if "model" in fields else ""
    return "claude" in str(model) or "system" in fields or "anthropic_version" in fields


def shape(fields: dict[str, Slice]) -> Shape:
    keys = ["model", "max_tokens", "tool_choice", "thinking", "mcp_servers"]
    request = {key: fields[key].decode() for key in keys if key in fields}
    choice = as_object(request.get("tool_choice") or {}, "$.tool_choice")
    thinking = as_object(request.get("thinking") or {}, "$.thinking")
    return Shape(
        api=NAME,
        model=optional_text(request, "model", "$"),
        reservation_tokens=optional_tokens(request, "max_tokens", "$"),
        tool_choice=optional_text(choice, "type", "$.tool_choice") or "auto",
        is_thinking=thinking.get("type") == "enabled",
        is_parallel=not choice.get("disable_parallel_tool_use"),
        hidden=(("$.mcp_servers", "tools of a remote server"),)
        if request.get("mcp_servers")
        else (),
    )


def read(section: str, value: JSON, path: str) -> Part:
    if section == "system" and isinstance(value, str) and path == "$.system":
        return Part(section, "system", [Draft("text", [Text(value)], _as_blocks(value))])
    if section == "system":
        return Part(section, "system", [_block(value, path)])
    if section == "tools":
        return Part(section, "", [_tool(as_object(value, path), path)])
    message = as_object(value, path)
    role = text_member(message, "role", path)
    content = message.get("content")
    at = child(path, "content")
    if isinstance(content, str):
        return Part(section, role, [Draft("text", [Text(content)], _as_blocks(content))])
    drafts = [_block(block, child(at, i)) for i, block in enumerate(as_array(content, at))]
    return Part(section, role, drafts, blocks_key="content")


def material(value: JSON) -> JSON:
    """Return what of a block is material: all but its cache marks, which only move costs."""
    if isinstance(value, list):
        return [material(block) for block in value]
    if not isinstance(value, dict):
        return value
    kept = {key: inner for key, inner in value.items() if key != "cache_control"}
    if kept.get("type") == "tool_result" and isinstance(kept.get("content"), list):
        kept["content"] = material(kept["content"])
    return kept


def is_schema(value: JSON) -> bool:
    return "schema" in value


def _as_blocks(content: str) -> JSON:
    """Text alone and one text block are the same to the model; clients switch to mark a cache."""
    return {"type": "text", "text": content}


def _tool(tool: dict[str, JSON], path: str) -> Draft:
    name = optional_text(tool, "name", path)
    if "input_schema" not in tool:
        what = f"hosted tool {optional_text(tool, 'type', path) or name}"
        return Draft("tool", [Schema(material(tool)), Opaque(what)], tool, name)
    description = optional_text(tool, "description", path)
    return Draft("tool", [Tool(name, description, tool["input_schema"])], tool, name)


def _block(value: JSON, path: str) -> Draft:
    block = as_object(value, path)
    kind = text_member(block, "type", path)
    if kind == "text":
        return Draft("text", [Text(text_member(block, "text", path))], block)
    if kind == "tool_use" or kind in _HOSTED_CALLS:
        name = text_member(block, "name", path)
        return Draft("call", [Call(name, block.get("input", {}))], block, name)
    if kind == "tool_result" or kind in _HOSTED_RESULTS:
        return Draft("result", [Result("", _items(block.get("content"), path))], block)
    if kind == "image":
        return Draft("image", [_image(block, path)], block)
    if kind == "document":
        return Draft("document", _document(block, path), block)
    if kind == "thinking":
        return Draft("thinking", [Text(optional_text(block, "thinking", path))], block)
    if kind == "redacted_thinking":
        return Draft("thinking", [Opaque("encrypted reasoning")], block)
    hidden = {key: inner for key, inner in material(block).items() if key != "encrypted_content"}
    type_ = "result" if kind.endswith("_result") else "other"
    return Draft(type_, [Schema(hidden), Opaque(f"block of type {kind}")], block)


def _items(content: JSON, path: str) -> list[Item]:
    """Return what a tool result carries: text, or blocks of text, images and documents."""
    at = child(path, "content")
    if content is None:
        return []
    if isinstance(content, str):
        return [Text(content)]
    blocks = [_block(block, child(at, i)) for i, block in enumerate(as_array(content, at))]
    return [item for block in blocks for item in block.items]


def _image(block: dict[str, JSON], path: str) -> Image:
    source = as_object(block.get("source"), child(path, "source"))
    data = source.get("data")
    width, height = size_of_base64(data) if isinstance(data, str) else (0, 0)
    return Image(width, height)


def _document(block: dict[str, JSON], path: str) -> list[Item]:
    at = child(path, "source")
    source = as_object(block.get("source"), at)
    titles: list[Item] = [
        Text(optional_text(block, key, path)) for key in ("title", "context") if block.get(key)
    ]
    match source.get("type"):
        case "text":
            return [*titles, Text(text_member(source, "data", at))]
        case "content":
            return [*titles, *_items(source.get("content"), at)]
        case str(kind):
            return [*titles, Opaque(f"document as {kind}")]
    raise BudgetError("'type' is missing", at)
