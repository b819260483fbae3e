"""Raw JSON cut at its own seams, each piece with its place in the body.

msgspec finds the ends of values at about 2 GB/s and hands out views, not copies; since nothing but
blanks and punctuation stands between the values, walking over them gives every offset.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from priced_context.budget.faults import MAX_DEPTH, BudgetError, child, locate

_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])
_KEY = re.compile(rb'[ \t\n\r,{]*("(?:[^"\\]|\\.)*")[ \t\n\r]*:[ \t\n\r]*')
_END = re.compile(rb"[ \t\n\r]*\}?")
_BLANK = 0x20  # between values of valid JSON no other byte is this small or smaller
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

JSON = Any
"""A decoded JSON value; the adapters check the shape of what they read."""


class Slice:
    """One raw JSON value and where it stands in the body."""

    __slots__ = ("path", "raw", "start")

    def __init__(self, path: str, start: int, raw: msgspec.Raw) -> None:
        self.path = path
        self.start = start
        self.raw = raw
        """The value's own bytes, as a view into the body."""

    @property
    def end(self) -> int:
        return self.start + len(self.raw)

    @property
    def first_byte(self) -> bytes:
        return bytes(memoryview(self.raw)[:1])

    def decode(self) -> JSON:
        """Return the value.

        Raises:
            BudgetError: see `decode`.
        """
        return decode(bytes(self.raw), self.path)


def members(body: bytes, path: str = "$", base: int = 0) -> dict[str, Slice]:
    """Return the members of the object *body*, which starts at offset *base* of the request.

    Raises:
        BudgetError: not an object, not JSON, or a key twice.
    """
    try:
        raws = _OBJECT.decode(body)
    except msgspec.ValidationError:
        raise BudgetError("expected a JSON object", path) from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise locate(body, path) from None
    found: dict[str, Slice] = {}
    position = 0
    while key := _KEY.match(body, position):
        name = msgspec.json.decode(key[1])
        start = key.end()
        raw = raws.get(name)
        # Of a key that stands twice msgspec keeps the last value, so the first one differs.
        if raw is None or name in found or not body.startswith(raw, start):
            raise locate(body, path)
        found[name] = Slice(child(path, name), base + start, raw)
        position = start + len(raw)
    if len(found) != len(raws) or not _END.match(body, position):
        raise locate(body, path)
    return found


def elements(array: Slice, body: bytes) -> Iterator[tuple[int, msgspec.Raw]]:
    """Yield start and raw bytes of each element of *array*, a JSON array within *body*."""
    position = array.start + 1
    for raw in _ARRAY.decode(array.raw):
        while body[position] <= _BLANK:
            position += 1
        yield position, raw
        position += len(raw)
        while body[position] <= _BLANK:
            position += 1
        position += 1


def decode(raw: bytes, path: str) -> JSON:
    """Return the decoded value of *raw*, strictly.

    Raises:
        BudgetError: a key twice, NaN or Infinity, a lone surrogate, text that is not UTF-8, a
            number too long to read, nesting deeper than `MAX_DEPTH`.
    """
    try:
        text = raw.decode()
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
        if _SURROGATE.search(text):
            msgspec.json.decode(raw)
    except (ValueError, RecursionError, msgspec.DecodeError):
        raise locate(raw, path) from None
    brackets = raw.count(b"[") + raw.count(b"{")
    if brackets > MAX_DEPTH and _is_deeper(value, MAX_DEPTH):
        raise locate(raw, path)
    return value


def _unique(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands twice")
    return value


def _refuse(constant: str) -> JSON:
    raise ValueError(constant)


def _is_deeper(value: JSON, levels: int) -> bool:
    level = [value]
    for _ in range(levels):
        level = [
            inner
            for outer in level
            if isinstance(outer, (dict, list))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return False
    return True
