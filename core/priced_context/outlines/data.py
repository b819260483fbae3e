"""JSON, YAML and TOML by their keys, with types and counts, from a bounded head of the file."""

import re
from collections.abc import Iterator

from priced_context.outlines.nesting import Mark, entries_of_marks
from priced_context.outlines.records import LONGEST_NAME, Entry, printable
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


class Value:
    """One value of a JSON text."""

    __slots__ = ("count", "end", "inner", "is_listed", "kind", "path", "start")

    def __init__(self, kind: str, start: int, path: tuple[str, ...], *, is_listed: bool) -> None:
        self.kind = kind
        self.start = start
        self.end = -1
        """Past its last byte; -1 where the text ended before."""
        self.path = path
        """The keys that lead to it, the root's empty one first; () where it is not listed."""
        self.is_listed = is_listed
        self.count = 0
        """Keys or items seen in it."""
        self.inner = ""
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


def json_values(data: bytes, deepest: int, *, every_item: bool = False) -> list[Value]:
    """Return the values of a JSON text down to *deepest* levels, in order; never raises.

    Of an array only the first item is listed, where it holds keys, unless *every_item* is wanted.
    """
    scan = _Scan(deepest, every_item=every_item)
    for token in _TOKEN.finditer(data):
        if token.group() in (b'"', b"/"):  # the text ends inside a string or a comment
            break
        scan.take(token.group(), token.start(), token.end())
    return scan.values


class _Scan:
    """Where in a JSON text the scanner stands; nesting costs no stack."""

    def __init__(self, deepest: int, *, every_item: bool) -> None:
        self.deepest = deepest
        self.every_item = every_item
        self.values: list[Value] = []
        self.open: list[Value] = []
        self.word = ""
        """What may turn out to be a key."""
        self.key: str | None = None
        """The key whose value comes next."""

    def take(self, token: bytes, start: int, end: int) -> None:
        if token in (b"{", b"["):
            self.open.append(self._value("object" if token == b"{" else "array", start))
        elif token in (b"}", b"]"):
            if self.open:
                self.open.pop().end = end
        elif token == b":":
            self.key = self.word
        elif token == b",":
            self.key = None
        elif token.startswith((b"//", b"/*")):
            pass
        elif self.open and self.open[-1].kind == "object" and self.key is None:
            self.word = token.decode("utf-8", "replace").strip('"')
        else:
            self._value(_scalar(token.decode("utf-8", "replace")), start).end = end

    def _value(self, kind: str, start: int) -> Value:
        """Begin a value: count it in its holder, and list it where it is wanted."""
        holder = self.open[-1] if self.open else None
        name, is_listed = "", len(self.open) < self.deepest
        if holder is not None:
            is_item = holder.kind == "array"
            name = f"[{holder.count}]" if is_item else self.key or ""
            is_telling = holder.count == 0 and kind in ("object", "array")
            is_listed = is_listed and holder.is_listed
            is_listed = is_listed and (not is_item or self.every_item or is_telling)
            holder.count += 1
            holder.inner = holder.inner or kind
        self.key = None
        path = (*(holder.path if holder else ()), name) if is_listed else ()
        value = Value(kind, start, path, is_listed=is_listed)
        if is_listed:
            self.values.append(value)
        return value


def _json_entries(data: bytes, size_bytes: int) -> list[Entry]:
    is_whole = len(data) >= size_bytes
    values = json_values(data, DEEPEST + 1)
    if len(values) > 1 and values[0].kind in ("object", "array"):
        del values[0]  # the root: its content is the outline
    entries = []
    line, at = 1, 0
    for value in values:
        line += data.count(b"\n", at, value.start)
        at = value.start
        text = data[value.start : value.end if value.end >= 0 else len(data)]
        last_line = line + text.count(b"\n")
        tokens = price_text(text, CLAUDE_NEWER, "tab", last_line)
        is_open = value.end < 0 and not is_whole
        if is_open:
            tokens = tokens * (size_bytes - value.start) // len(text)
            last_line = 0
        name = printable(value.path[-1])[:LONGEST_NAME] or "value"
        depth = max(0, len(value.path) - 2)
        detail = _counted(value, is_open=is_open)
        entries.append(Entry(value.kind, name, line, last_line, depth, detail, max(1, tokens)))
    return entries


def _counted(value: Value, *, is_open: bool) -> str:
    if value.kind not in ("object", "array"):
        return ""
    what = "key" if value.kind == "object" else value.inner or "item"
    return f"{value.count}{'+' if is_open else ''} {what}{'' if value.count == 1 else 's'}"


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
    r" *(?:- +)*(?P<key>\"[^\"]*\"|'[^']*'|[^\s#:{}\[\],&*!|>'\"%@`-][^:#]*?)\s*:"
    r"(?: +(?P<value>.*))?$"
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
            scalar_indent, kind = level, "string"
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
