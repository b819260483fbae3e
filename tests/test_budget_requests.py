"""Taking requests apart: every API's blocks, their kinds, and what cannot be counted."""

import json

import pytest

from outgoing import EVERY_API, anthropic, gemini, openai_chat, openai_responses, sent
from priced_context.budget import (
    BudgetError,
    Policy,
    Rule,
    assemble,
    compile_outbound_request_budget,
    disassemble,
)
from request_law import accounts_for

STYLES = {
    "plain": {},
    "compact": {"separators": (",", ":"), "ensure_ascii": False},
    "indented": {"indent": 2},
}


def kinds_of(request: dict, **policy) -> dict[str, str]:
    budget = compile_outbound_request_budget(sent(request), policy=Policy(**policy))
    return {row.origin: row.kind for row in budget.rows if row.bytes}


def notes_of(request: dict) -> dict[str, str]:
    budget = compile_outbound_request_budget(sent(request))
    return {row.origin: row.note for row in budget.rows if row.note}


@pytest.mark.parametrize("api", EVERY_API)
@pytest.mark.parametrize("style", STYLES)
def test_an_api_is_told_by_its_members_and_its_request_survives(api, style):
    """Blanks and escapes are the client's; hashing and caching providers see them."""
    body = sent(EVERY_API[api](), **STYLES[style])

    request = disassemble(body)

    assert request.shape.api == api
    assert assemble(request) == body


@pytest.mark.parametrize("api", EVERY_API)
def test_every_byte_stands_in_one_segment_with_the_value_its_path_names(api):
    """A path that points elsewhere is worse than none."""
    wire = EVERY_API[api]()
    body = sent(wire)

    segments = list(disassemble(body).segments())

    assert b"".join(segment.data for segment in segments) == body
    for segment in segments:
        if segment.kind != "envelope":
            assert json.loads(segment.data) == _at(wire, segment.origin)


def _at(value, path: str):
    for step in path.replace("]", "").replace("[", ".").split(".")[1:]:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def test_spelling_of_numbers_escapes_and_unknown_members_is_kept():
    """The body is cut, never written anew."""
    body = (
        b'{ "model":"claude-opus-4-6","max_tokens":1,"x":[1.0,1E2,-0.0,12345678901234567890],'
        b'"mess\\u0061ges":[ {"content" : "caf\\u00e9 \\/ \\ud83d\\ude00","role":"user"} ] }\n'
    )

    assert assemble(disassemble(body)) == body


def test_the_kinds_of_a_chat_request():
    """A developer message after the first turn steers; before it, it is the system prompt."""
    assert kinds_of(openai_chat()) == {
        "$.messages[0]": "stableSystem",
        "$.messages[1].content[0]": "history",
        "$.messages[2]": "history",
        "$.messages[3]": "evidence",
        "$.messages[4]": "authority",
        "$.messages[5]": "taskAndWorkingSet",
        "$.tools[0]": "toolSchema",
    }


def test_the_kinds_of_a_responses_request():
    assert kinds_of(openai_responses()) == {
        "$.instructions": "stableSystem",
        "$.input[0]": "history",
        "$.input[1]": "history",
        "$.input[2]": "history",
        "$.input[3]": "evidence",
        "$.input[4].content[0]": "taskAndWorkingSet",
        "$.tools[0]": "toolSchema",
        "$.tools[1]": "toolSchema",
    }


def test_the_kinds_of_a_gemini_request():
    assert kinds_of(gemini()) == {
        "$.systemInstruction.parts[0]": "stableSystem",
        "$.contents[0].parts[0]": "history",
        "$.contents[1].parts[0]": "history",
        "$.contents[2].parts[0]": "evidence",
        "$.contents[3].parts[0]": "taskAndWorkingSet",
        "$.tools[0].functionDeclarations[0]": "toolSchema",
    }


def test_a_user_s_rule_comes_before_the_table():
    """A controller knows its own frames."""
    rule = Rule("authority", role="user", opens="Why does")

    assert kinds_of(anthropic())["$.messages[0].content[1]"] == "history"
    assert kinds_of(anthropic(), rules=(rule,))["$.messages[0].content[1]"] == "authority"


def test_an_answer_s_schema_is_billed_with_the_tools():
    """Structured output is sent with every request and stands in no message."""
    schema = {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}}

    assert kinds_of(openai_chat(response_format=schema))["$.response_format"] == "toolSchema"
    assert "$.response_format" not in kinds_of(openai_chat(response_format={"type": "text"}))


def test_what_only_the_server_holds_is_named():
    """A ledger that hides what it cannot count is worse than a wrong one."""
    assert notes_of(openai_responses(previous_response_id="resp_1")) == {
        "$.input[1]": "not countable offline: encrypted or stored reasoning",
        "$.tools[1]": "not countable offline: hosted tool web_search",
        "$.previous_response_id": (
            "not countable offline: the conversation stored under previous_response_id"
        ),
    }


def test_hosted_tools_and_documents_of_anthropic_are_named():
    """PDF pages and server tools are billed by what the server makes of them."""
    source = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}
    request = anthropic(
        tools=[{"type": "web_search_20250305", "name": "web_search"}],
        messages=[{"role": "user", "content": [{"type": "document", "source": source}]}],
    )

    assert notes_of(request) == {
        "$.tools[0]": "not countable offline: hosted tool web_search_20250305",
        "$.messages[0].content[0]": "not countable offline: document as base64",
    }


@pytest.mark.parametrize(
    ("change", "what", "path"),
    [
        ({"messages": {}}, "expected a JSON array", "$.messages"),
        ({"messages": [3]}, "expected a JSON object", "$.messages[0]"),
        ({"messages": [{"content": "x"}]}, "'role' is missing", "$.messages[0]"),
        ({"messages": [{"role": 1, "content": "x"}]}, "expected a string", "$.messages[0].role"),
        (
            {"messages": [{"role": "user", "content": [{"text": "x"}]}]},
            "'type' is missing",
            "$.messages[0].content[0]",
        ),
        (
            {"messages": [{"role": "user", "content": ["x"]}]},
            "expected a JSON object",
            "$.messages[0].content[0]",
        ),
        ({"system": ["x"]}, "expected a JSON object", "$.system[0]"),
        ({"max_tokens": -1}, "expected a whole number of tokens", "$.max_tokens"),
        ({"max_tokens": True}, "expected a whole number of tokens", "$.max_tokens"),
        ({"tools": [[]]}, "expected a JSON object", "$.tools[0]"),
    ],
)
def test_a_part_of_the_wrong_shape_is_named(change, what, path):
    """The path leads to the line that has to change."""
    with pytest.raises(BudgetError) as refused:
        compile_outbound_request_budget(sent(anthropic(**change)))

    assert (refused.value.what, refused.value.path) == (what, path)


@pytest.mark.parametrize(
    ("old", "new", "what", "path"),
    [
        (b"32000", b"NaN", "'NaN' is not a JSON value", "$.max_tokens"),
        (b'"someone"', b"-Infinity", "'-Infinity' is not a JSON value", "$.metadata.user_id"),
        (
            b"Then fix it.",
            rb"\ud800",
            "a lone surrogate, which no UTF-8 text can hold",
            "$.messages[6].content",
        ),
        (b"Then fix it.", b"\xff", "text that is not UTF-8", "$.messages[6].content"),
        (b'"stream"', b'"model"', "the key 'model' stands twice", "$.model"),
        (
            b'"path": "a.py"',
            b'"path": 1, "path": 2',
            "the key 'path' stands twice",
            "$.messages[1].content[1].input.path",
        ),
        (b"32000", b"9" * 5_000, "a number of over 4,000 digits", "$.max_tokens"),
        (b"32000", b"032000", "'032000' is not a JSON value", "$.max_tokens"),
    ],
)
def test_broken_json_is_named_where_it_breaks(old, new, what, path):
    """Decoders that shrug at these would make a ledger of another request."""
    body = sent(anthropic()).replace(old, new)

    with pytest.raises(BudgetError) as refused:
        compile_outbound_request_budget(body)

    assert (refused.value.what, refused.value.path) == (what, path)


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
@pytest.mark.parametrize("depth", [129, 5_000, 200_000])
def test_deep_nesting_is_refused_without_recursion(opening, depth):
    """No depth may reach the interpreter's own limit."""
    deep = opening * depth + b"1" + (b"]" if opening == b"[" else b"}") * depth
    body = sent(anthropic(metadata="HERE")).replace(b'"HERE"', deep)

    with pytest.raises(BudgetError, match="nested deeper than 128 levels") as refused:
        compile_outbound_request_budget(body)

    assert refused.value.path.startswith("$.metadata")
    assert len(str(refused.value)) < 300


def test_fifty_megabytes_are_read_or_refused():
    """A runaway tool result is what a budget is for."""
    lines = "value = compute(1)\n" * 2_700_000
    body = sent(anthropic(messages=[{"role": "user", "content": lines}]))

    whole = compile_outbound_request_budget(body)
    with pytest.raises(BudgetError, match="ends too early") as refused:
        compile_outbound_request_budget(body[:-2_000])

    assert whole.total_input_tokens > 10_000_000
    assert refused.value.path == "$.messages[0].content"


@pytest.mark.parametrize("api", EVERY_API)
def test_the_law_of_live_requests_holds_for_the_recorded_shapes(api):
    """tests/e2e holds the real client's requests to the same function."""
    accounts_for(sent(EVERY_API[api]()))
