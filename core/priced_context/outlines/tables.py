"""Tables by their columns: CSV and TSV, and JSON Lines by the keys of its records."""

import csv
import json
import re

from priced_context.outlines.records import LONGEST_NAME, Entry, printable
from priced_context.prices import CLAUDE_NEWER, features, line_label, tokens_per_byte
from priced_context.wording import counted

HEAD_BYTES = 64 << 10
SUFFIXES = frozenset({"csv", "tsv", "jsonl", "ndjson"})

_TYPES = (
    ("int", re.compile(r"[+-]?\d{1,18}$")),
    ("float", re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$")),
    ("date", re.compile(r"\d{4}[-/]\d\d?[-/]\d\d?([T ]\d\d?:\d\d.*)?$")),
    ("bool", re.compile(r"(true|false|yes|no|t|f)$", re.IGNORECASE)),
)


def table_entries(data: bytes, size_bytes: int, suffix: str) -> tuple[list[Entry], str]:
    """Return the columns of a table, each with its share of the price, and a sentence on rows."""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    lines = text.split("\n")
    if len(data) < size_bytes and len(lines) > 1:
        lines.pop()  # cut off in the middle
    lines = [line for line in lines if line.strip()]
    if not lines:
        return [], "no rows"
    is_csv = suffix in ("csv", "tsv")
    names, rows = _csv_rows(lines, suffix) if is_csv else _json_rows(lines)
    seen_bytes = sum(len(line.encode()) + 1 for line in lines)
    share = size_bytes / seen_bytes
    columns = [[row[i] if i < len(row) else "" for row in rows] for i in range(len(names))]
    entries = [_column(name, cells, share) for name, cells in zip(names, columns, strict=True)]
    about = "" if len(data) >= size_bytes else "about "
    rate = tokens_per_byte(features(data), len(data), CLAUDE_NEWER)
    row_tokens = line_label(rate * seen_bytes / len(lines))
    note = f"{about}{counted(round(len(rows) * share), 'row')}, ~{row_tokens} tok each"
    return entries, note + f", {counted(len(names), 'column' if is_csv else 'key')}"


def _csv_rows(lines: list[str], suffix: str) -> tuple[list[str], list[list[str]]]:
    delimiter = "\t" if suffix == "tsv" else max(",;\t|", key=lines[0].count)
    try:
        rows = list(csv.reader(lines, delimiter=delimiter))
    except csv.Error:  # a field over the module's limit
        rows = [line.split(delimiter) for line in lines]
    first = rows[0]
    has_header = all(cell.strip() for cell in first) and not any(
        pattern.match(cell.strip()) for cell in first for _, pattern in _TYPES[:3]
    )
    if has_header:
        return first, rows[1:]
    return [f"column{i}" for i in range(1, len(first) + 1)], rows


def _json_rows(lines: list[str]) -> tuple[list[str], list[list[str]]]:
    records = []
    for line in lines:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            records.append(record)
    names = list(dict.fromkeys(name for record in records for name in record))
    return names, [
        [_cell(record[name]) if name in record else "" for name in names] for record in records
    ]


def _cell(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _column(name: str, cells: list[str], share: float) -> Entry:
    filled = [cell.strip() for cell in cells if cell.strip()]
    text = "\n".join(cells).encode("utf-8", "replace") or b"\n"
    rate = tokens_per_byte(features(text), len(text), CLAUDE_NEWER)
    sample = printable(next(iter(filled), ""))
    missing = len(cells) - len(filled)
    detail = [f"e.g. {sample[:24]}"] if sample else []
    if missing and cells:
        detail.append(f"{100 * missing // len(cells)}% empty")
    shown = printable(name.strip())[:LONGEST_NAME]
    tokens = max(1, int(rate * len(text) * share))
    return Entry(_type(filled), shown or "?", 0, 0, 0, ", ".join(detail), tokens)


def _type(cells: list[str]) -> str:
    if not cells:
        return "empty"
    for kind, pattern in _TYPES:
        if all(pattern.match(cell) for cell in cells):
            return kind
    return "json" if all(cell[:1] in ("{", "[") for cell in cells) else "text"
