"""The request behind a session's log."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priced_context.budget.conversation import read_conversation
from priced_context.budget.session import Session, live
from priced_context.console import Trouble
from session_log import SessionLog


@pytest.fixture
def log(tmp_path):
    return SessionLog(tmp_path / "s1.jsonl")


def texts(messages):
    """Return (role, content) of each message, decoded."""
    return [(m["role"], m["content"]) for m in (json.loads(m.encode()) for m in messages)]


def test_prompts_answers_and_results_in_order(log):
    log.says("go")
    call = log.calls(20_000, "Read", file_path="/a")
    log.results(call, "1\tx")
    log.answers(21_000)

    conversation = read_conversation(log.path)

    roles = [role for role, _ in texts(conversation.messages)]
    assert roles == ["user", "assistant", "user", "assistant"]
    assert [r.used_tokens for r in conversation.responses] == [20_000, 21_000]
    assert conversation.growths == [0, 1_000]
    assert conversation.pending == []


def test_a_response_on_several_lines_is_one_message(log):
    """The client writes a line a block, each with the whole bill."""
    log.says("go")
    log.answers(500, {"type": "text", "text": "a"}, id="m")
    log.answers(500, {"type": "text", "text": "b"}, id="m")

    conversation = read_conversation(log.path)

    assert texts(conversation.messages)[1] == (
        "assistant",
        [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
    )
    assert len(conversation.responses) == 1


def test_what_came_after_the_last_bill_is_pending(log):
    log.says("go")
    call = log.calls(20_000, "Read", file_path="/a")
    log.results(call, "1\tx")

    conversation = read_conversation(log.path)

    assert len(conversation.billed) == 2
    assert [role for role, _ in texts(conversation.pending)] == ["user"]


def test_a_prompt_taken_back_is_not_sent(log):
    """Esc Esc leaves the old branch in the log."""
    log.says("go")
    fork = log.answers(500)
    log.says("the wrong way")
    log.answers(600)
    log.last = fork
    log.says("the right way")
    log.answers(550)

    said = [content for _, content in texts(read_conversation(log.path).messages)]

    assert "the right way" in said
    assert "the wrong way" not in said


def test_results_of_parallel_calls_hang_beside_the_branch(log):
    """Each result's parent is its own call; only one of them is on the chain."""
    log.says("go")
    one = {"type": "tool_use", "id": "t1", "name": "Read", "input": {}}
    other = one | {"id": "t2"}
    first = log.answers(500, one, id="m")
    second = log.answers(500, other, id="m")
    log.results("t2", "two")
    log.last = first
    log.results("t1", "one")
    log.last = second
    log.answers(600)

    shown = str(texts(read_conversation(log.path).messages))

    assert "'one'" in shown
    assert "'two'" in shown


def test_a_broken_chain_counts_everything(log):
    """Better a row too many than a request without its middle."""
    log.says("go")
    log.answers(500)
    log.last = "lost"
    log.says("on")
    log.answers(600)

    assert len(read_conversation(log.path).messages) == 4


def test_a_compaction_leaves_the_summary_and_what_was_preserved(log):
    log.says("old")
    log.answers(90_000)
    kept = log.says("kept")
    log.answers(91_000)
    log.compacts(3_000, kept=(kept,))
    log.answers(12_000)

    conversation = read_conversation(log.path)

    said = [content for _, content in texts(conversation.messages)]
    assert said[0] == "kept"
    assert str(said[1]).startswith("This session is being continued")
    assert "old" not in said
    assert [r.place for r in conversation.responses] == [-1, -1, 2]
    assert max(conversation.growths) == 1_000  # nothing grows across a compaction


def test_newer_clients_log_system_and_tools(log):
    shape = {"system": [{"type": "text", "text": "be"}], "tools": [{"name": "Read"}]}
    log.append({"type": "api-request-shape", "shape": shape})
    log.append({"type": "api-request-shape", "shape": {"system": [], "tools": []}})
    log.says("go")

    conversation = read_conversation(log.path)

    assert json.loads(conversation.tools) == shape["tools"]
    assert json.loads(conversation.system) == shape["system"]


def test_a_refused_request_is_known_before_its_error_is_logged(log):
    """The client asks to compact first and writes the error afterwards."""
    log.says("go")
    log.requests()
    call = log.calls(500, "Read", file_path="/a")
    assert read_conversation(log.path).is_unanswered is False

    log.results(call, "x")
    log.requests()

    assert read_conversation(log.path).is_unanswered is True


def test_an_error_of_the_api_is_no_bill(log):
    log.says("go")
    log.answers(500)
    log.fails()

    conversation = read_conversation(log.path)

    assert conversation.is_refused
    assert conversation.responses[-1].used_tokens == 500


def test_subagents_are_apart(tmp_path):
    main, sub = SessionLog(tmp_path / "s1.jsonl"), SessionLog(tmp_path / "a.jsonl", agent_id="a1")
    main.says("main")
    sub.says("sub")

    both = tmp_path / "both.jsonl"  # as old clients wrote them
    both.write_bytes(main.path.read_bytes() + sub.path.read_bytes())

    assert texts(read_conversation(both).messages) == [("user", "main")]
    assert texts(read_conversation(sub.path, "a1").messages) == [("user", "sub")]


def test_a_log_that_is_not_there_is_named(tmp_path):
    with pytest.raises(Trouble, match=r"nothing\.jsonl"):
        read_conversation(tmp_path / "nothing.jsonl")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
LINES = st.fixed_dictionaries(
    {
        "type": st.sampled_from(
            ["user", "assistant", "attachment", "system", "api-request-shape", "x"]
        )
    },
    optional={
        "uuid": st.sampled_from(["a", "b", "c"]) | JSON,
        "parentUuid": st.sampled_from(["a", "b", "c", None]) | JSON,
        "subtype": st.sampled_from(["compact_boundary"]) | JSON,
        "message": JSON
        | st.fixed_dictionaries(
            {"content": JSON, "usage": JSON, "id": st.text(), "model": st.text()}
        ),
        "attachment": JSON,
        "rendered": JSON,
        "shape": JSON,
        "compactMetadata": JSON,
    },
)


@given(st.lists(LINES | JSON, max_size=8), st.binary(max_size=20))
def test_no_line_of_any_shape_stops_the_reading(tmp_path_factory, lines, torn):
    """A client of tomorrow writes what we do not know."""
    path = tmp_path_factory.mktemp("log") / "s1.jsonl"
    path.write_bytes(b"\n".join([*(json.dumps(line).encode() for line in lines), torn]))

    for message in read_conversation(path).messages:
        json.loads(message.encode())


@given(st.lists(LINES | JSON, max_size=8))
def test_any_log_has_a_ledger_that_adds_up_or_a_sentence(tmp_path_factory, lines):
    """Rows share the tokens in use out to the last one."""
    folder = tmp_path_factory.mktemp("log")
    path = folder / "s1.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines))
    state = folder / "state"
    (state / "sessions" / "s1").mkdir(parents=True)
    window = {"version": 1, "session_id": "s1", "model": "claude-opus-4-6", "source": "test"}
    window |= {"window_tokens": 200_000, "used_tokens": 54_321, "written_ms": 1_700_000_000_000}
    (state / "sessions" / "s1" / "window.json").write_text(json.dumps(window))

    try:
        found = live(Session("s1", "", path, str(folder)), str(state))
    except Trouble:
        return

    assert sum(row.tokens for row in found.budget.rows) == found.budget.total_input_tokens
    assert found.budget.free_tokens == found.window.free_tokens
