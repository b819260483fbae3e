"""A hundred thousand calls through the installed hook: nothing fails, nothing grows without end.

    .venv/bin/python benchmarks/soak.py [--calls 100000] [--seed N] [--no-prefilter] [--json FILE]

Real calls of recorded sessions where there are any, made-up ones, and both with bytes changed, each
in a process of its own, as the client starts them. Exits 1 where a call fails: an exit code, a word
on stderr, an answer that the client could not use or that grants more than was asked.
"""

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections import Counter
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from payloads import calls, make_project, recorded_calls
from priced_context.launcher import write_launcher
from priced_context.prefilter import hook_in, write_prefilter

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"
MOST_LOGGED = 3_000


class Ended(NamedTuple):
    """How one call ended."""

    took_ms: float
    exit_code: int
    memory_kib: int
    answer: bytes
    complaint: bytes


def main() -> int:
    parser = argparse.ArgumentParser(description="run the installed hook for a long time")
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-prefilter", action="store_true", help="the Python launcher alone")
    parser.add_argument("--json", metavar="FILE", help="write the table as JSON too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        table = soak(Path(scratch), options.calls, options.seed, native=not options.no_prefilter)
    for name, value in table.items():
        print(f"| {name:<36} | {value:>12,} |")
    if options.json:
        Path(options.json).write_text(json.dumps(table, indent=1) + "\n")
    return 1 if table["failed"] else 0


def soak(scratch: Path, count: int, seed: int, *, native: bool = True) -> dict[str, float]:
    """Return what *count* calls came to, in a state folder below *scratch*."""
    project, state = scratch / "project", scratch / "state"
    paths = make_project(project)
    write_launcher(state)
    if native:
        write_prefilter(state)
    hook = str(hook_in(state))
    recorded = recorded_calls() + logged_calls(project)
    counts: Counter[str] = Counter()
    times, memory_kib = [], 0
    random = Random(seed)  # noqa: S311 - the same calls for the same seed
    for payload in islice(calls(random, paths, project, recorded), count):
        ended = run(hook, payload, scratch)
        times.append(ended.took_ms)
        memory_kib = max(memory_kib, ended.memory_kib)
        kind = kind_of(ended)
        counts[kind] += 1
        if kind == "failed":
            print(ended, payload, file=sys.stderr)
    left = [path for path in state.rglob("*") if path.is_file()]
    return {
        "calls": count,
        **{kind: counts[kind] for kind in ("silent", "deny", "rewrite", "failed")},
        "median ms": round(median(times), 2),
        "slowest ms": round(max(times), 1),
        "largest process, MiB": round(memory_kib / 1024, 1),
        "files left": len(left),
        "scratch files left": sum(path.suffix[1:].isdigit() for path in left),
        "bytes left": sum(path.stat().st_size for path in left),
        "lines in the log": len((state / "log").read_bytes().splitlines()),
    }


def logged_calls(project: Path) -> list[bytes]:
    """Return the tool calls of recorded sessions, as a client in *project* would announce them."""
    found = []
    for log in sorted((SHARED / "data" / "transcripts").rglob("*.jsonl")):
        for raw in log.read_bytes().splitlines():
            message = json.loads(raw).get("message")
            content = message.get("content") if isinstance(message, dict) else None
            for block in content if isinstance(content, list) else []:
                if block.get("type") == "tool_use" and len(found) < MOST_LOGGED:
                    fields = {"session_id": log.stem, "cwd": str(project)}
                    fields |= {"tool_name": block["name"], "tool_input": block["input"]}
                    found.append(json.dumps(fields).encode())
    return found


def run(hook: str, payload: bytes, scratch: Path) -> Ended:
    """Start the hook as the client does and wait for it."""
    stdin, stdout, stderr = (scratch / name for name in ("stdin", "stdout", "stderr"))
    stdin.write_bytes(payload)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, str(stdin), os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(stdout), flags, 0o600),
        (os.POSIX_SPAWN_OPEN, 2, str(stderr), flags, 0o600),
    ]
    start = time.perf_counter()
    process = os.posix_spawn(hook, [hook], {"PATH": os.defpath}, file_actions=actions)
    _, status, usage = os.wait4(process, 0)
    took_ms = (time.perf_counter() - start) * 1000
    code = os.waitstatus_to_exitcode(status)
    return Ended(took_ms, code, usage.ru_maxrss, stdout.read_bytes(), stderr.read_bytes())


def kind_of(ended: Ended) -> str:
    """Return what a call came to: silent, deny, rewrite, or failed."""
    if ended.exit_code or ended.complaint:
        return "failed"
    if not ended.answer:
        return "silent"
    try:
        answer = json.loads(ended.answer)["hookSpecificOutput"]
    except (ValueError, KeyError, TypeError):
        return "failed"
    if answer.get("permissionDecision") == "deny" and answer.get("permissionDecisionReason"):
        return "deny"
    is_rewrite = "permissionDecision" not in answer and isinstance(answer["updatedInput"], dict)
    return "rewrite" if is_rewrite else "failed"


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.exit(main())
