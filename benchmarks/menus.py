"""What `ctx stats` and `ctx map` cost as they are run: whole processes against the bare floor.

    .venv/bin/python benchmarks/menus.py [TREE] [--runs 20] [--json FILE]

`stats` is timed on the largest module of the standard library (6,425 lines in 3.11), in turn with
`python3 -c pass`, so that a busy machine slows both alike. With a TREE, of 5,000 source files or
more, `map` is timed cold (no index) and warm.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from scratch import CTX

BARS = {"stats": 150.0, "map, cold": 10_000.0, "map, warm": 700.0}  # ms on a quiet machine


def main() -> None:
    parser = argparse.ArgumentParser(description="time menus and maps as an agent runs them")
    parser.add_argument("tree", nargs="?", metavar="TREE")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--json", metavar="FILE", help="write the table as JSON too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        environment = os.environ | {"HOME": scratch, "XDG_STATE_HOME": f"{scratch}/state"}
        table = timed_stats(environment, options.runs)
        if options.tree:
            table |= timed_map(environment, options.tree, options.runs)
    for name, row in table.items():
        bar = f"   bar {BARS[name]:,.0f} ms" if name in BARS else ""
        print(f"{name:16} {row['ms']:9,.1f} ms   {row['ratio']:6.1f}x the floor{bar}")
    peak_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"largest process {peak_mb:,.0f} MB")
    if options.json:
        Path(options.json).write_text(json.dumps(table | {"peak_mb": peak_mb}, indent=1) + "\n")


def timed_stats(environment: dict[str, str], runs: int) -> dict[str, dict[str, float]]:
    modules = Path(sysconfig.get_path("stdlib")).glob("*.py")
    largest = max(modules, key=lambda path: path.stat().st_size)
    commands = {
        "python3 -c pass": [sys.executable, "-c", "pass"],
        "stats": [CTX, "stats", f"repo:{largest.name}"],
    }
    spent: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            spent[name].append(milliseconds(command, environment, largest.parent))
    medians = {name: statistics.median(times) for name, times in spent.items()}
    floor = medians["python3 -c pass"]
    return {name: {"ms": ms, "ratio": ms / floor} for name, ms in medians.items()}


def timed_map(environment: dict[str, str], tree: str, runs: int) -> dict[str, dict[str, float]]:
    floor, cold, warm = [], [], []
    for run in range(runs):
        floor.append(milliseconds([sys.executable, "-c", "pass"], environment, Path(tree)))
        if run < 3:
            shutil.rmtree(environment["XDG_STATE_HOME"], ignore_errors=True)
            cold.append(milliseconds([CTX, "map"], environment, Path(tree)))
        warm.append(milliseconds([CTX, "map"], environment, Path(tree)))
    rows = {"map, cold": statistics.median(cold), "map, warm": statistics.median(warm)}
    least = statistics.median(floor)
    return {name: {"ms": ms, "ratio": ms / least} for name, ms in rows.items()}


def milliseconds(command: list[str | Path], environment: dict[str, str], folder: Path) -> float:
    begun = time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - begun) * 1000


if __name__ == "__main__":
    main()
