"""How far prices are from what was counted or billed, ours and the usual ones, in one table.

    .venv/bin/python benchmarks/prices.py [--corpus] [--bills FILE] [--replay PATH ...] [--json]

--corpus   files that are installed on this machine, against o200k (the default)
--bills    rows of billed reads (../shared/data/bills has their form), turn by turn
--replay   session logs, through `ctx replay`
--json     JSON on stdout instead of the table

A constant is the best that can be had: the median ratio of the very rows it is judged on.
"""

import argparse
import hashlib
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from priced_context.accuracy import accuracy_of, is_over_smallest_bucket
from priced_context.caps import frame_tokens
from priced_context.files import kind_of
from priced_context.folders import state_folder
from priced_context.prices import (
    O200K,
    family_of,
    generation_of,
    prefix_tokens,
    price_read,
    tokens_per_byte,
)
from priced_context.records import Read
from priced_context.replay import replayed, session_logs, summary_of
from priced_context.tokens import count_text, encoding

ROOTS = ("/usr/include", "/usr/share/doc", "/usr/lib/node_modules", "/usr/local/lib/node_modules")
MOST_OF_A_KIND = 250
"""Files of one suffix, so that no language decides the figure."""
LARGEST_FILE = 1 << 20
SMALLEST_FILE = 200
O200K_FACTORS = {"v3": 1.24, "v47": 1.60}
"""Claude's tokens for one of o200k: what a tokenizer and a good constant would say."""
BARS = {
    "corpus": {"exact_bucket": 0.88, "p95": 0.28},
    "v47": {"exact_bucket": 0.94, "median": 0.03, "p95": 0.18},
    "v3": {"exact_bucket": 0.97, "median": 0.026, "p95": 0.10},
    "replay": {"exact_bucket": 0.85, "median": 0.05},
}
OURS = "priced context: a 4 KiB peek"

Pairs = list[tuple[float, float]]


def main() -> None:
    parser = argparse.ArgumentParser(description="measure the error of prices")
    parser.add_argument("--corpus", action="store_true", help="files installed here, against o200k")
    parser.add_argument("--bills", metavar="FILE", type=Path, help="rows of billed reads")
    parser.add_argument("--replay", metavar="PATH", type=Path, nargs="+", help="session logs")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()

    groups: dict[str, dict[str, Pairs]] = {}
    if options.corpus or not (options.bills or options.replay):
        groups["corpus"] = corpus_pairs(installed_files())
    if options.bills:
        groups |= {family: bill_pairs(options.bills, family) for family in O200K_FACTORS}
    if options.replay:
        groups["replay"] = replay_pairs(options.replay)
    if options.json:
        print(json.dumps({name: as_json(pairs) for name, pairs in groups.items()}, indent=1))
    else:
        print_table(groups)


def as_json(pairs: dict[str, Pairs]) -> dict[str, Any]:
    """Return our accuracy, and in `others` that of every other way to price the same rows."""
    others = {name: accuracy_of(rows) for name, rows in pairs.items() if name != OURS}
    return {**accuracy_of(pairs[OURS]), "others": others}


def installed_files() -> list[Path]:
    """Return text files of this machine, at most so many of a kind, the same on every run."""
    roots = [Path(json.__file__).parent.parent, *map(Path, sys.path), *map(Path, ROOTS)]
    kinds: dict[str, set[Path]] = defaultdict(set)
    for root in roots:
        if root.is_dir() and root.name != "core":
            for path in root.rglob("*"):
                kinds[kind_of(str(path))].add(path)
    chosen = []
    for paths in kinds.values():
        in_order = sorted(paths, key=lambda path: hashlib.sha256(str(path).encode()).digest())
        chosen += list(first_texts(in_order, MOST_OF_A_KIND))
    return chosen


def first_texts(paths: Iterable[Path], count: int) -> Iterator[Path]:
    for path in paths:
        if count and is_text(path):
            count -= 1
            yield path


def is_text(path: Path) -> bool:
    try:
        if not path.is_file() or not SMALLEST_FILE <= path.stat().st_size <= LARGEST_FILE:
            return False
        raw = path.read_bytes()
        raw.decode()
    except (OSError, UnicodeDecodeError):
        return False
    return b"\0" not in raw


def corpus_pairs(paths: list[Path]) -> dict[str, Pairs]:
    """Return (predicted, counted) for the files that cost 707 tokens or more."""
    rows = []
    for path in paths:
        size_bytes = path.stat().st_size
        counted = count_text(path.read_bytes().decode(), encoding("o200k_base"))
        if is_over_smallest_bucket(counted):
            ours = price_read(Read(str(path), size_bytes), O200K).tokens
            rows.append((kind_of(str(path)), size_bytes, ours, counted))
    print(f"{len(paths)} files of {len({kind_of(str(path)) for path in paths})} kinds,"
          f" {len(rows)} of 707 tokens or more", file=sys.stderr)  # fmt: skip
    constant = median(counted / size for _, size, _, counted in rows)
    by_kind = constants((kind, counted / size) for kind, size, _, counted in rows)
    return {
        "bytes / 4": [(size / 4, counted) for _, size, _, counted in rows],
        "bytes x best constant": [(size * constant, counted) for _, size, _, counted in rows],
        "bytes x constant of the suffix": [
            (size * by_kind[kind], counted) for kind, size, _, counted in rows
        ],
        OURS: [(ours, counted) for _, _, ours, counted in rows],
    }


def constants(ratios: Iterable[tuple[str, float]]) -> dict[str, float]:
    by_kind: dict[str, list[float]] = defaultdict(list)
    for kind, ratio in ratios:
        by_kind[kind].append(ratio)
    return {kind: median(values) for kind, values in by_kind.items()}


def bill_pairs(path: Path, family: str) -> dict[str, Pairs]:
    """Return (predicted, billed) for every turn; of old logs those with nothing unlogged."""
    turns: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["family"] == family and (row["clean"] or family == "v47"):
            turns[row["session"], row["turn"]].append(row)

    def pairs(price: Callable[[dict[str, Any]], float], *, is_framed: bool = False) -> Pairs:
        return [
            (sum(map(price, rows)) + is_framed * frame_of(rows), rows[0]["billed_results"])
            for rows in turns.values()
        ]

    alone = [rows[0] for rows in turns.values() if len(rows) == 1 and rows[0]["raw_bytes"]]
    constant = median([row["billed_results"] / row["raw_bytes"] for row in alone] or [0.25])
    by_kind = defaultdict(lambda: constant)
    by_kind |= constants((row["ext"], row["billed_results"] / row["raw_bytes"]) for row in alone)
    factor = O200K_FACTORS[family]
    return {
        "bytes / 4": pairs(lambda row: row["raw_bytes"] / 4),
        "bytes x best constant": pairs(lambda row: row["raw_bytes"] * constant),
        "bytes x constant of the suffix": pairs(lambda row: row["raw_bytes"] * by_kind[row["ext"]]),
        "exact o200k x family factor": pairs(
            lambda row: row["o200k_raw"] * factor + numbers_of(row), is_framed=True
        ),
        OURS: pairs(price_of, is_framed=True),
    }


def price_of(row: dict[str, Any]) -> float:
    """Return the product's price of one read without its frame."""
    family = family_of(row["model"])
    rate = tokens_per_byte(tuple(row["peek_feats"]), row["peek_len"] or 1, family)
    return rate * row["raw_bytes"] + numbers_of(row)


def numbers_of(row: dict[str, Any]) -> float:
    return prefix_tokens(row["prefix_format"], row["start"], row["lines"])


def frame_of(rows: list[dict[str, Any]]) -> int:
    return frame_tokens(generation_of(rows[0]["model"]), len(rows))


def replay_pairs(paths: list[Path]) -> dict[str, Pairs]:
    """Return (price, bill) for every turn billed 707 tokens or more for reads alone."""
    troubles: list[Any] = []
    replays = list(replayed(session_logs(paths, troubles), str(state_folder()), troubles))
    for trouble in troubles:
        print(trouble, file=sys.stderr)
    turns = {
        turn.message_id: turn
        for replay in replays
        for turn in replay.priced_turns
        if is_over_smallest_bucket(turn.bill_tokens)
    }
    shares = summary_of(replays)["price_error"]
    print(f"{shares['n']} turns, {len(turns)} of 707 tokens or more", file=sys.stderr)
    return {
        "bytes / 4": [(turn.bytes4_tokens, turn.bill_tokens) for turn in turns.values()],
        OURS: [(turn.price_tokens, turn.bill_tokens) for turn in turns.values()],
    }


TITLES = {
    "corpus": "installed files against o200k",
    "v47": "bills of Claude 4.7 and later",
    "v3": "bills of Claude 3 to 4.6",
    "replay": "bills in session logs",
}


def print_table(groups: dict[str, dict[str, Pairs]]) -> None:
    print("| against | price | n | right bucket | off by two | median | p95 |")
    print("| --- | --- | --: | --: | --: | --: | --: |")
    for group, predictors in groups.items():
        for name, pairs in predictors.items():
            found = accuracy_of(pairs)
            if not found["n"]:
                continue
            shares = [found[key] for key in ("exact_bucket", "off_by_two", "median", "p95")]
            cells = " | ".join(f"{share:.1%}" for share in shares)
            title = f"**{name}**" if name == OURS else name
            print(f"| {TITLES[group]} | {title} | {found['n']:,} | {cells} |")
        bars = ", ".join(f"{name} {bar:.1%}" for name, bar in BARS[group].items())
        print(f"| | *bar for ours* | | | | | {bars} |")


if __name__ == "__main__":
    main()
