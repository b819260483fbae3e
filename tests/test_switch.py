"""`ctx off` and `ctx on`, seen from the hook."""

import json
import shutil
import subprocess

import pytest


@pytest.fixture
def guarded(scratch):
    """Return whether a long Read in a session is refused; a new session each time."""
    assert scratch.ctx("install").returncode == 0

    def is_refused(session_id: str) -> bool:
        call = {
            "session_id": session_id,
            "transcript_path": "/nowhere.jsonl",
            "cwd": "/",
            "hook_event_name": "PreToolUse",
            "tool_name": "Read",
            "tool_input": {"file_path": shutil.__file__},
        }
        done = subprocess.run(
            [scratch.launcher],
            input=json.dumps(call),
            env=scratch.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return "deny" in done.stdout

    return is_refused


def test_off_and_on_everywhere(scratch, guarded):
    assert scratch.ctx("off").returncode == 0
    assert not guarded("s1")

    assert scratch.ctx("on").returncode == 0
    assert guarded("s1")


def test_off_in_one_session_leaves_the_others(scratch, guarded):
    scratch.ctx("off", "--session", CLAUDE_CODE_SESSION_ID="s1")
    assert not guarded("s1")
    assert guarded("s2")

    scratch.ctx("on", "--session", CLAUDE_CODE_SESSION_ID="s1")
    assert guarded("s1")


def test_on_in_a_session_says_when_all_is_off(scratch):
    scratch.ctx("off")

    done = scratch.ctx("on", "--session", CLAUDE_CODE_SESSION_ID="s1")

    assert "still off everywhere" in done.stdout


@pytest.mark.parametrize("session_id", ["", "../../x", "a/b"])
def test_no_session_is_one_sentence(scratch, session_id):
    done = scratch.ctx("off", "--session", CLAUDE_CODE_SESSION_ID=session_id)

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1


def test_the_switch_is_private_from_the_start(scratch):
    """`ctx off` may come before anything else has made the folder."""
    scratch.ctx("off", "--session", CLAUDE_CODE_SESSION_ID="s1")

    folders = [scratch.state, scratch.state / "sessions", scratch.state / "sessions" / "s1"]
    assert {folder.stat().st_mode & 0o777 for folder in folders} == {0o700}
