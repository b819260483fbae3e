"""The status line, as the client runs it."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from priced_context.launcher import write_launcher
from priced_context.statusline import joined


class Line:
    """An installed status line."""

    def __init__(self, state: Path):
        self.state = state
        self.program = write_launcher(state).with_name("statusline")

    def payload(self, used: int = 60_000, **fields) -> bytes:
        usage = {"input_tokens": used, "output_tokens": 0}
        known = {
            "session_id": "s1",
            "transcript_path": str(self.state / "none.jsonl"),
            "cwd": "/project",
            "workspace": {"project_dir": "/project"},
            "model": {"id": "claude-opus-4-6"},
            "context_window": {"context_window_size": 200_000, "current_usage": usage},
        }
        return json.dumps(known | fields).encode()

    def run(self, raw: bytes | None = None, **environment) -> bytes:
        done = subprocess.run(
            [self.program],
            input=self.payload() if raw is None else raw,
            env={"LANG": "C.UTF-8", "PATH": os.environ["PATH"]} | environment,
            capture_output=True,
            check=True,
        )
        assert done.stderr == b""
        return done.stdout

    def chain(self, command: str) -> None:
        (self.state / "chained").write_text(json.dumps(command))

    def window(self, session: str = "s1") -> dict:
        return json.loads((self.state / "sessions" / session / "window.json").read_text())


@pytest.fixture
def line(tmp_path):
    return Line(tmp_path / "state")


def test_one_short_segment(line):
    assert line.run().decode() == "⛁ 59% free · hold\n"


def test_below_40_percent_it_says_what_to_type(line):
    assert line.run(line.payload(150_000)).decode() == "⛁ 13% free · type /compact\n"


def test_a_terminal_without_utf8_gets_ascii(line):
    assert line.run(LC_ALL="C") == b"[ctx] 59% free - hold\n"


def test_it_keeps_the_window_and_learns_its_size(line):
    line.run()
    line.run()

    kept = line.window()
    assert (kept["window_tokens"], kept["used_tokens"], kept["source"]) == (
        200_000,
        60_000,
        "status-line",
    )
    assert abs(kept["written_ms"] - time.time() * 1000) < 60_000
    assert (line.state / "sizes").read_text() == "claude-opus-4-6\t200000\n"
    assert os.stat(line.state / "sizes").st_mode & 0o077 == 0


@pytest.mark.parametrize("output", ["mine", "mine\n", "two\nlines\n", "\x1b[31mred\n"])
def test_the_users_own_line_comes_first_and_unchanged(line, output):
    (line.state / "own").write_text(output)
    line.chain(f"cat {line.state}/own")

    said = line.run().decode()

    assert said.startswith(output.rstrip("\n"))
    assert said.rstrip().endswith("⛁ 59% free · hold")
    assert said.count("\n") == max(1, output.count("\n"))


def test_the_users_own_line_is_given_the_clients_json(line):
    line.chain("cat")

    raw = line.payload()

    assert line.run(raw).startswith(raw)


@pytest.mark.parametrize("command", ["exit 3", "/nowhere/line.sh", "kill -9 $$", "exec 1>&-"])
def test_its_failure_is_contained(line, command):
    line.chain(command)

    assert line.run().decode() == "⛁ 59% free · hold\n"


def test_one_that_hangs_is_ended_with_its_children(line):
    """The client would wait for it; what we keep is written before."""
    line.chain("sleep 77 & sleep 77")

    started = time.monotonic()
    said = line.run()

    assert said.decode() == "⛁ 59% free · hold\n"
    assert 4 < time.monotonic() - started < 20


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"[]", b"5", b"\xff", b'{"session_id": []}', b'{"model": 5}']
)
def test_whatever_comes_the_users_own_line_stands(line, raw):
    line.chain("echo mine")

    assert line.run(raw).startswith(b"mine")


def test_a_state_that_cannot_be_written_still_shows(line):
    (line.state / "sessions").write_text("not a folder")

    assert line.run().endswith("⛁ 89% free · hold\n".encode())


def test_old_sessions_are_removed_once_a_day(line):
    old = line.state / "sessions" / "old"
    old.mkdir(parents=True)
    (old / "told").touch()
    for path in (old / "told", old):
        os.utime(path, (1, 1))

    line.run()

    assert not old.exists()
    assert (line.state / "sessions" / "s1").exists()


def test_a_checkout_is_an_installation(line):
    """The executable in hooks/ finds the package beside it."""
    hook = Path(__file__).parent.parent / "hooks" / "statusline"

    done = subprocess.run([hook, line.state], input=line.payload(), capture_output=True, check=True)

    assert b"59% free" in done.stdout


def test_nothing_of_ours_changes_nothing():
    assert joined(b"mine\n", b"") == b"mine\n"
    assert joined(b"", b"") == b""
