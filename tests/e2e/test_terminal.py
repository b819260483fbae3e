"""Status line, box and hold in the real client's own terminal."""

import json
import re
import shutil

import pytest
from scripted_api import ScriptedAPI, calls, says
from terminal import terminal_of

from priced_context.room import free_tokens, safety_margin
from scene import code
from scratch import run_ctx

pytestmark = pytest.mark.skipif(not shutil.which("tmux"), reason="needs tmux for its terminals")

MODEL = "claude-opus-4-6"


@pytest.fixture
def project(guarded):
    (guarded.project / "a.py").write_text(code(60))
    return guarded.project


def ctx(client, *arguments: str) -> str:
    done = run_ctx(*arguments, cwd=client.project, environment=client.environment())
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_a_user_sees_of_one_session(guarded, project):
    """Status line, ledger, box and the client's own numbers are the same to the token."""
    read = ("Read", {"file_path": str(project / "a.py")})
    script = [
        calls(read, input_tokens=50_000),
        says("ready", 55_000),
        calls(read, input_tokens=100_000),
        says("there", 110_000),
    ]
    with ScriptedAPI(script) as api, terminal_of(guarded, api.url) as terminal:
        terminal.runs(guarded.binary, "--model", MODEL, "--allowedTools", "Read")
        terminal.shows("89% free · hold")

        terminal.types("go")
        terminal.shows("ready")
        terminal.shows("61% free · hold")
        window = json.loads(next(guarded.state.glob("sessions/*/window.json")).read_text())
        budget = json.loads(ctx(guarded, "budget", "--json", "--session"))
        used = 55_005  # input and output of the scripted bill
        assert window["used_tokens"] == budget["totalInputTokens"] == used
        assert budget["freeTokens"] == free_tokens(200_000, used, 20_000, safety_margin(used))

        terminal.types("/compact")
        screen = terminal.shows("blocked by PreCompact hook")
        assert "of the window is free" in re.sub(r"\s+", " ", screen)

        terminal.types("go on")
        terminal.shows("there")
        terminal.shows("33% free · type /compact")
        assert "eligible for compaction" in ctx(guarded, "box")

    assert (guarded.state / "sizes").read_text() == f"{MODEL}\t200000\n"


@pytest.mark.usefixtures("project")
def test_the_users_own_status_line_stays_first(guarded):
    content = json.loads(guarded.settings.read_text())
    content["statusLine"] = {"type": "command", "command": "echo my own line"}
    guarded.settings.write_text(json.dumps(content))
    ctx(guarded, "install")

    with ScriptedAPI([]) as api, terminal_of(guarded, api.url) as terminal:
        terminal.runs(guarded.binary, "--model", MODEL)
        terminal.shows("my own line  ⛁ 89% free · hold")
