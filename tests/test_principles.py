"""The seven principles, and the ideas that were rejected: a named test for each."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from priced_context.outlines.held import count
from priced_context.prices import LABELS, tag
from scene import code

LABEL = re.compile(r"(?<!\S)(<1k|~\d+k?\+?)(?=[ ·\n)]|$)")
WORDS_OF_PRICE = re.compile(r"\d[\d,]* tok")


@pytest.fixture
def tree(ctx):
    """Return a project in which 60 files use what one defines, and one is large."""
    ctx.write("core.py", "def engine():\n    return 1\n")
    ctx.write("mid.py", code(900))
    for n in range(60):
        ctx.write(
            f"parts/part_{n}.py", f"from core import engine\n\n\ndef part_{n}():\n    engine()\n"
        )
    return ctx


def test_p1_the_price_stands_on_the_menu_not_only_on_the_refusal(tree):
    """Before the choice: every line of a menu and of a map is priced."""
    menu = tree.out("stats", "repo:mid.py").splitlines()
    ranked = tree.out("map").splitlines()

    assert all(LABEL.search(line) for line in [*menu[:-1], *ranked[:-1]])


def test_p2_tokens_are_the_currency_and_the_window_the_exchange_rate(tree, agent):
    """No message weighs a file in bytes."""
    refusal = agent.reason("mid.py")
    spoken = [refusal, tree.out("stats", "repo:mid.py"), tree.run("get", "repo:mid.py").stderr]

    assert re.search(r"~\w+ tok \(~\d+% of window\)", refusal)
    assert re.search(r"~\w+ tok \(~\d+% of window\)", spoken[2])
    assert not re.search(r"\b\d+ ?(bytes|KB|KiB|kB)\b", " ".join(spoken))


def test_p3_a_price_is_a_bucket_that_does_not_flicker():
    """Byte-stable inside a bucket: the same words for 7,100 and for 14,100 tokens."""
    assert tag(7_100, 200_000) == tag(14_100, 200_000) == "~10k tok (~5% of window)"
    assert tag(7_000, 200_000) != tag(7_100, 200_000)


def test_p3_a_menu_does_not_change_with_a_word(tree):
    before = tree.out("stats", "repo:mid.py")

    tree.write("mid.py", code(900).replace("value", "other", 3))

    assert tree.out("stats", "repo:mid.py") == before


def test_p4_a_menu_keeps_the_structure_that_a_cut_would_lose(tree):
    """The last symbol of the file stands on the menu; a first page has lost it."""
    document = json.loads(tree.out("stats", "--json", "repo:mid.py"))
    last = document["symbols"][-1]

    menu = tree.out("stats", "repo:mid.py")

    assert str(last["last_line"]) in menu
    assert count(menu) * 12 < document["tokens"]


def test_p5_a_map_prices_survivors(tree):
    """Rank first: what few lines there are go to what the others use."""
    printed = tree.out("map", "--budget", "150")

    assert printed.splitlines()[1].startswith("core.py ")
    assert len(printed.splitlines()) < 10


def test_p6_text_of_ours_stands_in_tool_results_only(agent):
    """Nothing of ours in front of the conversation, where it would cost every turn."""
    answer = agent.read("mid.py")

    assert answer["hookEventName"] == "PreToolUse"
    assert set(answer) <= {
        "hookEventName", "permissionDecision", "permissionDecisionReason", "updatedInput",
        "additionalContext",
    }  # fmt: skip


def test_p7_a_session_that_reads_little_hears_nothing(agent):
    """Menus are affordances: nobody is told of them who does not need one."""
    for name in ("small.py", "six.py", "small.py"):
        assert agent.read(name) == {}
    assert agent.call("Bash", command="npm test") == {}
    assert agent.call("Write", file_path=str(agent.project / "new.py"), content="x") == {}


@pytest.mark.parametrize("budget", [200, 400, 1_000])
def test_rejected_flat_priced_inventories(ctx, budget):
    """A line for every file costs the reader more than it could save: only what ranks is there."""
    for n in range(299):
        ctx.write(f"parts/part_{n}.py", "from core import engine\n\nengine()\n")
    ctx.write("zz/core.py", "def engine():\n    return 1\n")

    printed = ctx.out("map", "--budget", str(budget))

    listed = [line.split()[0] for line in printed.splitlines() if line.split()[0].endswith(".py")]
    unranked = sorted(f"parts/part_{n}.py" for n in range(299))
    assert count(printed) <= budget
    assert 0 < len(listed) < 100
    assert listed[0] == "zz/core.py"  # all depend on it, though no alphabet puts it first
    assert set(listed[1:]) < set(unranked)
    for verb in ("stats", "get"):  # the verbs that price one file price no folder
        assert "is a directory" in ctx.trouble(verb, "repo:parts")


def test_rejected_prose_summaries(tree):
    """A menu quotes the file's own names; it does not tell what they are about."""
    tree.write(
        "told.py", '"""A long story about this module."""\n\n\ndef f():\n    """Do it well."""\n'
    )

    printed = tree.out("stats", "repo:told.py")

    assert "story" not in printed
    assert "well" not in printed


def test_rejected_exact_counts_in_messages(tree, agent):
    """Exact counts stay inside (`--json`): in words they change with every edit."""
    spoken = [
        agent.reason("mid.py"),
        tree.out("stats", "repo:mid.py"),
        tree.out("map"),
        tree.run("get", "repo:mid.py").stderr,
        tree.out("get", "repo:mid.py:1-3", "repo:mid.py:7-9"),
    ]

    for words in spoken:
        assert not WORDS_OF_PRICE.search(re.sub(r"[~<]\d+k?\+? tok", "", words)), words
    assert "~10k" in LABELS


EVENTS = {"PreToolUse", "PostToolUse", "PreCompact"}
"""What is registered, with every switch on: around a call and before a compaction."""


def test_rejected_metadata_of_the_repository_in_the_prefix(scratch):
    """Nothing of ours runs where a session or a prompt begins, and no file of memory is written."""
    settings = scratch.write_settings("{}")
    scratch.config.parent.mkdir(parents=True)
    scratch.config.write_text("cut_unpriced = true")
    (scratch.home / "CLAUDE.md").write_text("mine\n")

    assert scratch.ctx("install").returncode == 0

    registered = json.loads(settings.read_text())
    assert set(registered["hooks"]) == EVENTS
    assert not {"outputStyle", "systemPrompt", "appendSystemPrompt"} & set(registered)
    assert (scratch.home / "CLAUDE.md").read_text() == "mine\n"
    ours = [f for f in scratch.files() if f.startswith("home/") and f.endswith(".md")]
    assert [Path(file).name for file in ours if "/commands/" not in file] == ["CLAUDE.md"]


def test_rejected_a_session_without_large_reads_gets_no_byte_from_us(scratch, agent):
    """The installed hooks, as the client runs them, on every call of an ordinary session."""
    settings = scratch.write_settings("{}")
    scratch.config.parent.mkdir(parents=True)
    scratch.config.write_text("cut_unpriced = true")
    assert scratch.ctx("install").returncode == 0
    hooks = json.loads(settings.read_text())["hooks"]
    calls = [
        ("Read", {"file_path": str(agent.project / "small.py")}, "1\\timport os"),
        ("Read", {"file_path": str(agent.project / "six.py")}, "1\\timport os"),
        ("Bash", {"command": "npm test"}, {"stdout": "ok", "stderr": ""}),
        ("Bash", {"command": "head -3 small.py"}, {"stdout": "item = 1", "stderr": ""}),
        ("Grep", {"pattern": "item"}, "small.py"),
        ("Write", {"file_path": str(agent.project / "new.py"), "content": "x"}, "done"),
        ("mcp__fs__read_file", {"path": "/elsewhere/a.py"}, [{"type": "text", "text": "short"}]),
    ]

    def heard(event: str, tool: str, tool_input: dict, response: object) -> list[bytes]:
        payload = json.loads(agent.payload(tool, **tool_input)) | {"hook_event_name": event}
        if event == "PostToolUse":
            payload |= {"tool_response": response, "tool_use_id": "toolu_1"}
        return [
            subprocess.run(
                ["sh", "-c", hook["command"]],
                input=json.dumps(payload).encode(),
                env=scratch.environment,
                cwd=agent.project,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=True,
            ).stdout
            for group in hooks[event]
            if re.fullmatch(group["matcher"], tool)
            for hook in group["hooks"]
        ]

    said = [heard(event, *call) for event in ("PreToolUse", "PostToolUse") for call in calls]

    assert sum(map(len, said)) >= len(calls)  # hooks did run
    assert not any(words for answers in said for words in answers)
    large = {"file_path": str(agent.project / "big.py")}
    assert all(heard("PreToolUse", "Read", large, ""))  # and would have spoken


def test_rejected_outlines_pushed_at_sessions_that_did_not_ask(agent):
    """A refusal offers; it does not contain the menu."""
    reason = agent.reason("mid.py")

    assert reason
    assert "\n" not in reason
    assert count(reason) < 200
