"""A project with files of known price, and an agent that makes calls in it."""

import json
import os
import subprocess
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from priced_context import gate
from priced_context.wire import decode_call
from scratch import run_ctx

HOOK = Path(__file__).parent.parent / "hooks" / "pretooluse"


NO_FILES: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "folder": Path.mkdir,
    "link to itself": lambda path: path.symlink_to(path),
}
"""What may stand where a file should, and how it gets there."""


def run(raw: bytes, state: Path, hook: Path = HOOK, **options) -> subprocess.CompletedProcess:
    """Return how the real executable ended, with *raw* on its stdin."""
    return subprocess.run(
        [hook, str(state)], input=raw, capture_output=True, check=False, **options
    )


class Agent:
    """One agent of one session, calling the guard in this process."""

    def __init__(self, project: Path, state: Path, session_id: str = "s1", agent_id: str = ""):
        self.project = project
        self.state = state
        self.session_id = session_id
        self.agent_id = agent_id
        self.transcript = project.parent / f"{session_id}.jsonl"

    def payload(self, tool: str, **tool_input: Any) -> bytes:
        """Return what the client would put on the hook's stdin."""
        fields = {
            "session_id": self.session_id,
            "transcript_path": str(self.transcript),
            "cwd": str(self.project),
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": tool_input,
        }
        return json.dumps(fields | ({"agent_id": self.agent_id} if self.agent_id else {})).encode()

    def call(self, tool: str, **tool_input: Any) -> dict[str, Any]:
        """Return the guard's answer to one call, {} where it says nothing."""
        return self.answer(json.loads(self.payload(tool, **tool_input)))

    def answer(self, payload: dict[str, Any]) -> dict[str, Any]:
        """Return the guard's answer to a payload, {} where it says nothing."""
        answer = gate.answer(decode_call(json.dumps(payload).encode()), str(self.state))
        return json.loads(answer)["hookSpecificOutput"] if answer else {}

    def read(self, path: Path | str, **tool_input: Any) -> dict[str, Any]:
        return self.call("Read", file_path=str(self.project / path), **tool_input)

    def payload_of_read(self, path: Path | str, **tool_input: Any) -> bytes:
        return self.payload("Read", file_path=str(self.project / path), **tool_input)

    def reason(self, path: Path | str, **tool_input: Any) -> str:
        """Return why a Read was refused; "" where it was not."""
        return self.read(path, **tool_input).get("permissionDecisionReason", "")

    def compacts(self, used_tokens: int) -> None:
        """Write to the session's log that it was compacted just now, after all it was told."""
        time.sleep(0.002)
        at = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"
        boundary = {
            "type": "system",
            "subtype": "compact_boundary",
            "timestamp": at,
            "compactMetadata": {"trigger": "auto", "postTokens": used_tokens},
        }
        lines = [response("claude-opus-4-6", used_tokens), boundary]
        self.transcript.write_text("".join(json.dumps(line) + "\n" for line in lines))

    def knows_window(self, tokens: int, used: int, model: str = "claude-opus-4-6") -> None:
        """Write what a status line would have written."""
        folder = self.state / "sessions" / self.session_id
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "window.json").write_text(
            json.dumps(
                {
                    "version": 1,
                    "session_id": self.session_id,
                    "model": model,
                    "window_tokens": tokens,
                    "used_tokens": used,
                    "written_ms": 1,
                    "source": "status-line",
                }
            )
        )


def code(lines: int) -> str:
    """Return source of 34 bytes and about 11 tokens a line, on opus-4-6."""
    return "item = margin_of(price, discount)\n" * lines


def log(lines: int) -> str:
    """Return a log of about 49 bytes and 26 tokens a line."""
    return "".join(
        f"2026-01-01T10:{i % 60:02}:07 INFO request {i} took {i % 97} ms\n" for i in range(lines)
    )


def response(model: str, used: int) -> dict:
    """Return an assistant line of a session's log."""
    return {
        "type": "assistant",
        "isSidechain": False,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "version": "2.1.332",
        "message": {"model": model, "usage": {"input_tokens": used, "output_tokens": 0}},
    }


class Ctx:
    """The real `ctx` in a process of its own, with a home of its own."""

    def __init__(self, project: Path, home: Path):
        self.project = project
        self.home = home
        self.settings = home / ".claude" / "settings.json"

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def deny(self, *rules: str, settings: Path | None = None) -> None:
        """Write the client's settings: the user's, or those in *settings*."""
        path = settings or self.settings
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"permissions": {"deny": list(rules)}}))

    def run(self, *words: str, cwd: Path | None = None, **environment: str):
        """Return the finished process: `.returncode`, `.stdout`, `.stderr`."""
        own = {"HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        return run_ctx(*words, cwd=cwd or self.project, environment=own | environment)

    def out(self, *words: str, **environment: str) -> str:
        """Return what a verb that succeeds prints."""
        done = self.run(*words, **environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def trouble(self, *words: str, **environment: str) -> str:
        """Return the one sentence of a verb that does not; it prints nothing else."""
        done = self.run(*words, **environment)
        assert (done.returncode, done.stdout) == (1, ""), done
        assert done.stderr.startswith("ctx: "), done.stderr
        assert done.stderr.count("\n") == 1, done.stderr
        return done.stderr
