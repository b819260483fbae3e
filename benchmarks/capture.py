"""What a user sees, captured from the real client in tmux: writes docs/compaction.txt.

    python benchmarks/capture.py [--out FILE]

The client is CTX_CLIENT or the one of tests/e2e (CTX_E2E=1 gets it with npm). Its API is scripted
on loopback, its home a scratch folder; paths of that folder are shown as ~.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "e2e")]

from real_client import Client, fetch, installed  # noqa: E402 - the path above
from scripted_api import ScriptedAPI, calls, says  # noqa: E402
from terminal import Terminal, terminal_of  # noqa: E402

from scene import code  # noqa: E402
from scratch import CTX  # noqa: E402

MODEL = "claude-opus-4-6"
COLUMNS = 90


def main() -> None:
    """Play one session and write what the terminal showed."""
    parser = argparse.ArgumentParser(description="Capture status line, hold and box.")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "compaction.txt")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="capture-") as root:
        client = Client(installed() or fetch(), Path(root))
        subprocess.run([CTX, "install"], env=client.environment(), check=True, capture_output=True)
        text = captured(client)
    options.out.write_text(text)
    print(f"wrote {options.out}")


def captured(client: Client) -> str:
    """Return the three screens of one session, each with its title."""
    (client.project / "server.py").write_text(code(900))
    read = ("Read", {"file_path": str(client.project / "server.py"), "limit": 300})
    edit = {"file_path": str(client.project / "server.py"), "replace_all": True}
    edit |= {"old_string": "item", "new_string": "total"}
    script = [
        calls(read, input_tokens=41_000),
        says("server.py multiplies prices by margins.", 46_000),
        calls(("Edit", edit), input_tokens=104_000),
        says("Renamed it.", 109_000),
    ]
    screens = {}
    with ScriptedAPI(script) as api, terminal_of(client, api.url, COLUMNS) as terminal:
        terminal.runs(client.binary, "--model", MODEL, "--allowedTools", "Read,Edit")
        terminal.shows("free · hold")
        terminal.types("what does server.py do?")
        terminal.shows("by margins")
        terminal.shows("66% free")
        terminal.types("/compact")
        terminal.shows("blocked by PreCompact hook")
        screens["`/compact` with two thirds of the window free"] = tail(terminal.screen())
        screens["`ctx box --watch` beside it"] = boxed(client, "compaction held")
        terminal.types("rename item")
        terminal.shows("Renamed it")
        terminal.shows("type /compact")
        screens["The status line once compaction is due"] = tail(terminal.screen())
        screens["and the box"] = boxed(client, "eligible for compaction")
    text = "\n\n".join(f"{title}\n\n{screen}" for title, screen in screens.items()) + "\n"
    return re.sub(re.escape(str(client.home)), "~", text)


def boxed(client: Client, wanted: str) -> str:
    """Return the screen of the box, as it stands in a terminal of its own."""
    with Terminal(client.environment(), client.project, COLUMNS, 42) as terminal:
        terminal.runs(CTX, "box", "--watch")
        screen = terminal.shows(wanted)
        terminal.presses("q")
    return screen.rstrip()


def tail(screen: str, lines: int = 14) -> str:
    """Return the last lines of a screen, which is where the client talks."""
    return "\n".join(screen.rstrip().splitlines()[-lines:])


if __name__ == "__main__":
    main()
