"""The budget compiler against the clock, memory and bills, beside what else could count.

usage: python benchmarks/budget.py [--json FILE] [--quick]

Requests of 200k and 1M tokens: a coding session with tools, reads and answers. `full` counts
everything (encoding loaded, no cache), `one new message` has counted all but the last before.
Rivals count the same request in the same run: tiktoken over the whole body, litellm's token_counter
(where it is installed), bytes / 4. Their errors are against the bills of budget_bills.py.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "core"))

from budget_bills import APIS, PAIRS, estimate
from priced_context.budget import (
    ConservativeCounter,
    CountCache,
    TiktokenCounter,
    compile_outbound_request_budget,
    disassemble,
)
from priced_context.tokens import encoding

SIZES = {"200k": 200_000, "1M": 1_000_000}
MODEL = "claude-opus-5-5"


def session(tokens: int) -> dict:
    """Return a request of about so many o200k tokens, like a coding client's."""
    rng = random.Random(6)  # noqa: S311 - the same session every time
    library = Path(json.__file__).parent.parent
    sources = [path.read_text(errors="replace") for path in sorted(library.glob("*.py"))]
    tools = [
        {
            "name": f"tool{number}",
            "description": f"Use this tool to do the thing of number {number}. " * 20,
            "input_schema": {
                "type": "object",
                "properties": {
                    f"field{n}": {"type": "string", "description": f"parameter {n}"}
                    for n in range(8)
                },
                "required": ["field0"],
            },
        }
        for number in range(25)
    ]
    messages = [{"role": "user", "content": "Please find out why the build fails."}]
    size = 0
    number = 0
    while size < tokens * 3.85:  # bytes a token of such a session
        source = rng.choice(sources)
        start = rng.randrange(len(source))
        lines = source[start : start + rng.choice([400, 1500, 6000, 12_000])].split("\n")
        text = "\n".join(f"{n}\t{line}" for n, line in enumerate(lines, 1))
        number += 1
        call = {
            "type": "tool_use",
            "id": f"toolu_{number}",
            "name": "Read",
            "input": {"file_path": f"/src/{number}.py"},
        }
        said = {"type": "text", "text": "Reading it."}
        result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": text}
        messages += [
            {"role": "assistant", "content": [said, call]},
            {"role": "user", "content": [result]},
        ]
        size += len(text) + 250
    return {
        "model": MODEL,
        "max_tokens": 32_000,
        "system": [{"type": "text", "text": "You are a coding agent. " * 600}],
        "tools": tools,
        "messages": messages,
    }


def best_ms(run: Callable[[], object], times: int) -> float:
    """Return the shortest of several runs in milliseconds."""
    shortest = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        run()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest * 1e3


def one_new_message(request: dict, times: int) -> float:
    """Return the shortest time of a compile that has seen all but the last message."""
    before = json.dumps({**request, "messages": request["messages"][:-1]}).encode()
    after = json.dumps(request).encode()
    shortest = float("inf")
    for _ in range(times):
        counter = TiktokenCounter(CountCache())
        compile_outbound_request_budget(before, counter=counter)
        start = time.perf_counter()
        compile_outbound_request_budget(after, counter=counter)
        shortest = min(shortest, time.perf_counter() - start)
    return shortest * 1e3


def peak_memory(body: bytes) -> float:
    """Return the compiler's peak memory in sizes of the request, from a process of its own."""
    code = "from budget import measure_memory; print(measure_memory())"
    answer = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parent,
        input=body,
        capture_output=True,
        check=True,
    )
    return float(answer.stdout)


def measure_memory() -> float:
    """Return the most that compiling stdin allocates at once, in sizes of it.

    Code and ranks are loaded before by a small request; the body itself does not count.
    """
    body = sys.stdin.buffer.read()
    compile_outbound_request_budget(json.dumps(session(2_000)))
    tracemalloc.start()
    budget = compile_outbound_request_budget(body)
    assert budget.total_input_tokens  # noqa: S101 - keeps the ledger alive until here
    return tracemalloc.get_traced_memory()[1] / len(body)


def rivals() -> dict[str, Callable[[dict], int]]:
    """Return what else counts a request, each as a function of the decoded request."""
    ranks = encoding("o200k_base")
    found: dict[str, Callable[[dict], int]] = {
        "tiktoken alone": lambda request: len(ranks.encode_ordinary(json.dumps(request))),
        "bytes / 4": lambda request: len(json.dumps(request).encode()) // 4,
    }
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it would fetch prices at import
    try:
        import litellm  # noqa: PLC0415 - a rival, installed or not
    except ImportError:
        return found

    def by_litellm(request: dict) -> int:
        return litellm.token_counter(
            model=request["model"], messages=request["messages"], tools=request.get("tools")
        )

    return {**found, "litellm token_counter": by_litellm}


def speed(times: int) -> list[dict]:
    """Return one row a size."""
    rows = []
    for name, tokens in SIZES.items():
        request = session(tokens)
        body = json.dumps(request).encode()
        warm = TiktokenCounter(CountCache())
        total = compile_outbound_request_budget(body, counter=warm).total_input_tokens
        row = {
            "size": name,
            "mb": len(body) / 1e6,
            "parts": len(disassemble(body).pieces),
            "tokens": total,
            "full_ms": best_ms(
                lambda body=body: compile_outbound_request_budget(
                    body, counter=TiktokenCounter(CountCache())
                ),
                times,
            ),
            "one_new_message_ms": one_new_message(request, times),
            "nothing_new_ms": best_ms(
                lambda body=body, warm=warm: compile_outbound_request_budget(body, counter=warm),
                times * 3,
            ),
            "conservative_ms": best_ms(
                lambda body=body: compile_outbound_request_budget(
                    body, counter=ConservativeCounter(CountCache())
                ),
                times,
            ),
            "peak_memory_of_body": peak_memory(body),
        }
        for rival, count in rivals().items():
            row[f"{rival}, ms"] = best_ms(lambda count=count, r=request: count(r), 1)
        rows.append(row)
    return rows


def chat_errors() -> dict[str, float]:
    """Return each counter's median error on the OpenAI chat bills, the one API all can read."""
    rows = [json.loads(line) for line in PAIRS.read_text().splitlines()]
    rows = [r for r in rows if APIS[r["api"]] == "openai-chat" and r["class"] == "core"]
    counters: dict[str, Callable[[dict], int]] = {
        "this": lambda row: estimate(row, TiktokenCounter()),
        **{
            name: lambda row, count=count: count(row["request"]) for name, count in rivals().items()
        },
    }
    return {
        name: statistics.median(abs(count(row) / row["input_tokens"] - 1) for row in rows)
        for name, count in counters.items()
    }


def main() -> None:
    """Print the tables, and write them where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--quick", action="store_true", help="one run of each")
    options = parser.parse_args()
    start = time.perf_counter()
    encoding("o200k_base")
    load_ms = (time.perf_counter() - start) * 1e3
    print(f"load tiktoken and o200k, once a process: {load_ms:.0f} ms")
    rows = speed(1 if options.quick else 5)
    for key in rows[0]:
        print(f"{key:28}", *(_cell(row[key]) for row in rows))
    errors = chat_errors() if PAIRS.exists() else {}
    for name, error in errors.items():
        print(f"median error on chat bills, {name:22} {error:7.1%}")
    if options.json:
        table = {"load_ms": load_ms, "speed": rows, "chat_median_error": errors}
        options.json.write_text(json.dumps(table, indent=1) + "\n")


def _cell(value: object) -> str:
    return f"{value:12.2f}" if isinstance(value, float) else f"{value!s:>12}"


if __name__ == "__main__":
    main()
