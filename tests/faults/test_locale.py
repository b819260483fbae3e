"""Sessions with another locale than the one that installed, or with none: a path is UTF-8."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from priced_context.launcher import base_interpreter
from scene import Agent
from scratch import ScratchHome

CORE = Path(__file__).parent.parent.parent / "core"
FOLDERS = ["päth", "日本", "byte \udcff"]

WRITE = """\
import sys
from pathlib import Path
from priced_context.launcher import launcher_files
state = Path(sys.argv[1])
for name, content in launcher_files(sys.argv[2], state).items():
    (state / name).write_bytes(content)
    (state / name).chmod(0o700)
"""


@pytest.fixture(scope="module")
def locales(tmp_path_factory) -> dict[str, dict[str, str]]:
    """Return the whole environment of a session by the name of its locale."""
    folder = tmp_path_factory.mktemp("locales")
    made = subprocess.run(
        ["localedef", "-i", "de_DE", "-f", "ISO-8859-1", folder / "de_DE.ISO-8859-1"],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("needs localedef and its sources (Debian: locales) to make a Latin-1 locale")
    return {
        "none": {},
        "C": {"LC_ALL": "C"},
        "POSIX": {"LC_ALL": "POSIX"},
        "UTF-8": {"LC_ALL": "C.UTF-8"},
        "Latin-1": {"LC_ALL": "de_DE.ISO-8859-1", "LOCPATH": str(folder)},
    }


def verdict(launcher: Path, session: str, environment: dict[str, str]) -> str:
    """Return the launcher's answer to a long Read of a file beside it, in a new session."""
    source = launcher.with_name("größe.py")
    shutil.copy(shutil.__file__, source)
    call = Agent(source.parent, launcher.parent, session).payload_of_read(source)
    done = subprocess.run([launcher], input=call, env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"]


@pytest.mark.parametrize("has_blank", [False, True], ids=["shebang", "sh"])
@pytest.mark.parametrize("folder", FOLDERS, ids=ascii)
def test_a_launcher_answers_in_every_locale(tmp_path, locales, folder, has_blank):
    """Package, state and the file that is read all lie where the locale has other letters."""
    root = tmp_path / folder
    state = root / "state"
    state.mkdir(parents=True)
    package = root / "core" / "priced_context"
    shutil.copytree(CORE / "priced_context", package, ignore=shutil.ignore_patterns("data"))
    interpreter = base_interpreter()
    if has_blank:
        wrapper = root / "a python3"
        wrapper.write_text(f'#!/bin/sh\nexec {interpreter} "$@"\n')
        wrapper.chmod(0o755)
        interpreter = str(wrapper)
    subprocess.run(
        [sys.executable, "-c", WRITE, state, interpreter],
        env={"PYTHONPATH": str(root / "core"), "LC_ALL": "C.UTF-8"},
        check=True,
    )

    verdicts = {name: verdict(state / "launch", name, locales[name]) for name in locales}

    assert set(verdicts.values()) == {"deny"}


@pytest.mark.parametrize("folder", FOLDERS, ids=ascii)
def test_what_is_installed_in_one_locale_answers_in_another(tmp_path, locales, folder):
    scratch = ScratchHome(tmp_path / folder)

    done = scratch.ctx("install", **locales["Latin-1"])

    assert done.returncode == 0, done.stderr
    hook = json.loads(scratch.settings.read_text())["hooks"]["PreToolUse"][0]["hooks"][0]
    assert os.fsencode(hook["command"]) == os.fsencode(scratch.launcher)
    for name, environment in locales.items():
        assert verdict(scratch.launcher, name, environment) == "deny"


def test_a_home_that_is_not_utf8_is_printed_as_it_is(tmp_path):
    """UTF-8 locales but C.UTF-8 refuse to print such a name."""
    scratch = ScratchHome(tmp_path / "byte \udcff")

    done = scratch.ctx("install", PYTHONIOENCODING="utf-8:strict")

    assert (done.returncode, done.stderr) == (0, "")
    assert f"launcher     {scratch.launcher}" in done.stdout
