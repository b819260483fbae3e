"""Estimates against bills: published pairs of request and billed input tokens.

usage: python benchmarks/budget_bills.py [PAIRS.jsonl] [--class special] [--rows GROUP] [--json F]

Prints one line a group: how many rows are exact, the error in per cent (median, 95th percentile,
worst), rows below the bill, and for the conservative counter rows below the bill and the median
excess. Groups marked * are estimates by their own note in docs/budget.md.
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "core"))

from priced_context.budget import (
    ConservativeCounter,
    Counter,
    Policy,
    TiktokenCounter,
    compile_outbound_request_budget,
)
from priced_context.budget.models import GPT_NEW, family_of
from priced_context.prices import CLAUDE_OLDER

PAIRS = Path(__file__).parent.parent.parent / "shared" / "data" / "counts" / "fit.jsonl"
APIS = {
    "messages": "anthropic",
    "messages.count_tokens": "anthropic",
    "chat.completions": "openai-chat",
    "responses": "openai-responses",
    "responses.input_tokens": "openai-responses",
    "generateContent": "gemini",
    "countTokens": "gemini",
}


def group_of(row: dict) -> str:
    """Return the group whose errors are told together."""
    api = APIS[row["api"]]
    family = family_of(row["model"], api)
    tools = any(flag in row["flags"] for flag in ("tools", "tool_use", "tool_result", "functions"))
    if api == "anthropic":
        return "Claude 3 to 4.6" if family == CLAUDE_OLDER else "Claude 4.7 and later *"
    if api == "openai-chat":
        return "OpenAI chat"
    if api == "openai-responses":
        if family == GPT_NEW:
            return "OpenAI responses, o and gpt-5"
        return "OpenAI responses, 4o and 4.1" + (", tools *" if tools else "")
    return "Gemini, tools *" if tools else "Gemini, texts"


def estimate(row: dict, counter: Counter) -> int:
    """Return the input tokens of the row's request; the window is beside the point here."""
    request = row["request"]
    request = request.get("generateContentRequest", request)
    body = json.dumps(request, ensure_ascii=False).encode()
    policy = Policy(api=APIS[row["api"]], model=row["model"], model_context_tokens=1_000_000)
    budget = compile_outbound_request_budget(body, counter=counter, policy=policy)
    return budget.total_input_tokens


def errors(rows: list[dict]) -> dict[str, list[dict]]:
    """Return by group each row's bill, estimate and conservative estimate."""
    tiktoken, conservative = TiktokenCounter(), ConservativeCounter()
    groups: dict[str, list[dict]] = {}
    for row in rows:
        groups.setdefault(group_of(row), []).append(
            {
                "id": row["id"],
                "model": row["model"],
                "flags": row["flags"],
                "billed": row["input_tokens"],
                "estimate": estimate(row, tiktoken),
                "conservative": estimate(row, conservative),
            }
        )
    return groups


def summary(found: list[dict]) -> dict[str, float]:
    """Return the figures of one group."""
    relative = sorted(abs(row["estimate"] / row["billed"] - 1) for row in found)
    excess = [row["conservative"] / row["billed"] - 1 for row in found]
    return {
        "n": len(found),
        "exact": sum(row["estimate"] == row["billed"] for row in found) / len(found),
        "median": statistics.median(relative),
        "p95": relative[int(0.95 * (len(relative) - 1) + 0.5)],
        "worst": relative[-1],
        "under": sum(row["estimate"] < row["billed"] for row in found),
        "conservative_under": sum(error < 0 for error in excess),
        "conservative_median": statistics.median(excess),
    }


def main() -> None:
    """Print the table, and write it where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", nargs="?", type=Path, default=PAIRS)
    parser.add_argument("--class", dest="class_", default="core")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--rows", help="print the worst rows of the groups that begin so")
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.pairs.read_text().splitlines()]
    groups = errors([row for row in rows if row["class"] == options.class_])
    table = {name: summary(found) for name, found in sorted(groups.items())}
    print(f"{'group':36} n  exact  median    p95  worst  under | upper: under  median excess")
    for name, row in table.items():
        print(
            f"{name:32} {row['n']:4}  {row['exact']:5.0%} {row['median']:7.1%} {row['p95']:6.1%} "
            f"{row['worst']:6.1%} {row['under']:6} | {row['conservative_under']:12} "
            f"{row['conservative_median']:14.0%}"
        )
    if options.rows:
        for name, found in groups.items():
            if name.startswith(options.rows):
                found.sort(key=lambda row: -abs(row["estimate"] / row["billed"] - 1))
                for row in found[:25]:
                    print(row)
    if options.json:
        options.json.write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    main()
