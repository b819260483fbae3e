"""What the live ledger costs on a session log of 3 MB: box, hook of a compaction, status line.

    .venv/bin/python benchmarks/box.py [--runs 30] [--json FILE]

Whole processes, interleaved; on a busy machine read CPU time and ratios to the floor. All of
the 3 MB stand after the last compaction: more than a window of 200,000 tokens can hold.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from rich.console import Console  # noqa: E402 - the path above

from priced_context.box import box, stamp  # noqa: E402
from priced_context.budget.session import Session, live  # noqa: E402
from priced_context.launcher import write_launcher  # noqa: E402
from scratch import CTX  # noqa: E402
from session_log import SessionLog  # noqa: E402

FLOOR = "python3 -I -S -c pass"
BYTES = 3_000_000
LOOKS = 200


def main() -> None:
    parser = argparse.ArgumentParser(description="time the live ledger")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--json", metavar="FILE", help="write the table as JSON too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        table = measure(Path(scratch), options.runs)
    floor = table[FLOOR]["wall_ms"]
    print(f"| {'what':<33} | median ms | CPU ms | of the floor |")
    print(f"| {'-' * 33} | --------: | -----: | -----------: |")
    for name, row in table.items():
        wall, cpu = row["wall_ms"], row["cpu_ms"]
        print(f"| {name:<33} | {wall:9.2f} | {cpu:6.2f} | {wall / floor:12.2f} |")
    if options.json:
        Path(options.json).write_text(json.dumps(table, indent=1) + "\n")


def measure(scratch: Path, runs: int) -> dict[str, dict[str, float]]:
    """Return median wall and CPU milliseconds by row."""
    home = scratch / "home"
    log = write_log(home / ".claude" / "projects" / "-p" / "s1.jsonl")
    state = home / ".local" / "state" / "priced-context"
    hook = write_launcher(state)
    held, due, line = payloads(scratch, log.path)
    base = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    rows = {
        FLOOR: ([base, "-I", "-S", "-c", "pass"], None),
        "ctx box, first paint": ([str(CTX), "box", "--session", "s1"], None),
        "ctx dump --session": ([str(CTX), "dump", "--session", "s1"], None),
        "precompact, held": ([str(hook.with_name("precompact"))], held),
        "precompact, due and analysed": ([str(hook.with_name("precompact"))], due),
        "statusline": ([str(hook.with_name("statusline"))], line),
    }
    environment = {"HOME": str(home), "PATH": os.defpath, "LANG": "C.UTF-8"}
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in rows}
    for run in range(runs + 2):
        for name, (command, payload) in rows.items():
            for folder in ("sessions", "analyses"):
                shutil.rmtree(state / folder, ignore_errors=True)
            times = time_of(command, payload, environment)
            if run >= 2:  # the first ones warm the caches
                spent[name].append(times)
    table = {}
    for name, times in spent.items():
        wall, cpu = map(statistics.median, zip(*times, strict=True))
        table[name] = {"wall_ms": wall, "cpu_ms": cpu}
    return table | looks(log.path, state)


def looks(log: Path, state: Path) -> dict[str, dict[str, float]]:
    """Return the times of one look of `ctx box --watch` at the session, unchanged and changed."""
    session = Session("s1", "", log, "/p")
    console = Console(width=90, file=open(os.devnull, "w"))  # noqa: SIM115 - to the end of the run

    def draw() -> None:
        console.print(box(live(session, str(state)), console, segments=3))

    return {
        "--watch, a look: nothing changed": timed(lambda: stamp(session), 200),
        "--watch, a look: drawn anew": timed(draw, 10),
    }


def timed(act: Callable[[], object], times: int) -> dict[str, float]:
    started, cpu = time.perf_counter(), cpu_ms()
    for _ in range(times):
        act()
    wall = (time.perf_counter() - started) * 1000
    return {"wall_ms": wall / times, "cpu_ms": (cpu_ms() - cpu) / times}


def cpu_ms(who: int = resource.RUSAGE_SELF) -> float:
    used = resource.getrusage(who)
    return (used.ru_utime + used.ru_stime) * 1000


def write_log(path: Path) -> SessionLog:
    """Write 3 MB of a session that reads, edits and runs commands; about 58% of 200k is used."""
    log = SessionLog(path)
    log.says("go")
    text = "".join(f"{n}\tdef price_{n}(value): return value * {n} + margin\n" for n in range(200))
    used = 20_000
    while path.stat().st_size < BYTES:
        call = log.calls(used, "Read", file_path="/p/a.py", offset=1, limit=200)
        log.results(call, text)
        used = min(used + 3_000, 58_000)
    log.answers(58_000)
    return log


def payloads(scratch: Path, log: Path) -> tuple[Path, Path, Path]:
    """Write what the client would ask: a hold, a compaction that is due, a status line."""
    common = {"session_id": "s1", "transcript_path": str(log), "cwd": "/p"}
    due = log.with_name("due.jsonl")
    last = json.loads(log.read_text().splitlines()[-1])
    last["message"] |= {"id": "last"}
    last["message"]["usage"]["cache_read_input_tokens"] = 150_000
    due.write_text(log.read_text() + json.dumps(last) + "\n")
    usage = {"input_tokens": 3, "cache_read_input_tokens": 58_000, "output_tokens": 5}
    context = {"context_window_size": 200_000, "current_usage": usage}
    contents = {
        "held": common | {"trigger": "manual"},
        "due": common | {"trigger": "manual", "transcript_path": str(due)},
        "line": common | {"model": {"id": "claude-opus-4-6"}, "context_window": context},
    }
    files = []
    for name, content in contents.items():
        files.append(scratch / f"{name}.json")
        files[-1].write_text(json.dumps(content))
    return files[0], files[1], files[2]


def time_of(
    command: list[str], payload: Path | None, environment: dict[str, str]
) -> tuple[float, float]:
    """Return the wall and CPU milliseconds of one whole process."""
    with open(payload or os.devnull, "rb") as given:
        started, cpu = time.perf_counter(), cpu_ms(resource.RUSAGE_CHILDREN)
        subprocess.run(command, stdin=given, stdout=subprocess.DEVNULL, env=environment, check=True)
        wall = (time.perf_counter() - started) * 1000
        return wall, cpu_ms(resource.RUSAGE_CHILDREN) - cpu


if __name__ == "__main__":
    main()
