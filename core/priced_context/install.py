"""`ctx install` and `ctx uninstall`: the launcher, and our entry in the client's settings."""

import argparse
import difflib
import glob
import os
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from priced_context import probe
from priced_context.config import wants_cuts
from priced_context.console import Trouble
from priced_context.files import read_regular, read_small, replace
from priced_context.folders import (
    LARGEST_SETTINGS_BYTES,
    client_settings,
    config_file,
    state_folder,
)
from priced_context.launcher import compile_package, link_command, write_launcher
from priced_context.prefilter import hook_in, write_prefilter
from priced_context.registration import (
    LAUNCHER,
    has_menu_rules,
    is_registered,
    launchers,
    menu_rules,
    registered,
    unregistered,
    users_status_line,
)
from priced_context.settings import compile_sources
from priced_context.statusline import CHAINED

BACKUP_MARK = ".before-priced-context-"
"""Between the settings' name and the date, in the name of the backup beside them."""

KEPT_IN_STATE = ("config.toml", "venv")
"""On macOS one folder is state, configuration and data: these two are not state."""


class Change(NamedTuple):
    """The text of a settings file before and after; None where there is no file."""

    before: str | None
    after: str | None


def install(arguments: list[str]) -> int:
    """Write the launcher and its prefilter, register them, and show what they answer."""
    parser = argparse.ArgumentParser("ctx install", description=install.__doc__)
    _shared_options(parser)
    parser.add_argument("--no-register", action="store_true", help="leave the settings alone")
    parser.add_argument(
        "--allow-menus",
        action="store_true",
        help="let agents run ctx stats, get and map without asking (three allow rules)",
    )
    options = parser.parse_args(arguments)
    state, settings = state_folder(), options.settings or client_settings()
    launcher = state / LAUNCHER

    def change_to(hook: Path) -> Change:
        if options.no_register:
            return Change(None, None)
        return registration(settings, str(hook), allow_menus=options.allow_menus)

    change = change_to(hook_in(state))  # settings that cannot be changed stop us before anything is
    if options.dry_run:
        print(f"would write  {launcher}")
        _show(settings, change)
        return 0
    try:
        write_launcher(state)
        write_prefilter(state)
        link_command(state)
    except OSError as error:
        raise Trouble(f"cannot write {launcher}: {error.strerror}") from error
    compile_package()
    hook = hook_in(state)
    change = change_to(hook)
    chain_status_line(state, change)
    apply(settings, change)
    compile_sources(f"{state}/policy", [str(config_file()), str(settings)])
    print(f"launcher     {launcher}")
    print(f"prefilter    {'none: no C compiler' if hook == launcher else hook}")
    print("registered   nowhere" if options.no_register else f"registered   {settings}")
    if not options.no_register:
        print("             reads are priced; /compact is held while 40% of the window is free;")
        print("             a status line shows how much is free, after your own if you have one")
        for rule in menu_rules(str(state)) if has_menu_rules(change.after or "") else []:
            print(f"allowed      {rule}")
    print(f"\nAn agent that would Read {probe.LONG_FILE} whole is told:\n")
    print(f"  {probe.refusal()}\n")
    if not has_menu_rules(change.after or ""):
        print("Outside auto mode it is offered ctx stats only after `ctx install --allow-menus`.")
    if change.before != change.after:
        print("Sessions that run now know nothing of it: restart them.")
    return 0


def uninstall(arguments: list[str]) -> int:
    """Take our entry out of the client's settings and remove everything remembered."""
    parser = argparse.ArgumentParser("ctx uninstall", description=uninstall.__doc__)
    _shared_options(parser)
    options = parser.parse_args(arguments)
    state, settings = state_folder(), options.settings or client_settings()

    change = removal(settings, _chained(state))
    if options.dry_run:
        _show(settings, change)
        print(f"would remove {state}")
        return 0
    apply(settings, change)
    _remove_state(state)
    was = "" if change.before != change.after else " (was not there)"
    print(f"unregistered {settings}{was}")
    print(f"removed      {state}")
    if config_file().exists():
        print(f"kept         {config_file()} (yours)")
    return 0


def _shared_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", type=Path, metavar="FILE", help="the client's settings file")
    parser.add_argument("--dry-run", action="store_true", help="say what would change, and stop")


def registration(settings: Path, launcher: str, *, allow_menus: bool = False) -> Change:
    """Return the change that registers the launcher and what the user's config asks for.

    Nothing is written. Allow rules that stand there stay.

    Raises:
        Trouble: the file cannot be read or written, or is no settings file.
    """
    before = _read(settings)
    text = before or ""
    with _naming(settings):
        menus = allow_menus or has_menu_rules(text)
        cuts = wants_cuts(config_file())
        return Change(before, registered(text, launcher, cuts=cuts, menus=menus))


def removal(settings: Path, users_line: str = "") -> Change:
    """Return the change that takes us out; nothing is written.

    *users_line* is the status line of the user's that ours calls, "" where there is none.

    Where nothing else has changed since we came, that leads back to the backup, byte for byte;
    else to what stands there now without our entry.

    Raises:
        Trouble: as `registration`.
    """
    before = _read(settings)
    with _naming(settings):
        if before is None or not is_registered(before):
            return Change(before, before)
        backups = _backups(settings)
        original = _read(backups[0]) if backups else None
        came_from = original or ""
        if any(
            registered(came_from, ours, cuts=cuts, menus=menus) == before
            for ours in launchers(before)
            for cuts in (False, True)
            for menus in (False, True)
        ):
            return Change(before, original)
        return Change(before, unregistered(before, users_line))


def chain_status_line(state: Path, change: Change) -> None:
    """Keep the user's own status line where ours finds it.

    Raises:
        Trouble: it cannot be kept; the settings must not lose it then.
    """
    if change.before == change.after:
        return
    line = users_status_line(change.before or "")
    place = state / CHAINED
    try:
        if line:
            replace(str(place), line.encode())
        elif not is_registered(change.before or ""):
            place.unlink(missing_ok=True)
    except OSError as error:
        raise Trouble(f"cannot write {place}: {error.strerror}") from error


def _chained(state: Path) -> str:
    return read_small(str(state / CHAINED)).decode("utf-8", "replace")


def apply(settings: Path, change: Change) -> None:
    """Write a change at once, with one dated backup beside the settings while we are in them.

    A link is followed, the file's mode is kept.

    Raises:
        Trouble: the file cannot be written; it is as it was.
    """
    if change.before == change.after:
        return
    target = Path(os.path.realpath(settings))
    scratch = target.with_name(f"{target.name}.{os.getpid()}")
    try:
        if change.before is not None and not is_registered(change.before):
            _back_up(settings)
        if change.after is None:
            target.unlink()
            with suppress(OSError):  # the folder may be one that we made for it
                target.parent.rmdir()
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            scratch.touch(mode=0o600)
            scratch.write_bytes(change.after.encode())
            if target.exists():
                shutil.copymode(target, scratch)
            scratch.replace(target)
        if not is_registered(change.after or ""):
            _remove_backups(settings)
    except OSError as error:
        scratch.unlink(missing_ok=True)
        message = f"cannot write {settings}: {error.strerror}; check its folder's permissions"
        raise Trouble(message) from error


def _read(settings: Path) -> str | None:
    """Return the settings' text; None where there is no file."""
    try:
        raw = read_regular(str(settings), LARGEST_SETTINGS_BYTES)
        if not settings.stat().st_mode & stat.S_IWUSR:  # a rename would walk past the mode
            raise Trouble(f"{settings} is read-only: `chmod u+w` it and try again")
        return raw.decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        message = f"{settings}: not UTF-8 at byte {error.start}. Nothing was changed"
        raise Trouble(message) from error
    except OSError as error:
        message = f"cannot read {settings}: {error.strerror}. Nothing was changed"
        raise Trouble(message) from error


@contextmanager
def _naming(settings: Path) -> Iterator[None]:
    """Let any trouble inside name the file."""
    try:
        yield
    except Trouble as trouble:
        raise Trouble(f"{settings}: {trouble}. Nothing was changed") from trouble


def _back_up(settings: Path) -> None:
    _remove_backups(settings)
    today = time.strftime("%Y-%m-%d")
    shutil.copy2(settings, settings.with_name(f"{settings.name}{BACKUP_MARK}{today}"))


def _remove_backups(settings: Path) -> None:
    for backup in _backups(settings):
        backup.unlink()


def _backups(settings: Path) -> list[Path]:
    return sorted(settings.parent.glob(glob.escape(settings.name + BACKUP_MARK) + "*"))


def _remove_state(state: Path) -> None:
    for entry in state.iterdir() if state.exists() else ():
        if entry.name in KEPT_IN_STATE:
            continue
        if entry.is_dir():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    with suppress(OSError):  # not there, or not empty
        state.rmdir()


def _show(settings: Path, change: Change) -> None:
    """Print what would change in the settings, as a diff."""
    before, after = (text or "" for text in change)
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), str(settings), "would become", lineterm=""
    )
    print("\n".join(lines) or f"{settings} would stay as it is")
