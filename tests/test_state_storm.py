"""Many sessions write their state at once and are killed at random."""

import contextlib
import json
import os
import random
import subprocess
import time
from pathlib import Path

from priced_context.launcher import write_launcher
from priced_context.windowfile import load_window_file

SESSIONS = 64
SECONDS = float(os.environ.get("CTX_STORM_SECONDS", "4"))
"""The long run: CTX_STORM_SECONDS=30."""
WIDTH = 12
"""Processes that run at the same time."""


def payload(session: str, used: int) -> bytes:
    return json.dumps(
        {
            "session_id": session,
            "transcript_path": "/nowhere.jsonl",
            "cwd": f"/{session}",
            "model": {"id": f"claude-opus-4-6-{session}"},
            "context_window": {
                "context_window_size": 200_000,
                "current_usage": {"input_tokens": used},
            },
        }
    ).encode()


def start(program: Path, session: str, used: int) -> subprocess.Popen:
    running = subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    with contextlib.suppress(BrokenPipeError), running.stdin as stdin:
        stdin.write(payload(session, used))
    return running


def test_no_file_is_torn_none_is_lost_and_no_session_sees_another(tmp_path):
    """A status line is stopped by the client whenever the next one is due."""
    program = write_launcher(tmp_path).with_name("statusline")
    dice = random.Random(7)
    acknowledged: dict[str, int] = {}
    waiting: list[tuple[subprocess.Popen, str, int]] = []
    used = 0
    end = time.monotonic() + SECONDS
    while time.monotonic() < end or waiting:
        if len(waiting) < WIDTH and time.monotonic() < end:
            used += 1
            session = f"s{used % SESSIONS}"
            waiting.append((start(program, session, used), session, used))
            if dice.random() < 0.4:
                time.sleep(dice.random() * 0.03)
                waiting[-1][0].kill()
            continue
        running, session, number = waiting.pop(0)
        if running.wait() == 0:
            acknowledged[session] = max(acknowledged.get(session, 0), number)
        window = tmp_path / "sessions" / session / "window.json"
        if window.exists():
            found = load_window_file(window)  # torn or foreign: it raises
            assert found.session_id == session
            assert found.used_tokens % SESSIONS == int(session[1:])

    for session, number in acknowledged.items():
        found = load_window_file(tmp_path / "sessions" / session / "window.json")
        assert found.used_tokens >= number
    for row in (tmp_path / "sizes").read_text().splitlines():
        assert row.endswith("\t200000")
