"""`ctx box`: printed once, and followed in a terminal."""

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

import pytest

from scratch import CTX
from session_log import SessionLog


@pytest.fixture
def log(scratch):
    """Return the log of session s1, in the client's folder of the scratch home."""
    log = SessionLog(scratch.home / ".claude" / "projects" / "-p" / "s1.jsonl")
    log.says("go")
    log.answers(58_000)
    log.answers(60_000)
    return log


@pytest.mark.usefixtures("log")
def test_it_shows_ledger_headroom_threshold_and_decision(scratch, golden):
    done = scratch.ctx("box", COLUMNS="80")

    assert done.returncode == 0, done.stderr
    golden("words/box.txt", done.stdout)


def test_below_40_percent_it_says_what_to_type(scratch, log):
    log.answers(150_000)

    said = scratch.ctx("box").stdout

    assert "eligible for compaction" in said
    assert "type /compact" in said


def test_it_says_where_a_hold_would_not_be(scratch, log):
    log.fails()

    assert "go through all the same: the API refused" in scratch.ctx("box", COLUMNS="120").stdout


def test_a_session_is_named_by_its_id(scratch, log):
    other = SessionLog(log.path.with_name("s2.jsonl"))
    other.says("go")
    other.answers(7_777)

    assert "60,000" in scratch.ctx("box", "--session", "s1").stdout
    assert "7,777" in scratch.ctx("box", "--session", "s2").stdout
    assert "7,777" in scratch.ctx("box", CLAUDE_CODE_SESSION_ID="s2").stdout


def test_a_subagent_is_named_as_its_state_is(scratch, log):
    sub = SessionLog(log.path.with_suffix("") / "subagents" / "agent-a1.jsonl", agent_id="a1")
    sub.says("look")
    sub.answers(3_210)

    assert "3,210" in scratch.ctx("box", "--session", "s1.a1").stdout


@pytest.mark.parametrize("verb", ["box", "replay", "calibrate", "report", "budget --session"])
def test_before_the_first_session_it_is_said_in_one_sentence(scratch, verb):
    done = scratch.ctx(*verb.split())

    projects = scratch.home / ".claude" / "projects"
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"ctx: no session is logged in {projects} yet\n"


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--session", "nobody"], "no log of session nobody"),
        (["--session", "../x"], "is not a session's id"),
        (["--watch"], "needs a terminal: leave out --watch"),
    ],
)
def test_trouble_is_one_sentence(scratch, arguments, what):
    done = scratch.ctx("box", *arguments)

    assert done.returncode == 1
    assert what in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize("verb", ["dump", "budget"])
def test_the_session_is_a_request_like_any_other(scratch, verb):
    done = scratch.ctx(verb, *(["--json"] if verb == "budget" else []), "--session")

    found = json.loads(done.stdout)
    budget = found if verb == "budget" else found["budget"]
    assert budget["totalInputTokens"] == 60_000
    if verb == "dump":
        assert sum(row["tokens"] for row in found["rows"]) == 60_000
        assert found["compaction"].startswith("compaction held")
        assert found["counter"].startswith("the last bill (total), ")


@pytest.mark.usefixtures("log")
def test_two_dumps_of_one_state_are_the_same_bytes(scratch):
    """So that a diff of two shows what happened in between."""
    assert scratch.ctx("dump", "--session").stdout == scratch.ctx("dump", "--session").stdout


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize("arguments", [[], ["--session", "s1", "request.json"]])
def test_a_dump_needs_files_or_a_session(scratch, arguments):
    done = scratch.ctx("dump", *arguments[2:], *arguments[:2])

    assert done.returncode == 1
    assert "either" in done.stderr


class Terminal:
    """A pseudo-terminal in which `ctx box --watch` runs."""

    def __init__(self, scratch):
        self.leader, follower = pty.openpty()
        self.resize(30, 90)
        self.running = subprocess.Popen(
            [CTX, "box", "--watch"],
            stdin=follower,
            stdout=follower,
            stderr=follower,
            env=scratch.environment | {"TERM": "xterm-256color"},
            cwd=scratch.home,
            start_new_session=True,
        )
        os.close(follower)
        self.seen = ""

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.leader, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def shows(self, text: str) -> bool:
        """Wait until *text* has come since the last look."""
        deadline = time.monotonic() + 15
        while text not in self.seen and time.monotonic() < deadline:
            if select.select([self.leader], [], [], 0.2)[0]:
                try:
                    piece = os.read(self.leader, 1 << 16).decode("utf-8", "replace")
                except OSError:  # the program has gone
                    break
                self.seen += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", piece)
        is_there = text in self.seen
        self.seen = self.seen.rpartition(text)[2]
        return is_there

    def types(self, keys: bytes) -> None:
        os.write(self.leader, keys)


def test_it_follows_the_session_and_quits_on_q(scratch, log):
    """A change of the log or of the terminal's size is drawn; the terminal is left as it was."""
    terminal = Terminal(scratch)
    before = termios.tcgetattr(terminal.leader)
    assert terminal.shows("60,000")

    log.answers(71_234)
    assert terminal.shows("71,234")

    terminal.resize(24, 60)
    assert terminal.shows("71,234")

    terminal.types(b"q")
    assert terminal.running.wait(timeout=15) == 0
    assert termios.tcgetattr(terminal.leader)[3] == before[3] | (termios.ICANON | termios.ECHO)
    os.close(terminal.leader)
