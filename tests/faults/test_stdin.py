"""The client's pipes misbehave: the hook is never held up, and holds nobody up."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from scene import HOOK, Agent, run


@contextmanager
def started(agent: Agent) -> Iterator[subprocess.Popen]:
    """Start a hook whose stdin stays open until the block ends."""
    with subprocess.Popen(
        [HOOK, agent.state], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as hook:
        yield hook


def send(hook: subprocess.Popen, piece: bytes) -> None:
    hook.stdin.write(piece)
    hook.stdin.flush()


def is_deny(answer: bytes) -> bool:
    return json.loads(answer)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_stdin_that_is_never_closed_is_answered(agent: Agent):
    """One object is one call, with a newline after it or without."""
    for ending in (b"", b"\n"):
        with started(Agent(agent.project, agent.state, f"s{len(ending)}")) as hook:
            payload = agent.payload_of_read("mid.py").replace(b'"s1"', b'"t%d"' % len(ending))
            send(hook, payload + ending)

            assert hook.wait(timeout=1.9) == 0
            assert is_deny(hook.stdout.read())


def test_a_call_in_many_pieces_is_one_call(agent: Agent):
    """A piece may end in a brace that does not end the object."""
    payload = agent.payload("Read", file_path=f"{agent.project}/mid.py", extra={"a": {"b": "}"}})
    with started(agent) as hook:
        for start in range(0, len(payload), 7):
            send(hook, payload[start : start + 7])
            time.sleep(0.001)

        assert hook.wait(timeout=1.9) == 0
        assert is_deny(hook.stdout.read())


@pytest.mark.parametrize("sent", [b"", b'{"tool_name": "Read", ', b"{} "])
def test_what_never_becomes_a_call_passes_after_two_seconds(agent: Agent, sent):
    """The client would wait five seconds, and the agent with it."""
    with started(agent) as hook:
        send(hook, sent)

        assert hook.wait(timeout=4) == 0
        assert (hook.stdout.read(), hook.stderr.read()) == (b"", b"")
    assert b"OverdueError: no answer within 2 s" in (agent.state / "log").read_bytes()


def test_stopped_and_woken_it_carries_on(agent: Agent):
    """A signal in the middle of a read is not the end of the input."""
    payload = agent.payload_of_read("mid.py")
    with started(agent) as hook:
        for half in (payload[:80], payload[80:]):
            for number in (signal.SIGSTOP, signal.SIGCONT, signal.SIGWINCH, signal.SIGCHLD):
                time.sleep(0.02)
                os.kill(hook.pid, number)
            send(hook, half)

        assert hook.wait(timeout=4) == 0
        assert is_deny(hook.stdout.read())


def test_a_client_that_went_away_leaves_no_error(agent: Agent):
    """Nobody reads the answer; nobody wants to hear of it."""
    read_end, write_end = os.pipe()
    os.close(read_end)

    done = subprocess.run(
        [HOOK, agent.state],
        input=agent.payload_of_read("mid.py"),
        stdout=write_end,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write_end)

    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"])
def test_streams_that_are_not_open(agent: Agent, closed):
    """And no file of ours takes their place: a log line must not become an answer."""
    payload = agent.state / "payload"
    payload.write_bytes(agent.payload_of_read("mid.py"))
    script = f'exec "$0" "$1" <"$2" {closed}'

    done = subprocess.run(
        ["sh", "-c", script, HOOK, agent.state, payload], capture_output=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"" or is_deny(done.stdout)
    assert payload.read_bytes() == agent.payload_of_read("mid.py")


def test_a_huge_environment(agent: Agent):
    """Up to what the kernel passes on: 128 KiB a variable."""
    environment = {f"V{number}": "x" * 100_000 for number in range(15)} | {"PATH": os.defpath}

    assert is_deny(run(agent.payload_of_read("mid.py"), agent.state, env=environment).stdout)


@pytest.mark.parametrize("value", ["", "x", "-1", "0", "9" * 500, "1e9", "٣", "\udcff", " 1"])
def test_a_variable_that_is_no_number_counts_for_nothing(agent: Agent, monkeypatch, value):
    """The client reads the same ones, and forgives."""
    usual = agent.reason("mid.py")
    for name in (
        "CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS",
        "BASH_MAX_OUTPUT_LENGTH",
        "CLAUDE_CODE_AUTO_COMPACT_WINDOW",
        "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
        "CLAUDE_PROJECT_DIR",
    ):
        monkeypatch.setenv(name, value)

    other = Agent(agent.project, agent.state, "s2")
    other.knows_window(200_000, 0)
    assert other.reason("mid.py") == usual
