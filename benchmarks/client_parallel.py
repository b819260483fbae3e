"""Twelve reads in one turn of the real client: what their hooks add, with the hook and without.

    .venv/bin/python benchmarks/client_parallel.py [--rounds 15] [--json FILE]

One session, turns interleaved: the hook is registered with `"if": "Read(*.py)"`, so the same file
under another suffix is read without it. The client's time lies between two requests to the model.
Twelve hooks may add what ⌈12 / cores⌉ of them take one after another. Offline; the client comes
from npm (tests/e2e/real_client.py), or from CTX_CLIENT.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "e2e"))

from real_client import Client, fetch, installed
from scripted_api import ScriptedAPI, Turn, calls, says

CTX = Path(sys.executable).parent / "ctx"
SIZES = {"400 bytes": 400, "6 KB": 6_000}
READS = (1, 12)
LINE = "def price_of(item, margin):  # what it costs\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="time parallel reads in the real client")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", metavar="FILE", help="write the table as JSON too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        client = Client(installed() or fetch(), Path(scratch))
        table = measure(client, options.rounds)
    print("| file      | reads | without, ms | with, ms | added, ms | allowed, ms |")
    print("| --------- | ----: | ----------: | -------: | --------: | ----------: |")
    for row in table:
        print(
            f"| {row['file']:<9} | {row['reads']:5} | {row['without_ms']:11.1f} |"
            f" {row['with_ms']:8.1f} | {row['added_ms']:9.1f} | {row['allowed_ms']:11.1f} |"
        )
    if options.json:
        Path(options.json).write_text(json.dumps(table, indent=1) + "\n")


def measure(client: Client, rounds: int) -> list[dict[str, float | str]]:
    """Return a row for each size and number of reads: median milliseconds of such a turn."""
    register(client)
    script, kinds = [], []
    for _ in range(rounds + 1):
        for size, size_bytes in SIZES.items():
            for reads in READS:
                for suffix in (".txt", ".py"):
                    kinds.append((size, reads, suffix))
                    script.append(turn(client.project, size_bytes, reads, suffix))
    session = client.run(ScriptedAPI([*script, says("done")]))
    arrived = [request.at_s for request in session.api.sent()]
    spent: dict[tuple[str, int, str], list[float]] = {}
    warm = len(kinds) // (rounds + 1)
    for number, kind in enumerate(kinds):
        if number >= warm:  # the first round fills the caches
            taken_ms = (arrived[number + 1] - arrived[number]) * 1000
            spent.setdefault(kind, []).append(taken_ms)
    medians = {kind: statistics.median(times) for kind, times in spent.items()}

    rows: list[dict[str, float | str]] = []
    for size in SIZES:
        one_hook_ms = max(0.0, medians[size, 1, ".py"] - medians[size, 1, ".txt"])
        for reads in READS:
            without_ms, with_ms = (medians[size, reads, suffix] for suffix in (".txt", ".py"))
            rows.append(
                {
                    "file": size,
                    "reads": reads,
                    "without_ms": round(without_ms, 1),
                    "with_ms": round(with_ms, 1),
                    "added_ms": round(with_ms - without_ms, 1),
                    "allowed_ms": round(one_hook_ms * math.ceil(reads / (os.cpu_count() or 1)), 1),
                }
            )
    return rows


def register(client: Client) -> None:
    """Install the guard, for one suffix only."""
    subprocess.run([CTX, "install"], env=client.environment(), check=True, capture_output=True)
    settings = json.loads(client.settings.read_text())
    settings["hooks"]["PreToolUse"][0]["hooks"][0]["if"] = "Read(*.py)"
    client.settings.write_text(json.dumps(settings))


def turn(project: Path, size_bytes: int, reads: int, suffix: str) -> Turn:
    """Return a turn that reads so many files, and write them."""
    wanted = []
    for number in range(reads):
        path = project / f"file-{size_bytes}-{number}{suffix}"
        path.write_text((LINE * (size_bytes // len(LINE) + 1))[:size_bytes])
        wanted.append(("Read", {"file_path": str(path)}))
    return calls(*wanted)


if __name__ == "__main__":
    main()
