"""The recogniser against real bash, at length.

usage: shell_differential.py [--count 50000] [--seed 1] [--json FILE]

Generates command lines over a small tree in a scratch folder, runs them, and compares what is
printed with what was claimed. Prints a row a thousand lines and every falsehood; exit code 1
if there was one.
"""

import argparse
import collections
import json
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "core"), str(ROOT / "tests")]

from bash_truth import (  # noqa: E402 - the checkout's own modules
    SMALL,
    Generator,
    falsehood,
    make_tree,
    nothing_is_short,
    outputs_of,
)
from priced_context.shell import intake_of_command  # noqa: E402

BATCH = 1_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    arguments = parser.parse_args()

    kinds: collections.Counter[str] = collections.Counter()
    falsehoods: list[tuple[str, str, str]] = []
    start = time.perf_counter()
    print("  lines  falsehoods  seconds  kinds")
    for done in range(0, arguments.count, BATCH):
        generator = Generator(arguments.seed * 1_000_003 + done)
        lines = [generator.line() for _ in range(min(BATCH, arguments.count - done))]
        with tempfile.TemporaryDirectory() as folder, nothing_is_short():
            tree = make_tree(Path(folder) / "tree", SMALL)
            intakes = [intake_of_command(line, str(tree), str(tree)) for line in lines]
            outputs = outputs_of(lines, tree, Path(folder))
            for line, intake, output in zip(lines, intakes, outputs, strict=True):
                kinds[intake.kind] += 1
                what = falsehood(line, intake, output, tree, SMALL)
                if what:
                    falsehoods.append((line, intake.kind, what))
                    print(f"{line}\n    {intake.kind}: {what}")
        seconds = time.perf_counter() - start
        shares = " ".join(f"{kind} {count}" for kind, count in kinds.most_common())
        print(f"{done + len(lines):7} {len(falsehoods):11} {seconds:8.0f}  {shares}", flush=True)

    if arguments.json:
        figures = {"lines": sum(kinds.values()), "kinds": kinds, "falsehoods": falsehoods}
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n")
    return 1 if falsehoods else 0


if __name__ == "__main__":
    sys.exit(main())
