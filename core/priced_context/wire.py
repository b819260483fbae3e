"""The host's JSON at the edge, and only here.

CPython's own accelerator `_json` parses without `re`: `import json` alone doubles the time of a
hook (benchmarks/import_costs.py). Only where it is missing does `json` do the work.
"""

from priced_context.records import ToolCall, Verdict

try:
    from _json import encode_basestring_ascii, make_scanner

    HAS_ACCELERATOR = True
except ImportError:  # another Python than CPython
    HAS_ACCELERATOR = False

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BLANKS = " \t\n\r"


class _Grammar:
    """What `make_scanner` asks of a decoder: plain JSON, as `json.loads` reads it."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": -float("inf")}.get


def parse(raw: bytes) -> "Any":
    """Return the one JSON value in *raw*.

    Raises:
        ValueError: not UTF-8, or not one JSON value.
        RecursionError: nested deeper than the interpreter allows.
    """
    text = raw.decode("utf-8", "surrogatepass").strip(_BLANKS)
    if not HAS_ACCELERATOR:
        import json

        return json.loads(text)
    try:
        value, end = make_scanner(_Grammar)(text, 0)  # type: ignore[arg-type] # any object with its fields
    except (StopIteration, SystemError) as error:  # how the scanner says "not JSON" without `json`
        raise ValueError("not JSON") from error
    if end != len(text):
        raise ValueError("more than one JSON value")
    return value


def decode_call(raw: bytes) -> ToolCall:
    """Return the tool call that a PreToolUse payload announces.

    A field of the wrong type counts as missing.

    Raises:
        ValueError: not a JSON object with a tool's name and input.
    """
    return _call_in(parse(raw))


def decode_result(raw: bytes) -> "tuple[ToolCall, Any, str]":
    """Return the call, the tool's own result and the use's id that a PostToolUse payload has.

    Raises:
        ValueError: as `decode_call`.
    """
    payload = parse(raw)
    return _call_in(payload), payload.get("tool_response"), text_in(payload, "tool_use_id")


def _call_in(payload: "Any") -> ToolCall:
    if type(payload) is not dict:
        raise ValueError("the payload is not an object")
    tool, tool_input = payload.get("tool_name"), payload.get("tool_input")
    if type(tool) is not str or type(tool_input) is not dict:
        raise ValueError("the payload names no tool call")
    return ToolCall(
        tool,
        tool_input,
        text_in(payload, "session_id"),
        text_in(payload, "agent_id"),
        text_in(payload, "cwd"),
        text_in(payload, "transcript_path"),
        text_in(payload, "permission_mode"),
    )


def text_in(record: "dict[str, Any]", name: str) -> str:
    """Return a field that is text; "" where it is missing or of another type."""
    value = record.get(name)
    return value if type(value) is str else ""


def encode_result(response: "Any") -> bytes:
    """Return what puts *response* in the place of a tool's result."""
    answer = {"hookEventName": "PostToolUse", "updatedToolOutput": response}
    return encode({"hookSpecificOutput": answer}).encode()


def encode_verdict(verdict: Verdict) -> bytes:
    """Return what the host is told.

    A rewrite carries no decision: the host's own permission flow runs on the new input.
    """
    answer: dict[str, Any] = {"hookEventName": "PreToolUse"}
    if verdict.updated_input is None:
        answer["permissionDecision"] = verdict.action
        answer["permissionDecisionReason"] = verdict.reason
    else:
        answer["updatedInput"] = verdict.updated_input
        answer["additionalContext"] = verdict.reason
    return encode({"hookSpecificOutput": answer}).encode()


def encode(value: "Any") -> str:
    """Return *value* (what `parse` can return) as ASCII JSON.

    Raises:
        TypeError: a value that JSON does not have.
    """
    if not HAS_ACCELERATOR:
        import json

        return json.dumps(value)
    kind = type(value)
    if kind is str:
        return encode_basestring_ascii(value)
    if kind is dict:
        fields = [
            f"{encode_basestring_ascii(name)}: {encode(item)}" for name, item in value.items()
        ]
        return "{" + ", ".join(fields) + "}"
    if kind is list:
        return "[" + ", ".join([encode(item) for item in value]) + "]"
    if value is None or kind is bool:
        return {None: "null", True: "true", False: "false"}[value]
    if kind is int:
        return str(value)
    if kind is float:
        # a number too large for a float is JSON; `Infinity` is not
        return {"nan": "NaN", "inf": "1e999", "-inf": "-1e999"}.get(repr(value), repr(value))
    raise TypeError(f"{kind.__name__} is not JSON")
