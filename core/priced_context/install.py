"""`ctx install` and `ctx uninstall`: the launcher, and our entry in the client's settings."""

import argparse
import difflib
import glob
import json
import os
import shlex
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from priced_context import probe
from priced_context.config import wants_cuts
from priced_context.console import Trouble, say, say_all
from priced_context.files import read_regular, read_small, replace
from priced_context.folders import (
    APP,
    LARGEST_SETTINGS_BYTES,
    client_settings,
    config_file,
    data_folder,
    state_folder,
)
from priced_context.launcher import MODULES, compile_package, link_command, write_launcher
from priced_context.prefilter import can_build, hook_in, write_prefilter
from priced_context.registration import (
    COMMAND,
    HOOKS,
    LAUNCHER,
    PREFILTER,
    STATUSLINE,
    has_menu_rules,
    is_registered,
    menu_rules,
    registered,
    registered_hooks,
    unregistered,
    users_status_line,
)
from priced_context.settings import COMPILED, SWITCH, compile_sources
from priced_context.statusline import CHAINED

BACKUP_MARK = ".before-priced-context-"
"""Between the settings' name and the date, in the name of the backup beside them."""

KEPT_IN_STATE = ("config.toml", "venv")
"""On macOS one folder is state, configuration and data: these two are not state."""


SPAWNED = (*HOOKS, STATUSLINE)
"""What the client runs out of the state folder."""

PASSES = "#!/usr/bin/env true\n"
"""A program that passes every call and never opens its own file. An interpreter that no longer
finds its file ends with 2, which blocks the call; one that finds this has nothing to do."""
START_SECONDS = 0.3
"""An interpreter has opened its program by then, and most calls have ended (10 to 30 ms)."""

MADE = "made"
"""The file in the state folder that lists, as JSON, the folders that `ctx install` made."""

TRIES = 5
"""So often a change is computed again that an edit of the settings came between."""


class Edited(Exception):  # noqa: N818 - nothing is wrong: the change is computed again
    """The settings are no longer what a change was computed from."""


class Broken(Trouble):
    """The settings' file cannot be read as settings, so that nothing can go in or out."""

    def __init__(self, settings: Path, reason: str) -> None:
        super().__init__(f"{settings}: {reason}. Nothing was changed")
        self.reason = reason


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
    state, settings = state_folder(), settings_file(options.settings)
    launcher = state / LAUNCHER

    def change_to(hook: Path) -> Change:
        if options.no_register:
            return Change(None, None)
        return registration(settings, str(hook), allow_menus=options.allow_menus)

    change = change_to(hook_in(state))  # settings that cannot be changed stop us before anything is
    made = missing_folders(state)
    if not options.no_register:
        made += missing_folders(Path(os.path.realpath(settings)))
    if options.dry_run:
        hook = state / PREFILTER if can_build(state) else launcher
        rehearse(state, hook, made, settings, change_to(hook))
        return 0
    try:
        write_launcher(state)
        note_made(state, made)
        write_prefilter(state)
        link_command(state)
    except OSError as error:
        raise Trouble(f"cannot write {launcher}: {error.strerror}") from error
    compile_package()
    hook = hook_in(state)
    change = settle(
        settings, lambda: change_to(hook), before=lambda it: chain_status_line(state, it)
    )
    compile_sources(str(state), f"{state}/{COMPILED}", [str(config_file()), str(settings)])
    tell(state, hook, None if options.no_register else settings, change)
    return 0


def tell(state: Path, hook: Path, settings: Path | None, change: Change) -> None:
    """Print what an install did, what it shows an agent, and what is left to do."""
    print(f"launcher     {state / LAUNCHER}")
    print(f"prefilter    {'none: no C compiler' if hook.name == LAUNCHER else hook}")
    print(f"registered   {settings or 'nowhere'}")
    if settings:
        print("             reads are priced; /compact is held while 40% of the window is free;")
        print("             a status line shows how much is free, after your own if you have one")
        for rule in menu_rules(str(state)) if has_menu_rules(change.after or "") else []:
            print(f"allowed      {rule}")
    print(f"\nAn agent that would Read {probe.LONG_FILE} whole is told:\n")
    print(f"  {probe.refusal()}\n")
    ctx = "ctx" if shutil.which("ctx") else shlex.quote(str(state / COMMAND))
    if not has_menu_rules(change.after or ""):
        print(
            f"Outside auto mode it is offered ctx stats only after `{ctx} install --allow-menus`."
        )
    if (state / SWITCH).exists():
        print(f"But the guard is switched off, and prices nothing until `{ctx} on`.")
    if change.before != change.after:
        print("Sessions that run now know nothing of it: restart them.")


def rehearse(state: Path, hook: Path, made: list[Path], settings: Path, change: Change) -> None:
    """Print what an install does that ends with this hook and this change."""
    names = [*MODULES, COMMAND, COMPILED]
    built = [PREFILTER, f"{PREFILTER}.c"]
    is_built = hook.name == PREFILTER
    if is_built:
        names += built
    if made:
        names.append(MADE)
    if change.before != change.after and users_status_line(change.before or ""):
        names.append(CHAINED)
    for name in names:
        print(f"would write  {state / name}")
    if _needs_backup(change):
        print(f"would write  {_backup_of(settings)}")
    for name in () if is_built else built:
        if (state / name).exists():
            print(f"would remove {state / name}")
    _show(settings, change)


def uninstall(arguments: list[str]) -> int:
    """Take our entry out of the client's settings and remove everything remembered.

    Settings that are broken are left as they are, and all else is removed.
    """
    parser = argparse.ArgumentParser("ctx uninstall", description=uninstall.__doc__)
    _shared_options(parser)
    parser.add_argument("--by-script", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    state, settings = state_folder(), settings_file(options.settings)

    troubles: list[Trouble] = []

    def change_away() -> Change:
        troubles.clear()
        try:
            return removal(settings, _chained(state))
        except Broken as broken:
            words = "It is as it was; what names /priced-context/ in it is ours"
            troubles.append(Trouble(f"{settings}: {broken.reason}. {words}"))
            return Change(None, None)

    change = change_away()
    if options.dry_run:
        if not troubles:
            _show(settings, change)
        print(f"would remove {state}")
        if not options.by_script:
            print(f"would keep   {remains()}")
        return say_all(troubles)
    change = settle(settings, change_away)
    made = made_in(state)
    _remove_state(state)
    for folder in made:
        with suppress(OSError):  # others have put files there
            os.rmdir(folder)
    if not troubles:
        was = "" if change.before != change.after else " (was not there)"
        print(f"unregistered {settings}{was}")
    print(f"removed      {state}")
    for kept in kept_by(settings, is_broken=bool(troubles), by_script=options.by_script):
        print(f"kept         {kept}")
    if change.before != change.after:
        print("Sessions that run now still call hooks that are gone: restart them.")
    return say_all(troubles)


def kept_by(settings: Path, *, is_broken: bool, by_script: bool) -> Iterator[str]:
    """Yield each file that an uninstall leaves, and why."""
    for backup in _backups(settings):
        before_us = is_broken and _original_in(backup) is not None
        what = "the settings before us" if before_us else "not what the settings were before us"
        yield f"{backup} ({what})"
    if config_file().exists():
        yield f"{config_file()} (yours)"
    if not by_script:  # which removes the environment next
        yield remains()


def remains() -> str:
    """Return where the command itself stays, and how it is removed: it cannot remove itself."""
    environment = Path(sys.prefix)
    if environment != data_folder() / "venv":
        return f"{environment}, the command (`pip uninstall {APP}` removes it)"
    names = [environment]
    link = Path("~/.local/bin").expanduser() / COMMAND
    if link.is_symlink() and link.readlink().is_relative_to(environment):
        names.append(link)
    return f"{environment}, the command (`rm -rf {shlex.join(map(str, names))}` removes it)"


def settings_file(named: Path | None) -> Path:
    """Return the settings file that a person named, else the client's; absolute.

    Raises:
        Trouble: this process stands in a directory that is gone.
    """
    try:
        return Path(os.getcwd(), named or client_settings())
    except OSError as error:
        raise Trouble("the working directory is gone; change to another one") from error


def _shared_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", type=Path, metavar="FILE", help="the client's settings file")
    parser.add_argument("--dry-run", action="store_true", help="say what would change, and stop")


def registration(settings: Path, hook: str, *, allow_menus: bool = False) -> Change:
    """Return the change that registers *hook* and what the user's config asks for.

    Nothing is written. Allow rules that stand there stay.

    Raises:
        Trouble: the file cannot be read or written, or is no settings file.
    """
    before = _read(settings)
    text = before or ""
    with _naming(settings):
        menus = allow_menus or has_menu_rules(text)
        cuts = wants_cuts(config_file())
        return Change(before, registered(text, hook, cuts=cuts, menus=menus))


def removal(settings: Path, users_line: str = "") -> Change:
    """Return the change that takes us out; nothing is written.

    *users_line* is the status line of the user's that ours calls; where that is "", the backup
    may know one.

    Where nothing else has changed since we came, that leads back to the backup, byte for byte;
    else to what stands there now without our entry.

    Raises:
        Trouble: as `registration`.
    """
    before = _read(settings)
    with _naming(settings):
        if before is None or not is_registered(before):
            return Change(before, before)
        found = map(_original_in, _backups(settings))
        original = next((text for text in found if text is not None), None)
        came_from = original or ""
        line_then = users_status_line(came_from)
        users_line = users_line or line_then
        if users_line == line_then and any(
            registered(came_from, ours, cuts=cuts, menus=menus) == before
            for ours in registered_hooks(before)
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


def settle(
    settings: Path, propose: Callable[[], Change], before: Callable[[Change], None] | None = None
) -> Change:
    """Write the change that *propose* computes and return it; computed again after an edit.

    *before* is called with each change before it is written.

    Raises:
        Trouble: the file cannot be written, or somebody else writes it all the time.
    """
    for _ in range(TRIES):
        change = propose()
        if before:
            before(change)
        try:
            apply(settings, change)
        except Edited:
            continue
        return change
    raise Trouble(f"{settings} changes all the time: close what writes it and try again")


def apply(settings: Path, change: Change) -> None:
    """Write a change at once, with one dated backup beside the settings while we are in them.

    A link is followed; the file's mode is kept, and where root writes, its owner. Other hard links
    to it are left behind: writing in place could leave half a file.

    Raises:
        Trouble: the file cannot be written; it is as it was.
        Edited: it is no longer what the change was computed from, and left so.
    """
    if change.before == change.after:
        return
    target = Path(os.path.realpath(settings))
    scratch = target.with_name(f"{target.name}.{os.getpid()}")
    try:
        if change.before is not None and _needs_backup(change):
            _back_up(settings, change.before)
        if change.after is None:
            _hold_unedited(settings, change)
            target.unlink()
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            _write_like(target, scratch, change.after)
            _hold_unedited(settings, change)
            has_names = target.exists() and target.stat().st_nlink > 1
            scratch.replace(target)
            if has_names:
                say(f"{settings} is a file of its own now: its other hard links keep the old text")
        if not is_registered(change.after or ""):
            for backup in _backups(settings):
                if _original_in(backup) is not None:
                    backup.unlink()
    except (Edited, Trouble):
        scratch.unlink(missing_ok=True)
        raise
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
        raise Broken(settings, f"not UTF-8 at byte {error.start}") from error
    except OSError as error:
        raise Broken(settings, f"cannot be read: {error.strerror}") from error


@contextmanager
def _naming(settings: Path) -> Iterator[None]:
    """Let any trouble inside name the file."""
    try:
        yield
    except Trouble as trouble:
        raise Broken(settings, str(trouble)) from trouble


def _hold_unedited(settings: Path, change: Change) -> None:
    if _read(settings) != change.before:
        raise Edited


def _needs_backup(change: Change) -> bool:
    """Say whether the settings are the user's own, and will not stay so."""
    is_own = change.before is not None and not is_registered(change.before)
    return is_own and change.before != change.after


def _backup_of(settings: Path) -> Path:
    """Return where today's backup stands."""
    return settings.with_name(f"{settings.name}{BACKUP_MARK}{time.strftime('%Y-%m-%d')}")


def _back_up(settings: Path, text: str) -> None:
    """Keep *text*, what the settings were when they were read, in place of older backups."""
    for backup in _backups(settings):
        backup.unlink()
    _write_like(settings, _backup_of(settings), text)


def _write_like(model: Path, path: Path, text: str) -> None:
    """Write a new file: private until it is whole, then of the model's mode and owner."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(text.encode())
        if not model.exists():
            return
        like = model.stat()
        if os.geteuid() == 0:
            os.fchown(file.fileno(), like.st_uid, like.st_gid)
        os.fchmod(file.fileno(), stat.S_IMODE(like.st_mode))


def _original_in(backup: Path) -> str | None:
    """Return a backup's text; None where it cannot be read, is no settings file or has us in it."""
    try:
        text = _read(backup)
        return None if text is None or is_registered(text) else text
    except Trouble:
        return None


def _backups(settings: Path) -> list[Path]:
    return sorted(settings.parent.glob(glob.escape(settings.name + BACKUP_MARK) + "*"))


def missing_folders(path: Path) -> list[Path]:
    """Return the folders above *path* that have to be made for it, the deepest first."""
    return [folder for folder in path.parents if not folder.exists()]


def note_made(state: Path, folders: list[Path]) -> None:
    """Remember folders that were made, and so are ours to remove again.

    Raises:
        OSError: that cannot be written.
    """
    if folders:
        names = [*map(str, folders), *made_in(state)]
        replace(f"{state}/{MADE}", json.dumps(names, indent=1).encode())


def made_in(state: Path) -> list[str]:
    """Return the folders that were made, the deepest first."""
    try:
        return [str(name) for name in json.loads(read_small(f"{state}/{MADE}") or b"[]")]
    except ValueError:  # torn: better one folder too many than another's
        return []


def _remove_state(state: Path) -> None:
    """Remove what stands there; a link, never what it leads to.

    A session that runs still calls what it spawned, so that passes every call before it goes.

    Raises:
        Trouble: something cannot be removed.
    """
    try:
        spawned = [state / name for name in SPAWNED if (state / name).exists()]
        for program in spawned:
            scratch = state / f".{program.name}"
            scratch.write_text(PASSES)
            scratch.chmod(0o700)
            scratch.replace(program)
        if spawned:
            time.sleep(START_SECONDS)
        for entry in state.iterdir():
            if entry.name in KEPT_IN_STATE:
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink(missing_ok=True)
    except FileNotFoundError:
        return
    except OSError as error:
        raise Trouble(f"cannot remove {error.filename}: {error.strerror}") from error
    with suppress(OSError):  # not empty
        state.rmdir()


def _show(settings: Path, change: Change) -> None:
    """Print what would change in the settings, as a diff."""
    before, after = (text or "" for text in change)
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), str(settings), "would become", lineterm=""
    )
    print("\n".join(lines) or f"{settings} would stay as it is")
