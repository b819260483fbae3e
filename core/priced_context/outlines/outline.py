"""One file's outline: pick the family, find the entries, give each its handle and its price."""

import msgspec

from priced_context.outlines import data, logs, notebooks, prose, source, tables
from priced_context.outlines.languages import language_of, suffix_of
from priced_context.outlines.patterns import PATTERNS, pattern_entries
from priced_context.outlines.records import Entry, Outline, Symbol
from priced_context.outlines.source import Source
from priced_context.prices import CLAUDE_NEWER, price_read, price_text
from priced_context.records import Read

GRAMMAR, SHAPES = "grammar", "shapes"
TRUSTED_SHARE = 0.8
"""A grammar that lost its way keeps its exact ranges if it finds this part of what patterns do."""
NOTEBOOK_BYTES = 32 << 20


def outline_of(path: str, name: str = "") -> Outline:
    """Return every symbol of the file at *path*, which the reader knows as *name*.

    Raises:
        OSError: it cannot be read.
        NotText: it is binary, or no regular file.
    """
    read = source.load(path)
    entries, basis, note = _entries_of(read)
    whole = Read(path, read.size_bytes, line_prefix="tab")
    return Outline(
        name or path,
        price_read(whole, CLAUDE_NEWER).tokens if read.data else 0,
        read.total_lines,
        _symbols(entries, read),
        basis,
        note,
    )


def within(outline: Outline, holder: Symbol) -> Outline:
    """Return the outline of what lies inside one of its symbols."""
    start = outline.symbols.index(holder) + 1
    inner = []
    for symbol in outline.symbols[start:]:
        if symbol.depth <= holder.depth:
            break
        inner.append(symbol)
    lines = max(0, holder.last_line - holder.first_line + 1)
    return msgspec.structs.replace(
        outline, tokens=holder.tokens, lines=lines, symbols=inner, part=f"#{holder.fragment}"
    )


def within_lines(outline: Outline, first_line: int, last_line: int) -> Outline:
    """Return the outline of the symbols that begin on these lines."""
    inner = [s for s in outline.symbols if first_line <= s.first_line <= last_line]
    base = min((symbol.depth for symbol in inner), default=0)
    return msgspec.structs.replace(
        outline,
        tokens=sum(symbol.tokens for symbol in inner if symbol.depth == base),
        lines=last_line - first_line + 1,
        symbols=inner,
        part=f":{first_line}-{last_line}",
    )


def _entries_of(read: Source) -> tuple[list[Entry], str, str]:
    """Return the entries of a file, how they were found, and a sentence about the whole."""
    suffix = suffix_of(read.path, read.data[:256])
    language = language_of(suffix)
    if language is not None:
        return _code_entries(read, suffix)
    if suffix in data.SUFFIXES:
        head = read.data[: data.HEAD_BYTES]
        is_all = len(head) == read.size_bytes
        basis = "keys" if is_all else "keys in its first 64 KiB"
        return data.data_entries(head, read.size_bytes, suffix), basis, ""
    if suffix in tables.SUFFIXES:
        head = read.data[: tables.HEAD_BYTES]
        entries, note = tables.table_entries(head, read.size_bytes, suffix)
        return entries, "columns", note
    if suffix in notebooks.SUFFIXES and read.size_bytes <= NOTEBOOK_BYTES:
        cells = notebooks.notebook_entries(source.load(read.path, NOTEBOOK_BYTES).data)
        if cells is not None:
            return cells, "cells", ""
    if suffix in prose.SUFFIXES:
        return prose.prose_entries(_lines(read), suffix), _basis("headings", read), ""
    if suffix not in PATTERNS and logs.is_log(read.path, read.data):
        lines = _exact_lines(read)
        entries, note = logs.log_entries(read.path, read.data, read.size_bytes, lines)
        return entries, SHAPES, note
    return pattern_entries(_lines(read), suffix), _basis("line patterns", read), ""


def _code_entries(read: Source, suffix: str) -> tuple[list[Entry], str, str]:
    from priced_context.outlines.code import tags_of  # the grammars' engine takes 10 ms

    language = language_of(suffix)
    tags = tags_of(read.data, language) if language is not None and read.is_whole else None
    if tags and not tags.is_broken:
        return tags.entries, GRAMMAR, ""
    found = pattern_entries(_lines(read), suffix)
    if tags and len(tags.entries) >= TRUSTED_SHARE * len(found):
        return tags.entries, "grammar, with syntax errors", ""
    return found, _basis("line patterns", read), ""


def _basis(words: str, read: Source) -> str:
    return words if read.is_whole else f"{words}, its first {len(read.data) >> 20} MiB"


def _lines(read: Source) -> list[str]:
    lines = list(source.text_lines(read.data))
    if not lines[-1]:
        lines.pop()
    return lines


def _exact_lines(read: Source) -> int:
    if read.is_whole:
        return read.total_lines
    from priced_context.files import lines_from

    return lines_from(read.path, 1, 0)[0] + 1


def _symbols(entries: list[Entry], read: Source) -> list[Symbol]:
    """Price the entries, and name each by the names it lies in: a second `A.b` is `A.b~2`."""
    starts = source.line_starts(read.data)
    holders: list[str] = []
    used: dict[str, int] = {}
    symbols = []
    for entry in entries:
        del holders[entry.depth :]
        holders.append(entry.name)
        path = ".".join(holders)
        used[path] = used.get(path, 0) + 1
        again = f"~{used[path]}" if used[path] > 1 else ""
        symbols.append(
            Symbol(
                entry.kind,
                entry.name + again,
                entry.first_line,
                entry.last_line,
                entry.tokens or _price(entry, read.data, starts),
                path + again,
                entry.depth,
                entry.detail,
            )
        )
    return symbols


def _price(entry: Entry, text: bytes, starts: list[int]) -> int:
    first = min(max(entry.first_line, 1), len(starts) - 1)
    last = min(entry.last_line or len(starts) - 1, len(starts) - 1)
    span = text[starts[first - 1] : starts[last] - 1]
    return max(1, price_text(span or b"\n", CLAUDE_NEWER, "tab", last))
