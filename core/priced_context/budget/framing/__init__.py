"""What a request costs beyond its texts, a module a vendor; the constants are fitted to bills.

Sources: 596 published pairs of request and billed input tokens (benchmarks/budget_bills.py prints
the errors), Anthropic's page on tool use (2026-08), the vendors' pages on images.
"""

import json
import math
from collections.abc import Callable
from typing import Protocol

import msgspec

from priced_context.budget.content import Part, Shape

Words = Callable[[str], float]
"""Tokens of a plain text in the model's own vocabulary, as well as the counter knows."""


class Frame(msgspec.Struct, frozen=True):
    """Tokens that belong to no single segment: a base, a hidden preamble."""

    kind: str
    origin: str
    label: str
    tokens: int
    note: str = ""


class Census(msgspec.Struct, frozen=True):
    """What of the parts bears on the frames of the whole request."""

    has_system: bool
    tool_count: int
    adjacent_calls: int
    """Calls that follow a call directly, each a part of its own."""


class Framing(Protocol):
    """How one family of models turns parts into tokens."""

    version: str
    """Changes when any constant does: counts kept on disk hang on it."""

    def tokens(self, part: Part, *, is_first: bool) -> list[int]:
        """Return the tokens of each block of *part*; *is_first* within its section."""

    def frames(self, shape: Shape, census: Census) -> list[Frame]:
        """Return what the request costs beside its parts."""


def compact(value: object) -> str:
    """Return *value* as the shortest JSON text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def whole(tokens: float) -> int:
    """Round to the nearest whole token; a half goes up."""
    return math.floor(tokens + 0.5)
