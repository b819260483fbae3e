"""What the recogniser costs: its loading, an ordinary line, and 100 KB of what hurts parsers.

usage: bench_shell.py [--json FILE]

Prints microseconds a line and a character. Bars: 1.5 us a character on lines of use, 20 us where
no word of the table stands, 50 ms for 100 KB of one hostile piece. What loading costs a hook, as
a share of it, is told by cold_start.py.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "core"), str(ROOT / "tests")]

from bash_truth import FIXTURE, make_tree  # noqa: E402 - the checkout's own modules
from priced_context.shell import intake_of_command  # noqa: E402
from priced_context.words import may_read  # noqa: E402
from test_shell import HOSTILE, command_of, golden_cases  # noqa: E402

ORDINARY = (
    "npm test",
    "git status && git add -A && git commit -m 'shell: say what it reads'",
    "cd /home/user/project && npm run build -- --verbose 2>&1; python3 -m pytest -q tests/unit",
)


def best_us(action: Callable[[], object], seconds: float = 0.2) -> float:
    """Return the best time of one call, in microseconds."""
    best = float("inf")
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - start)
    return best * 1e6


MODULES = sorted(path.stem for path in (ROOT / "core/priced_context/shell").glob("[!_]*.py"))
ASKED = "from priced_context.shell import intake_of_command as ask; ask({line!r}, '/', '/')"
LOADED = {  # what stands in the table: the code that loads it
    "words": "import priced_context.words",
    "what `cat FILE` loads": ASKED.format(line="cat file"),
    "what `cd DIR && cat FILE` loads": ASKED.format(line="cd dir && cat file"),
    "the whole recogniser": f"from priced_context.shell import {', '.join(MODULES)}",
}


def loading_ms(code: str) -> float:
    """Return what *code* adds to the bare interpreter, median of 21 interleaved pairs."""
    extra = []
    for _ in range(21):
        bare, loaded = wall_ms("pass"), wall_ms(code)
        extra.append(loaded - bare)
    return statistics.median(extra)


def wall_ms(code: str) -> float:
    """Return the wall time of one interpreter that runs *code*."""
    code = f"import sys; sys.path.insert(0, {str(ROOT / 'core')!r}); {code}"
    start = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)
    return (time.perf_counter() - start) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    arguments = parser.parse_args()
    figures: dict[str, float] = {}

    with tempfile.TemporaryDirectory() as folder:
        root = str(make_tree(Path(folder) / "tree", FIXTURE))
        print("loading                                 ms")
        for name, code in LOADED.items():
            figures[f"{name} ms"] = ms = loading_ms(code)
            print(f"  {name:<34} {ms:7.2f}")

        print("no word of the table                    us")
        for line in ORDINARY:
            figures[f"may_read {line[:20]} us"] = us = best_us(lambda line=line: may_read(line))
            print(f"  {line[:34]:<34} {us:7.2f}")

        commands = [command_of(case[0]) for case in golden_cases()]
        cost = [
            best_us(lambda line=line: intake_of_command(line, root, root), 0.004)
            for line in commands
        ]
        rates = sorted(us / len(line) for us, line in zip(cost, commands, strict=True))
        figures["golden lines us"] = statistics.median(cost)
        figures["golden lines us/character"] = sum(cost) / sum(map(len, commands))
        print(f"the golden table, {len(commands)} lines       us a line  us a character")
        print(f"  median {statistics.median(cost):24.1f} {statistics.median(rates):15.2f}")
        print(
            f"  all    {sum(cost) / len(cost):24.1f} {figures['golden lines us/character']:15.2f}"
        )

        plain = [line for line in commands if "<<" not in line and "exi" not in line]
        script = "\n".join(plain[:300])
        long_us = best_us(lambda: intake_of_command(script, root, root), 1)
        figures["one long script us/character"] = long_us / len(script)
        print(f"  one script of {len(script) / 1e3:.0f} KB {long_us / len(script):31.2f}")

        print("100 KB of                         ms  us a character")
        for prefix in ("", "cat "):
            for name, piece in HOSTILE.items():
                text = prefix + piece * (100_000 // len(piece))
                us = best_us(lambda text=text: intake_of_command(text, root, root))
                figures[f"100 KB of {prefix}{name} ms"] = us / 1e3
                print(f"  {prefix + name:<26} {us / 1e3:9.1f} {us / len(text):15.2f}")

    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
