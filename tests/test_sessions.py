"""Real sessions through the guard: what it would have said, and the laws it must keep there."""

import json
from collections import Counter
from pathlib import Path

import pytest

from priced_context.explain import explain
from priced_context.wire import decode_call
from scene import Agent


def logged_reads(log: Path) -> list[tuple[dict, str]]:
    """Return input and shown text of every successful Read in a session's log, in order."""
    calls, reads = {}, []
    for raw in log.read_text().splitlines():
        message = json.loads(raw).get("message")
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else []:
            if block.get("type") == "tool_use" and block["name"] == "Read":
                calls[block["id"]] = block["input"]
            elif block.get("type") == "tool_result" and block["tool_use_id"] in calls:
                text = block["content"]
                if isinstance(text, str) and not block.get("is_error"):
                    reads.append((calls[block["tool_use_id"]], unnumbered(text)))
    return reads


def unnumbered(text: str) -> str:
    """Return the file's own lines: those of old clients begin with a number and an arrow."""
    return "".join(line.partition("→")[2] + "\n" for line in text.splitlines() if "→" in line[:10])


@pytest.mark.parametrize("window_tokens", [200_000, 1_000_000])
@pytest.mark.parametrize("times", [1, 12], ids=["as it was", "with files twelve times as long"])
def test_a_replayed_session_keeps_the_laws(shared, tmp_path, capsys, window_tokens, times):
    """No call fails, and no file is refused twice at one price."""
    spoken: Counter[tuple[str, str, str]] = Counter()
    prices = []
    for log in sorted((shared / "data" / "transcripts").rglob("*.jsonl")):
        agent = Agent(tmp_path / "files", tmp_path / "state", session_id=log.stem)
        agent.project.mkdir(exist_ok=True)
        agent.knows_window(window_tokens, 40_000)
        for tool_input, text in logged_reads(log):
            name = tool_input["file_path"].strip("/").replace("/", "%")
            (agent.project / name).write_text(text * times)
            fields = {k: v for k, v in tool_input.items() if k in ("offset", "limit")}
            raw = agent.payload_of_read(name, **fields)
            explained = explain(decode_call(raw), str(agent.state))
            prices += [read["tokens"] for read in explained["reads"]]
            if agent.read(name, **fields):
                spoken[log.stem, name, explained["reads"][0]["bucket"]] += 1

    with capsys.disabled():
        print(
            f"\n{len(prices)} reads, {sum(prices):,} tokens, in {window_tokens:,}: {dict(spoken)}"
        )
    assert len(prices) > 30
    assert all(number == 1 for number in spoken.values())
    assert bool(spoken) == (times > 1)
