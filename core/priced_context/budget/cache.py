"""Counts of parts seen before, by hash: in memory, and on disk where a folder is given.

A file holds one space, that is one counter, family and set of rules, so a count is never read by
another than wrote it. Writers replace the file whole and keep what others wrote meanwhile; a
damaged file counts as empty.
"""

import contextlib
import os
import tempfile
from pathlib import Path

import msgspec
import xxhash

from priced_context.budget.request import Place

CAPACITY = 50_000
"""Parts kept a space: some 15 sessions of a million tokens each, about 5 MB on disk."""


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """What is known of one part: its blocks, their kinds and tokens."""

    places: tuple[Place, ...]
    tokens: tuple[int, ...]
    """One a place."""
    notes: tuple[str, ...]
    """One a place: what in it cannot be counted offline; empty: nothing."""
    blocks_key: str
    tool_count: int
    is_call: bool
    """A call that is a part of its own."""
    role: str
    tally: tuple[tuple[str, int], ...]
    """Tokens by kind: `places` and `tokens` summed."""
    seal: bytes
    """Kinds and hashes of `places`, as the fingerprint takes them."""


_Space = dict[bytes, Entry]
_decode = msgspec.msgpack.Decoder(_Space).decode
_encode = msgspec.msgpack.Encoder().encode


class CountCache:
    """Entries by space and hash; the oldest go first once a space is full."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._spaces: dict[str, _Space] = {}
        self._stored: dict[str, int] = {}

    def space(self, name: str) -> _Space:
        """Return the entries of one space, to read and to add to."""
        if name not in self._spaces:
            self._spaces[name] = self._read(name)
            self._stored[name] = len(self._spaces[name])
        return self._spaces[name]

    def save(self) -> None:
        """Write every space that has grown. Never raises: a count can be made again."""
        if self.folder is None:
            return
        for name, entries in self._spaces.items():
            if len(entries) != self._stored[name]:
                with contextlib.suppress(OSError):
                    self._write(name, entries)
                    self._stored[name] = len(entries)

    def _path(self, folder: Path, name: str) -> Path:
        return folder / f"{xxhash.xxh3_64_hexdigest(name.encode())}.msgpack"

    def _read(self, name: str) -> _Space:
        if self.folder is None:
            return {}
        try:
            return _decode(self._path(self.folder, name).read_bytes())
        except (OSError, msgspec.MsgspecError):
            return {}

    def _write(self, name: str, entries: _Space) -> None:
        folder = self.folder or Path()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        merged = self._read(name)  # another process may have added to it since
        for key, entry in entries.items():
            merged.pop(key, None)  # what was used here becomes the newest
            merged[key] = entry
        for key in list(merged)[: max(0, len(merged) - CAPACITY)]:
            del merged[key]
        descriptor, temporary = tempfile.mkstemp(dir=folder)
        try:
            with open(descriptor, "wb") as file:
                file.write(_encode(merged))
            os.replace(temporary, self._path(folder, name))
        except BaseException:
            os.unlink(temporary)
            raise
