"""How full the window is: which source is believed, and what it says."""

import json
import time

import pytest

from priced_context.records import ToolCall, Window
from priced_context.settings import Settings
from priced_context.window import last_usage, unix_ms, window_of
from scene import Agent, response


@pytest.fixture
def log(tmp_path):
    """Return a function that writes a session's log from line objects."""

    def write(*lines: dict | bytes):
        path = tmp_path / "s1.jsonl"
        raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
        path.write_bytes(b"".join(line + b"\n" for line in raw))
        return path

    return write


def believed(path, state="/nowhere", settings=None, agent_id="") -> Window:
    call = ToolCall("Read", {}, "s1", agent_id, "/p", str(path))
    return window_of(call, str(state), "/p", settings or Settings(), time.time_ns() // 1_000_000)


def boundary(post_tokens: int | None, at: str = "2026-01-01T01:00:00.000Z") -> dict:
    return {
        "type": "system",
        "subtype": "compact_boundary",
        "timestamp": at,
        "compactMetadata": {"trigger": "auto", "preTokens": 160_000, "postTokens": post_tokens},
    }


def test_the_last_response_is_the_use(log):
    """Its input, cached or not, and its output stand in the next request."""
    usage = {
        "input_tokens": 3,
        "cache_read_input_tokens": 40_000,
        "cache_creation_input_tokens": 500,
        "output_tokens": 70,
    }
    newest = response("claude-opus-4-6", 0)
    newest["message"]["usage"] = usage

    window = believed(log(response("claude-opus-4-6", 90_000), newest))

    assert (window.tokens, window.used_tokens) == (200_000, 40_573)
    assert window.free_tokens == 200_000 - 40_573 - 20_000 - 1_000
    assert (window.source, window.client_version) == ("table", "2.1.332")


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("claude-opus-5-5", 1_000_000),
        ("claude-opus-4-7", 1_000_000),
        ("claude-opus-4-6", 200_000),
        ("claude-opus-4-5-20251101", 200_000),
        ("claude-3-5-haiku-20241022", 200_000),
        ("claude-haiku-4-5", 200_000),
        ("a-model-of-tomorrow", None),
    ],
)
def test_the_model_names_the_size(log, model, tokens):
    """As the client itself reports it."""
    assert believed(log(response(model, 1_000))).tokens == tokens


def test_an_older_client_gives_every_model_the_small_window(log):
    """Up to 2.1.284 it reports 200,000 for models that have more."""
    line = response("claude-opus-4-7", 1_000) | {"version": "2.1.284"}

    assert believed(log(line)).tokens == 200_000


def test_the_requested_model_keeps_its_suffix(log):
    """`[1m]` is not in the model that answers."""
    line = response("claude-sonnet-4-5", 1_000) | {"requestedModel": "claude-sonnet-4-5[1m]"}

    assert believed(log(line)).tokens == 1_000_000


def test_use_over_the_small_window_proves_the_large_one(log):
    """Whatever the table says."""
    window = believed(log(response("claude-opus-4-6", 230_000)))

    assert (window.tokens, window.source) == (1_000_000, "observed")


def test_after_a_compaction_its_estimate_counts_with_the_earlier_model(log):
    """Usage before the boundary is void."""
    window = believed(log(response("claude-opus-4-6", 160_000), boundary(2_954)))

    assert (window.used_tokens, window.model) == (2_954, "claude-opus-4-6")
    assert window.compacted_ms == unix_ms("2026-01-01T01:00:00.000Z")


def test_a_response_after_a_compaction_counts_again(log):
    """The estimate is only for the first call."""
    window = believed(
        log(
            response("claude-opus-4-6", 160_000),
            boundary(2_954),
            response("claude-opus-4-6", 31_000),
        )
    )

    assert window.used_tokens == 31_000


def test_synthetic_and_foreign_lines_are_skipped(log):
    """Errors carry zeros, and a subagent's line speaks of another window."""
    side = response("claude-haiku-4-5", 5_000) | {"isSidechain": True, "agentId": "a1"}

    window = believed(
        log(
            response("claude-opus-4-6", 70_000),
            side,
            response("<synthetic>", 0),
            b'{"torn": "usage"',
            b"\xff\xfe not text",
            {"type": "user", "message": {"content": 'says "usage" and "compact_boundary"'}},
        )
    )

    assert (window.used_tokens, window.model) == (70_000, "claude-opus-4-6")


def test_a_subagent_has_its_own_log(log, tmp_path):
    """It begins empty however full the main loop is."""
    main = log(response("claude-opus-4-6", 150_000))
    folder = tmp_path / "s1" / "subagents"
    folder.mkdir(parents=True)
    line = response("claude-haiku-4-5", 9_000) | {"isSidechain": True, "agentId": "a1"}
    (folder / "agent-a1.jsonl").write_text(json.dumps(line) + "\n")

    assert believed(main, agent_id="a1").used_tokens == 9_000
    assert believed(main, agent_id="a2").source == "fresh"


def test_usage_behind_a_bulky_attachment_is_found(log):
    """Lines of tens of kilobytes stand between two responses."""
    bulk = {"type": "attachment", "attachment": {"content": "x" * 90_000}}

    assert believed(log(response("claude-opus-4-6", 44_000), bulk)).used_tokens == 44_000


def test_a_tail_without_usage_is_unknown_not_empty(log):
    """A price then shows tokens only."""
    bulk = {"type": "attachment", "attachment": {"content": "x" * 400_000}}

    window = believed(log(response("claude-opus-4-6", 44_000), bulk))

    assert (window.source, window.free_tokens) == ("unknown", None)


def test_a_missing_log_is_a_fresh_window(tmp_path):
    """The first call of a session comes before its log has a response."""
    window = believed(tmp_path / "none.jsonl")

    assert (window.tokens, window.used_tokens, window.source) == (200_000, 0, "fresh")


def test_the_newer_of_status_line_and_log_is_believed(agent: Agent):
    """The status line runs after a response; the log may be one turn behind or ahead."""
    agent.transcript.write_text(json.dumps(response("claude-opus-4-6", 70_000)) + "\n")
    place = agent.state / "sessions" / "s1" / "window.json"
    agent.knows_window(200_000, 60_000)
    assert believed(agent.transcript, agent.state).used_tokens == 70_000

    newer = json.loads(place.read_text()) | {"written_ms": unix_ms("2026-01-01T00:00:01.000Z")}
    place.write_text(json.dumps(newer))

    window = believed(agent.transcript, agent.state)
    assert (window.used_tokens, window.source) == (60_000, "status-line")


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("", id="empty"),
        pytest.param('{"version": 1, "window_tok', id="torn"),
        pytest.param("[1]", id="not an object"),
        pytest.param(
            '{"version": 1, "window_tokens": "200000", "used_tokens": 1, "written_ms": 9}',
            id="types",
        ),
        pytest.param(
            '{"window_tokens": 200000, "used_tokens": -1, "written_ms": 9}', id="negative"
        ),
        pytest.param(
            '{"version": 1, "window_tokens": 9, "used_tokens": 1, "written_ms": 99999999999999,'
            '"model": ""}',
            id="from the future",
        ),
        pytest.param(
            '{"version": 1, "window_tokens": 9, "used_tokens": 1, "written_ms": 9, "model": "",'
            '"session_id": "s2"}',
            id="of another session",
        ),
        pytest.param(
            '{"version": 2, "window_tokens": 9, "used_tokens": 1, "written_ms": 9, "model": ""}',
            id="of another version",
        ),
    ],
)
def test_a_window_file_that_cannot_be_believed_gives_way(agent: Agent, content):
    """To the next source, in silence."""
    (agent.state / "sessions" / "s1" / "window.json").write_text(content)

    assert believed(agent.transcript, agent.state).source == "fresh"


def test_a_size_learned_from_a_status_line_beats_the_table(log, tmp_path):
    """The client knows its models better than a table of ours."""
    (tmp_path / "sizes").write_text("claude-opus-4-6\t200000\nclaude-opus-4-6\t500000\n")

    window = believed(log(response("claude-opus-4-6", 1_000)), tmp_path)

    assert (window.tokens, window.source) == (500_000, "transcript")


def test_what_the_user_lets_the_client_use_is_the_window(log, monkeypatch):
    """The smallest limit counts."""
    path = log(response("claude-opus-5-5", 1_000))
    settings = Settings()
    settings.auto_compact_window = 300_000
    assert believed(path, settings=settings).tokens == 300_000

    monkeypatch.setenv("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "250000")
    assert believed(path, settings=settings).tokens == 250_000

    monkeypatch.setenv("CLAUDE_CODE_DISABLE_1M_CONTEXT", "1")
    assert believed(path, settings=settings).tokens == 200_000


def test_a_configured_window_is_the_users_word(log):
    """It beats every source."""
    settings = Settings()
    settings.window_tokens = 150_000

    window = believed(log(response("claude-opus-5-5", 1_000)), settings=settings)

    assert (window.tokens, window.source) == (150_000, "configured")


def test_the_answer_that_is_reserved_follows_the_clients_own_limit(log, monkeypatch):
    """min(the longest answer, 20,000), as the client reckons."""
    path = log(response("claude-opus-4-6", 0))
    assert believed(path).reservation_tokens == 20_000

    monkeypatch.setenv("CLAUDE_CODE_MAX_OUTPUT_TOKENS", "8000")
    assert believed(path).reservation_tokens == 8_000


def test_a_log_that_is_not_a_file_is_unknown(tmp_path):
    """A folder, a FIFO or a device in its place holds nobody up."""
    assert last_usage(str(tmp_path), "").used_tokens is None
    assert last_usage("/dev/zero", "").used_tokens is None
