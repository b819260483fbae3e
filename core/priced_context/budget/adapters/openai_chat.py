"""OpenAI Chat Completions, and the many servers that speak it."""

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
    as_text,
    optional_text,
    optional_tokens,
    text_member,
)
from priced_context.budget.faults import child
from priced_context.budget.images import size_of_url
from priced_context.budget.slices import JSON, Slice

NAME = "openai-chat"
SECTIONS = {"messages": "messages", "tools": "tools", "functions": "tools"}
WHOLE = {"messages": b"", "tools": b""}
FORMATS = (("response_format",),)


def recognises(fields: dict[str, Slice]) -> bool:
    return "messages" in fields


def shape(fields: dict[str, Slice]) -> Shape:
    keys = ("model", "max_completion_tokens", "max_tokens", "tool_choice", "parallel_tool_calls")
    request = {key: fields[key].decode() for key in keys if key in fields}
    reservation = optional_tokens(request, "max_completion_tokens", "$")
    if reservation is None:
        reservation = optional_tokens(request, "max_tokens", "$")
    return Shape(
        api=NAME,
        model=optional_text(request, "model", "$"),
        reservation_tokens=reservation,
        tool_choice=choice_of(request.get("tool_choice")),
        is_parallel=request.get("parallel_tool_calls") is not False,
    )


def choice_of(value: JSON) -> str:
    """Return `auto`, `none`, `any` or `tool` for OpenAI's spelling of a tool choice."""
    if isinstance(value, dict):
        return "tool"
    return {"required": "any", "none": "none"}.get(str(value), "auto")


def read(section: str, value: JSON, path: str) -> Part:
    owner = as_object(value, path)
    if section == "tools":
        return Part(section, "", [_tool(owner, path)])
    role = text_member(owner, "role", path)
    name = optional_text(owner, "name", path)
    content, at = owner.get("content"), child(path, "content")
    if role in ("tool", "function"):
        items = content_items(content, at)
        return Part(section, role, [Draft("result", [Result(name, items)], value, name)])
    calls = _calls(owner, path)
    if isinstance(content, list) and not calls:
        drafts = [content_block(block, child(at, i)) for i, block in enumerate(content)]
        return Part(section, role, drafts, blocks_key="content", name=name)
    items = [*content_items(content, at), *calls]
    if refusal := optional_text(owner, "refusal", path):
        items.append(Text(refusal))
    tool = calls[0].name if calls else ""
    whole = Draft("call" if calls else "text", items, value, tool)
    return Part(section, role, [whole], name=name)


def material(value: JSON) -> JSON:
    """Return what of a block is material: cache marks that some servers take only move costs."""
    if isinstance(value, dict):
        return {key: inner for key, inner in value.items() if key != "cache_control"}
    return value


def is_schema(value: JSON) -> bool:
    return "json_schema" in value


def _tool(owner: dict[str, JSON], path: str) -> Draft:
    function = owner.get("function", owner)  # before tools there were bare functions
    at = child(path, "function") if "function" in owner else path
    if owner.get("type", "function") != "function":
        kind = optional_text(owner, "type", path)
        return Draft("tool", [Schema(owner), Opaque(f"tool of type {kind}")], owner, kind)
    return function_tool(as_object(function, at), at, owner)


def function_tool(function: dict[str, JSON], path: str, owner: JSON) -> Draft:
    """Return the block of a function that has its members in *function*."""
    name = text_member(function, "name", path)
    description = optional_text(function, "description", path)
    return Draft("tool", [Tool(name, description, function.get("parameters"))], owner, name)


def _calls(message: dict[str, JSON], path: str) -> list[Call]:
    calls = []
    at = child(path, "tool_calls")
    for number, value in enumerate(as_array(message.get("tool_calls") or [], at)):
        call = as_object(value, child(at, number))
        calls.append(_call(call.get("function", call.get("custom")), child(at, number)))
    if message.get("function_call"):
        calls.append(_call(message["function_call"], child(path, "function_call")))
    return calls


def _call(value: JSON, path: str) -> Call:
    function = as_object(value, path)
    arguments = function.get("arguments", function.get("input", ""))
    return Call(text_member(function, "name", path), as_text(arguments, path))


def content_items(content: JSON, path: str) -> list[Item]:
    """Return what a `content` member carries: nothing, text, or blocks."""
    if content is None:
        return []
    if isinstance(content, str):
        return [Text(content)]
    blocks = as_array(content, path)
    drafts = [content_block(block, child(path, i)) for i, block in enumerate(blocks)]
    return [item for draft in drafts for item in draft.items]


def content_block(value: JSON, path: str) -> Draft:
    """Return one block of a message's content, in the spelling of either OpenAI API."""
    block = as_object(value, path)
    kind = text_member(block, "type", path)
    if kind in ("text", "input_text", "output_text"):
        return Draft("text", [Text(text_member(block, "text", path))], block)
    if kind == "refusal":
        return Draft("text", [Text(text_member(block, "refusal", path))], block)
    if kind in ("image_url", "input_image"):
        return Draft("image", [_image(block, path)], block)
    type_ = "document" if kind in ("file", "input_file") else "other"
    return Draft(type_, [Opaque(f"block of type {kind}")], block)


def _image(block: dict[str, JSON], path: str) -> Image:
    source = block.get("image_url")
    holder = source if isinstance(source, dict) else block
    url = holder.get("url") if isinstance(source, dict) else source
    width, height = size_of_url(url) if isinstance(url, str) else (0, 0)
    return Image(width, height, optional_text(holder, "detail", path))
