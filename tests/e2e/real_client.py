"""The real Claude Code, offline: a scratch home, a dummy key, and a scripted API on loopback.

The client comes from CTX_CLIENT (a path), else from this checkout's `.cache/`, else, with
CTX_E2E=1, from npm once.
"""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripted_api import ScriptedAPI

VERSION = "2.1.332"
PACKAGE = "@anthropic-ai/claude-code"
CACHE = Path(__file__).parent.parent.parent / ".cache"

# Root may not use bypassPermissions; every tool that a script plays is named instead.
ALLOWED = ("Read", "Bash", "Edit", "Write", "Agent", "Task", "Grep", "Glob")


def installed(version: str = VERSION) -> Path | None:
    """Return the client's native binary without installing anything, or None."""
    if named := os.environ.get("CTX_CLIENT"):
        return Path(named)
    return binary_under(CACHE / version)


def binary_under(folder: Path) -> Path | None:
    """Return the binary below an npm prefix, or None."""
    found = folder.glob("node_modules/@anthropic-ai/claude-code-*/claude")
    return next(iter(sorted(found)), None)


def fetch(version: str = VERSION) -> Path:
    """Install the client with npm into the cache and return its binary.

    Raises:
        FileNotFoundError: npm is missing, or the package has no binary for this machine.
        subprocess.CalledProcessError: npm failed; its words are in `output`.
    """
    folder = CACHE / version
    command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder)]
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [*command, f"{PACKAGE}@{version}"],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    binary = binary_under(folder)
    if binary is None:
        raise FileNotFoundError(f"{PACKAGE} {version} has no binary for this machine in {folder}")
    return binary


@dataclass(frozen=True)
class Session:
    """What one run of the client left behind."""

    api: ScriptedAPI
    exit_code: int
    output: str
    stderr: str
    transcripts: list[Path]

    @property
    def results(self) -> list[Any]:
        """The main loop's tool results, as its last request shows them."""
        return self.api.sent()[-1].results


@dataclass(frozen=True)
class Client:
    """One client binary with a scratch home and a project folder."""

    binary: Path
    root: Path
    """A scratch folder; holds `home`, `project` and `tmp`."""

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def settings(self) -> Path:
        return self.home / ".claude" / "settings.json"

    def environment(self, url: str = "") -> dict[str, str]:
        """Return the whole environment of the client: nothing of the real one but PATH."""
        for folder in (self.home / ".claude", self.project, self.root / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "TMPDIR": str(self.root / "tmp"),
            "LANG": "C.UTF-8",
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "dummy",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
        }

    def run(
        self,
        api: ScriptedAPI,
        *arguments: str,
        model: str = "claude-opus-5-5",
        prompt: str = "go",
        allowed: tuple[str, ...] = ALLOWED,
        environment: dict[str, str] | None = None,
    ) -> Session:
        """Play the script in one `-p` session and return what was seen."""
        command = [self.binary, "-p", "--model", model, "--allowedTools", ",".join(allowed)]
        with api:
            done = subprocess.run(
                [*command, *arguments, "--", prompt],
                cwd=self.project,
                env=self.environment(api.url) | (environment or {}),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=90,
                check=False,
            )
        logs = sorted((self.home / ".claude" / "projects").rglob("*.jsonl"))
        return Session(api, done.returncode, done.stdout, done.stderr, logs)

    @property
    def state(self) -> Path:
        """The product's state folder in this home."""
        return self.home / ".local" / "state" / "priced-context"

    def version(self) -> str:
        """Return the client's own version number."""
        command = [self.binary, "--version"]
        done = subprocess.run(
            command, env=self.environment(), capture_output=True, text=True, check=True
        )
        return done.stdout.split()[0]

    def forget(self) -> None:
        """Drop the sessions' logs, so that the next run finds only its own."""
        shutil.rmtree(self.home / ".claude" / "projects", ignore_errors=True)


def lines_of(transcript: Path) -> list[dict[str, Any]]:
    """Return the records of a session log."""
    return [json.loads(line) for line in transcript.read_text().splitlines()]
