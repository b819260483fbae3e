"""No way round a rule: what the user forbade the Read tool, no verb prints."""

import json
import os
import subprocess

import pytest

from priced_context import access
from scratch import CTX

HIDDEN = "def secret():\n    return 'hunter2'\n"
VERBS = [("stats", "--json"), ("get", "--pay")]


@pytest.fixture
def vault(ctx):
    """Return a project with a secret, a harmless file, and links between them."""
    ctx.write("src/app.py", "def app():\n    return 1\n")
    ctx.write("private/key.py", HIDDEN)
    ctx.write("src/innocent.py", "").unlink()
    (ctx.project / "src/innocent.py").symlink_to("../private/key.py")
    (ctx.project / "also").symlink_to("private")
    return ctx


def is_refused(ctx, path: str, *, because: str) -> None:
    """Hold that no verb prints anything of *path*, and that the refusal says why."""
    for verb in VERBS:
        words = ctx.trouble(*verb, path)
        assert because in words, words
        assert "hunter2" not in words


RULES = [
    "Read(./private/key.py)",
    "Read(private/key.py)",
    "Read(private/**)",
    "Read(./private/**)",
    "Read(private)",
    "Read(key.py)",
    "Read(**/key.py)",
    "Read(**/*ey.py)",
    "Read(*/key.py)",
]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("path", ["repo:private/key.py", "src/innocent.py", "also/key.py"])
def test_a_deny_rule_covers_its_files_by_every_name(vault, rule, path):
    """By their own path and through links; the refusal names the rule."""
    vault.deny(rule)

    is_refused(vault, path, because=f"deny {rule}")
    assert "app" in vault.out("stats", "repo:src/app.py")
    assert "secret" not in vault.out("map")


def test_a_rule_that_names_a_link_covers_what_it_leads_to(vault):
    """Links on the other side: the rule spells the link, the agent the real path."""
    vault.deny("Read(also/**)")

    is_refused(vault, "repo:private/key.py", because="deny Read(also/**)")


def test_absolute_home_and_settings_relative_rules(vault):
    """`//` counts from the root, `~/` from home, `/` from the settings' own folder."""
    inside = vault.home / "notes"
    inside.mkdir()
    (inside / "key.py").write_text(HIDDEN)
    os.symlink(inside, vault.project / "notes")
    vault.settings.parent.mkdir()
    directories = {"additionalDirectories": [str(inside)]}
    for rule in (f"Read(/{vault.project}/private/**)", "Read(~/notes/**)"):
        permissions = directories | {"deny": [rule]}
        vault.settings.write_text(json.dumps({"permissions": permissions}))
        path = "notes/key.py" if "~" in rule else "private/key.py"
        assert f"deny {rule}" in vault.trouble("get", path)

    vault.settings.unlink()
    vault.deny("Read(/private/*.py)", settings=vault.project / ".claude/settings.json")
    is_refused(vault, "private/key.py", because="deny Read(/private/*.py)")


@pytest.mark.parametrize("name", [".claude/settings.json", ".claude/settings.local.json"])
def test_a_projects_settings_count(vault, name):
    vault.deny("Read(private/**)", settings=vault.project / name)

    is_refused(vault, "private/key.py", because=f"in {vault.project / name}")


@pytest.mark.parametrize(
    "rule", ["Read(./src/private/key.py)", "Read(/src/private/**)", "Read(key.py)"]
)
@pytest.mark.parametrize("name", [".claude/settings.json", ".claude/settings.local.json"])
def test_a_cd_lifts_no_rule_of_a_folder_above(vault, rule, name):
    """`cd src && ctx get …`: the shell stands elsewhere, the rules stay where they are."""
    vault.write("src/private/key.py", HIDDEN)
    vault.deny(rule, settings=vault.project / name)
    for folder, path in (("src", "private/key.py"), ("src/private", "key.py")):
        done = vault.run("get", path, cwd=vault.project / folder)

        assert (done.returncode, done.stdout) == (1, "")
        assert f"deny {rule} in {vault.project / name}" in done.stderr


def test_a_cd_lifts_no_relative_rule_of_the_user(vault):
    """They count from where the client was started: in a repository, its root."""
    vault.write(".git/HEAD", "")
    vault.deny("Read(./private/key.py)")

    done = vault.run("get", "key.py", cwd=vault.project / "private")

    assert (done.returncode, done.stdout) == (1, "")


@pytest.mark.parametrize("rule", ["Read(./key.py)", "Read(/key.py)", "Read(key.py)"])
@pytest.mark.parametrize("name", [".claude/settings.json", ".claude/settings.local.json"])
def test_a_cd_lifts_no_rule_of_a_folder_below(vault, rule, name):
    """`cd .. && ctx get …`: the rules of the project that the file lies in still hold."""
    vault.write("inner/src/key.py", HIDDEN)
    vault.write("inner/key.py", HIDDEN)
    vault.write("inner/open.py", "def opened():\n    return 1\n")
    (vault.project / "shortcut.py").symlink_to("inner/key.py")
    vault.deny(rule, settings=vault.project / "inner" / name)

    for path in ("inner/key.py", "repo:inner/key.py", "shortcut.py"):
        is_refused(vault, path, because=f"deny {rule} in {vault.project / 'inner' / name}")
    mapped = vault.out("map")
    assert "inner/key.py" not in mapped
    assert "inner/open.py" in mapped


@pytest.mark.parametrize("mark", [".git/HEAD", ".claude/commands/a.md"])
def test_a_cd_out_of_a_project_lifts_no_relative_rule_of_the_user(vault, mark):
    """They count from each folder that the client may have been started in."""
    vault.write(f"inner/{mark}", "")
    vault.write("inner/key.py", HIDDEN)
    vault.deny("Read(/nothing)", "Read(./key.py)")

    is_refused(vault, "inner/key.py", because="deny Read(./key.py)")


def test_rules_of_one_folder_hold_for_no_other(vault):
    vault.deny("Read(key.py)", "Read(/**)", settings=vault.project / "src/.claude/settings.json")

    assert "hunter2" in vault.out("get", "private/key.py")
    assert "deny Read(/**)" in vault.trouble("get", "src/app.py")


def test_settings_below_that_are_broken_refuse_what_lies_there(vault):
    broken = vault.write("src/.claude/settings.json", "{")

    is_refused(vault, "src/app.py", because=f"{broken} is not JSON")
    assert "hunter2" in vault.out("get", "private/key.py")


def test_a_path_with_two_slashes_in_front_is_refused_as_any_other(vault):
    assert "lies outside" in vault.trouble("get", "//etc/passwd")
    assert vault.run("--outside", "get", "//no-such/file").returncode == 1


def test_settings_above_add_no_directories(vault, tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "a.py").write_text(HIDDEN)
    settings = vault.write(
        ".claude/settings.json",
        json.dumps({"permissions": {"additionalDirectories": [str(tmp_path / "more")]}}),
    )

    done = vault.run("get", str(tmp_path / "more/a.py"), cwd=vault.project / "src")

    assert settings.exists()
    assert (done.returncode, done.stdout) == (1, "")


@pytest.mark.parametrize("rule", ["Read(Private/**)", "Read(./PRIVATE/key.py)", "Read(KEY.PY)"])
def test_case_is_folded(vault, rule):
    """A file system that folds case opens the file by every spelling."""
    vault.deny(rule)

    is_refused(vault, "private/key.py", because=f"deny {rule}")


def test_a_rule_with_a_negated_class_covers_what_it_did(vault):
    """Folding may only add: `[!A]` holds for `a`."""
    vault.write("a.pem", HIDDEN)
    vault.deny("Read([!A].pem)")

    is_refused(vault, "a.pem", because="deny Read([!A].pem)")


@pytest.mark.parametrize("rule", ["Read([z-a].py)", "Read(a\\)"])
def test_a_rule_that_is_no_pattern_is_said(vault, rule):
    vault.deny(rule)

    is_refused(vault, "src/app.py", because="is no pattern")


def test_a_rule_for_all_of_a_folder_covers_that_folder_only(vault):
    """`~/**` is home, `/**` the settings' folder, and `private/**` not a folder further down."""
    vault.deny("Read(~/**)", "Read(/**)", "Read(private/**)")
    vault.write("src/private/open.py", "def app(): pass\n")

    assert "app" in vault.out("stats", "repo:src/app.py")
    assert "app" in vault.out("stats", "repo:src/private/open.py")
    assert "deny Read(private/**)" in vault.trouble("get", "private/key.py")
    settings = vault.project / ".claude/settings.json"
    vault.deny("Read(/**)", settings=settings)
    assert f"deny Read(/**) in {settings}" in vault.trouble("get", "src/app.py")
    (vault.home / "a.py").write_text(HIDDEN)
    assert "deny Read(~/**)" in vault.trouble("--outside", "get", str(vault.home / "a.py"))


def test_the_users_settings_are_where_the_client_has_them(vault, tmp_path):
    vault.deny("Read(private/**)", settings=tmp_path / "elsewhere" / "settings.json")

    elsewhere = {"CLAUDE_CONFIG_DIR": str(tmp_path / "elsewhere")}

    assert "deny Read(private/**)" in vault.trouble("get", "private/key.py", **elsewhere)


def test_managed_settings_count(vault, tmp_path, monkeypatch):
    """In this process: the machine's own /etc is not a test's to write."""
    managed = tmp_path / "managed-settings.json"
    vault.deny("Read(private/**)", settings=managed)
    vault.deny("Read(src/**)", settings=tmp_path / "managed-settings.d" / "50-more.json")
    monkeypatch.setattr(access, "MANAGED", (str(managed),))
    monkeypatch.setenv("HOME", str(vault.home))
    monkeypatch.chdir(vault.project)

    here = access.access_from_here()

    assert str(managed) in here.refusal(str(vault.project / "private/key.py"))
    assert "deny Read(src/**)" in here.refusal(str(vault.project / "src/app.py"))
    assert here.refusal(str(vault.project / "README.md")) == ""


def test_what_the_user_wants_to_be_asked_about_is_not_shown_unasked(vault):
    """An allow rule for the verb would else answer for the person."""
    vault.settings.parent.mkdir()
    vault.settings.write_text(json.dumps({"permissions": {"ask": ["Read(private/**)"]}}))

    is_refused(vault, "private/key.py", because="ask Read(private/**)")


@pytest.mark.parametrize("rule", ["Read", "Read(*)", "Read(**)"])
def test_a_rule_against_all_reading_covers_everything(vault, rule):
    vault.deny(rule)

    is_refused(vault, "repo:src/app.py", because=f"deny {rule}")


@pytest.mark.parametrize(
    "rule", ["Edit(private/**)", "Bash(cat *)", "Read(other/**)", "Reader(**)"]
)
def test_other_rules_change_nothing(vault, rule):
    vault.deny(rule)

    assert "hunter2" in vault.out("get", "private/key.py")


@pytest.mark.parametrize("text", ["{", "[1,", "\xff"])
def test_settings_that_cannot_be_read_refuse_everything(vault, text):
    """A rule that is not known may be the one that matters."""
    vault.settings.parent.mkdir()
    vault.settings.write_text(text)

    is_refused(vault, "repo:src/app.py", because=f"{vault.settings} is not JSON")


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"permissions": 1}', '{"permissions": {"deny": 3}}']
)
def test_settings_without_rules_forbid_nothing(vault, text):
    vault.settings.parent.mkdir()
    vault.settings.write_text(text)

    assert "app" in vault.out("stats", "repo:src/app.py")


def test_paths_outside_are_refused_and_lifted_only_before_the_verb(vault, tmp_path):
    """An allow rule for `ctx stats` begins with the verb: it must not cover `--outside`."""
    (tmp_path / "outside.py").write_text(HIDDEN)
    (vault.project / "out").symlink_to("../outside.py")

    for path in ("../outside.py", str(tmp_path / "outside.py"), "out"):
        is_refused(vault, path, because="lies outside")
        assert "hunter2" in vault.out("--outside", "get", path)
        assert vault.run("get", "--outside", path).returncode == 2
    assert "leads out of" in vault.trouble("get", "repo:../outside.py")
    assert "leads out of" in vault.trouble("--outside", "get", "repo:../outside.py")


def test_outside_lifts_no_rule(vault):
    vault.deny("Read(private/**)")

    assert "deny Read(private/**)" in vault.trouble("--outside", "get", "private/key.py")


def test_the_clients_additional_directories_are_inside(vault, tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "a.py").write_text(HIDDEN)
    vault.settings.parent.mkdir()
    vault.settings.write_text(json.dumps({"permissions": {"additionalDirectories": ["../more"]}}))

    assert "hunter2" in vault.out("get", "../more/a.py")
    assert "lies outside" in vault.trouble("get", str(tmp_path / "other.py"))


@pytest.mark.parametrize("path", [".git/config", ".git/hooks/a.py", "sub/.git/config", "inner"])
def test_the_internals_of_git_are_not_shown(vault, path):
    """Credentials stand in there."""
    vault.write(".git/config", HIDDEN)
    vault.write(".git/hooks/a.py", HIDDEN)
    vault.write("sub/.git/config", HIDDEN)
    (vault.project / "inner").symlink_to(".git/config")

    is_refused(vault, path, because="lies in .git")
    assert "lies in .git" in vault.trouble("--outside", "get", path)


def test_a_missing_file_outside_is_not_told_from_one_that_exists(vault):
    """A refusal must not say what is there."""
    assert "lies outside" in vault.trouble("get", "/etc/no-such-file")
    assert "lies outside" in vault.trouble("get", "/etc/passwd")


def test_a_working_directory_that_is_gone_is_said(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    program = f'cd {gone} && rmdir {gone} && exec "$0" get a.py'

    done = subprocess.run(["sh", "-c", program, CTX], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "the working directory is gone" in done.stderr


@pytest.mark.parametrize("kind", ["pipe", "zeros", "too large"])
def test_settings_of_a_repository_that_have_no_end_refuse_everything(vault, kind):
    """A clone may bring a pipe that hangs a verb, or a link to what fills the memory."""
    settings = vault.project / ".claude" / "settings.local.json"
    settings.parent.mkdir(exist_ok=True)
    if kind == "pipe":
        os.mkfifo(settings)
    elif kind == "zeros":
        settings.symlink_to("/dev/zero")
    else:
        settings.write_bytes(b" " * ((1 << 20) + 1))

    because = "larger than" if kind == "too large" else "not a regular file"
    is_refused(vault, "repo:src/app.py", because=because)
