"""`ctx doctor`: silence about what is well, a repair for what is not."""

import json
import os
import stat
import subprocess

import pytest

from priced_context.doctor import matches
from scratch import CTX


@pytest.fixture
def installed(scratch):
    """Return a home with a working installation."""
    assert scratch.ctx("install").returncode == 0
    return scratch


def program(scratch, name: str, text: str) -> None:
    """Put an executable at the head of PATH."""
    scratch.programs.mkdir(exist_ok=True)
    (scratch.programs / name).write_text(text)
    (scratch.programs / name).chmod(0o755)


def test_a_working_installation_is_well(installed):
    done = installed.ctx("doctor")

    assert done.returncode == 0, done.stdout
    assert "WRONG" not in done.stdout
    assert "repair" not in done.stdout
    assert "a small Read passes in" in done.stdout
    assert "whole is ~20k tok" in done.stdout


def test_it_leaves_nothing_behind(installed):
    before = installed.files()

    installed.ctx("doctor")

    assert installed.files() == before


def test_nothing_installed(scratch):
    done = scratch.ctx("doctor")

    assert done.returncode == 1
    assert "repair: ctx install" in done.stdout


def lose_launcher(home):
    home.launcher.unlink()


def lose_interpreter(home):
    lines = home.launcher.read_text().splitlines()
    home.launcher.write_text("\n".join(["#!/nowhere/python3 -IS", *lines[1:]]))


def lose_package(home):
    home.launcher.write_text(home.launcher.read_text().replace("/core'", "/gone'"))


def open_state(home):
    home.state.chmod(0o755)


def unregister(home):
    home.settings.write_text("{}")


def age_registration(home):
    home.settings.write_text(home.settings.read_text().replace('"timeout": 5', '"timeout": 50'))


def break_settings(home):
    home.settings.write_text("{,}")


def disable_hooks(home):
    content = json.loads(home.settings.read_text()) | {"disableAllHooks": True}
    home.settings.write_text(json.dumps(content))


def misspell_config(home):
    home.config.parent.mkdir(parents=True)
    home.config.write_text("windw_tokens = 3\n")


def break_window(home):
    folder = home.state / "sessions" / "s1"
    folder.mkdir(parents=True)
    (folder / "window.json").write_text('{"version": 1}')


def age_client(home):
    program(home, "claude", "#!/bin/sh\necho '2.1.100 (Claude Code)'\n")


@pytest.mark.parametrize(
    ("harm", "what", "repair"),
    [
        (lose_launcher, "missing or not executable", "ctx install"),
        (lose_interpreter, "/nowhere/python3 does not start", "ctx install"),
        (lose_package, "No module named 'priced_context'", "ctx install"),
        (open_state, "open to others", "chmod 700"),
        (unregister, "not in", "ctx install, then restart"),
        (age_registration, "older registration", "ctx install"),
        (break_settings, "line 1, column 2", "repair it"),
        (disable_hooks, "disableAllHooks", "remove that line"),
        (misspell_config, "did you mean 'window_tokens'", "edit "),
        (break_window, "session_id", "remove it"),
        (age_client, "2.1.100, older than 2.1.114", "claude update"),
    ],
)
def test_what_is_wrong_is_named_with_its_repair(installed, harm, what, repair):
    harm(installed)

    done = installed.ctx("doctor")

    assert done.returncode == 1
    assert done.stderr == ""
    wrong = done.stdout.partition("WRONG")[2]
    assert what in wrong
    assert f"repair: {repair}" in wrong


@pytest.mark.parametrize(
    "harm", [lose_launcher, lose_interpreter, lose_package, age_registration, unregister]
)
def test_the_repair_it_names_repairs(installed, harm):
    """Advice that does not help is worse than none."""
    harm(installed)

    installed.ctx("install")

    assert installed.ctx("doctor").returncode == 0


def test_another_hook_on_the_same_tools_is_mentioned(installed):
    """Of two rewrites of one call the last to finish wins: no fault, but worth knowing."""
    content = json.loads(installed.settings.read_text())
    other = {"matcher": "*", "hooks": [{"type": "command", "command": "other-guard"}]}
    content["hooks"]["PreToolUse"] += [other, {"matcher": "Edit", "hooks": other["hooks"]}, 7]
    installed.settings.write_text(json.dumps(content))

    done = installed.ctx("doctor")

    assert done.stdout.count("other-guard") == 1
    assert "note   other hooks" in done.stdout


def test_what_is_off_is_said(installed):
    installed.ctx("off")
    installed.ctx("off", "--session", CLAUDE_CODE_SESSION_ID="s1")

    done = installed.ctx("doctor", CTX_OFF="1")

    assert done.returncode == 0
    assert done.stdout.count("note   switch") == 3


def test_the_last_failure_is_shown(installed):
    (installed.state / "log").write_text(
        "1\tgate.py:1\told\n1764500000000\twire.py:9\tKeyError: 'x'\n"
    )

    done = installed.ctx("doctor")

    assert "wire.py:9: KeyError: 'x'" in done.stdout
    assert "old" not in done.stdout.partition("last failure")[2]


def test_a_current_client_is_named(installed):
    program(installed, "claude", "#!/bin/sh\necho '2.1.332 (Claude Code)'\n")

    assert "claude 2.1.332" in installed.ctx("doctor").stdout


def test_a_blank_in_the_state_path_needs_a_newer_client(scratch):
    """Before 2.1.139 the client hands the launcher's path to a shell."""
    where = {"XDG_STATE_HOME": str(scratch.root / "a state")}
    scratch.ctx("install", **where)
    program(scratch, "claude", "#!/bin/sh\necho '2.1.120 (Claude Code)'\n")

    done = scratch.ctx("doctor", **where)

    assert "2.1.120, older than 2.1.139" in done.stdout


@pytest.mark.parametrize("hooks", ["7", "[]", '{"PreToolUse": 3}', '{"PreToolUse": [null, {}]}'])
def test_malformed_hooks_are_no_crash(installed, hooks):
    installed.settings.write_text('{"hooks": ' + hooks + "}")

    done = installed.ctx("doctor")

    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize(
    ("matcher", "tool", "is_matched"),
    [
        ("", "Read", True),
        ("*", "Read", True),
        ("Read|Bash", "Bash", True),
        ("Read, Bash", "Bash", True),
        ("Re", "Read", False),
        ("read", "Read", False),
        ("^Re", "Read", True),
        ("mcp__.*", "Read", False),
        ("(", "Read", False),
    ],
)
def test_matchers_are_read_as_the_client_reads_them(matcher, tool, is_matched):
    assert matches(matcher, tool) is is_matched


def test_an_unwritable_state_is_named(installed):
    if os.geteuid() == 0:
        pytest.skip("root writes where it likes")
    installed.state.chmod(stat.S_IRUSR | stat.S_IXUSR)

    done = installed.ctx("doctor")
    installed.state.chmod(0o700)

    assert "cannot be written" in done.stdout


@pytest.mark.parametrize("name", ["log", "sessions/s1/window.json"])
def test_a_pipe_in_the_state_does_not_hang_it(installed, name):
    place = installed.state / name
    place.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(place)

    done = installed.ctx("doctor")

    assert done.stderr == ""
    assert ("not a regular file" in done.stdout) is (name != "log")


def test_a_pipe_in_the_configs_place_is_named(installed):
    installed.config.parent.mkdir(parents=True)
    os.mkfifo(installed.config)

    done = installed.ctx("doctor")

    assert (done.returncode, done.stderr) == (1, "")
    assert "cannot be read: it is not a regular file" in done.stdout
    assert installed.ctx("install").returncode == 0


def test_a_window_file_that_leads_nowhere_is_no_crash(installed):
    window = installed.state / "sessions" / "s1" / "window.json"
    window.parent.mkdir(parents=True)
    window.symlink_to("nowhere")

    done = installed.ctx("doctor")

    assert done.stderr == ""
    assert "failures" in done.stdout


@pytest.mark.parametrize("ms", ["9" * 30, str(2**70), "9" * 5000, "²"])
def test_a_time_that_no_calendar_has_is_no_crash(installed, ms):
    (installed.state / "log").write_text(f"{ms}\tgate.py:1\tValueError\n")
    window = installed.state / "sessions" / "s1" / "window.json"
    window.parent.mkdir(parents=True)
    window.write_text(
        '{"version": 1, "session_id": "s1", "model": "m", "window_tokens": 200000,'
        f' "used_tokens": 1, "written_ms": {ms}, "source": "test"}}'
    )

    done = installed.ctx("doctor")

    assert done.stderr == ""
    assert "failures" in done.stdout


@pytest.mark.parametrize("verb", ["doctor", "install", "uninstall"])
def test_a_working_directory_that_is_gone_is_one_sentence(scratch, verb):
    gone = scratch.root / "gone"
    gone.mkdir()
    inside = f'cd "{gone}" && rmdir "{gone}" && exec "{CTX}" {verb}'

    done = subprocess.run(
        ["/bin/sh", "-c", inside],
        env=scratch.environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "working directory is gone" in done.stderr


def test_a_config_whose_compiled_form_is_gone_is_named(installed):
    """The hook reads only that form; without it the defaults would hold in silence."""
    installed.config.parent.mkdir(parents=True, exist_ok=True)
    installed.config.write_text('mode = "observe"')
    installed.ctx("install")
    assert 'mode = "observe"' in installed.ctx("doctor").stdout

    (installed.state / "policy").unlink()
    done = installed.ctx("doctor")

    assert done.returncode == 1
    assert "is not read: its compiled form is gone" in done.stdout
