"""When a refusal names `ctx stats`, and when it must not."""

import json

import pytest

from scene import code


@pytest.fixture
def installed(agent):
    """Put the verbs where `ctx install` links them."""
    command = agent.state / "ctx"
    command.write_text("#!/bin/sh\n")
    return command


def reason(agent, mode: str, path: str = "mid.py", **fields) -> str:
    raw = json.loads(agent.payload_of_read(path, **fields)) | {"permission_mode": mode}
    return agent.answer(raw).get("permissionDecisionReason", "")


@pytest.mark.parametrize("mode", ["auto", "bypassPermissions"])
def test_a_menu_is_offered_where_the_agent_is_not_asked(agent, installed, mode):
    """A cheaper call that stops at a prompt is none."""
    assert f"Cheaper: {installed} stats repo:mid.py (at most ~500 tok), or Read it" in reason(
        agent, mode
    )


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "plan", "dontAsk", ""])
def test_ranges_come_first_where_it_would_be_asked(agent, installed, mode):
    """They need nothing."""
    assert "Cheaper: Read it with offset" in reason(agent, mode)
    assert installed.exists()


def test_an_allow_rule_is_as_good_as_a_mode(agent, installed, tmp_path):
    """`ctx install --allow-menus` puts it there."""
    client = tmp_path / "settings.json"
    client.write_text(json.dumps({"permissions": {"allow": [f"Bash({installed} stats *)"]}}))
    (agent.state / "policy").write_text(f"{client}\t0\n")

    assert "stats repo:mid.py" in reason(agent, "default")


def test_the_users_word_is_as_good(agent, installed, tmp_path):
    """`menus = true` in the config."""
    (tmp_path / "config.toml").write_text("menus = true")
    (agent.state / "policy").write_text(f"{tmp_path / 'config.toml'}\t0\n")

    assert f"{installed} stats" in reason(agent, "default")


def test_a_command_that_is_not_there_is_never_named(agent):
    """A checkout's hook has no verbs installed."""
    assert "stats" not in reason(agent, "auto")


@pytest.mark.parametrize("name", ["Makefile", "../outside.py"])
def test_a_file_without_a_menu_is_offered_in_ranges(agent, installed, name):
    """No outline of it, or not ours to show."""
    (agent.project / name).write_text(code(900))

    assert "Cheaper: Read it with offset" in reason(agent, "auto", name)
    assert installed.exists()


def test_after_a_change_of_folder_the_handle_is_a_path(agent, installed, monkeypatch):
    """`repo:` would count from another folder there."""
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(agent.project))
    (agent.project / "sub").mkdir()
    raw = json.loads(agent.payload_of_read("mid.py")) | {"permission_mode": "auto"}
    raw["cwd"] = str(agent.project / "sub")

    words = agent.answer(raw)["permissionDecisionReason"]

    assert f"{installed} stats {agent.project}/mid.py (at most" in words


def test_from_the_fourth_refusal_on_the_map_is_named(agent, installed):
    """Engagement grows only with need."""
    reasons = []
    for number in range(5):
        (agent.project / f"{number}.py").write_text(code(900))
        reasons.append(reason(agent, "auto", f"{number}.py"))

    assert [f"{installed} map" in words for words in reasons] == [False] * 3 + [True] * 2
    assert reasons[3].count("\n") == 1
