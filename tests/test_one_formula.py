"""Guard, status line, box, compaction and ledger leave the same tokens free."""

import json
import re
from pathlib import Path

import pytest

from priced_context import statusline
from priced_context.budget.session import Session, live
from priced_context.compaction import precompact
from priced_context.explain import explain
from priced_context.room import free_tokens, is_eligible, safety_margin
from priced_context.wire import decode_call
from session_log import SessionLog, at_share

CORE = Path(__file__).parent.parent / "core"


def test_the_formula_stands_once():
    """Two of them would drift apart."""
    found = [
        path.name
        for path in CORE.rglob("*.py")
        if re.search(r"- *\w*reservation\w*\s*- *\w*margin", path.read_text())
    ]

    assert found == ["room.py"]


@pytest.mark.parametrize("window", [200_000, 1_000_000, 333_333])
def test_at_40_percent_free_it_turns(window):
    """40.0% free is held, a token less is due."""
    used = at_share(0.4, window)

    free = free_tokens(window, used, 20_000, safety_margin(used))
    less = free_tokens(window, used + 1, 20_000, safety_margin(used + 1))

    assert not is_eligible(free, window)
    assert is_eligible(less, window)


class Everyone:
    """All who say how much is free, asked about one session."""

    def __init__(self, log: SessionLog, state: Path, agent_id: str = ""):
        self.log, self.state, self.agent_id = log, state, agent_id
        self.session_id = "s1"
        self.transcript = log.path if not agent_id else log.path.parents[2] / "s1.jsonl"
        self.common = {
            "session_id": self.session_id,
            "transcript_path": str(self.transcript),
            "cwd": str(state.parent),
        } | ({"agent_id": agent_id} if agent_id else {})

    def guard(self) -> int:
        call = {"tool_name": "Read", "tool_input": {"file_path": __file__}}
        raw = json.dumps(self.common | call).encode()
        return explain(decode_call(raw), str(self.state))["window"]["free"]

    def ledger(self) -> int:
        session = Session(self.session_id, self.agent_id, self.transcript, str(self.state.parent))
        found = live(session, str(self.state))
        assert sum(row.tokens for row in found.budget.rows) == found.budget.total_input_tokens
        return found.budget.free_tokens

    def hold(self) -> int | None:
        """None where the compaction was let through."""
        question = self.common | {"trigger": "manual", "custom_instructions": None}
        said = precompact.answer(question, str(self.state))
        if not said.startswith("{"):
            return None
        return int(re.search(r"\(([\d,]+) of", json.loads(said)["reason"])[1].replace(",", ""))

    def line(self, payload: dict) -> str:
        return statusline.segment_of(json.dumps(payload | self.common).encode(), str(self.state))


def payload(model: str, size: int, used: int | None) -> dict:
    """What the client gives its status line, *used* tokens after the last response."""
    usage = {
        "input_tokens": 3,
        "output_tokens": 50,
        "cache_creation_input_tokens": 300,
        "cache_read_input_tokens": (used or 353) - 353,
    }
    if used == 0:
        usage = dict.fromkeys(usage, 0)
    context = {"context_window_size": size, "current_usage": None if used is None else usage}
    return {"model": {"id": model}, "context_window": context, "workspace": {}}


@pytest.fixture
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    return tmp_path / "state"


def agree(everyone: Everyone) -> int:
    """Return what all of them say is free."""
    free = everyone.guard()
    assert everyone.ledger() == free
    assert everyone.hold() in (free, None)
    return free


@pytest.mark.parametrize("used", [0, 5_000, 54_321, 81_234, 120_000, 190_000])
@pytest.mark.parametrize("model", ["claude-opus-4-6", "claude-opus-5-5"])
def test_they_agree_to_the_token(tmp_path, state, model, used):
    """The log alone: nobody has seen a status line."""
    log = SessionLog(tmp_path / "s1.jsonl", model)
    log.says("go")
    if used:
        log.answers(used, output=60)

    size = 200_000 if model == "claude-opus-4-6" or not used else 1_000_000
    assert agree(Everyone(log, state)) == free_tokens(size, used, 20_000, safety_margin(used))


def test_the_status_lines_own_numbers_are_the_logs(tmp_path, state):
    """Input, cached or not, and output, both there and here."""
    log = SessionLog(tmp_path / "s1.jsonl", "claude-opus-5-5")
    log.says("go")
    log.answers(52_353, output=50)
    everyone = Everyone(log, state)
    before = agree(everyone)

    shown = everyone.line(payload("claude-opus-5-5", 1_000_000, 52_353))

    assert agree(everyone) == before
    assert shown == f"⛁ {before * 100 // 1_000_000}% free · hold"


def test_a_compacted_session(tmp_path, state):
    """The client's zeros after it are no use, and the old bill is void."""
    log = SessionLog(tmp_path / "s1.jsonl")
    log.says("go")
    log.answers(150_000)
    everyone = Everyone(log, state)
    log.compacts(3_000)

    everyone.line(payload("claude-opus-4-6", 200_000, 0))

    assert agree(everyone) == free_tokens(200_000, 3_000, 20_000, safety_margin(3_000))
    log.answers(12_000)
    assert agree(everyone) == free_tokens(200_000, 12_000, 20_000, safety_margin(12_000))


def test_a_new_session_takes_the_size_from_the_status_line(tmp_path, state):
    """A cleared or new one has no log yet, and the table would have guessed."""
    everyone = Everyone(SessionLog(tmp_path / "s1.jsonl"), state)

    shown = everyone.line(payload("claude-new-9", 500_000, None))

    assert everyone.guard() == free_tokens(500_000, 0, 20_000, 1_000)
    assert shown == "⛁ 95% free · hold"


def test_a_resumed_session_keeps_its_bill(tmp_path, state):
    """Before its first response the client sends no counts: the log has them."""
    log = SessionLog(tmp_path / "s1.jsonl")
    log.says("go")
    log.answers(100_000)
    everyone = Everyone(log, state)
    before = agree(everyone)

    everyone.line(payload("claude-opus-4-6", 200_000, None))

    assert agree(everyone) == before


def test_a_switch_of_models_in_mid_session(tmp_path, state):
    """The last response's model has the window; its bill is its own tokenizer's."""
    log = SessionLog(tmp_path / "s1.jsonl", "claude-opus-4-6")
    log.says("go")
    log.answers(100_000)
    log.model = "claude-opus-5-5"
    log.answers(130_000)

    free = agree(Everyone(log, state))

    assert free == free_tokens(1_000_000, 130_000, 20_000, safety_margin(130_000))


def test_a_subagent_has_its_own(tmp_path, state):
    main = SessionLog(tmp_path / "s1.jsonl")
    main.says("go")
    main.answers(150_000)
    sub = SessionLog(tmp_path / "s1" / "subagents" / "agent-a1.jsonl", agent_id="a1")
    sub.says("look")
    sub.answers(20_000)

    everyone = Everyone(sub, state, "a1")

    assert agree(everyone) == free_tokens(200_000, 20_000, 20_000, safety_margin(20_000))


@pytest.mark.parametrize(
    ("variable", "value", "size"),
    [
        ("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "300000", 300_000),
        ("CLAUDE_CODE_DISABLE_1M_CONTEXT", "1", 200_000),
    ],
)
def test_a_window_that_the_user_set_smaller_counts(
    tmp_path, state, monkeypatch, variable, value, size
):
    monkeypatch.setenv(variable, value)
    log = SessionLog(tmp_path / "s1.jsonl", "claude-opus-5-5")
    log.says("go")
    log.answers(120_000)

    free = agree(Everyone(log, state))

    assert free == free_tokens(size, 120_000, 20_000, safety_margin(120_000))


def test_real_sessions(shared, state):
    """Four recorded ones, each as it ended."""
    for log in sorted((shared / "data" / "transcripts").glob("*.jsonl")):
        everyone = Everyone(SessionLog(log), state)
        assert everyone.guard() == everyone.ledger()


@pytest.mark.parametrize(
    "name", ["statusLine", "statusLine-before-first-response", "statusLine-after-compact"]
)
def test_recorded_payloads_of_the_client(shared, state, tmp_path, name):
    recorded = json.loads((shared / "facts/claude-code/payloads" / f"{name}.json").read_text())
    raw = json.dumps(recorded | {"transcript_path": str(tmp_path / "new.jsonl")}).encode()

    shown = statusline.segment_of(raw, str(state))

    usage = recorded["context_window"]["current_usage"] or {}
    used = sum(usage.values())
    free = free_tokens(1_000_000, used, 20_000, safety_margin(used))
    assert shown == f"⛁ {free // 10_000}% free · hold"
    assert (state / "sizes").read_text() == "claude-opus-5-5\t1000000\n"
