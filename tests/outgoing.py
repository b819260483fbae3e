"""Requests as clients send them, one a wire API, small enough to read."""

import json

TOOL_SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "The file to read."},
        "limit": {"type": "integer"},
    },
    "required": ["path"],
}


def anthropic(**changes) -> dict:
    """Return a coding client's request: memory file, a read, a todo list, the user's last word."""
    request = {
        "model": "claude-opus-4-6",
        "max_tokens": 32_000,
        "system": [
            {"type": "text", "text": "You are a coding agent."},
            {
                "type": "text",
                "text": "House rules: be brief.",
                "cache_control": {"type": "ephemeral"},
            },
        ],
        "tools": [{"name": "Read", "description": "Read a file.", "input_schema": TOOL_SCHEMA}],
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "<system-reminder>\nCLAUDE.md: use tabs."},
                    {"type": "text", "text": "Why does the build fail?"},
                ],
            },
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "I will look."},
                    {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "a.py"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "content": "1\timport os\n" * 40}
                ],
            },
            {
                "role": "assistant",
                "content": [
                    {
                        "type": "tool_use",
                        "id": "t2",
                        "name": "TodoWrite",
                        "input": {"todos": [{"content": "fix it", "status": "pending"}]},
                    }
                ],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t2", "content": "ok"}],
            },
            {"role": "assistant", "content": "The import is wrong."},
            {"role": "user", "content": "Then fix it."},
        ],
        "metadata": {"user_id": "someone"},
        "stream": True,
    }
    return {**request, **changes}


def openai_chat(**changes) -> dict:
    """Return a request of the same conversation as Chat Completions has it."""
    function = {"name": "read", "description": "Read a file.", "parameters": TOOL_SCHEMA}
    request = {
        "model": "gpt-4.1",
        "max_completion_tokens": 4_000,
        "messages": [
            {"role": "system", "content": "You are a coding agent."},
            {"role": "user", "content": [{"type": "text", "text": "Why does the build fail?"}]},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "read", "arguments": '{"path": "a.py"}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "import os"},
            {"role": "developer", "content": "Steer: answer in one line."},
            {"role": "user", "content": "Then fix it."},
        ],
        "tools": [{"type": "function", "function": function}],
        "temperature": 0.10,
    }
    return {**request, **changes}


def openai_responses(**changes) -> dict:
    """Return a request of the same conversation as Responses has it."""
    request = {
        "model": "gpt-5",
        "instructions": "You are a coding agent.",
        "input": [
            {"role": "user", "content": "Why does the build fail?"},
            {"type": "reasoning", "id": "r1", "summary": [], "encrypted_content": "gAAA"},
            {
                "type": "function_call",
                "call_id": "c1",
                "name": "read",
                "arguments": '{"path": "a.py"}',
            },
            {"type": "function_call_output", "call_id": "c1", "output": "import os"},
            {"role": "user", "content": [{"type": "input_text", "text": "Then fix it."}]},
        ],
        "tools": [
            {
                "type": "function",
                "name": "read",
                "description": "Read a file.",
                "parameters": TOOL_SCHEMA,
            },
            {"type": "web_search"},
        ],
        "max_output_tokens": 4_000,
    }
    return {**request, **changes}


def gemini(**changes) -> dict:
    """Return a request of the same conversation as generateContent has it."""
    declaration = {"name": "read", "description": "Read a file.", "parameters": TOOL_SCHEMA}
    request = {
        "model": "models/gemini-2.5-flash",
        "systemInstruction": {"parts": [{"text": "You are a coding agent."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Why does the build fail?"}]},
            {
                "role": "model",
                "parts": [{"functionCall": {"name": "read", "args": {"path": "a.py"}}}],
            },
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"name": "read", "response": {"text": "import os"}}}
                ],
            },
            {"role": "user", "parts": [{"text": "Then fix it."}]},
        ],
        "tools": [{"functionDeclarations": [declaration]}],
        "generationConfig": {"maxOutputTokens": 4_000},
    }
    return {**request, **changes}


EVERY_API = {
    "anthropic": anthropic,
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "gemini": gemini,
}


def sent(request: dict, **how) -> bytes:
    """Return the bytes that go over the wire."""
    return json.dumps(request, **how).encode()


def long_request(tokens: int, model: str = "gpt-4.1") -> dict:
    """Return a chat request of about so many tokens of program text, in messages of 2 KB."""
    source = json.dumps(TOOL_SCHEMA, indent=1) + "\n".join(
        f"def step_{n}(value):\n    return value + {n}  # the {n}th step" for n in range(400)
    )
    messages = []
    size = 0
    while size < tokens * 3.3:
        start = size % (len(source) - 2_000)
        messages.append({"role": "user", "content": source[start : start + 2_000]})
        size += 2_000
    return {"model": model, "messages": messages}
