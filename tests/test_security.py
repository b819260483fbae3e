"""SECURITY.md says how each file can be read: this holds it to the files."""

import fnmatch
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from priced_context.prefilter import compiler
from scene import Agent, run

ROOT = Path(__file__).parent.parent
CORE = ROOT / "core"
TABLE = (ROOT / "SECURITY.md").read_text()
ROW = re.compile(r"^\| (.+) \| (0\d+) \|$", re.MULTILINE)
MODES = {
    name.replace("…", "*"): int(mode, 8)
    for names, mode in ROW.findall(TABLE)
    for name in re.findall(r"`(\S+)`", names)
}
REQUEST = '{"model": "claude-opus-4-6", "messages": [{"role": "user", "content": "go on"}]}'


@pytest.mark.skipif(compiler() is None, reason="no C compiler here")
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_every_file_has_the_mode_that_is_promised(scratch, project, umask):
    """Another user of the machine reads nothing of ours, whatever the umask."""
    before = os.umask(umask)
    try:
        agent = Agent(project, scratch.state)
        scratch.ctx("install", CC="cc")
        agent.knows_window(200_000, 0)
        (scratch.state / "sessions" / "s1" / "window.json").unlink()  # a status line's own
        for name in ("mid.py", "big.py"):
            run(agent.payload_of_read(name), scratch.state)
        run(b"{", scratch.state)
        (project / ".priced-context.toml").write_text('allow = ["x"]\n')
        run(agent.payload_of_read("big.py", limit=2_000), scratch.state)
        scratch.ctx("off")
        scratch.ctx("off", "--session", CLAUDE_CODE_SESSION_ID="s1")
        (scratch.home / "a.py").write_text("def price():\n    return 1\n")
        (scratch.home / "request.json").write_text(REQUEST)
        scratch.ctx("map")
        scratch.ctx("budget", "request.json")
    finally:
        os.umask(before)

    files = [p for p in scratch.state.rglob("*") if p.is_file() and not p.is_symlink()]
    found = {str(p.relative_to(scratch.state)): p for p in files}
    assert {"launch", "prefilter", "prefilter.c", "policy", "log", "off"} < set(found)
    assert {"maps", "counts", "sessions", "projects"} < {name.partition("/")[0] for name in found}
    for name, path in found.items():
        promised = [mode for glob, mode in MODES.items() if fnmatch.fnmatchcase(name, glob)]
        assert promised, f"{name} is not in SECURITY.md"
        assert stat.S_IMODE(path.stat().st_mode) == promised[0], name


def test_every_folder_is_the_users_alone(scratch):
    scratch.ctx("install")

    for path in [scratch.state, *scratch.state.rglob("*")]:
        if path.is_dir():
            assert stat.S_IMODE(path.stat().st_mode) == 0o700, path


AUDITED = """
import posix, sys
events = []
sys.addaudithook(lambda event, _: events.append(event))
sys.path.insert(0, {core!r})
from priced_context.gate import answer
from priced_context.wire import decode_call
answer(decode_call(posix.read(0, 1 << 20)), {state!r})
foreign = ("socket", "subprocess", "os.system", "os.exec", "os.fork", "os.posix_spawn", "ctypes")
posix.write(1, " ".join([event for event in events if event.startswith(foreign)]).encode())
"""


def test_no_hook_starts_a_program_or_opens_a_connection(agent: Agent):
    """Whatever is read is read by this process, and stays on this machine."""
    program = AUDITED.format(core=str(CORE), state=str(agent.state))

    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],
        input=agent.payload_of_read("mid.py"),
        capture_output=True,
        check=True,
    )

    assert done.stdout == b""
    assert agent.read("mid.py") == {}  # it was refused there
