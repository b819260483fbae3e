"""The executable that the client spawns."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from priced_context.doctor import interpreter_of
from priced_context.launcher import MODULES, base_interpreter, launcher_files, write_launcher

CALL = json.dumps(
    {
        "session_id": "s1",
        "cwd": "/",
        "transcript_path": "/nowhere.jsonl",
        "hook_event_name": "PreToolUse",
        "tool_name": "Read",
        "tool_input": {"file_path": shutil.__file__},
    }
)


def answer(launcher: Path) -> str:
    """Return the verdict that the launcher gives as the client runs it."""
    done = subprocess.run(
        [launcher], input=CALL, env={}, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"]


def test_the_interpreter_is_the_one_behind_the_environment():
    """A virtual environment's own costs a search for its pyvenv.cfg, and goes with it."""
    interpreter = base_interpreter()

    assert not Path(interpreter).is_relative_to(sys.prefix)
    assert Path(interpreter).read_bytes()[:2] != b"#!"


def test_a_plain_path_is_one_file_with_a_shebang(tmp_path):
    launcher = write_launcher(tmp_path)

    assert launcher.read_text().splitlines()[0] == f"#!{base_interpreter()} -ISXutf8"
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["launch", "posttooluse", "precompact", "statusline"]
    assert answer(launcher) == "deny"


@pytest.mark.parametrize("folder", ["with a blank", "l" * 120, "it's"])
def test_a_path_no_shebang_can_hold_goes_through_sh(tmp_path, folder):
    """The kernel splits the line at a blank and cuts it at 127 bytes."""
    home = tmp_path / folder
    home.mkdir()
    interpreter = home / "python3"
    interpreter.write_text(f'#!/bin/sh\nexec {base_interpreter()} "$@"\n')
    interpreter.chmod(0o755)
    for name, content in launcher_files(str(interpreter), home).items():
        (home / name).write_bytes(content)
        (home / name).chmod(0o700)

    assert answer(home / "launch") == "deny"
    assert interpreter_of(home / "launch") == str(interpreter)


def test_a_launcher_without_its_interpreter_lets_every_call_pass(tmp_path):
    """A shell that finds no program for it must not end with 2: that blocks the call."""
    launcher = tmp_path / "launch"
    launcher.write_bytes(launcher_files(str(tmp_path / "no python"), tmp_path)["launch"])
    launcher.chmod(0o700)

    done = subprocess.run(
        [launcher], input=CALL, env={}, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_launcher_that_goes_through_sh_needs_no_other_file(tmp_path):
    """One that is removed while a call runs would end it with 2."""
    assert sorted(launcher_files("/with a blank/python3", tmp_path)) == sorted(MODULES)


@pytest.mark.parametrize("folder", ["with a blank", "it's", "päth", 'quo"te', "back\\slash"])
def test_the_state_may_lie_in_any_folder(tmp_path, folder):
    launcher = write_launcher(tmp_path / folder)

    assert answer(launcher) == "deny"
    assert (tmp_path / folder / "sessions" / "s1" / "told").exists()


def test_the_package_is_found_without_the_environments_help(tmp_path):
    """Neither PYTHONPATH nor the working folder has a say: -I shuts them out."""
    (tmp_path / "priced_context.py").write_text("raise SystemExit(9)")
    launcher = write_launcher(tmp_path / "state")

    done = subprocess.run(
        [launcher],
        input=CALL,
        env={"PYTHONPATH": str(tmp_path), "PYTHONSTARTUP": "x", "PATH": os.defpath},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "deny" in done.stdout
