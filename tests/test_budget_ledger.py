"""The ledger of one outgoing request: what it adds up to, what decides, what changes its name."""

import json
import os

import msgspec
import pytest

from outgoing import EVERY_API, anthropic, long_request, sent
from priced_context.budget import (
    BudgetError,
    ConservativeCounter,
    Policy,
    TiktokenCounter,
    compile_outbound_request_budget,
)
from priced_context.budget.dump import dump
from priced_context.room import is_eligible
from priced_context.tokens import encoding

CONTRACT = [
    "requestFingerprint",
    "modelContextTokens",
    "stableSystemTokens",
    "toolSchemaTokens",
    "authorityTokens",
    "taskAndWorkingSetTokens",
    "evidenceTokens",
    "historyTokens",
    "outputReservationTokens",
    "safetyMarginTokens",
    "totalInputTokens",
    "projectedTotalTokens",
    "freeTokens",
    "freeRatio",
    "compactionEligible",
]
PROSE = "The build fails because the module is imported before its path is set. "


def compiled(request: dict, **policy):
    return compile_outbound_request_budget(sent(request), policy=Policy(**policy))


def window_that_leaves(request: dict, per_mille: int) -> dict:
    """Return the policy that leaves exactly so much of the window free."""
    total = compiled(request).total_input_tokens
    window = 1_000 * total
    spent = window - window * per_mille // 1_000
    return {
        "model_context_tokens": window,
        "output_reservation_tokens": spent - total,
        "safety_margin_tokens": 0,
    }


def test_the_json_has_the_fifteen_fields_and_nothing_else():
    """Callers match on the names; a sixteenth field is a new contract."""
    fields = json.loads(msgspec.json.encode(compiled(anthropic())))

    assert list(fields) == CONTRACT


def test_a_larger_tool_schema_makes_eligible_what_the_messages_did_not():
    """The old logic looked at history; tools were sent all the same."""
    tool = {"name": "Huge", "description": PROSE * 800, "input_schema": {"type": "object"}}
    policy = {"model_context_tokens": 60_000}

    before = compiled(anthropic(), **policy)
    after = compiled(anthropic(tools=[tool]), **policy)

    assert not before.compaction_eligible
    assert after.compaction_eligible
    assert after.history_tokens == before.history_tokens
    assert after.tool_schema_tokens > before.tool_schema_tokens + 9_000


def test_a_larger_dynamic_frame_makes_eligible_what_the_messages_did_not():
    """A controller's frame rides in a user turn and is no history."""
    request = anthropic()
    frame = {"type": "text", "text": "<system-reminder>\n" + PROSE * 800}
    first = {**request["messages"][0], "content": [frame, *request["messages"][0]["content"]]}
    policy = {"model_context_tokens": 60_000}

    before = compiled(request, **policy)
    after = compiled({**request, "messages": [first, *request["messages"][1:]]}, **policy)

    assert (before.compaction_eligible, after.compaction_eligible) == (False, True)
    assert after.history_tokens == before.history_tokens
    assert after.authority_tokens > before.authority_tokens + 9_000


def test_at_exactly_40_per_cent_free_compaction_is_held():
    """The threshold belongs to the side that keeps the conversation."""
    budget = compiled(anthropic(), **window_that_leaves(anthropic(), 400))

    assert budget.free_ratio == 0.4
    assert not budget.compaction_eligible


def test_at_39_9_per_cent_free_compaction_is_eligible():
    """One part in a thousand below is below."""
    budget = compiled(anthropic(), **window_that_leaves(anthropic(), 399))

    assert budget.free_ratio == 0.399
    assert budget.compaction_eligible


def test_one_token_decides():
    """Whole numbers are compared: no rounding can move the threshold."""
    assert not is_eligible(400_000_000_000_000_000, 10**18)
    assert is_eligible(400_000_000_000_000_000 - 1, 10**18)


def test_nothing_in_the_ledger_alters_permissions():
    """Eligibility is a statement; what a hook may answer is not derived from its words."""
    document = msgspec.to_builtins(dump(compiled(anthropic(), model_context_tokens=10_000)))
    names = {*document, *document["budget"], *document["rows"][0]}

    assert document["budget"]["compactionEligible"]
    assert not names & {
        *("hookSpecificOutput", "permissionDecision", "permissionDecisionReason"),
        *("updatedInput", "decision", "continue", "reason", "stopReason"),
    }


@pytest.mark.parametrize("counter", [TiktokenCounter(), ConservativeCounter()])
def test_equal_bytes_have_one_fingerprint_whoever_counts(counter):
    """A counter that falls back must not make a new request out of an old one."""
    body = sent(anthropic())

    first = compile_outbound_request_budget(body)
    again = compile_outbound_request_budget(bytes(body), counter=counter)

    assert first.request_fingerprint == again.request_fingerprint


def _steering_slot(request: dict) -> None:
    request["messages"][0]["content"][0]["text"] += " Stop."


def _file_content(request: dict) -> None:
    request["messages"][2]["content"][0]["content"] += "2\timport sys\n"


def _tool_schema(request: dict) -> None:
    request["tools"][0]["input_schema"]["required"] = []


def _output_reservation(request: dict) -> None:
    request["max_tokens"] = 16_000


def _model(request: dict) -> None:
    request["model"] = "claude-opus-4-5"


def _place_of_a_block(request: dict) -> None:
    request["messages"][0]["content"].reverse()


@pytest.mark.parametrize(
    "change",
    [
        _steering_slot,
        _file_content,
        _tool_schema,
        _output_reservation,
        _model,
        _place_of_a_block,
    ],
)
def test_each_change_alone_makes_a_new_fingerprint(change):
    """What the model would see differently is another request."""
    request = json.loads(sent(anthropic()))
    before = compiled(request).request_fingerprint

    change(request)

    assert compiled(request).request_fingerprint != before


def test_a_moved_cache_mark_keeps_the_fingerprint():
    """Clients move `cache_control` to the newest message each turn; the model sees none of it."""
    request = anthropic()
    moved = json.loads(sent(request))
    mark = moved["system"][1].pop("cache_control")
    moved["messages"][2]["content"][0]["cache_control"] = mark
    # a client that marks a plain text has to spell it as a block
    moved["messages"][-1]["content"] = [
        {"type": "text", "text": "Then fix it.", "cache_control": mark}
    ]

    assert compiled(moved).request_fingerprint == compiled(request).request_fingerprint


def test_a_tool_parameter_called_cache_control_is_no_mark():
    """Only where the API reads a mark it is one; elsewhere it is the tool's own."""
    request = json.loads(sent(anthropic()))
    before = compiled(request).request_fingerprint

    request["tools"][0]["input_schema"]["properties"]["cache_control"] = {"type": "string"}

    assert compiled(request).request_fingerprint != before


def test_sampling_keeps_the_fingerprint():
    """Temperature, streaming and metadata are envelope."""
    changed = anthropic(stream=False, temperature=0.3, metadata={"user_id": "another"})

    assert compiled(changed).request_fingerprint == compiled(anthropic()).request_fingerprint


@pytest.mark.parametrize("api", EVERY_API)
def test_the_rows_add_up_to_the_total(api):
    """A ledger that does not add up is an opinion."""
    budget = compiled(EVERY_API[api]())

    assert sum(row.tokens for row in budget.rows) == budget.total_input_tokens
    assert sum(row.share for row in budget.rows) == pytest.approx(1)
    by_field = {
        "stableSystem": budget.stable_system_tokens,
        "toolSchema": budget.tool_schema_tokens,
        "authority": budget.authority_tokens,
        "taskAndWorkingSet": budget.task_and_working_set_tokens,
        "evidence": budget.evidence_tokens,
        "history": budget.history_tokens,
    }
    for kind, tokens in by_field.items():
        assert sum(row.tokens for row in budget.rows if row.kind == kind) == tokens


def test_the_dump_reconciles_with_one_joined_count():
    """Counting parts one by one costs at most 0.1% against counting their text in one go."""
    request = long_request(60_000)
    document = dump(compiled(request, model_context_tokens=200_000))
    joined = "\n".join(message["content"] for message in request["messages"])

    texts = [row.tokens - 4 for row in document.rows if row.bytes]  # without the message frames
    one_go = len(encoding("o200k_base").encode_ordinary(joined))

    assert sum(row.tokens for row in document.rows) == document.budget.total_input_tokens
    assert abs(sum(texts) + len(texts) - 1 - one_go) <= one_go / 1_000


def test_history_alone_was_wrong_both_ways():
    """The decision that this replaces: messages against the window, 60% used and over.

    Overfull called safe: a small history under large tools and a large reservation. Roomy called
    full: a history that looks large in bytes of images, which cost little.
    """
    tool = {"name": "Huge", "description": PROSE * 4_000, "input_schema": {"type": "object"}}
    overfull = anthropic(tools=[tool], max_tokens=64_000)
    png = "iVBORw0KGgoAAAANSUhEUgAAAMgAAADICAYAAACt" + "A" * 1_600_000
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": png}}
    roomy = anthropic(messages=[{"role": "user", "content": [image]}])

    def history_says_full(request: dict) -> bool:
        return len(json.dumps(request["messages"])) / 4 >= 0.6 * 200_000

    assert not history_says_full(overfull)
    assert compiled(overfull).compaction_eligible
    assert history_says_full(roomy)
    assert not compiled(roomy).compaction_eligible


def test_the_output_reservation_is_the_request_s_own():
    """What the request asks for is what the API sets aside."""
    assert compiled(anthropic(max_tokens=50_000)).output_reservation_tokens == 50_000


@pytest.mark.parametrize(
    ("model", "reservation"), [("gpt-4o", 16_384), ("gpt-5", 20_000), ("gpt-4", 4_096)]
)
def test_without_a_limit_the_model_s_longest_answer_is_reserved(model, reservation):
    """At most 20,000, as the client itself reckons."""
    request = {"model": model, "messages": [{"role": "user", "content": "hi"}]}

    assert compiled(request).output_reservation_tokens == reservation


def test_the_safety_margin_follows_the_input():
    """A thousand tokens or 2%: a share of the window would punish large windows."""
    small = compiled(anthropic())
    large = compiled(long_request(100_000))

    assert small.safety_margin_tokens == 1_000
    assert large.safety_margin_tokens == large.total_input_tokens // 50 > 1_000


@pytest.mark.parametrize("field", ["output_reservation_tokens", "safety_margin_tokens"])
def test_less_than_nothing_cannot_be_reserved(field):
    """It would add to what is free."""
    with pytest.raises(BudgetError, match="of -1 tokens: give 0 or more"):
        compiled(anthropic(), **{field: -1})


@pytest.mark.parametrize(
    ("block", "what"),
    [
        (
            {
                "type": "document",
                "source": {
                    "type": "base64", "media_type": "application/pdf", "data": "JVBERi0x" * 10_000
                },
            },
            "document as base64",
        ),
        ({"type": "redacted_thinking", "data": "x"}, "encrypted reasoning"),
        ({"type": "image", "source": {"type": "url", "url": "https://x/y"}}, "image of unknown"),
    ],
)  # fmt: skip
def test_what_cannot_be_counted_leaves_no_bound(block, what):
    """A PDF of megabytes costs three tokens in the ledger: no controller may rest on that."""
    body = sent(anthropic(messages=[{"role": "user", "content": [block]}]))

    budget = compile_outbound_request_budget(body, counter=ConservativeCounter())

    document = dump(budget)
    assert document.exactness == "estimate"
    assert f"beside $.messages[0].content[0] ({next(r.note for r in budget.rows if r.note)})" in (
        document.compaction
    )
    assert what in document.compaction
    bounds = {row.origin: row.exactness for row in budget.rows if row.bytes}
    assert bounds["$.messages[0].content[0]"] == "estimate"
    assert bounds["$.system[0]"] == "upper estimate"


def test_what_the_server_holds_leaves_no_bound():
    servers = [{"type": "url", "url": "https://x", "name": "x"}]

    budget = compile_outbound_request_budget(
        sent(anthropic(mcp_servers=servers)), counter=ConservativeCounter()
    )

    assert dump(budget).exactness == "estimate"
    assert "tools of a remote server" in dump(budget).compaction


def test_where_all_is_counted_the_bound_stands():
    budget = compile_outbound_request_budget(sent(anthropic()), counter=ConservativeCounter())

    assert dump(budget).exactness == "upper estimate"
    assert "beside" not in dump(budget).compaction


@pytest.mark.parametrize(
    "envelope", [{"tool_choice": {"type": "any"}}, {"thinking": {"type": "disabled"}}]
)
def test_the_envelope_is_not_in_the_fingerprint(envelope):
    """As docs/budget.md says: segments, model and reservation."""
    changed = compiled(anthropic(**envelope))

    assert changed.request_fingerprint == compiled(anthropic()).request_fingerprint


def test_what_is_free_is_what_the_formula_leaves():
    """Input, reservation and margin are all that is spent."""
    budget = compiled(anthropic())

    spent = (
        budget.total_input_tokens + budget.output_reservation_tokens + budget.safety_margin_tokens
    )
    assert budget.projected_total_tokens == spent
    assert budget.free_tokens == budget.model_context_tokens - spent


def test_an_overfull_request_has_less_than_nothing_free():
    """How much too much is what a controller has to cut."""
    budget = compiled(anthropic(), model_context_tokens=10_000)

    assert budget.free_tokens < 0
    assert budget.compaction_eligible


def test_an_unknown_model_is_an_error_that_says_what_to_do():
    """A guessed window is a wrong ledger."""
    with pytest.raises(BudgetError, match=r"'llama-9'.*--model-context") as refused:
        compiled(anthropic(model="llama-9"))

    assert refused.value.path == "$.model"
    assert compiled(anthropic(model="llama-9"), model_context_tokens=8_192)


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("claude-opus-5-5", 1_000_000),
        ("claude-opus-4-6", 200_000),
        ("claude-opus-4-6[1m]", 1_000_000),
        ("claude-haiku-4-5-20251001", 200_000),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", 200_000),
        ("claude-sonnet-4@20250514", 200_000),
        ("anthropic/claude-opus-4.8", 1_000_000),
        ("gpt-4-0613", 8_192),
        ("openai/gpt-5-2025-08-07", 400_000),
        ("models/gemini-3-flash-preview", 1_048_576),
    ],
)
def test_a_model_is_known_under_its_resellers_names(model, window):
    """Dates, regions and channels do not change a window."""
    assert compiled(anthropic(model=model)).model_context_tokens == window


def test_the_ledger_hangs_on_nothing_but_its_input(tmp_path, monkeypatch):
    """No clock, no folder, no environment, no order of calls."""
    body = sent(anthropic())
    before = compile_outbound_request_budget(body)
    compile_outbound_request_budget(sent(long_request(2_000)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "environ", {"TZ": "Asia/Tokyo", "HOME": str(tmp_path)})

    after = compile_outbound_request_budget(body)

    assert after == before
    assert after.rows == before.rows


def test_the_kinds_of_a_coding_request():
    """What a person would say of each block, in the order it stands."""
    rows = compiled(anthropic()).rows

    assert [(row.kind, row.origin) for row in sorted(rows, key=lambda row: row.origin)] == [
        ("stableSystem", "$"),
        ("authority", "$.messages[0].content[0]"),
        ("history", "$.messages[0].content[1]"),
        ("history", "$.messages[1].content[0]"),
        ("history", "$.messages[1].content[1]"),
        ("evidence", "$.messages[2].content[0]"),
        ("taskAndWorkingSet", "$.messages[3].content[0]"),
        ("evidence", "$.messages[4].content[0]"),
        ("history", "$.messages[5]"),
        ("taskAndWorkingSet", "$.messages[6]"),
        ("stableSystem", "$.system[0]"),
        ("stableSystem", "$.system[1]"),
        ("toolSchema", "$.tools"),
        ("toolSchema", "$.tools[0]"),
    ]
