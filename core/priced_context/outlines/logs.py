"""Logs: first and last time, levels, and the most frequent shapes of their lines."""

import re
from collections import Counter

from priced_context.files import read_tail
from priced_context.outlines.records import Entry, printable
from priced_context.prices import CLAUDE_NEWER, features, tokens_per_byte
from priced_context.wording import counted

PART_BYTES = 1 << 20
"""Read from each end of a larger log."""
SHAPES = 40
LONGEST_SHAPE = 60

_TIME = re.compile(
    r"\[?(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?|\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d\d:\d\d:\d\d)"
)
_LEVEL = re.compile(
    r"\b(TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|CRITICAL|FATAL|PANIC|EMERG)\b"
)
_LOWER_LEVEL = re.compile(r"(?:level=|\[|\")(trace|debug|info|notice|warn(?:ing)?|error|fatal)\b")
_VARIABLE = re.compile(
    r"0x[0-9a-fA-F]+|\b[0-9a-fA-F]{8,}\b|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\d+(?:[.:,/_-]\d+)*"
)
_GRAVE = ("EMERG", "PANIC", "FATAL", "CRITICAL", "ERR", "ERROR", "WARN", "WARNING")


def is_log(path: str, head: bytes) -> bool:
    """Say whether a file is a log: by its name, or because most of its first lines have a time."""
    name = path[path.rfind("/") + 1 :].lower()
    if name.endswith((".log", ".log.1")) or ".log." in name:
        return True
    if "." in name and not name.endswith((".txt", ".out", ".err")):
        return False
    lines = [line for line in head[:8192].decode("utf-8", "replace").split("\n")[:-1] if line]
    timed = sum(_TIME.search(line[:60]) is not None for line in lines)
    return len(lines) >= 5 and timed > len(lines) / 2


def log_entries(
    path: str, head: bytes, size_bytes: int, total_lines: int
) -> tuple[list[Entry], str]:
    """Return the most frequent shapes, gravest first, each with what all its lines cost.

    Raises:
        OSError: the file went away.
    """
    parts = [(1, head[:PART_BYTES])]
    is_whole = size_bytes <= PART_BYTES
    if not is_whole:
        tail, _ = read_tail(path, min(PART_BYTES, size_bytes - PART_BYTES))
        tail = tail[tail.find(b"\n") + 1 :]
        lines = tail.count(b"\n") + (not tail.endswith(b"\n"))
        parts.append((total_lines - lines + 1, tail))
    levels: Counter[str] = Counter()
    shapes: dict[tuple[str, str], list[int]] = {}  # first line, last line, lines, bytes
    times: list[str] = []
    for first_line, part in parts:
        for number, raw in enumerate(part.split(b"\n"), first_line):
            line = raw[:400].decode("utf-8", "replace")
            if not line.strip():
                continue
            if found := _TIME.search(line[:60]):
                times[1:] = [found.group(1)]
            level = _level_of(line)
            if level:
                levels[level] += 1
            shape = shapes.setdefault((level, _shape(line)), [number, number, 0, 0])
            shape[1] = number
            shape[2] += 1
            shape[3] += len(raw) + 1
    rate = tokens_per_byte(features(head), max(1, len(head)), CLAUDE_NEWER) if head else 0.0
    ranked = sorted(shapes.items(), key=lambda item: (item[0][0] not in _GRAVE, -item[1][2]))
    entries = [
        Entry(
            level or "line",
            f"s{rank}",
            first,
            last,
            0,
            f"{counted(lines, 'line')}: {text}",
            _cost(size, rate),
        )
        for rank, ((level, text), (first, last, lines, size)) in enumerate(ranked[:SHAPES], 1)
    ]
    return entries, _note(times, levels, len(shapes), is_whole=is_whole)


def _cost(size_bytes: int, rate: float) -> int:
    return max(1, int(size_bytes * rate))


def _level_of(line: str) -> str:
    found = _LEVEL.search(line[:200]) or _LOWER_LEVEL.search(line[:200])
    return found.group(1).upper() if found else ""


def _shape(line: str) -> str:
    """Return a line's words with `#` for what varies; lines of one shape count as the same."""
    line = _TIME.sub("", line, count=1)
    line = _LEVEL.sub("", line, count=1)
    words = " ".join(_VARIABLE.sub("#", line).split()).strip("[]-:,. ")
    return printable(words)[:LONGEST_SHAPE]


def _note(times: list[str], levels: Counter[str], shapes: int, *, is_whole: bool) -> str:
    words = [f"{times[0]} to {times[-1]}"] if times else []
    words += [f"{level} {count:,}" for level, count in levels.most_common(6)]
    words.append(f"{counted(shapes, 'shape')} of line")
    if not is_whole:
        words.append("seen in its first and last MiB")
    return ", ".join(words)
