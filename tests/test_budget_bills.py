"""Estimates held to real bills: what the documentation claims, group by group."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))

from budget_bills import errors, summary


@pytest.fixture(scope="module")
def table(shared) -> dict[str, dict]:
    pairs = (shared / "data" / "counts" / "fit.jsonl").read_text().splitlines()
    rows = [row for row in map(json.loads, pairs) if row["class"] == "core"]
    return {name: summary(found) for name, found in errors(rows).items()}


@pytest.mark.parametrize(
    ("group", "median", "p95"),
    [
        ("OpenAI chat", 0.0, 0.03),
        ("OpenAI responses, o and gpt-5", 0.0, 0.04),
        ("OpenAI responses, 4o and 4.1", 0.0, 0.03),
        ("Claude 3 to 4.6", 0.03, 0.16),
        ("Gemini, texts", 0.08, 0.20),
        # told as estimates: the tools' rendering is not known
        ("OpenAI responses, 4o and 4.1, tools *", 0.05, 0.20),
        ("Gemini, tools *", 0.08, 0.30),
    ],
)
def test_the_estimate_is_as_near_as_claimed(table, group, median, p95):
    """A change of a constant that helps one group must not quietly cost another."""
    assert table[group]["median"] <= median
    assert table[group]["p95"] <= p95


@pytest.mark.parametrize(
    "group", ["OpenAI chat", "OpenAI responses, o and gpt-5", "Claude 3 to 4.6"]
)
def test_the_conservative_counter_is_hardly_ever_below(table, group):
    """At most 2% of the bills, so that a window planned with it is not overfilled."""
    assert table[group]["conservative_under"] <= 0.02 * table[group]["n"]
