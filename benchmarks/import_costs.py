"""What an import, a tokenizer and the interpreter's own teardown cost, as whole processes.

    .venv/bin/python benchmarks/import_costs.py [--runs 60] [--json FILE]

Milliseconds over `python3 -I -S -c pass`, medians of interleaved runs. These decide which modules
a hook may load: the standard library's come from the bare interpreter, the packages' from the
environment that runs this script.
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

from cold_start import interpreter, time_of

BARE = {
    "teardown (saved by _exit)": "import posix; posix._exit(0)",
    "_json": "import _json",
    "os": "import os",
    "re": "import re",
    "fnmatch": "import fnmatch",
    "enum": "import enum",
    "typing": "import typing",
    "dataclasses": "import dataclasses",
    "pathlib": "import pathlib",
    "argparse": "import argparse",
    "json": "import json",
    "tomllib": "import tomllib",
}
PACKAGES = {
    "site": "pass",
    "xxhash": "import xxhash",
    "platformdirs": "import platformdirs",
    "msgspec": "import msgspec",
    "tiktoken": "import tiktoken",
    "o200k ranks": "from priced_context.tokens.ranks import encoding; encoding('o200k_base')",
}


def main() -> None:
    parser = argparse.ArgumentParser(description="time imports as whole processes")
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--json", metavar="FILE", help="write the table as JSON too")
    options = parser.parse_args()
    bare = [interpreter(), "-I", "-S", "-c"]
    commands = {"floor": [*bare, "pass"]}
    commands |= {name: [*bare, program] for name, program in BARE.items()}
    commands |= {name: [sys.executable, "-I", "-c", program] for name, program in PACKAGES.items()}

    spent: dict[str, list[float]] = {name: [] for name in commands}
    for run in range(options.runs + 2):
        for name, command in commands.items():
            milliseconds = time_of(command, None)
            if run >= 2:  # the first ones warm the caches
                spent[name].append(milliseconds)
    floor = statistics.median(spent.pop("floor"))
    table = {name: round(statistics.median(times) - floor, 1) for name, times in spent.items()}
    print(f"| over {floor:.1f} ms of the floor |    ms |\n| -- | --: |")
    for name, milliseconds in table.items():
        print(f"| {name:<25} | {milliseconds:5.1f} |")
    if options.json:
        Path(options.json).write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    main()
