"""What a compaction's hook costs on logs of several sizes: its time, and its peak of memory.

    .venv/bin/python benchmarks/precompact.py [--runs 7] [--json FILE]

In turn with the garbage collector, as an ordinary process has it, and without, as `ctx install`
writes the hook; read the ratios.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from cold_start import with_gc
from priced_context.launcher import write_launcher
from session_log import SessionLog

WINDOW_USE = {"held": 60_000, "let through": 160_000}
TURNS = (200, 2_000, 8_000)


def main() -> None:
    parser = argparse.ArgumentParser(description="time the hook of a compaction")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--json", metavar="FILE", help="write the table as JSON too")
    options = parser.parse_args()
    table = []
    print("| log | outcome | ms | with gc | peak MiB | with gc |")
    print("| --: | -- | --: | --: | --: | --: |")
    with tempfile.TemporaryDirectory() as scratch:
        for turns in TURNS:
            for outcome, used in WINDOW_USE.items():
                row = measure(Path(scratch), turns, used, options.runs) | {"outcome": outcome}
                table.append(row)
                print(
                    f"| {row['log_mb']:.0f} MB | {outcome} | {row['ms']:.0f} | {row['gc_ms']:.0f}"
                    f" | {row['peak_mib']:.0f} | {row['gc_peak_mib']:.0f} |"
                )
    if options.json:
        Path(options.json).write_text(json.dumps(table, indent=1) + "\n")


def measure(scratch: Path, turns: int, used: int, runs: int) -> dict[str, float]:
    """Return the median time and the highest peak of both for one log."""
    state = scratch / "state"
    hook = write_launcher(state).with_name("precompact")
    log = write_log(scratch / "s1.jsonl", turns, used)
    question = {"session_id": "s1", "transcript_path": str(log), "cwd": str(scratch)}
    raw = json.dumps(question | {"hook_event_name": "PreCompact", "trigger": "manual"}).encode()
    costs: dict[str, list[tuple[float, float]]] = {"": [], "gc_": []}
    for _ in range(runs):
        for name, program in (("", hook), ("gc_", with_gc(hook))):
            for folder in ("sessions", "analyses"):  # nothing was held or analysed yet
                shutil.rmtree(state / folder, ignore_errors=True)
            costs[name].append(cost_of(program, raw))
    found = {"log_mb": log.stat().st_size / 1e6}
    for name, pairs in costs.items():
        found[f"{name}ms"] = statistics.median(ms for ms, _ in pairs)
        found[f"{name}peak_mib"] = max(mib for _, mib in pairs)
    return found


def write_log(path: Path, turns: int, used: int) -> Path:
    """Write a log of *turns* reads, 6 KB each, that leaves *used* tokens in the window."""
    path.unlink(missing_ok=True)
    log = SessionLog(path)
    log.says("go")
    for turn in range(1, turns + 1):
        call = log.calls(used * turn // turns, "Read", file_path=f"/home/u/project/{turn}.py")
        log.results(call, f"price = item({turn})\n" * 300)
    log.answers(used)
    return path


def cost_of(program: Path, raw: bytes) -> tuple[float, float]:
    """Return the milliseconds and the peak MiB of one run."""
    start = time.perf_counter()
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    process.stdin.write(raw)
    process.stdin.close()
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0  # it is waited for
    return (time.perf_counter() - start) * 1e3, usage.ru_maxrss / 1024


if __name__ == "__main__":
    main()
