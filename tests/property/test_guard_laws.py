"""What holds for every call: it never loops, never widens a permission, never fails."""

import json
import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from priced_context import gate
from priced_context.explain import explain
from priced_context.policy import budget_of
from priced_context.prices import bucket_of, tag
from priced_context.records import Window
from priced_context.settings import Settings
from priced_context.wire import decode_call
from scene import Agent, code, log

FILES = ("a.py", "b.py", "c.log", "d.txt")
VERBS = ("grow", "whole", "large", "range", "from", "server", "compact")

STEPS = st.tuples(st.sampled_from(VERBS), st.sampled_from(FILES), st.integers(1, 6_000))
WINDOWS = st.sampled_from([200_000, 1_000_000, None])


@example([("grow", "b.py", 1_797), ("whole", "b.py", 1), ("large", "b.py", 1)], None, 0)
@given(st.lists(STEPS, max_size=40), WINDOWS, st.integers(0, 178_000))
@settings(max_examples=100, deadline=None)
def test_no_sequence_of_reads_and_edits_loops(steps, window_tokens, used_tokens):
    """A file is refused at most once for each bucket of its price, unless it cannot fit.

    What is offered instead then passes.
    """
    with tempfile.TemporaryDirectory() as scratch:
        agent = Agent(Path(scratch) / "project", Path(scratch) / "state")
        agent.project.mkdir()
        if window_tokens is None:
            agent.transcript.write_text("x" * 400_000)
        else:
            agent.knows_window(window_tokens, used_tokens)
        for name in FILES:
            (agent.project / name).write_text(text_of(name, 700))
        refused: Counter[tuple[str, str]] = Counter()
        for verb, name, number in steps:
            if verb == "grow":
                (agent.project / name).write_text(text_of(name, number))
            elif verb == "compact":
                agent.compacts(used_tokens)
                refused.clear()
            else:
                words = words_of(read_by(agent, verb, name, number))
                if "This fits: " in words:
                    offer = re.search(r"offset=(\d+) limit=(\d+)", words)
                    assert offer, words
                    offset, limit = map(int, offer.groups())
                    assert "The window has" not in agent.reason(name, offset=offset, limit=limit)
                elif words:
                    refused[name, price_in(words)] += 1

    assert all(times == 1 for times in refused.values()), refused


def price_in(words: str) -> str:
    """Return the price of the call: where only a page is returned, the page's."""
    page = re.search(r"(?:its first|a Read returns) (\S+) tok", words)
    return page[1] if page else words.partition(" tok")[0].rpartition(" ")[2]


def text_of(name: str, lines: int) -> str:
    return code(lines) if name.endswith(".py") else log(lines)


def read_by(agent: Agent, verb: str, name: str, number: int) -> dict[str, Any]:
    """Return the answer to one way of reading a file."""
    if verb == "server":
        return agent.call("mcp__fs__read_file", path=str(agent.project / name))
    fields = {
        "whole": {},
        "large": {"allow_large": True},
        "range": {"offset": number, "limit": number},
        "from": {"offset": number},
    }
    return agent.read(name, **fields[verb])


def words_of(answer: dict[str, Any]) -> str:
    return answer.get("permissionDecisionReason") or answer.get("additionalContext") or ""


EXTRAS = st.dictionaries(
    st.text(min_size=1).filter(lambda name: name not in ("file_path", "pages", "offset", "limit")),
    st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=4),
    max_size=4,
)


@given(st.sampled_from(["a.py", "c.log"]), EXTRAS)
@settings(deadline=None)
def test_a_costly_read_is_only_ever_denied_or_narrowed(name, extras):
    """Whatever else stands in the call: never allowed, never asked, never another path."""
    with tempfile.TemporaryDirectory() as scratch:
        agent = Agent(Path(scratch) / "project", Path(scratch) / "state")
        agent.project.mkdir()
        (agent.project / name).write_text(text_of(name, 800))
        payload = agent.payload_of_read(name, **extras)

        answer = gate.answer(decode_call(payload), str(agent.state))

    check_answer(json.loads(payload)["tool_input"], json.loads(answer))


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
            answer = gate.answer(decode_call(json.dumps(payload).encode()), state)
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
            call = decode_call(agent.payload_of_read("a.py"))
            bucket = explain(call, str(agent.state))["reads"][0]["bucket"]
            said[number] = (bucket, agent.reason("a.py"))

    (first, words), (second, other_words) = said[lines], said[more_lines]
    assert (first == second) == (words == other_words)


@given(st.integers(1, 1_000_000), st.integers(0, 2_000_000))
def test_one_quoted_bucket_has_one_verdict(window_tokens, used_tokens):
    """Every price of a bucket is over the budget, or none is; and never over what is quoted."""
    budget = budget_of(Window(window_tokens, used_tokens, reservation_tokens=20_000), Settings())

    assert bucket_of(budget - 1) < bucket_of(budget)
    assert 1_414 <= budget <= 14_142


@given(st.integers(0, 3_000_000), st.integers(0, 3_000_000), st.sampled_from([None, 200_000]))
def test_a_tag_follows_its_bucket(tokens, others, window_tokens):
    """The words are the bucket's, and buckets grow with the price."""
    same_words = tag(tokens, window_tokens) == tag(others, window_tokens)

    assert same_words == (bucket_of(tokens) == bucket_of(others))
    assert (tokens < others) <= (bucket_of(tokens) <= bucket_of(others))
