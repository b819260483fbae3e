"""A file's bytes, once read: every outline and every span of one call is of the same moment."""

import os
import stat
from collections.abc import Iterator

import msgspec

from priced_context.files import opened

LARGEST_BYTES = 4 << 20
"""Of a larger file only this much is read for its outline; a grammar needs the whole."""
_BINARY_SHARE = 0.1
"""Part of control characters from which a file without a NUL is still not text."""
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b\b"))


class NotText(Exception):  # noqa: N818 - a finding, not an error in the program
    """The file is binary, or no regular file."""


class Source(msgspec.Struct, frozen=True):
    """The text of a file, or its head."""

    path: str
    data: bytes
    size_bytes: int

    @property
    def is_whole(self) -> bool:
        return len(self.data) >= self.size_bytes

    @property
    def total_lines(self) -> int:
        """Lines as a person counts them; an estimate from the head of a larger file."""
        lines = self.data.count(b"\n") + (not self.data.endswith(b"\n") and bool(self.data))
        return lines if self.is_whole else lines * self.size_bytes // max(1, len(self.data))


def load(path: str, limit_bytes: int = LARGEST_BYTES) -> Source:
    """Return the file's first *limit_bytes*, read once.

    Raises:
        OSError: it cannot be opened or read.
        NotText: a directory, a device, a FIFO, or binary content.
    """
    handle = opened(path)
    with open(handle, "rb") as file:
        found = os.fstat(handle)
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(21, "Is a directory", path)
        if not stat.S_ISREG(found.st_mode):
            raise NotText("no regular file")
        data = file.read(limit_bytes)
        size_bytes = max(found.st_size, len(data)) if len(data) == limit_bytes else len(data)
    if is_binary(data):
        raise NotText("binary")
    return Source(path, data, size_bytes)


def is_binary(data: bytes) -> bool:
    """Say whether bytes are no text: a NUL, or many control characters."""
    if b"\0" in data:
        return True
    head = data[:8192]
    return len(head) - len(head.translate(None, _CONTROLS)) > _BINARY_SHARE * len(head)


def line_starts(data: bytes) -> list[int]:
    """Return the offset of every line, and at the end that of the line that would follow."""
    starts = [0]
    for line in data.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    starts[-1] = len(data) + 1
    return starts


def text_lines(data: bytes) -> Iterator[str]:
    """Yield the lines without their ends; what is not UTF-8 is replaced."""
    for line in data.split(b"\n"):
        yield line.rstrip(b"\r").decode("utf-8", "replace")
