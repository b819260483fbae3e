"""git as a reader of a repository that nobody vouched for.

A repository's own config names programs that git would run: a file system monitor, hooks, a pager,
external diffs and text converters. Every call from here rules them out.
"""

import os
import subprocess
from collections.abc import Sequence

_HARDENED = (
    "git",
    "--no-pager",
    "-c", "core.fsmonitor=false",
    "-c", "core.hooksPath=/dev/null",
    "-c", "diff.external=",
    "-c", "core.pager=cat",
)  # fmt: skip
# What another repository's hook or an attacker's shell may have left in the environment.
_FOREIGN = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_EXTERNAL_DIFF", "GIT_PAGER")
TIMEOUT_S = 60


def files_of(folder: str, paths: Sequence[str]) -> list[str] | None:
    """Return the files under *paths* (relative to *folder*) that git tracks or does not ignore.

    None: no repository, or one that git refuses; there is no git.
    """
    environment = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    listing = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths)
    try:
        done = subprocess.run(
            [*_HARDENED, *listing],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode:
        return None
    names = done.stdout.decode("utf-8", "surrogateescape").split("\0")
    return sorted({name for name in names if name})
