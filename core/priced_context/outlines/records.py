"""What an outline is made of, and the fine labels that its lines are quoted in."""

import msgspec

from priced_context.prices import EDGES, LABELS, bucket_of

LONGEST_NAME = 200
"""Characters of a symbol's name that are shown and asked for."""
# fmt: off
HOLD_METHODS = {
    "class", "struct", "enum", "union", "interface", "trait", "impl", "record", "object",
    "module", "type", "extension",
}
# fmt: on
"""Kinds that are types: a function in one is a method."""
_FINE_STEPS = (10, 20, 50, 100, 200, 500)


class Entry(msgspec.Struct):
    """One named stretch of a file, as a family finds it: without handle and price."""

    kind: str
    name: str
    first_line: int
    """1-based; 0 where the lines are not known (data beyond the part that was read)."""
    last_line: int
    depth: int
    """0 at the top; an entry one deeper lies inside the last one above it."""
    detail: str = ""
    """A few words more: a count, a trait, a sample."""
    tokens: int = 0
    """Its price where it is not that of its lines; 0: price the lines."""


class Symbol(msgspec.Struct, frozen=True):
    """One line of a menu: what it is, where, what it costs and how to ask for it."""

    kind: str
    name: str
    first_line: int
    last_line: int
    tokens: int
    """Read as numbered lines, by the model that prices every read."""
    fragment: str
    """`Class.method`, unique in its file: what stands after `#` in a handle."""
    depth: int
    detail: str = ""


class Outline(msgspec.Struct, frozen=True):
    """A file's symbols in its own order: each is followed by what lies inside it."""

    name: str
    """How the file is named to the reader: `repo:src/a.py`, or an absolute path."""
    tokens: int
    lines: int
    """Exact where the file was read whole, else an estimate."""
    symbols: list[Symbol]
    basis: str
    """`grammar`, or how else it was found: the menu says so."""
    note: str = ""
    """One sentence about the whole, for a log or a table."""
    part: str = ""
    """What of the file this is, as a handle says it: `#Class`, `:10-90`; empty: all of it."""


def printable(text: str) -> str:
    """Return *text* without what a terminal would act on."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


def fine_label(tokens: int) -> str:
    """Return what a line of a menu is quoted at: `~10` to `~500`, then the buckets from `~1k` on.

    Each label stands for what is nearest to it in ratio.
    """
    if tokens >= EDGES[0]:
        return LABELS[bucket_of(tokens)]
    value = max(tokens, 1)
    return f"~{min(_FINE_STEPS, key=lambda step: max(step / value, value / step))}"
