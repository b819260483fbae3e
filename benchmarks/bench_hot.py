"""What the functions of a hook cost once they are loaded, in microseconds.

    .venv/bin/python benchmarks/bench_hot.py [--json FILE]

The best of five repeats of many calls; files are warm in the page cache.
"""

import argparse
import json
import tempfile
import timeit
from collections.abc import Callable
from pathlib import Path

from priced_context.gate import weigh
from priced_context.memory import recall, remember
from priced_context.prices import CLAUDE_NEWER, features, price_read, tag
from priced_context.reads import intake_of_call
from priced_context.records import Read, ToolCall
from priced_context.window import last_usage
from priced_context.wire import decode_call

LINE = "def price_of(item, margin):  # what it costs with the margin\n"
BARS = {"tag of a price": 1.0, "classify a Read": 20.0, "classify a Bash line": 60.0,
        "peek and price, 2 KB": 100.0, "peek and price, 200 KB": 100.0,
        "peek and price, 200 MB": 100.0}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description="time the warm functions of a hook")
    parser.add_argument("--json", metavar="FILE", help="write the table as JSON too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        table = {name: round(cost_us(call), 2) for name, call in cases(Path(scratch)).items()}
    print("| function                         |       µs |  bar |\n| -- | --: | --: |")
    for name, microseconds in table.items():
        print(f"| {name:<32} | {microseconds:8.2f} | {BARS.get(name, ''):>4} |")
    if options.json:
        Path(options.json).write_text(json.dumps(table, indent=1) + "\n")


def cost_us(call: Callable[[], object]) -> float:
    timer = timeit.Timer(call)
    number, _ = timer.autorange()
    return min(timer.repeat(5, number)) / number * 1e6


def cases(scratch: Path) -> dict[str, Callable[[], object]]:
    """Return name → what is timed."""
    sizes = {"2 KB": 2_000, "200 KB": 200_000, "200 MB": 200_000_000}
    reads = {}
    for name, size_bytes in sizes.items():
        path = scratch / name
        path.write_text(LINE * (min(size_bytes, 200_000) // len(LINE)))
        if size_bytes > 200_000:
            with path.open("r+b") as file:  # sparse, with text where it is looked at
                for part in range(4):
                    file.seek((size_bytes - 4_096) * part // 3)
                    file.write(LINE.encode() * 60)
        reads[name] = Read(str(path), path.stat().st_size, line_prefix="tab")

    folder, log = scratch / "sessions" / "s1", scratch / "log.jsonl"
    for number in range(40):
        remember(str(folder), number, "deny", [(f"/some/project/file-{number}.py", 12_000)])
    usage = {"input_tokens": 3, "cache_read_input_tokens": 50_000, "output_tokens": 40}
    message = {"model": "claude-opus-5-5", "usage": usage}
    response = {"type": "assistant", "version": "2.1.332", "message": message}
    bulk = {"type": "user", "message": {"content": "x" * 20_000}}
    log.write_text("".join(json.dumps(line) + "\n" for line in [bulk, response, bulk] * 50))

    fields = {"session_id": "s1", "cwd": str(scratch), "transcript_path": str(log)}
    payload = {"tool_name": "Read", "tool_input": {"file_path": reads["200 KB"].path}} | fields
    raw = json.dumps(payload).encode()
    call = decode_call(raw)
    intake = intake_of_call(call, str(scratch))
    bash = ToolCall("Bash", {"command": "cd sub && cat 'a b.py' | head -n 50"}, cwd=str(scratch))
    peek = (LINE * 80).encode()[:4096]
    return {
        "tag of a price": lambda: tag(12_760, 200_000),
        "decode a payload": lambda: decode_call(raw),
        "classify a Read": lambda: intake_of_call(call, str(scratch)),
        "classify a Bash line": lambda: intake_of_call(bash, str(scratch)),
        "features of 4 KiB": lambda: features(peek),
        **{
            f"peek and price, {name}": lambda read=read: price_read(read, CLAUDE_NEWER)
            for name, read in reads.items()
        },
        "the tail of a 2 MB log": lambda: last_usage(str(log), ""),
        "recall 40 files": lambda: recall(str(folder), 0),
        "weigh a whole call": lambda: weigh(call, intake, str(scratch), str(scratch), 1 << 41),
    }


if __name__ == "__main__":
    main()
