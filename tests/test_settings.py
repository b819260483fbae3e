"""The user's settings, as a hook reads them."""

import json
import os
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priced_context.policy import budget_of, matches
from priced_context.records import Window
from priced_context.settings import Settings, compile_sources, settings_of

ROOMY = Window(1_000_000, 0)


@pytest.fixture
def write(tmp_path):
    """Return a function that writes the user's config and compiles it as `ctx install` does."""

    def write(text: str) -> None:
        (tmp_path / "config.toml").write_text(text)
        sources = [str(tmp_path / "config.toml"), str(tmp_path / "settings.json")]
        compile_sources(str(tmp_path), str(tmp_path / "policy"), sources)

    return write


def loaded(tmp_path, project=None) -> dict[str, object]:
    """Return every setting that is not at its default."""
    settings, plain = settings_of(str(tmp_path), str(project or tmp_path)), Settings()
    return {
        name: getattr(settings, name)
        for name in Settings.__slots__
        if getattr(settings, name) != getattr(plain, name)
    }


def test_without_a_policy_the_defaults_hold(tmp_path):
    """A checkout's hook knows no config."""
    assert loaded(tmp_path) == {}


def test_every_key_is_read(tmp_path, write):
    """As docs/settings.md lists them, and the one of the client's."""
    (tmp_path / "settings.json").write_text(json.dumps({"autoCompactWindow": 300_000}))
    write(
        'mode = "observe"\nwindow_tokens = 150_000\ninline_budget_bytes = 9000\n'
        "read_budget_share = 0.1\nread_budget_min = 1000\nread_budget_max = 50_000\n"
        'allow = ["docs/*", "*.lock"]\n'
    )

    assert loaded(tmp_path) == {
        "mode": "observe",
        "window_tokens": 150_000,
        "inline_budget_bytes": 9_000,
        "read_budget_share": 0.1,
        "read_budget_min": 1_000,
        "read_budget_max": 50_000,
        "allow": ["docs/*", "*.lock"],
        "auto_compact_window": 300_000,
    }


@pytest.mark.parametrize(
    "text",
    ["mode = 'shout'", "window_tokens = -1", "allow = 'x'", "read_budget_share = 2", "mode ="],
)
def test_a_value_that_makes_no_sense_is_left_at_its_default(tmp_path, write, text):
    """`ctx doctor` names it; a hook goes on."""
    write(text)

    assert loaded(tmp_path) == {}


def test_a_changed_config_counts_from_the_next_call(tmp_path, write):
    """Without a new `ctx install`."""
    write("window_tokens = 150_000")
    (tmp_path / "config.toml").write_text("window_tokens = 160_000")
    os.utime(tmp_path / "config.toml", ns=(1, 1))

    assert loaded(tmp_path) == {"window_tokens": 160_000}
    assert "window_tokens\t160000" in (tmp_path / "policy").read_text()


def test_a_removed_config_counts_no_more(tmp_path, write):
    """Its compiled form must not outlive it."""
    write("window_tokens = 150_000")
    (tmp_path / "config.toml").unlink()

    assert loaded(tmp_path) == {}


def test_a_project_may_loosen(tmp_path, write):
    """More is let through."""
    write("read_budget_max = 10_000")
    project = tmp_path / "project"
    project.mkdir()
    (project / ".priced-context.toml").write_text(
        'mode = "observe"\nread_budget_max = 20_000\nallow = ["data/*"]\n'
    )
    (tmp_path / "projects").mkdir()

    assert loaded(tmp_path, project) == {
        "mode": "observe",
        "read_budget_max": 10_000,
        "project_budget_max": 20_000,
        "allow": ["data/*"],
    }
    assert budget_of(ROOMY, settings_of(str(tmp_path), str(project))) == 14_142


@pytest.mark.parametrize("users", ["", "read_budget_max = 10_000", 'mode = "observe"'])
def test_a_project_may_not_tighten(tmp_path, write, users):
    """That is what a hostile repository would do."""
    write(users)
    before = settings_of(str(tmp_path), str(tmp_path))
    project = tmp_path / "project"
    project.mkdir()
    (project / ".priced-context.toml").write_text(
        'mode = "steer"\nread_budget_max = 1\nread_budget_min = 1\nwindow_tokens = 1000\n'
        "inline_budget_bytes = 1\nread_budget_share = 0.001\ntools = ['x']\ncut_unpriced = true\n"
    )

    after = settings_of(str(tmp_path), str(project))

    assert budget_of(ROOMY, after) == budget_of(ROOMY, before)
    for name in ("mode", "window_tokens", "inline_budget_bytes", "tools", "cut_unpriced"):
        assert getattr(after, name) == getattr(before, name)


@pytest.mark.parametrize(
    ("glob", "matched"),
    [
        ("docs/*", ["/p/docs/a.md", "/p/docs/a/b.md"]),
        ("*.lock", ["/p/yarn.lock", "/q/x/Cargo.lock"]),
        ("/q/*", ["/q/x/Cargo.lock"]),
        ("a?.md", []),
        ("docs/?.md", ["/p/docs/a.md"]),
        ("*", ["/p/docs/a.md", "/p/docs/a/b.md", "/p/yarn.lock", "/q/x/Cargo.lock"]),
    ],
)
def test_a_glob_counts_from_the_project_folder(glob, matched):
    """Unless it begins with a star or a slash."""
    paths = ["/p/docs/a.md", "/p/docs/a/b.md", "/p/yarn.lock", "/q/x/Cargo.lock"]
    rooted = glob if glob[0] in "/*" else f"/p/{glob}"

    assert [path for path in paths if matches(path, rooted)] == matched


@given(st.text("ab*?", max_size=8), st.text("ab", max_size=8))
def test_globs_match_as_fnmatch_does(glob, text):
    """Which costs a hook 10 ms to import."""
    assert matches(text, glob) == fnmatchcase(text, glob)


def test_allowed_files_are_never_judged(agent):
    """The user's word on a file is final; others in the same call are judged alone."""
    (agent.project / ".priced-context.toml").write_text('allow = ["mid.*"]')

    assert agent.read("mid.py") == {}
    assert agent.read("big.py") != {}
