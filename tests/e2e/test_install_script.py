"""install.sh: one command from a checkout to a working guard, and back to nothing.

One full installation, from and into folders with blanks, serves most tests here; pip makes it.
"""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from scratch import ScratchHome

ROOT = Path(__file__).parent.parent.parent
pytestmark = pytest.mark.skipif(
    not os.environ.get("CTX_E2E"), reason="pip makes an environment five times: CTX_E2E=1 runs it"
)

SCRIPT = "install.sh"
SETTINGS = '{\n\t"model": "opus"\n}'

PARTS = (
    "core", "hooks", "install.sh", "pyproject.toml", "README.md", "LICENSE", "window.json.example",
)  # fmt: skip

# How this machine reaches its package index, where that is not the usual way.
INDEX_PREFIXES = (
    "PIP_",
    "UV_",
    "SSL_CERT_",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "http_proxy",
    "https_proxy",
)
INDEX = {name: value for name, value in os.environ.items() if name.startswith(INDEX_PREFIXES)}


def folders(checkout: "Checkout") -> list[Path]:
    """Return every folder beside the home itself, without what pip keeps for itself."""
    scratch = checkout.scratch
    found = sorted(path for path in scratch.root.rglob("*") if path.is_dir())
    return [
        p for p in found if p != scratch.home and scratch.home / ".cache" not in (p, *p.parents)
    ]


@dataclass(frozen=True)
class Checkout:
    """A copy of the checkout in a folder of its own, and a home to install into."""

    folder: Path
    scratch: ScratchHome

    def run(self, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.folder / SCRIPT, *map(str, arguments)],
            env=self.scratch.environment | INDEX | environment,
            cwd=self.scratch.home,
            capture_output=True,
            text=True,
            check=False,
        )

    def listing(self) -> dict[str, tuple[int, int]]:
        """Return size and mtime of every file of the checkout."""
        return sizes_and_times(self.folder)


def sizes_and_times(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def without_caches(paths: list[str]) -> list[str]:
    """Leave out what pip keeps for itself."""
    return [path for path in paths if not path.startswith("home/.cache/")]


def seen_in_the_real_home() -> list[tuple[str, int]]:
    """Return when each place was changed that an installation would write to."""
    places = (".claude/settings.json", ".local/state/priced-context", ".local/bin/ctx")
    found = [Path.home() / place for place in places]
    return [(str(path), path.lstat().st_mtime_ns) for path in found if path.exists()]


def checkout_in(root: Path) -> Checkout:
    folder = root / "a checkout"
    folder.mkdir(parents=True)
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(
                ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__")
            )
        else:
            shutil.copy2(ROOT / part, folder / part)
    (root / "a home" / "home").mkdir(parents=True)
    return Checkout(folder, ScratchHome(root / "a home"))


@pytest.fixture
def checkout(tmp_path):
    """Return a checkout that nothing was installed from yet."""
    return checkout_in(tmp_path)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return a checkout after one full installation, and what that printed."""
    checkout = checkout_in(tmp_path_factory.mktemp("installed"))
    checkout.scratch.write_settings(SETTINGS)
    before = (checkout.listing(), seen_in_the_real_home())
    done = checkout.run()
    assert done.returncode == 0, done.stderr
    assert (checkout.listing(), seen_in_the_real_home()) == before  # read, never written
    return checkout, done.stdout


def test_it_ends_with_a_real_refusal_and_what_to_do_next(installed):
    _, said = installed

    assert "shutil.py whole is ~20k tok (~10% of window)" in said
    assert "restart them" in said
    assert 'is not on PATH yet: export PATH="' in said
    assert "priced-context/ctx' install --allow-menus`" in said
    assert "install.sh --uninstall" in said
    assert "not on PATH" in said


def test_the_command_and_the_hook_work(installed):
    """From the environment that it made, which needs the checkout no more."""
    checkout, _ = installed
    scratch = checkout.scratch

    done = subprocess.run(
        [scratch.home / ".local" / "bin" / "ctx", "doctor"],
        env=scratch.environment,
        cwd=scratch.home,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout
    assert str(checkout.folder) not in scratch.launcher.read_text()
    hooks = json.loads(scratch.settings.read_text())["hooks"]["PreToolUse"][0]["hooks"]
    assert [hook["command"] for hook in hooks] == [str(scratch.launcher)]


def test_the_package_is_compiled(installed):
    """No call should compile it again, even where the environment is read-only."""
    checkout, _ = installed
    package = next((checkout.scratch.root / "data").rglob("site-packages/priced_context"))

    compiled = {path.name.partition(".")[0] for path in (package / "__pycache__").glob("*.pyc")}
    assert compiled == {path.stem for path in package.glob("*.py")}


def test_nothing_outside_is_touched(installed):
    """Every file it made stands in the home it was given: state, data, settings and one link."""
    checkout, _ = installed
    scratch = checkout.scratch
    made = {path.split("/")[0] for path in scratch.files()}

    assert made == {"home", "state", "data"}
    at_home = [path for path in scratch.files() if path.startswith("home/")]
    assert [path.partition(".before")[0] for path in without_caches(at_home)] == [
        "home/.claude/settings.json",
        "home/.claude/settings.json",
        "home/.local/bin/ctx",
    ]


def test_uninstalling_leaves_no_trace(checkout):
    """After two installations: the second must find the first, and undo must undo both."""
    checkout.scratch.write_settings(SETTINGS)
    (checkout.scratch.home / ".local" / "share").mkdir(parents=True)  # empty, and the user's own
    before = folders(checkout)
    assert [checkout.run().returncode, checkout.run().returncode] == [0, 0]
    link = checkout.scratch.home / ".local" / "bin" / "ctx"
    assert f"would remove {link}\n" in checkout.run("--uninstall", "--dry-run").stdout
    assert "would update " in checkout.run("--dry-run").stdout
    assert checkout.scratch.launcher.exists()

    done = checkout.run("--uninstall")

    assert done.returncode == 0, done.stderr
    assert "kept " not in done.stdout
    assert without_caches(checkout.scratch.files()) == ["home/.claude/settings.json"]
    assert checkout.scratch.settings.read_text() == SETTINGS
    assert folders(checkout) == before
    assert "nothing is installed" in checkout.run("--uninstall").stdout


@pytest.mark.parametrize("mode", ["", "--dry-run"])
def test_settings_that_are_broken_are_found_before_anything_is_made(checkout, mode):
    """An environment takes a minute; the sentence does not wait for it."""
    checkout.scratch.write_settings("{")
    before = folders(checkout)

    done = checkout.run(*mode.split())

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"install.sh: {checkout.scratch.settings}: not JSON at line 1, column 2."
        " Nothing was changed\n"
    )
    assert folders(checkout) == before


def test_settings_that_are_refused_leave_nothing_behind(checkout):
    """After the sentence on them the user has what there was before."""
    checkout.scratch.write_settings('{"hooks": 3}')
    before = folders(checkout)

    done = checkout.run()

    assert done.returncode == 1
    assert "Nothing was changed" in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout.endswith("taken back   nothing is installed\n")
    assert without_caches(checkout.scratch.files()) == ["home/.claude/settings.json"]
    assert folders(checkout) == before


def test_an_update_that_fails_leaves_what_there_was(checkout):
    """And what there is can be removed, whatever became of the settings."""
    assert checkout.run().returncode == 0
    checkout.scratch.settings.write_text('{"hooks": 3}')
    launcher = checkout.scratch.launcher.read_bytes()

    update = checkout.run()

    assert update.returncode == 1
    assert "stands: run install.sh again, or install.sh --uninstall" in update.stdout
    assert checkout.scratch.launcher.read_bytes() == launcher

    done = checkout.run("--uninstall")

    assert done.returncode == 1
    assert "It is as it was; what names /priced-context/ in it is ours" in done.stderr
    assert without_caches(checkout.scratch.files()) == ["home/.claude/settings.json"]
    assert checkout.scratch.settings.read_text() == '{"hooks": 3}'
    assert folders(checkout) == [checkout.scratch.settings.parent]


def test_a_dry_run_changes_nothing(checkout):
    done = checkout.run("--dry-run")

    assert done.returncode == 0, done.stderr
    for words in (
        "would make ",
        f"would write     {checkout.scratch.state}:",
        f"would register  in {checkout.scratch.settings}: a hook on reads",
        "a status line",
        "Nothing was changed",
    ):
        assert words in done.stdout
    assert checkout.scratch.files() == []


def test_settings_in_a_folder_that_is_none_are_found_by_the_dry_run_too(checkout):
    done = checkout.run("--dry-run", "--settings", checkout.folder / "LICENSE" / "x.json")

    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "LICENSE is no folder. Nothing was changed" in done.stderr


def programs(checkout: Checkout, *names: str) -> str:
    """Return a PATH that offers the named system programs and nothing else."""
    folder = checkout.scratch.programs
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).symlink_to(shutil.which(name) or name)
    return str(folder)


def test_without_a_python_it_says_so_in_one_sentence(checkout):
    path = programs(checkout, "sh", "dirname", "uname")

    done = checkout.run(PATH=path)

    assert done.returncode == 1
    assert done.stderr == (
        "install.sh: no Python 3.11 or later and no uv on PATH:"
        " install one of them and run this again\n"
    )


def test_an_old_python_is_passed_over(checkout):
    """`python3` may be 3.9 while python3.12 stands beside it."""
    path = programs(checkout, "sh", "dirname", "uname", "env")
    old = checkout.scratch.programs / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    newer = checkout.scratch.programs / "python3.12"
    newer.write_text("#!/bin/sh\nexit 0\n")
    newer.chmod(0o755)

    done = checkout.run("--dry-run", PATH=path)

    assert f"with {newer}" in done.stdout


def test_a_python_without_venv_is_one_sentence(checkout):
    """Debian splits the module off."""
    path = programs(checkout, "sh", "dirname", "uname", "mkdir", "cat", "readlink", "rm", "rmdir")
    bare = checkout.scratch.programs / "python3"
    bare.write_text('#!/bin/sh\n[ "$1" = -c ]\n')
    bare.chmod(0o755)

    done = checkout.run(PATH=path)

    assert done.returncode == 1
    assert "python3-venv" in done.stderr
    assert done.stderr.count("\n") == 1
    assert folders(checkout) == [checkout.scratch.programs]


@pytest.mark.parametrize("arguments", [["--frobnicate"], ["extra"]])
def test_an_unknown_option_is_a_usage_error(checkout, arguments):
    done = checkout.run(*arguments)

    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_an_option_without_its_value_is_one_sentence(checkout):
    assert "needs a file" in checkout.run("--settings").stderr


def test_help_is_the_head_of_the_script(checkout):
    done = checkout.run("--help")

    assert done.stdout.startswith("Sets up priced context")
    assert "--uninstall" in done.stdout


@pytest.mark.skipif(not shutil.which("uv"), reason="needs uv")
def test_uv_serves_as_well(checkout):
    path = f"{Path(shutil.which('uv') or '').parent}:{os.defpath}"

    done = checkout.run("--no-register", PATH=path)

    assert done.returncode == 0, done.stderr
    assert not checkout.scratch.settings.exists()


@pytest.mark.parametrize("left", ["state", "registration", "named registration"])
def test_what_is_left_without_its_environment_is_not_called_nothing(checkout, left):
    """Somebody removed the environment by hand: the hook still stands in the settings."""
    scratch = checkout.scratch
    options: list[object] = []
    if left == "state":
        scratch.state.mkdir(parents=True)
        scratch.launcher.touch()
    elif left == "registration":
        scratch.write_settings(f'{{"hooks": "{scratch.launcher}"}}')
    else:
        (scratch.home / "mine.json").write_text(f'{{"hooks": "{scratch.launcher}"}}')
        options = ["--settings", "mine.json"]

    done = checkout.run("--uninstall", *options)

    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "run install.sh once more, then --uninstall" in done.stderr


def test_a_link_of_the_users_that_leads_nowhere_stays(checkout):
    """It may lead to a disk that is not there now."""
    link = checkout.scratch.home / ".local" / "bin" / "ctx"
    link.parent.mkdir(parents=True)
    link.symlink_to("/nowhere/ctx")

    done = checkout.run("--no-register")

    assert done.returncode == 0, done.stderr
    assert f"{link} is something else" in done.stdout
    assert link.readlink() == Path("/nowhere/ctx")
