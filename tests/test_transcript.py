"""A session's log, read into turns."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from priced_context.console import Trouble
from priced_context.transcript import Log, Turn, shown_by_read
from priced_context.window import last_usage
from scene import code
from session_log import Logbook, numbered


def turns_of(path: Path) -> list[Turn]:
    return list(Log(path))


@pytest.fixture
def logbook(tmp_path) -> Logbook:
    return Logbook(tmp_path / "s1.jsonl")


def test_the_lines_of_one_response_are_one_turn(logbook):
    """The same usage stands on every line of a response: added, it would count three times."""
    logbook.says()
    logbook.respond(("Read", {"file_path": "/a"}), ("Read", {"file_path": "/b"}))

    (turn,) = turns_of(logbook.path)

    assert (turn.input_tokens, turn.output_tokens, len(turn.calls)) == (20_000, 90, 2)
    assert turn.is_complete


def test_a_result_between_the_lines_of_a_response_belongs_to_it(logbook):
    """The client runs a call while the model still writes the next one."""
    first, second = logbook.respond(("Read", {"file_path": "/a"}), ("Read", {"file_path": "/b"}))
    lines = logbook.path.read_text().splitlines(keepends=True)
    logbook.path.write_text("".join(lines[:-1]))
    logbook.show(first, "1\tone")
    with logbook.path.open("a") as file:
        file.write(lines[-1])
    logbook.show(second, "1\ttwo")
    logbook.respond()

    turn = turns_of(logbook.path)[0]

    assert [call.text for call in turn.calls] == ["1\tone", "1\ttwo"]
    assert not turn.has_other_input


def test_a_turn_knows_what_the_next_request_was_billed(logbook):
    logbook.read("a.py", code(10))
    billed = logbook.used
    logbook.respond()

    turn = turns_of(logbook.path)[0]

    assert turn.next_input_tokens == billed


def test_another_models_bill_says_nothing(logbook):
    """Its tokens are others."""
    logbook.read("a.py", code(10))
    logbook.model = "claude-haiku-4-5"
    logbook.respond()

    turn = turns_of(logbook.path)[0]

    assert turn.next_input_tokens is None


def test_a_prompt_is_other_input(logbook):
    logbook.read("a.py", code(10))
    logbook.says()
    logbook.respond()

    assert turns_of(logbook.path)[0].has_other_input


def test_a_reminder_is_kept_apart_from_other_input(logbook):
    """It comes with many turns, and its tokens can be counted off."""
    logbook.read("a.py", code(10))
    logbook.line(
        "attachment",
        attachment={"type": "task_reminder", "content": []},
        rendered=[{"content": "<system-reminder>tasks</system-reminder>"}],
    )

    (turn,) = turns_of(logbook.path)

    assert turn.reminders == ["<system-reminder>tasks</system-reminder>"]
    assert not turn.has_other_input


def test_a_mentioned_file_is_other_input(logbook):
    logbook.read("a.py", code(10))
    logbook.line("attachment", attachment={"type": "file", "filename": "/a"})

    assert turns_of(logbook.path)[0].has_other_input


def test_hooks_that_printed_are_seen(logbook):
    logbook.read("a.py", code(10))
    attachment = {"type": "hook_success", "command": "/x/launch", "durationMs": 12, "content": ""}
    logbook.line("attachment", attachment=attachment | {"toolUseID": "call1", "stdout": "{}"})

    (turn,) = turns_of(logbook.path)

    assert [(hook.command, hook.duration_ms) for hook in turn.hooks] == [("/x/launch", 12)]
    assert not turn.has_other_input


def test_a_compaction_ends_what_was_known(logbook):
    logbook.read("a.py", code(10))
    logbook.compact(left=9_000)
    logbook.respond()

    before, after = turns_of(logbook.path)

    assert before.compacted_ms > 0
    assert after.belief.used_tokens == 9_000


def test_a_subagents_report_is_its_own_turn(logbook):
    """Older clients report a subagent's messages inside its parent's log."""
    inner = Logbook(logbook.path.with_name("inner.jsonl"))
    inner.read("a.py", code(10))
    inner.respond()
    logbook.respond()
    for raw in inner.path.read_text().splitlines():
        message = {"type": "agent_progress", "agentId": "a1", "message": json.loads(raw)}
        logbook.line("progress", data=message)

    turns = turns_of(logbook.path)

    assert sorted((turn.agent_id, len(turn.calls)) for turn in turns) == [
        ("", 0),
        ("a1", 0),
        ("a1", 1),
    ]


def test_a_subagent_with_its_own_log_is_not_read_twice(logbook):
    Logbook(logbook.path.with_suffix("") / "subagents" / "agent-a1.jsonl", agent_id="a1").respond()
    logbook.respond()
    message = json.loads(logbook.path.read_text().splitlines()[0])
    report = {"type": "agent_progress", "agentId": "a1", "message": message}
    logbook.line("progress", data=report)

    assert [turn.agent_id for turn in turns_of(logbook.path)] == [""]


@pytest.mark.parametrize(
    "torn",
    [
        pytest.param(b'{"type":"assist', id="torn"),
        pytest.param(b"\x00\xff\xfe", id="binary"),
        pytest.param(b"[1,2]", id="another shape"),
        pytest.param(b'{"type":"assistant","message":[]}', id="another message"),
        pytest.param(b'{"type":7}', id="another type"),
        pytest.param(b"[" * 100_000, id="deep"),
        pytest.param(b'{"type":"user","message":{"content":[{"type":"tool_result"}]}}', id="bare"),
        pytest.param(b"", id="blank"),
    ],
)
def test_a_strange_line_costs_only_itself(logbook, torn):
    logbook.read("a.py", code(10))
    with logbook.path.open("ab") as file:
        file.write(torn + b"\n")
    logbook.respond()

    assert len(turns_of(logbook.path)) == 2


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"", "the file is empty", id="empty"),
        pytest.param(b"hello\n", "line 1 is no JSON of one", id="no JSON"),
        pytest.param(b"\x7fELF\x00\x00", "line 1 is no JSON of one", id="binary"),
        pytest.param(b'{"a": 1}\n', "line 1 is no JSON of one", id="other JSON"),
    ],
)
def test_what_is_no_log_is_named(tmp_path, content, words):
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)

    with pytest.raises(Trouble, match=words) as trouble:
        turns_of(path)

    assert str(path) in str(trouble.value)


def test_a_read_is_taken_apart():
    shown = shown_by_read("  9→one\n 10→\n\n<system-reminder>be good</system-reminder>")

    assert (shown.text, shown.first_line, shown.last_line) == ("one\n", 9, 10)
    assert (shown.prefix, shown.appended) == (
        "arrow6",
        "<system-reminder>be good</system-reminder>",
    )


def test_a_line_of_a_file_may_look_like_a_number():
    shown = shown_by_read(numbered("7\tseven\n3→x", 5))

    assert shown.text == "7\tseven\n3→x"


def logs(shared: Path) -> list[Path]:
    found = sorted((shared / "data" / "transcripts").rglob("*.jsonl"))
    return [*found, shared / "facts" / "claude-code" / "transcript-sample.jsonl"]


def test_it_believes_what_the_hook_believes(shared, tmp_path):
    """The hot path reads the log's tail, this reads all of it: one truth, at any moment."""
    part = tmp_path / "part.jsonl"
    for path in logs(shared):
        lines = path.read_bytes().splitlines(keepends=True)
        agent_id = path.stem.removeprefix("agent-") if path.stem.startswith("agent-") else ""
        for end in range(1, len(lines), 97):
            part.write_bytes(b"".join(lines[:end]))
            log = Log(part)
            list(log)
            whole, tail = log.belief(agent_id), last_usage(str(part), agent_id)

            assert (whole.model, whole.used_tokens) == (tail.model, tail.used_tokens), (path, end)
            assert (whole.at_ms, whole.compacted_ms) == (tail.at_ms, tail.compacted_ms)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to see the peak")
def test_a_large_log_needs_little_memory(tmp_path):
    """100 MB are streamed, never held."""
    logbook = Logbook(tmp_path / "large.jsonl")
    logbook.read("a.py", code(3000))
    block = logbook.path.read_text()
    with logbook.path.open("w") as file:
        for n in range(100_000_000 // len(block) + 1):
            file.write(block.replace("msg1", f"msg{n}"))
    program = (
        "import sys; from priced_context.cli import main\n"
        f"sys.argv = ['ctx', 'replay', '--json', {str(logbook.path)!r}]\n"
        "main(); print(open('/proc/self/status').read(), file=sys.stderr)"
    )

    ran = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)

    peak_kib = int(ran.stderr.partition(b"VmHWM:")[2].split()[0])
    assert peak_kib < 150 * 1024
