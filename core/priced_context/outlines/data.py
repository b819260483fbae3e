"""JSON, YAML and TOML by their keys, with types and counts, from a bounded head of the file."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from priced_context.outlines.nesting import Mark, entries_of_marks
from priced_context.outlines.records import LONGEST_NAME, Entry
from priced_context.prices import CLAUDE_NEWER, price_text

HEAD_BYTES = 64 << 10
"""Read of a data file, however large it is."""
DEEPEST = 4
"""Levels of keys that are listed; what lies deeper is only counted."""

JSON_SUFFIXES = frozenset({"json", "jsonc", "json5", "geojson", "webmanifest", "har"})
YAML_SUFFIXES = frozenset({"yaml", "yml"})
SUFFIXES = JSON_SUFFIXES | YAML_SUFFIXES | {"toml"}

_TOKEN = re.compile(
    rb'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|//[^\n]*|/\*.*?\*/|[^\s{}\[\],:"/]+|"|/', re.DOTALL
)
_NUMBER = re.compile(r"[+-]?(\d[\d_]*)(\.\d+)?([eE][+-]?\d+)?$")
_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?$")


class Span(NamedTuple):
    """One value of a JSON text."""

    path: tuple[str, ...]
    kind: str
    start: int
    end: int
    """Past its last byte; -1 where the text ended before."""
    count: int
    """Keys or items seen in it."""
    inner: str
    """The kind of an array's first item."""


def data_entries(data: bytes, size_bytes: int, suffix: str) -> list[Entry]:
    """Return the keys in *data*, the head of a file of *size_bytes*."""
    if suffix in JSON_SUFFIXES:
        return _json_entries(data, size_bytes)
    lines = data.decode("utf-8", "replace").split("\n")
    marks = _toml_marks(lines) if suffix == "toml" else _yaml_marks(lines)
    entries = entries_of_marks(marks, lines)
    if len(data) < size_bytes:
        _leave_open(entries, len(lines))
    return [entry for entry in entries if entry.depth < DEEPEST]


def _leave_open(entries: list[Entry], last_line: int) -> None:
    """What reaches the end of the head goes on for an unknown number of lines."""
    for entry in entries:
        if entry.last_line >= last_line - 1:
            entry.last_line = 0


class _Frame:
    """An object or array that is still open."""

    __slots__ = ("count", "inner", "key", "kind", "slot", "start")

    def __init__(self, kind: str, slot: int, key: str, start: int) -> None:
        self.kind, self.slot, self.key, self.start = kind, slot, key, start
        self.count = 0
        self.inner = ""


def json_spans(data: bytes, deepest: int, first_items: bool = True) -> list[Span]:
    """Return the values of a JSON text down to *deepest* levels, in order; never raises.

    Of an array only the first item is followed, or with *first_items* false every one.
    """
    spans: list[Span | None] = []
    frames: list[_Frame] = []
    path: list[str] = []
    hidden = 0  # frames open that are not listed
    key: str | None = None
    pending = ""  # a string that may turn out to be a key
    pending_at = (0, 0)

    def opened(kind: str, start: int) -> int:
        """Count a value in its parent and return its slot among the spans, or -1."""
        nonlocal key
        parent = frames[-1] if frames else None
        name = key
        if parent is not None:
            if parent.kind == "array":
                name = f"[{parent.count}]"
            parent.count += 1
            parent.inner = parent.inner or kind
        key = None
        is_listed = hidden == 0 and len(path) < deepest
        if parent is not None and parent.kind == "array" and first_items:
            is_listed = is_listed and parent.count == 1
        path.append(name or "")
        if not is_listed:
            return -1
        spans.append(None)
        return len(spans) - 1

    def closed(slot: int, kind: str, start: int, end: int, frame: _Frame | None = None) -> None:
        if slot >= 0:
            count, inner = (frame.count, frame.inner) if frame else (0, "")
            spans[slot] = Span(tuple(path), kind, start, end, count, inner)
        path.pop()

    for token in _TOKEN.finditer(data):
        text = token.group()
        first = text[:1]
        if text in (b"{", b"["):
            kind = "object" if text == b"{" else "array"
            slot = opened(kind, token.start())
            hidden += slot < 0
            frames.append(_Frame(kind, slot, "", token.start()))
        elif text in (b"}", b"]"):
            if not frames:
                continue
            frame = frames.pop()
            hidden -= frame.slot < 0
            closed(frame.slot, frame.kind, frame.start, token.end(), frame)
        elif text == b":" and pending:
            key = pending
            pending = ""
            continue
        elif text in (b'"', b"/"):  # the head ends inside a string or a comment
            break
        elif first == b'"' and frames and frames[-1].kind == "object" and key is None:
            pending = text[1:-1].decode("utf-8", "replace")
            continue
        elif text not in (b",", b":") and first != b"/":
            kind = _scalar(text.decode("utf-8", "replace"))
            if frames and frames[-1].kind == "object" and key is None:
                pending = text.decode("utf-8", "replace")  # JSON5: a bare key
                continue
            closed(opened(kind, token.start()), kind, token.start(), token.end())
        pending = ""
    while frames:
        frame = frames.pop()
        closed(frame.slot, frame.kind, frame.start, -1, frame)
    return [span for span in spans if span is not None]


def _json_entries(data: bytes, size_bytes: int) -> list[Entry]:
    is_whole = len(data) >= size_bytes
    spans = json_spans(data, DEEPEST + 1)
    entries = []
    line, at = 1, 0
    for span in spans:
        line += data.count(b"\n", at, span.start)
        at = span.start
        if len(span.path) == 1:  # the root: its content is the outline
            if span.kind in ("object", "array") and len(spans) > 1:
                continue
        end = span.end if span.end >= 0 else len(data)
        text = data[span.start : end]
        last_line = line + text.count(b"\n")
        tokens = price_text(text, CLAUDE_NEWER, "tab", last_line)
        is_open = span.end < 0 and not is_whole
        if is_open:
            tokens = tokens * (size_bytes - span.start) // max(1, len(text))
        depth = max(0, len(span.path) - 2)
        name = span.path[-1][:LONGEST_NAME] or "value"
        entries.append(
            Entry(
                span.kind,
                "".join(c if c.isprintable() else "?" for c in name),
                line,
                0 if is_open else last_line,
                depth,
                _counted(span, is_open=is_open),
                max(1, tokens),
            )
        )
    return entries


def _counted(span: Span, *, is_open: bool) -> str:
    more = "+" if is_open else ""
    if span.kind == "object":
        return f"{span.count}{more} keys"
    if span.kind == "array":
        return f"{span.count}{more} {span.inner or 'item'}s"
    return ""


def _scalar(text: str) -> str:
    """Return the type of a value as its text shows it."""
    if text[:1] in "\"'":
        return "date" if _DATE.match(text[1:-1]) else "string"
    if text in ("true", "false", "True", "False", "yes", "no"):
        return "bool"
    if text in ("null", "~", ""):
        return "null"
    if found := _NUMBER.match(text):
        return "float" if found.group(2) or found.group(3) else "int"
    return "date" if _DATE.match(text) else "string"


_YAML_KEY = re.compile(
    r"(?P<indent> *)(?P<item>- +)*(?P<key>\"[^\"]*\"|'[^']*'|[^\s#:{}\[\],&*!|>'\"%@`-][^:#]*?)\s*:(?: +(?P<value>.*))?$"
)


def _yaml_marks(lines: list[str]) -> Iterator[Mark]:
    """Keys by their indentation; a list's items belong to the key above."""
    scalar_indent = -1  # inside a block scalar: its lines are deeper than this
    for number, line in enumerate(lines, 1):
        text = line.rstrip()
        indent = len(text) - len(text.lstrip(" "))
        if scalar_indent >= 0:
            if not text or indent > scalar_indent:
                continue
            scalar_indent = -1
        found = _YAML_KEY.match(text)
        if found is None or text.lstrip().startswith("#"):
            continue
        value = (found["value"] or "").strip()
        level = found.start("key")
        if value[:1] in ("|", ">") or value[:2] in ("|-", ">-"):
            scalar_indent, kind = indent, "string"
        elif value and value[0] not in "&!#":
            kind = {"{": "map", "[": "list"}.get(value[0]) or _scalar(value)
        else:
            kind = _yaml_block(lines, number, level)
        yield Mark(number, level, kind, found["key"].strip("\"'")[:LONGEST_NAME])


def _yaml_block(lines: list[str], number: int, level: int) -> str:
    for line in lines[number : number + 20]:
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        indent = len(line) - len(line.lstrip(" "))
        if text.startswith("- ") or text == "-":
            return "list" if indent >= level else "null"
        return "map" if indent > level else "null"
    return "null"


_TOML_TABLE = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_TOML_KEY = re.compile(r"\s*([\w.\"'-]+)\s*=\s*(.*\S)")


def _toml_marks(lines: list[str]) -> Iterator[Mark]:
    level = 0
    quotes = ""  # inside a string of several lines
    for number, line in enumerate(lines, 1):
        if quotes:
            quotes = "" if quotes in line else quotes
            continue
        if found := _TOML_TABLE.match(line):
            level = 1
            yield Mark(number, 0, "tables" if found[1] == "[[" else "table", found[2])
        elif found := _TOML_KEY.match(line):
            value = found[2]
            for marks in ('"""', "'''"):
                if value.startswith(marks) and marks not in value[3:]:
                    quotes = marks
            kind = {"{": "table", "[": "array"}.get(value[0]) or _scalar(value.split(" #")[0])
            yield Mark(number, level, kind, found[1].strip("\"'")[:LONGEST_NAME])
