"""Runs the registered hook as the client does, to see what it answers and how soon."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from priced_context.console import Trouble
from priced_context.files import read_small
from priced_context.folders import client_folder, state_folder
from priced_context.launcher import write_launcher
from priced_context.registration import (
    COMPACT_EVENT,
    EVENT,
    PRECOMPACT,
    TIMEOUT_SECONDS,
    group_for,
)

# A real file that every Python has, long enough to be refused (56 KB) and under the client's cap.
LONG_FILE = shutil.__file__

# The client's own default for a hook that names no timeout.
CLIENT_TIMEOUT_SECONDS = 600


class Answer(NamedTuple):
    """What one run of a hook gave."""

    exit_code: int
    stdout: str
    stderr: str
    took_ms: float

    @property
    def is_silent_pass(self) -> bool:
        return self.exit_code == 0 and not self.stdout and not self.stderr

    @property
    def reason(self) -> str:
        """The words of a refusal, or "" where the answer is none."""
        try:
            return str(json.loads(self.stdout)["hookSpecificOutput"]["permissionDecisionReason"])
        except (ValueError, KeyError, TypeError):
            return ""


def read_call(path: str) -> dict[str, Any]:
    """Return what the client would say of a whole Read of *path* in a new session."""
    return {
        "session_id": "probe",
        "transcript_path": str(client_folder() / "projects" / "-probe" / "probe.jsonl"),
        "cwd": os.getcwd(),
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Read",
        "tool_input": {"file_path": path},
        "tool_use_id": "toolu_probe",
    }


def ask(
    hook: dict[str, Any], call: dict[str, Any], environment: dict[str, str] | None = None
) -> Answer:
    """Spawn one command hook of the settings for one call. Never raises OSError."""
    command, arguments = hook["command"], hook.get("args")
    argv = [command, *arguments] if isinstance(arguments, list) else ["/bin/sh", "-c", command]
    started = time.perf_counter()
    try:
        done = subprocess.run(
            argv,
            input=json.dumps(call) + "\n",
            env=environment,
            capture_output=True,
            text=True,
            timeout=hook.get("timeout", CLIENT_TIMEOUT_SECONDS),
            check=False,
        )
        code, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        code, out, err = -15, "", f"no answer within {hook.get('timeout')} seconds"
    except OSError as error:
        code, out, err = 127, "", f"{command}: {error.strerror}"
    return Answer(code, out, err.strip(), (time.perf_counter() - started) * 1000)


def refusal() -> str:
    """Return what a new session is told when it would Read LONG_FILE whole; nothing is remembered.

    Raises:
        Trouble: the hook gave no refusal.
    """
    with tempfile.TemporaryDirectory(dir=state_folder(), prefix="probe-") as scratch:
        launcher = write_launcher(Path(scratch))
        hook = group_for(EVENT, str(launcher))["hooks"][0]
        # nothing of the caller's environment: a limit or CTX_OFF there is not what is shown
        answer = ask(hook, read_call(LONG_FILE), environment={})
    if not answer.reason:
        said = answer.stderr or answer.stdout or f"nothing, in {TIMEOUT_SECONDS} seconds at most"
        raise Trouble(f"the hook let a long Read through; it said: {said}")
    return answer.reason


# A session that has used 60,000 tokens of a window of 200,000.
SESSION = {
    "type": "assistant",
    "uuid": "probe",
    "timestamp": "2026-01-01T00:00:00.000Z",
    "message": {
        "id": "msg_probe",
        "role": "assistant",
        "model": "claude-opus-4-6",
        "content": [{"type": "text", "text": "ready"}],
        "usage": {"input_tokens": 60_000, "output_tokens": 0},
    },
}


def hold() -> str:
    """Return what a user is told who compacts with most of the window free; nothing is remembered.

    Raises:
        Trouble: the hook let it through.
    """
    with tempfile.TemporaryDirectory(dir=state_folder(), prefix="probe-") as scratch:
        write_launcher(Path(scratch))
        log = Path(scratch) / "probe.jsonl"
        log.write_text(json.dumps(SESSION) + "\n")
        question = {
            "session_id": "probe",
            "transcript_path": str(log),
            "cwd": scratch,
            "hook_event_name": "PreCompact",
            "trigger": "manual",
            "custom_instructions": None,
        }
        hook = group_for(COMPACT_EVENT, f"{scratch}/{PRECOMPACT}")["hooks"][0]
        answer = ask(hook, question, environment={})
        failures = read_small(f"{scratch}/log").decode("utf-8", "replace")
    try:
        return str(json.loads(answer.stdout)["reason"])
    except (ValueError, KeyError, TypeError):
        said = answer.stderr or answer.stdout or failures.strip() or "nothing"
        raise Trouble(f"the hook let a compaction through; it said: {said}") from None
