"""Calls without end: what clients send, what a hostile one might, and both with bytes changed."""

import json
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from scene import code

TOOLS = ["Read"] * 6 + ["Bash"] * 6 + ["Edit", "Grep", "mcp__fs__read_file", "mcp__x__ours"]
TOOLS += ["mcp__x__list", "", "read", "Re\\ad"]

# Pieces of command lines: words of the recogniser's table and others, whole and in parts.
PIECES = [
    *"cat head tail sed grep git log show npm test make echo cd ls open readFileSync".split(),
    *"c at ca t x a.py small.py big.py json.tool 1,400p < > << >> | || & && ; ( ) { } $(".split(),
    *"` ' \" \\ \\\\ / ./ .. * ? [ ] ~ = : @ % ^ + # ! , $'\\x63at' CAT Kat é 日本 😀 µ".split(),
    *("\\\n", "\n", "\t", "\r", "\f", "\x00", "\x1c", "\x7f", "\x85", "\xa0", "\u2003", "\u200b"),
    *("\ud800", "cat\xa0x", "c\\\nat"),
]

RAW_VALUES = [
    *"0 -0 1 -1 01 1.5 1e9 1e999 .5 1. - NaN Infinity -Infinity null true false nul".split(),
    *'"" "a" "\\u0041" "\\ud83d\\ude00" "\\x" [] {} [1,2] [1,] {"a":1,} {"a":[{"b":null}]}'.split(),
    "[" * 3000 + "]" * 3000,
    *("{a:1}", "'a'", "9" * 600, "9" * 601, "9" * 5000, "[" * 80 + "]" * 80),
]

SIZES = {"empty": 0, "small.py": 400, "edge.py": 2_000, "over.py": 2_001, "big.py": 60_000}
LARGE = ("page.PDF", "image.png", "a b", "é.py", 'quo"te', ".hidden", "line\nbreak", "back\\slash")


ODD_FIELDS = {
    "offset": [1, 50, "x", None],
    "limit": [1, 0, 2_000, 10**9],
    "pages": ["1"],
    "allow_large": [True, 1],
    "command": ["cat x"],
    "output_mode": ["content"],
    "head_limit": [0],
}

# What is written over a stretch of a payload.
ODD_BYTES = [b"", b'"', b"\\", b"{", b"}", b",", b'"Bash"', b'"Read"', b"\\u0063"]
ODD_BYTES += [b"\xed\xa0\x80", b"\xc0\xaf", b"\xff", b"\x00", b"\n"]


def make_project(folder: Path) -> list[str]:
    """Write one file of each kind, and return the paths that calls shall name."""
    folder.mkdir(parents=True)
    text = code(2_000)
    for name, size_bytes in {**SIZES, **dict.fromkeys(LARGE, 6_000)}.items():
        (folder / name).write_text(text[:size_bytes])
    (folder / "folder").mkdir()
    (folder / "link").symlink_to("big.py")
    (folder / "nowhere").symlink_to("missing")
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "fifo")
    names = [
        *SIZES,
        *LARGE,
        "folder",
        "link",
        "nowhere",
        "loop",
        "fifo",
        "missing",
        "big.py/",
        "./big.py",
    ]
    names += [
        "folder/../big.py",
        "no/../big.py",
        "big.py/.",
        "small.py/x",
        "\ud800",
        "n" * 300,
        "",
        "big.py\x00",
    ]
    paths = [f"{folder}/{name}" for name in names]
    return [*paths, *names, f"/{folder}/big.py", "/" + "d/" * 2_500, "/", "/..", "/dev/zero", "~/x"]


def recorded_calls() -> list[bytes]:
    """Return what a real client sent; nothing in a plain checkout."""
    folder = Path(__file__).parent.parent.parent / "shared" / "facts" / "claude-code" / "payloads"
    return [path.read_bytes() for path in sorted(folder.glob("PreToolUse*.json"))]


def calls(
    random: Random, paths: list[str], project: Path, recorded: list[bytes]
) -> Iterator[bytes]:
    """Yield payloads for ever: two of three plain, the rest with bytes changed."""
    for number in count():
        if recorded and number % 8 == 0:
            raw = random.choice(recorded)
        else:
            raw = _text(random, _call(random, paths, project)).encode("utf-8", "surrogatepass")
        yield raw if number % 3 else _mutated(random, raw)


def _call(random: Random, paths: list[str], project: Path) -> dict[str, Any]:
    tool = random.choice(TOOLS)
    return {
        "session_id": random.choice([f"s{random.randrange(200)}"] * 12 + ["", "../x", "é"]),
        "transcript_path": f"{project}/../s1.jsonl",
        "cwd": random.choice([str(project)] * 6 + ["/", "", "relative"]),
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": _input(random, tool, paths),
        "effort": {"level": random.choice(["medium"] * 9 + [None, 1.5])},
    }


def _input(random: Random, tool: str, paths: list[str]) -> dict[str, Any]:
    if tool == "Bash":
        pieces = random.choices([*PIECES, *paths[:8]], k=random.randint(0, 9))
        return {"command": random.choice(["", " ", ""]).join(pieces), "description": "é <cat>"}
    fields: dict[str, Any] = {"file_path": random.choice(paths)}
    for name, values in ODD_FIELDS.items():
        if random.random() < 0.12:
            fields[name] = random.choice(values)
    return fields


def _text(random: Random, call: dict[str, Any]) -> str:
    """Return the call as JSON in one of its layouts, at times with a member put in by hand."""
    text = json.dumps(
        call,
        ensure_ascii=random.random() < 0.2,
        indent=random.choice([None, None, None, 1, "\t"]),
        separators=random.choice([None, (",", ":")]),
    )
    if random.random() < 0.15:
        name = random.choice(['"tool_name"', '"x"', '"tool_inpu\\u0074"', '"cwd"', '"file_path"'])
        at = random.choice([i for i, letter in enumerate(text) if letter == "{"])
        text = f"{text[: at + 1]}{name}:{random.choice(RAW_VALUES)},{text[at + 1 :]}"
    before = random.choice([""] * 20 + [" \r\n", "\ufeff"])
    return before + text + random.choice(["\n"] * 20 + ["", " ", "x"])


def _mutated(random: Random, raw: bytes) -> bytes:
    """Return *raw* with one to three stretches cut, doubled, swapped or overwritten."""
    for _ in range(random.randint(1, 3)):
        start = random.randint(0, len(raw))
        end = start + random.choice([0, 1, 1, 2, 4, 30])
        piece = raw[start:end]
        other = random.choice([*ODD_BYTES, piece * 2, random.choice(RAW_VALUES).encode()])
        raw = raw[:start] + other + raw[end:]
    return raw
