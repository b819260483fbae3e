"""The real client in a real terminal: tmux on a server of its own."""

import json
import os
import shlex
import subprocess
import time
from pathlib import Path
from typing import Self

from real_client import Client

KEY = "dummy-key-0000000000"
"""The client remembers the last 20 characters of a key that its user approved."""


class Terminal:
    """One pane; a context manager. What runs in it ends with it."""

    def __init__(
        self, environment: dict[str, str], folder: Path, columns: int = 100, rows: int = 32
    ):
        self.environment = environment | {"TERM": "xterm-256color"}
        self.folder = folder
        self.size = ["-x", str(columns), "-y", str(rows)]
        self.socket = f"ctx-{os.getpid()}-{id(self)}"

    def tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", self.socket, "-f", "/dev/null", *arguments],
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def __enter__(self) -> Self:
        self.tmux("new-session", "-d", *self.size, "exec sh")
        return self

    def __exit__(self, *_: object) -> None:
        self.tmux("kill-server")

    def runs(self, *command: object) -> None:
        """Start a program in the pane."""
        self.types(shlex.join(map(str, command)))

    def types(self, text: str) -> None:
        """Type a line."""
        self.tmux("send-keys", "-l", text)
        time.sleep(0.5)  # the client takes a burst that ends in a newline for a paste
        self.tmux("send-keys", "Enter")

    def presses(self, key: str) -> None:
        self.tmux("send-keys", key)

    def screen(self) -> str:
        """Return what is on the screen, without the blanks at its end."""
        lines = self.tmux("capture-pane", "-p").splitlines()
        return "\n".join(line.rstrip() for line in lines).rstrip() + "\n"

    def shows(self, text: str, seconds: float = 30.0) -> str:
        """Wait for *text* and return the screen.

        Raises:
            TimeoutError: it did not come; the message is the screen.
        """
        deadline = time.monotonic() + seconds
        while text not in (screen := self.screen()):
            if time.monotonic() > deadline:
                raise TimeoutError(f"no {text!r} on:\n{screen}")
            time.sleep(0.2)
        return screen


def terminal_of(client: Client, url: str, columns: int = 100, rows: int = 32) -> Terminal:
    """Return a terminal in the client's project whose client asks nothing at its start."""
    environment = client.environment(url) | {"ANTHROPIC_API_KEY": KEY}
    accepted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    state = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [KEY], "rejected": []},
        "projects": {str(client.project): accepted},
    }
    (client.home / ".claude.json").write_text(json.dumps(state))
    return Terminal(environment, client.project, columns, rows)
