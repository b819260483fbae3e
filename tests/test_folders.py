"""What sessions leave behind does not grow for ever."""

import os
import time

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
