"""One analysis a fingerprint, however many processes ask, now or after a restart.

The result is the mark: a file named by the fingerprint. A lock of the kernel's keeps the others
waiting while one works; it goes with its holder, so a killed process blocks nobody.
"""

import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path

from priced_context.files import replace
from priced_context.folders import make_private

PATIENCE_SECONDS = 25.0
"""How long another's work is waited for; the hook itself has 30."""
_PAUSE_SECONDS = 0.02


def once(folder: Path, fingerprint: str, analyse: Callable[[], str]) -> str:
    """Return the analysis of *fingerprint*, made by *analyse* where none stands in *folder*.

    "" where another process still works on it after `PATIENCE_SECONDS`.

    Raises:
        OSError: the folder cannot be written.
    """
    result = folder / fingerprint
    if result.exists():
        return result.read_text()
    make_private(folder)
    lock = folder / f"{fingerprint}.lock"
    held = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not _acquired(held):
            return ""
        if not result.exists():
            replace(str(result), analyse().encode())
            lock.unlink(missing_ok=True)  # whoever waits on it now finds the result
    finally:
        os.close(held)
    return result.read_text()


def _acquired(handle: int) -> bool:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_PAUSE_SECONDS)
        else:
            return True
    return False
