"""A home of one's own for what would otherwise write into the developer's."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CTX = Path(sys.executable).with_name("ctx")


def run_ctx(
    *words: object, cwd: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Return how a verb of the real `ctx` ended, in this folder and this whole environment."""
    return subprocess.run(
        [CTX, *map(str, words)],
        cwd=cwd,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        check=False,
        timeout=60,
    )


@dataclass(frozen=True)
class ScratchHome:
    """Every folder that the product or the client may write to, below one root."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def state(self) -> Path:
        return self.root / "state" / "priced-context"

    @property
    def config(self) -> Path:
        return self.root / "config" / "priced-context" / "config.toml"

    @property
    def settings(self) -> Path:
        return self.home / ".claude" / "settings.json"

    @property
    def launcher(self) -> Path:
        return self.state / "launch"

    @property
    def programs(self) -> Path:
        """A folder at the head of PATH."""
        return self.root / "bin"

    @property
    def environment(self) -> dict[str, str]:
        """The whole environment: nothing of the developer's is in it."""
        self.home.mkdir(parents=True, exist_ok=True)
        return {
            "PATH": f"{self.programs}:/usr/bin:/bin",
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.root / "state"),
            "XDG_CONFIG_HOME": str(self.root / "config"),
            "XDG_DATA_HOME": str(self.root / "data"),
            "LANG": "C.UTF-8",
            "CC": "none",  # a prefilter only where it is asked for: each takes a third of a second
        }

    def ctx(self, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run one verb and return how it ended."""
        return run_ctx(*arguments, cwd=self.home, environment=self.environment | environment)

    def write_settings(self, text: str) -> Path:
        """Put *text* where the client's settings are."""
        self.settings.parent.mkdir(parents=True, exist_ok=True)
        self.settings.write_bytes(text.encode())
        return self.settings

    def stamp(self, path: str) -> tuple[int, int]:
        """Return what changes when a file is written."""
        found = (self.root / path).lstat()
        return found.st_ino, found.st_mtime_ns

    def files(self) -> list[str]:
        """Return every file below the root, as paths from there."""
        return sorted(str(p.relative_to(self.root)) for p in self.root.rglob("*") if p.is_file())
