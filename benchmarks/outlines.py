"""What a menu saves: tokens of a file against tokens of its menu, and a map against an inventory.

    .venv/bin/python benchmarks/outlines.py FOLDER … [--smallest 16384] [--each 80] [--json FILE]

Counts both sides with tiktoken's o200k_base, exactly, the file as the Read tool shows it
(numbered). From each FOLDER's tree it takes source files of at least --smallest bytes, at most
--each a language, spread evenly over the sorted names. Names are relative, as an agent sees them.
"""

import argparse
import json
import math
import os
import statistics
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from priced_context.access import Access
from priced_context.outlines import NotText, data, menu, outline_of, tables
from priced_context.outlines.languages import CODE
from priced_context.outlines.menu import MANY
from priced_context.repomap.fit import map_text
from priced_context.repomap.index import index_of
from priced_context.repomap.listing import files_under
from priced_context.repomap.rank import ranked
from priced_context.tokens import count_text, encoding

LARGEST_BYTES = 1 << 20
BARS = {"mean": 25.0, "median": 24.0, "worst": 12.0}


def main() -> None:
    parser = argparse.ArgumentParser(description="price menus against the files they stand for")
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--smallest", type=int, default=16 << 10, metavar="BYTES")
    parser.add_argument("--each", type=int, default=80, help="files a language at most")
    parser.add_argument("--no-maps", action="store_true", help="menus only")
    parser.add_argument("--list", action="store_true", help="name the ten worst")
    parser.add_argument("--json", metavar="FILE", help="write the table as JSON too")
    options = parser.parse_args()
    found = sources(options.folders, options.smallest)
    rows = {
        kind: [row for path in spread(paths, options.each) if (row := measured(*path))]
        for kind, paths in sorted(found.items())
    }
    table = {kind: summary(measures) for kind, measures in rows.items() if measures}
    code = [
        row for kind, measures in rows.items() if not kind.startswith("data ") for row in measures
    ]
    table["all code"] = summary(code)
    print_table(table)
    few = table["all code"]
    print(
        f"of {few['few_tops']:,} files with at most {MANY} symbols at the top,"
        f" {few['few_tops_all_shown']:,} show them all"
    )
    if options.list:
        for ratio, tokens, cost, name, _ in sorted(code)[:10]:
            print(f"{ratio:6.1f}x  {tokens:8,} / {cost:5,}  {name}")
    if not options.no_maps:
        table |= inventories(options.folders)
    if options.json:
        Path(options.json).write_text(json.dumps(table, indent=1) + "\n")


def sources(folders: list[str], smallest: int) -> dict[str, list[tuple[str, str]]]:
    """Return language → (folder, relative path) of every file of a fitting size."""
    found = defaultdict(list)
    for folder in folders:
        for place, inner, names in os.walk(folder):
            inner[:] = sorted(name for name in inner if not name.startswith("."))
            for name in sorted(names):
                path = os.path.join(place, name)
                kind = kind_of(name)
                if not kind or os.path.islink(path):
                    continue
                if smallest <= os.path.getsize(path) <= LARGEST_BYTES:
                    found[kind].append((folder, os.path.relpath(path, folder)))
    return found


def kind_of(name: str) -> str:
    suffix = name.rpartition(".")[2].lower()
    if suffix in CODE and ".min." not in name:
        return CODE[suffix][1]
    return f"data {suffix}" if suffix in data.SUFFIXES | tables.SUFFIXES else ""


def spread(paths: list[tuple[str, str]], most: int) -> list[tuple[str, str]]:
    step = max(1.0, len(paths) / most)
    return [paths[int(step * i)] for i in range(min(most, len(paths)))]


class Measure(NamedTuple):
    ratio: float
    tokens: int
    menu_tokens: int
    name: str
    shows_all_tops: bool | None
    """None: the file has more than `MANY` symbols at its top."""


def measured(folder: str, name: str) -> Measure | None:
    """Return what one file and its menu cost; None where it is no text."""
    path = os.path.join(folder, name)
    try:
        outline = outline_of(path, f"repo:{name}")
        text = Path(path).read_text("utf-8", errors="strict")
    except (NotText, ValueError, OSError):
        return None
    numbered = "\n".join(f"{n}\t{line}" for n, line in enumerate(text.split("\n"), 1))
    o200k = encoding("o200k_base")
    printed = menu(outline)
    tokens, cost = count_text(numbered, o200k), count_text(printed, o200k)
    tops = [symbol for symbol in outline.symbols if symbol.depth == 0]
    folds_top = any(line.startswith("…") for line in printed.splitlines())
    shows_all = None if len(tops) > MANY else not folds_top
    return Measure(tokens / cost, tokens, cost, name, shows_all)


def summary(rows: list[Measure]) -> dict[str, float]:
    ratios = [row.ratio for row in rows]
    few = [row for row in rows if row.shows_all_tops is not None]
    return {
        "files": len(rows),
        "mean": round(statistics.fmean(ratios), 1),
        "median": round(statistics.median(ratios), 1),
        "worst": math.floor(10 * min(ratios)) / 10,
        "menu_median": statistics.median(row.menu_tokens for row in rows),
        "few_tops": len(few),
        "few_tops_all_shown": sum(row.shows_all_tops is True for row in few),
    }


def print_table(table: dict[str, dict[str, float]]) -> None:
    print(f"{'':16} {'files':>6} {'mean':>7} {'median':>7} {'worst':>7}   menu, median tok")
    for kind, row in table.items():
        marks = "" if kind != "all code" else verdict(row)
        print(
            f"{kind:16} {row['files']:6,} {row['mean']:6.1f}x {row['median']:6.1f}x"
            f" {row['worst']:6.1f}x {row['menu_median']:10,.0f}{marks}"
        )


def verdict(row: dict[str, float]) -> str:
    missed = [name for name, bar in BARS.items() if row[name] < bar]
    return f"   under the bar: {', '.join(missed)}" if missed else "   over every bar"


def inventories(folders: list[str]) -> dict[str, dict[str, float]]:
    """Price a flat inventory of each tree, a line a file, against the map of the same tree."""
    o200k = encoding("o200k_base")
    table = {}
    for folder in folders:
        root = os.path.realpath(folder)
        paths = files_under(root, [], Access(root, [root], [], outside=False))
        if len(paths) < 100:
            continue
        index = index_of(root, [], paths, None)
        flat = "".join(f"{file.path} {file.tokens} tok\n" for file in index.files)
        survivors = map_text(index, ranked(index, set(), set()), 1_000, "repo:")
        costs = count_text(flat, o200k), count_text(survivors, o200k)
        table[f"map of {folder}"] = {"files": len(paths), "inventory": costs[0], "map": costs[1]}
        print(
            f"{folder}: inventory of {len(paths):,} files {costs[0]:,} tok, map {costs[1]:,} tok,"
            f" {costs[0] / costs[1]:.0f}x"
        )
    return table


if __name__ == "__main__":
    main()
