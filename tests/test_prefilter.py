"""The native program in front of the launcher: what it leaves, and what it hands over."""

import json
import os
import stat
import subprocess
import time
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from payloads import calls, make_project, recorded_calls
from priced_context.launcher import write_launcher
from priced_context.prefilter import compiler, hook_in, is_current, program, write_prefilter
from scene import Agent

pytestmark = pytest.mark.skipif(compiler() is None, reason="no C compiler here")

SOURCE = Path(__file__).parent.parent / "hooks" / "prefilter.c"


@pytest.fixture(scope="module")
def prefilter(tmp_path_factory) -> Path:
    """Return a prefilter whose launcher prints what it was given."""
    state = tmp_path_factory.mktemp('with "quotes", blanks and é')
    (state / "launch").write_text("#!/bin/sh\nprintf 'handed over:' && exec cat\n")
    (state / "launch").chmod(0o755)
    write_prefilter(state)
    return state / "prefilter"


def answer(prefilter: Path, payload: bytes) -> bytes:
    done = subprocess.run([prefilter], input=payload, capture_output=True, timeout=10, check=True)
    assert done.stderr == b""
    return done.stdout


LEFT = {
    "another tool": ("WebFetch", {"url": "x", "n": [1, {"a": None}], "on": True}),
    "a small file": ("Read", {"file_path": "small.py"}),
    "a part of a small file": ("Read", {"file_path": "small.py", "offset": 2, "limit": 1}),
    "a missing file": ("Read", {"file_path": "missing.py"}),
    "a folder": ("Read", {"file_path": "folder.d"}),
    "an image": ("Read", {"file_path": "shot.PNG"}),
    "a command that prints no file": ("Bash", {"command": "npm test && git push"}),
    "a quoted one": ("Bash", {"command": 'git commit -m "é: \\"x\\"\n\ny"', "timeout": 5}),
}

HANDED_OVER = {
    "a server's tool": ("mcp__fs__list", {"path": "/etc"}),
    "the client's search": ("Grep", {"pattern": "x"}),
    "a large file": ("Read", {"file_path": "mid.py"}),
    "a path that goes up": ("Read", {"file_path": "folder.d/../small.py"}),
    "a path beyond ASCII": ("Read", {"file_path": "é.py"}),
    "a word of the table": ("Bash", {"command": "cd x; cat a"}),
    "a word in quotes": ("Bash", {"command": "bash -c 'c\"a\"t a'"}),
    "a word over two lines": ("Bash", {"command": "c\\\nat a"}),
    "an input redirected": ("Bash", {"command": "wc -l <a"}),
    "an escape that spells anything": ("Bash", {"command": "echo \x01"}),
    "a number with a fraction": ("Bash", {"command": "true", "timeout": 1.5}),
}


def payload_of(agent: Agent, tool: str, tool_input: dict) -> bytes:
    (agent.project / "folder.d").mkdir(exist_ok=True)
    if "file_path" in tool_input:
        tool_input = tool_input | {"file_path": f"{agent.project}/{tool_input['file_path']}"}
    text = json.dumps(json.loads(agent.payload(tool, **tool_input)), ensure_ascii=False)
    return text.encode() + b"\n"


@pytest.mark.parametrize(("tool", "tool_input"), LEFT.values(), ids=LEFT.keys())
def test_it_leaves_what_is_certain_to_pass(prefilter, agent, tool, tool_input):
    """Most calls of a session: each costs what /bin/true costs."""
    assert answer(prefilter, payload_of(agent, tool, tool_input)) == b""


@pytest.mark.parametrize(("tool", "tool_input"), HANDED_OVER.values(), ids=HANDED_OVER.keys())
def test_it_hands_the_rest_over_byte_for_byte(prefilter, agent, tool, tool_input):
    """Python decides, on the same bytes."""
    payload = payload_of(agent, tool, tool_input)

    assert answer(prefilter, payload) == b"handed over:" + payload


BROKEN = {
    "nothing": b"",
    "a torn object": b'{"tool_name": "x", "tool_inp',
    "two objects": b'{"tool_name": "x", "tool_input": {}} {}',
    "a name that stands twice": b'{"tool_name": "x", "tool_name": "Read", "tool_input": {}}',
    "a name in escapes": b'{"tool_name": "x", "tool_\\u006eame": "Read", "tool_input": {}}',
    "not UTF-8": b'{"tool_name": "x", "tool_input": {"a": "\xc0\xaf"}}',
    "a NUL": b'{"tool_name": "x", "tool_input": {}}\0}',
    "too deep": b'{"tool_name": "x", "tool_input": ' + b'{"a":' * 5000 + b"1" + b"}" * 5001,
    "10 MB": b'{"tool_name": "Read", "tool_input": {"file_path": "' + b"x" * 10_000_000 + b'"}}',
    "no tool": b'{"tool_input": {}}',
    "no input": b'{"tool_name": "x"}',
    "an input that is none": b'{"tool_name": "x", "tool_input": []}',
}


@pytest.mark.parametrize("payload", BROKEN.values(), ids=BROKEN.keys())
def test_it_hands_over_what_it_does_not_understand(prefilter, payload):
    """Python leaves a line in the log for what is broken; the prefilter has no log."""
    assert answer(prefilter, payload) == b"handed over:" + payload


def test_a_payload_of_ten_megabytes_of_text_is_left(prefilter):
    """Some tools are handed whole files."""
    call = {"tool_name": "Write", "tool_input": {"content": 'a "line"\n\té\\' * 800_000}}

    assert answer(prefilter, json.dumps(call, ensure_ascii=False).encode()) == b""


def remembered(state: Path) -> dict[str, list[str]]:
    """Return the lines of every file that a call may write, without their times."""
    return {
        str(path.relative_to(state)): [
            line.partition("\t")[2] or line for line in path.read_text().splitlines()
        ]
        for path in sorted(state.rglob("*"))
        if path.is_file() and (path.parent != state or path.name == "log")
    }


def test_with_it_and_without_the_same_is_said_and_remembered(tmp_path):
    """The whole chain, on the same calls in the same order."""
    project = tmp_path / "project"
    paths = make_project(project)
    random = Random(4)
    with_it, without = tmp_path / "with", tmp_path / "without"
    for state in (with_it, without):
        write_launcher(state)
    write_prefilter(with_it)
    payloads = list(islice(calls(random, paths, project, recorded_calls()), 120))

    said = [answer(with_it / "prefilter", payload) for payload in payloads]

    assert said == [answer(without / "launch", payload) for payload in payloads]
    assert any(said)
    assert remembered(with_it) == remembered(without)


def start(prefilter: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([prefilter], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def test_it_does_not_wait_for_a_stdin_that_is_never_closed(prefilter):
    """One object is one call."""
    with start(prefilter) as process:
        for piece in (b'{"tool_name": "x",\n', b' "tool_input": {"a": {"b": "}"}', b"}}\n"):
            process.stdin.write(piece)
            process.stdin.flush()
            time.sleep(0.05)

        assert process.wait(timeout=1.5) == 0
        assert process.stdout.read() == b""


def test_what_never_comes_to_an_end_is_handed_over_after_two_seconds(prefilter):
    """The client would wait five, and the agent with it."""
    with start(prefilter) as process:
        process.stdin.write(b'{"tool_name": "x", ')
        process.stdin.flush()

        assert process.wait(timeout=4) == 0
        assert process.stdout.read() == b'handed over:{"tool_name": "x", '


def test_without_its_launcher_everything_passes(tmp_path):
    """Half an installation is no reason to stop an agent."""
    write_prefilter(tmp_path)

    assert answer(tmp_path / "prefilter", b"{") == b""


def test_it_is_the_users_alone_and_says_what_it_was_made_of(prefilter):
    """A program that runs on each call should be one that its user can read."""
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in prefilter.parent.iterdir()}
    text = prefilter.with_suffix(".c").read_text()

    assert modes == {"launch": 0o755, "prefilter": 0o700, "prefilter.c": 0o600}
    assert text == program(str(prefilter.with_name("launch")))
    assert text.endswith(SOURCE.read_text())
    assert len(SOURCE.read_text().splitlines()) <= 250


def test_a_compiler_that_fails_leaves_none(tmp_path, monkeypatch):
    """And an older one would answer for other tables."""
    write_prefilter(tmp_path)
    monkeypatch.setenv("CC", "false")

    write_prefilter(tmp_path)

    assert os.listdir(tmp_path) == []
    assert hook_in(tmp_path) == tmp_path / "launch"


def test_one_built_by_another_version_is_not_current(tmp_path):
    """After an update its words may be fewer than those of the recogniser."""
    write_prefilter(tmp_path)
    assert is_current(tmp_path)

    source = tmp_path / "prefilter.c"
    source.write_text(source.read_text().replace("SMALL_BYTES 2000", "SMALL_BYTES 3000"))

    assert not is_current(tmp_path)


def test_an_installation_registers_it(scratch):
    """The client spawns it, and it the launcher beside it."""
    done = scratch.ctx("install", CC="cc")

    command = json.loads(scratch.settings.read_text())["hooks"]["PreToolUse"][0]["hooks"][0]
    assert command["command"] == str(scratch.state / "prefilter")
    assert f"prefilter    {scratch.state}/prefilter" in done.stdout
    assert scratch.launcher.exists()


def test_an_installation_without_a_compiler_takes_its_place(scratch):
    """One entry in the settings, whichever it is; nothing left behind."""
    scratch.ctx("install", CC="cc")

    done = scratch.ctx("install")

    groups = json.loads(scratch.settings.read_text())["hooks"]["PreToolUse"]
    assert [hook["command"] for group in groups for hook in group["hooks"]] == [
        str(scratch.launcher)
    ]
    assert "prefilter    none: no C compiler" in done.stdout
    assert not (scratch.state / "prefilter").exists()


def test_the_doctor_says_what_it_saves(scratch):
    scratch.ctx("install", CC="cc")

    done = scratch.ctx("doctor")

    assert done.returncode == 0, done.stdout
    assert "ok     prefilter    a call that passes takes" in done.stdout


def test_the_doctor_says_what_it_would_save(scratch):
    """It is a note, not a fault: everything works without."""
    scratch.ctx("install")

    done = scratch.ctx("doctor")

    assert done.returncode == 0, done.stdout
    assert "note   prefilter    none: a call that passes takes" in done.stdout


def test_the_doctor_knows_one_of_another_version(scratch):
    scratch.ctx("install", CC="cc")
    (scratch.state / "prefilter.c").write_text("of another version")

    done = scratch.ctx("doctor")

    assert done.returncode == 1
    assert "was built by another version" in done.stdout
