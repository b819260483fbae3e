"""Counts of parts seen before, by hash: in memory, and on disk where a folder is given.

A file holds one space, that is one counter, family and set of rules, so a count is never read by
another than wrote it. Writers replace the file whole and keep what others wrote meanwhile; a
damaged file counts as empty.
"""

import contextlib
import os
import tempfile
from pathlib import Path
from typing import TypeVar

import msgspec
import xxhash

from priced_context.budget.request import Place

CAPACITY = 50_000
"""Parts kept a space: some 15 sessions of a million tokens each, about 5 MB on disk."""


class Entry(msgspec.Struct, frozen=True, array_like=True, gc=False):
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
_Totals = dict[bytes, int]
_Stored = TypeVar("_Stored", Entry, int)

_encode = msgspec.msgpack.Encoder().encode


class CountCache:
    """Entries by space and hash; the oldest go first once a space is full."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._spaces: dict[str, _Space] = {}
        self._totals: _Totals | None = None
        self._stored: dict[str, int] = {}

    def space(self, name: str) -> _Space:
        """Return the entries of one space, to read and to add to."""
        if name not in self._spaces:
            self._spaces[name] = self._read(_file_of(name), _Space)
            self._stored[_file_of(name)] = len(self._spaces[name])
        return self._spaces[name]

    def totals(self) -> _Totals:
        """Return whole requests' counts by the hash of the question, to read and to add to."""
        if self._totals is None:
            self._totals = self._read(_TOTALS, _Totals)
            self._stored[_TOTALS] = len(self._totals)
        return self._totals

    def save(self) -> None:
        """Write what has grown. Never raises: a count can be made again."""
        for name, entries in self._spaces.items():
            self._write(_file_of(name), entries, _Space)
        if self._totals is not None:
            self._write(_TOTALS, self._totals, _Totals)

    def _read(self, file: str, type_: type[dict[bytes, _Stored]]) -> dict[bytes, _Stored]:
        if self.folder is None:
            return {}
        try:
            return msgspec.msgpack.decode((self.folder / file).read_bytes(), type=type_)
        except (OSError, msgspec.MsgspecError):
            return {}

    def _write(
        self, file: str, entries: dict[bytes, _Stored], type_: type[dict[bytes, _Stored]]
    ) -> None:
        if self.folder is None or len(entries) == self._stored[file]:
            return
        merged = self._read(file, type_)  # another process may have added to it since
        for key, entry in entries.items():
            merged.pop(key, None)  # what was used here becomes the newest
            merged[key] = entry
        for key in list(merged)[: max(0, len(merged) - CAPACITY)]:
            del merged[key]
        with contextlib.suppress(OSError):
            replace_file(self.folder / file, _encode(merged))
            self._stored[file] = len(entries)


_TOTALS = "totals.msgpack"


def _file_of(space: str) -> str:
    return f"{xxhash.xxh3_64_hexdigest(space.encode())}.msgpack"


def replace_file(path: Path, data: bytes) -> None:
    """Put *data* in the place of the file *path* in one step, for the owner alone; or OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise
