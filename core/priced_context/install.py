"""`ctx install` and `ctx uninstall`: the launcher, and our entry in the client's settings."""

import argparse
import difflib
import os
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from priced_context import probe
from priced_context.console import Trouble
from priced_context.folders import client_settings, config_file, state_folder
from priced_context.launcher import compile_package, write_launcher
from priced_context.registration import LAUNCHER, launchers, registered, unregistered

BACKUP_MARK = ".before-priced-context-"
"""Between the settings' name and the date, in the name of the backup beside them."""

KEPT_IN_STATE = ("config.toml", "venv")
"""On macOS one folder is state, configuration and data: these two are not state."""


def install(arguments: list[str]) -> int:
    """Write the launcher, register it, and show what it answers."""
    parser = argparse.ArgumentParser("ctx install", description=install.__doc__)
    _shared_options(parser)
    parser.add_argument("--no-register", action="store_true", help="leave the settings alone")
    options = parser.parse_args(arguments)
    state, settings = state_folder(), options.settings or client_settings()
    launcher = str(state / LAUNCHER)

    before = after = _read(settings)
    if not options.no_register:
        with _naming(settings):
            _check_writable(settings)
            after = registered(before, launcher)
    if options.dry_run:
        print(f"would write {launcher}")
        _show_change(settings, before, after)
        return 0
    try:
        write_launcher(state)
    except OSError as error:
        raise Trouble(f"cannot write {launcher}: {error.strerror}") from error
    compile_package()
    print(f"launcher     {launcher}")
    if options.no_register:
        print("not registered: --no-register")
    elif after == before:
        print(f"registered   {settings} (as before)")
    else:
        if not launchers(before):
            _back_up(settings)
        _replace(settings, after.encode())
        print(f"registered   {settings}")
    print(f"\nAn agent that would Read {probe.LONG_FILE} whole is told:\n")
    print(f"  {probe.refusal()}\n")
    if after != before:
        print("Sessions that run now know nothing of it: restart them.")
    return 0


def uninstall(arguments: list[str]) -> int:
    """Take our entry out of the client's settings and remove everything remembered."""
    parser = argparse.ArgumentParser("ctx uninstall", description=uninstall.__doc__)
    _shared_options(parser)
    options = parser.parse_args(arguments)
    state, settings = state_folder(), options.settings or client_settings()

    before = _read(settings)
    with _naming(settings):
        _check_writable(settings)
        after = _restored(settings, before)
    if options.dry_run:
        _show_change(settings, before, after or "")
        print(f"would remove {state}")
        return 0
    if after is None:
        _real(settings).unlink()
        with suppress(OSError):  # a folder that we made for it
            settings.parent.rmdir()
        print(f"removed      {settings} (it held nothing else)")
    elif after != before:
        _replace(settings, after.encode())
        print(f"unregistered {settings}")
    else:
        print(f"unregistered {settings} (was not registered)")
    for backup in _backups(settings):
        backup.unlink()
    _remove_state(state)
    print(f"removed      {state}")
    if config_file().exists():
        print(f"kept         {config_file()} (yours)")
    return 0


def _shared_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", type=Path, metavar="FILE", help="the client's settings file")
    parser.add_argument("--dry-run", action="store_true", help="say what would change, and stop")


def _restored(settings: Path, before: str) -> str | None:
    """Return the settings as they were before we came; None: there was no file.

    Where nothing else has changed since, that is the backup, byte for byte; else what stands
    there now without our entry.
    """
    ours = launchers(before)
    if not ours:
        return before
    backups = _backups(settings)
    original = _read(backups[0]) if backups else ""
    if registered(original, ours[0]) == before:
        return original if backups else None
    return unregistered(before)


@contextmanager
def _naming(settings: Path) -> Iterator[None]:
    """Let any trouble inside name the file."""
    try:
        yield
    except Trouble as trouble:
        raise Trouble(f"{settings}: {trouble}. Nothing was changed") from trouble


def _read(settings: Path) -> str:
    """Return the settings' text; "" where there is no file."""
    try:
        return settings.read_bytes().decode()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise Trouble(
            f"{settings}: not UTF-8 at byte {error.start}. Nothing was changed"
        ) from error
    except OSError as error:
        raise Trouble(f"cannot read {settings}: {error.strerror}") from error


def _check_writable(settings: Path) -> None:
    """Refuse a read-only file: a rename would walk past its mode."""
    target = _real(settings)
    if target.exists() and not target.stat().st_mode & stat.S_IWUSR:
        raise Trouble("read-only; `chmod u+w` it and try again")


def _replace(settings: Path, data: bytes) -> None:
    """Put *data* in the settings' place at once; a link keeps pointing, the mode stays."""
    target = _real(settings)
    scratch = target.with_name(f"{target.name}.{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch.touch(mode=0o600)
        scratch.write_bytes(data)
        if target.exists():
            shutil.copymode(target, scratch)
        scratch.replace(target)
    except OSError as error:
        scratch.unlink(missing_ok=True)
        raise Trouble(f"cannot write {settings}: {error.strerror}") from error


def _back_up(settings: Path) -> None:
    """Keep one dated copy beside the settings, where there are any."""
    if not settings.exists():
        return
    today = time.strftime("%Y-%m-%d")
    try:
        for older in _backups(settings):
            older.unlink()
        shutil.copy2(settings, settings.with_name(f"{settings.name}{BACKUP_MARK}{today}"))
    except OSError as error:
        raise Trouble(f"cannot back up {settings}: {error.strerror}") from error


def _backups(settings: Path) -> list[Path]:
    return sorted(settings.parent.glob(f"{settings.name}{BACKUP_MARK}*"))


def _real(settings: Path) -> Path:
    return Path(os.path.realpath(settings))


def _remove_state(state: Path) -> None:
    for entry in state.iterdir() if state.exists() else ():
        if entry.is_dir() and entry.name not in KEPT_IN_STATE:
            shutil.rmtree(entry)
        elif entry.name not in KEPT_IN_STATE:
            entry.unlink()
    if state.exists() and not any(state.iterdir()):
        state.rmdir()


def _show_change(settings: Path, before: str, after: str) -> None:
    """Print what would change in the settings, as a diff."""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), str(settings), "would become", lineterm=""
    )
    print("\n".join(lines) or f"{settings} would stay as it is")
