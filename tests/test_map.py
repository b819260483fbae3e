"""`ctx map`: what matters first, nothing that may not be shown, and git as a reader only."""

import os
import pty
import stat
import subprocess
import threading
from pathlib import Path

import pytest

from priced_context.outlines.held import count
from scratch import CTX

CORE = """\
class Engine:
    def start(self):
        return ignite(self)


def ignite(engine):
    return engine
"""


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *identity, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.fixture
def repo(ctx):
    """Return a repository in which everything uses `core.py`, and little uses the rest."""
    ctx.write("core.py", CORE)
    for name in ("a", "b", "c", "d"):
        ctx.write(
            f"app/{name}.py", f"from core import Engine\n\n\ndef {name}_main():\n    Engine()\n"
        )
    ctx.write("app/helper.py", "def lonely_helper():\n    return 1\n")
    ctx.write("web/view.ts", "export class View {}\nexport function draw() { return new View() }\n")
    ctx.write(".gitignore", "build/\n*.gen.py\n")
    ctx.write("build/out.py", "def ignored():\n    return 1\n")
    ctx.write("app/x.gen.py", "def ignored():\n    return 1\n")
    git(ctx.project, "init", "-q")
    git(ctx.project, "add", ".")
    return ctx


def paths(printed: str) -> list[str]:
    return [line.partition(" ~")[0] for line in printed.splitlines()[1:-1]]


def test_what_everything_uses_stands_first(repo, golden):
    printed = repo.out("map")

    golden("menus/map.txt", printed)
    assert paths(printed)[0] == "core.py"


def test_near_and_mention_move_what_they_name_to_the_front(repo):
    assert paths(repo.out("map", "--near", "web"))[0] == "web/view.ts"
    assert paths(repo.out("map", "--mention", "lonely_helper"))[0] == "app/helper.py"
    assert paths(repo.out("map", "--near", "app/a.py"))[:2] == ["app/a.py", "core.py"]


def test_paths_narrow_the_map(repo):
    assert set(paths(repo.out("map", "app/a.py", "web"))) == {"app/a.py", "web/view.ts"}


@pytest.mark.parametrize("has_git", [True, False])
def test_ignored_files_are_left_out(repo, has_git):
    """In a repository as git sees it, elsewhere by its `.gitignore` files."""
    if not has_git:
        subprocess.run(["rm", "-r", repo.project / ".git"], check=True)
    repo.write("sub/.gitignore", "own.py\n")
    repo.write("sub/own.py", "def ignored():\n    return 1\n")
    repo.write("sub/kept.py", "def kept():\n    return 1\n")

    found = paths(repo.out("map"))

    assert "sub/kept.py" in found
    assert not {"build/out.py", "app/x.gen.py", "sub/own.py"} & set(found)


@pytest.mark.parametrize("budget", [120, 200, 400])
def test_the_budget_holds_and_fits_what_it_can(repo, budget):
    printed = repo.out("map", "--budget", str(budget))

    assert count(printed) <= budget
    assert paths(printed)[0] == "core.py"


def test_a_warm_map_is_byte_for_byte_the_cold_one(repo):
    """The index is a cache, not a second opinion."""
    cold = repo.out("map")
    warm = repo.out("map")
    subprocess.run(["rm", "-r", repo.home / ".local"], check=True)

    assert cold == warm == repo.out("map")


def test_a_change_a_new_file_and_a_lost_one_are_seen(repo):
    repo.out("map")

    repo.write("core.py", CORE.replace("ignite", "kindle"))
    repo.write("app/new.py", "from core import kindle\n\n\ndef newcomer():\n    kindle(1)\n")
    (repo.project / "web/view.ts").unlink()
    printed = repo.out("map")

    assert "kindle" in printed
    assert "ignite" not in printed
    assert "newcomer" in printed
    assert "view.ts" not in printed


def test_a_change_that_keeps_size_and_time_is_seen_while_it_may_be_racy(repo):
    """An editor and a map within the same clock tick."""
    repo.out("map")
    core = repo.project / "core.py"
    before = core.stat()

    repo.write("core.py", CORE.replace("ignite", "kindle"))
    os.utime(core, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert "kindle" in repo.out("map")


@pytest.mark.parametrize("damage", [b"", b"\x00garbage", b"\x93\x01\x90"])
def test_a_damaged_index_is_made_anew(repo, damage):
    cold = repo.out("map")
    for place in (repo.home / ".local/state/priced-context/maps").iterdir():
        place.write_bytes(damage)

    assert repo.out("map") == cold


def test_the_index_is_private_and_a_read_only_state_is_no_obstacle(repo):
    repo.out("map")
    folder = repo.home / ".local/state/priced-context/maps"

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert repo.out("map", XDG_STATE_HOME="/proc/nowhere") == repo.out("map")


def test_parallel_maps_agree(repo):
    """Two agents of one project; the last to write wins, and neither sees half a file."""
    printed: list[str] = []
    threads = [threading.Thread(target=lambda: printed.append(repo.out("map"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(printed)) == 1


def test_forbidden_files_are_not_mapped(repo):
    repo.deny("Read(./web/**)", "Read(*.secret.py)")
    repo.write("app/x.secret.py", "def secret():\n    return 1\n")

    printed = repo.out("map")

    assert "view" not in printed
    assert "secret" not in printed
    assert "deny Read(./web/**)" in repo.trouble("map", "web/view.ts")


def test_links_are_not_followed(repo, tmp_path):
    (tmp_path / "out.py").write_text("def outside():\n    return 1\n")
    (repo.project / "out.py").symlink_to(tmp_path / "out.py")
    (repo.project / "around").symlink_to(repo.project)

    printed = repo.out("map")

    assert "outside" not in printed
    assert "around" not in printed


def test_a_tree_outside_is_mapped_for_a_person_only(repo, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "o.py").write_text("def other_one():\n    return 1\n")

    assert "lies outside" in repo.trouble("map", "../other")
    assert "other_one" in repo.out("--outside", "map", "../other")


def test_a_repository_runs_none_of_its_own_programs(repo, tmp_path):
    """A config that came with a clone names programs; a map must not be what starts them."""
    canary = tmp_path / "canary"
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {canary}\n')
    program.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "pre-commit", "post-checkout", "fsmonitor-watchman"):
        (hooks / hook).write_bytes(program.read_bytes())
        (hooks / hook).chmod(0o755)
    for key in (
        "core.fsmonitor", "core.pager", "pager.ls-files", "core.editor", "core.askPass",
        "core.sshCommand", "diff.external", "diff.x.textconv", "diff.x.command", "filter.x.clean",
        "filter.x.smudge", "filter.x.process", "credential.helper", "gpg.program",
        "core.alternateRefsCommand",
    ):  # fmt: skip
        git(repo.project, "config", key, str(program))
    git(repo.project, "config", "core.hooksPath", str(hooks))
    git(repo.project, "config", "alias.ls-files", f"!{program}")
    repo.write(".gitattributes", "* filter=x diff=x\n")
    repo.write("core.py", CORE + "\n")
    for _ in range(2):
        assert "core.py" in repo.out("map", GIT_EXTERNAL_DIFF=str(program), GIT_PAGER=str(program))

    assert not canary.exists(), canary.read_text()

    subprocess.run(["git", "status"], cwd=repo.project, capture_output=True, check=False)
    assert canary.exists(), "the canary is dead: the test shows nothing"


def test_a_cold_map_shows_a_bar_on_a_terminal_only(repo):
    """A person sees that something happens; an agent's context gets none of it."""
    leader, follower = pty.openpty()
    command = [CTX, "map"]
    environment = {"HOME": str(repo.home), "PATH": os.environ["PATH"]}
    subprocess.run(
        command, cwd=repo.project, env=environment, stdout=subprocess.DEVNULL, stderr=follower,
        check=True,
    )  # fmt: skip
    os.close(follower)
    shown = os.read(leader, 10_000).decode()
    os.close(leader)

    assert "7 of 7 files" in shown
    assert repo.run("map").stderr == ""


def test_nothing_to_map_is_said(ctx):
    assert "no source file" in ctx.trouble("map")
