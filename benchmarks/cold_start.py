"""What a hook costs as the client runs it: whole processes, interleaved, against the bare floor.

    .venv/bin/python benchmarks/cold_start.py [--runs 200] [--json FILE]

Every row is started with its stdin from a file and its stdout thrown away, in turn with every
other row, so that a busy machine slows them alike; read the ratios. Launcher and prefilter are
those that `ctx install` writes, made in a scratch folder, on the interpreter that runs this script.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from priced_context.launcher import write_launcher
from priced_context.prefilter import hook_in, write_prefilter

FLOOR, NATIVE_FLOOR = "python3 -I -S -c pass", "/bin/true"
THROUGH, COLLECTING = "prefilter: ", "with gc: "
BARS = {  # row: the most that it may cost, as a multiple of its floor
    THROUGH + "irrelevant tool": 1.3,
    THROUGH + "Read of 400 bytes": 1.3,
    THROUGH + "npm test": 1.3,
    "irrelevant tool": 1.25,
    "Read of 400 bytes": 1.25,
    "npm test": 1.25,
    "Read of 6 KB, 3 MB transcript": 1.4,
    "refused Read, 3 MB transcript": 1.45,
    "refused cat, 3 MB transcript": 1.45,
}


def main() -> None:
    parser = argparse.ArgumentParser(description="time the hook as the client runs it")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--json", metavar="FILE", help="write the table as JSON too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        table = measure(Path(scratch), options.runs)
    print_table(table)
    if options.json:
        Path(options.json).write_text(json.dumps(table, indent=1) + "\n")


def measure(scratch: Path, runs: int) -> dict[str, dict[str, float]]:
    """Return milliseconds (median, p95) and the ratios to both floors for every row."""
    state = scratch / "state"
    rows = {
        NATIVE_FLOOR: ([NATIVE_FLOOR], None),
        FLOOR: ([interpreter(), "-I", "-S", "-c", "pass"], None),
    }
    if node := shutil.which("node"):
        rows["node -e 0"] = ([node, "-e", "0"], None)
    launcher = write_launcher(state)
    collecting = with_gc(launcher)
    write_prefilter(state)
    for name, payload in payloads(scratch).items():
        rows[name] = ([str(launcher)], payload)
        if name.startswith("refused"):
            rows[COLLECTING + name] = ([str(collecting)], payload)
        if hook_in(state) != launcher:
            rows[THROUGH + name] = ([str(hook_in(state))], payload)

    spent: dict[str, list[float]] = {name: [] for name in rows}
    for run in range(runs + 5):
        for name, (command, payload) in rows.items():
            shutil.rmtree(state / "sessions", ignore_errors=True)  # nobody was told anything yet
            milliseconds = time_of(command, payload)
            if run >= 5:  # the first ones warm the caches
                spent[name].append(milliseconds)
    floor, native = (statistics.median(spent[name]) for name in (FLOOR, NATIVE_FLOOR))
    return {
        name: {
            "median_ms": round(statistics.median(times), 2),
            "p95_ms": round(statistics.quantiles(times, n=20)[-1], 2),
            "ratio": round(statistics.median(times) / floor, 2),
            "native_ratio": round(statistics.median(times) / native, 2),
        }
        for name, times in spent.items()
    }


def with_gc(launcher: Path) -> Path:
    """Return a launcher beside this one that leaves the garbage collector on."""
    collecting = launcher.with_name(f"{launcher.name}-with-gc")
    collecting.write_text(launcher.read_text().replace("gc.disable()\n", ""))
    collecting.chmod(0o700)
    return collecting


def interpreter() -> str:
    """Return the real binary behind the virtual environment."""
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))


def payloads(scratch: Path) -> dict[str, Path]:
    """Write one payload file a row, with the project and the transcript they speak of."""
    project = scratch / "project"
    project.mkdir()
    source = "".join(
        f"def price_{i}(value):\n    return value * {i} + margin\n\n" for i in range(500)
    )
    (project / "small.py").write_text(source[:400])
    (project / "medium.py").write_text(source[:6000])
    (project / "large.py").write_text(source[:24000])
    transcript = scratch / "transcript.jsonl"
    write_transcript(transcript)

    calls = {
        "irrelevant tool": ("WebFetch", {"url": "http://localhost/"}),
        "Read of 400 bytes": ("Read", {"file_path": str(project / "small.py")}),
        "npm test": ("Bash", {"command": "npm test"}),
        "Read of 6 KB, 3 MB transcript": ("Read", {"file_path": str(project / "medium.py")}),
        "refused Read, 3 MB transcript": ("Read", {"file_path": str(project / "large.py")}),
        "refused cat, 3 MB transcript": ("Bash", {"command": "cat large.py"}),
    }
    files = {}
    for number, (name, (tool, tool_input)) in enumerate(calls.items()):
        files[name] = scratch / f"payload-{number}.json"
        files[name].write_text(
            json.dumps(
                {
                    "session_id": "benchmark",
                    "transcript_path": str(transcript),
                    "cwd": str(project),
                    "permission_mode": "default",
                    "hook_event_name": "PreToolUse",
                    "tool_name": tool,
                    "tool_input": tool_input,
                }
            )
        )
    return files


def write_transcript(path: Path) -> None:
    """Write 3 MB as a session grows: large results, an attachment last, usage in between."""
    result = {"type": "user", "message": {"role": "user", "content": "x" * 20_000}}
    usage = {"input_tokens": 3, "cache_read_input_tokens": 50_000, "output_tokens": 40}
    response = {
        "type": "assistant",
        "timestamp": "2026-01-01T00:00:00.000Z",
        "version": "2.1.332",
        "message": {"model": "claude-opus-4-6", "usage": usage, "content": []},
    }
    attachment = {"type": "attachment", "attachment": {"content": "y" * 14_000}}
    turn = "".join(json.dumps(line) + "\n" for line in (result, response, attachment))
    path.write_text(turn * (3_000_000 // len(turn)))


def time_of(command: list[str], payload: Path | None) -> float:
    """Return the milliseconds from starting *command* to having waited for it."""
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, str(payload or os.devnull), os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
    ]
    start = time.perf_counter_ns()
    process = os.posix_spawn(command[0], command, {"PATH": os.defpath}, file_actions=actions)
    os.waitpid(process, 0)
    return (time.perf_counter_ns() - start) / 1e6


def print_table(table: dict[str, dict[str, float]]) -> None:
    print(f"| {'process':<41} | median ms | p95 ms | of the floor | of {NATIVE_FLOOR} | bar |")
    print(f"| {'-' * 41} | --------: | -----: | -----------: | -----------: | --: |")
    for name, row in table.items():
        bar = f"{BARS[name]:.2f}" if name in BARS else ""
        print(
            f"| {name:<41} | {row['median_ms']:9.2f} | {row['p95_ms']:6.2f} |"
            f" {row['ratio']:12.2f} | {row['native_ratio']:12.2f} | {bar:>4} |"
        )


if __name__ == "__main__":
    main()
