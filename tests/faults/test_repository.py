"""An untrusted repository: its settings, pipes and links may loosen the guard, and nothing else."""

import json

import pytest

from priced_context.settings import PROJECT_FILE
from scene import NO_FILES, Agent, code, run

CONFIGS = {
    "not TOML": b"\xff\xfe[",
    "deep": b"x = " + b"[" * 9_000,
    "slow": b"a" + b".a" * 60_000 + b" = 1\n",
    "large": b'allow = ["*"]\n' + b"#" * (1 << 20),
    "wrong types": b'mode = 5\nallow = "*"\nread_budget_min = "x"\nread_budget_share = nan\n',
    "tightening": b"read_budget_min = 1\nread_budget_max = 1\nread_budget_share = 0.001\n",
    "newlines in a glob": b'allow = ["x\\nmode\\toff"]\n',
    "globs that backtrack": b'allow = ["' + b"*a" * 5_000 + b'b"]\n',
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS.keys())
def test_a_hostile_config_changes_nothing(agent: Agent, config):
    """Nor does it slow a call down, or raise."""
    usual = agent.reason("mid.py")
    (agent.project / PROJECT_FILE).write_bytes(config)

    other = Agent(agent.project, agent.state, "s2")
    other.knows_window(200_000, 0)

    assert other.reason("mid.py") == usual


@pytest.mark.parametrize("kind", [*NO_FILES, "link outside"])
def test_a_config_that_is_no_file_of_its_own(agent: Agent, tmp_path, kind):
    """A pipe is not waited for, a device not read for ever; a link may lead to TOML elsewhere."""
    path = agent.project / PROJECT_FILE
    if kind in NO_FILES:
        NO_FILES[kind](path)
    else:
        (tmp_path / "secret").write_text("password = 'x'\nnot TOML")
        path.symlink_to(tmp_path / "secret")

    done = run(agent.payload_of_read("mid.py"), agent.state, timeout=10)

    assert b"deny" in done.stdout
    for file in agent.state.rglob("*"):
        assert file.is_dir() or b"password" not in file.read_bytes()


def test_ids_and_folders_cannot_leave_the_state_folder(tmp_path, agent: Agent):
    """They come from the client, but a transcript or a payload may be forged."""
    before = sorted(tmp_path.iterdir())
    for session_id in ("../../x", "/etc", "..", "a/b", "a\0b", "x" * 300, "é", ""):
        for agent_id in ("", "../y", "a.b"):
            one = Agent(agent.project, agent.state, session_id, agent_id)
            one.transcript = agent.transcript
            one.read("mid.py")

    assert sorted(tmp_path.iterdir()) == before
    assert [p.name for p in (agent.state / "sessions").iterdir()] == ["s1"]


@pytest.fixture
def visited(scratch, tmp_path):
    """Return an installed home and a hostile repository that a person stands in."""
    assert scratch.ctx("install").returncode == 0
    repository = tmp_path / "repository"
    (repository / ".claude").mkdir(parents=True)
    return scratch, repository


def test_the_doctor_runs_no_command_of_a_repository(visited):
    """A line that looks like ours is ours only in the user's own settings."""
    scratch, repository = visited
    mark = repository / "ran"
    for command in (f"touch {mark} #/priced-context/launch", f"{repository}/priced-context/launch"):
        hooks = {"PreToolUse": [{"matcher": "*", "hooks": [{"command": command}]}]}
        (repository / ".claude" / "settings.json").write_text(json.dumps({"hooks": hooks}))
        (repository / "priced-context").mkdir(exist_ok=True)
        (repository / "priced-context" / "launch").write_text(f"#!/bin/sh\ntouch {mark}\n")
        (repository / "priced-context" / "launch").chmod(0o755)

        done = scratch.ctx("doctor", CLAUDE_PROJECT_DIR=str(repository))

        assert not mark.exists()
        assert "also runs" in done.stdout


@pytest.mark.parametrize("kind", [*NO_FILES, "deep", "escapes"])
def test_the_doctor_is_not_held_up_by_a_repositorys_settings(visited, kind):
    """And a name in them cannot write to the terminal."""
    scratch, repository = visited
    path = repository / ".claude" / "settings.json"
    if kind in NO_FILES:
        NO_FILES[kind](path)
    elif kind == "deep":
        path.write_text("[" * 100_000)
    else:
        handler = {"command": "\x1b[2J\x1b]0;x\x07"}
        hooks = {"PreToolUse": [{"matcher": "*", "hooks": [handler]}]}
        path.write_text(json.dumps({"hooks": hooks}))

    done = scratch.ctx("doctor", CLAUDE_PROJECT_DIR=str(repository))

    assert done.returncode == 0, done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("name", [*NO_FILES, "\x1b[2Jname"])
def test_a_verb_that_prices_is_not_held_up_by_a_file(visited, name):
    """`ctx price *` in a repository of pipes and odd names."""
    scratch, repository = visited
    path = repository / name
    if name in NO_FILES:
        NO_FILES[name](path)
    else:
        path.write_text(code(90))

    done = scratch.ctx("price", path)

    assert done.returncode in {0, 1}
    assert "\x1b" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
