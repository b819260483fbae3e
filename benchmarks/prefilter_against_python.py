"""The native prefilter against Python alone: a hundred thousand calls, and what each leaves.

    .venv/bin/python benchmarks/prefilter_against_python.py [--calls 100000] [--seed N]
        [--fuzz SECONDS] [--json FILE]

Whatever the prefilter leaves, Python must answer with silence and write nothing: exits 1 and prints
the payload otherwise. Runs under ASan and UBSan where the compiler has them. With --fuzz libFuzzer
(clang) goes on from benchmarks/samples/payloads for that long.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import islice
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from payloads import calls, make_project, recorded_calls
from prefilter_batch import SANITIZED, STRICT, PrefilterBatch, batch_text, is_silent_in_python
from priced_context.prefilter import FLAGS
from priced_context.settings import compile_sources

CORPUS = Path(__file__).parent / "samples" / "payloads"
FUZZER = ("-g", "-O1", "-std=c11", "-DFUZZ", "-fsanitize=fuzzer,address,undefined")


def main() -> int:
    parser = argparse.ArgumentParser(description="hold the prefilter to Python's answers")
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--fuzz", type=int, default=0, metavar="SECONDS")
    parser.add_argument("--json", metavar="FILE", help="write the counts as JSON too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        counts = compare(Path(scratch), options.calls, options.seed)
        if options.fuzz:
            fuzz(Path(scratch), options.fuzz)
    counts = {"calls": options.calls, "seed": options.seed} | counts
    for name, count in counts.items():
        print(f"| {name:<44} | {count:>12,} |")
    if options.json:
        Path(options.json).write_text(json.dumps(counts, indent=1) + "\n")
    return 1 if counts["left, though Python would have acted"] else 0


def compare(scratch: Path, count: int, seed: int) -> dict[str, int]:
    """Return how many calls each side left."""
    project, state = scratch / "project", scratch / "state"
    paths = make_project(project)
    (state / "sessions").mkdir(parents=True)
    config = scratch / "config.toml"
    config.write_text(STRICT)
    compile_sources(str(state), f"{state}/policy", [str(config)])  # whatever has a price is refused
    try:
        batch = PrefilterBatch(scratch, SANITIZED)
    except subprocess.CalledProcessError:
        batch = PrefilterBatch(scratch, FLAGS)

    counts: Counter[str] = Counter({"left, though Python would have acted": 0})
    recorded = [*recorded_calls(), *(path.read_bytes() for path in sorted(CORPUS.iterdir()))]
    random = Random(seed)  # noqa: S311 - the same calls for the same seed
    for payload in islice(calls(random, paths, project, recorded), count):
        is_left, is_silent = batch.passes(payload), is_silent_in_python(payload, state)
        counts["silent in Python"] += is_silent
        counts["left by the prefilter"] += is_left
        if is_left and not is_silent:
            counts["left, though Python would have acted"] += 1
            print(payload, file=sys.stderr)
        shutil.rmtree(state / "sessions")  # nobody was told anything yet
        (state / "sessions").mkdir()
    batch.close()
    return dict(counts)


def fuzz(scratch: Path, seconds: int) -> None:
    """Let libFuzzer look for payloads that break the prefilter's memory.

    Raises:
        subprocess.CalledProcessError: it found one, which it printed; or there is no clang.
    """
    source, target, corpus = scratch / "fuzz.c", scratch / "fuzz", scratch / "corpus"
    source.write_text(batch_text(), "utf-8")
    subprocess.run(["clang", *FUZZER, "-o", target, source], check=True)
    shutil.copytree(CORPUS, corpus)
    limits = [f"-max_total_time={seconds}", "-max_len=4096", "-timeout=5"]
    subprocess.run([target, *limits, corpus], check=True)


if __name__ == "__main__":
    sys.exit(main())
