"""What a hook process asks of the machine: system calls, modules and their time, call by call.

    .venv/bin/python benchmarks/hot_costs.py [CHECKOUT …] [--json FILE]

Above what `python3 -I -S -c pass` asks for itself. Several checkouts stand side by side, such as
this one before and after a change. System calls need strace.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

from cold_start import interpreter, payloads
from priced_context.launcher import PROGRAM

HERE = Path(__file__).resolve().parent.parent
RUNS = 9
IMPORT = re.compile(r"import time: +(\d+) \| +\d+ \| *(\S+)")


def main() -> None:
    parser = argparse.ArgumentParser(description="count what a hook process asks of the machine")
    parser.add_argument("checkouts", nargs="*", type=Path, default=[HERE], metavar="CHECKOUT")
    parser.add_argument("--json", metavar="FILE", help="write the table as JSON too")
    options = parser.parse_args()
    checkouts = [checkout.resolve() for checkout in options.checkouts]
    with tempfile.TemporaryDirectory() as scratch:
        calls = payloads(Path(scratch))
        table = {
            f"{name}, {checkout.name}": costs(checkout, payload, Path(scratch))
            for name, payload in calls.items()
            for checkout in checkouts
        }
    print(f"| {'call, checkout':<50} | system calls | modules | import µs |")
    print(f"| {'-' * 50} | -----------: | ------: | --------: |")
    for name, row in table.items():
        calls_made, modules, import_us = row.values()
        print(f"| {name:<50} | {calls_made:12} | {modules:7} | {import_us:9} |")
    if options.json:
        Path(options.json).write_text(json.dumps(table, indent=1) + "\n")


def costs(checkout: Path, payload: Path, scratch: Path) -> dict[str, int | str]:
    """Return what one call costs above the floor, with the package of *checkout*."""
    state = scratch / "state"
    program = PROGRAM.format(folders=[str(checkout / "core")], module="gate", state=str(state))
    hook, floor = scratch / "hook.py", scratch / "floor.py"
    hook.write_text(program)
    floor.write_text("pass\n")
    imports = []
    for _ in range(RUNS + 1):
        shutil.rmtree(state / "sessions", ignore_errors=True)  # nobody was told anything yet
        told = run([interpreter(), "-ISXimporttime", hook], payload)
        usual = run([interpreter(), "-ISXimporttime", floor], payload)
        known = {name for _, name in IMPORT.findall(usual)}
        imports.append({name: int(us) for us, name in IMPORT.findall(told) if name not in known})
    shutil.rmtree(state / "sessions", ignore_errors=True)
    asked = system_calls(hook, payload, scratch) - system_calls(floor, payload, scratch)
    return {
        "system_calls": asked if shutil.which("strace") else "no strace",
        "modules": len(imports[-1]),
        "import_us": round(statistics.median(sum(row.values()) for row in imports[1:])),
    }


def system_calls(program: Path, payload: Path, scratch: Path) -> int:
    if not shutil.which("strace"):
        return 0
    trace = scratch / "trace"
    run(["strace", "-o", trace, interpreter(), "-IS", program], payload)
    return len(trace.read_text(errors="replace").splitlines())


def run(command: list[str | Path], payload: Path) -> str:
    """Return what a command prints on stderr, with the payload on its stdin."""
    with payload.open("rb") as stdin:
        done = subprocess.run(
            command, stdin=stdin, capture_output=True, env={"PATH": os.defpath}, check=True
        )
    return done.stderr.decode()


if __name__ == "__main__":
    main()
