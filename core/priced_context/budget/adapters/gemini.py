"""Gemini generateContent. The model stands in the address, so the caller names it."""

from priced_context.budget.content import (
    Call,
    Draft,
    Image,
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
from priced_context.budget.images import size_of_base64
from priced_context.budget.slices import JSON, Slice

NAME = "gemini"
SECTIONS = {
    "systemInstruction": "system",
    "system_instruction": "system",
    "tools": "tools",
    "contents": "messages",
}
WHOLE = {"system": b"{", "tools": b"", "messages": b""}
FORMATS = (
    ("generationConfig", "responseSchema"),
    ("generationConfig", "responseJsonSchema"),
    ("generation_config", "response_schema"),
)

_SCHEMAS = ("parameters", "parametersJsonSchema", "parameters_json_schema")
_CHOICES = {"ANY": "any", "NONE": "none", "VALIDATED": "auto", "AUTO": "auto"}


def recognises(fields: dict[str, Slice]) -> bool:
    return "contents" in fields


def shape(fields: dict[str, Slice]) -> Shape:
    keys = ("model", "generationConfig", "toolConfig", "cachedContent")
    request = {key: fields[key].decode() for key in keys if key in fields}
    config = as_object(request.get("generationConfig") or {}, "$.generationConfig")
    tools = as_object(request.get("toolConfig") or {}, "$.toolConfig")
    calling = as_object(tools.get("functionCallingConfig") or {}, "$.toolConfig")
    cached = (("$.cachedContent", "a stored context"),) if request.get("cachedContent") else ()
    return Shape(
        api=NAME,
        model=optional_text(request, "model", "$"),
        reservation_tokens=optional_tokens(config, "maxOutputTokens", "$.generationConfig"),
        tool_choice=_CHOICES.get(optional_text(calling, "mode", "$.toolConfig"), "auto"),
        hidden=cached,
    )


def read(section: str, value: JSON, path: str) -> Part:
    owner = as_object(value, path)
    if section == "tools":
        return _tools(owner, path)
    role = "system" if section == "system" else optional_text(owner, "role", path) or "user"
    role = "assistant" if role == "model" else role
    at = child(path, "parts")
    drafts = [
        _block(block, child(at, i)) for i, block in enumerate(as_array(owner.get("parts"), at))
    ]
    return Part(section, role, drafts, blocks_key="parts")


def material(value: JSON) -> JSON:
    return value


def is_schema(value: JSON) -> bool:
    return bool(value)


def _tools(owner: dict[str, JSON], path: str) -> Part:
    key = next((k for k in ("functionDeclarations", "function_declarations") if k in owner), "")
    if not key or len(owner) > 1:
        what = ", ".join(sorted(owner))
        return Part("tools", "", [Draft("tool", [Schema(owner), Opaque(what)], owner, what)])
    at = child(path, key)
    drafts = []
    for number, value in enumerate(as_array(owner[key], at)):
        tool = as_object(value, child(at, number))
        name = text_member(tool, "name", child(at, number))
        schema = next((tool[key] for key in _SCHEMAS if key in tool), None)
        description = optional_text(tool, "description", child(at, number))
        drafts.append(Draft("tool", [Tool(name, description, schema)], tool, name))
    return Part("tools", "", drafts, blocks_key=key)


def _block(value: JSON, path: str) -> Draft:
    block = as_object(value, path)
    for key, read_as in _READERS.items():
        if key in block:
            draft = read_as(block, block[key], child(path, key))
            if block.get("thoughtSignature") or block.get("thought_signature"):
                draft.items.append(Opaque("a thought signature"))
            return draft
    return Draft("other", [Schema(block), Opaque("part of a kind unknown here")], block)


def _text(block: dict[str, JSON], value: JSON, path: str) -> Draft:
    return Draft(
        "thinking" if block.get("thought") else "text", [Text(as_text(value, path))], block
    )


def _call(block: dict[str, JSON], value: JSON, path: str) -> Draft:
    call = as_object(value, path)
    name = text_member(call, "name", path)
    return Draft("call", [Call(name, call.get("args") or {})], block, name)


def _result(block: dict[str, JSON], value: JSON, path: str) -> Draft:
    result = as_object(value, path)
    name = text_member(result, "name", path)
    return Draft("result", [Result(name, [Schema(result.get("response"))])], block, name)


def _data(block: dict[str, JSON], value: JSON, path: str) -> Draft:
    data = as_object(value, path)
    kind = optional_text(data, "mimeType", path) or optional_text(data, "mime_type", path)
    if kind.startswith("image/"):
        text = optional_text(data, "data", path)
        return Draft("image", [Image(*size_of_base64(text))], block)
    return Draft("document", [Opaque(f"data of type {kind or 'unknown'}")], block)


_READERS = {
    "text": _text,
    "functionCall": _call,
    "function_call": _call,
    "functionResponse": _result,
    "function_response": _result,
    "inlineData": _data,
    "inline_data": _data,
    "fileData": _data,
    "file_data": _data,
}
