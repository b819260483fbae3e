"""OpenAI Responses."""

from priced_context.budget.adapters import openai_chat
from priced_context.budget.adapters.openai_chat import choice_of, content_block, content_items
from priced_context.budget.content import (
    Call,
    Draft,
    Item,
    Opaque,
    Part,
    Result,
    Schema,
    Shape,
    Text,
    as_array,
    as_object,
    as_text,
    optional_text,
    optional_tokens,
    text_member,
)
from priced_context.budget.faults import child
from priced_context.budget.slices import JSON, Slice

NAME = "openai-responses"
SECTIONS = {"instructions": "system", "tools": "tools", "input": "messages"}
WHOLE = {"system": b'"', "tools": b"", "messages": b'"'}
FORMATS = (("text", "format"),)

# Members that bring text into the context which only the server holds.
_STORED = {
    "previous_response_id": "the conversation stored under previous_response_id",
    "conversation": "a stored conversation",
    "prompt": "a stored prompt",
}

_CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
_RESULTS = ("function_call_output", "custom_tool_call_output")

material = openai_chat.material


def recognises(fields: dict[str, Slice]) -> bool:
    return "input" in fields


def shape(fields: dict[str, Slice]) -> Shape:
    keys = ("model", "max_output_tokens", "tool_choice", "parallel_tool_calls", *_STORED)
    request = {key: fields[key].decode() for key in keys if key in fields}
    return Shape(
        api=NAME,
        model=optional_text(request, "model", "$"),
        reservation_tokens=optional_tokens(request, "max_output_tokens", "$"),
        tool_choice=choice_of(request.get("tool_choice")),
        is_parallel=request.get("parallel_tool_calls") is not False,
        hidden=tuple((f"$.{key}", why) for key, why in _STORED.items() if request.get(key)),
    )


def read(section: str, value: JSON, path: str) -> Part:
    if section == "system":
        return Part(section, "system", [Draft("text", [Text(as_text(value, path))], value)])
    if isinstance(value, str):
        return Part(section, "user", [Draft("text", [Text(value)], value)])
    item = as_object(value, path)
    if section == "tools":
        return Part(section, "", [_tool(item, path)])
    if "role" in item:
        return _message(section, item, path)
    return _item(section, item, path)


def is_schema(value: JSON) -> bool:
    return "schema" in value


def _tool(tool: dict[str, JSON], path: str) -> Draft:
    kind = text_member(tool, "type", path)
    if kind == "function":
        return openai_chat.function_tool(tool, path, tool)
    return Draft("tool", [Schema(tool), Opaque(f"hosted tool {kind}")], tool, kind)


def _message(section: str, message: dict[str, JSON], path: str) -> Part:
    role = text_member(message, "role", path)
    content, at = message.get("content"), child(path, "content")
    if isinstance(content, list):
        drafts = [content_block(block, child(at, i)) for i, block in enumerate(content)]
        return Part(section, role, drafts, blocks_key="content")
    return Part(section, role, [Draft("text", content_items(content, at), message)])


def _item(section: str, item: dict[str, JSON], path: str) -> Part:
    kind = text_member(item, "type", path)
    if kind in _CALLS:
        name = text_member(item, "name", path)
        call = Call(name, text_member(item, _CALLS[kind], path))
        return Part(section, "assistant", [Draft("call", [call], item, name)])
    if kind in _RESULTS:
        items = content_items(item.get("output"), child(path, "output"))
        return Part(section, "tool", [Draft("result", [Result("", items)], item)])
    if kind == "reasoning":
        return Part(section, "assistant", [Draft("thinking", _reasoning(item, path), item)])
    hidden: list[Item] = [Schema(item), Opaque(f"item of type {kind}")]
    type_ = "result" if kind.endswith("_output") else "other"
    return Part(section, "assistant", [Draft(type_, hidden, item)])


def _reasoning(item: dict[str, JSON], path: str) -> list[Item]:
    """Return what a reasoning item shows; the reasoning itself stays with the server."""
    at = child(path, "content")
    texts: list[Item] = [
        Text(optional_text(as_object(block, at), "text", at))
        for block in as_array(item.get("content") or [], at)
    ]
    return texts or [Opaque("encrypted or stored reasoning")]
