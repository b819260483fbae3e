"""What holds for every call: it never loops, never widens a permission, never fails."""

import json
import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from priced_context import gate
from priced_context.explain import explain
from priced_context.policy import budget_of
from priced_context.prices import EDGES, bucket_of, tag
from priced_context.records import Window
from priced_context.settings import Settings
from scene import Agent, code, log

FILES = ("a.py", "b.py", "c.log", "d.txt")

STEPS = st.one_of(
    st.tuples(st.just("grow"), st.sampled_from(FILES), st.integers(1, 8_000)),
    st.tuples(st.just("whole"), st.sampled_from(FILES), st.just(0)),
    st.tuples(st.just("large"), st.sampled_from(FILES), st.just(0)),
    st.tuples(st.just("range"), st.sampled_from(FILES), st.integers(1, 4_000)),
    st.tuples(st.just("from"), st.sampled_from(FILES), st.integers(1, 4_000)),
)


@given(st.lists(STEPS, max_size=40), st.sampled_from([200_000, 1_000_000]), st.integers(0, 160_000))
@settings(max_examples=60, deadline=None)
def test_no_sequence_of_reads_and_edits_loops(steps, window_tokens, used_tokens):
    """A file is refused at most once for each bucket of its price, unless it cannot fit."""
    with tempfile.TemporaryDirectory() as scratch:
        agent = Agent(Path(scratch) / "project", Path(scratch) / "state")
        agent.project.mkdir()
        agent.knows_window(window_tokens, used_tokens)
        for name in FILES:
            (agent.project / name).write_text(text_of(name, 700))
        refused: Counter[tuple[str, str]] = Counter()
        for verb, name, number in steps:
            if verb == "grow":
                (agent.project / name).write_text(text_of(name, number))
                continue
            answer = agent.read(name, **fields(verb, number))
            words = answer.get("permissionDecisionReason") or answer.get("additionalContext")
            if words and "The window has only" in words:
                assert "offset=" in words or "head -c" in words
            elif words:
                refused[name, words.split(" tok (")[0].rpartition("~")[2]] += 1

    assert all(times == 1 for times in refused.values()), refused


def text_of(name: str, lines: int) -> str:
    return code(lines) if name.endswith(".py") else log(lines)


def fields(verb: str, number: int) -> dict[str, object]:
    return {
        "whole": {},
        "large": {"allow_large": True},
        "range": {"offset": number, "limit": number},
        "from": {"offset": number},
    }[verb]


PAYLOADS = st.fixed_dictionaries(
    {},
    optional={
        name: st.one_of(st.text(), st.integers(), st.none(), st.lists(st.text()), st.booleans())
        for name in ("session_id", "agent_id", "cwd", "transcript_path", "permission_mode")
    }
    | {
        "tool_name": st.sampled_from(["Read", "Bash", "Grep", "", "mcp__x__read_file"]) | st.text(),
        "tool_input": st.dictionaries(
            st.sampled_from(
                ["file_path", "offset", "limit", "command", "pages", "allow_large", "x"]
            ),
            st.text()
            | st.integers()
            | st.none()
            | st.floats()
            | st.booleans()
            | st.sampled_from(["/dev/zero", "/proc/self/maps", "/", "/etc/services", "cat /etc/*"])
            | st.lists(st.integers()),
        ),
    },
)


@given(PAYLOADS)
@example({"tool_name": "Read", "tool_input": {"file_path": "/dev/zero"}})
@example({"tool_name": "Read", "tool_input": {"file_path": "a\x00b"}})
@example({"tool_name": "Read", "tool_input": {"file_path": "\ud800"}})
@example({"tool_name": "Bash", "tool_input": {"command": "cat \x00"}, "cwd": "\x00"})
@settings(max_examples=300, deadline=None)
def test_no_payload_widens_a_permission_or_fails(payload):
    """The only errors are those of a payload that is no tool call; the answer never allows."""
    with tempfile.TemporaryDirectory() as state:
        try:
            answer = gate.answer_call(json.dumps(payload).encode(), state)
        except ValueError:
            return
    if answer:
        check_answer(payload["tool_input"], json.loads(answer))


def check_answer(tool_input: dict, answer: dict) -> None:
    """An answer denies, or rewrites a range of the very same file, and nothing else."""
    assert list(answer) == ["hookSpecificOutput"]
    output = answer["hookSpecificOutput"]
    assert output.get("permissionDecision") in (None, "deny")
    if "updatedInput" in output:
        changed = dict(output["updatedInput"])
        for name in ("offset", "limit"):
            changed.pop(name)
        assert changed == {k: v for k, v in tool_input.items() if k not in ("offset", "limit")}


@example(1_002, 1_512, 145_026)  # of these only the larger would make the client compact
@given(st.integers(600, 1_700), st.integers(600, 1_700), st.integers(0, 150_000))
@settings(max_examples=100, deadline=None)
def test_one_bucket_and_one_window_give_the_same_bytes(lines, more_lines, used_tokens):
    """Nothing but the bucket is quoted, so a file may grow a little unnoticed.

    1,700 of these lines stay under the client's cap; over it the page's lines are quoted too.
    """
    with tempfile.TemporaryDirectory() as scratch:
        said = {}
        for number in (lines, more_lines):
            agent = Agent(Path(scratch) / "project", Path(scratch) / f"state-{number}")
            agent.project.mkdir(exist_ok=True)
            agent.knows_window(200_000, used_tokens)
            (agent.project / "a.py").write_text(code(number))
            bucket = explain(agent.payload_of_read("a.py"), str(agent.state))["reads"][0]["bucket"]
            said[number] = (bucket, agent.reason("a.py"))

    (first, words), (second, other_words) = said[lines], said[more_lines]
    assert (first == second) == (words == other_words)


@given(st.integers(0, 2_000_000), st.integers(0, 2_000_000))
def test_the_budget_is_a_buckets_edge(window_tokens, used_tokens):
    """So one quoted bucket has one verdict."""
    budget = budget_of(Window(max(1, window_tokens), used_tokens), Settings())

    assert budget in EDGES


@given(st.integers(0, 3_000_000), st.integers(0, 3_000_000), st.sampled_from([None, 200_000]))
def test_a_tag_follows_its_bucket(tokens, others, window_tokens):
    """The words are the bucket's, and buckets grow with the price."""
    same_words = tag(tokens, window_tokens) == tag(others, window_tokens)

    assert same_words == (bucket_of(tokens) == bucket_of(others))
    assert (tokens < others) <= (bucket_of(tokens) <= bucket_of(others))
