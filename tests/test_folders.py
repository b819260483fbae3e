"""What sessions leave behind does not grow for ever."""

import os
import time

import pytest

from priced_context.folders import DAY_SECONDS, prune


def session(state, name: str, days_old: float):
    """Make a session's folder whose newest file is so old."""
    folder = state / "sessions" / name
    folder.mkdir(parents=True)
    then = time.time() - days_old * DAY_SECONDS
    for path in (folder / "told", folder):
        path.touch()
        os.utime(path, (then, then))
    return folder


def test_sessions_over_30_days_old_are_removed(tmp_path):
    """The client itself keeps its logs about as long."""
    old, recent = session(tmp_path, "s1", 31), session(tmp_path, "s2", 29)

    prune(tmp_path)

    assert not old.exists()
    assert recent.exists()


@pytest.mark.parametrize("name", ["maps/home-u-project", "analyses/ab12", "analyses/ab12.lock"])
def test_so_are_maps_and_analyses(tmp_path, name):
    """An analysis that failed leaves its lock."""
    kept, old = tmp_path / f"{name}-29", tmp_path / name
    old.parent.mkdir()
    for path, days in ((kept, 29), (old, 31)):
        path.touch()
        then = time.time() - days * DAY_SECONDS
        os.utime(path, (then, then))

    prune(tmp_path)

    assert (kept.exists(), old.exists()) == (True, False)


def test_it_looks_once_a_day(tmp_path):
    """A verb must not walk every session each time."""
    prune(tmp_path)
    old = session(tmp_path, "s1", 31)

    prune(tmp_path)

    assert old.exists()


def test_without_a_state_nothing_is_made(tmp_path):
    """A verb run before `ctx install`, or after `ctx uninstall`, leaves no trace."""
    prune(tmp_path / "none")

    assert not (tmp_path / "none").exists()


def test_what_is_no_session_does_not_stop_it(tmp_path):
    """A stray file or a dangling link; an old link goes, and never what it leads to."""
    sessions = tmp_path / "sessions"
    elsewhere = session(tmp_path / "elsewhere", "s9", 31)
    sessions.mkdir()
    (sessions / "aa").write_text("stray")
    (sessions / "ab").symlink_to("nowhere")
    (sessions / "ac").symlink_to(elsewhere)
    then = time.time() - 31 * DAY_SECONDS
    os.utime(sessions / "ac", (then, then), follow_symlinks=False)
    old = session(tmp_path, "b1", 31)

    prune(tmp_path)

    assert not old.exists()
    assert sorted(os.listdir(sessions)) == ["aa", "ab"]
    assert (elsewhere / "told").exists()


def test_a_stamp_in_the_future_counts_as_none(tmp_path):
    """It comes from a clock that ran ahead, and would hold until then."""
    (tmp_path / "pruned").touch()
    then = time.time() + 400 * DAY_SECONDS
    os.utime(tmp_path / "pruned", (then, then))
    old = session(tmp_path, "s1", 31)

    prune(tmp_path)

    assert not old.exists()
