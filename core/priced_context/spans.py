"""Stretches of lines of a file: read in one pass whatever its size, hashed, found again."""

import os
import stat

import msgspec
import xxhash

from priced_context.files import opened
from priced_context.outlines.source import NotText, is_binary
from priced_context.prices import CLAUDE_NEWER, price_text

LARGEST_BYTES = 8 << 20
"""Of a span; no context window holds so much."""
_PIECE_BYTES = 1 << 20
_SAMPLE_BYTES = 256 << 10


class Span(msgspec.Struct, frozen=True):
    """Some lines of a file, as they were when it was read."""

    first_line: int
    last_line: int
    """As found: a range past the file's end is shortened."""
    text: bytes
    """Without the last line's end; the first `LARGEST_BYTES` of it."""
    size_bytes: int

    @property
    def tokens(self) -> int:
        """What the lines cost, numbered."""
        sample = self.text[:_SAMPLE_BYTES] or b"\n"
        tokens = price_text(sample, CLAUDE_NEWER, "tab", self.first_line + sample.count(b"\n"))
        return max(1, tokens * self.size_bytes // len(sample))

    @property
    def hash(self) -> str:
        return hash_of(self.text)

    def numbered(self) -> str:
        """Return the lines as the client's Read shows them: number, tab, line."""
        if not self.size_bytes:
            return ""
        lines = self.text.decode("utf-8", "replace").split("\n")
        return "".join(
            f"{number}\t{line.removesuffix(chr(13))}\n"
            for number, line in enumerate(lines, self.first_line)
        )


def hash_of(text: bytes) -> str:
    """Return what follows `@` in a handle: 16 hexadecimal digits."""
    return xxhash.xxh3_64_hexdigest(text)


def read_span(path: str, first_line: int, last_line: int) -> Span | None:
    """Return lines *first_line* to *last_line* (0: the last), or None where the file is shorter.

    Raises:
        OSError: it cannot be read.
        NotText: it is no regular file, or what was read of it is binary.
    """
    handle = opened(path)
    with open(handle, "rb", buffering=0) as file:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(21, "Is a directory", path)
        if not stat.S_ISREG(mode):
            raise NotText("no regular file")
        kept = bytearray()
        size_bytes = newlines = 0  # of the span; before the piece
        last_byte = b""
        is_head = True
        while piece := file.read(_PIECE_BYTES):
            if is_head and is_binary(piece[:8192]):
                raise NotText("binary")
            is_head = False
            inside = piece.count(b"\n")
            last_byte = piece[-1:]
            if newlines + inside + 1 >= first_line:
                start = _after(piece, first_line - 1 - newlines)
                end = _after(piece, last_line - newlines) if last_line else len(piece)
                wanted = piece[start:end]
                size_bytes += len(wanted)
                kept += wanted[: LARGEST_BYTES - len(kept)]
            newlines += inside
            if last_line and newlines >= last_line:
                break
    total_lines = newlines + (last_byte not in (b"\n", b""))
    if first_line > max(1, total_lines):
        return None
    if b"\0" in kept:
        raise NotText("binary")
    last_line = min(last_line or total_lines, total_lines)
    if size_bytes <= len(kept) and kept.endswith(b"\n"):
        del kept[-1:]
    return Span(first_line, max(first_line, last_line), bytes(kept), size_bytes)


def _after(piece: bytes, newlines: int) -> int:
    """Return the offset after that many newlines; 0 for none, the length where there are fewer."""
    at = 0
    for _ in range(newlines):
        at = piece.find(b"\n", at) + 1
        if not at:
            return len(piece)
    return at


def find_again(data: bytes, line_count: int, digest: str, near_line: int) -> int | None:
    """Return the first line of the stretch with this hash that is nearest to *near_line*."""
    lines = data.split(b"\n")
    starts = range(1, len(lines) - line_count + 2)
    for first_line in sorted(starts, key=lambda line: abs(line - near_line)):
        text = b"\n".join(lines[first_line - 1 : first_line - 1 + line_count])
        if hash_of(text).startswith(digest):
            return first_line
    return None
