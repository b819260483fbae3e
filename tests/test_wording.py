"""Every form of what the model reads, held to a golden file."""

import pytest

from priced_context.wording import counted
from scene import Agent, code, log

# name: (window tokens, used tokens, or None where it is not known; the calls; the last one counts)
CASES = {
    "whole": (200_000, 0, ["mid.py"]),
    "whole, large window": (1_000_000, 0, ["big.py"]),
    "whole, window unknown": (None, None, ["mid.py"]),
    "a page of it": (200_000, 0, ["big.py"]),
    "all of it, caps lifted": (200_000, 0, [("big.py", {"allow_large": True})]),
    "a range": (200_000, 0, [("big.py", {"offset": 101, "limit": 900})]),
    "from a line on": (200_000, 0, [("mid.py", {"offset": 101})]),
    "ranges that add up": (
        200_000, 0, [("big.py", {"offset": n, "limit": 300}) for n in (1, 301)],
    ),
    "no room": (200_000, 165_000, ["big.py"]),
    "a compaction": (200_000, 160_000, ["mid.py"]),
    "endless lines": (200_000, 0, ["one.txt"]),
    "a long and hostile name": (200_000, 0, [("sub/\n" + "x" * 240 + ".py", {})]),
    "outside the working folder": (200_000, 0, ["../outside.py"]),
    "a log": (200_000, 0, ["app.log"]),
    "a log over the cap": (200_000, 0, ["large.log"]),
    "a range of a log": (200_000, 0, [("app.log", {"offset": 300, "limit": 400})]),
}  # fmt: skip


@pytest.fixture
def words(agent: Agent):
    """Return a function that gives the answer to a case as the model reads it."""
    (agent.project / "one.txt").write_text("word " * 9_000)
    (agent.project / "large.log").write_text(log(4_000))
    (agent.project.parent / "outside.py").write_text(code(900))
    (agent.project / "sub").mkdir()
    (agent.project / "sub" / ("\n" + "x" * 240 + ".py")).write_text(code(900))

    def answer(window_tokens, used_tokens, calls) -> str:
        if window_tokens is None:
            agent.transcript.write_text("x" * 400_000)
            (agent.state / "sessions" / "s1" / "window.json").unlink()
        else:
            agent.knows_window(window_tokens, used_tokens)
        for call in calls:
            name, fields = call if isinstance(call, tuple) else (call, {})
            said = agent.read(name, **fields)
        text = said.get("permissionDecisionReason") or said["additionalContext"]
        return text.replace(str(agent.project.parent), "/home/u")

    return answer


@pytest.mark.parametrize("name", CASES)
def test_the_words_are_these(golden, words, name):
    """A changed word is a visible diff."""
    text = words(*CASES[name])

    golden(f"words/{name.replace(' ', '-').replace(',', '')}.txt", text + "\n")


def test_one_thing_is_not_several():
    assert [counted(number, "line") for number in (0, 1, 1_200)] == [
        "0 lines",
        "1 line",
        "1,200 lines",
    ]


def test_the_last_line_is_one(agent: Agent):
    (agent.project / "one.txt").write_text("word " * 5_000)
    agent.knows_window(200_000, 150_000)

    answer = agent.call("Bash", command="tail -n 1 one.txt")

    assert "one.txt (last 1 line) is" in answer["permissionDecisionReason"]
