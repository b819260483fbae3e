"""`ctx install` and `ctx uninstall`, as a person runs them."""

import json
import os
import shutil
import stat
import subprocess
import sys
from contextlib import suppress

import pytest

from priced_context.console import Trouble
from priced_context.install import registration, settle
from scene import Agent
from scratch import CTX, ScratchHome

SETTINGS = '{\n    "model": "opus",\n    "permissions": {"allow": ["Read"]}\n}\n'


def test_a_long_read_is_refused_at_the_end_of_an_install(scratch):
    """The last words of an installation are a real refusal with its price."""
    done = scratch.ctx("install")

    assert done.returncode == 0, done.stderr
    assert "shutil.py whole is ~20k tok" in done.stdout
    assert not list(scratch.state.glob("sessions/*"))  # and nothing of it is remembered


def test_state_is_the_users_alone(scratch):
    scratch.ctx("install")

    assert stat.S_IMODE(scratch.state.stat().st_mode) == 0o700
    assert stat.S_IMODE(scratch.launcher.stat().st_mode) == 0o700


def test_the_settings_come_back_byte_for_byte(scratch):
    """And the backup, which is needed no more, goes too."""
    settings = scratch.write_settings(SETTINGS)
    scratch.ctx("install")
    assert json.loads(settings.read_text())["hooks"]
    assert [b.read_text() for b in settings.parent.glob("settings.json.*")] == [SETTINGS]

    done = scratch.ctx("uninstall")

    assert done.returncode == 0, done.stderr
    assert settings.read_text() == SETTINGS
    assert scratch.files() == ["home/.claude/settings.json"]


def test_settings_that_were_not_there_are_not_there_again(scratch):
    scratch.ctx("install")
    assert scratch.settings.exists()

    scratch.ctx("uninstall")

    assert scratch.files() == []


def test_what_stays_and_what_to_restart_is_said(scratch):
    """The command cannot remove itself."""
    scratch.ctx("install")

    dry, done = scratch.ctx("uninstall", "--dry-run"), scratch.ctx("uninstall")

    assert f"would keep   {sys.prefix}, the command (`pip uninstall " in dry.stdout
    assert f"kept         {sys.prefix}, the command (`pip uninstall " in done.stdout
    assert done.stdout.endswith("restart them.\n")


def test_a_guard_that_is_switched_off_is_no_surprise(scratch):
    scratch.ctx("install")
    scratch.ctx("off")

    done = scratch.ctx("install")

    assert f"switched off, and prices nothing until `{scratch.state}/ctx on`" in done.stdout


def test_hints_name_a_command_that_can_be_typed(scratch):
    """By its path where PATH has none."""
    assert f"after `{scratch.state}/ctx install --allow-menus`" in scratch.ctx("install").stdout
    scratch.programs.mkdir()
    (scratch.programs / "ctx").symlink_to(CTX)
    assert "after `ctx install --allow-menus`" in scratch.ctx("install").stdout


def test_the_users_config_stays(scratch):
    """We did not write it."""
    scratch.config.parent.mkdir(parents=True)
    scratch.config.write_text('mode = "observe"\n')
    scratch.ctx("install")

    done = scratch.ctx("uninstall")

    assert "kept" in done.stdout
    assert scratch.files() == ["config/priced-context/config.toml"]


def test_installing_twice_changes_nothing(scratch):
    """And keeps the first backup: a second would hold our own entry."""
    settings = scratch.write_settings(SETTINGS)
    scratch.ctx("install")
    once = {path: (scratch.root / path).read_bytes() for path in scratch.files()}

    scratch.ctx("install")

    assert {path: (scratch.root / path).read_bytes() for path in scratch.files()} == once
    assert settings.exists()


def test_a_dry_run_writes_nothing(scratch):
    scratch.write_settings(SETTINGS)

    done = scratch.ctx("install", "--dry-run")

    assert '+    "hooks": {' in done.stdout
    assert scratch.files() == ["home/.claude/settings.json"]
    assert scratch.settings.read_text() == SETTINGS


USERS_LINE = '{"statusLine": {"type": "command", "command": "date"}}\n'


@pytest.mark.parametrize("compiler", ["cc", "false", "none"])
@pytest.mark.parametrize("settings", [None, SETTINGS, USERS_LINE, "installed"])
def test_a_dry_run_names_every_file_that_the_install_writes(scratch, settings, compiler):
    """On a fresh machine, over the user's settings, and over an install with another compiler."""
    if settings == "installed":
        scratch.ctx("install", CC="cc")
    elif settings:
        scratch.write_settings(settings)

    dry = scratch.ctx("install", "--dry-run", CC=compiler)
    before = {path: scratch.stamp(path) for path in scratch.files()}
    done = scratch.ctx("install", CC=compiler)

    assert (dry.returncode, done.returncode) == (0, 0), dry.stderr + done.stderr
    after = {path: scratch.stamp(path) for path in scratch.files()}
    written = {path for path in after if before.get(path) != after[path]}
    # the settings are shown as a diff, and any verb may prune
    written -= {"home/.claude/settings.json", "state/priced-context/pruned"}
    said = [line.rpartition(f" {scratch.root}/") for line in dry.stdout.splitlines()]
    assert {path for verb, _, path in said if verb.strip() == "would write"} == written
    assert {path for verb, _, path in said if verb == "would remove"} == before.keys() - after
    registered = json.loads(scratch.settings.read_text())["hooks"]["PreToolUse"][0]["hooks"][0]
    is_told = f'"command": "{registered["command"]}"' in dry.stdout
    assert is_told or "would stay as it is" in dry.stdout


def test_without_registration_the_settings_stay(scratch):
    scratch.write_settings(SETTINGS)

    scratch.ctx("install", "--no-register")

    assert scratch.launcher.exists()
    assert scratch.settings.read_text() == SETTINGS


def test_the_clients_own_folder_variable_is_honoured(scratch):
    folder = scratch.root / "elsewhere"

    scratch.ctx("install", CLAUDE_CONFIG_DIR=str(folder))

    assert (folder / "settings.json").exists()
    assert not scratch.settings.exists()


def test_another_settings_file_can_be_named(scratch):
    named = scratch.root / "a folder" / "mine.json"

    scratch.ctx("install", "--settings", named)

    assert str(scratch.launcher) in named.read_text()
    assert not scratch.settings.exists()


def test_a_linked_settings_file_is_followed(scratch):
    """Dotfiles are often links; replacing the link would cut them off."""
    target = scratch.root / "dotfiles.json"
    target.write_text(SETTINGS)
    scratch.settings.parent.mkdir()
    scratch.settings.symlink_to(target)

    scratch.ctx("install")
    assert scratch.settings.is_symlink()
    assert str(scratch.launcher) in target.read_text()
    scratch.ctx("uninstall")

    assert scratch.settings.is_symlink()
    assert target.read_text() == SETTINGS


def test_a_hard_link_is_split_and_said(scratch):
    """A rename leaves the other names behind; writing in place could leave half a file."""
    settings = scratch.write_settings(SETTINGS)
    other = scratch.root / "dotfiles.json"
    other.hardlink_to(settings)

    done = scratch.ctx("install")

    assert done.stderr == (
        f"ctx: {settings} is a file of its own now: its other hard links keep the old text\n"
    )
    assert other.read_text() == SETTINGS
    assert scratch.ctx("uninstall").stderr == ""
    assert settings.read_text() == SETTINGS


def test_the_mode_stays(scratch):
    """Settings may hold keys; ours is not the hand that opens them to others."""
    settings = scratch.write_settings(SETTINGS)
    settings.chmod(0o640)

    scratch.ctx("install")

    assert stat.S_IMODE(settings.stat().st_mode) == 0o640
    assert {stat.S_IMODE(p.stat().st_mode) for p in settings.parent.iterdir()} == {0o640}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        pytest.param('{\n  "a": 1\n  "b": 2\n}\n', "line 3, column 3", id="broken"),
        pytest.param('{"hooks": 3}', "not an object", id="hooks a number"),
        pytest.param('{"a": "\udcff"}', "not UTF-8 at byte 7", id="bytes"),
    ],
)
@pytest.mark.parametrize("verb", ["install", "uninstall"])
def test_broken_settings_are_refused_and_nothing_is_changed(scratch, verb, text, what):
    scratch.settings.parent.mkdir()
    scratch.settings.write_bytes(text.encode("utf-8", "surrogateescape"))

    done = scratch.ctx(verb)

    assert done.returncode == 1
    assert what in done.stderr
    assert done.stderr.count("\n") == 1
    assert scratch.settings.read_bytes() == text.encode("utf-8", "surrogateescape")
    assert scratch.files() == ["home/.claude/settings.json"]


@pytest.mark.parametrize("text", ['{"a": ', '{"hooks": 3}', '{"a": "\udcff"}'])
def test_settings_that_broke_hold_no_uninstall_up(scratch, text):
    """They are left as they are, and the user is told what in them is ours."""
    scratch.write_settings(SETTINGS)
    scratch.ctx("install")
    broken = text.encode("utf-8", "surrogateescape")
    scratch.settings.write_bytes(broken)

    dry, done = scratch.ctx("uninstall", "--dry-run"), scratch.ctx("uninstall")

    assert (dry.stderr, dry.returncode) == (done.stderr, done.returncode)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "It is as it was; what names /priced-context/ in it is ours" in done.stderr
    assert scratch.settings.read_bytes() == broken
    assert not scratch.state.exists()
    (backup,) = scratch.settings.parent.glob("settings.json.*")
    assert f"kept         {backup} (the settings before us)" in done.stdout
    assert backup.read_text() == SETTINGS


def test_read_only_settings_are_one_sentence(scratch):
    """A rename would walk past the mode, and past what the user meant by it."""
    scratch.write_settings(SETTINGS).chmod(0o444)

    done = scratch.ctx("install")

    assert done.returncode == 1
    assert "read-only" in done.stderr
    assert scratch.files() == ["home/.claude/settings.json"]


def test_a_folder_in_the_settings_place_is_one_sentence(scratch):
    scratch.settings.mkdir(parents=True)

    done = scratch.ctx("install")

    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "not a regular file" in done.stderr


@pytest.mark.parametrize("verb", ["install", "uninstall", "install --dry-run"])
@pytest.mark.parametrize("kind", ["pipe", "link to a pipe", "link to a device"])
def test_settings_that_are_no_file_are_one_sentence(scratch, kind, verb):
    """A read of a pipe has no end, and a rename would put a file in the device's place."""
    scratch.settings.parent.mkdir(parents=True)
    pipe = scratch.root / "pipe"
    if kind == "pipe":
        os.mkfifo(scratch.settings)
    else:
        os.mkfifo(pipe)
        scratch.settings.symlink_to(pipe if kind == "link to a pipe" else "/dev/null")
    before = scratch.settings.stat()

    done = scratch.ctx(*verb.split())

    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    unchanged = "It is as it was" if verb == "uninstall" else "Nothing was changed"
    assert f"not a regular file. {unchanged}" in done.stderr
    after = scratch.settings.stat()
    assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)
    assert scratch.files() == []


@pytest.mark.parametrize("name", ["a\ttab", "two\nlines", "back\\slash", "\\t", "byte \udcff"])
def test_the_config_counts_in_a_home_of_any_name(tmp_path, name):
    """The compiled settings name their sources in a line of fields."""
    scratch = ScratchHome(tmp_path / name)
    assert scratch.ctx("install").returncode == 0
    call = Agent(scratch.home, scratch.state).payload_of_read(shutil.__file__)
    assert b"deny" in subprocess.run([scratch.launcher], input=call, stdout=-1, check=True).stdout
    scratch.config.parent.mkdir(parents=True)
    scratch.config.write_text('mode = "off"\n')

    done = subprocess.run([scratch.launcher], input=call, capture_output=True, check=True)

    assert (done.stdout, done.stderr) == (b"", b"")
    assert "mode\toff" in (scratch.state / "policy").read_text(errors="replace").splitlines()


def test_a_client_that_is_not_there_does_not_matter(scratch):
    """The order in which two things are installed is the user's business."""
    assert scratch.ctx("install").returncode == 0


def test_uninstalling_what_is_not_there_is_no_trouble(scratch):
    done = scratch.ctx("uninstall")

    assert done.returncode == 0
    assert "was not there" in done.stdout


def test_a_failed_write_leaves_the_settings_alone(scratch):
    """The folder that cannot be written is the one case a rename cannot hide."""
    if os.geteuid() == 0:
        pytest.skip("root writes where it likes")
    settings = scratch.write_settings(SETTINGS)
    settings.parent.chmod(0o500)

    done = scratch.ctx("install")
    settings.parent.chmod(0o700)

    assert done.returncode == 1
    assert settings.read_text() == SETTINGS


MINE = '{\n  "statusLine": {"type": "command", "command": "echo \\u006dine", "padding": 2}\n}\n'


def test_the_users_status_line_is_called_and_comes_back(scratch):
    """Its bytes too, even where other settings have changed in between."""
    settings = scratch.write_settings(MINE)
    scratch.ctx("install")
    assert (scratch.state / "chained").read_text() == '"echo \\u006dine"'
    assert json.loads(settings.read_text())["statusLine"]["padding"] == 2
    settings.write_text(settings.read_text().replace("{\n", '{\n  "theme": "dark",\n', 1))

    scratch.ctx("uninstall")

    assert settings.read_text() == MINE.replace("{\n", '{\n  "theme": "dark",\n', 1)


def test_a_status_line_set_after_the_install_is_chained_by_the_next(scratch):
    scratch.ctx("install")
    content = json.loads(scratch.settings.read_text())
    content["statusLine"] = {"type": "command", "command": "echo new"}
    scratch.settings.write_text(json.dumps(content))

    assert "older registration" in scratch.ctx("doctor").stdout
    scratch.ctx("install")

    assert (scratch.state / "chained").read_text() == '"echo new"'
    assert scratch.ctx("doctor").returncode == 0
    assert "echo new" in scratch.ctx("doctor").stdout


def test_installing_twice_keeps_what_is_chained(scratch):
    """The second time the settings name ours, which must not call itself."""
    scratch.write_settings(MINE)
    scratch.ctx("install")
    scratch.ctx("install")

    assert (scratch.state / "chained").read_text() == '"echo \\u006dine"'


def test_menus_are_allowed_only_where_asked_for(scratch):
    """Three rules by absolute path, said aloud, and gone with us."""
    settings = scratch.write_settings(SETTINGS)
    scratch.ctx("install")
    assert "ctx stats" not in settings.read_text()

    done = scratch.ctx("install", "--allow-menus")

    rules = json.loads(settings.read_text())["permissions"]["allow"]
    for verb in ("stats", "get", "map"):
        assert f"Bash({scratch.state}/ctx {verb} *)" in rules
        assert f"allowed      Bash({scratch.state}/ctx {verb} *)" in done.stdout
    assert "menus\tTrue" in (scratch.state / "policy").read_text()
    assert "stats" in scratch.ctx("--help").stdout
    again = scratch.ctx("install")
    assert json.loads(settings.read_text())["permissions"]["allow"] == rules, again.stderr
    scratch.ctx("uninstall")
    assert settings.read_text() == SETTINGS


def test_a_rule_is_in_the_words_of_the_refusal_where_the_folder_has_a_blank(tmp_path):
    """The client compares letters, and a shell needs the quotes; `Application Support` has one."""
    scratch = ScratchHome(tmp_path / "of a user")
    settings = scratch.write_settings(SETTINGS)

    scratch.ctx("install", "--allow-menus")

    assert f"Bash('{scratch.state}/ctx' stats *)" in settings.read_text()
    assert "menus\tTrue" in (scratch.state / "policy").read_text()
    scratch.ctx("uninstall")
    assert settings.read_text() == SETTINGS


def test_the_verbs_are_linked_where_a_refusal_names_them(scratch):
    """The link is the same for every session and every shell."""
    scratch.ctx("install")

    link = scratch.state / "ctx"
    done = subprocess.run([link, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip()


def test_results_are_cut_only_where_the_config_says_so(scratch):
    """Installed again after the switch, the hook is there; and gone after the next."""
    settings = scratch.write_settings(SETTINGS)
    scratch.config.parent.mkdir(parents=True)
    scratch.config.write_text("cut_unpriced = true")

    scratch.ctx("install")
    hooks = json.loads(settings.read_text())["hooks"]
    assert hooks["PostToolUse"][0]["hooks"][0]["command"] == f"{scratch.state}/posttooluse"

    scratch.config.write_text("cut_unpriced = false")
    assert "does not fit `cut_unpriced`" in scratch.ctx("doctor").stdout
    scratch.ctx("install")
    assert "PostToolUse" not in json.loads(settings.read_text())["hooks"]


@pytest.mark.parametrize("is_edited", [False, True])
def test_a_status_line_comes_back_from_the_backup(scratch, is_edited):
    """Where a cleaner has emptied the state folder, the backup still knows the line."""
    settings = scratch.write_settings(MINE)
    scratch.ctx("install")
    (scratch.state / "chained").unlink()
    change = ("{\n", '{\n  "theme": "dark",\n' if is_edited else "{\n", 1)
    settings.write_text(settings.read_text().replace(*change))

    scratch.ctx("uninstall")

    assert settings.read_text() == MINE.replace(*change)


def test_a_status_line_that_was_chained_later_comes_back(scratch):
    """Not the one from before the first install, which the backup holds."""
    settings = scratch.write_settings(MINE)
    scratch.ctx("install")
    ours = json.loads(settings.read_text())["statusLine"]["command"]
    settings.write_text(settings.read_text().replace(json.dumps(ours), '"echo new"'))
    scratch.ctx("install")

    scratch.ctx("uninstall")

    assert json.loads(settings.read_text())["statusLine"]["command"] == "echo new"


@pytest.mark.parametrize("kind", ["ours", "not JSON"])
def test_a_backup_that_is_not_the_original_is_not_put_back(scratch, kind):
    """And stays: it may be all that is left of something."""
    settings = scratch.write_settings(SETTINGS)
    scratch.ctx("install")
    (backup,) = settings.parent.glob("settings.json.*")
    content = settings.read_text() if kind == "ours" else '{"statusLine": '
    backup.write_text(content)

    done = scratch.ctx("uninstall")

    assert json.loads(settings.read_text()) == json.loads(SETTINGS)
    assert backup.read_text() == content
    assert f"kept         {backup}" in done.stdout


def test_an_edit_between_reading_and_writing_is_not_lost(tmp_path):
    """The client writes its settings too: then the change is computed from what it wrote."""
    settings = tmp_path / "settings.json"
    settings.write_text(SETTINGS)
    edited = SETTINGS.replace("opus", "sonnet")

    def propose():
        change = registration(settings, "/s/priced-context/launch")
        if "opus" in (change.before or ""):
            settings.write_text(edited)
        return change

    settle(settings, propose)

    assert json.loads(settings.read_text())["model"] == "sonnet"
    assert [path.read_text() for path in tmp_path.glob("settings.json.*")] == [edited]
    assert json.loads(settings.read_text())["hooks"]


def test_settings_that_never_rest_are_one_sentence(tmp_path):
    settings = tmp_path / "settings.json"
    settings.write_text(SETTINGS)

    def propose():
        change = registration(settings, "/s/priced-context/launch")
        settings.write_text(settings.read_text() + " ")
        return change

    with pytest.raises(Trouble, match="changes all the time"):
        settle(settings, propose)
    assert settings.read_text().rstrip(" ") == SETTINGS
    assert not list(tmp_path.glob("settings.json.[0-9]*"))


def test_a_folder_of_the_users_stays(scratch):
    """Only the folder that `ctx install` made goes with it."""
    scratch.settings.parent.mkdir(parents=True)

    scratch.ctx("install")
    scratch.ctx("uninstall")

    assert scratch.settings.parent.is_dir()
    scratch.settings.parent.rmdir()
    scratch.ctx("install")
    scratch.ctx("install")
    scratch.ctx("uninstall")
    assert not scratch.settings.parent.exists()


def test_every_folder_that_was_made_goes_and_no_other(scratch):
    """The parents too, as far as they are empty; an empty one of the user's stays."""
    own = scratch.root / "mine" / "empty"
    own.mkdir(parents=True)
    before = sorted(scratch.root.rglob("*"))
    folders = {"XDG_STATE_HOME": str(own / "a" / "b"), "CLAUDE_CONFIG_DIR": str(own / "c" / "d")}

    assert scratch.ctx("install", **folders).returncode == 0
    (own / "c" / "theirs").touch()
    assert scratch.ctx("install", **folders).returncode == 0
    assert scratch.ctx("uninstall", **folders).returncode == 0

    assert sorted(scratch.root.rglob("*")) == [*before, own / "c", own / "c" / "theirs"]


def test_without_registration_no_folder_of_the_clients_is_ours(scratch):
    scratch.ctx("install", "--no-register")
    scratch.settings.parent.mkdir()

    scratch.ctx("uninstall")

    assert scratch.settings.parent.exists()


def test_links_in_the_state_are_removed_and_not_followed(scratch):
    """Sessions may lie on another disk."""
    scratch.ctx("install")
    elsewhere = scratch.root / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").touch()
    (scratch.state / "sessions").symlink_to(elsewhere)
    (scratch.state / "gone").symlink_to("nowhere")

    done = scratch.ctx("uninstall")

    assert (done.returncode, done.stderr) == (0, "")
    assert not scratch.state.exists()
    assert (elsewhere / "kept").exists()


def test_a_relative_settings_file_is_kept_as_an_absolute_one(scratch):
    """The policy is read again from other working directories."""
    done = scratch.ctx("install", "--settings", "mine.json")

    named = str(scratch.home / "mine.json")
    assert f"registered   {named}\n" in done.stdout
    assert named in (scratch.state / "policy").read_text().splitlines()[0]


def test_the_owner_stays(scratch):
    if os.geteuid() != 0:
        pytest.skip("only root writes another user's settings")
    settings = scratch.write_settings(SETTINGS)
    os.chown(settings, 1234, 1234)

    scratch.ctx("install")

    assert {(p.stat().st_uid, p.stat().st_gid) for p in settings.parent.iterdir()} == {(1234, 1234)}


def test_uninstalling_while_calls_run_blocks_none_of_them(scratch):
    """A session that runs still calls the hook: exit 2 would block its reads."""
    scratch.ctx("install")
    call = json.dumps(
        {
            "session_id": "s1",
            "cwd": "/",
            "transcript_path": "/nowhere.jsonl",
            "hook_event_name": "PreToolUse",
            "tool_name": "Read",
            "tool_input": {"file_path": shutil.__file__},
        }
    )
    codes = set()
    with subprocess.Popen([CTX, "uninstall"], env=scratch.environment) as uninstall:
        while uninstall.poll() is None and scratch.launcher.exists():
            with suppress(FileNotFoundError):
                done = subprocess.run(
                    [scratch.launcher], input=call, capture_output=True, text=True, check=False
                )
                codes.add(done.returncode)

    assert uninstall.returncode == 0
    assert codes == {0}
