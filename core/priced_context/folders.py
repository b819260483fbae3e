"""The user's folders: this product's, and the client's.

platformdirs decides; it costs more than a whole hook (benchmarks/import_costs.py), so the hot path
is handed the state folder instead of asking, and a verb that needs only the client's folder does
not wait for it.
"""

import os
import shutil
import time
from contextlib import suppress
from pathlib import Path

APP = "priced-context"


def state_folder() -> Path:
    """Return the folder of everything the product remembers; it may be missing."""
    import platformdirs

    return Path(platformdirs.user_state_dir(APP))


def data_folder() -> Path:
    """Return the folder where install.sh makes the environment; it may be missing."""
    import platformdirs

    return Path(platformdirs.user_data_dir(APP))


def config_file() -> Path:
    """Return the user's own settings of the product; it may be missing."""
    import platformdirs

    return Path(platformdirs.user_config_dir(APP)) / "config.toml"


def client_folder() -> Path:
    """Return the folder where the client keeps its settings and sessions."""
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or "~/.claude").expanduser()


def client_settings() -> Path:
    """Return the user's settings of the client; it may be missing."""
    return client_folder() / "settings.json"


LARGEST_SETTINGS_BYTES = 1 << 20
"""A settings file of the client is refused above this: the client's own have some KiB."""


def make_private(folder: Path) -> None:
    """Make the folder, and the parents that are missing, readable by the user alone.

    Raises:
        OSError: one of them cannot be made.
    """
    for path in [*reversed(folder.parents), folder]:
        path.mkdir(mode=0o700, exist_ok=True)


DAY_SECONDS = 86_400
KEPT_DAYS = 30
PRUNED = ("sessions", "maps", "analyses")


def prune(state: Path) -> None:
    """Remove what stands in PRUNED over 30 days; looks once a day. Never raises OSError."""
    marker = state / "pruned"
    now = time.time()
    try:
        # a stamp from a clock that ran ahead would hold for years
        if marker.exists() and 0 <= now - marker.stat().st_mtime < DAY_SECONDS:
            return
        marker.touch(mode=0o600)
    except OSError:  # no state yet
        return
    for path in [path for folder in PRUNED for path in (state / folder).glob("*")]:
        with suppress(OSError):  # what goes while we look: tomorrow again
            _remove_if_old(path, now)


def _remove_if_old(path: Path, now: float) -> None:
    """Remove a file or a link, or a folder with its newest file, over 30 days old."""
    is_folder = path.is_dir() and not path.is_symlink()
    newest = max(it.lstat().st_mtime for it in [path, *(path.iterdir() if is_folder else ())])
    if now - newest <= KEPT_DAYS * DAY_SECONDS:
        return
    if is_folder:
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink()
