"""The user's folders: this product's, and the client's.

platformdirs decides (24 ms, so the hot path is handed the state folder instead of asking, and a
verb that needs only the client's folder does not wait for it).
"""

import os
from pathlib import Path

APP = "priced-context"


def state_folder() -> Path:
    """Return the folder of everything the product remembers; it may be missing."""
    import platformdirs

    return Path(platformdirs.user_state_dir(APP))


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


def make_private(folder: Path) -> None:
    """Make the folder, and the parents that are missing, readable by the user alone.

    Raises:
        OSError: one of them cannot be made.
    """
    for path in [*reversed(folder.parents), folder]:
        path.mkdir(mode=0o700, exist_ok=True)
