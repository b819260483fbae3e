"""The benchmark of prices: its bars, on what can be measured anywhere."""

import json
import subprocess
import sys
from pathlib import Path

BENCHMARK = Path(__file__).parent.parent / "benchmarks" / "prices.py"


def measured(*arguments: str | Path) -> dict:
    command = [sys.executable, str(BENCHMARK), "--json", *map(str, arguments)]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def test_the_bars_hold_on_recorded_bills(shared):
    found = measured(
        "--bills",
        shared / "data" / "bills" / "bills.jsonl",
        "--replay",
        shared / "data" / "transcripts",
    )

    assert set(found) == {"v3", "v47", "replay"}
    assert (found["v3"]["n"], found["v47"]["n"]) == (974, 21)
    for family, least, middle, high in (("v47", 0.94, 0.03, 0.18), ("v3", 0.97, 0.026, 0.10)):
        assert found[family]["exact_bucket"] >= least
        assert found[family]["off_by_two"] == 0
        assert found[family]["median"] <= middle
        assert found[family]["p95"] <= high
    bytes4 = found["replay"]["others"]["bytes / 4"]
    assert found["replay"]["exact_bucket"] >= max(0.85, bytes4["exact_bucket"] + 0.4)
