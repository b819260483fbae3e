"""What twelve reads in one turn cost with the hook, against the same turn without, in the client.

usage: python benchmarks/parallel_reads.py [--sessions 6] [--json FILE]

The hook is the installed one with an `if` that names one folder, so that turns with and without it
alternate in the same sessions. Timed is from the response that makes the calls to the next
request: tools, hooks and the client's own work. Offline; the client is that of tests/e2e.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "e2e"))

from real_client import Client, fetch, installed
from scripted_api import ScriptedAPI, Turn, calls, says

from scene import code
from scratch import CTX

MODEL = "claude-opus-5-5"
READS = 12
ROUNDS = 4
"""Rounds a session: its requests grow by some 150 KB in each."""
SIZES = {"under 2,000 bytes": 50, "priced and passed": 180}
"""Lines of 34 bytes: what the prefilter lets pass where there is one, and what Python prices."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=6)
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        client = Client(installed() or fetch(), Path(scratch))
        prepare(client)
        table = measure(client, options.sessions)
    print_table(table)
    if options.json:
        options.json.write_text(json.dumps(table, indent=1) + "\n")


def prepare(client: Client) -> None:
    """Install the hook for the folder `hooked` alone, and write the same files into both."""
    subprocess.run([CTX, "install"], env=client.environment(), check=True, capture_output=True)
    settings = json.loads(client.settings.read_text())
    settings["hooks"]["PreToolUse"][0]["hooks"][0]["if"] = "Read(hooked/**)"
    client.settings.write_text(json.dumps(settings))
    for folder in ("hooked", "bare"):
        for size, lines in SIZES.items():
            place = client.project / folder / size
            place.mkdir(parents=True)
            for number in range(READS):
                (place / f"{number}.py").write_text(code(lines))


def turns_of(client: Client) -> Iterator[tuple[tuple[str, str, int], Turn]]:
    """Yield each kind of turn once: what it is, and its calls."""
    for size in SIZES:
        for count in (1, READS):
            for folder in ("bare", "hooked"):
                place = client.project / folder / size
                reads = [("Read", {"file_path": str(place / f"{n}.py")}) for n in range(count)]
                yield (size, folder, count), calls(*reads)


def measure(client: Client, sessions: int) -> dict[str, dict[str, float]]:
    """Return a row a size: ms of one read and of twelve, and what the hook adds to each.

    Medians; what is added, of the differences between neighbouring turns, which a busy machine
    slows alike.
    """
    spent: dict[tuple[str, str, int], list[float]] = {}
    for session in range(sessions):
        kinds = [*turns_of(client)] * ROUNDS
        if session % 2:
            kinds.reverse()  # neither with nor without always comes first
        _, warming = kinds[0]  # the first turn of a session costs more
        api = ScriptedAPI([warming, *[turn for _, turn in kinds], says("done")])
        client.run(api, model=MODEL)
        seen_s = [request.at_s for request in api.sent()]
        for (kind, _), (begin, end) in zip(kinds, pairwise(seen_s[1:]), strict=True):
            spent.setdefault(kind, []).append((end - begin) * 1000)
    table = {}
    for size in SIZES:
        row = {}
        for count in (1, READS):
            pairs = [*zip(spent[size, "bare", count], spent[size, "hooked", count], strict=True)]
            row[f"{count} bare"] = statistics.median(bare for bare, _ in pairs)
            row[f"{count} added"] = statistics.median(hooked - bare for bare, hooked in pairs)
        waves = math.ceil(READS / (os.cpu_count() or 1))
        row["hooks added"] = row[f"{READS} added"] / max(1, row["1 added"])  # noise may be below 0
        table[size] = {name: round(value, 1) for name, value in row.items()} | {"bar": waves}
    return table


def print_table(table: dict[str, dict[str, float]]) -> None:
    names = next(iter(table.values()))
    print(" " * 20 + "".join(f"{name:>13}" for name in names))
    for size, row in table.items():
        print(f"{size:<20}" + "".join(f"{value:>13}" for value in row.values()))
    print("\nms, medians; `hooks added` is what twelve add in units of what one adds, and")
    print("`bar` what it may be: twelve divided by the machine's cores, rounded up.")


if __name__ == "__main__":
    main()
